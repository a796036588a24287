"""What tests of the store begin with."""

from __future__ import annotations

from pathlib import Path

import pytest

from dotagent.store import rooms


@pytest.fixture
def room(tmp_path: Path) -> Path:
    path = tmp_path / "dev.md"
    rooms.create(path, "private")
    return path
