"""Import an agent from OpenClaw, nanobot, Hermes or DotAgent.

DIR is the workspace of the other program, which contains SOUL.md (~/.openclaw/workspace, ~/.hermes,
~/.dotagent/workspace). OpenClaw was earlier called Moltbot. To import only settings and keys, give the program's
config.json as DIR. If a config.json is next to a folder `workspace`, the command imports both. The command changes
nothing in DIR.

If the other program's notes have more than 4,000 characters, the command splits them: MEMORY.md gets the first
sections, and memory/MEMORY-rest.md gets the rest with its headings. With --agent, an existing agent gets the files. The
command never replaces files and settings that you already have here. Each line of the imported notes begins with
`[from import]`, and each other document except SOUL.md ends with a heading that says so, because dotagent cannot know
who wrote the texts. So the agent asks you before it acts. The conversations of OpenClaw become notes in memory/talk/,
where the agent can search. docs/coming-from.md lists the new place of each file and setting.
"""

from __future__ import annotations

import argparse
import itertools
import os
import re
import subprocess
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from dotagent import commands, installed
from dotagent.bridges.pattern import rules
from dotagent.capabilities.migration import settings_import, talk_import, workspace
from dotagent.capabilities.migration.workspace import REST, Brought
from dotagent.erasure import ledger
from dotagent.errors import Misuse, Trouble
from dotagent.installed import CODE
from dotagent.life.context import MEMORY
from dotagent.store import agent_search, bootstrap, disk, home, launch, variables
from dotagent.store.home import Home
from dotagent.text import source_marks
from dotagent.text.lazy import replace
from dotagent.text.reference import short
from dotagent.text.sizes import plural

GROUP = "setup"
JOB = "has the job {}; it is not imported: add it with `cron add`"
BEAT = "has instructions for a heartbeat or a job: {}; copy what you want to keep into HEARTBEAT.md"
DELETED = "that you had deleted: not imported"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the folder and the agent."""
    told = "the workspace directory of the other program, or its config.json"
    parser.add_argument("dir", metavar="DIR", help=told)
    parser.add_argument("--room", metavar="ROOM", help="the room that the new agent joins (default: dev)")
    parser.add_argument("--agent", metavar="AGENT", help="import into this agent instead of a new one")
    commands.json_flag(parser)


def run(asked: argparse.Namespace) -> int:
    """Import the files and settings, and print a line for each."""
    where, root = home.find(asked.home), Path(os.path.expanduser(asked.dir)).absolute()
    if asked.agent and asked.room:
        raise Misuse("--room is for a new agent; leave it out, or leave out --agent")
    if root.is_file():
        commands.refuse_unused(asked, "import FILE", dict.fromkeys(("--room", "--agent"), "DIR"))
        told = settings_import.read(root)
        home.prepare(where)
        _settings(where, root, told, asked)
        return 0
    pieces = [_without_deleted(where, piece) for piece in _workspace(root)]
    beside = settings_import.find_beside(root)
    told = settings_import.read(beside) if beside else {}
    home.prepare(where)
    home.settings(where)
    soul = next((one for one in pieces if one.target == "SOUL.md"), None)
    if soul and DELETED in soul.why and not asked.agent:
        raise Trouble(f"{root / soul.path} contains text that you deleted before; delete it there, then import again")
    self_id = (
        agent_search.find_agent(where, asked.agent) if asked.agent else _born(where, soul, root, asked.room or "dev")
    )
    born = "" if asked.agent else self_id
    if born and not any(one.target == workspace.FIRST for one in pieces):
        disk.remove(where.agent(self_id) / workspace.FIRST)  # it has met its person elsewhere
    taken = 0
    for piece in pieces:
        what = _take(where.agent(self_id), piece, bool(born), {one.target for one in pieces})
        taken += int(what.startswith("was imported "))
        commands.tell({"path": piece.path, "agent": self_id, "what": what}, f"{piece.path} {what}", asked)
    for name, what in _talk(where, where.agent(self_id), root):
        commands.tell({"path": name, "agent": self_id, "what": what}, f"{name} {what}", asked)
    if beside:
        _settings(where, beside, told, asked)
    if not asked.json:
        talk = f"{installed.program('agent')} {short(self_id)}{where.flag}"
        print(
            f"\n{plural(taken, 'file')} imported, {len(pieces) - taken} skipped; start agent {short(self_id)}: `{talk}`"
        )
    return 0


def _settings(where: Home, path: Path, told: Mapping[str, object], asked: argparse.Namespace) -> None:
    """Import the settings and keys, and print a line for each."""
    for name, what in settings_import.take(where, told, rules.check):
        commands.tell({"path": path.name, "setting": name, "what": what}, f"{path.name}: {name} {what}", asked)


def _workspace(root: Path) -> list[Brought]:
    """Return the files of the workspace. Raise Misuse if it is not a workspace."""
    if not root.is_dir():
        raise Misuse(f"{root} is not a directory; name a workspace directory, which contains SOUL.md or AGENTS.md")
    pieces = workspace.read(root)
    if not any(one.target for one in pieces):
        inner = next(
            (path for path in (root / "workspace", root / "instances/default/workspace") if path.is_dir()), None
        )
        raise Misuse(f"{root} is not a workspace: SOUL.md, AGENTS.md, USER.md and MEMORY.md are all missing"
                     + (f"; did you mean {inner}?" if inner else ""))  # fmt: skip
    return pieces


def _born(where: Home, soul: Brought | None, root: Path, room: str) -> str:
    """Create an agent with that SOUL, or the home's, and let it stop. Raise Trouble with the reason of a failure."""
    words = ["--soul", str(root / soul.path)] if soul else []
    environment, _ = variables.split(os.environ, ())
    done = subprocess.run(
        [sys.executable, str(CODE / "agent.py"), *words, "--room", room, "--until-idle", "--home", str(where.root)],
        cwd=CODE,
        env={**environment, launch.HANDED: launch.LAST},  # no model is needed yet
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    born = re.match(r"([0-9a-f]{32})\n", done.stdout)
    if done.returncode or not born:
        raise Trouble(
            done.stderr.strip().rpartition("\n")[2].removeprefix("dotagent: ")
            or "the new agent could not be created; see `dotagent doctor`"
        )
    return born[1]


def _take(folder: Path, piece: Brought, new: bool, targets: Collection[str]) -> str:
    """Write one file into the agent's directory, and return the result in words."""
    if not piece.target:
        return f"is not imported: {piece.why}"
    if piece.target == "SOUL.md" and new:
        return "was imported as the character (SOUL.md) of the agent"
    aside = _aside(folder, targets)
    told = piece.text
    if piece.target == MEMORY or piece.target.startswith(tuple(f"{one}/" for one in workspace.FOLDERS)):
        titles, yaml = "/semantic/" in piece.target, piece.target.endswith(source_marks.YAML)
        told = source_marks.mark_all(told, source_marks.IMPORT, titles=titles, yaml=yaml)
    elif piece.target in workspace.FILES and not bootstrap.is_untouched(piece.target, piece.text.encode()):
        told = f"{told.rstrip()}\n\n{source_marks.BELOW}\n"
    text, rest = workspace.split(told, aside) if piece.target == MEMORY else (told, "")
    if not _write(folder, piece.target, piece.data or text.encode(), () if not new else (piece.target,)):
        return f"is not imported, because the agent already has {piece.target}"
    if rest:
        _write(folder, aside, rest.encode(), ())
    more = f", and {len(rest):,} more characters are in {aside}" if rest else ""
    return f"was imported as {piece.target}{more}{(f'; {piece.why}' if piece.why else '')}"


def _without_deleted(where: Home, piece: Brought) -> Brought:
    """Return the file without the sentences that were permanently deleted from this home."""
    text, count = ledger.without_deleted(where.root, piece.text)
    why = "; ".join(filter(None, (piece.why, f"{plural(count, 'sentence')} {DELETED}" if count else "")))
    return replace(piece, text=text, why=why)


def _talk(where: Home, folder: Path, root: Path) -> Iterator[tuple[str, str]]:
    """Copy OpenClaw's conversations from its SQLite files into notes, and yield each file's name and the result."""
    beside = root.parent
    mine, others = talk_import.talks(beside) if root.name == "workspace" else ([], [])
    for path in mine:
        kept, messages, own = 0, 0, ""
        try:
            for part in talk_import.read(path):
                text = ledger.without_deleted(where.root, part.text)[0]
                if _write(folder, part.path, source_marks.mark_all(text, source_marks.IMPORT).encode(), ()):
                    kept, messages = kept + 1, messages + part.messages
                else:
                    own = f"; not imported: {part.path}, which the agent already has"
            what = f"has {plural(messages, 'message')}, now in {plural(kept, 'file')} below {talk_import.FOLDER}/{own}"
        except Trouble as wrong:
            what = f"is not imported: {wrong}"
        yield f"../{path.relative_to(beside)}", what
    for path in others:
        yield f"../{path.relative_to(beside)}", "is not imported: it contains conversations of another agent"
    yield from _jobs(root, beside if root.name == "workspace" else None)


def _jobs(root: Path, beside: Path | None) -> Iterator[tuple[str, str]]:
    """Yield each job of the other program, and each text for its heartbeats, so that the person can add it."""
    places = [(root, ""), *([(beside, "../")] if beside else [])]
    files = [(place / name, f"{up}{name}") for place, up in places for name in talk_import.LISTS]
    found = [(talk_import.listed, JOB, path, name) for path, name in files]
    if beside:
        path, name = beside / talk_import.JOBS, f"../{talk_import.JOBS}"
        found += [(talk_import.jobs, JOB, path, name), (talk_import.instructions, BEAT, path, name)]
    for read, words, path, name in found:
        try:
            for told in read(path) if path.is_file() else ():
                yield name, words.format(told)
        except Trouble as wrong:
            yield name, f"is not imported: {wrong}"


def _aside(folder: Path, targets: Collection[str]) -> str:
    """Return an unused name for the notes that do not fit in MEMORY.md."""
    stem, dot, ending = REST.rpartition(".")
    names = itertools.chain([REST], (f"{stem}-{number}{dot}{ending}" for number in itertools.count(2)))
    return next(name for name in names if name not in targets and not os.path.lexists(folder / name))


def _write(folder: Path, target: str, data: bytes, over: Sequence[str]) -> bool:
    """Write a file. An existing one stays, unless it is empty, the same, or one of the files in `over`. Return False if
    it stayed."""
    path = folder / target
    disk.make_dir(path.parent)
    there = disk.read(path) if os.path.lexists(path) else b""
    if there.strip() and there != data and target not in over:
        return False
    disk.replace(path, data)
    return True
