"""One life: its log, the blobs that it names, its cached context, how far it heard its rooms, its subscriptions."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from dotagent.compaction.check import reach
from dotagent.doctor import Finding, damage, few, ok, open_to_others, store, warning
from dotagent.errors import Misuse, Trouble
from dotagent.life import context, events, session
from dotagent.life.replay import View, derive
from dotagent.store import disk, home, log, rooms
from dotagent.store import lines as ends
from dotagent.store.blobs import BlobCorrupt
from dotagent.store.home import Home, Settings
from dotagent.store.requests import Rebuilder
from dotagent.store.rooms import Position
from dotagent.text.reference import short
from dotagent.text.sizes import plural

RECENT = 1000  # events whose blobs are looked at without --deep
REQUESTS = ("ASK", "SEGMENT", "SUMMARISE")  # events that name a request
MEND = "mend the line: until then it is passed over"


def look(where: Home, self_id: str, deep: bool) -> Iterator[Finding]:
    """What is to be said of one life."""
    folder, place = where.agent(self_id), f"agents/{short(self_id)}"
    path = folder / "LIFE.md"
    runs = disk.is_locked(path)
    yield from _log(path, place, runs)
    lines = log.lines(path) if deep else iter(log.tail(path, RECENT))
    yield from store.named(where.store(), lines, f"{place}/LIFE.md")
    yield from _birth(where, self_id, place)
    if deep:
        yield from few(_requests(where, path), f"{place}/LIFE.md")
    there = [folder, *(folder / name for name in ("subs", "LIFE.md", "MEMORY.md", "context.md"))]
    yield from open_to_others([one for one in there if one.exists()], f"agents/{self_id}")
    view = _derived(where, folder, place)
    if isinstance(view, Finding):
        yield view
        return
    yield from _context(where, folder, place, view, runs)
    if deep:
        yield from _reach(where, place, view)
    for name, position in sorted(view.state.heard.rooms.items()):
        yield from _position(where, name, position, place)
    yield from _subscriptions(where, folder, place, view.state.audience)


def _log(path: Path, place: str, runs: bool) -> Iterator[Finding]:
    """The log itself: every line an event, every event later than the one before."""
    size, events, wrong = path.stat().st_size, 0, 0
    found = []
    for finding in _lines(path, size, f"{place}/LIFE.md"):
        if finding is None:
            events += 1
            continue
        wrong += 1
        if wrong <= 100:
            found.append(finding)
    yield from few(found, f"{place}/LIFE.md")
    if not events:
        yield warning("has no event: it was never lived", f"{place}/LIFE.md", "resume it, or run clean.py")
    torn = _torn(path, size)
    if torn and not runs:
        yield warning(f"ends in a torn line of {torn:,} bytes", f"{place}/LIFE.md", "the next start sets it aside")
    if not wrong:
        yield ok(plural(events, "event"), f"{place}/LIFE.md")


def _lines(path: Path, size: int, place: str) -> Iterator[Finding | None]:
    """For each whole line what is wrong with it, or None."""
    offset, before = 0, ""
    with open(path, "rb") as file:
        for raw in file:
            start, offset = offset, offset + len(raw)
            if offset > size or not raw.endswith(b"\n"):
                return
            line = log.parse(raw[:-1], offset)
            if line is None:
                yield damage(f"the line at byte {start:,} is no event", place, MEND)
            elif line.at <= before:
                yield damage(f"the event at byte {start:,} is not later than the one before it", place, "mend its time")
            elif events.parse(line) is None:
                yield damage(f"the {line.event} at byte {start:,} cannot be read", place, MEND)
            elif not before and (line.event != "BOOT" or line.id != path.parent.name):
                yield damage("does not begin with the BOOT of this life", place, "bring it back from a backup")
            else:
                yield None
            before = line.at if line else before


def _torn(path: Path, size: int) -> int:
    """How many bytes follow the last LF."""
    with open(path, "rb") as file:
        return size - ends.end_before(file.fileno(), size)


def _birth(where: Home, self_id: str, place: str) -> Iterator[Finding]:
    try:
        session.soul(where.store(), self_id)
        yield ok("SOUL, in the birth blob", place)
    except Trouble as lost:
        yield damage(
            f"its SOUL: {lost}", place, "bring the blob back from a backup: without it the life cannot be asked"
        )


def _reach(where: Home, place: str, view: View) -> Iterator[Finding]:
    """Whether every entry the life ever had is visible or covered by exactly one summary, and its original there."""
    found = reach(where.store(), view)
    yield from few([damage(problem, place, "see the blobs named above") for problem in found.problems], place)
    if not found.problems:
        far = f", at most {found.steps} steps away" if found.forgotten else ""
        yield ok(f"{found.visible:,} entries visible, {found.forgotten:,} forgotten, every original there{far}", place)


def _requests(where: Home, path: Path) -> Iterator[Finding]:
    """Every request that was ever made, rebuilt."""
    rebuilder = Rebuilder(where.store())
    for line in log.lines(path):
        if line.event not in REQUESTS or not line.id:
            continue
        what = f"request {short(line.id)} of {line.at[:19]}"
        try:
            rebuilder.request(line.id)
        except BlobCorrupt as wrong:
            yield damage(f"{what} cannot be rebuilt: {wrong}", "blobs", store.WRONG)
        except (Trouble, ValueError, KeyError) as lost:
            yield warning(f"{what} cannot be rebuilt: {lost}", "blobs", "that prompt cannot be shown any more")


def _derived(where: Home, folder: Path, place: str) -> View | Finding:
    try:
        return derive(where, folder.name, _settings(where).context_limit)
    except (Trouble, ValueError, KeyError, TypeError, IndexError) as wrong:
        return damage(f"its state cannot be derived: {wrong}", f"{place}/LIFE.md", "mend the lines named above")


def _settings(where: Home) -> Settings:
    try:
        return home.settings(where)
    except Misuse:
        return Settings()  # what is wrong with them is told elsewhere


def _context(where: Home, folder: Path, place: str, view: View, runs: bool) -> Iterator[Finding]:
    """The cache beside what it is made from. One that lives appends to it meanwhile, or swaps: then we look again."""
    path = folder / "context.md"
    for _ in range(3):
        there = path.read_bytes() if path.exists() else None
        newer = derive(where, folder.name, _settings(where).context_limit) if runs else view
        data = b"".join(context.render(entry) for entry in newer.entries)
        if there == data or (runs and there is not None and data.startswith(there)):
            yield ok(plural(len(newer.entries), "entry", "entries"), f"{place}/context.md")
            return
        if not runs:
            break
    what = "is not there" if there is None else "is behind" if data.startswith(there) else "is not what LIFE says"
    yield warning(what, f"{place}/context.md", "it is a cache: the next start makes it anew")


def _position(where: Home, name: str, position: Position, place: str) -> Iterator[Finding]:
    try:
        path = where.room(name)
        found = rooms.read(path, position)
    except Misuse as wrong:
        yield damage(f"it heard a room that cannot be: {wrong}", f"{place}/LIFE.md", MEND)
        return
    except FileNotFoundError:
        yield warning("is gone, and the life is in it", f"chats/{name}.md", "remove its link, or bring the room back")
        return
    if found is None:
        yield warning(f"was written anew since {place} heard it", f"chats/{name}.md", "it goes on at the room's end")
    else:
        yield ok(f"heard up to byte {position.offset:,}", f"chats/{name}.md")


def _subscriptions(where: Home, folder: Path, place: str, audience: str) -> Iterator[Finding]:
    owner = home.owner(_settings(where))
    for entry in (
        sorted(os.scandir(folder / "subs"), key=lambda entry: entry.name) if (folder / "subs").is_dir() else ()
    ):
        why = _unheard(where, entry, audience, owner)
        if why:
            yield warning(f"is not heard: {why}", f"{place}/subs/{entry.name}", "remove it, or link it to a room")


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
    if not room.is_file() or not os.path.samefile(entry.path, room):
        return f"it does not lead to chats/{name}.md"
    theirs = rooms.audience(room, owner)
    return "" if theirs == audience else f"that room is `{theirs}`, this life `{audience}`"
