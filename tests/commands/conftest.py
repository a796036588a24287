"""A life that has forgotten some of what it heard, for the commands that look at one."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from lives import chat, living, talking
from looking import LIMIT, SEAT
from world import World

from dotagent.life.events import Keep


@pytest.fixture(scope="session")
def forgetful(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of a life that has forgotten some of what it heard."""
    path = tmp_path_factory.mktemp("forgetful") / "home"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("USER", "ana")
        _forget(path)
    return path


def _forget(path: Path) -> None:
    with living(path, talking(), LIMIT) as one:
        one.say(SEAT)
        chat(one, 40)
        one.session.record(Keep(one.session.entries[-2].number))


@pytest.fixture
def lived(forgetful: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """That life, resumed in a copy of its home."""
    monkeypatch.setenv("DOTAGENT_CONTEXT_LIMIT", str(LIMIT))
    shutil.copytree(forgetful, tmp_path / "home", symlinks=True)
    with living(tmp_path / "home", talking(), LIMIT) as one:
        yield one
