"""What the tests of the sandbox begin with."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    """These tests are about what a command can reach: what is asked first is tried elsewhere."""
    monkeypatch.setenv("DOTAGENT_POLICY", "allow")
