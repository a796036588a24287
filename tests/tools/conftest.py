"""What tests of a tool begin with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hands import Hands, a_life


@pytest.fixture
def hands(tmp_path: Path) -> Iterator[Hands]:
    """A life that was just born, and its hands."""
    with a_life(tmp_path) as life:
        yield life
