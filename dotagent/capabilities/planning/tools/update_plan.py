"""UPDATE_PLAN: write the agent's plan and open points for a long task. The model sees the plan at the end of each
prompt until the task's turn is over, also after summaries replaced earlier entries. A new plan replaces the old one."""

from __future__ import annotations

from dotagent.life import marks
from dotagent.life.events import Plan
from dotagent.life.session import Session
from dotagent.text import secrets
from dotagent.text.grammar import ToolCall
from dotagent.tools import ToolError

FOR = "Keep your plan of a long task in sight until you answer"
USAGE = ("UPDATE_PLAN words",)
BRIEF = ()  # the end of a long turn's prompts explains it
ORDER = 35
EFFECT = ""
ORIGIN = "own"

LONGEST = 1_000  # characters of a plan
TITLE = "Your own plan for this (UPDATE_PLAN replaces it):"
HINT = "UPDATE_PLAN words keeps your plan and open points here, at the end of each prompt, until you answer."


def act(session: Session, call: ToolCall) -> bytes:
    """Record the plan. Raises ToolError if it is empty or too long."""
    words = f"{call.args}\n{call.body or ''}".strip()
    if not words:
        raise ToolError("the plan is missing. Example: UPDATE_PLAN 1. read the logs (done) 2. write hosts.txt")
    if len(words) > LONGEST:
        raise ToolError(f"the plan has {len(words):,} characters, but a plan has at most {LONGEST:,}; shorten it")
    plan = marks.mark(session, secrets.masked(words))
    session.record(Plan(), plan.encode("utf-8", "replace"))
    return b"You see this plan at the end of each prompt until you have answered."
