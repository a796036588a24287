"""List your own plug-ins, and trust or refuse them.

A plug-in is a file `tools/NAME.py` in the home (or in providers/, bridges/ or commands/), or a module of an installed
package. A plug-in has all of dotagent's permissions. So dotagent runs a plug-in only after you have trusted it. If the
file of a plug-in changes, dotagent asks you again. docs/plugins.md explains how to write a plug-in.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator

from dotagent import commands
from dotagent.answers import agreed
from dotagent.errors import Misuse
from dotagent.processes.background import MARK
from dotagent.store import plugins
from dotagent.store.home import Home
from dotagent.store.plugins import GONE, WRONG, Plugin
from dotagent.text import escape, suggestions
from dotagent.text.lazy import asdict, replace
from dotagent.text.reference import short

GROUP = "setup"

LEAST = 8  # digits of an id that name a version


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the action and the plug-in."""
    actions = ("list", "trust", "refuse", "forget")
    parser.add_argument("do", nargs="?", choices=actions, default="list", help="what to do (default: list)")
    parser.add_argument("name", nargs="?", default="", metavar="KIND/NAME", help="the plug-in, e.g. tools/shout")
    parser.add_argument("--id", metavar="ID", help="for `trust`: 8 or more digits of the version that you reviewed")
    commands.json_flag(parser)


def run(asked: argparse.Namespace) -> int:
    """List the plug-ins, or decide about one."""
    where = commands.home_of(asked)
    commands.refuse_unused(asked, asked.do, {"KIND/NAME name": "trust refuse forget", "--id": "trust"})
    if asked.do == "list":
        commands.print_list(asked, "plug-in state from version file", rows(where), "no plug-ins", wrap=True)
        return 0
    if os.environ.get(MARK):
        raise Misuse("refused: only the owner can decide which plug-ins run, not a command that the agent runs")
    one = _find_plugin(where, asked.name)
    if asked.do == "trust" and not _looked_at(one, asked.id):
        return 1
    plugins.decide(where.root, one, {"trust": True, "refuse": False}.get(asked.do))
    become = {
        "trust": "is trusted",
        "refuse": "is refused",
        "forget": "counts as new again, so it does not run until you trust it",
    }[asked.do]
    told = {**asdict(replace(one, state="", why="")), "decided": asked.do}
    commands.tell(
        told, f"{one.called}, version {short(one.id)}, {become}; running processes notice this when they restart", asked
    )
    return 0


def rows(where: Home) -> Iterator[commands.Row]:
    """Yield a row for each plug-in. Raise Trouble if the record cannot be read."""
    for one in plugins.every(where.root):
        state = f"{one.state}: {one.why}" if one.why else one.state
        yield asdict(one), (one.called, state, escape.row(one.origin), short(one.id), escape.row(one.path))


def _find_plugin(where: Home, name: str) -> Plugin:
    """Return the plug-in of that name. Raise Misuse."""
    known = {one.called: one for one in plugins.every(where.root)}
    found = known.get(name) or next((one for one in known.values() if one.name == name), None)
    if not found:
        raise Misuse(f"no plug-in {escape.one_line(name, 64)!r}{suggestions.suggest_all(name, known)}")
    return found


def _looked_at(one: Plugin, id: str | None) -> bool:
    """Return True if the person trusts this version: by its id, or after seeing it. Raise Misuse."""
    if one.state in (WRONG, GONE):
        raise Misuse(f"{one.called} {one.state}: {one.why or 'the plug-in file is missing'}")
    if id:
        if len(id) < LEAST or not one.id.startswith(id.lower()):
            raise Misuse(f"{one.called} is now version {short(one.id)}; review {one.path} again")
        return True
    print(escape.row(f"{one.path}, from {one.origin}, version {short(one.id)}"))
    print(escape.indent(escape.printable(plugins.text(one).decode("utf-8", "replace").rstrip())))
    trusting = f"`plugins trust {one.called} --id {short(one.id)}`"
    alone = f"there is no terminal on which to ask you; to trust this version: {trusting}"
    return agreed(
        "\nThis plug-in runs inside dotagent with all of your permissions. Trust it?", alone, sys.stdout.isatty()
    )
