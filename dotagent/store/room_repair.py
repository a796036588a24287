"""Write missing messages into a room again, each at its old place, and none twice.

Owns `run/repaired-<room>` in the directory of each agent in the room, which then takes these messages for nothing new.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from dotagent.store import disk, rooms
from dotagent.text import tag
from dotagent.text.lazy import dataclass


@dataclass(frozen=True)
class RoomBlock:
    """A line and the lines that continue it. `key` is its tag, because someone may have corrected the words of a
    message, or without a tag its text; `at` is the time in the tag."""

    raw: bytes
    key: bytes
    at: bytes


def merge(room: bytes, known: Sequence[bytes]) -> tuple[bytes, int]:
    """Return the room with the messages that it lacks of these, which are in their order, and the number of them."""
    heading, there = _split(room)
    wanted = [block for raw in known for block in _split(raw)[1]]
    missing = Counter(block.key for block in wanted) - Counter(block.key for block in there)
    matcher = difflib.SequenceMatcher(
        None, [block.key for block in wanted], [block.key for block in there], autojunk=False
    )
    places = {one.a + step: one.b + step for one in matcher.get_matching_blocks() for step in range(one.size)}
    before = dict[int, list[RoomBlock]]()  # by the number of the room's block that follows them
    taken, place, count = set(places.values()), 0, 0
    for number, block in enumerate(wanted):
        if number in places:
            place = places[number] + 1
        elif missing[block.key] > 0:
            missing[block.key] -= 1
            count += 1
            while place < len(there) and place not in taken and b"" < there[place].at <= block.at:
                place += 1
            before.setdefault(place, []).append(block)
    found = [heading]
    for number in range(len(there) + 1):
        found += [block.raw for block in before.get(number, ())]
        found += [there[number].raw] if number < len(there) else []
    return b"".join(found), count


def mark(agent: Path, room: str) -> None:
    """Tell the agent in this directory that the room was repaired."""
    disk.make_dir(agent / "run")
    disk.replace(agent / "run" / f"repaired-{room}", b"")


def take_mark(agent: Path, room: str) -> bool:
    """Return True if the room was repaired since the agent in this directory last asked."""
    return disk.remove(agent / "run" / f"repaired-{room}")


def _split(data: bytes) -> tuple[bytes, list[RoomBlock]]:
    """Return the heading of a room and its blocks."""
    if data and not data.endswith(b"\n"):
        data += b"\n"
    lines = [line + b"\n" for line in data.split(b"\n")[:-1]]
    heading = lines.pop(0) if lines and rooms.is_heading(lines[0], 0) else b""
    return heading, list(_blocks(lines))


def _blocks(lines: Sequence[bytes]) -> Iterator[RoomBlock]:
    group = list[bytes]()
    for line in lines:
        if group and line.strip() and not line.startswith(b"  "):
            yield _block(group)
            group = []
        group.append(line)
    if group:
        yield _block(group)


def _block(group: Sequence[bytes]) -> RoomBlock:
    raw = b"".join(group)
    tagged = tag.BYTES.match(group[0])
    key = tagged[0].rstrip() if tagged else b"\n".join(line.rstrip() for line in group).strip()
    return RoomBlock(raw, key, tagged["at"] if tagged else b"")
