"""Standing instructions: permanent requests of people, found when they fade, kept word for word, and shown as one block
after every swap.

A summary proposes lines: `ana: Call me Captain.`; `ana instead of 3: …` to change or withdraw an earlier one; or `ana:
(open) …` for an unfinished goal. Only text that is word for word in that person's message becomes an instruction
(`STANDS`), so no file, tool, agent or model can create one. Replaced and withdrawn ones stay in LIFE. Owns `standing`
in the agent's directory, a person's edits for the agent.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from dotagent.life import events
from dotagent.life.compaction_events import Lapsed, Stands, Wishes
from dotagent.life.context import Entry
from dotagent.life.events import Hear, Join
from dotagent.life.session import Session
from dotagent.life.state import State
from dotagent.store import disk
from dotagent.store.log import Line
from dotagent.text import escape, lazy, speakers, standing_instructions, times, tokens
from dotagent.text.lazy import dataclass
from dotagent.text.reference import short
from dotagent.text.sizes import plural

SHARE = 0.08  # share of the context's limit for the block; beyond it, the oldest are found in LIFE only
ROW = 9  # tokens of a row in addition to speaker and text
LONGEST = 1000  # characters of one instruction
SHOWN = (LONGEST, 400, 240, 160)  # characters of each in the block, fewer if there are many
HEADING = "What people said that still holds, in their own words:"
OPEN = "(open) "  # marks an unfinished goal; it may change, so it makes room for others
_LISTED = lazy.compile(
    r"^[^\w\n]*standing(\s+open)?(?:\s+\(?instead\s+of\W+(\d{1,9})\)?)?[^\w\n:]*:[ \t]*(.*)$",
    re.IGNORECASE | re.MULTILINE,
)
_LINE = lazy.compile(r"(?P<who>[^\s:]+)(?: instead of (?P<instead>\d{1,9}))?: (?P<words>.+)", re.DOTALL)
_NOTHING = lazy.compile(r"\W*(?:none|nothing|no|n/?a|-+|…)?\W*", re.IGNORECASE)
_MARKS = " \t\"'“”‘’„«»`*_-–—"


@dataclass(frozen=True)
class Wish:
    """An instruction of one person: its number, time and entry (0: unknown), its blob, the speaker and the words."""

    number: int
    at: str
    entry: int
    id: str
    who: str
    words: str

    @property
    def head(self) -> str:
        """Return the day and the speaker."""
        return f"{times.format_stamp(self.at, 10)} {self.who}, "

    def row(self, most: int, above: str = "") -> str:
        """Return its row of the block with at most `most` characters of its words, without a head that repeats
        `above`."""
        where = f"#{self.entry}" if self.entry else short(self.id)
        words = self.words if len(self.words) <= most else f"{self.words[:most].rstrip()}…"
        return f"{self.number}. {'' if self.head == above else self.head}{where}: {words}"


def list_wishes(state: State) -> list[Wish]:
    """Return all current instructions, oldest first."""
    return [made for one, told in state.forgetting.standing.items() if (made := _wish(one, told))]


def lines(session: Session) -> list[str]:
    """Return the current instructions that the block shows whole, as `who: words`."""
    shown = block(session)
    words = ((one.who, one.words.removeprefix(OPEN)) for one in list_wishes(session.state))
    return [f"{who}: {told}" for who, told in words if told in shown]


def _wish(number: str, told: str) -> Wish | None:
    at, entry, id, who, words = (told.split(" ", 4) + [""] * 5)[:5]
    fit = number.isdecimal() and entry.isdecimal() and words
    return Wish(int(number), at, int(entry), id, who, words) if fit else None


def block(session: Session) -> str:
    """Return the block of all current instructions and facts, shortened if necessary. If even that is too long, it has
    the newest, and drops unfinished goals first, then facts. Return "" if there are none."""
    told = sorted(list_wishes(session.state), key=_rank)
    model = session.state.model
    room = SHARE * session.limit / model.ratio - tokens.estimate(HEADING)
    for most in SHOWN:
        chosen, left = list[Wish](), room
        for one in reversed(told):
            left -= tokens.estimate(one.row(most, chosen[-1].head if chosen else ""), model.other) + 1
            if left < 0:
                break
            chosen.append(one)
        if len(chosen) == len(told):
            break
    older = (
        [f"({plural(len(told) - len(chosen), 'older instruction')} did not fit here)"]
        if len(told) > len(chosen)
        else []
    )
    return "\n".join([HEADING, *older, *_rows(chosen, most)]) if chosen else ""


def _rank(one: Wish) -> tuple[bool, bool, int]:
    return not one.words.startswith(OPEN), standing_instructions.stands(one.words), one.number


def _rows(chosen: Iterable[Wish], most: int) -> Iterator[str]:
    """Yield the rows by number, each with speaker and day unless the row before has the same."""
    above = ""
    for one in sorted(chosen, key=lambda one: one.number):
        yield one.row(most, above)
        above = one.head


def growth(session: Session, lines: Sequence[str]) -> int:
    """Return by about how many tokens these lines would enlarge the block."""
    model = session.state.model
    before, room = tokens.estimate(block(session), model.other), int(SHARE * session.limit / model.ratio)
    words = {one.words for one in list_wishes(session.state)}
    new = [line for line in lines if (found := _LINE.fullmatch(line)) and found["words"] not in words]
    return max(0, min(room - before, sum(tokens.estimate(line, model.other) + ROW for line in new)))


def split_answer(answer: str, messages: Sequence[tuple[str, str]]) -> tuple[str, list[str] | None]:
    """Split a model's answer into the text and its `standing:` lines, as `who: words` exactly as in one of the (who,
    text) messages. The lines are None if there are none, or no one said any of them."""
    found, named, nothing = list[str](), list[str](), False
    for one in _LISTED.finditer(answer):
        is_open, instead, told = one.groups()
        told = told.removeprefix(OPEN)
        if _NOTHING.fullmatch(told):
            nothing = True
            continue
        named.append(told)
        if said_by := next(filter(None, (_find_quoted(told, who, text) for who, text in reversed(messages))), None):
            who, words = said_by
            of, mark = f" instead of {instead}" if instead else "", OPEN if is_open else ""
            found.append(f"{who}{of}: {mark}{words}")
    rest = _LISTED.sub("", answer).strip()
    return rest, list(dict.fromkeys(found)) if found or (nothing and not named) else None


def _find_quoted(words: str, who: str, text: str) -> tuple[str, str] | None:
    """Return the speaker and the sentence of the text that contains these words, or None."""
    wanted = _normalise(words)
    if wanted.startswith(_normalise(f"{who}: ")):
        wanted = wanted[len(_normalise(f"{who}: ")) :].strip(_MARKS)
    if len(wanted) < 4:
        return None
    for sentence in standing_instructions.sentences(text):
        if wanted in _normalise(sentence) and len(sentence) <= LONGEST:
            return who, sentence
    flat = " ".join(text.split())
    at = flat.casefold().find(wanted) if len(flat.casefold()) == len(flat) else -1
    return (who, flat[at : at + len(wanted)]) if at >= 0 and len(wanted) <= LONGEST else None


def _normalise(words: str) -> str:
    return " ".join(words.split()).casefold().strip(_MARKS + ".!")


def record(session: Session, lines: Iterable[str], members: Sequence[Entry], whole: Callable[[Entry], Entry]) -> None:
    """Record the instructions in these lines of a summary of the members, unless they exist. `whole` returns an entry
    with its message's full text."""
    for line in lines:
        found = _LINE.fullmatch(line)
        if not found or any(
            (one.who, one.words) == (found["who"], found["words"]) for one in list_wishes(session.state)
        ):
            continue
        who, words, source = found["who"], found["words"], members[0]
        quoted = words.removeprefix(OPEN)
        for entry in members:
            if any(
                one.person and one.name == who and quoted in " ".join(one.text.split())
                for one in _split_speakers(whole(entry))
            ):
                source = entry
        before = next((one for one in list_wishes(session.state) if str(one.number) == found["instead"]), None)
        instead = before.number if before and before.who == who else 0
        number = source.number if source.event in (Hear.WORD, Join.WORD) else 0
        if source.line.id:
            event = Stands(session.state.forgetting.stood + 1, who, source.line.at, number, instead, words)
            session.record(event, id=source.line.id, gist=escape.one_line(words, 80))


def _split_speakers(entry: Entry) -> list[speakers.Spoken]:
    return speakers.messages(entry.event, (entry.content or b"").decode("utf-8", "replace"))


WORDS = (Stands.WORD, Lapsed.WORD)


def trail(lines: Iterable[Line]) -> Iterator[tuple[Stands, Line, str]]:
    """Yield all instructions ever, with their state: "" if current, the number of the replacement, or `taken away`."""
    told = [(event, line) for line in lines if isinstance(event := events.parse(line), Stands | Lapsed)]
    over = {event.instead: str(event.number) for event, _ in told if isinstance(event, Stands) and event.instead}
    over |= {event.number: "taken away" for event, _ in told if isinstance(event, Lapsed)}
    return ((event, line, over.get(event.number, "")) for event, line in told if isinstance(event, Stands))


def grant(session: Session, wish: Path, owner: str) -> bool:
    """Apply a person's edits, one JSON object a line, `{"drop": 3}` or `{"add": "…", "instead": 3}`, and show the block
    again. Return False without edits."""
    if not disk.is_file(wish):
        return False
    before = block(session)
    for row in disk.read(wish).decode("utf-8", "replace").split("\n"):
        _edit(session, _read(row), owner)
    text = block(session)
    if text != before:
        session.record(Wishes("edited"), (text or "No standing instruction is left.").encode("utf-8", "replace"))
    disk.remove(wish)
    return True


def _read(row: str) -> dict[str, object]:
    try:
        told = json.loads(row)
    except (ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}


def _edit(session: Session, told: dict[str, object], owner: str) -> None:
    there = {one.number for one in list_wishes(session.state)}
    drop, instead = (
        one if isinstance(one := told.get(name), int) and one in there else 0 for name in ("drop", "instead")
    )
    if drop:
        session.record(Lapsed(drop))
    words = escape.one_line(str(told.get("add") or ""), LONGEST)
    if words and not any((one.who, one.words) == (owner, words) for one in list_wishes(session.state)):
        event = Stands(session.state.forgetting.stood + 1, owner, session.next(), 0, instead, words)
        session.record(event, words.encode("utf-8", "replace"))
