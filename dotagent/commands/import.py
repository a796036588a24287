"""Take an agent over from Moltbot (OpenClaw) or DotAgent: a workspace's files become those of a new agent here.

DIR is the workspace, where SOUL.md and AGENTS.md are (~/.openclaw/workspace, ~/.dotagent/workspace). Nothing there is
changed. Notes over 4,000 characters are split: MEMORY.md keeps whole sections, memory/MEMORY-rest.md has the rest. With
--agent the files go to an agent that is here; what it has already stays. docs/coming-from.md tells what is where.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from dotagent import commands, installed
from dotagent.errors import Misuse, Trouble
from dotagent.installed import CODE
from dotagent.store import credentials, disk, home, launch, lives, workspace
from dotagent.store.home import Home
from dotagent.store.workspace import MEMORY, REST, Brought
from dotagent.text.reference import short
from dotagent.text.sizes import plural


def arguments(parser: argparse.ArgumentParser) -> None:
    """From where, and to whom."""
    parser.add_argument("dir", metavar="DIR", help="the workspace")
    parser.add_argument("--room", default="dev", metavar="ROOM", help="where the new agent talks (default: dev)")
    parser.add_argument("--agent", metavar="HASH", help="an agent that is here, in place of a new one")
    commands.json_flag(parser)


def run(asked: argparse.Namespace) -> int:
    """Take what can be taken, and say what was."""
    where, root = home.find(asked.home), Path(os.path.expanduser(asked.dir)).absolute()
    pieces = _workspace(root)
    home.prepare(where)
    home.settings(where)
    soul = next((one for one in pieces if one.target == "SOUL.md"), None)
    self_id = lives.meant(where, asked.agent) if asked.agent else _born(where, soul, root, asked.room)
    born = "" if asked.agent else self_id
    taken = 0
    for piece in pieces:
        told = _take(where.agent(self_id), piece, bool(born))
        taken += int(told.startswith("is "))
        commands.tell({"path": piece.path, "agent": self_id, "what": told}, f"{piece.path} {told}", asked)
    if not asked.json:
        talk = f"{installed.typed('agent')} {short(self_id)}{where.flag}"
        print(f"\n{plural(taken, 'file')} taken, {len(pieces) - taken} left; agent {short(self_id)} wakes by `{talk}`")
    return 0


def _workspace(root: Path) -> list[Brought]:
    """What is there. Raises Misuse for what is no workspace."""
    if not root.is_dir():
        raise Misuse(f"{root} is no directory: name a workspace, where SOUL.md or AGENTS.md is")
    pieces = workspace.read(root)
    if not any(one.target for one in pieces):
        inner = next(
            (path for path in (root / "workspace", root / "instances/default/workspace") if path.is_dir()), None
        )
        raise Misuse(f"{root} is no workspace: it has none of SOUL.md, AGENTS.md, USER.md, MEMORY.md"
                     + (f"; do you mean {inner}?" if inner else ""))  # fmt: skip
    return pieces


def _born(where: Home, soul: Brought | None, root: Path, room: str) -> str:
    """Let a new agent be born with that SOUL, or the home's, and go to sleep. Raises Trouble with why it was not."""
    words = ["--soul", str(root / soul.path)] if soul else []
    environment, _ = credentials.split(os.environ, ())
    done = subprocess.run(
        [sys.executable, str(CODE / "agent.py"), *words, "--room", room, "--until-idle", "--home", str(where.root)],
        cwd=CODE,
        env={**environment, launch.HANDED: launch.LAST},  # nobody is asked anything yet
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    born = re.match(r"([0-9a-f]{32})\n", done.stdout)
    if done.returncode or not born:
        raise Trouble(done.stderr.strip().rpartition("\n")[2].removeprefix("dotagent: ") or "no agent was born")
    return born[1]


def _take(folder: Path, piece: Brought, new: bool) -> str:
    """Write the piece into the agent's directory; what became of it, in words."""
    if not piece.target:
        return f"left: {piece.why}"
    if piece.target == "SOUL.md" and new:
        return "is its SOUL"
    text, rest = workspace.split(piece.text) if piece.target == MEMORY else (piece.text, "")
    if not _write(folder, piece.target, text, () if not new else (piece.target,)):
        return f"left: the agent has its own {piece.target}"
    if rest and not _write(folder, REST, rest, ()):
        return f"is {piece.target}; but {REST} is there already: {len(rest):,} characters are left"
    return f"is {piece.target}" + (f", and {len(rest):,} characters of it {REST}" if rest else "")


def _write(folder: Path, target: str, text: str, over: Sequence[str]) -> bool:
    """Write a file; one that is there stays, unless it is empty, the same, or one that a newborn was given."""
    path = folder / target
    disk.make_dir(path.parent)
    there = disk.read(path) if os.path.lexists(path) else b""
    if there.strip() and there != text.encode() and target not in over:
        return False
    disk.replace(path, text.encode())
    return True
