"""The total usage of an agent's answers, by provider, model, kind and day.

The answers are in LIFE. The sums are cached in `run/usage.json` in the agent's directory, with the end of the read part
of LIFE, so that only newer events are read again. The agent itself adds to the cache after each swap. Owns this file.
It is rebuilt if it is missing, or if LIFE, the prices or the time zone are different.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from dotagent.life import events
from dotagent.life.compaction_events import Stayed
from dotagent.life.event import Event
from dotagent.life.events import Ask, Reply, Spent, Swap
from dotagent.store import disk, log, log_search
from dotagent.store.log import Line
from dotagent.text import times

FILE = "run/usage.json"
FORM = 5  # the version of the file's form
MORE = 1 << 20  # bytes of LIFE that an agent counts at once
WORDS = (Ask.WORD, Reply.WORD, Spent.WORD, Swap.WORD, Stayed.WORD)

Used = Counter[str]
"""The usage of some calls, by field."""
Key = tuple[str, str, str, str]
"""Provider, model, kind (TALK or ASIDE) and day of some calls."""
COLD = 0.5  # share of the prompt before: if a cache had less of it, it had dropped the prompt
TALK, ASIDE = "conversation", "background"
Count = Callable[[Mapping[str, str], str], Mapping[str, int]]
"""A function that counts an answer, from the pairs in its LIFE line and its model."""


class Tally:
    """The sums over one LIFE, up to the event that ends at `end` and has the time `at`."""

    def __init__(self, mark: str) -> None:
        self.mark, self.end, self.at = mark, 0, ""
        self.asked = (
            b""  # the last request, which names the provider if the answer is of an earlier version and does not
        )
        self.counted = set[str]()  # answers outside the conversation since the last swap: LIFE may contain one twice
        self.sums = defaultdict[Key, Used](Counter)
        self.before: list[str | int] = [
            "",
            "",
            0,
        ]  # provider, model and tokens of the last prompt, if the next one begins as it does
        self.caching = set[str]()  # the models that have read from a cache
        self._day = self._since = self._until = ""  # the person's day of the last answer, and the times it lasts

    def add(self, word: str, raw: bytes, count: Count) -> None:
        """Count one event, given as its line in LIFE, unless its time or a number in it is invalid."""
        if word == Ask.WORD:  # half of the lines, and most are never needed
            self.asked = raw
        elif (line := log.parse(raw)) and (event := events.parse(line)):
            with suppress(ValueError):
                self._add(line, event, count)

    def _add(self, line: Line, event: Event, count: Count) -> None:
        if isinstance(event, Reply):
            self._compare(event.told, *self._count(event.told, TALK, line.at, count))
        elif isinstance(event, Spent) and line.id not in self.counted:
            self.counted.add(line.id)
            self._count(event.told, ASIDE, line.at, count)
        elif isinstance(event, Swap | Stayed):
            if isinstance(event, Swap) and event.why == "rest":
                self._rest(event.tokens, line.at)
            self.counted.clear()
            self.before = ["", "", 0]

    def _count(self, told: Mapping[str, str], kind: str, at: str, count: Count) -> tuple[str, str]:
        """Add an answer to the sums. Return its provider and model."""
        if not self._since <= at < self._until:
            self._day, self._since, self._until = times.local_day(at), at, times.next_day(at)
        model = told.get("model") or "-"
        provider = told.get("provider") or self._served()
        add(self.sums[provider, model, kind, self._day], count(told, model))
        return provider, model

    def _rest(self, tokens: str, at: str) -> None:
        """Count a rest, and by how many tokens the prompt after the pause was shorter."""
        before, _, after = tokens.partition("->")
        provider, model, _ = self.before
        if provider and before.isdecimal() and after.isdecimal():
            gone = max(0, int(before) - int(after))
            add(self.sums[str(provider), str(model), TALK, times.local_day(at)], {"rests": 1, "rested": gone})

    def _compare(self, told: Mapping[str, str], provider: str, model: str) -> None:
        """Count the tokens of a prompt that a cache had and dropped in a pause, as `cold`."""
        size, cached = (int(told[name]) if told.get(name, "").isdecimal() else 0 for name in ("input", "cached"))
        *same, before = self.before
        if same == [provider, model] and model in self.caching and cached < COLD * int(before):
            self.sums[provider, model, TALK, self._day]["cold"] += max(0, min(int(before), size) - cached)
        if cached:
            self.caching.add(model)
        self.before = [provider, model, size]

    def _served(self) -> str:
        """Return the provider of the last request."""
        line = log.parse(self.asked)
        event = events.parse(line) if line else None
        return event.provider if isinstance(event, Ask) else "-"

    def dump(self) -> bytes:
        """Return the content of the file."""
        told = {
            "mark": self.mark,
            "end": self.end,
            "at": self.at,
            "asked": self.asked.decode("utf-8", "replace"),
            "counted": sorted(self.counted),
            "before": self.before,
            "caching": sorted(self.caching),
            "sums": [[*key, one] for key, one in self.sums.items()],
        }
        return json.dumps(told, ensure_ascii=False).encode("utf-8", "replace")


def add(sums: Used, more: Mapping[str, int]) -> None:
    """Add numbers to sums: Counter.update is slower, and there may be hundreds of thousands."""
    for name, many in more.items():
        sums[name] += many


def read(folder: Path, count: Count, prices: object) -> Mapping[Key, Used]:
    """Return the usage of the agent in this directory. `prices` are the prices that `count` uses."""
    mark = _mark(prices)
    found = _parse_cache(folder, _load_cache(folder), mark) or Tally(mark)
    _count_on(folder, found, count)
    return found.sums


def extend(folder: Path, count: Count, prices: object, most: int = MORE) -> bool:
    """Add at most `most` bytes of LIFE to the cache, so that `read` has less to do. Return True if LIFE contains more.

    A cache for other prices or another time zone stays unchanged, because perhaps the person's command made it.
    """
    mark, there = _mark(prices), _load_cache(folder)
    if there.get("mark", mark) != mark:
        return False
    found = _parse_cache(folder, there, mark) or Tally(mark)
    return _count_on(folder, found, count, found.end + most) and found.end < log_search.end(folder / "LIFE.md")


def _count_on(folder: Path, found: Tally, count: Count, until: int | None = None) -> bool:
    """Count the events that are not counted yet, or those before this offset, and write the cache. Return False if
    there are none."""
    path = folder / "LIFE.md"
    last = next(log.backwards(path, until), None)
    if not last or last.end == found.end:
        return False
    for word, raw, _ in log_search.find_lines(path, WORDS, found.end, last.end):
        found.add(word, raw, count)
    found.end, found.at = last.end, last.at
    with suppress(OSError):  # the next call reads the same events again
        disk.make_dir(folder / "run", durable=False)
        disk.replace(folder / FILE, found.dump(), durable=False)
    return True


def _mark(prices: object) -> str:
    """Return what the sums depend on besides LIFE."""
    return json.dumps([FORM, prices, times.zone()], sort_keys=True, default=str)


def _load_cache(folder: Path) -> dict[str, Any]:
    """Return the content of the cache, or {} if it is missing or damaged."""
    with suppress(OSError, ValueError, RecursionError):
        told = json.loads(disk.read(folder / FILE))
        return told if isinstance(told, dict) else {}
    return {}


def _parse_cache(folder: Path, told: Mapping[str, Any], mark: str) -> Tally | None:
    """Return the cached sums, or None if they are for another LIFE, other prices or another time zone."""
    made = Tally(mark)
    try:
        if told["mark"] != mark or not log_search.has_event_at(folder / "LIFE.md", told["end"], told["at"]):
            return None
        made.end, made.at, made.asked = told["end"], told["at"], told["asked"].encode()
        made.counted, made.before, made.caching = set(told["counted"]), list(told["before"]), set(told["caching"])
        made.sums.update(
            {(provider, model, kind, day): Counter(one) for provider, model, kind, day, one in told["sums"]}
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return made
