"""The display of search results. A person's message is above its echoes, and a long message shows the matching passage.
Pure; owns nothing on disk."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence

from dotagent.search.index import Hit
from dotagent.search.table import ME
from dotagent.search.turn import PIECE, Passage
from dotagent.text import entry_names, escape, times, tokens
from dotagent.text.entry_names import Named
from dotagent.text.lazy import dataclass
from dotagent.text.words import distinctive_stems, raw

SEEN = 80  # characters shown of a short turn that the reader can see already
SAME = 0.45  # share of the words that two turns about one matter have in common
REACH = 3  # turns on either side for a search with `near`

_NEAR = re.compile(r"\s*near\s+(?=#|\d|[0-9a-f]{8}|entry|◱|⟪)(.+)", re.IGNORECASE | re.DOTALL)
_PAGE = re.compile(r"\s+page\s+(\d{1,4})\s*\Z", re.IGNORECASE)

Names = Callable[[str], str]
"""A function from the id of an original to its name for the reader."""


@dataclass(frozen=True)
class Asked:
    """A search request: words and a page of the results, or the turn whose neighbours are wanted."""

    words: str
    page: int = 1
    near: Named | None = None


def parse_query(text: str) -> Asked:
    """Parse the text of a search: `near #412`, `near 48ff46ff918a`, `words page 2`, or words."""
    found = _NEAR.fullmatch(text)
    near = entry_names.find_name(found[1]) if found else None
    page = _PAGE.search(text)
    if near or not page or not text[: page.start()].strip():
        return Asked(text, near=near)
    return Asked(text[: page.start()], max(1, int(page[1])))


def ranked(hits: Sequence[Hit], query: str, facts: Sequence[str] = ()) -> list[Hit]:
    """Return the hits, best first, and the agent's echoes of messages and of `facts` last. Messages of one person about
    the same matter follow the best of them, newest first, so that their dates show which is still valid."""
    wanted, heard = _terms(query), [hit.turn.text for hit in hits if hit.turn.speaker != ME]
    said = [_terms(text) for text in ("\n".join(facts), *heard)]

    def is_echo(hit: Hit) -> bool:
        own = _terms(hit.turn.text) - wanted if hit.turn.speaker == ME else set()
        return any(len(own & one) >= max(1, SAME * len(own)) for one in said)

    return sorted(_together(hits), key=is_echo)


def _terms(text: str) -> set[str]:
    return {*distinctive_stems(raw(text, filed=True))}  # for Chinese also the single signs, as in the index


def _together(hits: Sequence[Hit]) -> list[Hit]:
    """Return the hits. Those of one person that share SAME of the words of the longer one move behind the best, newest
    first."""
    groups = list[tuple[str, set[str], list[Hit]]]()
    for hit in hits:
        who, mine = hit.turn.speaker, _terms(hit.turn.text)
        for speaker, others, group in groups:
            if who == speaker != ME and len(mine & others) >= max(2, SAME * max(len(mine), len(others))):
                group.append(hit)
                break
        else:
            groups.append((who, mine, [hit]))
    return [hit for *_, (best, *rest) in groups for hit in (best, *sorted(rest, key=lambda hit: -hit.turn.number))]


def pages(rows: Sequence[str], most: int, room: int) -> list[list[str]]:
    """Divide the rows into pages of at most `most` rows and `room` tokens. A larger row gets a page alone."""
    found: list[list[str]] = []
    left = 0
    for row in rows:
        size = tokens.estimate(f"{row}\n")
        if not found or len(found[-1]) == most or size > left:
            found.append([])
            left = room
        found[-1].append(row)
        left -= size
    return found


def format_around(turns: Sequence[Passage], id: str, name: Names) -> str:
    """Return the turns around a turn for a model, one line each, in order; the others are indented."""
    return "\n".join(f"{'' if turn.id.startswith(id) else '  '}{line(Hit(turn, 0.0), name)}" for turn in turns)


def line(hit: Hit, name: Names, seen: Collection[str] = ()) -> str:
    """Return a turn as a line: its name, time, speaker, room and text, which is short for a turn in `seen`."""
    turn = hit.turn
    where = f" in {turn.room}" if turn.room else ""
    told = words(hit, SEEN if turn.id in seen else PIECE)
    return f"{name(turn.id)}  {times.format_stamp(turn.at)}  {turn.speaker}{where}: {told}"


def words(hit: Hit, most: int = PIECE) -> str:
    """Return at most `most` characters of a turn, or the matching passage of a long turn with its number."""
    if hit.parts == 1:
        return escape.one_line(hit.turn.text, most)
    text = escape.one_line(hit.turn.text, PIECE)
    before, after = "…" if hit.part > 1 else "", "…" if hit.part < hit.parts else ""
    return f"{before}{text}{after} (part {hit.part} of {hit.parts})"
