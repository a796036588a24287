"""What people read when no model answers: since when, why, and which task was due. Owns nothing on disk."""

from __future__ import annotations

from pathlib import Path

from dotagent.life import events
from dotagent.life.event import FORMS
from dotagent.life.events import Away, Fail, Hear, Reply
from dotagent.life.session import Session
from dotagent.store import log
from dotagent.text import escape, times

FAR = 1000  # events that are searched for the last failure
QUOTED = 200  # characters of a task that could not be done


def add_task(session: Session, hint: str) -> tuple[str, str]:
    """Return a hint about a failed request, with the task that was due, if no message of a person began the turn, and
    the number of the task's entry, or "". Otherwise a reminder that no model could speak would be lost without a
    word."""
    began = next((one for one in reversed(session.entries) if FORMS[one.event].begins), None)
    if began is None or began.event == Hear.WORD:
        return hint, ""
    task = (began.content or b"").decode("utf-8", "replace").partition("\n")[2]  # the first line introduces the task
    return (f"{hint}; this was due: {escape.one_line(task, QUOTED)}", str(began.number)) if task.strip() else (hint, "")


def describe_failure(path: Path) -> str:
    """Return why and since when no model, or only a fallback, answers the agent, from the end of its LIFE; "" if all is
    in order."""
    why = since = answers = ""
    away = dict[str, str]()
    for line in log.tail(path, FAR):
        event = events.parse(line) if line.event in (Reply.WORD, Fail.WORD, Away.WORD) else None
        if isinstance(event, Reply) or (isinstance(event, Fail) and event.again == "stopped"):
            why = since = ""
            answers = event.told.get("provider", "") if isinstance(event, Reply) else answers
            away.pop(answers, None)
        elif isinstance(event, Fail):
            why, since = line.gist, since or line.at
            away.clear()
        elif isinstance(event, Away):
            away[event.provider] = f"since {times.format_stamp(line.at)}: {event.why}"
    if since:
        return f"no answer from the model since {times.format_stamp(since)}: {why}"
    return f"{answers} answers {next(iter(away.values()))}" if away and answers else ""
