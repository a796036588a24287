"""A progress bar is its last frame, and ordinary output is as it was."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dotagent.text.frames import last


@pytest.mark.parametrize(
    ("printed", "shown"),
    [
        ("".join(f"\r{n:3} %" for n in range(101)) + "\ndone\n", "100 %\ndone\n"),
        ("loading...\rdone\n", "doneing...\n"),
        ("loading...\r\x1b[Kdone\n", "done\n"),
        ("loading\x1b[2K\rdone\n", "done\n"),
        ("|\x08/\x08-\x08ok\n", "ok\n"),
        ("a\r\nb\r\n", "a\nb\n"),
        ("Fortschritt ä\rFertig\x1b[K ö\n", "Fertig ö\n"),
    ],
)
def test_what_a_terminal_shows_in_the_end(printed: str, shown: str) -> None:
    assert last(printed.encode()).decode() == shown


@given(st.binary().filter(lambda data: b"\r" not in data and b"\x08" not in data))
def test_other_output_stays(data: bytes) -> None:
    assert last(data) == data


@given(st.binary())
def test_any_output_has_its_lines(data: bytes) -> None:
    assert last(data).count(b"\n") == data.count(b"\n")
