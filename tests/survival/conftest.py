"""A home that was lived in, made once for the tests of a file; each has a copy of its own."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from alive import a_home
from hurt import answers
from world import events, world

from dotagent.store.home import Home
from dotagent.store.queue import Call
from dotagent.store.requests import ChatMessage


@pytest.fixture(scope="module")
def lived() -> Iterator[Home]:
    """A home in which an agent has talked, used every kind of blob, and sleeps. Tests work on copies of it."""
    with a_home() as where, pytest.MonkeyPatch.context() as patch:
        patch.setenv("USER", "ana")
        with world(where.root, busy) as here:
            for text in ("hello", "use your hands", "and forget"):
                here.say(text)
                here.run()
            (here.session.path / "run/fade").touch()
            here.run()
            assert events(here, "SWAP")
        yield where


def busy(messages: list[ChatMessage], call: Call) -> str:
    if call.kind != "live":
        return "no summary: it is made without a model"
    last = messages[-1]["content"]
    if "use your hands" in last and "TOOL" not in last:
        return "WRITE_FILE MEMORY.md <<END\nana likes tea\nEND\nRUN echo ran; echo " + "some words to forget " * 300
    return answers(messages, call)


@pytest.fixture
def where(lived: Home, tmp_path: Path) -> Home:
    shutil.copytree(lived.root, tmp_path / "home", symlinks=True)
    return Home(tmp_path / "home")
