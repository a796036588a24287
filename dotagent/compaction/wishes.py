"""What people said once for all: found when it fades, in their own words, and shown as one block after every swap.

A summary proposes lines, `ana: Call me Captain.`, or `ana instead of 3: …` for a word that changes or takes back
another of hers. Only what stands word for word in a message of that person becomes a wish (`STANDS`), so no file, tool,
agent or model can make one. What was replaced or taken away stays in LIFE. Owns `standing` in the agent's directory, a
person's edits that the agent takes up.
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
_LISTED = re.compile(
    r"^[^\w\n]*standing(?:\s+\(?instead\s+of\W+(\d{1,9})\)?)?[^\w\n:]*:[ \t]*(.*)$", re.IGNORECASE | re.MULTILINE
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
    def line(self) -> str:
        """Its row of the block."""
        where = f"#{self.entry}" if self.entry else short(self.id)
        return f"{self.number}. {self.at[:10]} {self.who}, {where}: {self.words}"


def known(state: State) -> list[Wish]:
    """All that stands, oldest first."""
    return [made for one, told in state.forgetting.standing.items() if (made := _wish(one, told))]


def _wish(number: str, told: str) -> Wish | None:
    at, entry, id, who, words = (told.split(" ", 4) + [""] * 5)[:5]
    fit = number.isdecimal() and entry.isdecimal() and words
    return Wish(int(number), at, int(entry), id, who, words) if fit else None


def block(session: Session) -> str:
    """All that stands, each whole if there is room, else its beginning; where even that is too much, the newest. Empty
    where nothing stands."""
    told = known(session.state)
    room = SHARE * session.limit / session.state.model.ratio - tokens.estimate(HEADING.encode())
    for most in SHOWN:
        rows, left = list[str](), room
        for one in reversed(told):
            row = one.line if len(one.words) <= most else f"{one.line[: most - len(one.words)].rstrip()}…"
            left -= tokens.estimate(row.encode()) + 1
            if left < 0:
                break
            rows.append(row)
        if len(rows) == len(told):
            break
    older = [f"({plural(len(told) - len(rows), 'older one')} found no room here)"] if len(told) > len(rows) else []
    return "\n".join([HEADING, *older, *reversed(rows)]) if rows else ""


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
        if _NOTHING.fullmatch(one[2]):
            nothing = True
            continue
        named.append(one[2])
        if said_by := next(filter(None, (_quoted(one[2], who, text) for who, text in reversed(messages))), None):
            who, words = said_by
            found.append(f"{who} instead of {one[1]}: {words}" if one[1] else f"{who}: {words}")
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
        for entry in members:
            if any(
                one.person and one.name == who and words in " ".join(one.text.split()) for one in _said(whole(entry))
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
