"""What a search shows a reader: of each exchange what the person said above the answer that fits, of a long message the
passage that was found, and how to go on: the next page, what was said around it, the whole. Pure; owns nothing on disk.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from dotagent.search.index import Hit
from dotagent.search.table import ME
from dotagent.search.turn import Passage
from dotagent.text import escape, extract, named
from dotagent.text.named import Named

WORDS = 480  # characters shown of a turn: a passage is no longer
SEEN = 80  # characters shown of a short turn that the reader has before it
ECHO = 0.5  # of the words of what the agent said: an echo, when others said, or just asked, so many of them
REACH = 3  # turns to either side of one that is asked for with what is near it

_NEAR = re.compile(r"\s*near\s+(?=#|\d|[0-9a-f]{8}|entry|◱|⟪)(.+)", re.IGNORECASE | re.DOTALL)
_PAGE = re.compile(r"\s+page\s+(\d{1,4})\s*\Z", re.IGNORECASE)

Names = Callable[[str], str]
"""From an original's id to what a reader calls it."""


@dataclass(frozen=True)
class Asked:
    """What is searched for: words and which page of what they find, or the turn whose surroundings are wanted."""

    words: str
    page: int = 1
    near: Named | None = None


def asked(text: str) -> Asked:
    """What a search's words ask for: `near #412`, `near 48ff46ff918a`, `words page 2`, words."""
    found = _NEAR.fullmatch(text)
    near = named.named(found[1]) if found else None
    page = _PAGE.search(text)
    if near or not page or not text[: page.start()].strip():
        return Asked(text, near=near)
    return Asked(text[: page.start()], max(1, int(page[1])))


def ranked(hits: Sequence[Hit], query: str) -> list[Hit]:
    """The hits, best first, but the agent's echoes behind whom they echo: what only says again what a person said."""
    told = [set(extract.terms(hit.turn.text)) if hit.turn.speaker != ME else set() for hit in hits]
    wanted = set(extract.terms(query))
    found, later = list[Hit](), dict[int, list[Hit]]()
    for at, hit in enumerate(hits):
        mine = extract.terms(hit.turn.text) if hit.turn.speaker == ME else []
        said = [n for n in range(at + 1, len(hits)) if _echoes(mine, told[n] | wanted) and told[n] & {*mine} - wanted]
        later.setdefault(said[0] if said else at, []).append(hit)
        waiting = later.pop(at, [])
        found += [one for one in waiting if one is hit] + [one for one in waiting if one is not hit]
    return found


def _echoes(mine: Sequence[str], others: set[str]) -> bool:
    return bool(mine) and sum(term in others for term in mine) >= ECHO * len(mine)


def sides(hit: Hit) -> list[Hit]:
    """The sides of the exchange that are shown, in the order they were said; an answer that is an echo is none."""
    if not hit.beside:
        return [hit]
    said, answer = sorted((hit, hit.beside), key=lambda one: one.turn.number)
    echo = _echoes(extract.terms(answer.turn.text), set(extract.terms(said.turn.text)))
    return [said] if echo and said is hit else [said, answer]


def listed(hits: Sequence[Hit], name: Names) -> str:
    """The hits for a model, as `told`."""
    return "\n".join(told(hit, name) for hit in hits)


def without(hits: Sequence[Hit], ids: Collection[str]) -> list[Hit]:
    """The hits but for these turns; of an exchange the other side stays."""
    found = list[Hit]()
    for hit in hits:
        left = [one for one in (hit, hit.beside) if one and one.turn.id not in ids]
        if left:
            found.append(hit if len(left) == 2 or not hit.beside else replace(left[0], beside=None))
    return found


def told(hit: Hit, name: Names, seen: Collection[str] = ()) -> str:
    """A hit for a model, a line a turn, the second side of an exchange further in; of what is `seen` already, by its
    ids, the first words."""
    return "\n".join(f"{'  ' * at}{line(one, name, seen)}" for at, one in enumerate(sides(hit)))


def pages(rows: Sequence[str], most: int, room: int) -> list[list[str]]:
    """The rows in pages of at most so many of them, and of so many bytes; one that is larger has a page of its own."""
    found: list[list[str]] = []
    left = 0
    for row in rows:
        size = len(row.encode("utf-8", "replace")) + 1
        if not found or len(found[-1]) == most or size > left:
            found.append([])
            left = room
        found[-1].append(row)
        left -= size
    return found


def around(turns: Sequence[Passage], id: str, name: Names) -> str:
    """The turns around one for a model, a line each, in order; the others stand further in."""
    return "\n".join(f"{'' if turn.id.startswith(id) else '  '}{line(Hit(turn, 0.0), name)}" for turn in turns)


def line(hit: Hit, name: Names, seen: Collection[str] = ()) -> str:
    """A turn as a line: its name, when, who, where, and its words; the first of them where it is `seen`."""
    turn = hit.turn
    where = f" in {turn.room}" if turn.room else ""
    told = words(hit, SEEN if turn.id in seen else WORDS)
    return f"{name(turn.id)}  {turn.at[:16]}  {turn.speaker}{where}: {told}{newer(hit, name)}"


def newer(hit: Hit, name: Names) -> str:
    """What is told behind the words of a turn that was corrected later: the name of the newer, and its words."""
    return f" (later: {name(hit.later.id)} “{escape.one_line(hit.later.text, SEEN)}”)" if hit.later else ""


def words(hit: Hit, most: int = WORDS) -> str:
    """What is shown of a turn: its words, at most so many characters, of a long one the passage, told as such."""
    if hit.parts == 1:
        return escape.one_line(hit.turn.text, most)
    text = escape.one_line(hit.turn.text, WORDS)
    before, after = "…" if hit.part > 1 else "", "…" if hit.part < hit.parts else ""
    return f"{before}{text}{after} (part {hit.part} of {hit.parts})"
