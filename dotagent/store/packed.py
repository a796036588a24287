"""The calls of a life's tools from packs: a file each, which the pack's process takes, and a file for each answer.

What a process takes it never takes again: a call whose answer does not come may have been done. Owns
`agents/<self>/run/packs/<id>/`: `<key>.call`, `.taken` and `.done`, `pid` (the lock of the pack's process, and which it
is), `said`, what that process prints, and `data/`, which is the pack's own.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from dotagent.store import disk, process, supervised
from dotagent.store.home import Home

LARGE = 1 << 20  # bytes of what a pack's process has printed, beyond which it is begun anew
ANSWER = 4_000_000  # bytes of a file of a call or an answer


@dataclass(frozen=True)
class Use:
    """A call: its key, the tool, its arguments, what the tool said of itself when it was enabled, and who hears the
    life that calls."""

    key: str
    tool: str
    args: Mapping[str, object]
    mark: str
    audience: str
    bridged: bool


@dataclass(frozen=True)
class Fate:
    """What came of a call: the words, and whether it went well; `sure` unless nobody knows whether it happened."""

    text: str
    good: bool = True
    sure: bool = True


def folder(place: Path, id: str) -> Path:
    """Where the calls to a pack are, of the agent in this directory."""
    return place / "run" / "packs" / id


def mark(place: Path, id: str) -> str:
    """What stands in the environment of all that a pack's process starts for this agent."""
    return f"{place}/packs/{id}"


def put(there: Path, call: Use) -> None:
    """Let a call wait."""
    disk.make_dir(there)
    disk.replace(there / f"{call.key}.call", json.dumps(asdict(call)).encode("utf-8", "replace"), durable=False)


def waiting(there: Path) -> list[Path]:
    """The calls that wait, the oldest first."""
    return sorted(there.glob("*.call"))


def take(path: Path) -> Use | None:
    """A call that nobody takes any more; None for what is none, or is gone."""
    taken = path.with_suffix(".taken")
    try:
        os.rename(path, taken)
        told = json.loads(disk.read(taken, ANSWER))
        return Use(**told)
    except (OSError, ValueError, TypeError, RecursionError):
        return None


def answer(there: Path, key: str, said: Fate) -> None:
    """Tell what came of a call."""
    data = json.dumps(asdict(said)).encode("utf-8", "replace")
    disk.replace(there / f"{key}.done", data, durable=False)
    disk.remove(there / f"{key}.taken")


def answered(there: Path, key: str) -> Fate | None:
    """What came of a call, as far as that is known."""
    try:
        told = json.loads(disk.read(there / f"{key}.done", ANSWER))
        return Fate(str(told["text"]), told["good"] is True, told["sure"] is True)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def drop(there: Path, key: str) -> None:
    """Forget a call: one that waits is never taken."""
    for end in (".call", ".taken", ".done"):
        disk.remove(there / f"{key}{end}")


def serve(where: Home, self_id: str, id: str) -> None:
    """See to it that a process answers calls to this pack; it leaves by itself."""
    there = folder(where.agent(self_id), id)
    if disk.is_locked(there / "pid"):
        return
    disk.make_dir(there)
    said = there / "said"
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
    if disk.is_file(said) and said.stat().st_size > LARGE:
        flags |= os.O_TRUNC
    with disk.opened(said, flags) as out:
        process.leave(process.start([sys.executable, "-m", "dotagent.packs", str(where.root), self_id, id], out))


def is_served(there: Path) -> bool:
    """Whether a process answers calls."""
    return disk.is_locked(there / "pid")


def end(place: Path, id: str) -> None:
    """Kill the pack's process of this agent, with all that it started."""
    pid, started = process.told(folder(place, id) / "pid")
    if pid:
        process.kill_group(pid, started)
    process.kill_marked(f"{supervised.MARK}={mark(place, id)}")
