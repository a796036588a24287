"""Jobs of the clock: list, add, remove, enable, disable them, or run one at once.

A job is a file, `jobs/<name>.toml`, which may as well be written by hand; see docs/clock.md. What it is due for happens
while `clock` runs.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from dotagent import commands, errors
from dotagent.clock import rounds
from dotagent.errors import Misuse, Trouble
from dotagent.store import due, home, jobs
from dotagent.store.home import Home
from dotagent.text import escape, schedule, times, when
from dotagent.text.reference import short


def arguments(parser: argparse.ArgumentParser) -> None:
    """What to do with which job, and what a new one is."""
    parser.add_argument("do", nargs="?", choices=tuple(DO), default="list", help="what to do (default: list)")
    parser.add_argument("name", nargs="?", metavar="NAME", help="the job's name: a-z, 0-9, _ and -")
    parser.add_argument("text", nargs="*", metavar="TEXT", help="add: what the agent is to say or do then")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--cron", metavar="EXPR", help='add: five fields, e.g. "0 9 * * MON-FRI"')
    kind.add_argument("--at", metavar="TIME", help='add: once, 2026-11-27T09:00 or "friday at 9"')
    kind.add_argument("--every", metavar="SPAN", help="add: every so often, e.g. 30m")
    parser.add_argument("--zone", metavar="ZONE", help="add: the time zone that is meant (default: the setting's)")
    parser.add_argument("--room", metavar="ROOM", help="add: where the agent is woken (default: dev)")
    parser.add_argument("--agent", metavar="HASH", help="add: which agent, where several are in the room")
    parser.add_argument("--window", metavar="SPAN", help="add: how late a missed run is made up for (default: 1d)")
    commands.json_flag(parser)


def run(asked: argparse.Namespace) -> int:
    """Do it."""
    where = commands.home_of(asked)
    if asked.do not in ("list", "add") and not asked.name:
        raise Misuse(f"which job? `cron {asked.do} NAME`; `cron list` shows them")
    DO[asked.do](where, asked)
    return 0


def _list(where: Home, asked: argparse.Namespace) -> None:
    zone, rows = home.settings(where).place, list[commands.Row]()
    for name in jobs.listed(where):
        known = jobs.ran(where, name)
        told = {"name": name, "handed": known.handed, "missed": known.missed, "why": known.why}
        try:
            job = jobs.read(where, name, zone)
        except Misuse as wrong:
            rows.append(({**told, "wrong": str(wrong)}, (name, "", "wrong", known.handed, "", str(wrong))))
            continue
        soon = rounds.following(job, known, datetime.now(UTC)) if job.enabled else None
        follows = rounds.in_words(times.of(soon), job.schedule.zone) if soon else ""
        fields = {"kind": job.schedule.kind, "words": job.schedule.words, "zone": job.schedule.zone, "room": job.room}
        more = {"agent": job.agent, "text": job.text, "enabled": job.enabled, "next": times.of(soon) if soon else ""}
        odd = f" ({known.why})" if known.why else ""
        cells = (name, f"{job.schedule.kind} {job.schedule.words}", follows or "disabled", known.handed or "never")
        rows.append(({**told, **fields, **more}, (*cells, job.room, escape.one_line(job.text, 60) + odd)))
    commands.listed(asked, "name when next last room text", rows, "there is no job yet", wrap=True)


def _add(where: Home, asked: argparse.Namespace) -> None:
    given = {name: getattr(asked, name) for name in ("cron", "at", "every") if getattr(asked, name)}
    if not (asked.name and given and asked.text):
        raise Misuse('cron add NAME --cron "0 9 * * *" | --at TIME | --every SPAN, and the text last')
    zone = asked.zone or home.settings(where).place
    if not schedule.is_zone(zone):
        raise Misuse(f"there is no time zone {zone!r}: write one like Europe/Berlin")
    if asked.agent:
        home.find_life(where, asked.agent)
    if asked.at and (said := when.said(asked.at, datetime.now(ZoneInfo(zone)))) and not said.text:
        given = {said.kind: said.words}
    told: dict[str, str] = {**given, "zone": zone, "room": asked.room or "dev", "text": " ".join(asked.text)}
    told |= {name: getattr(asked, name) for name in ("agent", "window") if getattr(asked, name)}
    try:
        job = jobs.made(asked.name, told)
    except ValueError as wrong:
        raise Misuse(f"cron add: {wrong}") from None
    first = schedule.after(job.schedule, datetime.now(UTC))
    if first is None:
        raise Misuse(f"cron add: {job.schedule.words} is over: name a time to come")
    if not jobs.add(where, asked.name, jobs.render(told)):
        raise Misuse(f"there is a job {asked.name} already: `cron remove {asked.name}` first, or choose another name")
    at = rounds.in_words(times.of(first), zone)
    if not rounds.whose(where, job):
        errors.tell(f"nobody hears room {job.room} yet: the job waits for one who does")
    commands.tell({"name": job.name, "next": times.of(first), **told}, f"{job.name}: first on {at}", asked)


def _remove(where: Home, asked: argparse.Namespace) -> None:
    if not jobs.remove(where, asked.name):
        jobs.read(where, asked.name)  # which says what there is
    commands.tell({"name": asked.name, "removed": True}, f"{asked.name} is removed", asked)


def _switch(where: Home, asked: argparse.Namespace) -> None:
    job, on = jobs.read(where, asked.name), asked.do == "enable"
    if job.enabled != on:
        jobs.switch(where, asked.name, on)
    commands.tell({"name": job.name, "enabled": on}, f"{job.name} is {asked.do}d", asked)


def _run(where: Home, asked: argparse.Namespace) -> None:
    job = jobs.read(where, asked.name, home.settings(where).zone)
    self_id = rounds.whose(where, job)
    if not self_id:
        raise Trouble(f"nobody hears room {job.room}: an agent must, to be woken there")
    one = rounds.of(job, times.of(datetime.now(UTC)), "asked")
    due.hand(where, self_id, one)
    commands.tell(
        {"name": job.name, "agent": self_id, "at": one.at}, f"{job.name} is due now, for {short(self_id)}", asked
    )


DO: Mapping[str, Callable[[Home, argparse.Namespace], None]] = {
    "list": _list,
    "add": _add,
    "remove": _remove,
    "enable": _switch,
    "disable": _switch,
    "run": _run,
}
