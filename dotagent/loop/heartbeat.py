"""What becomes of what a heartbeat says: HEARTBEAT_OK is silence, an alert is said, the same one once a day.

Each is one event, and a line in the day's note, `agents/<self>/memory/<day>.md`, which is appended once.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from datetime import timedelta

from dotagent import extensions
from dotagent.life import daily
from dotagent.life.events import Beat
from dotagent.life.session import Session
from dotagent.life.woken import ALERT
from dotagent.text import escape, grammar, times
from dotagent.text.grammar import ToolCall

DAY = timedelta(days=1)
SECTION = "Heartbeats"
TOLD = {"ok": "nothing to tell", "again": "still so, told within the last day"}


def judged(session: Session, call: ToolCall) -> ToolCall:
    """The call that is done in place of this one; in other turns, and of other tools, it itself. What is said in the
    turn before the oldest fades is for nobody."""
    beat, tools = session.state.turn.beat, extensions.tools()
    if session.state.turn.flush and call.name == tools.speech and not call.problem:
        return ToolCall(tools.silence, "", None)
    if not beat or call.problem or not tools.speaks(call):
        return call
    text = grammar.unalarming(call.body or "") if call.name == tools.speech else ""
    digest = hashlib.sha256(" ".join(text.lower().split()).encode("utf-8", "replace")).hexdigest()[:16]
    how = _how(session, beat, digest) if text else "ok"
    if session.state.turn.judged != digest:
        session.record(Beat(how, beat, digest))
    _write_down(session, beat, TOLD.get(how) or escape.one_line(text, 300))
    return replace(call, body=text) if how == ALERT else ToolCall(tools.silence, "", None)


def _how(session: Session, beat: str, digest: str) -> str:
    last = session.state.heard.alerts.get(digest, "")
    try:
        again = last != beat and bool(last) and times.parse(beat) - times.parse(last) < DAY
    except ValueError:
        return ALERT
    return "again" if again else ALERT


def _write_down(session: Session, beat: str, text: str) -> None:
    """Append what came of it to the day's note, unless it is there: this may be done anew after a death."""
    day, line = daily.line(session, beat, f"heartbeat: {text}")
    daily.write(session, SECTION, day, line)
