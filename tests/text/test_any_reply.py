"""Whatever a reply holds: it is read, in linear time; what is written is read back, and what is spoken only grows."""

import re
import time
from itertools import pairwise
from string import ascii_letters

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from toolset import TOOLS, calls

from dotagent.text import syntaxes
from dotagent.text.grammar import ToolCall, read
from dotagent.text.partial_reply import spoken

MARKS = ["<<", "```", "~~~", "<think>", "</think>", "<reasoning>", "</reasoning>", "$(", "(("]
PIECES = st.sampled_from(
    [*sorted(TOOLS.forms), "SAY dev ", "SAY ops ", "END", "<<END", "hi", "x", *"\n\n\n `<<'\")\\\r\t-#\0\ud800", *MARKS]
)
REPLIES = st.lists(PIECES, max_size=30).map("".join)
NAMED = re.compile(rf"[^\w\s].*(?:{'|'.join(TOOLS.forms)})")


@given(st.one_of(REPLIES, st.text(st.characters(exclude_categories=()))), st.booleans())
def test_nothing_raises(reply: str, cut: bool) -> None:
    reading = read(reply, TOOLS, cut)
    assert not (reading.calls and (reading.lost or reading.text))
    assert reading.text == reading.text.strip()
    spoken(reply, TOOLS, "dev", waking=True)


@given(st.lists(st.sampled_from(["hi", "Ana", "x", "A", "- ", "> ", "# ", *"\n\r\t .:'é"])).map("".join))
def test_text_without_capitals_is_no_call(reply: str) -> None:
    assume("AA" not in reply)
    reading = read(reply, TOOLS)
    assert (reading.calls, reading.lost) == ((), ())
    assert reading.text == read(f"{reply}\nRUN", TOOLS).text.removesuffix("RUN").strip()


LINE = st.one_of(PIECES.filter(lambda piece: "\n" not in piece), st.text(ascii_letters + " <`~'◱#", max_size=12))
BODY = st.lists(LINE.filter(lambda line: line.rstrip() != "CLOSING")).map(
    lambda lines: "".join(f"{x}\n" for x in lines)
)
WORDS = st.lists(st.text(ascii_letters, min_size=1), min_size=1, max_size=3).map(" ".join)
FILES = st.builds(ToolCall, st.sampled_from(["WRITE_FILE", "EDIT_FILE"]), WORDS, st.one_of(st.none(), BODY))
SAID = WORDS.map(str.lower)
SAYS = st.builds(ToolCall, st.just("SAY"), st.sampled_from(["dev", "ops"]), st.one_of(BODY, SAID))
RUNS = st.builds(
    ToolCall, st.just("RUN"), st.one_of(WORDS, BODY.map("cat <<'CLOSING' | sort\n{}CLOSING".format)), st.none()
)


def rendered(call: ToolCall) -> str:
    if call.body is None:
        return f"{call.name} {call.args}\n"
    if call.body and not call.body.endswith("\n"):
        return f"{call.name} {call.args} {call.body}\n"
    return f"{call.name} {call.args} <<CLOSING\n{call.body}CLOSING\n"


@pytest.mark.slow
@given(st.lists(st.one_of(FILES, SAYS, RUNS)))
def test_rendered_calls_read_back(wanted: list[ToolCall]) -> None:
    assert calls("".join(map(rendered, wanted))) == wanted


@pytest.mark.slow
@given(st.lists(st.one_of(FILES, SAYS, RUNS), min_size=1), st.text(ascii_letters + " .,\n", min_size=1), st.data())
def test_no_call_is_done_with_other_text_between_or_after(
    wanted: list[ToolCall], text: str, data: st.DataObject
) -> None:
    parts = list(map(rendered, wanted))
    at = data.draw(st.integers(0, len(parts)))
    assume(text.strip() and not (at and wanted[at - 1].name == "SAY"))
    assert calls("".join([*parts[:at], f"\n{text}.\n", *parts[at:]])) == []


@pytest.mark.parametrize(
    "reply",
    [
        "WRITE_FILE a <<END\n</think>\nEDIT_FILE\n<think>\nEND\n\nBeside.",
        "Beside.\nSAY dev <<END\n</think>\nREAD_FILE a\nEND\n",
        "Beside.\nRUN cat <<'END' | sort\n</think>READ_FILE a\n<think>\nEND\nREAD_FILE b\n",
        "WRITE_FILE a <<END\nRUN cat <<'END'\nEND\n\nBeside.\nRUN cat <<'END' | sort\nEND\n",
        "SAY dev <<END\nRUN cat <<END\nEND\nRUN ls\nBeside.\nWRITE_FILE a <<END\nEND\n",
    ],
)
def test_content_with_reasoning_tags_or_its_own_closing_word_is_no_call_beside_text(reply: str) -> None:
    assert calls(reply) == []
    assert read(reply, TOOLS).lost


HOLDS = st.lists(st.sampled_from(["END", "a", "", "RUN ls", "WRITE_FILE b <<END", "</think>", "```", "cat <<END"]))


@given(HOLDS)
def test_content_is_written_as_it_is_or_not_at_all(lines: list[str]) -> None:
    """Only a reply that is other calls in the documented form, whose content has no closing word, is taken as those."""
    body = "".join(f"{line}\n" for line in lines)
    reply = f"WRITE_FILE a <<END\n{body}END\n"
    for call in calls(reply)[1:]:
        assert "END" not in (call.body or "").split("\n")
    found = calls(reply)[:1]
    assert not found or found[0].body == body or (len(calls(reply)) > 1 and "END" not in (found[0].body or "").split())


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_content_is_written_as_it_is(text: str) -> None:
    body = f"{text}\n"
    assume("END" not in [line.rstrip() for line in text.split("\n")])
    assert calls(f"WRITE_FILE a <<END\n{body}END") == [ToolCall("WRITE_FILE", "a", body)]


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
    assert so_far("SAY dev a<<") == "a<" and so_far("SAY dev a<<\nSAY dev") == "a<<"
    assert so_far("SAY dev <<END\na\nEN") == so_far("SAY dev <<END\na\nEND") == "a"
    assert so_far("SAY dev <<END\na\nENx") == "a\nENx"
    assert so_far("SAY dev <<END\na\nEND\nb") == so_far("SAY dev <<END\na\nEND\nREAD_FILE b") == "a"
    assert so_far("SAY dev <<END\na\nEND\nb\nEND") == "a"
    assert so_far("hm\n</think>\nWell") == so_far("RUN x\n</think>\nWell") == "Well"
    assert so_far("SAY dev a\nRUN ls") == so_far("SAY dev a\nRUN ls\nbeside") == "a"
    assert so_far("<reaso") == so_far("<reasoning>hm") == so_far("<reasoning>hm</reaso") == ""
    assert so_far("<reasoning>hm</reasoning>\nWell") == "Well"
    assert so_far("Well <thi") == "Well"
    assert so_far("See:\n```\n<think>a") == "See:\n```"
    assert so_far("See:\n```\n<think>a</think>\n```") == "See:\n```\n<think>a</think>\n```"
    assert so_far("See:\n```\n<<reasoning>") == "See:\n```\n<"
    assert so_far("SAY dev ```\n``") == so_far("SAY dev ```\n```")[:6] == "```\n``"
    assert so_far("See:\n``") == "See:"
    assert so_far("See:\n```\nRUN l") == "See:\n```\nRUN l"
    assert so_far("WRITE_FILE a <<END\nSAY dev no\n") == ""
    assert [so_far("Well (EDIT_FILE"[:end]) for end in range(6, 15)] == ["Well"] * 9


@given(REPLIES, st.sampled_from(["", "SAY dev ", "SAY dev <<END\n"]))
def test_what_is_spoken_only_grows_and_ends_as_what_is_said(reply: str, start: str) -> None:
    reply = start + reply
    reading = read(reply, TOOLS)
    only_said = not reading.text and all(c.name == "SAY" and c.args == "dev" and not c.problem for c in reading.calls)
    assume(not reading.lost and (not reading.calls or only_said))
    assume("</" not in reply and not any("END" in (call.body or "").split("\n") for call in reading.calls))
    said = [call.body.rstrip() for call in reading.calls if call.body and call.body.strip()]
    final = "\n".join(said) if reading.calls else reading.text
    steps = [spoken(reply[:end], TOOLS, "dev", waking=True) for end in range(len(reply) + 1)]
    # a line that may be a call takes all of it back; only a tool's name behind a mark may take back a part of it
    if not NAMED.search(reply):
        assert all(after.startswith(before) or not after for before, after in pairwise(steps))
    assert final.startswith(steps[-1])
    reasons = "<think>" in reply or "<reasoning>" in reply  # it may be open, and go on in the last line
    if not reasons and not syntaxes.hides(final, TOOLS.forms):  # a draft shows nothing that may become a call
        assert spoken(reply + "\n", TOOLS, "dev", waking=True) == final


@given(st.lists(st.text(ascii_letters + " .,!\n", min_size=1)).map("".join))
def test_plain_words_are_spoken_to_the_last_letter(reply: str) -> None:
    reply = f"Well,\n{reply}."
    assume(not read(reply, TOOLS).calls)
    assert spoken(reply, TOOLS, "dev", waking=True) == read(reply, TOOLS).text


@pytest.mark.night
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
