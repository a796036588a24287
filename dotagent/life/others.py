"""The texts of others in an agent's turns, and the answers that repeat them (marks.py). Owns nothing on disk."""

from __future__ import annotations

from collections.abc import Iterator

from dotagent import extensions
from dotagent.life import events, origins
from dotagent.life.background_events import Returned
from dotagent.life.events import Hear, Join, Reply, Result
from dotagent.store import home, lineage
from dotagent.store.blobs import BlobCorrupt, BlobMissing
from dotagent.store.home import Home
from dotagent.text import source_marks, speakers, standing_instructions

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
            self.texts += [(one.name, one.text) for one in speakers.messages(event.WORD, text) if not one.person]
            self._replied = False
        elif isinstance(event, Returned):
            self.texts.append(("a helper", said))
        elif isinstance(event, Result):
            self._results.append(event.tool)
            if origins.foreign((event.by or origins.tool_origin(event.tool)).split(",")):
                from dotagent.life import sources  # loaded only for a life that has read words of others

                self.texts.append((name := sources.tool_source(self._reply, self._results), said))
                return f"[from {name}] {said}"
        elif isinstance(event, Reply):
            self._reply, self._results, self._replied = text, [], bool(text)
            if self.texts and said:
                from dotagent.life import marks

                return marks.mark_repeated(said, self.texts)
        return said


def find_answers(where: Home, name: str) -> Iterator[str]:
    """Yield the sentences of all agents' answers that rest on the source with this name, or nothing without a name."""
    for self_id in home.lives(where) if name else ():
        yield from _find_answers(where, self_id, name)


def _find_answers(where: Home, self_id: str, name: str) -> Iterator[str]:
    from dotagent.life import marks

    others, earlier, store = TextsOfOthers(), list[tuple[str, str]](), where.store()
    for line in lineage.picked(store, where.agent(self_id), tuple(one.WORD for one in KINDS)):
        event = events.parse(line)
        try:
            text = store.get(line.id).body.decode("utf-8", "replace") if line.id else ""
        except (BlobMissing, BlobCorrupt):
            continue  # doctor reports it
        if not text or not isinstance(event, KINDS):
            continue
        said = "\n".join(words for _, words in speakers.words(line.event, line.detail, text, extensions.tools()))
        others.mark(event, text, said)
        if not isinstance(event, Reply):
            earlier += [one for one in others.texts if one not in earlier and source_marks.names_source(one[0], name)]
            continue
        for sentence in standing_instructions.sentences(said):
            found = source_marks.source_of(marks.mark_repeated(sentence, others.texts, earlier))
            if source_marks.names_source(found, name):
                yield sentence
