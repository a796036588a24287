"""The lives: of each its LIFE, the blobs that LIFE names, its cached context, how far it heard its rooms."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dotagent import errors
from dotagent.compaction.check import reach
from dotagent.doctor import Finding, blobs, damage, entries, hooks, ok, open_to_others, persona, told, warning
from dotagent.errors import Misuse, Trouble
from dotagent.life import context, events, replay, unsynced
from dotagent.life.events import Boot
from dotagent.life.replay import View, derive
from dotagent.store import bootstrap, disk, home, lives, log, rooms, spawned
from dotagent.store import lines as ends
from dotagent.store.home import Home, Settings
from dotagent.store.requests import Rebuilder
from dotagent.store.rooms import Position
from dotagent.text import times
from dotagent.text.reference import ID, short
from dotagent.text.sizes import plural

RECENT = 1000  # events whose blobs are looked at without --deep
CACHE = "it is a cache: the next start makes it anew"
MEND = "mend the line: until then it is passed over"


@dataclass(frozen=True)
class _Life:
    """A life that is looked at: its home, its directory, how the report calls that, whether its agent runs."""

    where: Home
    folder: Path
    place: str
    runs: bool

    @property
    def log(self) -> Path:
        """Its LIFE.md."""
        return self.folder / "LIFE.md"

    @property
    def said(self) -> str:
        """How the report calls its LIFE.md."""
        return f"{self.place}/LIFE.md"

    @property
    def settings(self) -> Settings:
        """The home's settings; what is wrong with them is told elsewhere."""
        try:
            return home.settings(self.where)
        except Misuse:
            return Settings()

    def view(self) -> View:
        """What its agent would begin with now."""
        return derive(self.where, self.folder.name, self.settings.context_limit)


def strangers(where: Home) -> Iterator[Finding]:
    """Nothing lies among the agents that is none."""
    for entry in entries(where.agents):
        path, place = Path(entry.path, "LIFE.md"), f"agents/{entry.name}"
        if not ID.fullmatch(entry.name) or not entry.is_dir():
            yield warning("is no agent", place, "move it away")
        elif not os.path.lexists(path):
            yield warning("was never born: it has no LIFE.md", place, "remove it")
        elif not disk.is_file(path):
            yield damage("is no file", f"{place}/LIFE.md", "bring it back from a backup")


def life(where: Home, self_id: str, deep: bool) -> Iterator[Finding]:
    """Everything of one life is there, and is what LIFE says."""
    folder = where.agent(self_id)
    one = _Life(where, folder, f"agents/{short(self_id)}", disk.is_locked(folder / "LIFE.md"))
    yield from _log(one)
    lines = log.lines(one.log) if deep else iter(log.tail(one.log, RECENT))
    lost = {line.id for line in unsynced.lost(one.log, where.store())}
    yield from blobs.named(where.store(), lines, one.said, lost)
    if why := replay.failing(one.log):
        yield warning(why, one.said, "mend that: it is asked again by itself, and at the next message")
    yield from _birth(one)
    if deep:
        yield from told(_requests(one), one.said)
    there = [folder, *(folder / name for name in ("subs", "LIFE.md", "MEMORY.md", "context.md", *bootstrap.ALL))]
    yield from open_to_others([path for path in there if path.exists()], f"agents/{self_id}")
    try:
        view = one.view()
    except (Trouble, ValueError, KeyError, TypeError, IndexError) as wrong:
        yield damage(f"its state cannot be derived: {wrong}", one.said, "mend the lines named above")
        return
    yield from persona.files(folder, one.place, where.store(), view.state, one.settings)
    yield from hooks.ended(folder, one.place, one.settings)
    yield from _context(one, view)
    if deep and not lost:
        yield from _reach(one, view)
    for name, position in sorted(view.state.heard.rooms.items()):
        yield from _position(one, name, position)
    yield from _subscriptions(one, view.state.audience)
    yield from _made(one)


def _made(one: _Life) -> Iterator[Finding]:
    """A helper has come to rest, or works, or whoever made it will see to it."""
    terms = spawned.terms(one.where.store(), one.folder.name)
    if terms is None:
        return
    whose, how = f"helper of {short(terms.parent)}", spawned.rested(one.where, one.folder.name)[1]
    if not disk.is_file(one.where.agent(terms.parent) / "LIFE.md"):
        yield warning(f"{whose}, which is gone: nobody hears of its result", one.place, "remove it, or bring that back")
    elif how or one.runs:
        yield ok(f"{whose}, {'works' if one.runs else f'rests: {how}'}", one.place)
    elif not lives.runs(one.where, terms.parent):
        mend = f"resume {short(terms.parent)}, which goes on with it"
        yield warning(f"{whose}, has not done its task, and neither is lived", one.place, mend)


def _log(one: _Life) -> Iterator[Finding]:
    """Every line is an event, and every event is later than the one before it."""
    size, tally = one.log.stat().st_size, Counter[str]()
    yield from told(_lines(one, size, tally), one.said, lambda: plural(tally["events"], "event"))
    if not tally["events"]:
        yield warning("has no event: it was never lived", one.said, "resume it, or run clean.py")
    with disk.reading(one.log) as file:
        torn = size - ends.end_before(file.fileno(), size)
    last = lives.last(one.where, one.folder.name)
    if last and (ahead := times.ahead(last)) > 60:
        what = f"its last event is {ahead / 86_400:,.1f} days in the future: the clock went ahead once, and came back"
        yield warning(what, one.said, "nothing is lost; until then its CLOCK lines say the true time")
    if torn and not one.runs:
        yield warning(f"ends in a torn line of {torn:,} bytes", one.said, "the next start sets it aside")


def _lines(one: _Life, size: int, tally: Counter[str]) -> Iterator[Finding]:
    """What is wrong with each whole line; those that are right are counted."""
    before = ""
    with disk.reading(one.log) as file:
        for start, offset, raw in ends.whole(file, log.LONGEST + 1):
            if offset > size:
                return
            line = log.parse(raw, offset)
            if line is None:
                yield damage(f"the line at byte {start:,} is no event", one.said, MEND)
            elif line.at <= before:
                late = f"the event at byte {start:,} is not later than the one before it"
                yield damage(late, one.said, "mend its time")
            elif events.parse(line) is None:
                yield damage(f"the {line.event} at byte {start:,} cannot be read", one.said, MEND)
            elif not before and (line.event != Boot.WORD or line.id != one.folder.name):
                yield damage("does not begin with the BOOT of this life", one.said, "bring it back from a backup")
            else:
                tally["events"] += 1
            before = line.at if line else before


def _birth(one: _Life) -> Iterator[Finding]:
    try:
        replay.soul(one.where.store(), one.folder.name)
        yield ok("SOUL, in the birth blob", one.place)
    except Trouble as lost:
        do = "bring the blob back from a backup: until then SOUL.md in its directory holds, if it is there"
        yield damage(f"its SOUL: {lost}", one.place, do)


def _reach(one: _Life, view: View) -> Iterator[Finding]:
    """Every entry the life ever had is visible or covered by exactly one summary, and its original is there."""
    found = reach(one.where.store(), view)
    far = f", at most {found.steps} steps away" if found.forgotten else ""
    well = f"{found.visible:,} entries visible, {found.forgotten:,} forgotten, every original there{far}"
    wrong = [damage(problem, one.place, "see the blobs named above") for problem in found.problems]
    yield from told(wrong, one.place, lambda: well)


def _requests(one: _Life) -> Iterator[Finding]:
    """Every request that was ever made can be shown again."""
    rebuilder = Rebuilder(one.where.store())
    for line in log.lines(one.log):
        if line.event not in unsynced.REQUESTS or not line.id:
            continue
        what = f"request {short(line.id)} of {line.at[:19]}"
        try:
            rebuilder.request(line.id)
        except (Trouble, ValueError, KeyError) as lost:
            yield warning(f"{what} cannot be rebuilt: {lost}", "blobs", "that prompt cannot be shown any more")


def _context(one: _Life, view: View) -> Iterator[Finding]:
    """The cached context is what LIFE says. An agent that runs appends to it, or swaps, meanwhile: then look again."""
    path, place = one.folder / "context.md", f"{one.place}/context.md"
    for _ in range(3 if one.runs else 1):
        try:
            there = disk.read(path) if os.path.lexists(path) else None
        except OSError as error:
            yield warning(errors.line(error), place, CACHE)
            return
        newer = one.view() if one.runs else view
        data = b"".join(context.render(entry) for entry in newer.entries)
        if there == data or (one.runs and there is not None and data.startswith(there)):
            yield ok(plural(len(newer.entries), "entry", "entries"), place)
            return
    what = "is not there" if there is None else "is behind" if data.startswith(there) else "is not what LIFE says"
    yield warning(what, place, CACHE)


def _position(one: _Life, name: str, position: Position) -> Iterator[Finding]:
    """The room is still the one that the life heard."""
    place = f"chats/{name}.md"
    try:
        found = rooms.read(one.where.room(name), position)
    except Misuse as wrong:
        yield damage(f"it heard a room that cannot be: {wrong}", one.said, MEND)
    except FileNotFoundError:
        yield warning("is gone, and the life is in it", place, "remove its link, or bring the room back")
    except OSError as error:
        yield damage(errors.line(error), place, "until then it is not heard")
    else:
        if found is None:
            yield warning(f"was written anew since {one.place} heard it", place, "it goes on at the room's end")
        else:
            yield ok(f"heard up to byte {position.offset:,}", place)


def _subscriptions(one: _Life, audience: str) -> Iterator[Finding]:
    """Every link in subs/ leads to a room of this life's audience."""
    owner, subs = home.owner(one.settings), one.folder / "subs"
    for entry in entries(subs):
        if why := _unheard(one.where, entry, audience, owner):
            yield warning(f"is not heard: {why}", f"{one.place}/subs/{entry.name}", "remove it, or link it to a room")


def _unheard(where: Home, entry: os.DirEntry[str], audience: str, owner: str) -> str:
    name = entry.name.removesuffix(".md")
    try:
        room = where.room(name)
    except Misuse as wrong:
        return str(wrong)
    if not entry.is_symlink():
        return "it is no symbolic link"
    if not os.path.exists(entry.path):
        return f"it leads to {os.readlink(entry.path)}, which is not there"
    if not disk.is_file(room) or not os.path.samefile(entry.path, room):
        return f"it does not lead to chats/{name}.md"
    theirs = rooms.audience(room, owner)
    return "" if theirs == audience else f"that room is `{theirs}`, this life `{audience}`"
