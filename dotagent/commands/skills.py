"""List, install, check and trust skills.

A skill is a folder with instructions for one kind of task. `skills install PATH` or `skills install
owner/repository[@ref] [NAME …]` copies skills into the home. Review a skill with `skills show NAME`, and then run
`skills trust NAME`. Until you trust a skill, your agents do not see its description, and treat its text as a
stranger's. Your trust is for one version only. With `--for` you name the kinds of agents that may use the skill besides
your private agents. docs/skills.md explains skills.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from dotagent import commands, errors
from dotagent.answers import agreed
from dotagent.errors import Misuse
from dotagent.processes.background import MARK
from dotagent.skills import folder, form, install, listing, record
from dotagent.skills.folder import Folder
from dotagent.skills.listing import CHANGED, Shelf
from dotagent.skills.record import KINDS, USUAL, Trusted
from dotagent.store import agent_search, home
from dotagent.store.home import Home
from dotagent.text import escape, times
from dotagent.text.reference import short
from dotagent.text.sizes import amount, plural

GROUP = "setup"

LEAST = 8  # digits of an id that name a version

USES = {
    "NAME what": "show install remove validate trust distrust",
    "NAME names": "install",
    "--agent": "show trust distrust",
    "--for kinds": "trust",
    "--id": "trust",
    "--all": "install",
}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the action and the skill."""
    parser.add_argument("do", nargs="?", choices=tuple(DO), default="list", help="what to do (default: list)")
    told = "the skill's name; for `install`: its source; for `validate`: its folder"
    parser.add_argument("what", nargs="?", default="", metavar="NAME", help=told)
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="for `install`: the skills to install, if the source has several"
    )
    parser.add_argument(
        "--agent", metavar="AGENT", help="a skill in this agent's own directory (default: skills of all agents)"
    )
    told = f"for `trust`: the kinds of agents that may use it: {', '.join(KINDS)} (default: {USUAL[0]})"
    parser.add_argument("--for", dest="kinds", metavar="KINDS", help=told)
    parser.add_argument(
        "--id", metavar="ID", help="for `trust`: the id of the version that you reviewed, or its first 8 digits"
    )
    parser.add_argument("--all", action="store_true", help="for `install`: every skill of the source")
    commands.json_flag(parser)


def run(asked: argparse.Namespace) -> int:
    """Run the action, and return the exit status."""
    alone = asked.do == "validate" and os.path.isdir(os.path.expanduser(asked.what or ""))  # needs no home
    where = home.find(asked.home) if alone else commands.home_of(asked)
    commands.refuse_unused(asked, asked.do, USES)
    asked.kinds = asked.kinds or ",".join(USUAL)
    if asked.do == "install" and not asked.what:
        raise Misuse("say which skill to install: write a folder, or owner/repository on GitHub")
    if asked.do != "list" and not asked.what:
        raise Misuse(f"the skill's name is missing: `skills {asked.do} NAME`; `skills list` shows the names")
    if asked.do in ("install", "remove", "trust", "distrust") and os.environ.get(MARK):
        raise Misuse("refused: only the owner can decide about skills, not a command that the agent runs")
    return DO[asked.do](where, asked)


def rows(where: Home) -> Iterator[commands.Row]:
    """Yield a row per skill: first the home's, then each agent's."""
    known = record.read(where)
    for place in (listing.home(where), *(listing.places(where, one)[0] for one in home.lives(where))):
        for name in listing.names(place):
            one = known.trust(place.agent, name)
            whose = short(place.agent) if place.agent else "installed" if name in known.pins else "home"
            kinds = ", ".join(one.kinds) if one else ""
            try:
                state = listing.state_of(one, there := folder.read_folder(place.path, name))
                id, why = there.id, next(iter(form.read(there).lacks), "")
                state = "refused" if why else state
            except (Misuse, OSError) as wrong:
                state, id, why = "refused", "", escape.one_line(str(wrong), 200)
            told = {"name": name, "place": whose, "agent": place.agent, "state": state, "version": id, "for": kinds}
            said = why or (escape.one_line(one.description, 200) if one else "")
            yield {**told, "about": said}, (name, whose, state, kinds, said)
        for name in listing.misnamed(place):
            name, why = escape.one_line(name, 64), f"rename this folder: {form.NAMES}"
            whose = short(place.agent) if place.agent else "home"
            told = {"name": name, "place": whose, "agent": place.agent, "state": "refused", "version": "", "for": ""}
            yield {**told, "about": why}, (name, whose, "refused", "", why)


def _list(where: Home, asked: argparse.Namespace) -> int:
    commands.print_list(asked, "skill place state for about", rows(where), "no skills yet", wrap=True)
    return 0


def _show(where: Home, asked: argparse.Namespace) -> int:
    place, there = _find_skill(where, asked)
    one = record.read(where).trust(place.agent, there.name)
    print("\n".join(_words(where, place, there, one)))
    return 0


def _words(where: Home, place: Shelf, there: Folder, one: Trusted | None) -> Iterator[str]:
    """Yield everything about a skill that a person must see before trusting it."""
    said, pin = form.read(there), record.read(where).pins.get(there.name) if not place.agent else None
    state = listing.state_of(one, there)
    yield f"{there.name}, version {short(there.id)}, {state}{' for ' + ', '.join(one.kinds) if one else ''}"
    yield f"in {place.path / there.name}"
    if pin:
        commit, day = f", commit {pin.commit[:12]}" if pin.commit else "", times.format_stamp(pin.at, 10)
        changed = "" if pin.id == there.id else "; changed since it was installed"
        yield escape.row(f"from {pin.source}{commit}, {day}{changed}")
    yield from (f"flaw: {escape.row(flaw)}" for flaw in said.flaws)
    marks = one.marks if one and state == CHANGED else there.marks
    for name, data in there.files.items():
        new = "" if marks.get(name) == there.marks[name] else ", changed" if name in marks else ", new"
        yield escape.row(f"  {name}, {amount(len(data))}{', a program' if name in there.programs else ''}{new}")
    yield from (escape.row(f"  {name}, gone") for name in marks if name not in there.files)
    yield ""
    yield escape.indent(escape.printable(there.main.decode("utf-8", "replace").strip()))


def _install(where: Home, asked: argparse.Namespace) -> int:
    found = install.find_offer(asked.what)
    nameless = found.nameless if asked.all else ()
    for odd in nameless:
        errors.tell(f"{escape.one_line(odd, 64)} is not installed: rename this folder; {form.NAMES}")
    wanted = list(found.skills) if asked.all or len(found.skills) == 1 else asked.names
    if not wanted:
        raise Misuse(
            f"the source has {plural(len(found.skills), 'skill')}: {', '.join(found.skills)}; name some, or use --all"
        )
    for name in asked.names if found.skills.keys() >= set(asked.names) else [""]:
        if not name:
            raise Misuse(f"there is no such skill; the source has {', '.join(found.skills)}")
    chosen = {name: found.skills[name] for name in wanted}
    forms = {name: form.read(one) for name, one in chosen.items()}
    useless = {name: said.lacks[0] for name, said in forms.items() if said.lacks}
    for name, why in useless.items():
        if not asked.all:
            raise Misuse(f"{name}: {why}; nothing was installed")
        errors.tell(f"{name} is not installed: {why}")
    for one in (one for name, one in chosen.items() if name not in useless):
        new = install.install(where, one, found.source, found.commit)
        words = f"{one.name}, version {short(one.id)}, {'is installed' if new else 'was already installed'}"
        more = f"; `skills show {one.name}`, then `skills trust {one.name}`" if new else ""
        commands.tell({"name": one.name, "version": one.id, "commit": found.commit, "new": new}, words + more, asked)
    return int(bool(useless or nameless))


def _remove(where: Home, asked: argparse.Namespace) -> int:
    install.remove(where, asked.what)
    commands.tell({"name": asked.what, "removed": True}, f"skill {asked.what} is removed", asked)
    return 0


def _validate(where: Home, asked: argparse.Namespace) -> int:
    path = Path(os.path.expanduser(asked.what)).resolve()
    if path.is_dir():
        try:
            flaws: tuple[str, ...] = form.read(folder.read_folder(path.parent, path.name)).flaws
        except Misuse as wrong:
            flaws = (str(wrong),)
    else:
        flaws = form.read(_find_skill(where, asked)[1]).flaws
    for flaw in flaws:
        commands.tell({"name": path.name, "flaw": flaw}, f"{escape.one_line(path.name)}: {flaw}", asked)
    if not flaws:
        commands.tell({"name": path.name, "flaw": ""}, f"{escape.one_line(path.name)} is a valid skill", asked)
    return int(bool(flaws))


def _trust(where: Home, asked: argparse.Namespace) -> int:
    place, there = _find_skill(where, asked)
    kinds = tuple(kind for kind in KINDS if kind in asked.kinds.split(","))
    if set(asked.kinds.split(",")) - set(KINDS):
        raise Misuse(
            f"--for {escape.one_line(asked.kinds)}: there is no such kind of agent; the kinds are {', '.join(KINDS)}"
        )
    said = form.read(there)
    if said.lacks:
        raise Misuse(f"{there.name} cannot be used as a skill: {said.lacks[0]}")
    if not asked.id:
        print("\n".join(_words(where, place, there, record.read(where).trust(place.agent, there.name))))
        trusting = f"`skills trust {there.name} --id {short(there.id)}`"
        alone = f"there is no terminal on which to ask you; to trust this version: {trusting}"
        if not agreed(
            f"\nTrust this version of {there.name}? These kinds of agents may then use it: {', '.join(kinds)}",
            alone,
            sys.stdout.isatty(),
        ):
            return 1
    elif len(asked.id) < LEAST or not there.id.startswith(asked.id.lower()):
        raise Misuse(f"{there.name} is now version {short(there.id)}; review it with `skills show {there.name}`")
    one = Trusted(there.name, there.id, said.description, kinds, place.agent, times.now(), there.marks)
    record.change(where, record.trusting(one, place.agent, there.name))
    words = f"you trust {there.name}, version {short(there.id)}; these kinds of agents may use it: {', '.join(kinds)}"
    commands.tell({"name": there.name, "version": there.id, "for": list(kinds)}, words, asked)
    return 0


def _distrust(where: Home, asked: argparse.Namespace) -> int:
    agent = agent_search.find_agent(where, asked.agent, False) if asked.agent else ""
    if not record.read(where).trust(agent, asked.what):
        raise Misuse(
            f"you trust no version of {escape.one_line(asked.what, 64)}; `skills list` shows the trusted versions"
        )
    record.change(where, record.trusting(None, agent, asked.what))
    commands.tell({"name": asked.what, "trusted": False}, f"you no longer trust any version of {asked.what}", asked)
    return 0


def _find_skill(where: Home, asked: argparse.Namespace) -> tuple[Shelf, Folder]:
    """Return the skill that the command names, from the home or an agent's directory. Raise Misuse."""
    place = (
        listing.places(where, agent_search.find_agent(where, asked.agent, False))[0]
        if asked.agent
        else listing.home(where)
    )
    if asked.what not in listing.names(place):
        raise Misuse(f"there is no skill {escape.one_line(asked.what, 64)}; `skills list` shows the skills")
    return place, folder.read_folder(place.path, asked.what)


DO: Mapping[str, Callable[[Home, argparse.Namespace], int]] = {
    "list": _list,
    "show": _show,
    "install": _install,
    "remove": _remove,
    "validate": _validate,
    "trust": _trust,
    "distrust": _distrust,
}
