"""Show agents, providers and settings on one screen.

The command only reads, and changes nothing. With --probe, the list also contains the chats in which each bridge posts,
and the name that the bridge uses there. With --json, the command prints one JSON object on each line, and the field
`kind` names what the object describes. The exit status is 2 if the settings or .env cannot be read, because nothing can
start then. The exit status is 1 if a chosen provider has no key, if a bridge has no token, if a bridge with a token has
no table in the settings, or if a file cannot be read. The command names this file and shows the rest.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from dotagent import commands, contract, errors, extensions, installed, sandbox
from dotagent.bridges.pattern import probe, rules
from dotagent.commands import agents, config, plugins, skills
from dotagent.doctor import calls, persona
from dotagent.doctor.home import policy_status, writable
from dotagent.doctor.requirements import lacking
from dotagent.erasure import ledger
from dotagent.errors import Misuse, Trouble
from dotagent.life import failures, prompt_size, replay
from dotagent.store import credentials, home, hooks, launch, room_copies, rooms, setting_rules
from dotagent.store.blobs import BlobCorrupt, BlobMissing
from dotagent.store.home import Home, Settings
from dotagent.text import escape, times
from dotagent.text.lazy import asdict
from dotagent.text.reference import short
from dotagent.text.sizes import amount

GROUP = "inside"

MOST = 10  # rows of one kind that are shown
HEADS = {
    "agent": "agent name state audience >context rooms last event",
    "provider": "provider state model why",
    "call": "request state provider for room >seconds >attempt",
    "room": "room audience >size last",
    "voice": "bridge state place room agent avatar",
    "plug-in": "plug-in state from version file",
    "skill": "skill place state for about",
    "hook": "hook events >seconds run",
    "setting": "setting value from",
}
EMPTY = {
    "agent": "no agents yet",
    "provider": "no provider is running",
    "call": "no model requests are waiting",
    "room": "no rooms yet",
    "voice": "no bridge has sent a message yet",
}
IDLE = ("stopped", "", "")  # the cells of a stopped provider after its name
AUTOMATIC = {"provider": "(the first provider that has a key, otherwise offline)", "model": "(the provider's)"}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add --probe and --json."""
    told = "also list the places where each bridge posts, and the agent, name and avatar that it uses"
    parser.add_argument("--probe", action="store_true", help=told)
    commands.json_flag(parser)


def run(asked: argparse.Namespace) -> int:
    """Print the tables."""
    where = commands.home_of(asked)
    settings, wrong = Settings(), ""
    try:
        settings = home.settings(where)
        rules.check(settings)
        credentials.env_file(where)
    except Misuse as mistake:
        wrong = str(mistake)
    free = shutil.disk_usage(where.root).free
    here = {"kind": "home", "path": str(where.root), "free": free}
    commands.tell(here, f"data directory {where.root}, {amount(free)} free", asked)
    unread = dict[str, None]()
    _show("agent", _agents(where, settings, unread), asked)
    _served(where, settings, asked)
    _show("call", _calls(where), asked)
    _show("room", _rooms(where, settings, unread), asked)
    if asked.probe:
        with _noted(unread):
            _show("voice", _voices(where, settings), asked)
    for status in (one.status for one in contract.list_chosen(settings) if one.status):
        with _noted(unread):
            if told := status(where, settings):
                _show(told.kind, iter(told.rows), asked, told.heads)
    for kind, every in (("plug-in", plugins.rows), ("skill", skills.rows)):
        with suppress(Trouble):  # doctor reports an unreadable record, and its entries are not trusted
            if found := list(every(where)):
                _show(kind, iter(found), asked)
    if hooks.commands(settings.hooks):
        _show("hook", _hooks(settings), asked)
    _show("setting", _settings(settings), asked)
    if not wrong:
        _sandbox(settings, asked)
        holds = policy_status(settings.policy)
        commands.tell({"kind": "policy", "text": holds}, holds, asked)
    lacks = [str(one).removeprefix("damage: ") for one in lacking(where)]
    warnings = list(_warnings(where, wrong, settings, unread))
    for text in (*lacks, *warnings, *(f"could not be read: {one}" for one in unread)):
        commands.tell({"kind": "warning", "text": text}, f"warning: {text}", asked)
    return Misuse.status if wrong else Trouble.status if lacks or unread else 0


@contextmanager
def _noted(unread: dict[str, None]) -> Iterator[None]:
    """Note a file that cannot be read, instead of raising OSError."""
    try:
        yield
    except OSError as error:
        unread[errors.line(error)] = None


def _sandbox(settings: Settings, asked: argparse.Namespace) -> None:
    holds = sandbox.status(settings)
    if not asked.json:
        if not (sandbox.kind(settings) or sandbox.refuses(settings)):
            return  # a warning says so
        print()
    commands.tell({"kind": "sandbox", "name": sandbox.kind(settings), "text": holds}, holds, asked)


def _show(kind: str, found: Iterator[commands.Row], asked: argparse.Namespace, heads: str = "") -> None:
    """Print the rows of one kind: all as JSON, at most MOST in a table."""
    rows = [({"kind": kind, **told}, cells) for told, cells in found]
    if not asked.json:
        print()
    shown = rows if asked.json else rows[:MOST]
    wrap = kind in ("provider", "setting", "plug-in")
    commands.print_list(asked, heads or HEADS[kind], shown, EMPTY.get(kind, ""), wrap=wrap)
    if len(rows) > MOST and not asked.json:
        print(f"… {len(rows) - MOST:,} more (status --json lists all)")


def _agents(where: Home, settings: Settings, unread: dict[str, None]) -> Iterator[commands.Row]:
    """Yield the agents, each with the most tokens of its prompts.

    Running agents come first, then those with the latest events. Finished helpers are last.
    """
    found = list[tuple[agents.AgentRow, str, int]]()
    for self_id in home.lives(where):
        with _noted(unread):
            one, waits = agents.row(where, settings, self_id), failures.describe_failure(_life(where, self_id))
            limit = settings.context_limit
            with suppress(BlobMissing, BlobCorrupt):  # doctor reports it
                limit = prompt_size.most_tokens(limit, replay.standing(where, self_id))
            found.append((one, waits, limit))
    for one, waits, limit in sorted(
        found, key=lambda row: (row[0].state == "runs", not row[0].parent, row[0].last), reverse=True
    ):
        event = f"{one.event} {one.detail}".strip()
        state, there = agents.STATES.get(one.state, one.state), ", ".join(one.rooms) or "none"
        last = times.format_stamp(one.last, 19) or "never"
        cells = (short(one.id), one.name, state, one.audience, f"{limit:,}", there, last, event)
        yield {**asdict(one), "event": event, "failing": waits, "context": limit}, cells


def _providers(where: Home, settings: Settings) -> Iterator[commands.Row]:
    told = launch.published(where)
    spooled = [path.name for path in (where.calls / "new").glob("*") if path.is_dir()]
    known = settings.names()
    for name in sorted({*known, *told, *spooled}):
        one = told.get(name, {})
        served = launch.served(where, name)
        state = "served" if served else "not served" if name in known else "your own program"
        model = settings.model if name == settings.provider and settings.model else one.get("model", "")
        pid, why = (one.get("pid"), one.get("why", "")) if served else (None, "")
        given = {"name": name, "state": state, "pid": pid, "model": model, "window": one.get("window"), "why": why}
        shown = f"running, process {pid}" if pid else {"served": "running", "not served": IDLE[0]}.get(state, state)
        yield given, (name, shown, model, f"not configured: {why}" if why else "")


def _served(where: Home, settings: Settings, asked: argparse.Namespace) -> None:
    """Print the providers. In the table, stopped ones share one line."""
    rows = list(_providers(where, settings))
    idle = [row for row in rows if row[1][1:] == IDLE and not asked.json]
    _show("provider", (row for row in rows if row not in idle), asked)
    if idle:
        commands.tell({}, f"not in use: {', '.join(str(cells[0]) for _, cells in idle)}", asked)


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
    """Yield the commands of hooks. Doctor reports how their last runs ended."""
    for one in hooks.commands(settings.hooks):
        cells = (one.name, ", ".join(one.on), f"{one.timeout:g}", escape.one_line(one.run, 60))
        yield asdict(one), cells


def _rooms(where: Home, settings: Settings, unread: dict[str, None]) -> Iterator[commands.Row]:
    """Yield the rooms, latest message first."""
    found = [(path.stat(), path) for path in where.rooms()]
    for stat, path in sorted(found, key=lambda one: int(one[0].st_mtime), reverse=True):
        at = times.make_stamp(datetime.fromtimestamp(stat.st_mtime, UTC))
        audience = ""
        with _noted(unread):
            audience = rooms.audience(path, home.owner(settings))
        told = {"name": path.stem, "audience": audience, "bytes": stat.st_size, "last": at}
        yield told, (path.stem, audience, amount(stat.st_size), at)


def _voices(where: Home, settings: Settings) -> Iterator[commands.Row]:
    """Yield the places where bridges post, each with its current identity."""
    for one in probe.voices(where, settings):
        agent = f"{one.name} {one.agent}, {'running' if one.awake else 'stopped'}" if one.agent else "none"
        state = "runs" if one.runs else "does not run"
        yield asdict(one), (one.bridge, state, escape.row(one.place), one.room, agent, one.avatar)


def _settings(settings: Settings) -> Iterator[commands.Row]:
    usual = Settings()
    known = dict.fromkeys((*Settings.__dataclass_fields__, *setting_rules.rules()))
    for name in ("policy", "tables", "idle"):  # they have their own lines
        del known[name]
    for name in sorted(known, key=lambda name: usual.value(name) == settings.value(name)):
        value = home.owner(settings) if name == "owner" else settings.value(name)
        if name == "roots":
            value = [f"{whose}: {root}" for whose, roots in settings.roots.items() for root in roots]
        if name in ("providers", "prices", "bridges", "agents", "ui"):
            value = sorted(value)  # their names: a table may hold what should have been in .env
        default = usual.value(name) == settings.value(name)
        source = "default" if default else "environment" if config.overridden(name) else home.SETTINGS
        value = value or AUTOMATIC.get(name)
        shown = ", ".join(map(str, value)) if isinstance(value, list | tuple) else value
        yield {"name": name, "value": value, "source": source}, (name, shown or "none", source)


def _life(where: Home, self_id: str) -> Path:
    return where.agent(self_id) / "LIFE.md"


def _warnings(where: Home, wrong: str, settings: Settings, unread: dict[str, None]) -> Iterator[str]:
    found = [one for one in writable(where) if one.level == "damage"]
    for self_id in home.lives(where):
        path, said = where.agent(self_id), f"agents/{short(self_id)}"
        with _noted(unread):
            found += [one for one in persona.memory(path, said) if one.level == "warning"]
    yield from (f"{one.where} {one.what}; {one.do}" for one in found)
    for self_id in home.lives(where):
        with _noted(unread):
            if waits := failures.describe_failure(_life(where, self_id)):
                yield f"{short(self_id)}: {waits}"
    yield from settings.idle
    repair = installed.program("room")  # a program that syncs files left the copy
    for copy, room in room_copies.find(where):
        yield f"chats/{copy.name} is a copy of the room {room}: `{repair} repair {room}` adds the messages of the copy"
    for warnings in (one.warnings for one in contract.list_chosen(settings) if one.warnings):
        with _noted(unread):
            yield from warnings(where, settings)
    if ledger.is_unfinished(where):
        yield f"a permanent deletion is not finished yet; to finish it, run `{installed.program('forget')}`"
    if wrong:
        yield f"the settings or .env are unreadable or not valid, so nothing can start: {wrong}"
    if wrong or sandbox.kind(settings) or sandbox.refuses(settings):
        return
    secrets = where.root / ".env"
    theirs = f"including {secrets}" + ("" if secrets.exists() else ", if you create it")
    who = home.owner(Settings())
    shells = " and ".join(name for name, form in extensions.tools().forms.items() if form == "shell")
    none = f"there is no sandbox ({sandbox.explain_none(settings)})"
    yield f"{shells}: {none}, so an agent's command can read every file that {who} can read, {theirs}"
