"""Remove matching sentences from a summary. If less than half is left, rebuild it without a model from its originals,
which have been cleaned before. Owns nothing on disk."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from dotagent.compaction import summary, tree
from dotagent.life import context, events
from dotagent.life.compaction_events import Fade, Summed
from dotagent.store.blobs import Blob, BlobCorrupt, BlobMissing, Blobs
from dotagent.store.log import Line
from dotagent.text import passages, standing_instructions
from dotagent.text.passages import Passages

SHARE = 1000  # tokens of an original that an extract reads
HALF = 0.5  # a summary is rebuilt if a smaller share of its words is left


WORDS = (Summed.WORD, Fade.WORD)


def find_summaries(lines: Iterable[Line]) -> Mapping[str, str]:
    """Return an agent's summaries with the tree of each, or "" if it was not used."""
    found, spans = dict[str, str](), dict[str, list[str]]()
    for line in lines:
        event = events.parse(line) if line.event in WORDS else None
        if isinstance(event, Summed):
            found[line.id] = ""
            spans.setdefault(event.span, []).append(line.id)
        elif isinstance(event, Fade) and line.id:
            found.update(dict.fromkeys(spans.get(event.span, ()), line.id))
    return found


def remove_passages(store: Blobs, blob: Blob, covers: str, told: Passages) -> str:
    """Return the summary's text without matching sentences."""
    text = blob.body.decode("utf-8", "surrogateescape")
    gone = [one for one in standing_instructions.sentences(text) if told.tell(one)]
    if not gone:
        return told.gone(text)
    left = re.sub(r"\n{3,}", "\n\n", Passages(gone).gone(text).replace(passages.MARK, ""))
    if len(passages.words(left)) >= HALF * len(passages.words(text)) or not covers:
        return left
    return told.gone(extract(store, covers, told.gone(blob.gist))) or left


def extract(store: Blobs, covers: str, gist: str, since: int = 0) -> str:
    """Return an extract of the originals below a tree after entry number `since`, or "" if they are lost."""
    try:
        members = [one for one in tree.originals(store, covers) if one.number > since]
    except (BlobMissing, BlobCorrupt):
        return ""
    found = (context.entry(one.line, one.number, lambda id: store.get(id).body, SHARE) for one in members)
    text = summary.extract_from([one for one in found if one], (1, gist), ()).text if members else ""
    return re.sub(re.escape(passages.MARK) + r"[.!?]?\s*", "", text)
