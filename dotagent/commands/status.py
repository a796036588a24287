"""Show a home on one screen: agents, providers, calls that are out, rooms, the settings in force.

It reads and changes nothing. With --json everything, one object a line, each with its `kind`.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from datetime import UTC, datetime

from dotagent import commands, extensions
from dotagent.commands import agents
from dotagent.doctor import calls
from dotagent.errors import Misuse
from dotagent.store import home, launch, rooms
from dotagent.store.home import Home, Settings
from dotagent.text import escape, times
from dotagent.text.reference import short
from dotagent.text.sizes import amount

MOST = 10  # rows of one kind that are shown
FROM_ENVIRONMENT = ("provider", "model", "context_limit", "nearby")
Row = Mapping[str, object]


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
    groups = {
        "agent": list(_agents(where)),
        "provider": list(_providers(where, settings)),
        "call": list(_calls(where)),
        "room": list(_rooms(where, settings)),
        "setting": list(_settings(where, settings)),
        "warning": list(_warnings(where, settings, wrong)),
    }
    free = shutil.disk_usage(where.root).free
    if not asked.json:
        print(f"home {where.root}, {amount(free)} free")
        for kind, rows in groups.items():
            _print(kind, rows)
        return 0
    for row in ({"kind": "home", "path": str(where.root), "free": free},
                *({"kind": kind, **row} for kind, rows in groups.items() for row in rows)):  # fmt: skip
        print(json.dumps(row, ensure_ascii=False))
    return 0


def _agents(where: Home) -> Iterator[Row]:
    """The agents: those that run first, then those that spoke last."""
    for one in sorted(agents.rows(where), key=lambda one: (one.state == "runs", one.last), reverse=True):
        yield {**asdict(one), "event": f"{one.event} {one.detail}".strip()}


def _providers(where: Home, settings: Settings) -> Iterator[Row]:
    told = launch.published(where)
    spooled = [path.name for path in (where.calls / "new").glob("*") if path.is_dir()]
    known = extensions.names("providers")
    for name in sorted({*known, *told, *spooled}):
        one = told.get(name, {})
        served = launch.served(where, name)
        state = "served" if served else "not served" if name in known else "a program of your own"
        model = settings.model if name == settings.provider and settings.model else one.get("model", "")
        pid = one.get("pid") if served else None
        why = one.get("why", "") if served else ""
        yield {"name": name, "state": state, "pid": pid, "model": model, "window": one.get("window"), "why": why}


def _calls(where: Home) -> Iterator[Row]:
    for entry in calls.entries(where):
        call = entry.call
        if call:
            told = {"id": call.id, "state": entry.state, "provider": call.provider, "for": call.kind, "room": call.room}
            yield {**told, "agent": call.agent, "at": call.at, "attempt": call.attempt}


def _rooms(where: Home, settings: Settings) -> Iterator[Row]:
    """The rooms, the one that was spoken in last first."""
    owner = home.owner(settings)
    rows = []
    for path in where.chats.glob("*.md"):
        if path.is_file():
            found = path.stat()
            at = datetime.fromtimestamp(found.st_mtime, UTC).isoformat(timespec="seconds")
            audience = rooms.audience(path, owner)
            rows.append({"name": path.stem, "audience": audience, "bytes": found.st_size, "last": at[:19] + "Z"})
    yield from sorted(rows, key=lambda row: str(row["last"]), reverse=True)


def _settings(where: Home, settings: Settings) -> Iterator[Row]:
    automatic = {"provider": "(the first with credentials, else offline)", "model": "(the provider's)"}
    for name in Settings.__dataclass_fields__:
        value = getattr(settings, name)
        if name == "owner":
            value = home.owner(settings)
        if name in ("providers", "prices", "bridges"):
            value = sorted(value)  # their names: a table may hold what should have been in .env
        there = os.environ.get(f"DOTAGENT_{name.upper()}")
        given = name in FROM_ENVIRONMENT and (there or (there == "" and name == "nearby"))
        source = "environment" if given else "dotagent.toml"
        default = getattr(Settings(), name) == getattr(settings, name)
        yield {"name": name, "value": value or automatic.get(name), "source": "default" if default else source}


def _warnings(where: Home, settings: Settings, wrong: str) -> Iterator[Row]:
    if wrong:
        yield {"text": f"the settings cannot be read, nothing starts: {wrong}"}
    secrets = where.root / ".env"
    theirs = f"{secrets} too" + ("" if secrets.exists() else ", if you make one")
    who = home.owner(Settings())
    shells = " and ".join(name for name, form in extensions.tools().forms.items() if form == "shell")
    yield {"text": f"{shells} has no sandbox: a command of an agent can read whatever {who} can read, {theirs}"}


def _print(kind: str, rows: list[Row]) -> None:
    """One group, at most MOST rows of it, each a line."""
    if kind == "warning":
        for row in rows:
            print(f"warning: {escape.printable(str(row['text']))}")
        return
    print(f"{kind}s" if rows else f"{kind}s: none")
    for row in rows[:MOST]:
        print("  " + escape.one_line(_LINES[kind](row), 240))
    if len(rows) > MOST:
        print(f"  … {len(rows) - MOST:,} more (status --json lists all)")


def _agent(row: Row) -> str:
    heard = row["rooms"]
    assert isinstance(heard, list)
    seen = f"{str(row['last'])[:19]} {row['event']}" if row["last"] else "never"
    return f"{short(str(row['id']))}  {row['state']:<7} {row['audience']}; in {', '.join(heard) or 'no room'}; {seen}"


def _provider(row: Row) -> str:
    served = f"served by process {row['pid']}" if row["pid"] else str(row["state"])
    model = f", model {row['model']}" if row["model"] else ""
    return f"{row['name']}: {served}{model}" + (f", not configured: {row['why']}" if row["why"] else "")


def _call(row: Row) -> str:
    age = (times.parse(times.now()) - times.parse(str(row["at"]))).total_seconds() if row["at"] else 0.0
    where = f" for room {row['room']}" if row["room"] else ""
    who = f"{row['for']} of {short(str(row['agent']))}{where}"
    begun = f"{age:,.0f} s old, attempt {row['attempt']}"
    return f"{short(str(row['id']))}  {row['state']:<6} {row['provider']}  {who}, {begun}"


def _room(row: Row) -> str:
    return f"{row['name']}: {row['audience']}, {amount(float(str(row['bytes'])))}, {row['last']}"


def _setting(row: Row) -> str:
    value = row["value"]
    shown = ", ".join(map(str, value)) if isinstance(value, list | tuple) else value
    return f"{row['name']} = {shown or 'none'} ({row['source']})"


_LINES = {"agent": _agent, "provider": _provider, "call": _call, "room": _room, "setting": _setting}
