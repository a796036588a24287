"""The texts of others in an agent's turns, and the answers that repeat them (marks.py). Owns nothing on disk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

from dotagent import extensions
from dotagent.life import events, origins
from dotagent.life.background_events import Returned
from dotagent.life.events import Document, Hear, Join, Reply, Result
from dotagent.store import home, lineage
from dotagent.store.blobs import BlobCorrupt, BlobMissing
from dotagent.store.home import Home
from dotagent.text import passages, source_marks, speakers, standing_instructions

KINDS = (Hear, Reply, Result, Returned)


class TextsOfOthers:
    """The texts of others in the present turn of a life that is read event by event."""

    def __init__(self) -> None:
        self.texts = list[tuple[str, str]]()  # each with the name of its source
        self._reply, self._results = "", list[str]()  # the last reply, and the tools whose results came since
        self._replied = False  # whether no message came since

    def mark(self, event: Hear | Join | Reply | Result | Returned, text: str, said: str) -> str:
        """Return the words of an event, with a mark if a tool returned words of others, or if a reply repeats some of
        its turn."""
        if isinstance(event, Hear):
            if self._replied:  # otherwise the turn continues
                self.texts.clear()
            told, by = speakers.messages(event.WORD, text), event.by.split(",")
            strange = origins.OTHERS in by and origins.PERSON not in by and all(one.person for one in told)
            self.texts += [(one.name, one.text) for one in told if strange or not one.person]
            self._replied = False
        elif isinstance(event, Returned):
            self.texts.append(("a helper", said))
        elif isinstance(event, Result):
            self._results.append(event.tool)
            if _is_foreign(event):
                from dotagent.life import sources  # loaded only for a life that has read words of others

                self.texts.append((name := sources.tool_source(self._reply, self._results), said))
                return f"[from {name}] {said}"
        elif isinstance(event, Reply):
            self._reply, self._results, self._replied = text, [], bool(text)
            if self.texts and said:
                from dotagent.life import marks, sources

                return marks.mark_repeated(said, sources.Texts(sources.of_pairs(self.texts)))
        return said


def _is_foreign(result: Result) -> bool:
    """Return True if the text of a result is not the agent's own."""
    return bool(origins.foreign((result.by or origins.tool_origin(result.tool)).split(",")))


Resting = tuple[Sequence[str], Sequence[str]]
"""What rests on a source by LIFE, and not by a mark: sentences of all agents' answers, proposals and searches,
and, for the source `import`, the texts of documents as an import brought them."""
NOTHING: Resting = ((), ())


def find_resting(where: Home, name: str) -> Resting:
    """Return what rests on the source with this name, or nothing without a name."""
    lives = home.lives(where) if name else []
    is_import = source_marks.names_source(source_marks.IMPORT, name)
    brought = {self_id: list(_find_imported(where, self_id)) if is_import else [] for self_id in lives}
    answers = [one for self_id in lives for one in _find_answers(where, self_id, name, brought[self_id])]
    return answers, [text for texts in brought.values() for text in texts]


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


def _find_answers(where: Home, self_id: str, name: str, imported: Sequence[str]) -> Iterator[str]:
    from dotagent.life import marks, sources
    from dotagent.life.candidates import Candidate

    others, store = TextsOfOthers(), where.store()
    earlier = sources.Texts(sources.of_pairs((source_marks.IMPORT, text) for text in imported))
    sentences = passages.Beginnings()  # of the source, which a search may show again
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
        if isinstance(event, Result) and not _is_foreign(event):
            yield from sentences.near(text)
            continue
        if not isinstance(event, Reply | Candidate):
            known = [one for one in sources.of_pairs(others.texts) if source_marks.names_source(one.name, name)]
            new = [one for one in known if one not in earlier.all]
            earlier.add(new)
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
