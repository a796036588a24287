"""The home itself: its directories, its prompts, its settings and secrets, the room left on its disk."""

from __future__ import annotations

import os
from collections.abc import Iterator

from dotagent import errors, sandbox
from dotagent.bridges.pattern import rules
from dotagent.doctor import Finding, damage, ok, open_to_others, warning
from dotagent.errors import Misuse
from dotagent.life import policy
from dotagent.life.context import EXAMPLE
from dotagent.sandbox import view
from dotagent.store import credentials, disk, home
from dotagent.store.home import PROMPTS, SETTINGS, Home
from dotagent.text.sizes import amount

LITTLE = 100_000_000  # bytes free below which there is a warning
FEW = 10_000  # files


def directories(where: Home) -> Iterator[Finding]:
    """The home's directories are there, and only its owner reads them."""
    parts = (where.blobs, where.chats, where.calls, where.agents)
    for path in parts:
        if path.is_symlink() and path.is_dir():
            yield warning(f"is a link to {os.path.realpath(path)}", path.name, "clean.py will not follow it")
        elif not path.is_dir():
            yield damage("is not there, or no directory", path.name, "move what stands there away and start an agent")
    there = [path for path in (*parts, where.bridges) if path.is_dir()]
    yield from open_to_others(there, " ".join(path.name for path in there))
    if set(parts) <= set(there):
        yield ok("home", str(where.root))


def prompts(where: Home) -> Iterator[Finding]:
    """The prompts' templates are there, and say something."""
    for name in PROMPTS:
        try:
            said = bool(disk.read(where.prompt(name)).strip())
        except FileNotFoundError:
            yield warning("is not there", name, "the next start makes it anew from the code's")
        except OSError as error:
            yield damage(errors.line(error), name, "until then no new agent has it")
        else:
            yield (
                ok("prompt", name)
                if said or name == EXAMPLE
                else warning("is empty", name, "write it, or remove it: it is made anew")
            )


def settings(where: Home) -> Iterator[Finding]:
    """The settings can be read."""
    try:
        rules.check(home.settings(where))
        yield ok("settings", SETTINGS if (where.root / SETTINGS).exists() else "none, all defaults")
    except Misuse as wrong:
        yield damage(str(wrong), SETTINGS, "nothing starts before")


def secrets(where: Home) -> Iterator[Finding]:
    """The secrets, if there are any, can be read, and by their owner only."""
    try:
        if os.path.lexists(where.root / ".env"):
            credentials.env_file(where)
            yield ok("secrets, 0600", ".env")
    except Misuse as wrong:
        yield warning(str(wrong), ".env", "no provider starts before")


def commands(where: Home) -> Iterator[Finding]:
    """Commands of agents run in a sandbox, or a person wants none, and it can show every root of settings; and what is
    asked first, of all that agents do."""
    try:
        asked = home.settings(where)
    except Misuse:
        return  # told already
    if sandbox.kind(asked) or asked.sandbox == "off":
        yield ok(sandbox.status(asked), "commands")
    else:
        yield warning(sandbox.status(asked), "commands", sandbox.MEND)
    yield ok(policy.told(asked.policy), "policy")
    for root in view.left_out(where, asked):
        yield warning("holds the home, or is in it, so no sandboxed command sees it", root, "name a folder beside it")


def space(where: Home, little: int = LITTLE, few: int = FEW) -> Iterator[Finding]:
    """There is room on the disk."""
    found = os.statvfs(where.root)
    free = found.f_bavail * found.f_frsize
    if free < little:
        yield warning(f"only {amount(free)} are free on the disk", str(where.root), "make room before it is full")
    elif found.f_files and found.f_favail < few:
        yield warning(f"the disk takes only {found.f_favail:,} more files", str(where.root), "remove some")
    else:
        yield ok(f"{amount(free)} free", str(where.root))
