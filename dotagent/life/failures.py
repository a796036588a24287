"""Whether a model answers an agent at present, from the end of its LIFE. Owns nothing on disk."""

from __future__ import annotations

from pathlib import Path

from dotagent.life import events
from dotagent.life.events import Away, Fail, Reply
from dotagent.store import log
from dotagent.text import times

FAR = 1000  # events that are searched for the last failure


def describe_failure(path: Path) -> str:
    """Return why and since when no model, or only a fallback, answers the agent, from the end of its LIFE; "" if all is
    in order."""
    why = since = answers = ""
    away = dict[str, str]()
    for line in log.tail(path, FAR):
        event = events.parse(line)
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
