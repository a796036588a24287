"""The contract between the core and a capability: the hooks that the core calls, and their order.

`capability.py` in a capability's folder defines one `Capability` with the name CAPABILITY. Every hook is optional: the
default does nothing. The core calls a hook for all capabilities in the order of their names. If a capability has
`after`, the core calls the capabilities in `after` before it. Owns nothing on disk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import TYPE_CHECKING

from dotagent import capabilities
from dotagent.life import context, persona, prompt, replay
from dotagent.life.events import Tell
from dotagent.life.replay import View
from dotagent.life.session import ProviderRoute, Session
from dotagent.store.blobs import Blobs
from dotagent.store.home import Home, Settings
from dotagent.store.log import Line
from dotagent.store.requests import Part
from dotagent.store.watch import Watcher
from dotagent.text.grammar import ToolCall
from dotagent.text.lazy import dataclass
from dotagent.text.reference import short

if TYPE_CHECKING:  # an agent needs no checks
    from dotagent.doctor import Finding

Check = Callable[[Home], "Iterator[Finding]"]
Cells = tuple[Mapping[str, object], tuple[object, ...]]
"""A row of a table: its fields for `--json`, and its cells."""


@dataclass(frozen=True)
class Rows:
    """A table of `status`: the kind of thing in each row, the heads of the columns, and the rows."""

    kind: str
    heads: str
    rows: Iterable[Cells]


@dataclass(frozen=True)
class Process:
    """A process that `up` keeps running: the command that it runs, which is its name, and the folder with its `pid`."""

    name: str
    folder: Callable[[Home], Path]


def _nothing(*given: object) -> None:
    """Do nothing: the default of a hook."""


@dataclass(frozen=True)
class Living:
    """The hooks of a capability in the process of one agent."""

    look: Callable[[], bool] = bool
    """Record one new thing, and return True; return False if there is nothing new. Called after the agent has joined
    rooms, and before it reads their messages."""
    sleep: Callable[[], float | None] = _nothing
    """Called before the agent sleeps. Return the most seconds to sleep, or None to sleep until a file changes."""
    waits: Callable[[], bool] = bool
    """Return True if work is in progress whose result the agent will get, so that its process does not exit."""
    instead: Callable[[ToolCall], ToolCall] = lambda call: call
    """Return the call to run instead of this call. Called again after a crash, so the hook records its decision."""
    answer: Callable[[str, str, str], str] = lambda room, who, said: ""
    """Return dotagent's own answer to a message, or "" if the message is for the agent. The arguments are the room, the
    author and the text."""
    pending: Callable[[str], str] = lambda room: ""
    """Return the text of the agent's message in this room that waits for a yes, or ""."""
    heard: Callable[[Line], None] = _nothing
    """Called with each event after it is in LIFE. The events of an agent's start come together, at its end."""
    documents: Callable[[], str] = str
    """Record what is new in files of the agent, and return the problem with them, or "". Called whenever the documents
    are read."""
    texts: Callable[[], Mapping[str, str]] = dict
    """Return the texts to add to the prompt, by the name of the document, or {} if nothing changed. Called whenever the
    documents are read."""
    held: Callable[[], str] = str
    """Return why no request to a model may be sent now, or "" if it may. Called before each request."""
    warn: Callable[[str], Tell | None] = _nothing
    """Return a message to post in the room before the first request of a turn, or None."""
    stop: Callable[[str, str], Iterable[str]] = lambda room, since: ()
    """End all work for the turn of a room, because a person stops it. The arguments are the room, and the time at which
    the turn began ("" if no turn is in progress). Yield the name of each thing that ended."""
    ask: Callable[[], None] = _nothing
    """Called before each request to the model, when the documents are read."""
    rest: Callable[[], None] = _nothing
    """Called when no work is left, before the agent sleeps."""
    end: Callable[[], None] = _nothing
    """Called when the agent stops without an error, before it records that."""
    close: Callable[[], None] = _nothing
    """Called when the process ends."""


@dataclass(frozen=True)
class Capability:
    """The hooks of a capability. Commands, checks and `up` call the hooks outside an agent's process."""

    after: tuple[str, ...] = ()
    """The capabilities whose hooks the core calls first, if they are installed."""
    live: Callable[[Session, Watcher], Living] | None = None
    """Called once in an agent's process, when its state is derived and before it joins rooms."""
    settled: Callable[[Home, Settings, str], Settings] | None = None
    """Called before an agent starts: the settings for it, after a repair of the home that it needs. The id of a new
    agent is "" here."""
    route: Callable[[Session, bool], ProviderRoute] | None = None
    """Called before an agent records its start: return who answers its requests; the first capability with this hook
    decides. The argument says whether someone named the provider."""
    label: Callable[[Home, Settings, str], str] | None = None
    """How to display an agent: its name, if it has one, and its short id."""
    calls: Callable[[Home, str], str] | None = None
    """Return the work that waits for a stopped agent, in words, or "" if there is none."""
    due: Callable[[Home, str], float | None] | None = None
    """Return when work for a stopped agent will appear without a change of files, as Unix time, or None."""
    watched: Callable[[Home, str], Iterable[Path]] | None = None
    """Return the folders in which new work for a stopped agent appears."""
    round: Callable[[Home, Settings, datetime], Iterator[str]] | None = None
    """Do regular work while agents are idle, in the scheduler's process. Yield a line for the person about each."""
    checks: Callable[[], Iterable[Check]] | None = None
    """Return the checks for `doctor`; the name of each function is the name of the check."""
    status: Callable[[Home, Settings], Rows | None] | None = None
    """Return a table for `status`, or None if there is nothing to show."""
    warnings: Callable[[Home, Settings], Iterator[str]] | None = None
    """Yield the warnings that `status` prints."""
    ending: Callable[[Blobs, View, int], str] | None = None
    """Return the text at the end of an agent's next prompt, or "". The last argument is the limit of its context."""
    processes: tuple[Process, ...] = ()


@cache
def loaded(which: tuple[str, ...]) -> dict[str, Capability]:
    """Return the installed ones of these capabilities, by name and in the order of their hooks."""
    modules = capabilities.modules("capability", which)
    found = {module.__name__.split(".")[-2]: module.CAPABILITY for module in modules}
    order = TopologicalSorter({name: [one for one in found[name].after if one in found] for name in sorted(found)})
    return {name: found[name] for name in order.static_order()}


def find_all() -> dict[str, Capability]:
    """Return every installed capability, by name, in the order of their hooks."""
    return loaded(capabilities.names())


def opening(where: Home) -> None:
    """Let each installed capability finish urgent work before an agent opens its LIFE. Raises Trouble."""
    for module in capabilities.modules("opening", capabilities.names()):
        module.finish(where)


def settled(where: Home, settings: Settings, self_id: str) -> Settings:
    """Return the settings for a start of this agent, once each chosen capability had its say. Raises Misuse."""
    for one in list_chosen(settings):
        settings = one.settled(where, settings, self_id) if one.settled else settings
    return settings


def label(where: Home, settings: Settings, self_id: str) -> str:
    """Return how to display the agent: as the first chosen capability says, otherwise its short id."""
    return next((one.label(where, settings, self_id) for one in list_chosen(settings) if one.label), short(self_id))


def route(session: Session, named: bool) -> ProviderRoute:
    """Return who answers the agent's requests."""
    hooks = (one.route for one in list_chosen(session.settings) if one.route)
    return next((hook(session, named) for hook in hooks), ProviderRoute(session))


def held(parts: Iterable[Living]) -> str:
    """Return why no request may be sent now, or "" if it may."""
    return next(filter(None, (one.held() for one in parts)), "")


def warn(parts: Iterable[Living], room: str) -> Tell | None:
    """Return the first capability's message to post in the room before a request, or None."""
    return next(filter(None, (one.warn(room) for one in parts)), None)


def ending(settings: Settings, store: Blobs, view: View, limit: int) -> str:
    """Return the text at the end of an agent's next prompt."""
    return "\n".join(filter(None, (one.ending(store, view, limit) for one in list_chosen(settings) if one.ending)))


def next_prompt(where: Home, self_id: str, settings: Settings, view: View, usage: str) -> list[Part]:
    """Return an agent's next prompt; `usage` explains how its tools are called."""
    head = persona.head(where, self_id, view.state, usage, settings)
    end = ending(settings, where.store(), view, replay.limit(settings.context_limit, view.state))
    return [*head, *prompt.parts(context.in_prompt_order(view.entries)), *([Part("user", end)] if end else [])]


def instead(parts: Iterable[Living], call: ToolCall) -> ToolCall:
    """Return the call to run instead of this call, after each capability could replace it."""
    for part in parts:
        call = part.instead(call)
    return call


def list_chosen(settings: Settings) -> tuple[Capability, ...]:
    """Return the capabilities that settings choose, in the order of their hooks."""
    return tuple(loaded(settings.capabilities).values())


def living(session: Session, watch: Watcher) -> tuple[Living, ...]:
    """Begin each chosen capability in the process of this agent."""
    settings, store = session.settings, session.store
    session.ending = lambda: ending(settings, store, View(session.state, session.entries), session.limit)
    return tuple(one.live(session, watch) for one in list_chosen(session.settings) if one.live)


def answer(parts: Iterable[Living], room: str, who: str, said: str) -> str:
    """Return the first capability's answer to a message, or "" if the message is for the agent."""
    return next(filter(None, (one.answer(room, who, said) for one in parts)), "")


def pending(parts: Iterable[Living], room: str) -> frozenset[str]:
    """Return the texts of capabilities' messages in this room that wait for a yes."""
    return frozenset(filter(None, (one.pending(room) for one in parts)))


def listener(parts: Iterable[Living], first: Callable[[Line], None]) -> Callable[[Line], None]:
    """Return a listener to events that calls `first` and then each capability."""

    def every(line: Line) -> None:
        for listen in (first, *(one.heard for one in parts)):
            listen(line)

    return every
