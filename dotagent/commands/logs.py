"""Show recent output of all processes; -f follows it."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from pathlib import Path

from dotagent import commands, errors
from dotagent.errors import Misuse
from dotagent.store import disk, home
from dotagent.store.home import Home
from dotagent.store.watch import Watcher
from dotagent.text import escape
from dotagent.text.reference import short

GROUP = "daily"

MOST = 1 << 20  # bytes of one log that are read at once


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the names of processes and the number of lines."""
    told = "show only these logs: up, clock, a bridge, a provider, or an agent's id"
    parser.add_argument("name", nargs="*", metavar="NAME", help=told)
    parser.add_argument("-f", "--follow", action="store_true", help="keep printing new lines until Ctrl-C")
    parser.add_argument(
        "-n", type=int, default=20, metavar="N", help="print the last N lines of each log (default: 20)"
    )


def run(asked: argparse.Namespace) -> int:
    """Print the lines, each after the name of its process."""
    where = commands.home_of(asked)
    if asked.n < 0:
        raise Misuse("-n: the number of lines cannot be negative")
    found = dict(_logs(where, asked.name))
    if asked.name and not found:
        raise Misuse(
            f"there is no log named {', '.join(asked.name)}; the logs are: "
            f"{', '.join(dict(_logs(where, ()))) or 'none'}"
        )
    ends = {name: _print_lines(name, path, max(0, path.stat().st_size - MOST), asked.n) for name, path in found.items()}
    if not any(ends.values()):
        errors.tell(", by ".join(filter(None, ("no output yet", ", ".join(found)))))
    watcher = Watcher()
    while asked.follow:
        for folder in (where.up, where.agents, where.calls):
            if folder.is_dir():
                watcher.names(folder)
        for name, path in _logs(where, asked.name):
            watcher.content(path)
            size = path.stat().st_size
            ends[name] = _print_lines(name, path, ends.get(name, 0) if size >= ends.get(name, 0) else 0)
        watcher.wait(None)
    return 0


def _logs(where: Home, names: list[str] | tuple[str, ...]) -> Iterator[tuple[str, Path]]:
    """Yield the logs, or those with these names."""
    found = [(path.stem, path) for folder in (where.up, where.calls) for path in sorted(folder.glob("*.log"))]
    found += [(f"{path.parent.name}-agents", path) for path in sorted(where.bridges.glob("*/agents.log"))]
    found += [(short(one), where.agent(one) / "agent.log") for one in home.lives(where)]
    for name, path in found:
        if disk.is_file(path) and (not names or any(name.startswith(one[:12]) for one in names)):
            yield name, path


def _print_lines(name: str, path: Path, start: int, most: int | None = None) -> int:
    """Print the complete lines from `start` on, or only the last ones. Return the offset of the rest."""
    with disk.open_regular(path) as fd:
        data = os.pread(fd, MOST, start)
    whole, mark, _ = data.rpartition(b"\n")
    lines = whole.decode("utf-8", "replace").split("\n") if mark else []
    for line in lines if most is None else lines[len(lines) - min(most, len(lines)) :]:
        print(f"{name}  {escape.printable(line)}", flush=True)
    return start + len(whole) + len(mark)
