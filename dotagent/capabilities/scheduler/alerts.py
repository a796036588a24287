"""The outcome of a heartbeat's reply: HEARTBEAT_OK is silence, and the same alert is posted once a day.

Each outcome is one event, and one line in the day's note `agents/<self>/memory/<day>.md`.
"""

from __future__ import annotations

from datetime import timedelta

from dotagent import extensions
from dotagent.capabilities.scheduler import record
from dotagent.capabilities.scheduler.record import ALERT, SLICE, Beat
from dotagent.life import daily
from dotagent.life.session import Session
from dotagent.text import escape, heartbeat_reply, times
from dotagent.text.grammar import ToolCall
from dotagent.text.lazy import replace

DAY = timedelta(days=1)
SECTION = "Heartbeats"
TOLD = {"ok": "nothing to report", "again": "unchanged, already reported within the last day"}


def choose_call(session: Session, call: ToolCall) -> ToolCall:
    """Return the call to run instead of this one. Outside a heartbeat, and for other tools than speech, this is the
    call itself."""
    import hashlib

    beat, tools = record.beat(session.state), extensions.tools()
    if not beat or call.problem or not tools.speaks(call):
        return call
    text = heartbeat_reply.unalarming(call.body or "") if call.name == tools.speech else ""
    digest = hashlib.sha256(" ".join(text.lower().split()).encode("utf-8", "replace")).hexdigest()[:16]
    how = _how(session, beat, digest) if text else "ok"
    if SLICE.of(session.state).judged != digest:
        session.record(Beat(how, beat, digest))
    day, line = daily.line(session, beat, f"heartbeat: {TOLD.get(how) or escape.one_line(text, 300)}")
    daily.write(session, SECTION, day, line)  # once, although a crash may repeat this
    return replace(call, body=text) if how == ALERT else ToolCall(tools.silence, "", None)


def _how(session: Session, beat: str, digest: str) -> str:
    last = SLICE.of(session.state).alerts.get(digest, "")
    try:
        again = last != beat and bool(last) and times.parse(beat) - times.parse(last) < DAY
    except ValueError:
        return ALERT
    return "again" if again else ALERT
