"""List, add and change scheduled jobs and reminders.

Each job is a file, `jobs/<name>.toml`. You can also write this file by hand; docs/clock.md explains its form. Jobs run
only while the command `clock` runs.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta

from dotagent import commands, errors, installed
from dotagent.capabilities.scheduler import clock_process, due, jobs, rounds
from dotagent.errors import Misuse, Trouble
from dotagent.store import agent_search, home, lives
from dotagent.store.home import Home
from dotagent.text import escape, reminder_times, schedule, times
from dotagent.text.dates import Unclear
from dotagent.text.reference import short

GROUP = "daily"

USES = dict.fromkeys(("TEXT", "--cron", "--at", "--every", "--zone", "--room", "--agent", "--window"), "add")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the action, the job, and the options of a new job."""
    parser.add_argument("do", nargs="?", choices=tuple(DO), default="list", help="what to do (default: list)")
    parser.add_argument("name", nargs="?", metavar="NAME", help="the job's name: a-z, 0-9, _ and -")
    parser.add_argument(
        "text", nargs="*", metavar="TEXT", help="for `add`: the task or message for the agent at that time"
    )
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument(
        "--cron", metavar="EXPR", help='for `add`: when the job runs, in five fields, e.g. "0 9 * * MON-FRI"'
    )
    kind.add_argument(
        "--at", metavar="TIME", help='for `add`: once at this time, e.g. 2026-11-27T09:00, "friday at 9" or 20m'
    )
    kind.add_argument("--every", metavar="TIME", help="for `add`: repeat at this interval, e.g. 30m")
    parser.add_argument("--zone", metavar="ZONE", help="for `add`: the time zone (default: the setting `zone`)")
    parser.add_argument("--room", metavar="ROOM", help="for `add`: the job's room (default: dev)")
    parser.add_argument("--agent", metavar="AGENT", help="for `add`: which agent, if several have joined the room")
    parser.add_argument(
        "--window", metavar="TIME", help="for `add`: how late a missed run may still start (default: 1d)"
    )
    commands.json_flag(parser)


def run(asked: argparse.Namespace) -> int:
    """Run the action, and return the exit status."""
    where = commands.home_of(asked)
    commands.refuse_unused(asked, asked.do, USES)
    if asked.do not in ("list", "add") and not asked.name:
        raise Misuse(f"the job's name is missing: `cron {asked.do} NAME`; `cron list` shows the names")
    DO[asked.do](where, asked)
    return 0


def _list(where: Home, asked: argparse.Namespace) -> None:
    zone, rows = home.settings(where).place, list[commands.Row]()
    if asked.name and asked.name not in jobs.list_names(where):
        jobs.read(where, asked.name)  # it raises an error that lists the jobs
    for name in [asked.name] if asked.name else jobs.list_names(where):
        known = jobs.ran(where, name)
        told = {"name": name, "handed": known.handed, "missed": known.missed, "why": known.why}
        try:
            job = jobs.read(where, name, zone)
        except Misuse as wrong:
            rows.append(({**told, "wrong": str(wrong)}, (name, "", "wrong", known.handed, "", str(wrong))))
            continue
        soon = rounds.following(job, known, datetime.now(UTC)) if job.enabled else None
        follows = rounds.format_time(times.make_stamp(soon), job.schedule.zone) if soon else ""
        fields = {"kind": job.schedule.kind, "words": job.schedule.words, "zone": job.schedule.zone, "room": job.room}
        more = {
            "agent": job.agent,
            "text": job.text,
            "enabled": job.enabled,
            "next": times.make_stamp(soon) if soon else "",
        }
        odd = f" ({known.why})" if known.why else ""
        cells = (name, f"{job.schedule.kind} {job.schedule.words}", follows or "disabled", known.handed or "never")
        rows.append(({**told, **fields, **more}, (*cells, job.room, escape.one_line(job.text, 60) + odd)))
    _warn(where)
    commands.print_list(asked, "name when next last room text", rows, "no scheduled jobs yet", wrap=True)


def _warn(where: Home) -> None:
    """Say so if there are jobs and nothing would start them. A running agent starts the scheduler."""
    stopped = not clock_process.runs(where) and not any(lives.runs(where, one) for one in home.lives(where))
    if stopped and clock_process.has_jobs(where):
        start = f"`{installed.program('agent')} --last` or `{installed.program('up')}`"
        errors.tell(f"no agent and no scheduler is running, so no job starts; to start them: {start}")


def _add(where: Home, asked: argparse.Namespace) -> None:
    given = {name: getattr(asked, name) for name in ("cron", "at", "every") if getattr(asked, name)}
    if not (asked.name and given and asked.text):
        raise Misuse('usage: cron add NAME (--cron "0 9 * * *" | --at TIME | --every TIME) TEXT')
    zone = asked.zone or home.settings(where).place
    if not times.is_zone(zone):
        raise Misuse(f"there is no time zone {zone!r}; write one like Europe/Berlin")
    if asked.agent:
        asked.agent = agent_search.find_life(where, asked.agent)
    given = dict([_time(asked.at, zone) if asked.at else schedule.read(*one) for one in given.items()])
    told: dict[str, str] = {**given, "zone": zone, "room": asked.room or "dev", "text": " ".join(asked.text)}
    told |= {name: getattr(asked, name) for name in ("agent", "window") if getattr(asked, name)}
    try:
        job = jobs.make_job(asked.name, told)
    except ValueError as wrong:
        raise Misuse(f"cron add: {wrong}") from None
    first = schedule.next_time(job.schedule, datetime.now(UTC))
    if first is None:
        raise Misuse(f"cron add: the time {job.schedule.words} is in the past; give a time in the future")
    if not jobs.add(where, asked.name, jobs.render(told)):
        raise Misuse(
            f"a job {asked.name} already exists; choose another name, or first run "
            f"`{installed.program('cron')} remove {asked.name}`"
        )
    at = rounds.format_time(times.make_stamp(first), zone)
    if not rounds.find_agent(where, job):
        errors.tell(f"{rounds.why_nobody(job)}; {rounds.waits(job)}")
    _warn(where)
    commands.tell(
        {"name": job.name, "next": times.make_stamp(first), **told}, f"job {job.name} will first run on {at}", asked
    )


def _time(text: str, zone: str) -> tuple[str, str]:
    """Return the kind and the words of the time in `--at`, which may be a span from now. Raise Misuse if any part is
    not understood."""
    now = datetime.now(times.find_zone(zone))
    if schedule.is_span(text, schedule.MOST):
        return "at", (now.astimezone(UTC) + timedelta(seconds=schedule.span(text))).isoformat(timespec="seconds")
    try:
        said = reminder_times.parse_request(text, now)
    except Unclear as unclear:
        raise Misuse(f"cron add: {unclear}") from None
    if said is None or said.text:
        raise Misuse(f"cron add: {text!r} is not a time: write 2026-11-27T09:00, or “friday at 9”")
    return said.kind, said.words


def _remove(where: Home, asked: argparse.Namespace) -> None:
    if not jobs.remove(where, asked.name):
        jobs.read(where, asked.name)  # it raises an error that lists the jobs
    commands.tell({"name": asked.name, "removed": True}, f"job {asked.name} is removed", asked)


def _switch(where: Home, asked: argparse.Namespace) -> None:
    job, on = jobs.read(where, asked.name), asked.do == "enable"
    if job.enabled != on:
        jobs.switch(where, asked.name, on)
    _warn(where)
    commands.tell({"name": job.name, "enabled": on}, f"{job.name} is {asked.do}d", asked)


def _run(where: Home, asked: argparse.Namespace) -> None:
    job = jobs.read(where, asked.name, home.settings(where).zone)
    self_id = rounds.find_agent(where, job)
    if not self_id:
        create = f"start one with `{installed.program('agent')} --room {job.room}`"
        correct = f"correct `agent` in {jobs.path_of(where, job.name)}"
        raise Trouble(f"{rounds.why_nobody(job)}, so the job cannot run; {correct if job.agent else create}")
    one = rounds.make_due(job, times.make_stamp(datetime.now(UTC)), "asked")
    due.hand(where, self_id, one)
    commands.tell(
        {"name": job.name, "agent": self_id, "at": one.at},
        f"job {job.name} is due now; agent {short(self_id)} will run it",
        asked,
    )


DO: Mapping[str, Callable[[Home, argparse.Namespace], None]] = {
    "list": _list,
    "add": _add,
    "remove": _remove,
    "enable": _switch,
    "disable": _switch,
    "run": _run,
}
