"""Show a home on one screen: agents, providers, calls that are out, rooms, jobs, tool packs, hooks, settings in force.

It reads and changes nothing. With --probe also where each bridge speaks, and as whom; with --json everything, one
object a line, each with its `kind`. Exit status 2 when the settings cannot be read, since nothing starts then.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from datetime import UTC, datetime

from dotagent import commands, extensions, installed, sandbox
from dotagent.bridges.pattern import probe, rules
from dotagent.clock import rounds
from dotagent.commands import agents, config, plugins, skills, toolpacks
from dotagent.doctor import calls
from dotagent.errors import Misuse, Trouble
from dotagent.forgetting import sweep
from dotagent.life import policy, replay
from dotagent.store import disk, home, hooks, jobs, launch, packs, rooms
from dotagent.store.home import Home, Settings
from dotagent.text import escape, times
from dotagent.text.reference import short
from dotagent.text.sizes import amount

MOST = 10  # rows of one kind that are shown
HEADS = {
    "agent": "agent name state hears rooms last event",
    "provider": "provider state model why",
    "call": "call state provider for room >seconds >attempt",
    "room": "room hears >size last",
    "voice": "bridge state place room agent avatar",
    "job": "job when next last",
    "plug-in": "plug-in state from version file",
    "skill": "skill place state for about",
    "toolpack": "pack kind state tools",
    "hook": "hook events >seconds run",
    "setting": "setting value from",
}
EMPTY = {
    "agent": "no agent was born here yet",
    "provider": "no provider is served",
    "call": "no call is out",
    "room": "there is no room yet",
    "voice": "no bridge has spoken anywhere yet",
}
IDLE = ("not served", "", "")  # the cells beside the name of a provider that does nothing
AUTOMATIC = {"provider": "(the first with credentials, else offline)", "model": "(the provider's)"}


def arguments(parser: argparse.ArgumentParser) -> None:
    """The form, and whether to look where bridges speak."""
    told = "also where each bridge speaks, and as which agent: its name, its avatar, whether it is awake"
    parser.add_argument("--probe", action="store_true", help=told)
    commands.json_flag(parser)


def run(asked: argparse.Namespace) -> int:
    """Print it."""
    where = commands.home_of(asked)
    settings, wrong = Settings(), ""
    try:
        settings = home.settings(where)
        rules.check(settings)
    except Misuse as mistake:
        wrong = str(mistake)
    free = shutil.disk_usage(where.root).free
    told = {"kind": "home", "path": str(where.root), "free": free}
    commands.tell(told, f"home {where.root}, {amount(free)} free", asked)
    _show("agent", _agents(where), asked)
    _served(where, settings, asked)
    _show("call", _calls(where), asked)
    _show("room", _rooms(where, settings), asked)
    if asked.probe:
        _show("voice", _voices(where, settings), asked)
    if jobs.listed(where):
        _show("job", _jobs(where, settings), asked)
    for kind, every in (("plug-in", plugins.rows), ("skill", skills.rows)):
        with suppress(Trouble):  # a record that cannot be read: doctor tells, and none of it is trusted
            if found := list(every(where)):
                _show(kind, iter(found), asked)
    if packs.listed(where):
        _show("toolpack", toolpacks.rows(where), asked)
    if hooks.commands(settings.hooks):
        _show("hook", _hooks(settings), asked)
    _show("setting", _settings(settings), asked)
    if not wrong:
        _sandbox(settings, asked)
        holds = policy.told(settings.policy)
        commands.tell({"kind": "policy", "text": holds}, holds, asked)
    for text in _warnings(where, wrong, settings):
        commands.tell({"kind": "warning", "text": text}, f"warning: {text}", asked)
    return Misuse.status if wrong else 0


def _sandbox(settings: Settings, asked: argparse.Namespace) -> None:
    """Where commands run."""
    holds = sandbox.status(settings)
    if not asked.json:
        if not (sandbox.kind(settings) or sandbox.refuses(settings)):
            return  # a warning tells
        print()
    commands.tell({"kind": "sandbox", "name": sandbox.kind(settings), "text": holds}, holds, asked)


def _show(kind: str, found: Iterator[commands.Row], asked: argparse.Namespace) -> None:
    """The things of one kind: all as JSON, at most MOST in a table."""
    rows = [({"kind": kind, **told}, cells) for told, cells in found]
    if not asked.json:
        print()
    shown = rows if asked.json else rows[:MOST]
    commands.listed(asked, HEADS[kind], shown, EMPTY.get(kind, ""), wrap=kind in ("provider", "setting", "plug-in"))
    if len(rows) > MOST and not asked.json:
        print(f"… {len(rows) - MOST:,} more (status --json lists all)")


def _agents(where: Home) -> Iterator[commands.Row]:
    """The agents: those that run first, then those that spoke last; helpers that have come to rest at the end."""
    for one in sorted(
        agents.rows(where), key=lambda one: (one.state == "runs", not one.parent, one.last), reverse=True
    ):
        event = f"{one.event} {one.detail}".strip()
        waits = replay.failing(where.agent(one.id) / "LIFE.md")
        cells = (
            short(one.id),
            one.name,
            one.state,
            one.audience,
            ", ".join(one.rooms) or "none",
            one.last[:19] or "never",
            event,
        )
        yield {**asdict(one), "event": event, "failing": waits}, cells


def _providers(where: Home, settings: Settings) -> Iterator[commands.Row]:
    told = launch.published(where)
    spooled = [path.name for path in (where.calls / "new").glob("*") if path.is_dir()]
    known = settings.names()
    for name in sorted({*known, *told, *spooled}):
        one = told.get(name, {})
        served = launch.served(where, name)
        state = "served" if served else IDLE[0] if name in known else "a program of your own"
        model = settings.model if name == settings.provider and settings.model else one.get("model", "")
        pid, why = (one.get("pid"), one.get("why", "")) if served else (None, "")
        given = {"name": name, "state": state, "pid": pid, "model": model, "window": one.get("window"), "why": why}
        yield (
            given,
            (name, f"served by process {pid}" if pid else state, model, f"not configured: {why}" if why else ""),
        )


def _served(where: Home, settings: Settings, asked: argparse.Namespace) -> None:
    """The providers; for people those of which nothing is to be told but their names share a line."""
    rows = list(_providers(where, settings))
    idle = [row for row in rows if row[1][1:] == IDLE and not asked.json]
    _show("provider", (row for row in rows if row not in idle), asked)
    if idle:
        commands.tell({}, f"not served: {', '.join(str(cells[0]) for _, cells in idle)}", asked)


def _calls(where: Home) -> Iterator[commands.Row]:
    for entry in calls.entries(where):
        if not entry.call:
            continue
        call = entry.call
        told = {"id": call.id, "state": entry.state, "provider": call.provider, "for": call.kind, "room": call.room}
        age = (times.parse(times.now()) - times.parse(call.at)).total_seconds() if call.at else 0.0
        cells = (short(call.id), entry.state, call.provider, f"{call.kind} of {short(call.agent)}", call.room)
        row = {**told, "agent": call.agent, "at": call.at, "attempt": call.attempt}
        yield row, (*cells, f"{age:,.0f}", call.attempt)


def _hooks(settings: Settings) -> Iterator[commands.Row]:
    """The commands that run at an event; how each ended last, doctor tells."""
    for one in hooks.commands(settings.hooks):
        cells = (one.name, ", ".join(one.on), f"{one.timeout:g}", escape.one_line(one.run, 60))
        yield asdict(one), cells


def _rooms(where: Home, settings: Settings) -> Iterator[commands.Row]:
    """The rooms, the one that was spoken in last first."""
    found = [(path.stat(), path) for path in where.chats.glob("*.md") if disk.is_file(path)]
    for stat, path in sorted(found, key=lambda one: int(one[0].st_mtime), reverse=True):
        at = times.of(datetime.fromtimestamp(stat.st_mtime, UTC))
        audience = rooms.audience(path, home.owner(settings))
        told = {"name": path.stem, "audience": audience, "bytes": stat.st_size, "last": at}
        yield told, (path.stem, audience, amount(stat.st_size), at)


def _voices(where: Home, settings: Settings) -> Iterator[commands.Row]:
    """Where bridges speak, and the identity that is in force there."""
    for one in probe.voices(where, settings):
        agent = f"{one.name} {one.agent}, {'awake' if one.awake else 'asleep'}" if one.agent else "nobody"
        state = "runs" if one.runs else "does not run"
        yield asdict(one), (one.bridge, state, escape.row(one.place), one.room, agent, one.avatar)


def _jobs(where: Home, settings: Settings) -> Iterator[commands.Row]:
    """The clock's jobs, the one that is due first on top; whether the clock runs stands among the warnings."""
    zone, found = settings.place, list[commands.Row]()
    for name in jobs.listed(where):
        known = jobs.ran(where, name)
        try:
            job = jobs.read(where, name, zone)
        except Misuse as wrong:
            found.append(({"name": name, "wrong": str(wrong), "next": ""}, (name, "cannot be read", "", known.handed)))
            continue
        soon = rounds.following(job, known, datetime.now(UTC)) if job.enabled else None
        then = times.of(soon) if soon else ""
        told = {"name": name, "next": then, "handed": known.handed, "missed": known.missed, "enabled": job.enabled}
        words = f"{job.schedule.kind} {job.schedule.words}"
        found.append((told, (name, words, then or "disabled", known.handed or "never")))
    yield from sorted(found, key=lambda row: (not row[0]["next"], str(row[0]["next"])))


def _settings(settings: Settings) -> Iterator[commands.Row]:
    usual = Settings()
    for name in sorted(Settings.__dataclass_fields__, key=lambda name: getattr(usual, name) == getattr(settings, name)):
        if name == "policy":  # a line of its own tells it
            continue
        value = home.owner(settings) if name == "owner" else getattr(settings, name)
        if name == "roots":
            value = [f"{whose}: {root}" for whose, roots in settings.roots.items() for root in roots]
        if name in ("providers", "prices", "bridges", "agents", "ui"):
            value = sorted(value)  # their names: a table may hold what should have been in .env
        default = getattr(usual, name) == getattr(settings, name)
        source = "default" if default else "environment" if config.overridden(name) else home.SETTINGS
        value = value or AUTOMATIC.get(name)
        shown = ", ".join(map(str, value)) if isinstance(value, list | tuple) else value
        yield {"name": name, "value": value, "source": source}, (name, shown or "none", source)


def _warnings(where: Home, wrong: str, settings: Settings) -> Iterator[str]:
    for self_id in home.lives(where):
        if waits := replay.failing(where.agent(self_id) / "LIFE.md"):
            yield f"{short(self_id)}: {waits}"
    if jobs.listed(where) and not disk.is_locked(where.clock / "pid"):
        yield f"the clock does not run, so no job is ever due: `{installed.typed('clock')}`"
    if settings.retention and not disk.is_locked(where.clock / "pid"):
        yield f"the clock does not run, so nothing goes by its age: `{installed.typed('clock')}`"
    if sweep.due(where):
        yield f"what shall be forgotten is not gone yet: `{installed.typed('forget')}` goes on"
    if wrong:
        yield f"the settings cannot be read, nothing starts: {wrong}"
    if wrong or sandbox.kind(settings) or sandbox.refuses(settings):
        return
    secrets = where.root / ".env"
    theirs = f"{secrets} too" + ("" if secrets.exists() else ", if you make one")
    who = home.owner(Settings())
    shells = " and ".join(name for name, form in extensions.tools().forms.items() if form == "shell")
    none = f"there is no sandbox ({sandbox.why(settings)})"
    yield f"{shells}: {none}, a command of an agent can read whatever {who} can read, {theirs}"
