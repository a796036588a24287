"""What rests on a source by LIFE, and not by a mark (life/marks.py): for `forget everything from …` and `memory from`.
Owns nothing on disk.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress

from dotagent import extensions
from dotagent.life import events, marks, sources
from dotagent.life.candidates import Candidate
from dotagent.life.events import Document, Hear, Reply, Result
from dotagent.life.others import KINDS, TextsOfOthers, is_foreign
from dotagent.store import home, lineage
from dotagent.store.blobs import BlobCorrupt, BlobMissing
from dotagent.store.home import Home
from dotagent.text import passages, source_marks, speakers, standing_instructions

_HEAD = re.compile(r"\([^()\n]*\)|(?:[^\n:]{1,20}:[^\n]*\n){2,}|[^\n]*[^\n.!?。！？](?=\n)|[^\n:：]*(?=[:：])")
"""The beginning of a text that a person passes on, which may name its sender: `Eve wrote:`, the head of a mail."""
Resting = tuple[Sequence[str], Sequence[str], Sequence[str]]
"""What rests on a source by LIFE, and not by a mark: sentences of all agents' answers, proposals and searches; for the
source `import`, the texts of documents as an import brought them; and what people passed on from a sender."""
NOTHING: Resting = ((), (), ())


def find_resting(where: Home, name: str) -> Resting:
    """Return what rests on the source with this name, or nothing without a name."""
    lives = home.lives(where) if name else []
    is_import = source_marks.names_source(source_marks.IMPORT, name)
    brought = {self_id: list(_find_imported(where, self_id)) if is_import else [] for self_id in lives}
    sent = list[str]()
    answers = [one for self_id in lives for one in _find_answers(where, self_id, name, brought[self_id], sent)]
    return answers, [text for texts in brought.values() for text in texts], sent


def _source(who: str, text: str, asked: str) -> str:
    """Return the source that is asked for if its name is above the text that a person passes on, else their name."""
    head = _HEAD.match(text) if who.endswith(speakers.PASSED) else None
    return asked if head and source_marks.names_source(head[0], asked) else who


def _find_imported(where: Home, self_id: str) -> Iterator[str]:
    """Yield the text of each of an agent's documents as an import brought it: the first version that ends so."""
    store, seen = where.store(), set[str]()
    for line in lineage.picked(store, where.agent(self_id), (Document.WORD,)):
        event = events.parse(line)
        with suppress(BlobMissing, BlobCorrupt):  # doctor reports it
            body = store.body(line.id) if isinstance(event, Document) and event.name not in seen else b""
            text, mark, _ = body.decode("utf-8", "replace").partition(f"\n{source_marks.BELOW}")
            if mark and isinstance(event, Document):
                seen.add(event.name)
                yield text


def _find_answers(where: Home, self_id: str, name: str, imported: Sequence[str], sent: list[str]) -> Iterator[str]:
    others, store = TextsOfOthers(), where.store()
    earlier = sources.Texts(sources.of_pairs((source_marks.IMPORT, text) for text in imported))
    sentences = passages.Beginnings()  # sentences of the source, which a search may show again
    for line in lineage.picked(store, where.agent(self_id), tuple(one.WORD for one in (*KINDS, Candidate))):
        event = events.parse(line)
        try:
            text = store.body(line.id).decode("utf-8", "replace") if line.id else ""
        except (BlobMissing, BlobCorrupt):
            continue  # doctor reports it
        if isinstance(event, Candidate):
            said = event.told
        elif not text or not isinstance(event, KINDS):
            continue
        else:
            said = "\n".join(words for _, words in speakers.words(line.event, line.detail, text, extensions.tools()))
            others.mark(event, text, said)
            others.texts = [(_source(who, told, name), told) for who, told in others.texts]
        if isinstance(event, Result) and not is_foreign(event):
            yield from sentences.near(text)
            continue
        if not isinstance(event, Reply | Candidate):
            known = [one for one in sources.of_pairs(others.texts) if source_marks.names_source(one.name, name)]
            new = [one for one in known if one not in earlier.all]
            earlier.add(new)
            sent += (one.text for one in new if one.name == sources.name_speaker(name) and isinstance(event, Hear))
            for sentence in (one for each in new for one in standing_instructions.sentences(each.text)):
                if passages.is_long(passages.words(sentence)):
                    sentences.add(sentence)
            continue
        now = sources.Texts(sources.of_pairs(others.texts))
        for sentence in standing_instructions.sentences(said):
            value = sentence.partition(": ")[2] if isinstance(event, Candidate) else ""
            found = source_marks.source_of(marks.mark_repeated(value or sentence, now, earlier))
            if source_marks.names_source(found, name):
                yield sentence
