"""A summary without what was forgotten: its sentences that tell of it go; where less than half is left it is made anew
from what it sums up, without a model. Its originals are without it by then. Owns nothing on disk.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from dotagent.compaction import summary, tree
from dotagent.life import context, events
from dotagent.life.events import Fade, Summed
from dotagent.store.blobs import Blob, BlobCorrupt, BlobMissing, Blobs
from dotagent.store.log import Line
from dotagent.text import passages, standing
from dotagent.text.passages import Passages

SHARE = 4000  # bytes of an original that an extract reads
HALF = 0.5  # of a summary's words: with fewer left it is made anew


def known(lines: Iterable[Line]) -> Mapping[str, str]:
    """The summaries of a life, and the tree of what each sums up, "" where it was not needed."""
    found, spans = dict[str, str](), dict[str, list[str]]()
    for line in lines:
        event = events.parse(line) if line.event in (Summed.WORD, Fade.WORD) else None
        if isinstance(event, Summed):
            found[line.id] = ""
            spans.setdefault(event.span, []).append(line.id)
        elif isinstance(event, Fade) and line.id:
            found.update(dict.fromkeys(spans.get(event.span, ()), line.id))
    return found


def without(store: Blobs, blob: Blob, covers: str, told: Passages) -> str:
    """The summary's text without what tells of it."""
    text = blob.body.decode("utf-8", "surrogateescape")
    gone = [one for one in standing.sentences(text) if told.tell(one)]
    if not gone:
        return told.gone(text)
    left = re.sub(r"\n{3,}", "\n\n", Passages(gone).gone(text).replace(passages.MARK, ""))
    if len(passages.words(left)) >= HALF * len(passages.words(text)) or not covers:
        return left
    return told.gone(extract(store, covers, told.gone(blob.gist))) or left


def extract(store: Blobs, covers: str, gist: str, since: int = 0) -> str:
    """An extract of what stands below a tree, behind the entry of this number; "" where that is lost."""
    try:
        members = [one for one in tree.originals(store, covers) if one.number > since]
    except (BlobMissing, BlobCorrupt):
        return ""
    found = (context.entry(one.line, one.number, lambda id: store.get(id).body, SHARE) for one in members)
    text = summary.extract_from([one for one in found if one], (1, gist), ()).text if members else ""
    return re.sub(re.escape(passages.MARK) + r"[.!?]?\s*", "", text)
