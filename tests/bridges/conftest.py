"""What tests of bridges begin with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from bot_api import Telegram
from scenes import Scene


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    yield Scene(tmp_path)


@pytest.fixture
def telegram() -> Iterator[Telegram]:
    with Telegram() as server:
        yield server
