"""What people said once for all: found when it fades, in their own words, and shown as one block after every swap.

A summary proposes lines, `ana: Call me Captain.`, or `ana instead of 3: …` for a word that changes or takes back
another of hers; `ana: (open) …` for what she is after and has not reached. Only what stands word for word in a message
of that person becomes a wish (`STANDS`), so no file, tool, agent or model can make one. What was replaced or taken away
stays in LIFE. Owns `standing` in the agent's directory, a person's edits that the agent takes up.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from dotagent.life import events
from dotagent.life.context import Entry
from dotagent.life.events import Hear, Join, Lapsed, Stands, Wishes
from dotagent.life.session import Session
from dotagent.life.state import State
from dotagent.store import disk
from dotagent.store.log import Line
from dotagent.text import escape, said, standing, tokens
from dotagent.text.reference import short
from dotagent.text.sizes import plural

SHARE = 0.08  # of the context's limit: what the block may take; beyond, the oldest are found in LIFE only
ROW = 9  # tokens of a row of the block beside who and what
LONGEST = 1000  # characters of one wish
SHOWN = (LONGEST, 400, 240, 160)  # of one in the block, the fewer the more there are
HEADING = "What people told me once for all, in their words:"
OPEN = "(open) "  # before the words of what somebody is after: it changes with time, so it makes room for what does not
_LISTED = re.compile(
    r"^[^\w\n]*standing(\s+open)?(?:\s+\(?instead\s+of\W+(\d{1,9})\)?)?[^\w\n:]*:[ \t]*(.*)$",
    re.IGNORECASE | re.MULTILINE,
)
_LINE = re.compile(r"(?P<who>[^\s:]+)(?: instead of (?P<instead>\d{1,9}))?: (?P<words>.+)", re.DOTALL)
_NOTHING = re.compile(r"\W*(?:none|nothing|no|n/?a|-+|…)?\W*", re.IGNORECASE)
_MARKS = " \t\"'“”‘’„«»`*_-–—"


@dataclass(frozen=True)
class Wish:
    """What one person said once for all: its number, when and in which entry (0: not known), its blob, the words."""

    number: int
    at: str
    entry: int
    id: str
    who: str
    words: str

    @property
    def head(self) -> str:
        """Who said it, and when."""
        return f"{self.at[:10]} {self.who}, "

    def row(self, most: int, above: str = "") -> str:
        """Its row of the block, its words of at most so many letters; without a head that stands above already."""
        where = f"#{self.entry}" if self.entry else short(self.id)
        words = self.words if len(self.words) <= most else f"{self.words[:most].rstrip()}…"
        return f"{self.number}. {'' if self.head == above else self.head}{where}: {words}"


def known(state: State) -> list[Wish]:
    """All that stands, oldest first."""
    return [made for one, told in state.forgetting.standing.items() if (made := _wish(one, told))]


def _wish(number: str, told: str) -> Wish | None:
    at, entry, id, who, words = (told.split(" ", 4) + [""] * 5)[:5]
    fit = number.isdecimal() and entry.isdecimal() and words
    return Wish(int(number), at, int(entry), id, who, words) if fit else None


def block(session: Session) -> str:
    """All that stands, each whole if there is room, else its beginning; where even that is too much, the newest, and of
    what is open less than of what holds for good. Empty where nothing stands."""
    told = sorted(known(session.state), key=lambda one: (not one.words.startswith(OPEN), one.number))
    room = SHARE * session.limit / session.state.model.ratio - tokens.estimate(HEADING.encode())
    for most in SHOWN:
        chosen, left = list[Wish](), room
        for one in reversed(told):
            left -= tokens.estimate(one.row(most, chosen[-1].head if chosen else "").encode()) + 1
            if left < 0:
                break
            chosen.append(one)
        if len(chosen) == len(told):
            break
    older = [f"({plural(len(told) - len(chosen), 'older one')} found no room here)"] if len(told) > len(chosen) else []
    return "\n".join([HEADING, *older, *_rows(chosen, most)]) if chosen else ""


def _rows(chosen: Iterable[Wish], most: int) -> Iterator[str]:
    """By number, each with who and when where that is not as above."""
    above = ""
    for one in sorted(chosen, key=lambda one: one.number):
        yield one.row(most, above)
        above = one.head


def growth(session: Session, lines: Sequence[str]) -> int:
    """About how many tokens larger the block will be by these lines of summaries."""
    before, room = tokens.estimate(block(session).encode()), int(SHARE * session.limit / session.state.model.ratio)
    words = {one.words for one in known(session.state)}
    new = [line for line in lines if (found := _LINE.fullmatch(line)) and found["words"] not in words]
    return max(0, min(room - before, sum(tokens.estimate(line.encode()) + ROW for line in new)))


def listed(answer: str, messages: Sequence[tuple[str, str]]) -> tuple[str, list[str] | None]:
    """A model's answer without its `standing:` lines, and what they name: as `who: words`, each as it stands in one of
    the (who, text) messages. None where the answer has no such line, or only such as nobody said."""
    found, named, nothing = list[str](), list[str](), False
    for one in _LISTED.finditer(answer):
        is_open, instead, told = one.groups()
        told = told.removeprefix(OPEN)
        if _NOTHING.fullmatch(told):
            nothing = True
            continue
        named.append(told)
        if said_by := next(filter(None, (_quoted(told, who, text) for who, text in reversed(messages))), None):
            who, words = said_by
            of, mark = f" instead of {instead}" if instead else "", OPEN if is_open else ""
            found.append(f"{who}{of}: {mark}{words}")
    rest = _LISTED.sub("", answer).strip()
    return rest, list(dict.fromkeys(found)) if found or (nothing and not named) else None


def _quoted(words: str, who: str, text: str) -> tuple[str, str] | None:
    """Who said it, and the sentence of the text that has these words; None when it has them not."""
    wanted = _plain(words)
    if wanted.startswith(_plain(f"{who}: ")):
        wanted = wanted[len(_plain(f"{who}: ")) :].strip(_MARKS)
    if len(wanted) < 4:
        return None
    for sentence in standing.sentences(text):
        if wanted in _plain(sentence) and len(sentence) <= LONGEST:
            return who, sentence
    flat = " ".join(text.split())
    at = flat.casefold().find(wanted) if len(flat.casefold()) == len(flat) else -1
    return (who, flat[at : at + len(wanted)]) if at >= 0 and len(wanted) <= LONGEST else None


def _plain(words: str) -> str:
    return " ".join(words.split()).casefold().strip(_MARKS + ".!")


def record(session: Session, lines: Iterable[str], members: Sequence[Entry], whole: Callable[[Entry], Entry]) -> None:
    """Let what these lines of a summary of the members say stand, unless it does; `whole` gives an entry with all of a
    message's words."""
    for line in lines:
        found = _LINE.fullmatch(line)
        if not found or any((one.who, one.words) == (found["who"], found["words"]) for one in known(session.state)):
            continue
        who, words, source = found["who"], found["words"], members[0]
        quoted = words.removeprefix(OPEN)
        for entry in members:
            if any(
                one.person and one.name == who and quoted in " ".join(one.text.split()) for one in _said(whole(entry))
            ):
                source = entry
        before = next((one for one in known(session.state) if str(one.number) == found["instead"]), None)
        instead = before.number if before and before.who == who else 0
        number = source.number if source.event in (Hear.WORD, Join.WORD) else 0
        if source.line.id:
            event = Stands(session.state.forgetting.stood + 1, who, source.line.at, number, instead, words)
            session.record(event, id=source.line.id, gist=escape.one_line(words, 80))


def _said(entry: Entry) -> list[said.Spoken]:
    return said.messages(entry.event, (entry.content or b"").decode("utf-8", "replace"))


def trail(lines: Iterable[Line]) -> Iterator[tuple[Stands, Line, str]]:
    """All that ever stood, with what became of it: `` for what stands, the number that replaced it, or `taken away`."""
    told = [(event, line) for line in lines if isinstance(event := events.parse(line), Stands | Lapsed)]
    over = {event.instead: str(event.number) for event, _ in told if isinstance(event, Stands) and event.instead}
    over |= {event.number: "taken away" for event, _ in told if isinstance(event, Lapsed)}
    return ((event, line, over.get(event.number, "")) for event, line in told if isinstance(event, Stands))


def grant(session: Session, wish: Path, owner: str) -> bool:
    """Take up a person's edits, a JSON object a line, `{"drop": 3}` or `{"add": "…", "instead": 3}`; False where there
    is none. What stands then is said anew."""
    if not disk.is_file(wish):
        return False
    before = block(session)
    for row in disk.read(wish).decode("utf-8", "replace").split("\n"):
        _edit(session, _read(row), owner)
    text = block(session)
    if text != before:
        session.record(Wishes("edited"), (text or "Nothing stands any more.").encode("utf-8", "replace"))
    disk.remove(wish)
    return True


def _read(row: str) -> dict[str, object]:
    try:
        told = json.loads(row)
    except (ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}


def _edit(session: Session, told: dict[str, object], owner: str) -> None:
    there = {one.number for one in known(session.state)}
    drop, instead = (
        one if isinstance(one := told.get(name), int) and one in there else 0 for name in ("drop", "instead")
    )
    if drop:
        session.record(Lapsed(drop))
    words = escape.one_line(str(told.get("add") or ""), LONGEST)
    if words and not any((one.who, one.words) == (owner, words) for one in known(session.state)):
        event = Stands(session.state.forgetting.stood + 1, owner, session.next(), 0, instead, words)
        session.record(event, words.encode("utf-8", "replace"))
