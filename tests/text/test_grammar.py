"""A reply's reading: the examples that models are shown, and each rule by itself."""

import pytest
from toolset import TOOLS, calls

from dotagent.text.grammar import Reading, ToolCall, Toolset, read


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
