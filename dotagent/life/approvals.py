"""The approval of effects, once the context contains text of others: a rule of the policy, the second look's call, or a
person's yes.

Without such text every call of an agent runs, and nothing here is loaded. Owns nothing on disk; policy.py contains the
rules, second_look.py the second request, and permission.py the questions.
"""

from __future__ import annotations

from contextlib import suppress

from dotagent import extensions
from dotagent.errors import Trouble
from dotagent.life import origins, policy
from dotagent.life.policy import Act
from dotagent.life.session import Session
from dotagent.life.tool_results import Shown, ToolError, Worded, guard, load_tool
from dotagent.text import escape, grammar
from dotagent.text.grammar import ToolCall
from dotagent.text.lazy import replace

INSTEAD = "Instead of your call I made this one, which my owner's own words ask for:"


def act(session: Session, call: ToolCall) -> bytes | Shown | Worded | None:
    """Run a call if it is approved, and return its result for the model. Raises ToolError, and Trouble if a blob is
    lost."""
    if doing := _judge(session, call):
        act_of, ruling = doing
        if ruling == policy.REFUSE:
            raise ToolError(
                f"not done: my owner's settings refuse {act_of.kind} once my context contains text from others"
            )
        found = _planned(session, call, act_of)
        if found is None:
            from dotagent.life import permission  # loaded only to ask

            calls = enumerate(pending_calls(session), session.state.turn.done)
            due = [(place, one, about) for place, one in calls if (about := find_asked(session, one))]
            return Worded(permission.ask(session, due), "asked")
        from dotagent.life.look_events import Instead

        session.record(Instead(found[0]))
        return act(session, found[1])
    try:
        return add_replacement(session, call, guard(call.name, lambda: load_tool(call).act(session, call)))
    except (Trouble, OSError):
        turn, own = session.state.turn, pending_calls(session)
        failed = turn.effect or origins.tool_origin(call.name) == "web"  # a request to the web is not announced
        if failed or not (turn.instead and own) or own[0] == call:
            raise
    from dotagent.life.look_events import Instead

    session.record(Instead(session.state.turn.instead - 1, "failed"))
    return act(session, own[0])


def allowed(session: Session) -> tuple[ToolCall, ...]:
    """Return the tool call that the owner approved and that has not run yet: a tuple of one, or empty."""
    reply, _, index = session.state.heard.allowed.partition(";")[0].partition(" ")
    return grammar.read(session.words(reply), extensions.tools()).calls[int(index) :][:1] if index.isdecimal() else ()


def instead(session: Session) -> ToolCall | None:
    """Return the second look's call that runs instead of the pending one, or None if it is lost."""
    return next(iter(_looked(session)[session.state.turn.instead - 1 :]), None)


def _looked(session: Session) -> tuple[ToolCall, ...]:
    """Return the calls of the answer to the second look."""
    looked = session.state.turn.looked
    return grammar.read(session.words(looked), extensions.tools()).due if looked not in ("", "-") else ()


def needs_look(session: Session, call: ToolCall) -> bool:
    """Return True if the policy would ask about the call, and the turn's message gets a second look first."""
    turn = session.state.turn
    if turn.looked or turn.effect or turn.instead or session.state.heard.allowed or not find_asked(session, call):
        return False
    from dotagent.life import second_look  # loaded only for such a call

    return second_look.is_due(session)


def find_asked(session: Session, call: ToolCall) -> Act | None:
    """Return the effect of the call if the policy would ask about it."""
    try:
        doing = None if call.problem else _judge(session, call)
    except (Trouble, OSError):  # the call itself will fail in the same way
        return None
    return doing[0] if doing and doing[1] == policy.ASK else None


def effect(session: Session, call: ToolCall) -> Act | None:
    """Return the effect of a call for the policy, or None for a call without effect."""
    tool = load_tool(call)
    if hasattr(tool, "effect"):
        found: Act | None = guard(call.name, lambda: tool.effect(session, call))
        return found
    kind = str(getattr(tool, "EFFECT", policy.OTHER))
    return Act(kind, "") if kind else None


def _judge(session: Session, call: ToolCall) -> tuple[Act, str] | None:
    """Return the call's effect and the verdict, or None if it may run: the owner allowed this call, the second look
    made it, or the policy allows it."""
    if session.state.turn.instead or is_approved(session, call):
        return None
    doing = effect(session, call)
    ruling = policy.verdict(session, doing) if doing else policy.ALLOW
    return (doing, ruling) if doing and ruling != policy.ALLOW else None


def is_approved(session: Session, call: ToolCall) -> bool:
    """Return True if a person said yes to this very call."""
    return allowed(session) == (call,)


def _planned(session: Session, call: ToolCall, doing: Act) -> tuple[int, ToolCall] | None:
    """Return the second look's unused call of the same tool to the same target, and its index, or None.

    If there are several, the identical call counts, otherwise a call of the last message, because a model may also
    answer earlier messages in the second look.
    """
    found, left = list[tuple[int, ToolCall]](), [one for one in pending_calls(session) if one.name == call.name]
    for at, one in enumerate(_looked(session)):
        if one.name != call.name or one.problem or at in session.state.turn.used:
            continue
        with suppress(Trouble, OSError):
            if (act := effect(session, one)) and (act.kind, act.target) == (doing.kind, doing.target):
                found.append((at, one))
    same = [each for each in found if each[1] == call]
    return next(iter([*same, *found[-max(1, len(left)) :]]), None)


def pending_calls(session: Session) -> tuple[ToolCall, ...]:
    """Return the calls of the model's own reply that are not done yet."""
    turn = session.state.turn
    return grammar.read(session.words(turn.reply), extensions.tools(), turn.cut).due[turn.done :] if turn.reply else ()


def add_replacement(
    session: Session, call: ToolCall, shown: bytes | Shown | Worded | None
) -> bytes | Shown | Worded | None:
    """Return the result for the model. If another call ran instead of the model's own, say which."""
    same = not session.state.turn.instead or pending_calls(session)[:1] == (call,)
    if same or isinstance(shown, Shown):
        return shown
    did = escape.indent(f"{call.name} {call.args}\n{call.body or ''}".rstrip("\n"))
    told = f"{INSTEAD}\n{did}\n".encode("utf-8", "replace")
    if isinstance(shown, Worded):
        return replace(shown, words=told + shown.words)
    return told + shown if shown else Worded(told, by=origins.OWN)
