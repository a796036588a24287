"""A progress bar is its last frame, and ordinary output is as it was."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dotagent.capabilities.shell.frames import last


@pytest.mark.parametrize(
    ("printed", "shown"),
    [
        ("".join(f"\r{n:3} %" for n in range(101)) + "\ndone\n", "100 %\ndone\n"),
        ("loading...\rdone\n", "doneing...\n"),
        ("loading...\r\x1b[Kdone\n", "done\n"),
        ("loading\x1b[2K\rdone\n", "done\n"),
        ("|\x08/\x08-\x08ok\n", "ok\n"),
        ("a\r\nb\r\n", "a\nb\n"),
        ("spin 10 %\x1b[2K\x1b[1Gspin 100 %\n", "spin 100 %\n"),
        ("10 %\x1b[0G20 %\n", "20 %\n"),
        ("10 %\x1b[4D20 %\x1b[K\n", "20 %\n"),
        ("a 1 %\nb 1 %\n\x1b[2Aa 9 %\nb 7 %\n", "a 9 %\nb 7 %\n"),
        ("pull\nlayer 5 %\n\x1b[1A\x1b[2Klayer done\nend\n", "pull\nlayer done\nend\n"),
        ("a\x1b[5Gb\n\x1b[32mgreen\x1b[0m\n", "a   b\n\x1b[32mgreen\x1b[0m\n"),
        ("first\n\x1b[9Atop\n", "topst\n"),
        ("Fortschritt ä\rFertig\x1b[K ö\n", "Fertig ö\n"),
    ],
)
def test_what_a_terminal_shows_in_the_end(printed: str, shown: str) -> None:
    assert last(printed.encode()).decode() == shown


@given(st.binary().filter(lambda data: not re.search(rb"[\r\x08]|\x1b\[", data)))
def test_other_output_stays(data: bytes) -> None:
    assert last(data) == data


@given(st.binary().filter(lambda data: b"\x1b[" not in data))
def test_any_output_has_its_lines(data: bytes) -> None:
    assert last(data).count(b"\n") == data.count(b"\n")
