"""REMIND: be woken at a time, by a job that the clock looks after (`jobs/remind-….toml`); list those, cancel one."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from dotagent import installed
from dotagent.errors import Misuse
from dotagent.life.policy import Act
from dotagent.life.session import Session
from dotagent.store import disk, jobs
from dotagent.store.jobs import Job
from dotagent.text import escape, schedule, when
from dotagent.text.grammar import ToolCall
from dotagent.text.reference import short
from dotagent.tools import ToolError

FOR = "Be woken at a time"
USAGE = ("REMIND in 10 minutes: words",)
ORDER = 40
EFFECT = "remind"
ORIGIN = "own"
SOME = "unmade"
MORE = "REMIND every monday 8:30: words; REMIND 2026-11-27 09:00: words; REMIND list; REMIND cancel 1"

MOST = 100  # jobs that one life may have
PREFIX = "remind-"

_STILL = f"no clock runs here yet: `{installed.typed('clock')}` or `{installed.typed('up')}` starts it"


def effect(session: Session, call: ToolCall) -> Act | None:
    """Making a job or cancelling one; its time and its words are two arguments."""
    return Act(EFFECT, "", tuple(_text(call).split(": ", 1))) if call.args.partition(" ")[0] != "list" else None


def act(session: Session, call: ToolCall) -> bytes:
    """Make the job, or list or cancel those of this life."""
    verb, _, rest = call.args.partition(" ")
    if verb in ("list", "cancel"):
        return _list(session) if verb == "list" else _cancel(session, call, rest.strip())
    said = when.said(_text(call), datetime.now(ZoneInfo(session.settings.place)))
    if said is None:
        raise ToolError("when? " + "; ".join((*USAGE, MORE)))
    if not said.text:
        raise ToolError(f"remind of what? {USAGE[0]}")
    mine = _mine(session)
    if len(mine) >= MOST:
        raise ToolError(f"{MOST} reminders are set already: REMIND list, and REMIND cancel some")
    number = 1
    while _is_taken(session, f"{PREFIX}{number}"):
        number += 1
    job = _made(session, f"{PREFIX}{number}", said.kind, said.words, said.text)
    if schedule.after(job.schedule, datetime.now(UTC)) is None:
        raise ToolError(f"{said.words} is over: name a time to come")
    session.announce(call, f"{job.name} {said.kind} {said.words}")
    return _make(session, job)


def recover(session: Session, call: ToolCall, what: str) -> bytes:
    """Make the job that was announced, or cancel it, unless that was done."""
    name, kind, words = (*what.split(" ", 2), "", "")[:3]
    if kind == "cancel":
        jobs.remove(session.home, name)
        return f"{name} is cancelled".encode()
    said = when.said(_text(call), datetime.now(ZoneInfo(session.settings.place)))
    return _make(session, _made(session, name, kind, words, said.text if said else call.args))


def _text(call: ToolCall) -> str:
    return f"{call.args} {(call.body or '').strip()}".strip()


def _make(session: Session, job: Job) -> bytes:
    """Make the job, unless it is there or over, and say when it is due first."""
    told = {job.schedule.kind: job.schedule.words, "zone": job.schedule.zone, "room": job.room, "agent": job.agent}
    if not jobs.is_done(session.home, job.name) or job.schedule.kind != "at":
        jobs.add(session.home, job.name, jobs.render({**told, "text": job.text}))
    asleep = "" if disk.is_locked(session.home.clock / "pid") else f" ({_STILL})"
    return f"{_line(job)}{asleep}".encode("utf-8", "replace")


def _line(job: Job) -> str:
    first = schedule.after(job.schedule, datetime.now(UTC))
    again = f", {job.schedule.kind} {job.schedule.words}" if job.schedule.kind != "at" else ""
    local = f"{first.astimezone(ZoneInfo(job.schedule.zone)):%a %Y-%m-%d %H:%M} {job.schedule.zone}" if first else "now"
    return f"{job.name}: {local}{again}: {escape.one_line(job.text, 200)}"


def _made(session: Session, name: str, kind: str, words: str, text: str) -> Job:
    room, agent = session.state.turn.room, short(session.id)
    told = {kind: words, "zone": session.settings.place, "room": room, "agent": agent, "text": text}
    try:
        return jobs.made(name, told)
    except (ValueError, KeyError) as wrong:
        raise ToolError(f"{wrong}") from None


def _mine(session: Session) -> list[Job]:
    """The reminders of this life; what cannot be read is a person's to mend."""
    found = []
    for name in jobs.listed(session.home):
        try:
            job = jobs.read(session.home, name)
        except Misuse:
            continue
        if job.agent and session.id.startswith(job.agent) and name.startswith(PREFIX):
            found.append(job)
    return found


def _is_taken(session: Session, name: str) -> bool:
    return name in jobs.listed(session.home) or jobs.is_done(session.home, name)


def _list(session: Session) -> bytes:
    return "\n".join([_line(job) for job in _mine(session)] or ["no reminder is set"]).encode("utf-8", "replace")


def _cancel(session: Session, call: ToolCall, name: str) -> bytes:
    name = name if name.startswith(PREFIX) else f"{PREFIX}{name}"
    if name not in (job.name for job in _mine(session)):
        raise ToolError(f"you have no reminder {escape.one_line(name, 60)}: REMIND list shows them")
    session.announce(call, f"{name} cancel")
    jobs.remove(session.home, name)
    return f"{name} is cancelled".encode()
