"""Your own tools, providers, bridges and commands: list them, and trust or refuse a version.

A plug-in is a file in the home, `tools/NAME.py` (or providers/, bridges/, commands/), or a module that an installed
package declares. It runs as dotagent itself does, so none runs that you did not trust; a changed file is asked about
again. See docs/plugins.md.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from dataclasses import asdict, replace

from dotagent import commands
from dotagent.arguments import agreed
from dotagent.errors import Misuse
from dotagent.store import plugins
from dotagent.store.home import Home
from dotagent.store.plugins import GONE, WRONG, Plugin
from dotagent.store.supervised import MARK
from dotagent.text import escape, near
from dotagent.text.reference import short

LEAST = 8  # digits of an id that name a version


def arguments(parser: argparse.ArgumentParser) -> None:
    """What to do with which."""
    parser.add_argument("do", nargs="?", choices=("list", "trust", "refuse", "forget"), default="list")
    parser.add_argument("name", nargs="?", default="", metavar="KIND/NAME", help="which one, e.g. tools/shout")
    parser.add_argument("--id", metavar="ID", help="trust: the version you looked at, by 8 digits or more")
    commands.json_flag(parser)


def run(asked: argparse.Namespace) -> int:
    """List them, or decide about one."""
    where = commands.home_of(asked)
    if asked.do == "list":
        commands.listed(asked, "plug-in state from version file", rows(where), "there is no plug-in", wrap=True)
        return 0
    if os.environ.get(MARK):
        raise Misuse("an agent decides nothing of what runs as dotagent itself: its person does")
    one = _meant(where, asked.name)
    if asked.do == "trust" and not _looked_at(one, asked.id):
        return 1
    plugins.decide(where.root, one, {"trust": True, "refuse": False}.get(asked.do))
    become = {"trust": "is trusted", "refuse": "is refused", "forget": "is as if it were new"}[asked.do]
    told = {**asdict(replace(one, state="", why="")), "decided": asked.do}
    commands.tell(told, f"{one.called}, version {short(one.id)}, {become}; what runs takes it up when it starts", asked)
    return 0


def rows(where: Home) -> Iterator[commands.Row]:
    """A row each. Raises Trouble for a record that cannot be read."""
    for one in plugins.every(where.root):
        state = f"{one.state}: {one.why}" if one.why else one.state
        yield asdict(one), (one.called, state, escape.row(one.origin), short(one.id), escape.row(one.path))


def _meant(where: Home, name: str) -> Plugin:
    """The one of that name. Raises Misuse."""
    known = {one.called: one for one in plugins.every(where.root)}
    found = known.get(name) or next((one for one in known.values() if one.name == name), None)
    if not found:
        raise Misuse(f"which plug-in? there is no {escape.one_line(name, 64)!r}{near.among(name, known)}")
    return found


def _looked_at(one: Plugin, id: str | None) -> bool:
    """Whether the person trusts what it is: by its id, or after they were shown it. Raises Misuse."""
    if one.state in (WRONG, GONE):
        raise Misuse(f"{one.called} {one.state}: {one.why or 'its file is not there'}")
    if id:
        if len(id) < LEAST or not one.id.startswith(id.lower()):
            raise Misuse(f"{one.called} is version {short(one.id)} now: look at {one.path}")
        return True
    print(escape.row(f"{one.path}, from {one.origin}, version {short(one.id)}"))
    print(escape.indent(escape.printable(plugins.text(one).decode("utf-8", "replace").rstrip())))
    alone = f"nobody can be asked here: `plugins trust {one.called} --id {short(one.id)}` trusts what is shown"
    return agreed("\nIt would run as dotagent does, with all that you may. Trust it?", alone, sys.stdout.isatty())
