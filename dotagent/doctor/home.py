"""The home itself: its directories, prompts, settings and secrets, and free space on its disk."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from dotagent import errors, extensions, sandbox
from dotagent.doctor import Finding, damage, ok, open_to_others, warning
from dotagent.doctor.persona import NOT_TEXT
from dotagent.errors import Misuse
from dotagent.life import origins, policy
from dotagent.life.context import EXAMPLE
from dotagent.sandbox import view
from dotagent.store import credentials, disk, home, roots
from dotagent.store.home import PROMPTS, SETTINGS, Home
from dotagent.text import encoding
from dotagent.text.encoding import NotText
from dotagent.text.sizes import amount

LITTLE = 100_000_000  # free bytes; with fewer there is a warning
FEW = 10_000  # files
TOLD = {policy.ASK: "asks you first", policy.ALLOW: "does not ask you", policy.REFUSE: "refused"}  # by verdict


def directories(where: Home) -> Iterator[Finding]:
    """Check that the home's directories exist, and that only the owner can read them."""
    parts = (where.blobs, where.chats, where.calls, where.agents)
    for path in parts:
        if path.is_symlink() and path.is_dir():
            yield warning(
                f"the directory is a link to {os.path.realpath(path)}",
                path.name,
                "no action needed, but clean.py does not follow this link",
            )
        elif not path.is_dir():
            yield damage(
                "the directory is missing, or something else has its name",
                path.name,
                "move away anything that has this name, then start an agent",
            )
    there = [path for path in (*parts, where.bridges) if path.is_dir()]
    yield from open_to_others(there, " ".join(path.name for path in there))
    if set(parts) <= set(there):
        yield ok("the directories exist", str(where.root))


def prompts(where: Home) -> Iterator[Finding]:
    """Check that the prompts' templates exist and are not empty."""
    for name in PROMPTS:
        try:
            said = bool(encoding.decode(disk.read(where.prompt(name)))[0].strip())
        except FileNotFoundError:
            yield warning("is missing", name, "no action needed: the next start of an agent creates the file again")
        except NotText as odd:
            yield warning(f"the file {odd}", name, NOT_TEXT)
        except OSError as error:
            yield damage(errors.line(error), name, "fix this; until then, new agents do not get this file")
        else:
            yield (
                ok("dotagent can read this prompt", name)
                if said or name == EXAMPLE
                else warning(
                    "is empty", name, "write a text into the file, or remove the file to get the default again"
                )
            )


def settings(where: Home) -> Iterator[Finding]:
    """Check that the settings can be read."""
    try:
        found = home.settings(where)
        if found.bridges:
            from dotagent.bridges.pattern import rules  # loads much that a home without bridges does not need

            rules.check(found)
        there = (where.root / SETTINGS).exists()
        yield ok("the settings are valid" if there else "there are no settings, so all defaults apply", SETTINGS)
        for line in found.idle:
            yield warning(line, SETTINGS, "correct or remove this setting, or install the capability")
    except Misuse as wrong:
        yield damage(str(wrong), SETTINGS, "correct this; until then, nothing starts")


def secrets(where: Home) -> Iterator[Finding]:
    """Check that `.env`, if there is one, can be read, and only by its owner."""
    try:
        if os.path.lexists(where.root / ".env"):
            credentials.env_file(where)
            yield ok("only you can read the secrets", ".env")
    except Misuse as wrong:
        yield damage(str(wrong), ".env", "correct this; until then, nothing starts")


def commands(where: Home) -> Iterator[Finding]:
    """Check that commands of agents run in a sandbox, unless the owner turned it off, and that the sandbox can show
    every root of the settings. Report the policy too."""
    try:
        asked = home.settings(where)
    except Misuse:
        return  # already reported
    if sandbox.kind(asked) or asked.sandbox == "off":
        yield ok(sandbox.status(asked), "commands")
    else:
        yield warning(sandbox.status(asked), "commands", sandbox.MEND)
    yield ok(policy_status(asked.policy), "policy")
    for root in view.find_left_out(where, asked):
        yield warning(
            "the folder contains dotagent's data directory or is inside it, so sandboxed commands cannot see it",
            root,
            "choose a folder outside dotagent's data directory",
        )
    for root in roots.astray(where, asked):
        yield warning(
            "a link inside another folder of `roots` leads to this folder, so no agent may use it",
            root,
            "if you made the link, write the link's target into `roots` instead",
        )


def policy_status(table: Mapping[str, object]) -> str:
    """Return a line about the policy in effect."""
    kinds = sorted({extensions.declared(name, "EFFECT", policy.OTHER) for name in extensions.tools().forms} - {""})
    cells = {one: {policy.find_verdict(table, one, origin, True) for origin in origins.ORIGINS} for one in kinds}
    told = {one: TOLD[cells[one].pop()] if len(cells[one]) == 1 else "depends on the text's author" for one in kinds}
    rows = [f"{how}: {', '.join(one for one in kinds if told[one] == how)}" for how in dict.fromkeys(told.values())]
    return f"actions of an agent that has read text from others: {'; '.join(rows)}"


def writable(where: Home) -> Iterator[Finding]:
    """Check that files can be written in the home."""
    parts = [path for path in (where.root, where.blobs, where.chats, where.calls, where.agents) if path.is_dir()]
    for path in parts:
        if not os.access(path, os.W_OK):
            yield damage(
                "dotagent's data directory cannot be written to, so no agent can run",
                str(path),
                "correct the directory's owner or permissions, or mount its disk as writable",
            )
            return
    yield ok("dotagent's data directory can be written to", str(where.root))


def space(where: Home, little: int = LITTLE, few: int = FEW) -> Iterator[Finding]:
    """Check that the disk has free space."""
    found = os.statvfs(where.root)
    free = found.f_bavail * found.f_frsize
    if free < little:
        yield warning(
            f"only {amount(free)} are free on the disk", str(where.root), "free some space before the disk is full"
        )
    elif found.f_files and found.f_favail < few:
        yield warning(
            f"the disk has room for only {found.f_favail:,} more files",
            str(where.root),
            "remove some files from this disk",
        )
    else:
        yield ok(f"{amount(free)} free", str(where.root))
