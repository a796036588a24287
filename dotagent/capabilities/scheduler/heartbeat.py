"""Heartbeats: a running agent checks its HEARTBEAT.md at fixed times in active hours, if there is a reason.

A reason is a message since the last heartbeat, a change of the list or of a file from a person, or an item whose own
time has come. Without a reason, no model is called. Owns `clock/heartbeats/<self>.json`, the state at the last
heartbeat.
"""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from dotagent.capabilities.scheduler import checklist, due, options
from dotagent.capabilities.scheduler.due import Due
from dotagent.capabilities.scheduler.record import HEARTBEAT
from dotagent.life.events import Hear, Join
from dotagent.store import disk, lives, log, safe_paths
from dotagent.store.home import Home, Settings
from dotagent.text import encoding, escape, schedule, times

FILE = "HEARTBEAT.md"
EVERY, HOURS = "30m", "0-24"
AHEAD = timedelta(days=1)  # a ledger further ahead than this comes from a wrong clock
SLACK = 60.0  # seconds that a heartbeat may be late; later it is skipped
BACK = 2000  # events at the end of LIFE that are searched for the last message


def following(settings: Settings, now: datetime) -> datetime | None:
    """Return the time of the next possible heartbeat, or None if heartbeats are off."""
    every = _every(settings)
    return datetime.fromtimestamp((now.timestamp() // every + 1) * every, UTC) if every else None


def beat(where: Home, self_id: str, settings: Settings, now: datetime) -> bool:
    """Hand a heartbeat to the agent if it is due and has a reason. Return True if it was handed over."""
    every = _every(settings)
    at = datetime.fromtimestamp(now.timestamp() // every * every, UTC) if every else now
    here, path = at.astimezone(times.find_zone(settings.place)), where.agent(self_id) / FILE
    if not every or (now - at).total_seconds() > SLACK or not _is_active(settings, here) or not disk.is_file(path):
        return False
    text = encoding.utf8(disk.read(path, checklist.MOST)).decode("utf-8", "replace")
    awake = lives.runs(where, self_id) or lives.is_supervised(where)  # `up` starts an agent that has something to do
    if not checklist.has_content(text) or not awake or due.is_waiting(where, self_id, HEARTBEAT):
        return False
    known, seen = _load_ledger(where, self_id), _fingerprint(where, self_id, text)
    if times.make_stamp(at) <= known.get("at", "") < times.make_stamp(at + AHEAD):
        return False  # already handed over; a clock that was set back reaches the same time twice
    last = {key: times.parse(one).astimezone(here.tzinfo) for key, one in known.items() if times.is_stamp(one)}
    items = {one.key for one in checklist.items(text) if one.due(last.get(one.key), here)}  # whose own time has come
    changed = seen != known.get("seen") and not checklist.is_timed_only(text)
    room = _room(where, self_id, settings)
    if not room or not (changed or items):
        return False
    stamp, words = times.make_stamp(at), times.format_day(at, settings.place)
    due.hand(where, self_id, Due(HEARTBEAT, stamp, room, "", words, f"{text.strip()}\n{_questions(text)}".strip()))
    then = {one.key: stamp if one.key in items else known.get(one.key, "") for one in checklist.items(text)}
    disk.make_dir(where.clock / "heartbeats")
    disk.replace(_ledger(where, self_id), escape.dumps({**then, "at": stamp, "seen": seen}).encode() + b"\n")
    return True


def _questions(text: str) -> str:
    """Return the questions for the agent to ask about the times in the list that are not understood."""
    return "".join(
        f"\n(The time of an item in the list is not clear; ask your person for a clear time. {one})"
        for one in checklist.unclear(text)
    )


def _every(settings: Settings) -> float:
    words = str(options.heartbeat(settings).get("every", EVERY))
    return 0.0 if words == "off" else schedule.span(words)


def _is_active(settings: Settings, here: datetime) -> bool:
    """Return True in the active hours of the person's time zone. Hours that end before they begin go past midnight."""
    first, last = schedule.hours(str(options.heartbeat(settings).get("hours", HOURS))) or (0.0, 24.0)
    hour = here.hour + here.minute / 60
    return first <= hour < last if first < last else hour >= first or hour < last


def _room(where: Home, self_id: str, settings: Settings) -> str:
    """Return the room for alerts: the room from settings if the agent is in it, otherwise the first of its rooms."""
    wanted = str(options.heartbeat(settings).get("room", "dev"))
    mine = lives.subscribed(where.agent(self_id))
    return wanted if wanted in mine else next(iter(mine), "")


def _fingerprint(where: Home, self_id: str, text: str) -> str:
    """Return a hash of the list, the time of the last message, and the files that a person gave."""
    import hashlib

    folder = where.agent(self_id)
    heard = (line.at for line in reversed(log.tail(folder / "LIFE.md", BACK)) if line.event in (Hear.WORD, Join.WORD))
    files = list[safe_paths.Inside]()
    with suppress(OSError):
        files = safe_paths.entries(folder, "files")
    told = [text, next(heard, ""), *(f"{one.name[6:]} {one.found.st_mtime_ns}" for one in files)]
    return hashlib.sha256("\n".join(told).encode("utf-8", "replace")).hexdigest()[:16]


def _load_ledger(where: Home, self_id: str) -> dict[str, str]:
    try:
        told = json.loads(disk.read(_ledger(where, self_id), 1 << 16))
    except (OSError, ValueError, RecursionError):
        return {}
    return {str(name): one for name, one in told.items() if isinstance(one, str)} if isinstance(told, dict) else {}


def _ledger(where: Home, self_id: str) -> Path:
    return where.clock / "heartbeats" / f"{self_id}.json"
