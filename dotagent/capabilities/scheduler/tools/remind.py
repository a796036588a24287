"""REMIND: set a reminder for the agent. The scheduler runs the reminder as a job (`jobs/remind-….toml`). The tool also
lists and cancels reminders."""

from __future__ import annotations

from datetime import UTC, datetime

from dotagent.capabilities.scheduler import jobs, wakes
from dotagent.capabilities.scheduler.jobs import Job
from dotagent.errors import Misuse
from dotagent.life import approvals, marks
from dotagent.life.policy import Act
from dotagent.life.session import Session
from dotagent.life.tool_results import Worded
from dotagent.text import escape, languages, reminder_times, schedule, times
from dotagent.text.dates import Unclear
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

MOST = 100  # the most jobs of an agent
PREFIX = "remind-"


def effect(session: Session, call: ToolCall) -> Act | None:
    """Return the creation or cancellation of a job."""
    return Act(EFFECT, "") if call.args.partition(" ")[0] != "list" else None


def act(session: Session, call: ToolCall) -> bytes | Worded:
    """Create the job, or list or cancel those of the agent."""
    verb, _, rest = call.args.partition(" ")
    if verb in ("list", "cancel"):
        return _list(session, rest.strip()) if verb == "list" else _cancel(session, call, rest.strip())
    try:
        said = reminder_times.parse_request(_text(call), times.local_now())
    except Unclear as unclear:
        raise ToolError(reminder_times.ask_back(unclear)) from None
    if said is None:
        raise ToolError("when? " + "; ".join((*USAGE, MORE)))
    if not said.text:
        raise ToolError(f"the words of the reminder are missing: {USAGE[0]}")
    mine = _own_reminders(session)
    if len(mine) >= MOST:
        raise ToolError(
            f"{MOST} reminders are already set; see REMIND list, then cancel some of them with REMIND cancel"
        )
    name = f"{PREFIX}{_next_number(session)}"
    job = _make_job(session, name, said.kind, said.words, _marked(session, call, said.text))
    session.announce(call, f"{job.name} {said.kind} {said.words}")
    return _make(session, call, job)


def _next_number(session: Session) -> int:
    """Return a number that no reminder has had. A person may still mean a cancelled reminder by its number."""
    known = {*jobs.list_names(session.home), *jobs.list_done(session.home)}
    numbers = (name.removeprefix(PREFIX) for name in known if name.startswith(PREFIX))
    return max((int(number) for number in numbers if number.isdecimal()), default=0) + 1


def recover(session: Session, call: ToolCall, what: str) -> bytes:
    """Create or cancel the announced job, unless that was done."""
    name, kind, words = (*what.split(" ", 2), "", "")[:3]
    if kind == "cancel":
        return _finish(session, name)
    text = _marked(session, call, reminder_times.remove_time(_text(call)))
    return _make(session, call, _make_job(session, name, kind, words, text))


def _marked(session: Session, call: ToolCall, text: str) -> str:
    """Return the text with the marks of its lines, which a person's yes to the call takes away."""
    marked = marks.mark(session, text)
    return text if approvals.is_approved(session, call) else marked


def _text(call: ToolCall) -> str:
    """Return the time and the text. If the whole line is a time, the text begins on the next line."""
    body, line = (call.body or "").strip(), call.args.rstrip(" :")
    return f"{line}: {body}" if body and reminder_times.is_time(line) else f"{call.args} {body}".strip()


def _make(session: Session, call: ToolCall, job: Job) -> bytes:
    """Create the job, unless it exists or is over. Return when it is first due, in the language of the call's time."""
    told = {job.schedule.kind: job.schedule.words, "zone": job.schedule.zone, "room": job.room, "agent": job.agent}
    if not jobs.is_done(session.home, job.name) or job.schedule.kind != "at":
        jobs.add(session.home, job.name, jobs.render({**told, "text": job.text}))
    return _line(job, reminder_times.find_language(_text(call))).encode("utf-8", "replace")


def _line(job: Job, language: str = "en") -> str:
    """Return when the job is due: its day, date, time and zone, and the time after that, in this language."""
    zone, first = job.schedule.zone, schedule.next_time(job.schedule, datetime.now(UTC))
    local, again = reminder_times.format_time(first, zone, language) if first else "now", ""
    if first and job.schedule.kind != "at":
        second = schedule.next_time(job.schedule, first)
        then = f", {languages.answers(language)[1]} " if second else ""
        then += reminder_times.format_time(second, zone, language) if second else ""
        again = f"{then}, {job.schedule.kind} {job.schedule.words}"
    return f"{job.name}: {local}{again}: {escape.one_line(job.text, 200)}"


def _make_job(session: Session, name: str, kind: str, words: str, text: str) -> Job:
    room, agent = session.state.turn.room, short(session.id)
    told = {kind: words, "zone": times.zone(), "room": room, "agent": agent, "text": text}
    try:
        return jobs.make_job(name, told)
    except (ValueError, KeyError) as wrong:
        raise ToolError(f"{wrong}") from None


def _own_reminders(session: Session) -> list[Job]:
    """Return the agent's reminders. Unreadable ones are skipped; a person must fix them."""
    found = []
    for name in jobs.list_names(session.home):
        try:
            job = jobs.read(session.home, name)
        except Misuse:
            continue
        if job.agent and session.id.startswith(job.agent) and name.startswith(PREFIX):
            found.append(job)
    return found


def _list(session: Session, language: str) -> Worded:
    """Return the agent's reminders, with the names of days in this language: `REMIND list fr`."""
    mine = _own_reminders(session)
    told = "\n".join([_line(job, language or "en") for job in mine] or ["no reminder is set"])
    by = next(filter(None, (wakes.origin(job.text) for job in mine)), "")
    return Worded(told.encode("utf-8", "replace"), by=by)


def _cancel(session: Session, call: ToolCall, name: str) -> bytes:
    name = name if name.startswith(PREFIX) else f"{PREFIX}{name}"
    if name not in (job.name for job in _own_reminders(session)):
        raise ToolError(f"you have no reminder {escape.one_line(name, 60)}; REMIND list shows your reminders")
    session.announce(call, f"{name} cancel")
    return _finish(session, name)


def _finish(session: Session, name: str) -> bytes:
    """Move the reminder to the finished jobs, so that no other reminder gets its number."""
    jobs.finish(session.home, name, times.parse(times.now()))
    return f"{name} is cancelled".encode()
