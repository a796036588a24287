"""The earlier home, unpacked: one for all that change nothing, or one for each test."""

from __future__ import annotations

from pathlib import Path

import pytest
from an_earlier_home import unpack


@pytest.fixture(scope="module")
def earlier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The earlier home, for those who change nothing."""
    return unpack(tmp_path_factory.mktemp("earlier"))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The earlier home, unpacked for a test alone."""
    return unpack(tmp_path)
