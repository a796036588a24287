"""Sizes in tokens: the estimate costs nothing and is near enough; the exact count needs no network."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import ANY_TEXT, ROOT

from dotagent.providers import Prompt
from dotagent.providers.server import cost
from dotagent.text import exact, tokens

PROSE = (ROOT / "SOUL.md").read_text("utf-8")


@given(ANY_TEXT, st.text())
def test_the_estimate_grows_with_the_text(one: str, two: str) -> None:
    assert tokens.estimate(one) >= 1
    assert tokens.estimate(one + two) >= tokens.estimate(one)
    assert tokens.estimate(one) == tokens.estimate(one.encode("utf-8", "replace"))


def test_the_estimate_is_a_little_too_much_for_prose() -> None:
    counted = exact.count(PROSE)
    assert counted < tokens.estimate(PROSE) < 1.5 * counted


@given(ANY_TEXT)
def test_its_parts_are_the_estimate(text: str) -> None:
    plain, rest = tokens.parts(text)
    assert tokens.estimate(text) == int(plain + rest) + 1
    assert tokens.estimate(text, 0.25) == int(plain + 0.25 * rest) + 1
    assert (rest == 0) == text.encode("utf-8", "replace").isascii()


# Kinds of text that the estimate's numbers were not fitted to, with the mean of their tokens in twelve vocabularies:
# o200k, cl100k, Claude 3 and 4.7, Llama 3, Qwen 3 and 3.5, GLM-4, Kimi K2, DeepSeek V3, Gemma 3, tekken.
KINDS = json.loads((ROOT / "tests/text/token_kinds.json").read_text("utf-8"))
OFF = {kind: tokens.estimate(one["text"]) / one["mean"] - 1 for kind, one in KINDS.items()}


def test_the_estimate_is_near_the_mean_of_twelve_vocabularies() -> None:
    off = sorted(map(abs, OFF.values()))
    assert off[len(off) // 2] <= 0.15
    assert off[len(off) * 9 // 10] <= 0.35


@pytest.mark.parametrize("kind", KINDS)
def test_no_kind_of_text_is_estimated_at_half(kind: str) -> None:
    assert -0.5 < OFF[kind] < 0.5


@pytest.mark.parametrize("run", [500, 5000])
def test_a_long_text_is_estimated_from_parts_of_it(run: int) -> None:
    texts = [(one["text"] * run)[:run] for one in KINDS.values() for _ in range(100_000 // run // len(KINDS) + 1)]
    mixed = "\n".join(texts[::2] + texts[1::2])
    complete = sum(tokens.estimate(mixed[at : at + 4000]) for at in range(0, len(mixed), 4000))
    assert abs(tokens.estimate(mixed) / complete - 1) < 0.1
    assert tokens.estimate(mixed) == tokens.estimate(mixed.encode())


def test_a_long_name_in_code_is_no_random_string() -> None:
    name = "aVeryLongIdentifierForSha256OfSeveralDocuments "
    assert tokens.estimate(20 * name) < 2 * exact.count(20 * name)


def test_exact_counts_are_those_of_cl100k() -> None:
    assert exact.count("") == 0
    assert exact.count("hello world") == 2
    assert exact.count("<|endoftext|>") > 1  # what looks like a marker is text
    assert exact.count("日本語") == 4


def test_what_no_server_reports_is_counted_exactly() -> None:
    told = cost.guess(Prompt("m", ({"role": "user", "content": KINDS["Russian"]["text"]},)), KINDS["Greek"]["text"])
    assert (told.input, told.output) == (exact.count(KINDS["Russian"]["text"]), exact.count(KINDS["Greek"]["text"]))


def test_without_the_extra_it_is_estimated() -> None:
    words = (
        "import sys; sys.modules['tiktoken'] = None; from dotagent.text import exact; print(exact.count(sys.argv[1]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", words, KINDS["Russian"]["text"]], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert int(done.stdout) == tokens.estimate(KINDS["Russian"]["text"]) != exact.count(KINDS["Russian"]["text"])
