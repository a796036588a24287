"""Agents that an agent made, its helpers, from outside: of whom and for what one was born, under which limits, whether
it works or has come to rest, and starting its process.

All of that but its rest stands in the birth blob, so the id vouches for it, and a helper that was announced by its id
is found again and never made twice. Owns `agents/<self>/run/pid` (the process, of
any life), and `run/rested`: how many words of
other agents it had heard when it came to rest last, and how it did.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass

from dotagent.store import bootstrap, disk, launch, lives, process, rooms
from dotagent.store.blobs import BlobCorrupt, BlobMissing, Blobs
from dotagent.store.home import Home
from dotagent.text import names, times
from dotagent.text.reference import ID, short

USUAL: Mapping[str, object] = {
    "most": 50,
    "depth": 1,
    "turns": 40,
    "tokens": 400_000,
    "seconds": 900,
    "workspace": "rw",
}
"""What `[spawn]` in settings says where it says nothing."""
LIMITS = ("turns", "tokens", "seconds")
"""How a helper may come to its end, beside `done`, `failed` and `died`."""
_begun: dict[str, subprocess.Popen[bytes]] = {}  # processes of helpers that this one started


@dataclass(frozen=True)
class Terms:
    """Of whom (the full id) and in which room a helper was born, how deep below an agent that nobody made, and what
    it may take: requests and tokens in all, seconds for each task, and its directory, as settings' `workspace`."""

    parent: str
    room: str
    depth: int
    turns: int
    tokens: int
    seconds: int
    workspace: str


def birth(store: Blobs, terms: Terms, audience: str) -> str:
    """Put the birth blob of a helper; its id is the new self."""
    rows = "".join(f"\n{name}: {value}" for name, value in asdict(terms).items())
    body = f"audience: {audience}{rows}\n\n{bootstrap.SPAWNED_SOUL}"
    return store.put(body.encode(), at=times.now(), gist=f"SOUL of a life, {audience}", agent=terms.parent)


def terms(store: Blobs, self_id: str) -> Terms | None:
    """What the life was born to as a helper; None for one that nobody made, or whose birth blob is lost."""
    try:
        head = store.get(self_id).body.decode("utf-8", "replace").partition("\n\n")[0]
    except (BlobMissing, BlobCorrupt):
        return None
    rows = dict(row.partition(": ")[::2] for row in head.split("\n"))
    numbers = [int(one) for name in ("depth", *LIMITS) if re.fullmatch("[0-9]{1,12}", one := rows.get(name, ""))]
    parent, room = rows.get("parent", ""), rows.get("room", "")
    sound = ID.fullmatch(parent) and names.ROOM.fullmatch(room) and rows.get("audience") == audience(room)
    if not sound or len(numbers) != 4:
        return None
    return Terms(parent, room, numbers[0], numbers[1], numbers[2], numbers[3], rows.get("workspace", "none"))


def makers(store: Blobs, self_id: str) -> tuple[str, ...]:
    """Who made this life, who made that one, and so on; none for one that nobody made."""
    found = tuple[str, ...]()
    while (made := terms(store, self_id)) and made.parent not in found:
        self_id = made.parent
        found = (*found, self_id)
    return found


def place(where: Home, parent: str) -> str:
    """The name of a room that the next helper of this life can have, which is its audience's name, too."""
    begun = f"helper-{short(parent)}-"
    used = [path.stem.removeprefix(begun) for path in where.chats.glob(f"{begun}*.md")]
    return f"{begun}{max((int(one) for one in used if one.isdecimal()), default=0) + 1}"


def audience(room: str) -> str:
    """For whom a helper of this room is born: itself alone."""
    return f"helper {room.removeprefix('helper-')}"


def make(where: Home, self_id: str, terms: Terms, task: bytes) -> None:
    """Make the helper, as far as it is not there: its room with its task in it, its directory. LIFE.md comes last."""
    room, path = where.room(terms.room), where.agent(self_id)
    if disk.is_file(path / "LIFE.md"):
        return
    rooms.create(room, audience(terms.room))
    rooms.want(room, 0)  # what stands there is for it to hear
    rooms.complete(room, task)
    disk.make_dir(path)
    for name in bootstrap.seen(audience(terms.room)):  # its parent's rules, where it has such
        with suppress(OSError):
            disk.create(path / name, disk.read(where.agent(terms.parent) / name), path)
    lives.furnish(where, self_id, room, audience(terms.room), bootstrap.SPAWNED_SOUL)


def start(where: Home, self_id: str, words: Sequence[str], provider: str) -> None:
    """Start the helper's process, which leaves when it has come to rest; `words` are agent.py's of its parent."""
    child = launch.agent(
        where, [self_id, *words, "--until-idle"], where.agent(self_id) / "agent.log",
        {**os.environ, launch.HANDED: provider},
    )  # fmt: skip
    sign(where, self_id, child.pid)
    for one in [one for one, before in _begun.items() if before.poll() is not None]:
        del _begun[one]
    _begun[self_id] = child


def sign(where: Home, self_id: str, number: int) -> None:
    """Write down by which process the life is lived, for who wants to end it."""
    disk.make_dir(where.agent(self_id) / "run")
    told = f"{number} {process.start_time(number)}\n"
    disk.replace(where.agent(self_id) / "run" / "pid", told.encode(), durable=False)


def works(where: Home, self_id: str) -> bool:
    """Whether a process lives the helper, or was started for it and is about to."""
    child = _begun.get(self_id)
    return bool(child and child.poll() is None) or lives.runs(where, self_id)


def pid(where: Home, self_id: str) -> int:
    """The life's process; 0 for none."""
    return process.told(where.agent(self_id) / "run" / "pid")[0]


def end(where: Home, ids: Iterable[str]) -> None:
    """Ask the processes of these helpers to leave."""
    for one in ids:
        if number := pid(where, one):
            with suppress(ProcessLookupError):
                os.kill(number, signal.SIGTERM)


def rest(where: Home, self_id: str, heard: int, how: str) -> None:
    """Write down that the helper has come to rest: how, and how many words of other agents it had heard."""
    disk.make_dir(where.agent(self_id) / "run")
    disk.replace(where.agent(self_id) / "run" / "rested", f"{heard} {how}\n".encode(), durable=False)


def rested(where: Home, self_id: str) -> tuple[int, str]:
    """What `rest` wrote last; (0, "") before it ever did."""
    try:
        word, how = disk.read(where.agent(self_id) / "run" / "rested", 100).decode("ascii", "replace").split()
    except (OSError, ValueError):
        return 0, ""
    return (int(word), how) if re.fullmatch("[0-9]{1,9}", word) else (0, "")
