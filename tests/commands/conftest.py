"""A life that has forgotten some of what it heard, for the commands that look at one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from lives import chat, living, talking
from looking import LIMIT, SEAT
from world import World

from dotagent.life.events import Keep


@pytest.fixture
def lived(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """A life that has forgotten some of what it heard."""
    monkeypatch.setenv("DOTAGENT_CONTEXT_LIMIT", str(LIMIT))
    with living(tmp_path / "home", talking(), LIMIT) as one:
        one.say(SEAT)
        chat(one, 40)
        one.session.record(Keep(one.session.entries[-2].number))
        yield one
