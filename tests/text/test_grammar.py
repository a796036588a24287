"""A reply's reading: the examples that models are shown, and each rule by itself."""

from dataclasses import replace

import pytest
from toolset import TOOLS, calls

from dotagent.text.grammar import Reading, ToolCall, Toolset, read
from dotagent.text.heartbeat_reply import unalarming

WAITING = replace(TOOLS, silence="WAIT")
MISSING = [
    "SUMMARISE shopping.md",
    "TRANSLATE hello to French",
    "OPEN notes.txt",
    "SEND_MAIL bob",
    "COUNT_WORDS",
    "READFILE a",
    "EMAIL bob <<END\nHi.\nEND",
]
BELOW = ["I will do that.\n\nSUMMARISE shopping.md", "Sure!\nSEND_FILE notes/plan.txt\n"]
SPEECH = [
    "OK",
    "NASA launched Artemis",
    "NASA launched Artemis in 2022.",
    "TODO list",
    "TODO list\n- milk",
    "HAPPY BIRTHDAY",
]
SPEECH += ["README.md", "I AM here", "HEARTBEAT_OK", "NO_REPLY", "OPENING hours are 9 to 5.", "Yes."]


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


def test_say_takes_the_lines_that_follow_as_the_last_call() -> None:
    assert calls("RUN ls\n\nSAY ops\nSAY dev Hello.\n\nMore.\n- RUN it\n\n") == [
        ToolCall("RUN", "ls", None),
        ToolCall("SAY", "ops", None),
        ToolCall("SAY", "dev", "Hello.\n\nMore.\n- RUN it"),
    ]
    assert calls("SAY ops\n\n  indented") == [ToolCall("SAY", "ops", "  indented")]
    assert [call.body for call in calls("SAY ops a\nb\nSAY dev c")] == ["a\nb", "c"]


@pytest.mark.parametrize("said", ["Use this:\nFROM debian", "\n\nDear Tom,", "Try\n```\nls\n```"])
def test_what_is_said_over_several_lines_may_hold_what_looks_like_a_call(said: str) -> None:
    """Whether RUN is a line of a Dockerfile or a call cannot be known: it is neither."""
    assert calls(f"SAY dev {said}\nRUN rm x") == []
    assert calls(f"SAY dev <<END\n{said}\nRUN rm x\nEND\nRUN ls") == [
        ToolCall("SAY", "dev", f"{said}\nRUN rm x\n"),
        ToolCall("RUN", "ls", None),
    ]


@pytest.mark.parametrize("line", ["FROM python", "ENV HOME=/srv", "COPY . /srv", "WORKDIR /srv"])
def test_an_instruction_in_capitals_that_is_said_right_above_a_command_may_be_a_file_with_it(line: str) -> None:
    for reply in (f"SAY dev {line}\nRUN rm x", f"SAY dev Look:\nSAY dev {line}\n\nRUN rm x\nRUN ls"):
        found = read(reply, TOOLS)
        assert found.calls == () and "RUN rm x" in found.lost
    assert len(calls(f"SAY dev {line}\nRECALL x")) == 2  # no command


@pytest.mark.parametrize("said", ["OK let me look", "I look", "NASA is what I look for.", "DONE", "URL: example.org"])
def test_a_sentence_may_be_said_right_above_a_command(said: str) -> None:
    assert calls(f"SAY dev {said}\nRUN ls") == [ToolCall("SAY", "dev", said), ToolCall("RUN", "ls", None)]


def test_say_keeps_a_fence_and_what_is_in_it() -> None:
    fenced = "try\n```sh\nRUN ls\n```"
    assert calls(f"RUN pwd\nSAY dev {fenced}") == [ToolCall("RUN", "pwd", None), ToolCall("SAY", "dev", fenced)]
    assert calls("SAY dev ```sh\nRUN ls\n```") == [ToolCall("SAY", "dev", "```sh\nRUN ls\n```")]


def test_say_takes_a_here_document_only_alone() -> None:
    assert calls("SAY dev Use <<END\nhere\nEND") == [ToolCall("SAY", "dev", "Use <<END\nhere\nEND")]
    assert calls("SAY dev <<'END'\nRUN x\nEND") == [ToolCall("SAY", "dev", "RUN x\n")]
    assert calls("SAY <<END\nRUN x\nEND") == [ToolCall("SAY", "", "RUN x\n")]


@pytest.mark.parametrize(
    "reply",
    [
        "FROM debian\nRUN rm x\nCMD sh",
        "FROM debian\n\nRUN rm x",
        "RUN rm x\nCMD sh",
        "Dear Tom,\n\nREAD_FILE is the word.\n\nAna",
        "Add this line:\n\nRUN rm x",
        "Let me look.\nRUN ls\nAnd then:\nREAD_FILE a\n",
        "RUN ls\n\nDone!",
        "WRITE_FILE a <<END\nb\nEND\nDone!",
        "RUN cat > a <<EOF\nb\nEOF\nrm c\nEOF",
        "RUN ls\n- RUN pwd",
        "RUN ls\n```\nRUN pwd\n```",
        "READFILE a\nREAD_FILE b",
        "READ_FILE b\nLIST c",
        "WRITE_FILE a <<END\nb\nEND\nNow c:\nWRITE_FILE c <<END\nd\nEND",
        "WRITE_FILE a <<END\nb\nEND\nNow c:\nRUN cat <<END\nd\nEND",
        "WAIT for my call at noon.",
        "RUN ls\n</think>Hello\nRUN pwd\nx",
    ],
)
def test_a_reply_with_a_call_and_other_text_is_words(reply: str) -> None:
    """And so are a line that only looks like a call, and a call of a tool that is missing."""
    reading = read(reply, WAITING)
    assert (reading.calls, reading.text == reply.strip()) == ((), "think" not in reply)
    assert reading.lost


@pytest.mark.parametrize("reply", MISSING)
def test_a_reply_that_calls_a_missing_tool_looks_like_a_call(reply: str) -> None:
    assert read(reply, TOOLS).calls == () and read(reply, TOOLS).lost == (reply.split("\n")[0],)


@pytest.mark.parametrize("reply", SPEECH)
def test_ordinary_capitals_are_words(reply: str) -> None:
    assert read(reply, TOOLS) == Reading((), reply, ())


@pytest.mark.parametrize(
    "content",
    [
        "b\nEND\nc",
        "END",
        "END\nEND\n\nEND",
        "puts 1\nEND\nRUN rm x",
        "To write:\nWRITE_FILE a <<END\nhello\nEND\nThat is all.",
        "cat <<END\nRUN x\nEND\nREAD_FILE y",
    ],
)
def test_content_holds_its_closing_word(content: str) -> None:
    written = ToolCall("WRITE_FILE", "x", f"{content}\n")
    assert calls(f"WRITE_FILE x <<END\n{content}\nEND\n") == [written]
    assert calls(f"WRITE_FILE x <<END\n{content}\nEND\nRUN ls") == [written, ToolCall("RUN", "ls", None)]


def test_content_with_a_tag_of_reasoning_is_refused_where_either_may_be_meant() -> None:
    write = "WRITE_FILE a <<END\nb\nEND"
    assert calls(f"{write}\n</think>\n{write}") == []
    (call,) = calls(f"{write[:-4]}\n</think>\nRUN ls")
    assert call.problem == "the line END is missing after <<END"


def test_content_that_may_end_at_several_lines_is_refused() -> None:
    guide = "Form:\nWRITE_FILE a <<END\nx\nEND\nWRITE_FILE b <<END\ny\nEND"
    assert calls(f"WRITE_FILE guide <<END\n{guide}\nEND") == []
    assert calls(f"WRITE_FILE guide <<DONE\n{guide}\nDONE") == [ToolCall("WRITE_FILE", "guide", f"{guide}\n")]


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
        ToolCall("WRITE_FILE", "a", "b\nRUN ls\n", "the line END is missing after <<END")
    ]
    assert calls("SAY dev <<X") == [ToolCall("SAY", "dev", "", "the line X is missing after <<X")]
    (run,) = calls("RUN cat <<EOF\nb\nWAIT\n")
    assert run.problem == "the line EOF is missing after <<EOF"
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
    assert calls(f"RUN {command}\nWAIT") == [ToolCall("RUN", command, None), ToolCall("WAIT", "", None)]


def test_a_shell_comment_needs_a_blank_before_it() -> None:
    assert calls("RUN echo a#b $# <<EOF\nWAIT\nEOF")[0].args == "echo a#b $# <<EOF\nWAIT\nEOF"


def test_run_of_a_here_document_alone_is_a_script() -> None:
    assert calls("RUN <<'END'\ncd /\nWAIT\nEND\n") == [ToolCall("RUN", "cd /\nWAIT", None)]


def test_an_open_shell_command_never_takes_a_call_or_a_fence() -> None:
    assert calls("RUN ls \\\nWAIT") == [ToolCall("RUN", "ls \\", None), ToolCall("WAIT", "", None)]
    assert calls('RUN cat <<E "\nE\n```\nRUN x\n```') == []


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
        "<think>```</think>",
        "<reasoning>\n<think>\n</reasoning>",
        "RUN echo '<think>'",
        "RUN echo '</think>'",
        "<think>a</think>RUN echo '<reasoning>'",
        "<think>a</think>\n<thinking>\nRUN b\n</thinking>",
        "I could RUN\nRUN a\n</think>\n",
        "RUN a\n</think>",
        "[THINK]RUN a[/THINK]",
        "RUN a\n◁/think▷",
        "RUN ls\n<think>\nRUN b\n</think>",
        "WRITE_FILE a <<END\n<think>\nEND",
        "WRITE_FILE a <<END\n</think>\nEND",
        "SAY dev <<END\n```html <think>\n```\nEND",
    ],
)
def test_calls_after_what_is_closed_are_calls(before: str) -> None:
    assert calls(before + "\nWAIT")[-1] == ToolCall("WAIT", "", None)


@pytest.mark.parametrize("thought", ["I may RUN it.\nRUN rm x", "RUN rm x", "SAY dev hm\nhm"])
@pytest.mark.parametrize("close", ["</think>", "</thinking>", "</reasoning>", "</thought>", "[/THINK]", "◁/think▷"])
def test_reasoning_without_an_opening_tag_is_neither_said_nor_done(thought: str, close: str) -> None:
    assert read(f"{thought}\n{close}\n\nHello.", TOOLS) == Reading((), "Hello.", ())
    assert read(f"{thought}{close}\nREAD_FILE a", TOOLS) == Reading((ToolCall("READ_FILE", "a", None),), "", ())


@pytest.mark.parametrize("about", ["`</think>` ends it.", "```\n</think>\n```\nSo.", "The tag <think> begins it."])
def test_words_about_a_tag_are_words(about: str) -> None:
    assert read(about, TOOLS) == Reading((), about, ())


def test_reasoning_is_left_out_at_the_beginning_and_is_words_behind_words() -> None:
    assert read("<reasoning>all\nof it</reasoning>", TOOLS) == Reading((), "", ())
    assert read("<reasoning>hm</reasoning>\nHello <think>so</think>you", TOOLS).text == "Hello <think>so</think>you"
    assert calls("SAY dev One.\n<think>so</think>\nTwo.") == [ToolCall("SAY", "dev", "One.\n<think>so</think>\nTwo.")]
    assert calls("SAY dev <think>so</think>Two.") == [ToolCall("SAY", "dev", "Two.")]
    assert calls("<think>\nhm\n</think>WAIT") == [ToolCall("WAIT", "", None)]


def test_carriage_returns_end_with_their_line() -> None:
    assert calls("RUN ls\r\nWAIT\r\n\r\nSAY dev a\r\nb\r\n") == [
        ToolCall("RUN", "ls", None),
        ToolCall("WAIT", "", None),
        ToolCall("SAY", "dev", "a\nb"),
    ]


def test_only_lf_ends_a_line() -> None:
    assert calls("a\x0bRUN ls\u2028RUN ls\x85RUN ls\rRUN ls") == []


def test_the_last_call_of_a_cut_reply_is_left_out() -> None:
    assert read("RUN a\nSAY dev b", TOOLS, cut=True).calls == (ToolCall("RUN", "a", None),)
    assert read("RUN rm -r a", TOOLS, cut=True) == Reading((), "", ())
    assert read("WRITE_FILE a <<END\nRUN b", TOOLS, cut=True) == Reading((), "", ())
    assert read("Only tex", TOOLS, cut=True).text == "Only tex"


@pytest.mark.parametrize("reply", BELOW)
def test_a_call_of_a_missing_tool_below_words_is_lost_if_it_names_a_file(reply: str) -> None:
    assert read(reply, TOOLS).lost == (reply.strip().split("\n")[-1],)


@pytest.mark.parametrize(
    "last", ["SELECT name FROM users.csv", "NASA a.txt", "NOTES: a.txt", "```\nPRINT a.txt\n```", "README.md"]
)
def test_other_last_lines_in_capitals_are_words(last: str) -> None:
    assert read(f"Here it is:\n{last}", TOOLS).lost == ()


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
        "I could RUN ls",
        "- keep it",
        "- KEEPER",
        "```dockerfile\nRUN ls\n```",
        "```\nFROM debian\nRUN ls\n```",
        "<think>`RUN ls`</think>",
    ],
)
def test_what_is_not_lost(reply: str) -> None:
    assert read(reply, TOOLS).lost == ()


def test_names_are_the_callers() -> None:
    assert read("PING a", Toolset({"PING": "line"})) == Reading((ToolCall("PING", "a", None),), "", ())
    assert read("RUN ls", Toolset({})) == Reading((), "RUN ls", ())


WRAPPED = """__{}__ /***{}*** /||{}|| /~~~\n{}\n~~~ /> {} /# {} /1. {} /- {} /&nbsp;{} /{{"status": "{}"}}
/Status: {} /{}。
/Response: {} /{} 👍 /“{}” /<b>{}<br> /{} - no action needed /There is nothing to report. {} /{} nichts zu berichten
/All good, nothing to report. {} /Es gibt nichts Neues. {}
/没有新消息。{} /一切正常 {} /{}（无异常） /Nothing needs attention. {}"""
NEXT = """{} but the disk is full /Disk full. {} /{}: disk at 99 % /Not {} /99% {} /All good apart from the pump. {}
/{} 🔥 Feuer /No alerts? The pump is off. {} /Status: red. {} /没有钱了。{} /1. the pump is off {}"""


def test_a_thin_wrapping_of_a_heartbeats_silence_is_silence() -> None:
    for token in ("HEARTBEAT_OK", "heartbeat_ok", "HEARTBEAT OK", "HEARTBEAT\\_OK"):
        for form in WRAPPED.split("/"):
            assert unalarming(form.format(token)) == "", form
        assert all(unalarming(form.format(token)) for form in NEXT.split("/"))
