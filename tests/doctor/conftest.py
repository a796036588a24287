"""A home in which somebody has lived, and a copy of it for each test to harm."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from a_lived_home import converse, living
from support import make_home

from dotagent.store.home import Home


@pytest.fixture(scope="session")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A home in which somebody has lived."""
    where = make_home(tmp_path_factory.mktemp("lived") / "home")
    with living(where):
        converse(where, ["help", "remember that my seat is 14A"])
    return where


@pytest.fixture
def where(lived: Home, tmp_path: Path) -> Iterator[Home]:
    """A copy of it to be harmed."""
    shutil.copytree(lived.root, tmp_path / "home", symlinks=True)
    yield Home(tmp_path / "home")
