"""The skills: each can be read, is as it was when it was installed, and as its person trusted it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from dotagent import errors
from dotagent.doctor import Finding, damage, ok, told, warning
from dotagent.errors import Misuse, Trouble
from dotagent.skills import folder, record, shown
from dotagent.skills.record import Record
from dotagent.skills.shown import Shelf
from dotagent.store import home, leftover
from dotagent.store.home import Home
from dotagent.text.reference import short
from dotagent.text.sizes import plural


def skills(where: Home) -> Iterator[Finding]:
    """Those of the home and of each agent; none of it is lost, but a record that cannot be read."""
    try:
        known = record.read(where)
    except Trouble as wrong:
        yield damage(str(wrong), f"skills/{record.FILE}", "until then no skill is trusted")
        return
    yield from half(where, where.skills)
    count = 0
    for place in (shown.home(where), *(shown.places(where, one)[0] for one in home.lives(where))):
        there = shown.names(place)
        whose = f"agents/{short(place.agent)}/skills" if place.agent else "skills"
        yield from told((found for name in there for found in _of(place, name, known, whose)), whose)
        count += len(there)
    for name in sorted(known.pins.keys() - set(shown.names(shown.home(where)))):
        yield warning("is installed, and not there", f"skills/{name}", f"`skills remove {name}`, or install it anew")
    if count:
        trusted = f"{len(known.trusted)} trusted in some version"
        yield ok(f"{plural(count, 'skill')}, {trusted}", "skills")


def half(where: Home, folder: Path) -> Iterator[Finding]:
    """What an interrupted installation left in this folder of the home."""
    for path in leftover.there(folder):
        do = "the next start of an agent removes it, or `doctor --fix`"
        yield warning("an installation that was interrupted left it", str(path.relative_to(where.root)), do)


def _of(place: Shelf, name: str, known: Record, whose: str) -> Iterator[Finding]:
    """What is to be known of one; `whose` is its place in words."""
    where, more = f"{whose}/{name}", f" --agent {short(place.agent)}" if place.agent else ""
    try:
        there = folder.look(place.path, name)
    except Misuse as wrong:
        yield warning(str(wrong), where, "no agent reads it: mend it, or move it away")
        return
    except OSError as error:
        yield warning(errors.line(error), where, "no agent reads it")
        return
    pin = None if place.agent else known.pins.get(name)
    if pin and pin.id != there.id:
        yield warning("was changed since it was installed", where, f"`skills install {pin.source}` brings it back")
    if shown.state_of(known.trust(place.agent, name), there) == shown.CHANGED:
        do = f"look at it and trust it anew, `skills trust {name}{more}`"
        yield warning("was changed since you trusted it: it is a stranger's until you do again", where, do)
