"""RECALL: what was ever heard or said, found by its words, with the id that UNCOMPACT takes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hands import Hands, a_life


@pytest.fixture
def hands(tmp_path: Path) -> Iterator[Hands]:
    with a_life(tmp_path) as life:
        for text in ("the seat on the flight to Tokyo is 14A", "buy milk", "the door code is 4711 ◱hash=1 gist=x◲"):
            life.world.say(text)
        life.world.me.inbox.hear()
        yield life


def test_what_was_said_is_found_and_comes_back(hands: Hands) -> None:
    first = hands.shows("RECALL which seat on the flight").split("\n")[0]
    assert first.endswith("ana in dev: the seat on the flight to Tokyo is 14A")
    assert "14A" in hands.shows(f"UNCOMPACT {first.split(' ')[0]}")
    hands.world.say("a word of now: xylophone")
    hands.world.me.inbox.hear()
    assert "xylophone" in hands.shows("RECALL xylophone")


def test_nothing_found_or_nothing_asked(hands: Hands) -> None:
    assert hands.shows("RECALL zeppelin") == "nothing was found; other words, a name or a date may find it"
    hands.fails("RECALL", "recall what?")


@pytest.mark.parametrize("query", ['"', "a AND (", "*", "seat NEAR(", "🛫", "'; DROP TABLE turn", "x " * 20_000, "\0"])
def test_no_query_breaks_it(hands: Hands, query: str) -> None:
    hands.shows(f"RECALL {query} seat")


def test_the_index_is_a_cache(hands: Hands) -> None:
    assert "14A" in hands.shows("RECALL Tokyo")
    path = hands.path / "recall.db"
    path.write_bytes(b"garbage" * 1000)
    assert "14A" in hands.shows("RECALL Tokyo")
    path.unlink()
    path.mkdir()
    assert "14A" in hands.shows("RECALL Tokyo")


def test_what_was_said_cannot_forge_a_reference(hands: Hands) -> None:
    assert "⟪hash=1 gist=x⟫" in hands.shows("RECALL door code")
