"""Skills: list, show, install, remove and validate them, and say which of them you trust.

`skills install PATH`, or `owner/repository[@ref]` and perhaps NAMEs of several there; then `skills show NAME`, and
`skills trust NAME`: only then is an agent told what it is for, and its words count as nobody else's. Trust is of one
version; `--for` says whose lives see it beside those that hear you alone. See docs/skills.md.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from dotagent import commands, errors
from dotagent.arguments import agreed
from dotagent.errors import Misuse
from dotagent.skills import bring, folder, form, record, shown
from dotagent.skills.folder import Folder
from dotagent.skills.record import KINDS, USUAL, Trusted
from dotagent.skills.shown import CHANGED, Shelf
from dotagent.store import home, lives
from dotagent.store.home import Home
from dotagent.store.supervised import MARK
from dotagent.text import escape, times
from dotagent.text.reference import short
from dotagent.text.sizes import amount, plural

LEAST = 8  # digits of an id that name a version


def arguments(parser: argparse.ArgumentParser) -> None:
    """What to do with which skill."""
    parser.add_argument("do", nargs="?", choices=tuple(DO), default="list", help="what to do (default: list)")
    parser.add_argument("what", nargs="?", default="", metavar="NAME", help="a skill; of install its source; a folder")
    parser.add_argument("names", nargs="*", metavar="NAME", help="install: which of several there")
    parser.add_argument("--agent", metavar="AGENT", help="one in this agent's own directory (default: the home's)")
    parser.add_argument("--for", dest="kinds", metavar="WHOM", default=",".join(USUAL),
                        help=f"trust: which lives see it, of {', '.join(KINDS)} (default: {USUAL[0]})")  # fmt: skip
    parser.add_argument("--id", metavar="ID", help="trust: the version you looked at, by 8 digits or more")
    parser.add_argument("--all", action="store_true", help="install: all that are there")
    commands.json_flag(parser)


def run(asked: argparse.Namespace) -> int:
    """Do it."""
    where = commands.home_of(asked)
    if asked.do != "list" and not asked.what:
        raise Misuse(f"which skill? `skills {asked.do} NAME`; `skills list` shows them")
    if asked.do in ("install", "remove", "trust", "distrust") and os.environ.get(MARK):
        raise Misuse("an agent decides nothing of what it is trusted with: its person does")
    return DO[asked.do](where, asked)


def rows(where: Home) -> Iterator[commands.Row]:
    """A row a skill: those of the home, then those of each agent."""
    known = record.read(where)
    for place in (shown.home(where), *(shown.places(where, one)[0] for one in home.lives(where))):
        for name in shown.names(place):
            one = known.trust(place.agent, name)
            whose = short(place.agent) if place.agent else "installed" if name in known.pins else "home"
            kinds = ", ".join(one.kinds) if one else ""
            try:
                state = shown.state_of(one, there := folder.look(place.path, name))
                id, why = there.id, ""
            except (Misuse, OSError) as wrong:
                state, id, why = "refused", "", escape.one_line(str(wrong), 200)
            told = {"name": name, "place": whose, "agent": place.agent, "state": state, "version": id, "for": kinds}
            said = why or (escape.one_line(one.description, 200) if one else "")
            yield {**told, "about": said}, (name, whose, state, kinds, said)


def _list(where: Home, asked: argparse.Namespace) -> int:
    commands.listed(asked, "skill place state for about", rows(where), "there is no skill yet", wrap=True)
    return 0


def _show(where: Home, asked: argparse.Namespace) -> int:
    place, there = _meant(where, asked)
    one = record.read(where).trust(place.agent, there.name)
    print("\n".join(_words(where, place, there, one)))
    return 0


def _words(where: Home, place: Shelf, there: Folder, one: Trusted | None) -> Iterator[str]:
    """All of a skill that a person must see before they trust it."""
    said, pin = form.read(there), record.read(where).pins.get(there.name) if not place.agent else None
    state = shown.state_of(one, there)
    yield f"{there.name}, version {short(there.id)}, {state}{' for ' + ', '.join(one.kinds) if one else ''}"
    yield f"in {place.path / there.name}"
    if pin:
        yield escape.row(f"from {pin.source}{', commit ' + pin.commit[:12] if pin.commit else ''}, {pin.at[:10]}"
                         + ("" if pin.id == there.id else "; changed since it was installed"))  # fmt: skip
    yield from (f"flaw: {escape.row(flaw)}" for flaw in said.flaws)
    marks = one.marks if one and state == CHANGED else there.marks
    for name, data in there.files.items():
        new = "" if marks.get(name) == there.marks[name] else ", changed" if name in marks else ", new"
        yield escape.row(f"  {name}, {amount(len(data))}{', a program' if name in there.programs else ''}{new}")
    yield from (escape.row(f"  {name}, gone") for name in marks if name not in there.files)
    yield ""
    yield escape.indent(escape.printable(there.main.decode("utf-8", "replace").strip()))


def _install(where: Home, asked: argparse.Namespace) -> int:
    found = bring.look(asked.what)
    wanted = list(found.skills) if asked.all or len(found.skills) == 1 else asked.names
    if not wanted:
        raise Misuse(f"there are {plural(len(found.skills), 'skill')}: {', '.join(found.skills)}: name some, or --all")
    for name in asked.names if found.skills.keys() >= set(asked.names) else [""]:
        if not name:
            raise Misuse(f"there is no such skill: there are {', '.join(found.skills)}")
    chosen = {name: found.skills[name] for name in wanted}
    flawed = {name: flaws[0] for name, one in chosen.items() if (flaws := form.read(one).flaws)}
    for name, flaw in flawed.items():
        if not asked.all:
            raise Misuse(f"{name}: {flaw}; nothing was installed")
        errors.tell(f"{name} is not installed: {flaw}")
    for one in (one for name, one in chosen.items() if name not in flawed):
        new = bring.install(where, one, found.source, found.commit)
        words = f"{one.name}, version {short(one.id)}, {'is installed' if new else 'was there already'}"
        more = f"; `skills show {one.name}`, then `skills trust {one.name}`" if new else ""
        commands.tell({"name": one.name, "version": one.id, "commit": found.commit, "new": new}, words + more, asked)
    return int(bool(flawed))


def _remove(where: Home, asked: argparse.Namespace) -> int:
    bring.remove(where, asked.what)
    commands.tell({"name": asked.what, "removed": True}, f"{asked.what} is removed", asked)
    return 0


def _validate(where: Home, asked: argparse.Namespace) -> int:
    path = Path(os.path.expanduser(asked.what)).resolve()
    if path.is_dir():
        try:
            flaws: tuple[str, ...] = form.read(folder.look(path.parent, path.name)).flaws
        except Misuse as wrong:
            flaws = (str(wrong),)
    else:
        flaws = form.read(_meant(where, asked)[1]).flaws
    for flaw in flaws:
        commands.tell({"name": path.name, "flaw": flaw}, f"{escape.one_line(path.name)}: {flaw}", asked)
    if not flaws:
        commands.tell({"name": path.name, "flaw": ""}, f"{escape.one_line(path.name)} is a skill", asked)
    return int(bool(flaws))


def _trust(where: Home, asked: argparse.Namespace) -> int:
    place, there = _meant(where, asked)
    kinds = tuple(kind for kind in KINDS if kind in asked.kinds.split(","))
    if set(asked.kinds.split(",")) - set(KINDS):
        raise Misuse(f"--for {escape.one_line(asked.kinds)}: there are {', '.join(KINDS)}")
    said = form.read(there)
    if said.flaws:
        raise Misuse(f"{there.name} is no skill: {said.flaws[0]}")
    if not asked.id:
        print("\n".join(_words(where, place, there, record.read(where).trust(place.agent, there.name))))
        alone = f"nobody can be asked here: `skills trust {there.name} --id {short(there.id)}` trusts what is shown"
        if not agreed(f"\nTrust this version, for {', '.join(kinds)}?", alone, sys.stdout.isatty()):
            return 1
    elif len(asked.id) < LEAST or not there.id.startswith(asked.id.lower()):
        raise Misuse(f"{there.name} is version {short(there.id)} now: look at it, `skills show {there.name}`")
    one = Trusted(there.name, there.id, said.description, kinds, place.agent, times.now(), there.marks)
    record.change(where, record.trusting(one, place.agent, there.name))
    words = f"{there.name}, version {short(there.id)}, is trusted for {', '.join(kinds)}"
    commands.tell({"name": there.name, "version": there.id, "for": list(kinds)}, words, asked)
    return 0


def _distrust(where: Home, asked: argparse.Namespace) -> int:
    agent = lives.meant(where, asked.agent, False) if asked.agent else ""
    if not record.read(where).trust(agent, asked.what):
        raise Misuse(f"no version of {escape.one_line(asked.what, 64)} is trusted: `skills list` shows them")
    record.change(where, record.trusting(None, agent, asked.what))
    commands.tell({"name": asked.what, "trusted": False}, f"no version of {asked.what} is trusted any more", asked)
    return 0


def _meant(where: Home, asked: argparse.Namespace) -> tuple[Shelf, Folder]:
    """The skill of the command, in the home or in an agent's directory. Raises Misuse."""
    place = shown.places(where, lives.meant(where, asked.agent, False))[0] if asked.agent else shown.home(where)
    if asked.what not in shown.names(place):
        raise Misuse(f"there is no skill {escape.one_line(asked.what, 64)}: `skills list` shows them")
    return place, folder.look(place.path, asked.what)


DO: Mapping[str, Callable[[Home, argparse.Namespace], int]] = {
    "list": _list,
    "show": _show,
    "install": _install,
    "remove": _remove,
    "validate": _validate,
    "trust": _trust,
    "distrust": _distrust,
}
