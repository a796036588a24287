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
from functools import cache, partial
from typing import TYPE_CHECKING

from dotagent import errors, extensions
from dotagent.life import origins
from dotagent.life.events import Effect
from dotagent.life.session import Session
from dotagent.life.state import State
from dotagent.life.tool_results import Shown, Worded, guard, load_tool
from dotagent.life.tool_results import ToolError as ToolError
from dotagent.store import bootstrap, reserved_names
from dotagent.store.home import Home, Settings
from dotagent.text import escape
from dotagent.text.grammar import ToolCall
from dotagent.text.lazy import dataclass, replace

if TYPE_CHECKING:  # few agents are helpers
    from dotagent.store.helpers import Terms

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
UNKNOWN = (
    "the process was stopped during this call, so the action may or may not have happened; check that before you "
    "repeat the call"
)


def act(session: Session, call: ToolCall) -> bytes | Shown | Worded | None:
    """Run a call if the policy allows it, and return its result for the model. Raises ToolError, and Trouble if a blob
    is lost."""
    tool = load_tool(call)
    if not (_is_given(session, extensions.file_name(call.name)) or hasattr(tool, "ROLE")):
        if hasattr(tool, "permit"):
            tool.permit(session)  # raises the reason
        raise ToolError(f"you have no tool {call.name}")
    if needs_approval(session):
        from dotagent.life import approvals

        return approvals.act(session, call)
    shown: bytes | Shown | Worded | None = guard(call.name, lambda: tool.act(session, call))
    return shown


def needs_approval(session: Session) -> bool:
    """Return True if effects need an approval (life/approvals.py), because the context contains text of others."""
    turn, heard = session.state.turn, session.state.heard
    return bool(origins.foreign(turn.whose or heard.origins) or turn.instead or heard.allowed)


def allowed(session: Session) -> tuple[ToolCall, ...]:
    """Return the tool call that the owner approved and that has not run yet: a tuple of one, or empty."""
    if not session.state.heard.allowed:
        return ()
    from dotagent.life import approvals

    return approvals.allowed(session)


def instead(session: Session) -> ToolCall | None:
    """Return the second look's call that runs instead of the pending one, or None."""
    if not session.state.turn.instead:
        return None
    from dotagent.life import approvals

    return approvals.instead(session)


def needs_look(session: Session, call: ToolCall) -> bool:
    """Return True if the policy would ask about the call, and the turn's message gets a second look first."""
    if not needs_approval(session):
        return False
    from dotagent.life import approvals

    return approvals.needs_look(session, call)


def recover(session: Session, call: ToolCall, effect: Effect) -> bytes | Shown | Worded | None:
    """Find out what happened to an effect that a crashed process announced, and return like `act`. Never repeats it."""
    if effect.tool == origins.QUESTION:
        from dotagent.life import permission  # loaded only after a crash

        return Worded(permission.say(session, effect.what), "asked")
    if call.name not in extensions.tools().forms:  # from an earlier version, or an edited line
        raise ToolError(UNKNOWN)
    tool = load_tool(call)
    if not hasattr(tool, "recover"):
        raise ToolError(UNKNOWN)
    try:
        shown: bytes | Shown | Worded | None = guard(call.name, lambda: tool.recover(session, call, effect.what))
    except ValueError:  # an edited announcement
        raise ToolError(UNKNOWN) from None
    if not session.state.turn.instead:
        return shown
    from dotagent.life import approvals

    return approvals.add_replacement(session, call, shown)


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
    if not some:
        return not extensions.is_added("tools", name) or bootstrap.kind(life.state.audience) == "private"
    if isinstance(some, str) and some in HAVING:
        return HAVING[some](life)
    try:
        return guard(name, lambda: bool(extensions.load("tools", name).given(life)))
    except ToolError:  # a plug-in that fails cannot be called
        return False


@cache
def usage(names: tuple[str, ...] | None = None) -> str:
    """Return the purpose and usage of these tools, or of all, one form a line, for the prompt."""
    return "\n".join(line for name in (_ordered() if names is None else names) for line in _usage(name))


def facts(life: Whose) -> str:
    """Return how to call an agent's tools, and the tools' own texts, for the head of a prompt."""
    return describe_tools(life)[0]


def describe_tools(life: Whose) -> tuple[str, Callable[[], str]]:
    """Return the facts of an agent's tools, and what returns their schemas, which few requests need."""
    mine = list_names(life)
    telling = (name for name in mine if extensions.constants("tools", name).get("TELLS"))
    more = (str(extensions.load("tools", name).told(life)) for name in telling)
    return "\n\n".join(filter(None, (usage(mine), *more))), partial(schemas, mine)


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
