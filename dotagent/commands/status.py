"""Show a home on one screen: agents, providers, calls that are out, rooms, the settings in force.

It reads and changes nothing. With --json everything, one object a line, each with its `kind`.
"""

from __future__ import annotations

import argparse
import os
import shutil
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime

from dotagent import commands, extensions
from dotagent.commands import agents
from dotagent.doctor import calls
from dotagent.errors import Misuse
from dotagent.life import replay
from dotagent.store import disk, home, launch, rooms
from dotagent.store.home import Home, Settings
from dotagent.text import escape, times
from dotagent.text.reference import short
from dotagent.text.sizes import amount

MOST = 10  # rows of one kind that are shown
FROM_ENVIRONMENT = ("provider", "model", "context_limit", "nearby")
AUTOMATIC = {"provider": "(the first with credentials, else offline)", "model": "(the provider's)"}


@dataclass(frozen=True)
class StatusRow:
    """One thing: as `--json` tells it, and as a line."""

    told: dict[str, object]
    line: str


def arguments(parser: argparse.ArgumentParser) -> None:
    """Nothing but the form."""
    commands.json_flag(parser)


def run(asked: argparse.Namespace) -> int:
    """Print it."""
    where = commands.home_of(asked)
    settings, wrong = Settings(), ""
    try:
        settings = home.settings(where)
    except Misuse as mistake:
        wrong = str(mistake)
    free = shutil.disk_usage(where.root).free
    told = {"kind": "home", "path": str(where.root), "free": free}
    commands.show(told, f"home {where.root}, {amount(free)} free", asked)
    _show("agent", _agents(where), asked)
    _show("provider", _providers(where, settings), asked)
    _show("call", _calls(where), asked)
    _show("room", _rooms(where, settings), asked)
    _show("setting", _settings(where, settings), asked)
    for text in _warnings(where, wrong):
        commands.show({"kind": "warning", "text": text}, f"warning: {text}", asked)
    return 0


def _show(kind: str, found: Iterator[StatusRow], asked: argparse.Namespace) -> None:
    """The things of one kind: all as JSON, at most MOST as lines."""
    rows = list(found)
    if not asked.json:
        print(f"{kind}s" if rows else f"{kind}s: none")
    for row in rows if asked.json else rows[:MOST]:
        commands.show({"kind": kind, **row.told}, f"  {escape.one_line(row.line, 240)}", asked)
    if len(rows) > MOST and not asked.json:
        print(f"  … {len(rows) - MOST:,} more (status --json lists all)")


def _agents(where: Home) -> Iterator[StatusRow]:
    """The agents: those that run first, then those that spoke last."""
    for one in sorted(agents.rows(where), key=lambda one: (one.state == "runs", one.last), reverse=True):
        event = f"{one.event} {one.detail}".strip()
        seen = f"{one.last[:19]} {event}" if one.last else "never"
        waits = replay.failing(where.agent(one.id) / "LIFE.md")
        seen += f"; {waits}" if waits else ""
        line = f"{short(one.id)}  {one.state:<7} {one.audience}; in {', '.join(one.rooms) or 'no room'}; {seen}"
        yield StatusRow({**asdict(one), "event": event, "failing": waits}, line)


def _providers(where: Home, settings: Settings) -> Iterator[StatusRow]:
    told = launch.published(where)
    spooled = [path.name for path in (where.calls / "new").glob("*") if path.is_dir()]
    known = extensions.names("providers")
    for name in sorted({*known, *told, *spooled}):
        one = told.get(name, {})
        served = launch.served(where, name)
        state = "served" if served else "not served" if name in known else "a program of your own"
        model = settings.model if name == settings.provider and settings.model else one.get("model", "")
        pid, why = (one.get("pid"), one.get("why", "")) if served else (None, "")
        line = f"{name}: {f'served by process {pid}' if pid else state}{f', model {model}' if model else ''}"
        given = {"name": name, "state": state, "pid": pid, "model": model, "window": one.get("window"), "why": why}
        yield StatusRow(given, f"{line}, not configured: {why}" if why else line)


def _calls(where: Home) -> Iterator[StatusRow]:
    for entry in calls.entries(where):
        if not entry.call:
            continue
        call = entry.call
        told = {"id": call.id, "state": entry.state, "provider": call.provider, "for": call.kind, "room": call.room}
        age = (times.parse(times.now()) - times.parse(call.at)).total_seconds() if call.at else 0.0
        who = f"{call.kind} of {short(call.agent)}{f' for room {call.room}' if call.room else ''}"
        line = f"{short(call.id)}  {entry.state:<6} {call.provider}  {who}, {age:,.0f} s old, attempt {call.attempt}"
        yield StatusRow({**told, "agent": call.agent, "at": call.at, "attempt": call.attempt}, line)


def _rooms(where: Home, settings: Settings) -> Iterator[StatusRow]:
    """The rooms, the one that was spoken in last first."""
    found = [(path.stat(), path) for path in where.chats.glob("*.md") if disk.is_file(path)]
    for stat, path in sorted(found, key=lambda one: int(one[0].st_mtime), reverse=True):
        at = datetime.fromtimestamp(stat.st_mtime, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        audience = rooms.audience(path, home.owner(settings))
        told = {"name": path.stem, "audience": audience, "bytes": stat.st_size, "last": at}
        yield StatusRow(told, f"{path.stem}: {audience}, {amount(stat.st_size)}, {at}")


def _settings(where: Home, settings: Settings) -> Iterator[StatusRow]:
    for name in Settings.__dataclass_fields__:
        value = home.owner(settings) if name == "owner" else getattr(settings, name)
        if name == "roots":
            value = [f"{whose}: {root}" for whose, roots in settings.roots.items() for root in roots]
        if name in ("providers", "prices", "bridges"):
            value = sorted(value)  # their names: a table may hold what should have been in .env
        there = os.environ.get(f"DOTAGENT_{name.upper()}")
        given = name in FROM_ENVIRONMENT and (there or (there == "" and name == "nearby"))
        default = getattr(Settings(), name) == getattr(settings, name)
        source = "default" if default else "environment" if given else "dotagent.toml"
        value = value or AUTOMATIC.get(name)
        shown = ", ".join(map(str, value)) if isinstance(value, list | tuple) else value
        yield StatusRow({"name": name, "value": value, "source": source}, f"{name} = {shown or 'none'} ({source})")


def _warnings(where: Home, wrong: str) -> Iterator[str]:
    if wrong:
        yield f"the settings cannot be read, nothing starts: {wrong}"
    secrets = where.root / ".env"
    theirs = f"{secrets} too" + ("" if secrets.exists() else ", if you make one")
    who = home.owner(Settings())
    shells = " and ".join(name for name, form in extensions.tools().forms.items() if form == "shell")
    yield f"{shells} has no sandbox: a command of an agent can read whatever {who} can read, {theirs}"
