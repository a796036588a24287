"""Long lives for the benches: LIFE of any length as bytes in the real format, written in seconds.

The past of a life that was really booted is put between its birth and what follows: either events that make no entry
(`quiet`), or a busy past of talk and tools that a swap has covered. Blobs of such a past are named and are not there:
nothing but `doctor` may ask for them.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

STEP = timedelta(seconds=5)
GIST = "ana: which seat did I book on the flight to Tokyo in May, and is it a window"


def lengthen(path: Path, events: int, *, busy: bool = False, swap: str = "", after: int = 100) -> int:
    """Give a sleeping life's LIFE a past of so many events; return its size in bytes.

    `swap` is what stands behind the time in the line of the last swap (event, detail, reference); with it there are
    `after` quiet events behind that line. `busy` makes a past of talk and tools, which needs such a swap.
    """
    birth = path.read_bytes()
    at = datetime.now(UTC) - STEP * (events + len(birth) + 1000)
    with open(path, "wb") as file:
        for line in birth.split(b"\n")[:-1]:
            at += STEP
            file.write(_stamp(at) + line[27:] + b"\n")
        past = _busy() if busy else _quiet()
        for number in range(events):
            at += STEP
            if swap and number == events - after:
                file.write(_stamp(at) + b" " + swap.encode() + b"\n")
                past = _quiet()
            else:
                file.write(_stamp(at) + next(past))
        return file.tell()


def _stamp(at: datetime) -> bytes:
    return at.isoformat(timespec="microseconds")[:26].encode() + b"Z"


def _reference(chance: random.Random) -> str:
    return f"◱hash={chance.getrandbits(128):032x} gist={GIST}◲"


def _quiet() -> Iterator[bytes]:
    """Events that change nothing and make no entry, of the usual length."""
    chance = random.Random(1)
    while True:
        yield f" DID WAIT {_reference(chance)}\n".encode()


def _busy() -> Iterator[bytes]:
    """Turns of a message, a tool, an answer."""
    chance, offset = random.Random(2), 0
    while True:
        offset += chance.randrange(40, 400)
        mark = f"{chance.getrandbits(48):012x}"
        for event in (
            f"HEAR dev {offset} {mark} USER:ana {_reference(chance)}",
            f"ASK scripted dev {_reference(chance)}",
            f"REPLY dev finish=stop model=script input={offset % 60000} output=40 {_reference(chance)}",
            f"TOOL READ_FILE ok {_reference(chance)}",
            f"ASK scripted dev {_reference(chance)}",
            f"REPLY dev finish=stop model=script input={offset % 60000} output=40 {_reference(chance)}",
            f"SAY dev {offset} 2026-11-21T20:17:24.123456Z",
            "DID SAY",
        ):
            yield f" {event}\n".encode()
