"""The contract between the core and a capability: what a capability may add, in which order the core calls it.

`capability.py` in a capability's folder makes one `Capability` and calls it CAPABILITY. All that it adds is optional.
The core calls each hook for all capabilities in the order of their names; one with `after` comes behind those that it
names. Owns nothing on disk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import TYPE_CHECKING

from dotagent import capabilities
from dotagent.life.session import Session
from dotagent.store.home import Home, Settings
from dotagent.store.log import Line
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
    """A table of `status`: what kind of thing each row is, the heads of its columns, and the rows."""

    kind: str
    heads: str
    rows: Iterable[Cells]


@dataclass(frozen=True)
class Process:
    """A process that `up` keeps running: the command that it runs, which is its name, and the folder with its `pid`."""

    name: str
    folder: Callable[[Home], Path]


@dataclass(frozen=True)
class Living:
    """What a capability does in the process of one agent."""

    look: Callable[[], bool] | None = None
    """Record one new thing that the inbox has; False when there is none. It comes after what rooms the agent hears, and
    before what was said there."""
    sleep: Callable[[], float | None] | None = None
    """The most seconds until it looks again; None: until a file changes. Called before the agent sleeps."""
    waits: Callable[[], bool] | None = None
    """Whether something goes on that the agent will hear of, so that it does not leave."""
    instead: Callable[[ToolCall], ToolCall] | None = None
    """The call that is done in place of this one. A death asks again, so what it decides is recorded."""
    answer: Callable[[str, str, str], str] | None = None
    """The answer of dotagent itself to a message, from its room, its author and its text; "" if the message is for the
    agent."""
    heard: Callable[[Line], None] | None = None
    """Learn of an event, after it is in LIFE. The events of a start come together, at its end."""
    texts: Callable[[], Mapping[str, str]] | None = None
    """The texts that it adds to the prompt, by the name of the document; {} if nothing changed. Called whenever the
    documents are read."""
    stop: Callable[[str, str], Iterable[str]] | None = None
    """End what goes on for the turn of a room that a person stops: the room, and the time at which the turn began, or
    "" if none goes on. Yield the name of each thing that ended."""
    ask: Callable[[], None] | None = None
    """Called before each request to the model, when the documents are read."""
    rest: Callable[[], None] | None = None
    """Called when no work is left, before the agent sleeps."""
    end: Callable[[], None] | None = None
    """Called when the agent stops without an error, before it records that."""
    close: Callable[[], None] | None = None
    """Called when the process ends."""


@dataclass(frozen=True)
class Capability:
    """What a capability adds. A hook that is not of an agent's process is called by commands, checks and `up`."""

    after: tuple[str, ...] = ()
    """The capabilities whose hooks come before its own, where they are there."""
    live: Callable[[Session, Watcher], Living] | None = None
    """Called once in an agent's process, when its state is derived and before it joins rooms."""
    settled: Callable[[Home, Settings, str], Settings] | None = None
    """Called before an agent that exists starts: the settings for it, after a repair of the home that its id needs."""
    label: Callable[[Home, Settings, str], str] | None = None
    """How to display an agent: its name, if it has one, and its short id."""
    calls: Callable[[Home, str], str] | None = None
    """What an agent that sleeps has to do, in words; empty for nothing."""
    watched: Callable[[Home, str], Iterable[Path]] | None = None
    """The folders in which something appears that an agent that sleeps has to do."""
    round: Callable[[Home, Settings, datetime], Iterator[str]] | None = None
    """What is done now and then while agents rest, by the process that keeps the time; what a person is told of it."""
    checks: Callable[[], Iterable[Check]] | None = None
    """Its checks of `doctor`; the name of each function is the name of the check."""
    status: Callable[[Home, Settings], Rows | None] | None = None
    """Its table of `status`; None where there is nothing to show."""
    warnings: Callable[[Home, Settings], Iterator[str]] | None = None
    """What `status` warns of."""
    processes: tuple[Process, ...] = ()


@cache
def loaded(which: tuple[str, ...]) -> dict[str, Capability]:
    """Return these capabilities, as far as they are there, by name and in the order of their hooks."""
    modules = capabilities.modules("capability", which)
    found = {module.__name__.split(".")[-2]: module.CAPABILITY for module in modules}
    order = TopologicalSorter({name: [one for one in found[name].after if one in found] for name in sorted(found)})
    return {name: found[name] for name in order.static_order()}


def find_all() -> dict[str, Capability]:
    """Return every capability that is there, by name, in the order of their hooks."""
    return loaded(capabilities.names())


def opening(where: Home) -> None:
    """Let each capability that is there finish what must not wait, before an agent opens its LIFE. Raises Trouble."""
    for module in capabilities.modules("opening", capabilities.names()):
        module.finish(where)


def settled(where: Home, settings: Settings, self_id: str) -> Settings:
    """Return the settings for a start of this agent, once each chosen capability had its say. Raises Misuse."""
    for one in list_chosen(settings):
        settings = one.settled(where, settings, self_id) if one.settled else settings
    return settings


def label(where: Home, settings: Settings, self_id: str) -> str:
    """Return how to display the agent: as the first chosen capability says, or else its short id."""
    return next((one.label(where, settings, self_id) for one in list_chosen(settings) if one.label), short(self_id))


def instead(parts: Iterable[Living], call: ToolCall) -> ToolCall:
    """Return the call that is done in place of this one, once each capability had its say."""
    for part in parts:
        call = part.instead(call) if part.instead else call
    return call


def list_chosen(settings: Settings) -> tuple[Capability, ...]:
    """Return the capabilities that settings choose, in the order of their hooks."""
    return tuple(loaded(settings.capabilities).values())


def processes(settings: Settings) -> tuple[Process, ...]:
    """Return the processes that `up` keeps running."""
    return tuple(process for one in list_chosen(settings) for process in one.processes)


def calls(where: Home, settings: Settings, self_id: str) -> str:
    """Return what this agent, while it sleeps, has to do by its capabilities; "" for nothing."""
    return next(filter(None, (one.calls(where, self_id) for one in list_chosen(settings) if one.calls)), "")


def watched(where: Home, self_id: str) -> list[Path]:
    """Return the folders in which something appears that this agent, while it sleeps, has to do."""
    return [path for one in find_all().values() if one.watched for path in one.watched(where, self_id)]


def checks() -> Iterator[Check]:
    """Yield the checks of `doctor`. Files are checked also where their capability is not chosen."""
    return (check for one in find_all().values() if one.checks for check in one.checks())


def living(session: Session, watch: Watcher) -> tuple[Living, ...]:
    """Begin each chosen capability in the process of this agent."""
    return tuple(one.live(session, watch) for one in list_chosen(session.settings) if one.live)


def answer(parts: Iterable[Living], room: str, who: str, said: str) -> str:
    """Return the first capability's answer to a message, or "" if the message is for the agent."""
    return next(filter(None, (one.answer(room, who, said) for one in parts if one.answer)), "")


def listener(parts: Iterable[Living], first: Callable[[Line], None]) -> Callable[[Line], None]:
    """Return a listener to events that calls `first` and then each capability that wants them."""
    wanted = [one.heard for one in parts if one.heard]
    if not wanted:
        return first

    def every(line: Line) -> None:
        for listen in (first, *wanted):
            listen(line)

    return every


def ask(parts: Iterable[Living]) -> None:
    """Tell each capability that the model will be asked."""
    for one in parts:
        if one.ask:
            one.ask()


def rest(parts: Iterable[Living]) -> None:
    """Tell each capability that no work is left."""
    for one in parts:
        if one.rest:
            one.rest()


def end(parts: Iterable[Living]) -> None:
    """Tell each capability that the agent stops."""
    for one in parts:
        if one.end:
            one.end()


def close(parts: Iterable[Living]) -> None:
    """Tell each capability that the process ends."""
    for one in parts:
        if one.close:
            one.close()
