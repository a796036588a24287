"""The swaps of an agent, at which its scenes begin, and where each is in LIFE.md.

Owns `run/scenes/swaps.json` in an agent's directory: the swaps up to a place in LIFE.md, so that a process need not
search a long LIFE.md again. It is a cache that may be deleted, and `forget` deletes it.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from dotagent.life.events import Swap
from dotagent.store import disk, log, log_search
from dotagent.store.log import Line

FILE = "run/scenes/swaps.json"
FORM = 1  # the version of the file's form
LONG = 1 << 23  # bytes of LIFE.md whose search is worth a file


@dataclass(frozen=True)
class Keyframes:
    """The swaps of an agent, and the byte offset of each, up to the byte offset `end` of the file `node`."""

    node: int = 0
    end: int = 0
    lines: tuple[Line, ...] = ()
    begins: tuple[int, ...] = ()


def read(folder: Path, known: Keyframes, long: int = LONG) -> Keyframes:
    """Return the swaps of the agent in this directory. Only the part of LIFE.md after the known ones is searched; if it
    has more than `long` bytes, the result is kept."""
    path = folder / "LIFE.md"
    node, end = os.stat(path).st_ino, log_search.end(path)
    if node != known.node or known.end > end:  # at first, or something was forgotten, so LIFE.md is another file
        known = _load(folder, path)
    new = tuple(log_search.picked(path, (Swap.WORD,), known.end, end)) if end > known.end else ()
    found = Keyframes(node, end, (*known.lines, *new), (*known.begins, *log_search.line_offsets(path, new)))
    if end - known.end > long:
        with suppress(OSError):  # the next process searches again
            _keep(folder, path, found)
    return found


def _keep(folder: Path, path: Path, found: Keyframes) -> None:
    last = next(log.backwards(path))
    if last.end != found.end:  # the agent lives on; another time
        return
    rows = [[begin, one.end, one.at, one.detail, one.id, one.gist]
            for begin, one in zip(found.begins, found.lines, strict=True)]  # fmt: skip
    disk.make_dir(folder / "run" / "scenes", durable=False)
    told = {"form": FORM, "end": found.end, "at": last.at, "swaps": rows}
    disk.replace(folder / FILE, json.dumps(told, ensure_ascii=False).encode("utf-8", "replace"), durable=False)


def _load(folder: Path, path: Path) -> Keyframes:
    """Return what the file says, or nothing if it is missing, or not about this LIFE.md."""
    try:
        told = json.loads(disk.read(folder / FILE))
        if told["form"] != FORM or not log_search.has_event_at(path, told["end"], told["at"]):
            return Keyframes()
        lines = [Line(at, Swap.WORD, detail, id, gist, end) for _, end, at, detail, id, gist in told["swaps"]]
        return Keyframes(0, told["end"], tuple(lines), tuple(row[0] for row in told["swaps"]))
    except (OSError, ValueError, KeyError, TypeError, IndexError, RecursionError):
        return Keyframes()
