"""The compaction that LIFE says is under way: a pure fold of its events, part of a life's state.

An event that comes after a swap came between (a swap ends what is under way) says nothing about it any more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from dotagent.store.log import Line


@dataclass(frozen=True)
class Fading:
    """A compaction under way: entries `first` to `last` are cut into chunks, and the needed ones are summed up."""

    first: int
    last: int
    tries: int = 1
    call: str = ""
    """The segment request that is out."""
    plan: str = ""
    """The blob of the chunks, once they are known."""
    out: Mapping[str, str] = field(default_factory=dict)
    """Summarise requests that are out: request -> `first-last`."""
    tried: Mapping[str, int] = field(default_factory=dict)
    """How often each chunk's summary was asked for."""
    made: Mapping[str, str] = field(default_factory=dict)
    """Summaries: `first-last` -> blob and relevance."""
    why: str = "limit"
    """Why it began: `limit`, or `asked` by a person."""
    plain: bool = False
    """Whether a summary could not be had, so that no more are asked for."""


def segment(line: Line) -> Fading:
    """A compaction begins, or asks for its chunks once more."""
    first, last, tries, *why = line.detail.split(" ")
    return Fading(int(first), int(last), int(tries), line.id, why="".join(why) or "limit")


def chunks(fading: Fading | None, line: Line) -> Fading | None:
    """The chunks are known."""
    return fading and replace(fading, call="", plan=line.id)


def summarise(fading: Fading | None, line: Line) -> Fading | None:
    """A chunk's summary is asked for."""
    span, tries = line.detail.split(" ")
    tried = int(tries)
    if fading is None:
        return None
    return replace(fading, out={**_others(fading, span), line.id: span}, tried={**fading.tried, span: tried})


def summary(fading: Fading | None, line: Line) -> tuple[Fading | None, dict[str, str]]:
    """A chunk's summary is made; it is also kept by its members' ids, in case that it is not needed this time."""
    span, key, relevance, *how = line.detail.split(" ")
    told, extractive = f"{line.id} {relevance}", how == ["extractive"]
    spare = {} if extractive else {key: f"{told} {span}"}  # what no model wrote, one may write better next time
    if fading is None:
        return None, spare
    made = {**fading.made, span: told}
    return replace(fading, out=_others(fading, span), made=made, plain=fading.plain or extractive), spare


def _others(fading: Fading, span: str) -> dict[str, str]:
    return {id: what for id, what in fading.out.items() if what != span}
