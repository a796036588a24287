"""Sizes in tokens: the estimate costs nothing and is near enough; the exact count needs no network."""

from __future__ import annotations

import subprocess
import sys

from hypothesis import given
from hypothesis import strategies as st
from support import ANY_TEXT, ROOT, environment

from dotagent.text import tokens

PROSE = (ROOT / "SOUL.md").read_text("utf-8")


@given(ANY_TEXT, st.text())
def test_the_estimate_grows_with_the_text(one: str, two: str) -> None:
    assert tokens.estimate(one) >= 1
    assert tokens.estimate(one + two) >= tokens.estimate(one)
    assert tokens.estimate(one) == tokens.estimate(one.encode("utf-8", "replace"))


def test_the_estimate_is_a_little_too_much_for_prose() -> None:
    exact = tokens.count(PROSE)
    assert exact < tokens.estimate(PROSE) < 1.5 * exact


def test_exact_counts_are_those_of_cl100k() -> None:
    assert tokens.count("") == 0
    assert tokens.count("hello world") == 2
    assert tokens.count("<|endoftext|>") > 1  # what looks like a marker is text
    assert tokens.count("日本語") == 4


def test_estimating_loads_no_table() -> None:
    """The loop estimates at every entry: it must not pay for the tokenizer, which it never needs."""
    code = "import sys; from dotagent.text import tokens; tokens.estimate('hello'); sys.exit('tiktoken' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment(), check=False).returncode == 0
