"""Calls of an agent to tools from packs: one file for each call, which the pack's process takes, and one for each
answer.

A taken call is never taken again, because it may have run even if no answer comes. Owns
`agents/<self>/run/packs/<id>/`: `<key>.call`, `.taken` and `.done`, `pid` (the lock and identity of the pack's
process), `said` (its output), and `data/`, which belongs to the pack.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from dotagent.processes import background, process_tree
from dotagent.store import child_processes, disk, process
from dotagent.store.home import Home

LARGE = 1 << 20  # bytes of a pack's output, after which its file starts again
ANSWER = 12_000_000  # bytes: the largest file of a call or an answer


@dataclass(frozen=True)
class Use:
    """A call: its key, tool and arguments, a hash of the tool's description when it was enabled, and the calling
    agent's audience."""

    key: str
    tool: str
    args: Mapping[str, object]
    mark: str
    audience: str
    bridged: bool


@dataclass(frozen=True)
class Fate:
    """The result of a call: its text and whether it succeeded. `sure` is False if the call may or may not have
    happened. `media` are its pictures, PDFs and sounds in base64."""

    text: str
    good: bool = True
    sure: bool = True
    media: tuple[str, ...] = ()


def folder(place: Path, id: str) -> Path:
    """Return the folder for the calls to a pack by the agent in this directory."""
    return place / "run" / "packs" / id


def mark(place: Path, id: str) -> str:
    """Return the marker in the environment of every process that the pack starts for this agent."""
    return f"{place}/packs/{id}"


def put(there: Path, call: Use) -> None:
    """Queue a call."""
    disk.make_dir(there)
    disk.replace(there / f"{call.key}.call", json.dumps(asdict(call)).encode("utf-8", "replace"), durable=False)


def waiting(there: Path) -> list[Path]:
    """Return the waiting calls, oldest first."""
    return sorted(there.glob("*.call"))


def take(path: Path) -> Use | None:
    """Take a call, so that no other process can. Return None if it is invalid or gone."""
    taken = path.with_suffix(".taken")
    try:
        os.rename(path, taken)
        told = json.loads(disk.read(taken, ANSWER))
        return Use(**told)
    except (OSError, ValueError, TypeError, RecursionError):
        return None


def answer(there: Path, key: str, said: Fate) -> None:
    """Record the result of a call."""
    data = json.dumps(asdict(said)).encode("utf-8", "replace")
    disk.replace(there / f"{key}.done", data, durable=False)
    disk.remove(there / f"{key}.taken")


def find_result(there: Path, key: str) -> Fate | None:
    """Return the result of a call, or None if it is not known."""
    try:
        told = json.loads(disk.read(there / f"{key}.done", ANSWER))
        return Fate(str(told["text"]), told["good"] is True, told["sure"] is True, tuple(map(str, told["media"])))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def drop(there: Path, key: str) -> None:
    """Remove a call's files; a waiting call will never run."""
    for end in (".call", ".taken", ".done"):
        disk.remove(there / f"{key}{end}")


def serve(where: Home, self_id: str, id: str) -> None:
    """Start a process for this pack if none runs. It exits by itself."""
    there = folder(where.agent(self_id), id)
    if disk.is_locked(there / "pid"):
        return
    disk.make_dir(there)
    said = there / "said"
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
    if disk.is_file(said) and said.stat().st_size > LARGE:
        flags |= os.O_TRUNC
    with disk.open_regular(said, flags) as out:
        child_processes.leave(
            child_processes.start(
                [sys.executable, "-m", "dotagent.capabilities.toolpacks", str(where.root), self_id, id], out
            )
        )


def is_served(there: Path) -> bool:
    """Return True if a process answers calls."""
    return disk.is_locked(there / "pid")


def end(place: Path, id: str) -> None:
    """Kill the pack's process of this agent, and everything that it started."""
    pid, started = process.read_process(folder(place, id) / "pid")
    if pid:
        process_tree.kill_group(pid, started)
    process_tree.kill_marked(f"{background.MARK}={mark(place, id)}")
