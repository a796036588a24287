"""The snapshot in a swap's blob: the state as JSON, then a line for each entry of the context, without copies of
content.

It also reads snapshots of the first version, which has a flat table with other names. A blob may contain anything, so a
value of the wrong type is replaced by its default.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from dotagent.life import slices
from dotagent.life.context import Entry
from dotagent.life.slices import StateSlice, Unfolded
from dotagent.life.state import Compaction, Forgetting, Heard, Model, State, Turn, Used, change
from dotagent.store import log
from dotagent.store.log import Line
from dotagent.store.rooms import Position
from dotagent.text import names, times
from dotagent.text.lazy import asdict, fields

Row = tuple[int, bool, Line]
"""An entry in a snapshot: its number, whether it is stripped, its event."""

_FORMER = {  # names of fields in the first version's flat table
    "unanswered": "owed",
    "provider": "served",
    "unread": "again",
    "untold": "tell",
    "documents": "papers",
    "quiet": "beat",
}
MOST = 10**18  # limit for numbers: no valid count is larger
S = TypeVar("S")


def encode(state: State, entries: Sequence[Entry]) -> bytes:
    """Return the blob's body. A swap never happens during an effect."""
    told = asdict(change(state, turn=change(state.turn, effect=None), slices={})) | {"slices": _dump_slices(state)}
    plain = json.dumps(told, ensure_ascii=False)
    rows = [f"{one.number} {'bare' if one.stripped else 'live'} {log.render(one.line)}" for one in entries]
    return "\n".join([plain, *rows, ""]).encode("utf-8", "replace")


def _dump_slices(state: State) -> dict[str, Mapping[str, Any]]:
    """Return the slices, each with its version. Default values are included: they show that the capability folded up to
    here."""
    told: dict[str, Mapping[str, Any]] = {
        name: {"version": one.version, **asdict(one.of(state))} for name, one in slices.find_all().items()
    }
    kept = {name: one for name, one in state.slices.items() if isinstance(one, Unfolded)}
    return told | {name: {**one.fields, "version": one.version, "until": one.until} for name, one in kept.items()}


def decode(body: bytes, at: str = "") -> tuple[State, list[Row]]:
    """Return the state and the entries of the swap at this time. Raises ValueError if the body is not a snapshot."""
    first, *rows = body.decode("utf-8", "replace").split("\n")
    try:
        given = json.loads(first)
    except RecursionError:
        given = None
    if not isinstance(given, dict):
        raise ValueError("the file does not contain a saved context")
    return _state(given, at), [row for text in rows if (row := _row(text))]


def _row(text: str) -> Row | None:
    number, _, rest = text.partition(" ")
    kind, _, rest = rest.partition(" ")
    line = log.parse(rest.encode("utf-8", "replace"))
    return (int(number), kind == "bare", line) if line and number.isdecimal() and len(number) < 19 else None


def _state(given: Mapping[str, Any], at: str) -> State:
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
        slices=_slices(_table(given["slices"]), at) if "slices" in given else _former(parts),
    )


def _slices(given: Mapping[str, Any], at: str) -> dict[str, object]:
    """Return the slices of a snapshot. A slice that its capability did not fold up to here is kept unchanged. A slice
    of another version is dropped, so that all of LIFE is folded for it."""
    found = dict[str, object]()
    installed = slices.find_all()
    for name in {**given, **installed}:
        row, known = _table(given.get(name)), installed.get(name)
        fields = {field: value for field, value in row.items() if field not in ("version", "until")}
        version, until = row.get("version"), row.get("until", at)
        until = until if isinstance(until, str) and times.is_stamp(until) else ""
        if known is None:
            found[name] = Unfolded(version if type(version) is int and _sound(version, int) else 0, fields, until)
        elif version != known.version:
            found[name] = Unfolded(known.version, {}, "")
        elif "until" in row:
            found[name] = Unfolded(known.version, fields, until)
        else:
            found[name] = _part(known.kind, fields)
    return _saying(found)


def _former(parts: Mapping[str, Any]) -> dict[str, object]:
    """Return the slices of a snapshot from before slices existed, when their fields were in other parts of the
    state."""
    found = dict[str, object]()
    for name, one in slices.find_all().items():
        given = {field: _table(parts.get(part)).get(field) for field, part in one.former.items()}
        found[name] = _part(one.kind, given)
    return _saying(found)


def _saying(found: Mapping[str, object]) -> dict[str, object]:
    """Return the slices with a value other than the default."""
    return {name: one for name, one in found.items() if isinstance(one, Unfolded) or one != type(one)()}


def read(known: StateSlice[S], kept: Unfolded) -> S:
    """Return the value of a kept slice whose capability is installed again."""
    return _part(known.kind, kept.fields)


def _rooms(given: object) -> dict[str, Position]:
    return {name: _part(Position, one) for name, one in _table(given).items() if names.ROOM.fullmatch(name)}


def _table(given: object) -> Mapping[str, Any]:
    return given if isinstance(given, dict) else {}


def _part(kind: type[S], given: object) -> S:
    """Return a part of the state from a table; a missing or invalid value keeps its default."""
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
    """Return True if the value is of the type and, if it is a number, within MOST."""
    if kind is float and type(value) is int:
        kind = int
    return type(value) is kind and (not isinstance(value, int | float) or -MOST < value < MOST)
