"""The functions that compute the state after an event (folds), and slices of the state: each capability owns one, and
no other code reads or changes it.

A swap's snapshot contains every slice with its version. A slice whose capability is missing is kept and written back.
When the capability returns, it folds the events that it missed. Owns nothing on disk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Generic, TypeVar

from dotagent import capabilities
from dotagent.life.event import Event, parse
from dotagent.life.state import State, change
from dotagent.store.log import Line
from dotagent.text.lazy import dataclass

S = TypeVar("S")
E = TypeVar("E", bound=Event)
Fold = Callable[[E, State, Line], State]
_FOLDS: dict[type[Event], tuple[Fold[Any], ...]] = {}  # in the order of registration
SLICES: dict[str, StateSlice[Any]] = {}
"""The slices of the capabilities whose records are imported, by the capability's name."""


def find_all() -> dict[str, StateSlice[Any]]:
    """Return every slice of an installed capability, by the capability's name."""
    capabilities.records()
    return SLICES


def on(kind: type[E]) -> Callable[[Fold[E]], Fold[E]]:
    """Register a fold for the events of this class."""

    def register(fold: Fold[E]) -> Fold[E]:
        _FOLDS[kind] = (*_FOLDS.get(kind, ()), fold)
        return fold

    return register


def folded(state: State, event: Event, line: Line) -> State:
    """Return the state after this event."""
    for fold in _FOLDS.get(type(event), ()):
        state = fold(event, state, line)
    return state


@dataclass(frozen=True)
class Unfolded:
    """A slice that this process did not fold: its fields in a snapshot, and the time of the last swap when it was
    folded ("" if never)."""

    version: int
    fields: Mapping[str, Any]
    until: str


class StateSlice(Generic[S]):
    """The slice of a capability: its name, the class of its value, and the version of its form.

    `former` names the part of the state that contained each field before slices existed.
    """

    def __init__(self, name: str, kind: type[S], version: int = 1, former: Mapping[str, str] | None = None) -> None:
        self.name, self.kind, self.version, self.former = name, kind, version, former or {}
        self.folds: dict[str, Fold[Any]] = {}
        SLICES[name] = self

    def of(self, state: State) -> S:
        """Return this slice of the state."""
        found = state.slices.get(self.name)
        return found if isinstance(found, self.kind) else self.kind()

    def put(self, state: State, value: S) -> State:
        """Return the state with this value of the slice. A default value is omitted, so that running and deriving give
        the same state."""
        rest = {name: one for name, one in state.slices.items() if name != self.name}
        return change(state, slices=rest if value == self.kind() else {**rest, self.name: value})

    def change(self, state: State, **fields: object) -> State:
        """Return the state with these fields of the slice changed."""
        return self.put(state, change(self.of(state), **fields))

    def on(self, kind: type[E]) -> Callable[[Fold[E]], Fold[E]]:
        """Register a fold of this slice for the events of this class."""

        def register(fold: Fold[E]) -> Fold[E]:
            self.folds[kind.WORD] = fold
            return on(kind)(fold)

        return register

    def fold(self, state: State, lines: Iterable[Line]) -> State:
        """Return the state after only this slice has folded these events."""
        for line in lines:
            if event := parse(line):
                state = self.put(state, self.of(self.folds[line.event](event, state, line)))
        return state
