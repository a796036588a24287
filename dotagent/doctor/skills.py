"""The skills: each can be read, and is unchanged since it was installed and trusted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from dotagent import errors
from dotagent.doctor import Finding, damage, limit_findings, ok, warning
from dotagent.errors import Misuse, Trouble
from dotagent.skills import folder, listing, record
from dotagent.skills.listing import Shelf
from dotagent.skills.record import Record
from dotagent.store import home, partial_installs
from dotagent.store.home import Home
from dotagent.text.reference import short
from dotagent.text.sizes import plural


def skills(where: Home) -> Iterator[Finding]:
    """Check the skills of the home and of each agent. Only an unreadable record is damage."""
    try:
        known = record.read(where)
    except Trouble as wrong:
        yield damage(str(wrong), f"skills/{record.FILE}", "fix this; until then, no skill is trusted")
        return
    yield from half(where, where.skills)
    count = 0
    for place in (listing.home(where), *(listing.places(where, one)[0] for one in home.lives(where))):
        there = listing.names(place)
        whose = f"agents/{short(place.agent)}/skills" if place.agent else "skills"
        yield from limit_findings((found for name in there for found in _check_skill(place, name, known, whose)), whose)
        count += len(there)
    for name in sorted(known.pins.keys() - set(listing.names(listing.home(where)))):
        yield warning(
            "the skill is installed, but its folder is missing",
            f"skills/{name}",
            f"install the skill again, or run `skills remove {name}`",
        )
    if count:
        trusted = f"{len(known.trusted)} trusted"
        yield ok(f"{plural(count, 'skill')}, {trusted}", "skills")


def half(where: Home, folder: Path) -> Iterator[Finding]:
    """Warn about leftovers of an interrupted installation in this folder of the home."""
    for path in partial_installs.find_remains(folder):
        do = "remove this folder with `doctor --fix`, or start an agent, which removes it"
        yield warning("the folder is left over from an interrupted installation", str(path.relative_to(where.root)), do)


def _check_skill(place: Shelf, name: str, known: Record, whose: str) -> Iterator[Finding]:
    """Check one skill. `whose` is its folder in the report."""
    where, more = f"{whose}/{name}", f" --agent {short(place.agent)}" if place.agent else ""
    try:
        there = folder.read_folder(place.path, name)
    except Misuse as wrong:
        yield warning(str(wrong), where, "fix the skill or move it away; until then, no agent reads it")
        return
    except OSError as error:
        yield warning(errors.line(error), where, "fix this; until then, no agent reads the skill")
        return
    pin = None if place.agent else known.pins.get(name)
    if pin and pin.id != there.id:
        yield warning(
            "the skill was changed after it was installed",
            where,
            f"to restore the skill, run `skills install {pin.source}`",
        )
    if listing.state_of(known.trust(place.agent, name), there) == listing.CHANGED:
        do = f"review the skill and run `skills trust {name}{more}`"
        yield warning("the skill was changed after you trusted it, so it is not trusted now", where, do)
