"""Heartbeats: an agent that runs looks after its HEARTBEAT.md, at fixed times in active hours, when there is a reason.

The reason is something that was said to it since, a changed list or file that a person gave it, or an item of the list
whose own time has come. Without one no model is called. Owns `clock/heartbeats/<self>.json`, what the last one knew.
"""

from __future__ import annotations

import hashlib
import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from dotagent.life.events import Hear, Join
from dotagent.life.woken import HEARTBEAT
from dotagent.store import disk, due, lives, log
from dotagent.store.due import Due
from dotagent.store.home import Home, Settings
from dotagent.text import checklist, escape, schedule, times

FILE = "HEARTBEAT.md"
EVERY, HOURS = "30m", "0-24"
AHEAD = timedelta(days=1)  # by which what is known may be ahead: else the clock was, and came back
SLACK = 60.0  # seconds after its time in which a heartbeat still happens; later it is left out
BACK = 2000  # events of LIFE that are searched for the last thing that was heard


def following(settings: Settings, now: datetime) -> datetime | None:
    """When the next heartbeat could be; None where they are off."""
    every = _every(settings)
    return datetime.fromtimestamp((now.timestamp() // every + 1) * every, UTC) if every else None


def beat(where: Home, self_id: str, settings: Settings, now: datetime) -> bool:
    """Hand a heartbeat over to the agent, if it is time for one and it has a reason; whether it was."""
    every = _every(settings)
    at = datetime.fromtimestamp(now.timestamp() // every * every, UTC) if every else now
    here, path = at.astimezone(ZoneInfo(settings.place)), where.agent(self_id) / FILE
    if not every or (now - at).total_seconds() > SLACK or not _is_active(settings, here) or not disk.is_file(path):
        return False
    text = disk.read(path, checklist.MOST).decode("utf-8", "replace")
    awake = lives.runs(where, self_id) or lives.kept(where)  # `up` starts a life that has something to do
    if not checklist.says_something(text) or not awake or due.waits(where, self_id, HEARTBEAT):
        return False
    known, seen = _known(where, self_id), _seen(where, self_id, text)
    if times.of(at) <= known.get("at", "") < times.of(at + AHEAD):
        return False  # it was handed over already; a machine's clock that came back tells the same time twice
    items = _due(text, known, here)
    changed = seen != known.get("seen") and not checklist.is_timed_only(text)
    room = _room(where, self_id, settings)
    if not room or not (changed or items):
        return False
    stamp, words = times.of(at), f"{here:%a %Y-%m-%d %H:%M} {settings.place}"
    due.hand(where, self_id, Due(HEARTBEAT, stamp, room, "", words, text.strip()))
    then = {one.key: stamp if one.key in items else known.get(one.key, "") for one in checklist.items(text)}
    disk.make_dir(where.clock / "heartbeats")
    disk.replace(_ledger(where, self_id), escape.dumps({**then, "at": stamp, "seen": seen}).encode() + b"\n")
    return True


def _every(settings: Settings) -> float:
    words = str(settings.heartbeat.get("every", EVERY))
    return 0.0 if words == "off" else schedule.span(words)


def _is_active(settings: Settings, here: datetime) -> bool:
    """Whether this is in the active hours, where the person is; those that end before they begin go past midnight."""
    first, last = schedule.hours(str(settings.heartbeat.get("hours", HOURS))) or (0.0, 24.0)
    hour = here.hour + here.minute / 60
    return first <= hour < last if first < last else hour >= first or hour < last


def _room(where: Home, self_id: str, settings: Settings) -> str:
    """The room in which an alert is said: the one of the settings, else the first of the agent's."""
    wanted = str(settings.heartbeat.get("room", "dev"))
    subs = where.agent(self_id) / "subs"
    mine = sorted(entry.name[:-3] for entry in os.scandir(subs) if entry.name.endswith(".md")) if subs.is_dir() else []
    return wanted if wanted in mine else next(iter(mine), "")


def _seen(where: Home, self_id: str, text: str) -> str:
    """What a heartbeat finds: the list, what was heard last, the files that a person gave."""
    folder = where.agent(self_id)
    heard = (line.at for line in reversed(log.tail(folder / "LIFE.md", BACK)) if line.event in (Hear.WORD, Join.WORD))
    files = sorted(os.scandir(folder / "files"), key=lambda one: one.name) if (folder / "files").is_dir() else []
    told = [text, next(heard, ""), *(f"{one.name} {one.stat(follow_symlinks=False).st_mtime_ns}" for one in files)]
    return hashlib.sha256("\n".join(told).encode("utf-8", "replace")).hexdigest()[:16]


def _due(text: str, known: dict[str, str], here: datetime) -> set[str]:
    """The keys of the items whose own time has come."""
    last = {key: times.parse(one).astimezone(here.tzinfo) for key, one in known.items() if times.is_stamp(one)}
    return {one.key for one in checklist.items(text) if one.due(last.get(one.key), here)}


def _known(where: Home, self_id: str) -> dict[str, str]:
    try:
        told = json.loads(disk.read(_ledger(where, self_id), 1 << 16))
    except (OSError, ValueError, RecursionError):
        return {}
    return {str(name): one for name, one in told.items() if isinstance(one, str)} if isinstance(told, dict) else {}


def _ledger(where: Home, self_id: str) -> Path:
    return where.clock / "heartbeats" / f"{self_id}.json"
