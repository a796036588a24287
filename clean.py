"""Delete what dotagent wrote: agents, rooms, blobs, requests, bridges and reminders.

Prompts, settings and secrets stay. The program removes only files and directories that dotagent wrote, which it knows
by their place and name. The program lists all other files, and follows no symbolic link. If a run is interrupted, run
the program again to remove the rest.
"""

from __future__ import annotations

import os
import re
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from dotagent import errors
from dotagent.answers import agreed
from dotagent.arguments import Parser
from dotagent.errors import Misuse, Trouble
from dotagent.installed import PROGRAMS, program
from dotagent.store import disk, home, process, watch
from dotagent.store.home import Home
from dotagent.text import escape, names, table
from dotagent.text.reference import short
from dotagent.text.sizes import amount, plural

ID, ASIDE = "[0-9a-f]{32}", r"\.new-\d+-\d+"
ENTRY = rf"(?:{ID}|\.unreadable-[0-9a-f]{{12}})"
VIEWED = rf"pid|address|open\.html|(?:links|browsers)/(?:[0-9a-f]{{64}}|{ASIDE})|sent/(?:[0-9a-f-]{{36}}|{ASIDE})"
NAME = names.FILE  # names of providers, bridges and rooms


PATIENCE = 10.0  # seconds that an idle process has to end after SIGTERM


@dataclass(frozen=True)
class Area:
    """A directory of a home, and patterns for the paths below it that dotagent owns.

    Everything below an agent's own directory is the agent's: its notes, files made by its commands, and links.
    """

    name: str
    word: str
    counted: str
    directories: str
    files: str
    links: bool = False


AREAS = (
    Area(
        "calls",
        "call",
        rf"(?:new/{NAME}|taken|done/{ID})/{ID}",
        rf"new(?:/{NAME})?|taken|stream|done(?:/{ID})?",
        rf"providers\.json|{NAME}\.(?:pid|log)|{ASIDE}|(?:new/{NAME}|taken|done/{ID})/{ENTRY}|stream/{ID}\.\d+",
    ),
    Area(
        "bridges",
        "bridge",
        rf"{NAME}/journal\.jsonl",
        NAME,
        rf"{NAME}/(?:journal\.jsonl|pairs\.jsonl|agents\.log|pid|anew|{ASIDE})",
    ),
    Area(
        "clock",
        "job",
        r"ran/[^/]+\.json",
        "ran|heartbeats",
        rf"pid|clock\.log|(?:ran|heartbeats)/(?:{NAME}\.json|{ASIDE})",
    ),
    Area("jobs", "reminder", r"remind-\d+\.toml", "done", rf"(?:done/)?remind-\d+(?:@\w+)?\.toml|{ASIDE}"),
    Area("up", "log", r"[^/]+\.log(?:\.1)?", "(?!)", rf"pid|state\.json|{NAME}\.log(?:\.1)?|{ASIDE}"),
    Area("view", "browser", "browsers/[0-9a-f]{64}", "links|browsers|sent", rf"{VIEWED}|{ASIDE}"),
    Area("names", "name", NAME, "(?!)", rf"{NAME}|{ASIDE}"),
    Area("chats", "room", r"[^/]+\.md", "(?!)", rf"{NAME}\.(?:md|wanted)|{ASIDE}"),
    Area("forgotten", "record", r"record\.jsonl", "(?!)", rf"record\.jsonl|announced\.json|{ASIDE}"),
    Area("memory", "note", r"shared/.*\.md", "shared(?:/.*)?", rf"shared/.*|{ASIDE}"),
    Area("history", "person", r"[^/]+\.txt", "(?!)", rf"[^/]+\.txt|{ASIDE}"),
    Area(
        "blobs",
        "blob",
        rf"[^/]+/{ID}",
        "[0-9a-f]{2}|packs",
        rf"([0-9a-f]{{2}})/\1[0-9a-f]{{30}}|{ASIDE}|packs/(?:[0-9]{{6}}\.pack|{ASIDE})",
    ),
    Area("agents", "agent", rf"{ID}/LIFE\.md", rf"{ID}(?:/.*)?", rf"{ID}/.*|{ASIDE}", links=True),
)


@dataclass(frozen=True)
class Found:
    """A file or directory in an area: `kind` is "file", "directory" or "foreign", and `path` begins with the area's
    name.
    """

    kind: str
    path: str
    size: int = 0


def walk(root: Path, area: Area) -> Iterator[Found]:
    """Yield everything in an area, the contents of a directory before the directory itself."""
    top = root / area.name
    if top.is_symlink() or not top.is_dir():
        if os.path.lexists(top):
            yield Found("foreign", area.name)
        return
    seen, todo = list[str](), [""]
    while todo:
        below = todo.pop()
        seen.append(below)
        for entry in sorted(os.scandir(top / below), key=lambda entry: entry.name):
            path = os.path.join(below, entry.name)
            if entry.is_dir(follow_symlinks=False):
                if re.fullmatch(area.directories, path, re.DOTALL):
                    todo.append(path)
                else:
                    yield Found("foreign", f"{area.name}/{path}")
            else:
                plain = area.links or entry.is_file(follow_symlinks=False)
                kind = "file" if plain and re.fullmatch(area.files, path, re.DOTALL) else "foreign"
                yield Found(kind, f"{area.name}/{path}", entry.stat(follow_symlinks=False).st_size)
    for below in reversed(seen):
        yield Found("directory", f"{area.name}/{below}".rstrip("/"))


def running(where: Home) -> list[str]:
    """Return what a person must stop first: agents, bridges, `up`, and a provider or clock whose process is unknown."""
    agents = [f"agent {short(one)}" for one in home.lives(where) if disk.is_locked(where.agent(one) / "LIFE.md")]
    locks = [(f"bridge {path.parent.name}", path) for path in sorted(where.bridges.glob("*/pid"))]
    locks += [("`up`", where.up / "pid")]
    others = [name for name, path in served(where) if not process.read_process(path)[0]]
    return agents + [name for name, path in locks if path.is_file() and disk.is_locked(path)] + others


def served(where: Home) -> list[tuple[str, Path]]:
    """Return the running providers and the clock, each with its lock. Agents start these; they end when idle."""
    locks = [(f"provider {path.stem}", path) for path in sorted(where.calls.glob("*.pid"))]
    locks += [("the clock", where.clock / "pid")]
    return [(name, path) for name, path in locks if path.is_file() and disk.is_locked(path)]


def end(where: Home) -> None:
    """Stop the idle providers and the clock, and wait until they have ended. Raises Trouble if one does not end."""
    there, watcher, last = served(where), watch.Watcher(), time.monotonic() + PATIENCE
    for _, path in there:
        pid, _ = process.read_process(path)
        if pid:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)
    while left := [name for name, path in there if path.is_file() and disk.is_locked(path)]:
        if time.monotonic() > last:
            raise Trouble(f"nothing was removed: {', '.join(left)} did not stop; try again in a minute")
        watcher.wait(0.05)
    if there:
        print(f"stopped idle processes: {', '.join(name for name, _ in there)}")


def refuse(where: Home) -> None:
    """Raise Misuse if anything that a person started still runs in this home."""
    if found := running(where):
        verb = "still runs" if len(found) == 1 else "still run"
        raise Misuse(
            f"nothing was removed: {', '.join(found)} {verb} in {where.root}; stop them first: press Ctrl-C in "
            f"its terminal, run `kill` with the pid that `{program('ps')}` shows, or `{program('down')}` if `up` runs"
        )


def show(where: Home) -> tuple[int, list[str]]:
    """Print what would be removed. Return the number of files, and the paths that are not dotagent's."""
    total, foreign = 0, list[str]()
    rows = list[tuple[str, ...]]()
    for area in AREAS:
        count = things = size = 0
        for found in walk(where.root, area):
            if found.kind == "foreign":
                foreign.append(found.path)
            elif found.kind == "file":
                count, size = count + 1, size + found.size
                things += bool(re.fullmatch(area.counted, found.path.partition("/")[2]))
        rows.append((area.name, plural(things, area.word), f"{count:,}", amount(size)))
        total += count
    print(
        f"these files in {clear(str(where.root))} will be deleted:",
        *table.table(("where", "what", ">files", ">size"), rows),
        sep="\n  ",
    )
    for path in foreign:
        print(f"  kept, because dotagent did not create it: {clear(path)}")
    return total, foreign


def wipe(root: Path, foreign: list[str]) -> list[str]:
    """Remove dotagent's files and directories. Return a line for each that could not be removed."""
    failed: list[str] = []
    for area in AREAS:
        for found in walk(root, area):
            try:
                if found.kind == "file":
                    disk.remove(root / found.path)
                elif found.kind == "directory" and not any(one.startswith(f"{found.path}/") for one in foreign):
                    os.rmdir(root / found.path)
            except OSError as error:
                failed.append(clear(errors.line(error)))
    return failed


def clear(path: str) -> str:
    """Return a path in printable form, whatever its bytes."""
    return escape.one_line(path, 300)


def parser() -> Parser:
    """Return the argument parser of clean.py."""
    p = Parser("clean", PROGRAMS["clean"])
    p.add_argument("--yes", action="store_true", help="delete without asking")
    return p


def main() -> int:
    """Show what would go, ask, and wipe it."""
    asked = parser().parse_args()
    where = home.find(asked.home)
    if not where.agents.is_dir() and not where.blobs.is_dir():
        raise Misuse(
            f"nothing was removed: {where.root} has no data of dotagent, because agents/ and blobs/ are missing"
        )
    refuse(where)
    count, foreign = show(where)
    alone = "nothing was removed, because there is no terminal on which to ask you; add --yes to delete without asking"
    if not asked.yes and not agreed("Delete all of this? This cannot be undone.", alone):
        print("nothing was removed")
        return 0
    refuse(where)  # a process may have started while the person decided
    end(where)
    failed = wipe(where.root, foreign)
    for line in failed:
        print(f"dotagent: {line}", file=sys.stderr)
    print(
        f"removed {plural(count, 'file')}"
        if not failed
        else f"removed everything except {plural(len(failed), 'thing')}, listed above"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(errors.edge(main))
