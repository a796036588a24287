"""What tests of bridges begin with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from scenes import Scene


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    yield Scene(tmp_path)
