"""Calls and answers that are none: they are set aside by name, and nothing is done for them."""

from __future__ import annotations

import json

import pytest
from spooled import AGENT, everything, id_of, place

from dotagent import errors
from dotagent.store import queue, taken_calls
from dotagent.store.home import Home

DAMAGED = [
    b"", b"{", b"[]", b"null", b"\0\xff", b"{}", b"[" * 100_000, b'{"reply": 5}', b'{"reply": "not an id"}',
    b'{"kind": ""}', b'{"kind": "two words"}', b'{"kind": "x", "hint": 3}', b'{"kind": "x", "size": "large"}',
    b'{"kind": "x", "usage": null}', b'{"kind": "x", "usage": {"input": "many"}}', b'{"kind": "x", "unknown": 1}',
]  # fmt: skip


@pytest.mark.parametrize("data", DAMAGED)
def test_an_answer_that_is_none_is_set_aside_and_has_failed(where: Home, data: bytes) -> None:
    path = where.calls / "done" / AGENT / id_of(1)
    path.parent.mkdir(parents=True)
    path.write_bytes(data)
    told = queue.done(where, AGENT, id_of(1))
    assert told and not told.reply and told.retryable and str(path) in told.hint
    assert not path.exists() and queue.done(where, AGENT, id_of(1)) is None
    assert [one.read_bytes() for one in path.parent.iterdir()] == [data]


NAMES = [
    ("agent", "../../outside"), ("agent", "a" * 33), ("agent", ""), ("agent", "/etc"), ("provider", "../own"),
    ("provider", "other"), ("provider", "own/x"), ("kind", "alive"), ("room", "../dev"), ("room", "a b"),
    ("at", "yesterday"), ("at", "2026-13-01T00:00:00Z"), ("takers", [[10**30, "x"]]), ("takers", [[-1, "x"]]),
]  # fmt: skip


def hostile(**parts: object) -> bytes:
    """A call of which one part is no name."""
    return json.dumps({"id": id_of(1), "agent": AGENT, "provider": "own", **parts}).encode()


def test_a_call_whose_names_lead_elsewhere_is_no_call(where: Home) -> None:
    """Nothing is written outside the home, and nothing at all for it."""
    for number, (part, word) in enumerate(NAMES, 1):
        path = where.calls / "new" / "own" / id_of(1)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(hostile(**{part: word}))
        assert queue.take(where, "own") is None, part
        assert everything(where) == ["new/own/.unreadable-000000000000"], (number, part)


@pytest.mark.parametrize(
    "data",
    [
        *DAMAGED,
        b'{"id": "other", "agent": "a", "provider": "own"}',
        b'{"id": "other"}',
        b'{"id": 1, "agent": 2, "provider": 3}',
        *(hostile(**{part: word}) for part, word in NAMES if word != "other"),
    ],
)
def test_a_call_that_is_none_is_set_aside_by_name(where: Home, data: bytes) -> None:
    for folder in ("new/own", "taken"):
        (where.calls / folder).mkdir(parents=True, exist_ok=True)
        (where.calls / folder / id_of(1)).write_bytes(data)
    place(where, 2)
    taken_calls.put_back(where)
    taken = queue.take(where, "own")
    assert taken
    assert taken.id == id_of(2)
    assert (where.calls / "new" / "own" / ".unreadable-000000000000").read_bytes() == data
    assert (where.calls / "taken" / ".unreadable-000000000000").read_bytes() == data


def test_a_directory_in_a_calls_place(where: Home) -> None:
    (where.calls / "new" / "own" / id_of(1)).mkdir(parents=True)
    with pytest.raises(OSError) as refused:
        place(where, 1)
    assert errors.line(refused.value).startswith(f"{where.calls / 'new' / 'own' / id_of(1)}: Is a directory")
    place(where, 2)
    assert queue.take(where, "own")
    assert everything(where) == [f"taken/{id_of(2)}"]
