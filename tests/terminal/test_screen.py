"""How often the terminal looks at what changes: at once after a rest, else a share of the processor."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import make_home
from terminals import Terminal

from dotagent.terminal.screen import FRAME, SAVED, SHARE, until

LEAVES = """
import os
from dotagent.terminal.screen import Screen
screen, (there, busy) = Screen([], lambda: "dev", lambda line: True, lambda before: []), os.pipe()
os.write(busy, b"x")
def begin():
    screen.wake(there, lambda: screen.again(0.0, lambda: screen.wake(there, lambda: None)))
    screen.again(0.1, screen.leave)
screen.run(begin)
print("left")
"""
"""A screen that is left while what it watches stays readable."""


def test_after_a_rest_the_first_looks_do_not_wait_for_one_another() -> None:
    """A call is placed, taken and begun to be answered within some milliseconds: its first words are drawn at once."""
    free, now = 0.0, 1000.0
    for _ in range(int(SAVED / FRAME) - 1):
        free = until(free, now, 0.001)
        assert free <= now


@pytest.mark.parametrize("spent", [0.0, 0.02])
def test_what_changes_all_the_time_takes_a_share_and_no_more(spent: float) -> None:
    free = now = 1000.0
    looks = 0
    while now < 1010:
        free = until(free, now, spent)
        now, looks = max(now + spent, free), looks + 1
    assert looks <= (10 + SAVED) / max(FRAME, SHARE * spent) + 1


def test_it_is_left_without_an_error_while_there_is_more_to_hear(tmp_path: Path) -> None:
    with Terminal(make_home(tmp_path), "-c", LEAVES, width=100, height=40) as terminal:
        assert terminal.ends() == 0
        assert terminal.screen.text().strip() == "left"
