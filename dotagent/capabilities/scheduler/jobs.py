"""Jobs of the scheduler: one TOML file each in `jobs/<name>.toml`, and the scheduler's record of each in
`clock/ran/<name>.json`.

A person, a command or an agent writes a job. A finished job moves to `jobs/done/`. Owns both folders; `rounds.py` runs
the jobs.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from dotagent import errors
from dotagent.errors import Misuse
from dotagent.store import disk, setting
from dotagent.store.home import Home
from dotagent.store.setting import Rule
from dotagent.text import encoding, escape, names, schedule, suggestions, times
from dotagent.text.encoding import NotText
from dotagent.text.lazy import dataclass
from dotagent.text.reference import PREFIX
from dotagent.text.schedule import Schedule

RESERVED = ("heartbeat", "boot")  # other reasons to start an agent
WINDOW, WIDEST = "1d", 7 * 86_400.0  # how late a run can be made up: the default, and the maximum in seconds
TEXT = 4000  # characters
NEVER = datetime.min.replace(tzinfo=UTC)
_LARGE = 1 << 16  # bytes of a file
_FIELDS: Mapping[str, Rule] = {
    **dict.fromkeys(schedule.KINDS, setting.TEXT),
    "zone": (lambda value: isinstance(value, str) and times.is_zone(value), "must be a zone like Europe/Berlin"),
    "room": (lambda value: isinstance(value, str) and names.ROOM.fullmatch(value) is not None, "must be a room's name"),
    "agent": (
        lambda value: isinstance(value, str) and PREFIX.fullmatch(value) is not None,
        "must be 8 or more digits of an agent's id",
    ),
    "text": (
        lambda value: isinstance(value, str) and 0 < len(value.strip()) <= TEXT,
        f"must be a text of at most {TEXT:,} characters",
    ),
    "enabled": setting.TRUTH,
    "window": (lambda value: isinstance(value, str), "must be a time span like 1h, at most 7d"),
}


@dataclass(frozen=True)
class Job:
    """A job: its schedule, and the `text` for the agent in `room` (the one with the id `agent`, or the room's agent).

    A missed run is made up for `window` seconds. `written` is when the file last changed.
    """

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
    """The scheduler's record of a job: the time until which it was checked, and the time of the last run that
    was handed over.

    `missed` counts the lost runs since a person changed the job, and `why` is the reason for the last one.
    """

    at: str = ""
    handed: str = ""
    missed: int = 0
    why: str = ""


def path_of(home: Home, name: str) -> Path:
    """Return the file of a job. Raises Misuse for an invalid name."""
    if not names.ROOM.fullmatch(name) or name in RESERVED:
        raise Misuse(
            f"{name[:64]!r} cannot be the name of a job; use a-z, 0-9, _ and -, and not {' or '.join(RESERVED)}"
        )
    return home.jobs / f"{name}.toml"


def list_names(home: Home) -> list[str]:
    """Return the names of all jobs, sorted."""
    if not home.jobs.is_dir():
        return []
    found = (name.removesuffix(".toml") for name in os.listdir(home.jobs) if name.endswith(".toml"))
    return sorted(name for name in found if names.ROOM.fullmatch(name) and name not in RESERVED)


def read(home: Home, name: str, zone: str = "") -> Job:
    """Read the job; `zone` is the default time zone. Raises Misuse with the problem in its file."""
    path = path_of(home, name)
    try:
        told = tomllib.loads(encoding.decode(disk.read(path, _LARGE))[0])
        written = datetime.fromtimestamp(int(os.stat(path).st_mtime), UTC)
    except FileNotFoundError:
        known = list_names(home)
        there = f" The jobs are {', '.join(known)}" if known else " No jobs exist yet"
        raise Misuse(f"no job {name!r}{suggestions.hint(name, known)}{there}") from None
    except OSError as error:
        raise Misuse(errors.line(error)) from None
    except (tomllib.TOMLDecodeError, NotText, RecursionError) as error:
        raise Misuse(f"{path}: {error}; correct the file or move it away") from None
    try:
        return make_job(name, {"zone": zone or times.zone(), **told}, written)
    except ValueError as wrong:
        raise Misuse(f"{path}: {wrong}") from None


def make_job(name: str, told: Mapping[str, Any], written: datetime = NEVER) -> Job:
    """Build a job from these fields. Raises ValueError if they are invalid."""
    if wrong := setting.flaw(told, _FIELDS, "unknown"):
        raise ValueError(wrong)
    kinds = [kind for kind in schedule.KINDS if kind in told]
    if len(kinds) != 1:
        raise ValueError("write exactly one of `cron`, `at` and `every`, to say when the job runs")
    if missing := [field for field in ("room", "text") if field not in told]:
        raise ValueError(f"{missing[0]} is missing; a job needs a room and a text")
    kind, words = schedule.read(kinds[0], told[kinds[0]])
    when = Schedule(kind, words, told["zone"], None if written == NEVER else written)
    schedule.check(when)
    window = schedule.span(told.get("window", WINDOW))
    if window > WIDEST:
        raise ValueError("window must be a time span like 1h, at most 7d")
    text, agent = told["text"].strip(), told.get("agent", "")
    return Job(name, when, told["room"], text, agent, told.get("enabled", True), window, written)


def render(told: Mapping[str, str | bool]) -> bytes:
    """Return the content of a job's file."""
    lines = [f"{name} = {json.dumps(value, ensure_ascii=False) if isinstance(value, str) else str(value).lower()}\n"
             for name, value in told.items()]  # fmt: skip
    return "".join(lines).replace("\x7f", "\\u007f").encode("utf-8", "replace")


def add(home: Home, name: str, data: bytes) -> bool:
    """Create the job, durably. Return False if the name is taken."""
    path = path_of(home, name)
    disk.make_dir(home.jobs)
    return disk.create(path, data)


def switch(home: Home, name: str, on: bool) -> None:
    """Enable or disable the job, and change nothing else in its file."""
    path = path_of(home, name)
    (text, form), line = encoding.decode(disk.read(path, _LARGE)), f"enabled = {str(on).lower()}"
    changed, count = re.subn(r"(?m)^[ \t]*enabled[ \t]*=[ \t]*(?:true|false)", line, text, count=1)
    disk.replace(path, encoding.encode(changed if count else f"{line}{form.end}{text}", form))


def remove(home: Home, name: str) -> bool:
    """Remove the job and its record. Return False if there is no such job."""
    there = disk.remove(path_of(home, name))
    if there:
        disk.sync_dir(home.jobs)  # otherwise a power cut could bring it back
    disk.remove(_ledger(home, name))
    return there


def finish(home: Home, name: str, at: datetime) -> None:
    """Move a finished job to `done/`, with the time at which it was due in its name."""
    done, path = home.jobs / "done", home.jobs / f"{name}.toml"
    disk.make_dir(done)
    over = done / f"{name}@{times.compact(times.make_stamp(at))}.toml"
    try:
        os.rename(path, over)
        if os.path.samefile(path, over):  # after a power cut both names may exist, and then rename does nothing
            disk.remove(path)
    except FileNotFoundError:
        if not over.exists():
            return  # a person removed it
    disk.sync_dir(done)  # in this order, so that a power cut may leave both names but never none
    disk.sync_dir(home.jobs)
    disk.remove(_ledger(home, name))


def list_done(home: Home) -> set[str]:
    """Return the names of the finished jobs."""
    done = home.jobs / "done"
    return {name.partition("@")[0] for name in os.listdir(done) if name.endswith(".toml")} if done.is_dir() else set()


def is_done(home: Home, name: str) -> bool:
    """Return True if a job of this name is finished."""
    return name in list_done(home)


def ran(home: Home, name: str) -> Ran:
    """Return the scheduler's record of a job, or an empty one if it is missing or unreadable."""
    try:
        told = json.loads(disk.read(_ledger(home, name), _LARGE))
        found = Ran(str(told["at"]), str(told["handed"]), int(told["missed"]), str(told["why"]))
        if found.at:
            times.parse(found.at)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return Ran()
    return found


def note(home: Home, name: str, known: Ran) -> None:
    """Save the scheduler's record of a job."""
    path = _ledger(home, name)
    disk.make_dir(path.parent)
    told = {"at": known.at, "handed": known.handed, "missed": known.missed, "why": known.why}
    disk.replace(path, escape.dumps(told).encode() + b"\n")


def forgotten(home: Home) -> Iterator[str]:
    """Yield the names of records whose job no longer exists."""
    folder, there = home.clock / "ran", set(list_names(home))
    for name in sorted(os.listdir(folder)) if folder.is_dir() else ():
        if name.endswith(".json") and name[:-5] not in there and not name.startswith("."):
            yield name[:-5]


def _ledger(home: Home, name: str) -> Path:
    return home.clock / "ran" / f"{name}.json"
