"""Whatever way an editor or a program for sync saves a room, and wherever the agent looks in between: each new line is
heard once, no old one again, and what is gone is told once."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from listening import heard
from world import World, events, impatient, said, world

from dotagent.life.session import Patience
from dotagent.store.requests import ChatMessage

Save = Callable[[Path, bytes, list[int]], Iterator[None]]
"""Saves a room. It pauses at each step in which the agent may look."""


def in_place(path: Path, whole: bytes, cuts: list[int]) -> Iterator[None]:
    """As nano, ed, joe, kakoune, micro and vim through a link do: cut, part, whole. rsync --inplace, too."""
    with open(path, "wb", buffering=0) as file:
        for begin, end in itertools.pairwise([0, *cuts, len(whole)]):
            yield
            file.write(whole[begin:end])


def moved_away(path: Path, whole: bytes, cuts: list[int]) -> Iterator[None]:
    """As vim, emacs, jed and e3 do: rename away, empty, part, whole."""
    path.rename(path.with_name(f"{path.name}~"))
    yield
    yield from in_place(path, whole, cuts)
    path.with_name(f"{path.name}~").unlink()


def removed(path: Path, whole: bytes, cuts: list[int]) -> Iterator[None]:
    """As Syncthing and git do: remove, rename in."""
    aside = path.with_name(f".syncthing.{path.name}.tmp")
    for end in [*cuts, len(whole)]:
        aside.write_bytes(whole[:end])
        yield
    path.unlink()
    yield
    aside.rename(path)


def renamed_in(path: Path, whole: bytes, cuts: list[int]) -> Iterator[None]:
    """As vis, dte, mousepad, sed -i, unison and rsync do."""
    aside = path.with_name(".goutputstream-ABCDEF")
    for end in [*cuts, len(whole)]:
        aside.write_bytes(whole[:end])
        yield
    os.replace(aside, path)


def answers(messages: list[ChatMessage], call: object) -> str:
    return "well"


@pytest.fixture
def here(tmp_path: Path) -> Iterator[World]:
    at_once = Patience(still=0, unfinished=0, held=0)
    with world(tmp_path / "home", answers, patience=at_once) as there:
        for text in ("one", "two", "three"):
            there.say(text)
            there.run()
        yield there


def rows(here: World) -> list[str]:
    """The lines that were heard so far. Lines that stand together are heard as one message."""
    return [line for text in heard(here) for line in text.replace("\r", "").split("\n")]


NUMBERS = itertools.count()


@pytest.mark.night
@given(
    save=st.sampled_from([in_place, moved_away, removed, renamed_in]),
    cuts=st.lists(st.floats(0, 1), max_size=4),
    count=st.integers(1, 3),
    stale=st.booleans(),
    crlf=st.booleans(),
    ended=st.booleans(),
)
@settings(max_examples=min(1000, settings().max_examples))  # eight take a second
def test_each_line_is_heard_once_or_told(
    here: World, save: Save, cuts: list[float], count: int, stale: bool, crlf: bool, ended: bool
) -> None:
    path, opened = here.where.room("dev"), here.where.room("dev").read_bytes()
    before, notices = rows(here), len([text for text in said(here.where) if "messages are gone" in text])
    joins = len(events(here, "JOIN", "LEAVE"))
    if stale:  # somebody speaks, and is answered, while the room is open in the editor
        before = [*before, f"over {next(NUMBERS)}"]
        here.say(before[-1])
        here.run()
    else:
        opened = path.read_bytes()
    new = [f"new {next(NUMBERS)}" for _ in range(count)]
    whole = opened + "".join(f"{text}\n" for text in new).encode()
    whole = re.sub(rb"(?<!\r)\n", b"\r\n", whole) if crlf else whole
    whole = whole if ended else whole.rstrip()
    with impatient(here, still=1000, unfinished=1000):
        for _ in save(path, whole, sorted(int(one * (len(whole) - 1)) for one in cuts)):  # the last step is a change
            here.run()
            assert rows(here)[: len(before)] == before
            assert rows(here)[len(before) :] == new[: len(rows(here)) - len(before)]
    here.run()
    here.run()
    assert rows(here) == [*before, *new]
    assert len([text for text in said(here.where) if "messages are gone" in text]) == notices + stale
    assert len(events(here, "JOIN", "LEAVE")) == joins
