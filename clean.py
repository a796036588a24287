"""Wipe a home's runtime state: its calls, bridges, reminders, rooms, blobs, agents. Prompts, settings, secrets stay.

It removes only what dotagent makes, known by its place and name, and names whatever else it finds there. It follows no
symbolic link. Agents go last, so that a wipe which died half way is found again as a home, and finished.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dotagent import errors
from dotagent.arguments import Parser, agreed
from dotagent.errors import Misuse
from dotagent.installed import PROGRAMS, typed
from dotagent.store import disk, home
from dotagent.store.home import Home
from dotagent.text import escape, names, table
from dotagent.text.reference import short
from dotagent.text.sizes import amount, plural

ID, ASIDE = "[0-9a-f]{32}", r"\.new-\d+-\d+"
ENTRY = rf"(?:{ID}|\.unreadable-[0-9a-f]{{12}})"
NAME = names.FILE  # of a provider, a bridge, and a room


@dataclass(frozen=True)
class Area:
    """A directory of a home: which directories and files below it are dotagent's, by their paths from it.

    Below an agent's own directory all is the agent's: its notes, what its commands made, links too.
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
    Area("clock", "job", r"ran/[^/]+\.json", "ran|heartbeats", rf"pid|(?:ran|heartbeats)/(?:{NAME}\.json|{ASIDE})"),
    Area("jobs", "reminder", r"remind-\d+\.toml", "done", rf"(?:done/)?remind-\d+(?:@\w+)?\.toml|{ASIDE}"),
    Area("up", "log", r"[^/]+\.log(?:\.1)?", "(?!)", rf"pid|state\.json|{NAME}\.log(?:\.1)?|{ASIDE}"),
    Area("names", "name", NAME, "(?!)", rf"{NAME}|{ASIDE}"),
    Area("chats", "room", r"[^/]+\.md", "(?!)", rf"{NAME}\.(?:md|wanted)|{ASIDE}"),
    Area("forgotten", "record", r"record\.jsonl", "(?!)", rf"record\.jsonl|announced\.json|{ASIDE}"),
    Area("memory", "note", r"shared/.*\.md", "shared(?:/.*)?", rf"shared/.*|{ASIDE}"),
    Area("history", "person", r"[^/]+\.txt", "(?!)", rf"[^/]+\.txt|{ASIDE}"),
    Area("blobs", "blob", rf"[^/]+/{ID}", "[0-9a-f]{2}", rf"([0-9a-f]{{2}})/\1[0-9a-f]{{30}}|{ASIDE}"),
    Area("agents", "agent", rf"{ID}/LIFE\.md", rf"{ID}(?:/.*)?", rf"{ID}/.*|{ASIDE}", links=True),
)


@dataclass(frozen=True)
class Found:
    """One thing below an area: `kind` is "file", "directory" or "foreign", `path` begins with the area's name."""

    kind: str
    path: str
    size: int = 0


def walk(root: Path, area: Area) -> Iterator[Found]:
    """All that is in an area, what a directory holds before the directory."""
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
    """The agents, providers, bridges and the clock that run in this home."""
    agents = [f"agent {short(one)}" for one in home.lives(where) if disk.is_locked(where.agent(one) / "LIFE.md")]
    locks = [(f"provider {path.stem}", path) for path in sorted(where.calls.glob("*.pid"))]
    locks += [(f"bridge {path.parent.name}", path) for path in sorted(where.bridges.glob("*/pid"))]
    locks += [("the clock", where.clock / "pid")]
    return agents + [name for name, path in locks if path.is_file() and disk.is_locked(path)]


def refuse(where: Home) -> None:
    """Raise Misuse when something lives here."""
    if found := running(where):
        verb = "still runs" if len(found) == 1 else "still run"
        raise Misuse(f"nothing was removed: {', '.join(found)} {verb} in {where.root}; end them: `{typed('ps')}`")


def show(where: Home) -> tuple[int, list[str]]:
    """Print what would be removed; return how many files, and what is not dotagent's."""
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
    print(f"{clear(str(where.root))} would lose", *table.table(("where", "what", ">files", ">size"), rows), sep="\n  ")
    for path in foreign:
        print(f"  left, not dotagent's: {clear(path)}")
    return total, foreign


def wipe(root: Path, foreign: list[str]) -> list[str]:
    """Remove what is dotagent's; return a line for each thing that could not be removed."""
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
    """A path that a terminal can show, whatever its bytes."""
    return escape.one_line(path, 300)


def parser() -> Parser:
    """What clean.py understands."""
    p = Parser("clean", PROGRAMS["clean"])
    p.add_argument("--yes", action="store_true", help="do not ask")
    return p


def main() -> int:
    """Show, ask, wipe."""
    asked = parser().parse_args()
    where = home.find(asked.home)
    if not where.agents.is_dir() and not where.blobs.is_dir():
        raise Misuse(f"{where.root} is no home: it has neither agents/ nor blobs/; nothing was removed")
    refuse(where)
    count, foreign = show(where)
    alone = "nothing was removed: there is nobody to ask here; --yes wipes without asking"
    if not asked.yes and not agreed("Remove all of this, for ever?", alone):
        print("nothing was removed")
        return 0
    refuse(where)  # somebody may have been started while the person thought about it
    failed = wipe(where.root, foreign)
    for line in failed:
        print(f"dotagent: {line}", file=sys.stderr)
    print(f"removed {plural(count, 'file')}" if not failed else f"removed all but {plural(len(failed), 'thing')}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(errors.edge(main))
