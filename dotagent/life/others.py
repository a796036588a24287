"""The texts of others in an agent's turns, and the answers that repeat them (marks.py). Owns nothing on disk."""

from __future__ import annotations

from dotagent.life import origins
from dotagent.life.background_events import Returned
from dotagent.life.events import Hear, Join, Reply, Result
from dotagent.text import speakers

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
            if is_foreign(event):
                from dotagent.life import sources  # loaded only for a life that has read words of others

                self.texts.append((name := sources.tool_source(self._reply, self._results), said))
                return f"[from {name}] {said}"
        elif isinstance(event, Reply):
            self._reply, self._results, self._replied = text, [], bool(text)
            if self.texts and said:
                from dotagent.life import marks, sources

                return marks.mark_repeated(said, sources.Texts(sources.of_pairs(self.texts)))
        return said


def is_foreign(result: Result) -> bool:
    """Return True if the text of a result is not the agent's own."""
    return bool(origins.foreign((result.by or origins.tool_origin(result.tool)).split(",")))
