"""A reply's reading: the examples that models are shown, each rule by itself, and properties over generated replies."""

import time
from itertools import pairwise
from string import ascii_letters

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dotagent.text.grammar import Reading, ToolCall, Toolset, read, spoken

LINES = ("READ_FILE", "WRITE_FILE", "EDIT_FILE", "UNCOMPACT", "RECALL", "KEEP", "JOIN", "LEAVE", "WAIT")
TOOLS = Toolset({**dict.fromkeys(LINES, "line"), "SAY": "speech", "RUN": "shell"}, speech="SAY")


def calls(reply: str) -> list[ToolCall]:
    return list(read(reply, TOOLS).calls)


def test_the_examples_models_are_shown() -> None:
    reply = """SAY dev Good morning.
SAY dev <<END
two
lines
END
READ_FILE notes/plan.md 1-80
WRITE_FILE notes/plan.md <<END
…
END
EDIT_FILE MEMORY.md <<END
<<<<<<< SEARCH
old text, exactly once in the file
=======
new text
>>>>>>> REPLACE
END
RUN ls -la
UNCOMPACT 9f8e7d6c5b4a
RECALL seat on the flight to Tokyo
KEEP 412
JOIN room
WAIT
"""
    edit = "<<<<<<< SEARCH\nold text, exactly once in the file\n=======\nnew text\n>>>>>>> REPLACE\n"
    assert read(reply, TOOLS) == Reading(
        (
            ToolCall("SAY", "dev", "Good morning."),
            ToolCall("SAY", "dev", "two\nlines\n"),
            ToolCall("READ_FILE", "notes/plan.md 1-80", None),
            ToolCall("WRITE_FILE", "notes/plan.md", "…\n"),
            ToolCall("EDIT_FILE", "MEMORY.md", edit),
            ToolCall("RUN", "ls -la", None),
            ToolCall("UNCOMPACT", "9f8e7d6c5b4a", None),
            ToolCall("RECALL", "seat on the flight to Tokyo", None),
            ToolCall("KEEP", "412", None),
            ToolCall("JOIN", "room", None),
            ToolCall("WAIT", "", None),
        ),
        "",
        (),
    )


@pytest.mark.parametrize("line", ["RUNS ls", "run ls", " RUN ls", "Then RUN ls", "RUN\tls", "RUN: ls", "MAKE ls", "R"])
def test_what_is_no_call(line: str) -> None:
    assert read(line, TOOLS).calls == ()
    assert read(line, TOOLS).text == line.strip()


def test_say_takes_the_lines_up_to_the_next_call() -> None:
    assert calls("SAY dev Hello.\n\nMore.\n- RUN it\n\n\nRUN ls\nSAY ops\n\n  indented\nSAY ops") == [
        ToolCall("SAY", "dev", "Hello.\n\nMore.\n- RUN it"),
        ToolCall("RUN", "ls", None),
        ToolCall("SAY", "ops", "  indented"),
        ToolCall("SAY", "ops", None),
    ]


def test_say_keeps_a_fence_and_what_is_in_it() -> None:
    assert calls("SAY dev try\n```sh\nRUN ls\n```\nRUN pwd") == [
        ToolCall("SAY", "dev", "try\n```sh\nRUN ls\n```"),
        ToolCall("RUN", "pwd", None),
    ]
    assert calls("SAY dev ```sh\nRUN ls\n```") == [ToolCall("SAY", "dev", "```sh\nRUN ls\n```")]


def test_say_takes_a_here_document_only_alone() -> None:
    assert calls("SAY dev Use <<END\nhere\nEND") == [ToolCall("SAY", "dev", "Use <<END\nhere\nEND")]
    assert calls("SAY dev <<'END'\nRUN x\nEND\nbeside") == [ToolCall("SAY", "dev", "RUN x\n")]
    assert calls("SAY <<END\nRUN x\nEND") == [ToolCall("SAY", "", "RUN x\n")]


def test_text_beside_calls_is_apart() -> None:
    reading = read("Let me look.\nRUN ls\nAnd then:\nREAD_FILE a\n", TOOLS)
    assert reading.text == "Let me look.\nAnd then:"
    assert [call.args for call in reading.calls] == ["ls", "a"]


@pytest.mark.parametrize("word", ["END", "'END'", '"END"', "_e1"])
@pytest.mark.parametrize("end", ["", " ", "\t \r", "\r"])
def test_a_here_document_is_verbatim(word: str, end: str) -> None:
    body = "```\nRUN ls\n<think>\n◱hash=0 gist=x◲\n ENDING\r\n END\n\n"
    bare = word.strip("'\"")
    assert calls(f"WRITE_FILE a b <<{word}\n{body}{bare}{end}\nWAIT") == [
        ToolCall("WRITE_FILE", "a b", body),
        ToolCall("WAIT", "", None),
    ]


def test_an_empty_here_document_is_not_none() -> None:
    assert calls("WRITE_FILE a <<END\nEND") == [ToolCall("WRITE_FILE", "a", "")]


def test_a_here_document_without_end_swallows_the_rest_and_is_a_problem() -> None:
    assert calls("WRITE_FILE a <<END\nb\nRUN ls\n") == [
        ToolCall("WRITE_FILE", "a", "b\nRUN ls\n", "no line END after <<END")
    ]
    assert calls("SAY dev <<X") == [ToolCall("SAY", "dev", "", "no line X after <<X")]
    (run,) = calls("RUN cat <<EOF\nb\nWAIT\n")
    assert run.problem == "no line EOF after <<EOF"
    (script,) = calls("RUN <<EOF\nb")
    assert script.problem


@pytest.mark.parametrize(
    "command",
    [
        "cat <<EOF\nRUN rm x\n```\nEOF",
        "cat <<'EOF' > a && cat a\n$x\nEOF",
        'cat <<"E F"\n$x\nE F',
        "cat <<A <<B\na\nA\nb\nB",
        "cat << EOF | sort\nb\nEOF",
        "cat <<\\EOF;\nb\nEOF",
        'git commit -m "$(cat <<\'EOF\'\nDon\'t\nEOF\n)" && echo "done"',
        "a=$(cat <<A\nx\nA\n); b=$(cat <<B\ny\nB\n)",
        "cargo build \\\n  --release",
        "cat <<A \\\n  b\nx\nA",
    ],
)
def test_run_takes_its_here_documents_along(command: str) -> None:
    assert calls(f"RUN {command}\nWAIT") == [ToolCall("RUN", command, None), ToolCall("WAIT", "", None)]


def test_run_forgives_indented_and_blank_ended_closings() -> None:
    assert calls("RUN cat <<-A\n\tx\n\tA\nWAIT")[0].args == "cat <<-A\n\tx\nA"
    assert calls("RUN cat <<A\nx\nA  \r\nWAIT")[0].args == "cat <<A\nx\nA"


@pytest.mark.parametrize(
    "command",
    [
        "cat <<<EOF",
        "echo $((1<<two))",
        "echo $(( (1<<a) + 1 ))",
        "((a<<b))",
        "echo '<<EOF'",
        'echo "<<EOF $x"',
        "echo a # <<EOF",
        "echo \\<\\<EOF",
        "echo don't <<EOF",
    ],
)
def test_run_has_no_here_document(command: str) -> None:
    assert calls(f"RUN {command}\nEOF\nWAIT") == [ToolCall("RUN", command, None), ToolCall("WAIT", "", None)]


def test_a_shell_comment_needs_a_blank_before_it() -> None:
    assert calls("RUN echo a#b $# <<EOF\nWAIT\nEOF")[0].args == "echo a#b $# <<EOF\nWAIT\nEOF"


def test_run_of_a_here_document_alone_is_a_script() -> None:
    assert calls("RUN <<'END'\ncd /\nWAIT\nEND\n") == [ToolCall("RUN", "cd /\nWAIT", None)]


def test_an_open_shell_command_never_takes_a_call_or_a_fence() -> None:
    assert calls("RUN ls \\\nWAIT") == [ToolCall("RUN", "ls \\", None), ToolCall("WAIT", "", None)]
    assert calls('RUN cat <<E "\nE\n```\nRUN x\n```') == [ToolCall("RUN", 'cat <<E "\nE', None)]


@pytest.mark.parametrize(
    "reply",
    [
        "```\nRUN ls\n```",
        "~~~ sh\nRUN ls\n~~~",
        "````\n```\nRUN ls\n````",
        "```\n~~~\nRUN ls",
        "   ```\nRUN ls\n   ```",
        "```\n    ```\nRUN ls\n```",
        "```\n``` sh\nRUN ls",
        "<think>\nRUN ls\n</think>",
        "<reasoning>RUN ls\nRUN ls",
        "a <reasoning>\nRUN ls\n</think>\n```\n",
        "<think></think><think>\nRUN ls",
    ],
)
def test_fences_and_reasoning_hold_no_calls(reply: str) -> None:
    assert calls(reply) == []


@pytest.mark.parametrize(
    "before",
    [
        "```\n```",
        "```\n`````  \r",
        "```a`b",
        "    ```",
        "``",
        "~~~ `\n~~~",
        "<think>```</think>",
        "<reasoning>\n<think>\n</reasoning>",
        "`<think>` is a tag",
        "```\n<think>\n```",
        "RUN echo '<think>'",
        "<think>a</think>RUN echo '<reasoning>'",
        "WRITE_FILE a <<END\n<think>\nEND",
        "SAY dev ```html <think>\n```",
    ],
)
def test_calls_after_what_is_closed_are_calls(before: str) -> None:
    assert calls(before + "\nWAIT")[-1] == ToolCall("WAIT", "", None)


def test_reasoning_is_left_out_of_text_and_of_what_is_said() -> None:
    assert read("<reasoning>all\nof it</reasoning>", TOOLS) == Reading((), "", ())
    assert read("<reasoning>hm</reasoning>\nHello <think>so</think>you", TOOLS).text == "Hello you"
    assert calls("SAY dev One.\n<think>RUN x</think>\nTwo.") == [ToolCall("SAY", "dev", "One.\n\nTwo.")]
    assert calls("<think>\nhm\n</think>WAIT") == [ToolCall("WAIT", "", None)]


def test_carriage_returns_end_with_their_line() -> None:
    assert calls("SAY dev a\r\nb\r\nRUN ls\r\nWAIT\r\n") == [
        ToolCall("SAY", "dev", "a\nb"),
        ToolCall("RUN", "ls", None),
        ToolCall("WAIT", "", None),
    ]


def test_only_lf_ends_a_line() -> None:
    assert calls("a\x0bRUN ls\u2028RUN ls\x85RUN ls\rRUN ls") == []


def test_the_last_call_of_a_cut_reply_is_left_out() -> None:
    assert read("RUN a\nSAY dev b", TOOLS, cut=True).calls == (ToolCall("RUN", "a", None),)
    assert read("Hi\nRUN rm -r a", TOOLS, cut=True) == Reading((), "Hi", ())
    assert read("Only tex", TOOLS, cut=True).text == "Only tex"


def test_calls_that_are_lost() -> None:
    reply = (
        "I will.\n```sh\n# look\nRUN ls\nRUN pwd\n```\n`RUN ls`\n**SAY dev** hi\n- RUN ls\n1. WAIT\n> KEEP 4\nRUN: ls\n"
    )
    assert read(reply, TOOLS).lost == (
        "RUN ls",
        "RUN pwd",
        "`RUN ls`",
        "**SAY dev** hi",
        "- RUN ls",
        "1. WAIT",
        "> KEEP 4",
        "RUN: ls",
    )


@pytest.mark.parametrize(
    "reply",
    [
        "run: ls",
        "RUNNING late",
        "I could RUN ls",
        "- keep it",
        "- KEEPER",
        "```dockerfile\nRUN ls\n```",
        "```\nFROM debian\nRUN ls\n```",
        "<think>`RUN ls`</think>",
        "- RUN a\nWAIT",
    ],
)
def test_what_is_not_lost(reply: str) -> None:
    assert read(reply, TOOLS).lost == ()


def test_names_are_the_callers() -> None:
    assert read("PING a\nRUN ls", Toolset({"PING": "line"})) == Reading((ToolCall("PING", "a", None),), "RUN ls", ())
    assert read("RUN ls", Toolset({})).text == "RUN ls"


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
