"""Facts about the provider's cache in an agent's log: the last request, and which requests found their prompt there.

Reads LIFE; owns nothing on disk.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path

from dotagent.life import events
from dotagent.life.compaction_events import Segment, Stayed, Summarise
from dotagent.life.events import Ask, Document, Reply, Swap
from dotagent.store import log
from dotagent.text import times
from dotagent.text.lazy import dataclass

MOST = 600  # lines of LIFE that are read
LEAST = 2048  # tokens: a cache may ignore a shorter prompt
SHARE = 0.5  # a request that found this share of the earlier prompt in the cache proves that it was cached


@dataclass(frozen=True)
class Last:
    """The last request of the conversation: its id, when it was sent, and the usage of its reply."""

    id: str
    at: str
    told: Mapping[str, str]


def last(path: Path) -> Last | None:
    """Return the last request in the log of an agent, or None if it has no reply, or if summaries were made since."""
    told = None
    for line in islice(log.backwards(path), MOST):
        event = events.parse(line)
        if told is not None and isinstance(event, Ask):
            return Last(line.id, line.at, told)
        if told is None and isinstance(event, Ask | Segment | Swap | Stayed):
            return None
        if told is None and isinstance(event, Reply):
            told = event.told
    return None


def find_pauses(path: Path, provider: str, model: str) -> Iterator[tuple[float, bool]]:
    """Yield the seconds between two requests to this model, and whether the second one found the first one's prompt in
    the cache. The newest are first."""
    later: tuple[str, Mapping[str, str]] | None = None  # the request after, and the usage of its reply
    told: Mapping[str, str] | None = None
    for line in islice(log.backwards(path), MOST):
        event = events.parse(line)
        if isinstance(event, Reply):
            told = event.told
        elif isinstance(event, Swap | Document | Segment | Summarise):
            later = told = None  # the next prompt began otherwise, or another request used the cache in between
        elif isinstance(event, Ask) and told is not None:
            size = _count(told, "input")
            mine = (told.get("provider"), told.get("model")) == (provider, model) and "estimated" not in told and size
            if mine and later and size >= LEAST:
                seconds = (times.parse(later[0]) - times.parse(line.at)).total_seconds()
                yield seconds, _count(later[1], "cached") >= SHARE * size
            later, told = ((line.at, told) if mine else None), None


def _count(told: Mapping[str, str], name: str) -> int:
    number = told.get(name, "")
    return int(number) if number.isdecimal() else 0
