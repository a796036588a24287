"""What tests of a tool begin with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hands import Hands, a_life


@pytest.fixture(autouse=True)
def _allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    """These tests are about what a tool does, also after it showed foreign words and without a sandbox: `tests/hostile`
    and `tests/sandbox` try what is asked first, and what a sandbox keeps from a command."""
    monkeypatch.setenv("DOTAGENT_POLICY", "allow")
    monkeypatch.setenv("DOTAGENT_SANDBOX", "off")


@pytest.fixture
def hands(tmp_path: Path) -> Iterator[Hands]:
    """A life that was just born, and its hands."""
    with a_life(tmp_path) as life:
        yield life
