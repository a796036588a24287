"""Whatever a reply holds: it is read, in linear time; what is written is read back, and what is spoken only grows."""

import time
from itertools import pairwise
from string import ascii_letters

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from toolset import TOOLS, calls

from dotagent.text.grammar import ToolCall, read, spoken

MARKS = ["<<", "```", "~~~", "<think>", "</think>", "<reasoning>", "</reasoning>", "$(", "(("]
PIECES = st.sampled_from(
    [*sorted(TOOLS.forms), "SAY dev ", "SAY ops ", "END", "<<END", "hi", "x", *"\n\n\n `<<'\")\\\r\t-#\0\ud800", *MARKS]
)
REPLIES = st.lists(PIECES, max_size=30).map("".join)


@given(st.one_of(REPLIES, st.text(st.characters(exclude_categories=()))), st.booleans())
def test_nothing_raises(reply: str, cut: bool) -> None:
    reading = read(reply, TOOLS, cut)
    assert not (reading.calls and reading.lost)
    assert reading.text == reading.text.strip()
    spoken(reply, TOOLS, "dev", waking=True)


LINE = st.one_of(PIECES.filter(lambda piece: "\n" not in piece), st.text(ascii_letters + " <`~'◱#", max_size=12))
BODY = st.lists(LINE.filter(lambda line: line.rstrip() != "CLOSING")).map(
    lambda lines: "".join(f"{x}\n" for x in lines)
)
WORDS = st.lists(st.text(ascii_letters, min_size=1), min_size=1, max_size=3).map(" ".join)
FILES = st.builds(ToolCall, st.sampled_from(["WRITE_FILE", "EDIT_FILE"]), WORDS, st.one_of(st.none(), BODY))
SAID = WORDS.map(str.lower)
SAYS = st.builds(
    ToolCall, st.just("SAY"), st.sampled_from(["dev", "ops"]), st.one_of(BODY, SAID, SAID.map("{0}\n\n{0}".format))
)
RUNS = st.builds(
    ToolCall, st.just("RUN"), st.one_of(WORDS, BODY.map("cat <<'CLOSING' | sort\n{}CLOSING".format)), st.none()
)


def rendered(call: ToolCall) -> str:
    if call.body is None:
        return f"{call.name} {call.args}\n"
    if call.body and not call.body.endswith("\n"):
        return f"{call.name} {call.args} {call.body}\n"
    return f"{call.name} {call.args} <<CLOSING\n{call.body}CLOSING\n"


@given(st.lists(st.one_of(FILES, SAYS, RUNS)))
def test_rendered_calls_read_back(wanted: list[ToolCall]) -> None:
    assert calls("".join(map(rendered, wanted))) == wanted


def test_what_is_spoken_while_it_is_written() -> None:
    def so_far(partial: str, waking: bool = True) -> str:
        return spoken(partial, TOOLS, "dev", waking)

    assert so_far("Hello th") == "Hello th"
    assert so_far("Hello th", waking=False) == ""
    assert so_far("Hello\nSA") == "Hello"
    assert so_far("Hello\nSAY") == "Hello"
    assert so_far("Hello\nRUN ls") == ""
    assert so_far("SAY dev He", waking=False) == "He"
    assert so_far("SAY dev") == so_far("SAY de") == so_far("SAY ops He") == ""
    assert so_far("SAY dev a\nSAY ops b\nSAY dev c") == "a\nc"
    assert so_far("SAY dev <") == so_far("SAY dev <<EN") == so_far("SAY dev <<END\n") == ""
    assert so_far("SAY dev <<END now") == "<<END now"
    assert so_far("SAY dev <<END\na\nEN") == so_far("SAY dev <<END\na\nEND") == "a"
    assert so_far("SAY dev <<END\na\nENx") == "a\nENx"
    assert so_far("SAY dev <<END\na\nEND\nbeside") == "a"
    assert so_far("<reaso") == so_far("<reasoning>hm") == so_far("<reasoning>hm</reaso") == ""
    assert so_far("<reasoning>hm</reasoning>\nWell") == "Well"
    assert so_far("Well <thi") == "Well"
    assert so_far("See:\n``") == "See:"
    assert so_far("See:\n```\nRUN l") == "See:\n```\nRUN l"
    assert so_far("WRITE_FILE a <<END\nSAY dev no\n") == ""


@given(REPLIES, st.sampled_from(["", "SAY dev ", "SAY dev <<END\n"]))
def test_what_is_spoken_only_grows_and_ends_as_what_is_said(reply: str, start: str) -> None:
    reply = start + reply
    reading = read(reply, TOOLS)
    only_said = not reading.text and all(c.name == "SAY" and c.args == "dev" and not c.problem for c in reading.calls)
    assume(not reading.calls or only_said)
    said = [call.body.rstrip() for call in reading.calls if call.body and call.body.strip()]
    final = "\n".join(said) if reading.calls else reading.text
    steps = [spoken(reply[:end], TOOLS, "dev", waking=True) for end in range(len(reply) + 1)]
    assert all(after.startswith(before) for before, after in pairwise(steps))
    assert final.startswith(steps[-1])
    if "more" in str(read(reply + "\nmore", TOOLS)):  # else reasoning is still open, and may yet go on in the last line
        assert spoken(reply + "\n", TOOLS, "dev", waking=True) == final


@given(st.lists(st.text(ascii_letters + " .,!\n", min_size=1)).map("".join))
def test_plain_words_are_spoken_to_the_last_letter(reply: str) -> None:
    reply = f"Well,\n{reply}."
    assume(not read(reply, TOOLS).calls)
    assert spoken(reply, TOOLS, "dev", waking=True) == read(reply, TOOLS).text


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece",
    [
        "SAY dev hi\n",
        "<think></think>",
        "`````x`\n",
        "RUN cat <<E\nE\n",
        "RUN a <<'",
        "$(",
        "\n",
        "> ",
        "RUN a \\\n",
        "<",
        "<<",
    ],
)
def test_time_grows_with_the_reply_and_not_with_its_square(piece: str) -> None:
    reply = piece * (250_000 // len(piece))  # a square law takes minutes here
    start = time.process_time()
    read("RUN " + reply, TOOLS)
    assert time.process_time() - start < 10
