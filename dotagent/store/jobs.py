"""Jobs of the clock: one TOML file each, `jobs/<name>.toml`, which a person, a command or an agent writes, and what the
clock knows of each: `clock/ran/<name>.json`, up to when it was looked after.

A job that is over stands in `jobs/done/`. Owns both folders; who looks after jobs is dotagent/clock/.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from dotagent import errors
from dotagent.errors import Misuse
from dotagent.store import disk
from dotagent.store.home import Home
from dotagent.text import escape, names, near, schedule, times
from dotagent.text.near import Rule
from dotagent.text.reference import PREFIX
from dotagent.text.schedule import Schedule

RESERVED = ("heartbeat", "boot")  # what else wakes an agent
WINDOW, WIDEST = "1d", 7 * 86_400.0  # how late a run is made up for; seconds: how late at most
TEXT = 4000  # characters
NEVER = datetime.min.replace(tzinfo=UTC)
_LARGE = 1 << 16  # bytes of a file
_FIELDS: Mapping[str, Rule] = {
    **dict.fromkeys(schedule.KINDS, near.TEXT),
    "zone": (lambda value: isinstance(value, str) and schedule.is_zone(value), "must be a zone like Europe/Berlin"),
    "room": (lambda value: isinstance(value, str) and names.ROOM.fullmatch(value) is not None, "must be a room's name"),
    "agent": (
        lambda value: isinstance(value, str) and PREFIX.fullmatch(value) is not None,
        "must be 8 or more digits of an agent's id",
    ),
    "text": (
        lambda value: isinstance(value, str) and 0 < len(value.strip()) <= TEXT,
        f"must be a text of at most {TEXT:,} characters",
    ),
    "enabled": near.TRUTH,
    "window": (lambda value: isinstance(value, str), "must be a time span like 1h, at most 7d"),
}


@dataclass(frozen=True)
class Job:
    """One job: when it is due, in which `room` its `text` wakes an agent (of the id `agent`, else who is there), for
    how many seconds (`window`) a missed run is made up; `written` is when its file last changed."""

    name: str
    schedule: Schedule
    room: str
    text: str
    agent: str = ""
    enabled: bool = True
    window: float = 86_400.0
    written: datetime = NEVER


@dataclass(frozen=True)
class Ran:
    """What the clock knows of a job: up to when it was looked after, when it was due last and that was handed over,
    how many runs were missed and not made up since a person changed the job, and why the last one was."""

    at: str = ""
    handed: str = ""
    missed: int = 0
    why: str = ""


def path_of(home: Home, name: str) -> Path:
    """The file of a job. Raises Misuse for what cannot be a job's name."""
    if not names.ROOM.fullmatch(name) or name in RESERVED:
        raise Misuse(f"{name[:64]!r} cannot be a job: a name is a-z, 0-9, _ and -, and not {' or '.join(RESERVED)}")
    return home.jobs / f"{name}.toml"


def listed(home: Home) -> list[str]:
    """The names of all jobs, sorted."""
    if not home.jobs.is_dir():
        return []
    found = (name.removesuffix(".toml") for name in os.listdir(home.jobs) if name.endswith(".toml"))
    return sorted(name for name in found if names.ROOM.fullmatch(name) and name not in RESERVED)


def read(home: Home, name: str, zone: str = "") -> Job:
    """The job; `zone` is meant where it names none. Raises Misuse that says what is wrong with its file."""
    path = path_of(home, name)
    try:
        told = tomllib.loads(disk.read(path, _LARGE).decode())
        written = datetime.fromtimestamp(int(os.stat(path).st_mtime), UTC)
    except FileNotFoundError:
        known = listed(home)
        there = f" There are {', '.join(known)}" if known else " There is none yet"
        raise Misuse(f"no job {name!r}{near.hint(name, known)}{there}") from None
    except OSError as error:
        raise Misuse(errors.line(error)) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Misuse(f"{path}: {error}: mend it or move it away") from None
    try:
        return made(name, {"zone": zone or schedule.here(), **told}, written)
    except ValueError as wrong:
        raise Misuse(f"{path}: {wrong}") from None


def made(name: str, told: Mapping[str, Any], written: datetime = NEVER) -> Job:
    """The job of these fields. Raises ValueError for one that can not be."""
    if wrong := near.flaw(told, _FIELDS, "unknown"):
        raise ValueError(wrong)
    kinds = [kind for kind in schedule.KINDS if kind in told]
    if len(kinds) != 1:
        raise ValueError("one of cron, at and every says when it is due")
    if missing := [field for field in ("room", "text") if field not in told]:
        raise ValueError(f"{missing[0]} is missing: in which room, and what it is about")
    when = Schedule(kinds[0], told[kinds[0]], told["zone"])
    schedule.check(when)
    window = schedule.span(told.get("window", WINDOW))
    if window > WIDEST:
        raise ValueError("window must be a time span like 1h, at most 7d")
    text, agent = told["text"].strip(), told.get("agent", "")
    return Job(name, when, told["room"], text, agent, told.get("enabled", True), window, written)


def render(told: Mapping[str, str | bool]) -> bytes:
    """A job's file."""
    lines = [f"{name} = {json.dumps(value, ensure_ascii=False) if isinstance(value, str) else str(value).lower()}\n"
             for name, value in told.items()]  # fmt: skip
    return "".join(lines).replace("\x7f", "\\u007f").encode("utf-8", "replace")


def add(home: Home, name: str, data: bytes) -> bool:
    """Make the job, durably; False when one of this name is there."""
    path = path_of(home, name)
    disk.make_dir(home.jobs)
    return disk.create(path, data, home.jobs)


def switch(home: Home, name: str, on: bool) -> None:
    """Let the job be due, or let it rest; nothing else in its file changes."""
    path = path_of(home, name)
    text, line = disk.read(path, _LARGE).decode("utf-8", "replace"), f"enabled = {str(on).lower()}"
    changed, count = re.subn(r"(?m)^[ \t]*enabled[ \t]*=[ \t]*(?:true|false)", line, text, count=1)
    disk.replace(path, (changed if count else f"{line}\n{text}").encode())


def remove(home: Home, name: str) -> bool:
    """Remove the job, and what is known of it; False when it is not there."""
    there = disk.remove(path_of(home, name))
    if there:
        disk.sync_dir(home.jobs)  # or a power cut brings it back
    disk.remove(_ledger(home, name))
    return there


def finish(home: Home, name: str, at: datetime) -> None:
    """Move a job that is over to those that are done, under the time at which it was due."""
    done, path = home.jobs / "done", home.jobs / f"{name}.toml"
    disk.make_dir(done)
    over = done / f"{name}@{times.compact(times.of(at))}.toml"
    try:
        os.rename(path, over)
        if os.path.samefile(path, over):  # a power cut left both names of one file, and then a rename does nothing
            disk.remove(path)
    except FileNotFoundError:
        if not over.exists():
            return  # a person took it away
    disk.sync_dir(done)  # first: a power cut may leave both names, and never none
    disk.sync_dir(home.jobs)
    disk.remove(_ledger(home, name))


def is_done(home: Home, name: str) -> bool:
    """Whether a job of this name is over."""
    return any((home.jobs / "done").glob(f"{name}@*.toml"))


def ran(home: Home, name: str) -> Ran:
    """What is known of a job; nothing where that was never written, or cannot be read."""
    try:
        told = json.loads(disk.read(_ledger(home, name), _LARGE))
        found = Ran(str(told["at"]), str(told["handed"]), int(told["missed"]), str(told["why"]))
        if found.at:
            times.parse(found.at)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return Ran()
    return found


def note(home: Home, name: str, known: Ran) -> None:
    """Keep what is known of a job."""
    path = _ledger(home, name)
    disk.make_dir(path.parent)
    told = {"at": known.at, "handed": known.handed, "missed": known.missed, "why": known.why}
    disk.replace(path, escape.dumps(told).encode() + b"\n")


def forgotten(home: Home) -> Iterator[str]:
    """Names of which something is known, and whose jobs are gone."""
    folder, there = home.clock / "ran", set(listed(home))
    for name in sorted(os.listdir(folder)) if folder.is_dir() else ():
        if name.endswith(".json") and name[:-5] not in there and not name.startswith("."):
            yield name[:-5]


def _ledger(home: Home, name: str) -> Path:
    return home.clock / "ran" / f"{name}.json"
