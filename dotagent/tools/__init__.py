"""The agent's hands: a tool is a module here, found by its file's name (`read_file.py` is READ_FILE).

At the top of its file stands what others must know of it: FOR (what it is for, a line), USAGE (lines that show the
model how to call it), and where it is not the usual, FORM, ROLE and REMINDER (see extensions.tools), and SOME where not
every life has it: "unmade" for all but helpers, else `given(life)` tells; no other is shown it or can call it. TELLS
says that `told(life)` has more of it for a prompt, BRIEF which lines of USAGE stand there when its results tell of the
others, ORDER where it stands among the others there: what is done most stands first, one that says nothing last.
`act(session, call)` returns what the model shall read (a picture, PDF or sound as a Shown), or None when there is
nothing to read; a failure is a ToolError, whose words become the result.

EFFECT says which row of the policy (life/policy.py) it comes under, "" for one that only reads; one that is not always
an effect, or whose arguments are not simply what stands in the call, has `effect(session, call)`, an Act or None.
ORIGIN says whose words its results are: a stranger's by one of origins.ORIGINS, "own", or "person" for records that the
person keeps themselves, of which a name counts as theirs once they named a part of it. One that says neither is taken
for the worst. `reads(call)` tells what a call reads, in words, where that is not simply what stands in its line.

One whose effect others see calls `session.announce(call, what)`, then acts. When a process dies between the two, the
next one calls `recover(session, call, what)`, which finds out what became of the effect and returns as `act` does; of
the effect of a tool that has none the model is told that it is not known.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Protocol, TypeVar

from dotagent import extensions, sandbox
from dotagent.errors import Trouble
from dotagent.life import asking, policy
from dotagent.life.events import Effect
from dotagent.life.policy import Act
from dotagent.life.questions import QUESTION
from dotagent.life.session import Leaving, Session
from dotagent.life.showing import Shown, Worded
from dotagent.life.state import State
from dotagent.store import bootstrap, spawned
from dotagent.store.home import Home, Settings
from dotagent.store.spawned import Terms
from dotagent.text import escape, native
from dotagent.text.grammar import ToolCall

T = TypeVar("T")
UNMADE, EVERY = "unmade", "every"  # what SOME is of a tool that all have but helpers, and of one that all have
LAST = 100  # the ORDER of a tool that says none
UNKNOWN = "I was stopped while I did this, and whether it happened is not known: find out before you do it again"


class ToolError(Trouble):
    """A tool's failure: a result that tells the model what went wrong and what to do instead."""


def act(session: Session, call: ToolCall) -> bytes | Shown | Worded | None:
    """Do a call, if the policy lets it; what the model shall read or see of it. Raises ToolError, and Trouble for a
    blob that is lost."""
    tool = _tool(call)
    if not (_is_given(session, extensions.named(call.name)) or hasattr(tool, "ROLE")):
        if hasattr(tool, "permit"):
            tool.permit(session)  # which says why not
        raise ToolError(f"this life has no {call.name}")
    doing = effect(session, call)
    if doing and (ruling := policy.verdict(session, doing)) != policy.ALLOW and asking.allowed(session) != (call,):
        if ruling == policy.REFUSE:
            raise ToolError(f"not done: my person's settings refuse {doing.kind}, while words of others are before me")
        return asking.ask(session, call, doing)
    shown: bytes | Shown | Worded | None = _done(call.name, lambda: tool.act(session, call))
    return shown


def effect(session: Session, call: ToolCall) -> Act | None:
    """What the call is about to do, for the policy to judge; None for one that only reads."""
    tool = _tool(call)
    if hasattr(tool, "effect"):
        found: Act | None = _done(call.name, lambda: tool.effect(session, call))
        return found
    kind = str(getattr(tool, "EFFECT", policy.OTHER))
    return Act(kind, "", tuple(filter(None, (call.args, call.body)))) if kind else None


def recover(session: Session, call: ToolCall, effect: Effect) -> bytes | Shown | Worded | None:
    """Find out what became of an effect that a dead process announced, as `act`: it is never done twice."""
    if effect.tool == QUESTION:
        return asking.finish(session, call, effect.what)
    tool = _tool(call)
    if not hasattr(tool, "recover"):
        raise ToolError(UNKNOWN)
    try:
        shown: bytes | Shown | Worded | None = _done(call.name, lambda: tool.recover(session, call, effect.what))
    except ValueError:  # an announcement that somebody changed
        raise ToolError(UNKNOWN) from None
    return shown


def _tool(call: ToolCall) -> Any:
    """The tool's module. Raises ToolError for a person's own that cannot be loaded."""
    return _done(call.name, lambda: extensions.load("tools", call.name.lower()))


def _done(name: str, do: Callable[[], T]) -> T:
    """What it returns; where a person's own tool fails, that is an error of it and no end of this process."""
    try:
        return do()
    except (Trouble, OSError, Leaving):
        raise
    except Exception as fault:  # noqa: BLE001 a plugin may raise anything
        failed = fault
    if not extensions.is_added("tools", extensions.named(name)):
        raise failed
    told = escape.one_line(f"{type(failed).__name__}: {failed}", 300)
    raise ToolError(f"{name.upper()} failed, its author must mend it: {told}") from failed


class Whose(Protocol):
    """A life as far as it matters for which tools it has: a session is one, and so is what a command reads of one."""

    @property
    def home(self) -> Home:
        """Its home."""

    @property
    def id(self) -> str:
        """Its full id."""

    @property
    def settings(self) -> Settings:
        """The settings that it goes by."""

    @property
    def state(self) -> State:
        """Where it stands."""

    @property
    def terms(self) -> Terms | None:
        """What a helper was born to."""


@dataclass(frozen=True)
class Life:
    """A life that is looked at from outside, as a Whose."""

    home: Home
    id: str
    settings: Settings
    state: State
    terms: Terms | None


def look(where: Home, self_id: str, settings: Settings, state: State) -> Life:
    """The life of this id, as it would be lived under these settings."""
    terms = spawned.terms(where.store(), self_id)
    return Life(where, self_id, replace(settings, workspace=terms.workspace) if terms else settings, state, terms)


def given(life: Whose) -> tuple[str, ...]:
    """The tools that this life has, by their files' names, in the order of a prompt."""
    return tuple(name for name in _ordered() if _is_given(life, name))


def _ordered() -> list[str]:
    """All tools by their files' names, as ORDER says, and then by the alphabet."""
    order = {name: extensions.constants("tools", name).get("ORDER") for name in extensions.names("tools")}
    return sorted(order, key=lambda name: one if isinstance(one := order[name], int) else LAST)


def _is_given(life: Whose, name: str) -> bool:
    some = extensions.constants("tools", name).get("SOME")
    if not some and extensions.is_added("tools", name):
        return bootstrap.kind(life.state.audience) == "private"
    if not some or some in (UNMADE, EVERY):
        return some != UNMADE or life.terms is None
    try:
        return _done(name, lambda: bool(extensions.load("tools", name).given(life)))
    except ToolError:  # of a person's own, which nobody can call then
        return False


@cache
def usage(names: tuple[str, ...] | None = None) -> str:
    """What these tools (all of them) are for and how they are called, one form a line, for the harness's facts."""
    return "\n".join(line for name in (_ordered() if names is None else names) for line in _usage(name))


def facts(life: Whose) -> str:
    """How the tools that a life has are called, and what its commands may reach, for the head of a prompt."""
    mine = given(life)
    runs = any(extensions.tools().forms.get(extensions.called(name)) == "shell" for name in mine)
    more = (
        str(extensions.load("tools", name).told(life))
        for name in mine
        if extensions.constants("tools", name).get("TELLS")
    )
    return "\n\n".join(filter(None, (usage(mine), sandbox.told(life.settings) if runs else "", *more)))


def told(life: Whose) -> tuple[str, str]:
    """The facts and the schemas of what a life has."""
    return facts(life), schemas(given(life))


@cache
def schemas(names: tuple[str, ...] | None = None) -> str:
    """The tools (all, or these) as a model is told of them whose service has a form of its own for calls."""
    found = []
    for file in _ordered() if names is None else names:
        name, told = extensions.called(file), extensions.constants("tools", file)
        about = str(told.get("FOR") or str(told["help"]).removeprefix(f"{name}: "))
        found.append(native.schema(name, about, extensions.tools().forms[name], _forms(file)))
    return native.encode(found)


def _usage(name: str) -> list[str]:
    told = extensions.constants("tools", name)
    forms = [escape.indent(escape.indent(line)) for line in _forms(name, "BRIEF") or _forms(name)]
    return [f"{told['FOR']}:", *forms] if "FOR" in told else forms


def _forms(name: str, which: str = "USAGE") -> tuple[str, ...]:
    lines = extensions.constants("tools", name).get(which)
    return tuple(map(str, lines)) if isinstance(lines, tuple) else ()
