"""What a swap leaves: its blob holds the state as JSON, then a line an entry of the context, and copies nothing.

Snapshots of the first version, whose state was one flat table under other names, are read as well. What a blob holds
may be anything: a value that is not of its field's kind is left at its default.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any, TypeVar

from dotagent.life.context import Entry
from dotagent.life.state import Compaction, Forgetting, Heard, Model, State, Turn, Used, change
from dotagent.store import log
from dotagent.store.log import Line
from dotagent.store.rooms import Position
from dotagent.text import names

Row = tuple[int, bool, Line]
"""An entry as a snapshot lists it: its number, whether it is stripped, its event."""

_FORMER = {  # names of fields in the first version's flat table
    "unanswered": "owed",
    "provider": "served",
    "unread": "again",
    "untold": "tell",
    "documents": "papers",
}
MOST = 10**18  # of numbers: what is larger, or none, is no count of anything here
S = TypeVar("S")


def encode(state: State, entries: Sequence[Entry]) -> bytes:
    """The blob's body; no effect is under way at a swap."""
    plain = json.dumps(asdict(change(state, turn=change(state.turn, effect=None))), ensure_ascii=False)
    rows = [f"{one.number} {'bare' if one.stripped else 'live'} {log.render(one.line)}" for one in entries]
    return "\n".join([plain, *rows, ""]).encode("utf-8", "replace")


def decode(body: bytes) -> tuple[State, list[Row]]:
    """The state and the entries. Raises ValueError for what is no snapshot."""
    first, *rows = body.decode("utf-8", "replace").split("\n")
    try:
        given = json.loads(first)
    except RecursionError:
        given = None
    if not isinstance(given, dict):
        raise ValueError("it is no snapshot of a context")
    return _state(given), [row for text in rows if (row := _row(text))]


def _row(text: str) -> Row | None:
    number, _, rest = text.partition(" ")
    kind, _, rest = rest.partition(" ")
    line = log.parse(rest.encode("utf-8", "replace"))
    return (int(number), kind == "bare", line) if line and number.isdecimal() and len(number) < 19 else None


def _state(given: Mapping[str, Any]) -> State:
    parts = given if "turn" in given else dict.fromkeys(("heard", "turn", "model", "forgetting"), given)
    heard, forgetting = _part(Heard, parts.get("heard")), _part(Forgetting, parts.get("forgetting"))
    under_way = _table(parts.get("forgetting")).get("compaction", _table(given).get("fading"))
    compaction = _part(Compaction, under_way) if isinstance(under_way, dict) else None
    return change(
        _part(State, given),
        heard=change(heard, rooms=_rooms(_table(parts.get("heard")).get("rooms"))),
        turn=_part(Turn, parts.get("turn")),
        model=_part(Model, parts.get("model")),
        forgetting=change(forgetting, compaction=compaction),
        used=_part(Used, given.get("used")),
    )


def _rooms(given: object) -> dict[str, Position]:
    return {name: _part(Position, one) for name, one in _table(given).items() if names.ROOM.fullmatch(name)}


def _table(given: object) -> Mapping[str, Any]:
    return given if isinstance(given, dict) else {}


def _part(kind: type[S], given: object) -> S:
    """One part of the state, of a table; what is missing there or of another kind stays at its default."""
    made, table = kind(), _table(given)
    found = dict[str, object]()
    for one in fields(kind):  # type: ignore[arg-type]
        value, usual = table.get(one.name, table.get(_FORMER.get(one.name, ""))), getattr(made, one.name)
        inner = int if "int" in str(one.type) else str
        if isinstance(usual, tuple) and isinstance(value, list):
            found[one.name] = tuple(item for item in value if _sound(item, inner))
        elif isinstance(usual, dict) and isinstance(value, dict):
            found[one.name] = {name: item for name, item in value.items() if _sound(item, inner)}
        elif isinstance(usual, str | int | float) and _sound(value, type(usual)):
            found[one.name] = type(usual)(value)
    return change(made, **found)


def _sound(value: object, kind: type) -> bool:
    """Whether a value is of the kind, and a number one that can be counted with."""
    if kind is float and type(value) is int:
        kind = int
    return type(value) is kind and (not isinstance(value, int | float) or -MOST < value < MOST)
