"""The agents: LIFE, the blobs that LIFE names, the cached context, and how far each room was read."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

from dotagent import errors, installed
from dotagent.compaction.check import reach
from dotagent.doctor import (
    Finding,
    blobs,
    damage,
    entries,
    limit_findings,
    ok,
    open_to_others,
    persona,
    planted_instructions,
    unmarked_lines,
    warning,
)
from dotagent.errors import Misuse, Trouble
from dotagent.life import context, events, failures, log_repair, replay, unlinked
from dotagent.life.events import Boot, Swap
from dotagent.life.replay import View, derive
from dotagent.store import bootstrap, disk, helpers, home, lives, log, rooms
from dotagent.store import lines as ends
from dotagent.store.home import Home, Settings
from dotagent.store.log import Line
from dotagent.store.request_rebuilding import Rebuilder
from dotagent.store.rooms import Position
from dotagent.text import times
from dotagent.text.lazy import dataclass
from dotagent.text.reference import ID, short
from dotagent.text.sizes import plural

RECENT = 1000  # events whose blobs are checked without --deep
CACHE = "no action needed: this file is a cache, and the next start of the agent rebuilds it"
MEND = "correct the line; until then dotagent skips it"


@dataclass(frozen=True)
class _Life:
    """An agent under check: its home and directory, its name in the report, and whether it is running."""

    where: Home
    folder: Path
    place: str
    runs: bool

    @property
    def log(self) -> Path:
        """The path of its LIFE.md."""
        return self.folder / "LIFE.md"

    @property
    def said(self) -> str:
        """The name of its LIFE.md in the report."""
        return f"{self.place}/LIFE.md"

    @property
    def settings(self) -> Settings:
        """The home's settings, or the defaults if they cannot be read, which another check reports."""
        try:
            return home.settings(self.where)
        except Misuse:
            return Settings()

    def view(self) -> View:
        """Return the view that the agent would start with now."""
        return derive(self.where, self.folder.name, self.settings.context_limit)


def strangers(where: Home) -> Iterator[Finding]:
    """Warn about entries of the agents' folder that are not agents."""
    for entry in entries(where.agents):
        path, place = Path(entry.path, "LIFE.md"), f"agents/{entry.name}"
        if not ID.fullmatch(entry.name) or not entry.is_dir():
            yield warning("this is not the directory of an agent", place, "move this directory away")
        elif not os.path.lexists(path):
            yield warning("the agent has no LIFE.md", place, "remove this directory, or restore it from a backup")
        elif not disk.is_file(path):
            yield damage("LIFE.md is not a regular file", f"{place}/LIFE.md", "restore LIFE.md from a backup")


def life(where: Home, self_id: str, deep: bool) -> Iterator[Finding]:
    """Check everything of one agent, and compare it with LIFE."""
    folder = where.agent(self_id)
    one = _Life(where, folder, f"agents/{short(self_id)}", disk.is_locked(folder / "LIFE.md"))
    recent = log.tail(one.log, RECENT)
    yield from _log(one, 0 if deep else _start(one, recent))
    lines = log.lines(one.log) if deep else iter(recent)
    lost = {line.id for line in log_repair.find_lost(one.log, where.store())}
    yield from blobs.check_named(where.store(), lines, one.said, lost)
    if why := failures.describe_failure(one.log):
        yield warning(
            why, one.said, "fix this problem; the agent repeats the request by itself, or when you write to it"
        )
    yield from _birth(one)
    yield from _origin(one)
    if deep:
        yield from limit_findings(_requests(one), one.said)
    there = [folder, *(folder / name for name in ("subs", "LIFE.md", "MEMORY.md", "context.md", *bootstrap.ALL))]
    yield from open_to_others([path for path in there if path.exists()], f"agents/{self_id}")
    try:
        view = one.view()
    except (Trouble, ValueError, KeyError, TypeError, IndexError) as wrong:
        yield damage(
            f"the agent's state cannot be read from LIFE.md: {wrong}",
            one.said,
            "correct the lines that the findings above name",
        )
        return
    yield from persona.memory(folder, one.place)
    yield from persona.files(folder, one.place, where.store(), view.state, one.settings)
    yield from planted_instructions.orders(where, folder, one.place, view.state)
    if deep:
        yield from unmarked_lines.check(where, folder, one.place, view.state)
    yield from _context(one, view)
    if deep and not lost:
        yield from _reach(one, view)
    for name, position in sorted(view.state.heard.rooms.items()):
        yield from _position(one, name, position)
    yield from _subscriptions(one, view.state.audience)
    yield from _check_helpers(one)


def _check_helpers(one: _Life) -> Iterator[Finding]:
    """Check that a helper has finished or is running, or that its parent is running and will continue it."""
    terms = helpers.terms(one.where.store(), one.folder.name)
    if terms is None:
        return
    whose, how = f"helper of agent {short(terms.parent)}", helpers.rested(one.where, one.folder.name)[1]
    if not disk.is_file(one.where.agent(terms.parent) / "LIFE.md"):
        yield warning(
            f"this is a {whose}, but that agent no longer exists, so no one gets the result",
            one.place,
            "remove this directory, or restore that agent",
        )
    elif how or one.runs:
        yield ok(f"{whose}, {'is working' if one.runs else f'finished: {how}'}", one.place)
    elif not lives.runs(one.where, terms.parent):
        mend = f"start agent {short(terms.parent)}; its helper then continues the task"
        yield warning(f"this {whose} has not finished the task, and neither agent is running", one.place, mend)


def _start(one: _Life, recent: Sequence[Line]) -> int:
    """Return the byte at which the check of LIFE begins without --deep: at the recent events, or earlier at the last
    swap, where deriving the state begins."""
    if len(recent) < RECENT:
        return 0
    return min(log.begin(one.log, recent[0]), log.last_offset(one.log, Swap.WORD) or 0)


def _log(one: _Life, start: int) -> Iterator[Finding]:
    """Check that every line from this byte on is an event, and that every event is later than the one before."""
    size, tally = one.log.stat().st_size, Counter[str]()
    wrong = chain(_first(one), _lines(one, start, size, tally))
    yield from limit_findings(wrong, one.said, lambda: f"{'the last ' * bool(start)}{plural(tally['events'], 'event')}")
    if not tally["events"]:
        yield warning(
            "LIFE.md has no events, because the agent never ran",
            one.said,
            "start the agent, or remove the agent with clean.py",
        )
    with disk.reading(one.log) as file:
        torn = size - ends.end_before(file.fileno(), size)
    last = lives.last(one.where, one.folder.name)
    if last and (ahead := times.ahead(last)) > 60:
        what = f"the last event is dated {ahead / 86_400:,.1f} days ahead: this machine's clock was once wrong"
        yield warning(what, one.said, "no action needed: until that date, LIFE.md records the true time in lines CLOCK")
    if torn and not one.runs:
        yield warning(
            f"LIFE.md ends in an incomplete line of {torn:,} bytes",
            one.said,
            "no action needed: the next start of the agent sets this line aside",
        )


def _first(one: _Life) -> Iterator[Finding]:
    """Check that LIFE begins with the agent's creation."""
    with disk.reading(one.log) as file:
        raw = next((raw for *_, raw in ends.complete_lines(file, log.LONGEST + 1)), b"")
    line = log.parse(raw)
    if line and events.parse(line) and (line.event != Boot.WORD or line.id != one.folder.name):
        yield damage(
            "the first line of LIFE.md is not the BOOT event that created this agent",
            one.said,
            "restore LIFE.md from a backup",
        )


def _lines(one: _Life, start: int, size: int, tally: Counter[str]) -> Iterator[Finding]:
    """Yield the faults of each complete line, and count the valid lines."""
    before = ""
    with disk.reading(one.log) as file:
        file.seek(start)
        for start, offset, raw in ends.complete_lines(file, log.LONGEST + 1):
            if offset > size:
                return
            line = log.parse(raw, offset)
            if line is None:
                yield damage(f"the line at byte {start:,} is not a valid event", one.said, MEND)
            elif line.at <= before:
                late = f"the time of the event at byte {start:,} is not later than the time of the event before it"
                yield damage(late, one.said, "correct the time of this event")
            elif events.parse(line) is None:
                yield damage(f"the {line.event} at byte {start:,} is unreadable", one.said, MEND)
            else:
                tally["events"] += 1
            before = line.at if line else before


def _birth(one: _Life) -> Iterator[Finding]:
    try:
        replay.soul(one.where.store(), one.folder.name)
        yield ok("the agent's first character (SOUL) is stored and intact", one.place)
    except Trouble as lost:
        do = "restore the blob from a backup; until then, the agent uses SOUL.md in its directory, if that file exists"
        yield damage(f"the agent's character (SOUL) cannot be read: {lost}", one.place, do)


def _origin(one: _Life) -> Iterator[Finding]:
    """Check that the log that the agent continues exists, if it continues one."""
    try:
        there = replay.origin(one.where, one.folder.name)
    except Trouble as lost:
        yield damage(str(lost), one.said, "restore that agent from a backup")
        return
    if there:
        yield ok(f"continues agent {short(there.agent)} after {times.format_stamp(there.at)}", one.place)


def _reach(one: _Life, view: View) -> Iterator[Finding]:
    """Check that every entry of the agent's past is visible or covered by exactly one summary, and that its original
    exists."""
    found = reach(one.where.store(), view)
    far = f", through at most {found.steps} summaries" if found.forgotten else ""
    counts = f"{found.visible:,} messages and results in the context, {found.forgotten:,} replaced by summaries"
    well = f"{counts}; every original can be read again{far}"
    wrong = [
        damage(problem, one.place, "restore the blobs (stored texts) that the findings above name")
        for problem in found.problems
    ]
    yield from limit_findings(wrong, one.place, lambda: well)


def _requests(one: _Life) -> Iterator[Finding]:
    """Check that every request that was ever made can be shown again."""
    rebuilder = Rebuilder(one.where.store())
    for line in log.lines(one.log):
        if line.event not in log_repair.REQUESTS or not line.id:
            continue
        what = f"request {short(line.id)} of {times.format_stamp(line.at, 19)}"
        try:
            rebuilder.request(line.id)
        except (Trouble, ValueError, KeyError) as lost:
            yield warning(
                f"{what} cannot be rebuilt: {lost}",
                "blobs",
                "restore this blob (stored text) from a backup to see that prompt again",
            )


def _context(one: _Life, view: View) -> Iterator[Finding]:
    """Check that the cached context agrees with LIFE. A running agent may write it meanwhile, so look again."""
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
    what = "is missing" if there is None else "is out of date" if data.startswith(there) else "differs from LIFE.md"
    yield warning(f"the file {what}", place, CACHE)


def _position(one: _Life, name: str, position: Position) -> Iterator[Finding]:
    """Check that the room is still the same that the agent read."""
    place = f"chats/{name}.md"
    try:
        found = rooms.read(one.where.room(name), position)
    except Misuse as wrong:
        yield damage(f"LIFE.md names a room that is not valid: {wrong}", one.said, MEND)
    except FileNotFoundError:
        yield warning(
            "the room is missing, but the agent has joined it",
            place,
            f"restore the room's file, or remove the link {one.place}/subs/{name}.md",
        )
    except OSError as error:
        yield damage(errors.line(error), place, "fix this; until then, the agent does not read the room")
    else:
        if found is None:
            yield warning(
                f"the room was rewritten after {one.place} read it",
                place,
                "no action needed: the agent compares the room with its log, and reads the new messages",
            )
        else:
            yield ok(f"the agent has read the room up to byte {position.offset:,}", place)


def _subscriptions(one: _Life, audience: str) -> Iterator[Finding]:
    """Check that every link in subs/ leads to a room of this agent's audience."""
    owner, subs = home.owner(one.settings), one.folder / "subs"
    if left := unlinked.rooms(one.where, one.folder.name):
        yield warning(
            f"the agent reads no room, because its links to {', '.join(left)} are missing; perhaps a program copied "
            "its directory without the links",
            f"{one.place}/subs",
            f"run `{installed.program('doctor')} --fix`",
        )
    for entry in entries(subs):
        if why := _unheard(one.where, entry, audience, owner):
            yield warning(
                f"the agent does not read this room: {why}",
                f"{one.place}/subs/{entry.name}",
                "remove this file, or replace it by a symbolic link to a room's file in chats/",
            )


def _unheard(where: Home, entry: os.DirEntry[str], audience: str, owner: str) -> str:
    name = entry.name.removesuffix(".md")
    try:
        room = where.room(name)
    except Misuse as wrong:
        return str(wrong)
    if not entry.is_symlink():
        return "the file is not a symbolic link"
    if not os.path.exists(entry.path):
        return f"the link leads to {os.readlink(entry.path)}, which does not exist"
    if not disk.is_file(room) or not os.path.samefile(entry.path, room):
        return f"the symbolic link does not lead to chats/{name}.md"
    theirs = rooms.audience(room, owner)
    return (
        ""
        if theirs == audience
        else f"the room's audience (who can read it) is `{theirs}`, but the agent's audience is `{audience}`"
    )
