"""The tools of an agent: each module is one tool, and its file name is the tool's name (`read_file.py` is READ_FILE).

The top of a module declares what others must know. FOR is the purpose, in a line. USAGE shows the model how to call it.
FORM, ROLE and REMINDER are for unusual tools (see extensions.tools). SOME is set if not every agent has the tool: a
word of HAVING says which agents have it, and for any other value `given(life)` decides. Other agents neither see it nor
can call it. TELLS means that `told(life)` adds text to the prompt. BRIEF is the part of USAGE for the prompt, if
something else explains the rest; with (), the prompt's list does not contain the tool. ORDER is the place in the
prompt: the most used tools first, tools without ORDER last.

`act(session, call)` returns the result for the model (a Shown for a picture, PDF or sound), or None if there is nothing
to read. A failure is a ToolError, whose text becomes the result.

EFFECT is the kind of effect (life/policy.py), or "" for a tool that only reads; docs/settings.md lists them.
`effect(session, call)` returns an Act with the target of a call, or None for a call without effect. Without that
function the effect has no target, so a person can allow single calls, but never all of them. ORIGIN says whose words
the results are: "own", or one of origins.ORIGINS for others. If a tool declares neither, the worst is assumed. WHOLE
means that a tool writes a file and keeps nothing of its earlier content.

A tool whose effect others can see calls `session.announce(call, what)` and then acts. If the process crashes in
between, the next one calls `recover(session, call, what)`, which finds out what happened and returns like `act`. If a
tool has no `recover`, the model reads that the result is unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache, partial
from typing import TYPE_CHECKING, Any, TypeVar

from dotagent import errors, extensions
from dotagent.errors import Trouble
from dotagent.life import origins, policy
from dotagent.life.events import Effect
from dotagent.life.policy import Act
from dotagent.life.session import Leaving, Session
from dotagent.life.state import State
from dotagent.life.tool_results import Shown, Worded
from dotagent.store import bootstrap, reserved_names
from dotagent.store.home import Home, Settings
from dotagent.text import escape, grammar
from dotagent.text.grammar import ToolCall
from dotagent.text.lazy import dataclass, replace

if TYPE_CHECKING:  # few agents are helpers
    from dotagent.store.helpers import Terms

T = TypeVar("T")
HAVING: Mapping[str, Callable[[Whose], bool]] = {
    "every": lambda life: True,
    "unmade": lambda life: life.terms is None,
    "reads": lambda life: life.terms is None or life.terms.workspace != "none",
    "changes": lambda life: life.terms is None or life.terms.workspace == "rw",
    "notes": lambda life: not bootstrap.is_hidden(life.state.audience, reserved_names.MEMORY),
}
"""The agents that have a tool, by its SOME: all, all but helpers, those that may read files or may change them, and
those with notes. So a prompt names these tools without importing them."""
LAST = 100  # the ORDER of a tool that declares none
INSTEAD = "Instead of your call I made this one, which my owner's own words ask for:"
UNKNOWN = (
    "the process was stopped during this call, so the action may or may not have happened; check that before you "
    "repeat the call"
)


class ToolError(Trouble):
    """A tool's failure. The text tells the model what went wrong and what to do instead; `by` says whose words it
    quotes, if any."""

    def __init__(self, text: str, by: str = "") -> None:
        super().__init__(text)
        self.by = by


def act(session: Session, call: ToolCall) -> bytes | Shown | Worded | None:
    """Run a call if the policy allows it, and return its result for the model. Raises ToolError, and Trouble if a blob
    is lost."""
    tool = _tool(call)
    if not (_is_given(session, extensions.file_name(call.name)) or hasattr(tool, "ROLE")):
        if hasattr(tool, "permit"):
            tool.permit(session)  # raises the reason
        raise ToolError(f"you have no tool {call.name}")
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
        return _make_result(session, call, _done(call.name, lambda: tool.act(session, call)))
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
    """Return the second look's call that runs instead of the pending one, or None."""
    number = session.state.turn.instead
    return next(iter(_looked(session)[number - 1 :]), None) if number else None


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
    tool = _tool(call)
    if hasattr(tool, "effect"):
        found: Act | None = _done(call.name, lambda: tool.effect(session, call))
        return found
    kind = str(getattr(tool, "EFFECT", policy.OTHER))
    return Act(kind, "") if kind else None


def recover(session: Session, call: ToolCall, effect: Effect) -> bytes | Shown | Worded | None:
    """Find out what happened to an effect that a crashed process announced, and return like `act`. Never repeats it."""
    if effect.tool == origins.QUESTION:
        from dotagent.life import permission  # loaded only after a crash

        return Worded(permission.say(session, effect.what), "asked")
    if call.name not in extensions.tools().forms:  # from an earlier version, or an edited line
        raise ToolError(UNKNOWN)
    tool = _tool(call)
    if not hasattr(tool, "recover"):
        raise ToolError(UNKNOWN)
    try:
        return _make_result(session, call, _done(call.name, lambda: tool.recover(session, call, effect.what)))
    except ValueError:  # an edited announcement
        raise ToolError(UNKNOWN) from None


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


def _make_result(
    session: Session, call: ToolCall, shown: bytes | Shown | Worded | None
) -> bytes | Shown | Worded | None:
    """Return the result for the model. If another call ran instead of the model's own, say which."""
    turn = session.state.turn
    if not turn.instead or isinstance(shown, Shown):
        return shown
    if pending_calls(session)[:1] == (call,):
        return shown
    did = escape.indent(f"{call.name} {call.args}\n{call.body or ''}".rstrip("\n"))
    told = f"{INSTEAD}\n{did}\n".encode("utf-8", "replace")
    if isinstance(shown, Worded):
        return replace(shown, words=told + shown.words)
    return told + shown if shown else Worded(told, by=origins.OWN)


def _tool(call: ToolCall) -> Any:
    """Return the tool's module. Raises ToolError if a plug-in cannot be loaded."""
    return _done(call.name, lambda: extensions.load("tools", call.name.lower()))


def _done(name: str, do: Callable[[], T]) -> T:
    """Return the result of `do`. An error in a plug-in becomes a ToolError and does not end the process."""
    try:
        return do()
    except (Trouble, OSError, Leaving):
        raise
    except Exception as fault:  # noqa: BLE001 a plugin may raise anything
        failed = fault
    if not extensions.is_added("tools", extensions.file_name(name)):
        raise failed
    told = escape.one_line(f"{type(failed).__name__}: {failed}", 300)
    raise ToolError(f"{name.upper()} failed because of a bug that its author must fix: {told}") from failed


def copy_before_change(session: Session) -> None:
    """Copy `files/` before a change there, if the context contains others' words. Raises ToolError."""
    if origins.foreign(session.state.heard.origins):
        from dotagent.store import undo

        try:
            undo.keep(session.path)
        except OSError as error:
            raise ToolError(f"not done: could not copy files/ before the change: {errors.line(error)}") from None


@dataclass(frozen=True)
class Life:
    """An agent seen from outside: the facts that decide which tools it has."""

    home: Home
    id: str
    settings: Settings
    state: State
    terms: Terms | None


Whose = Session | Life
"""An agent that runs in this process, or one seen from outside."""


def make_life(where: Home, self_id: str, settings: Settings, state: State) -> Life:
    """Return the agent with this id, as it would run under these settings."""
    from dotagent.store import helpers  # an agent that runs knows its own

    terms = helpers.terms(where.store(), self_id)
    return Life(where, self_id, replace(settings, workspace=terms.workspace) if terms else settings, state, terms)


def list_names(life: Whose) -> tuple[str, ...]:
    """Return the names of the agent's tools, in the order of the prompt."""
    return tuple(name for name in _ordered() if _is_given(life, name))


def _ordered() -> list[str]:
    """Return all tools' names, sorted by ORDER and then by name."""
    order = {name: extensions.constants("tools", name).get("ORDER") for name in extensions.names("tools")}
    return sorted(order, key=lambda name: one if isinstance(one := order[name], int) else LAST)


def _is_given(life: Whose, name: str) -> bool:
    if (capability := extensions.owner("tools", name)) and capability not in life.settings.capabilities:
        return False
    some = extensions.constants("tools", name).get("SOME")
    if not some and extensions.is_added("tools", name):
        return bootstrap.kind(life.state.audience) == "private"
    if not some:
        return True
    if isinstance(some, str) and some in HAVING:
        return HAVING[some](life)
    try:
        return _done(name, lambda: bool(extensions.load("tools", name).given(life)))
    except ToolError:  # a plug-in that fails cannot be called
        return False


@cache
def usage(names: tuple[str, ...] | None = None) -> str:
    """Return the purpose and usage of these tools, or of all, one form a line, for the prompt."""
    return "\n".join(line for name in (_ordered() if names is None else names) for line in _usage(name))


def facts(life: Whose) -> str:
    """Return how to call an agent's tools, and the tools' own texts, for the head of a prompt."""
    return _facts(life, list_names(life))


def _facts(life: Whose, mine: tuple[str, ...]) -> str:
    more = (
        str(extensions.load("tools", name).told(life))
        for name in mine
        if extensions.constants("tools", name).get("TELLS")
    )
    return "\n\n".join(filter(None, (usage(mine), *more)))


def describe_tools(life: Whose) -> tuple[str, Callable[[], str]]:
    """Return the facts of an agent's tools, and what returns their schemas, which few requests need."""
    mine = list_names(life)
    return _facts(life, mine), partial(schemas, mine)


@cache
def schemas(names: tuple[str, ...] | None = None) -> str:
    """Return the definitions of these tools, or of all, for services with native function calling."""
    from dotagent.text import native  # loaded where a service has native function calling

    found = []
    for file in _ordered() if names is None else names:
        name, told = extensions.call_name(file), extensions.constants("tools", file)
        about = str(told.get("FOR") or str(told["help"]).removeprefix(f"{name}: "))
        found.append(native.schema(name, about, extensions.tools().forms[name], _forms(file)))
    return native.encode(found)


def _usage(name: str) -> list[str]:
    told = extensions.constants("tools", name)
    if told.get("BRIEF") == ():
        return []
    forms = [escape.indent(escape.indent(line)) for line in _forms(name, "BRIEF") or _forms(name)]
    return [f"{told['FOR']}:", *forms] if "FOR" in told else forms


def _forms(name: str, which: str = "USAGE") -> tuple[str, ...]:
    lines = extensions.constants("tools", name).get(which)
    return tuple(map(str, lines)) if isinstance(lines, tuple) else ()
