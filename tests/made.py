"""Entries made for tests, without a life."""

from __future__ import annotations

from collections.abc import Sequence

from dotagent.life import context
from dotagent.life.context import Entry
from dotagent.store.log import Line
from dotagent.text import times

FIRST = times.parse("2026-11-21T20:17:20Z").timestamp()
DETAILS = {
    "HEAR": "dev 5 x USER:ana",
    "TOOL": "RUN ok",
    "JOIN": "dev 5 x",
    "NOTE": "dev form",
    "FAIL": "server final",
    "LEAVE": "dev",
}


def entry(
    number: int, event: str, text: str = "", detail: str = "", who: str = "USER:ana", share: int = 1 << 20
) -> Entry:
    """One entry; of a message `text` is the words, and `who` said it."""
    at = f"2026-11-21T{number // 3600 % 24:02}:{number // 60 % 60:02}:{number % 60:02}.000000Z"
    body = f"[{who} {at}] {text.replace(chr(10), chr(10) + '  ')}\n" if event == "HEAR" and who else text
    id = f"{number:032x}"
    line = Line(at, event, detail or DETAILS.get(event, ""), id, "")
    found = context.entry(line, number, lambda id: body.encode(), share)
    assert found
    return found


def turns(sizes: Sequence[int], first: int = 1, steps: int = 0) -> list[Entry]:
    """Turns of about so many tokens each: a message, a reply, and as many steps of a tool in between."""
    made: list[Entry] = []
    for size in sizes:
        number = first + len(made)
        words = "harbour lighthouse seat window paper kettle train ".split()
        each = max(1, size // (2 * steps + 2) - 25)
        text = " ".join(words[(number + at) % len(words)] for at in range(each))
        made.append(entry(number, "HEAR", text))
        for step in range(steps):
            made.append(entry(number + 2 * step + 1, "REPLY", f"RUN echo {text}"))
            made.append(entry(number + 2 * step + 2, "TOOL", text))
        made.append(entry(number + 2 * steps + 1, "REPLY", text))
    return made
