"""Calls by a service's own function calling become lines that the grammar reads as the calls that were meant."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st
from support import ANY_TEXT

from dotagent import extensions, tools
from dotagent.text import grammar, native
from dotagent.text.grammar import ToolCall

TOOLS = extensions.tools()
SCHEMAS = native.decode(tools.schemas())
BY_NAME = {str(one["name"]): one for one in SCHEMAS}
LINES = [name for name, form in TOOLS.forms.items() if form == "line" and name != TOOLS.silence]
WORDS = st.sampled_from(
    [
        "END",
        "<<END",
        "SAY dev x",
        "RUN ls",
        "```",
        "~~~",
        "<think>",
        "</think>",
        "a",
        " ",
        "\n",
        "\\",
        "'",
        '"',
        "$(",
        "<<",
    ]
)
TEXT = st.lists(WORDS | ANY_TEXT, max_size=12).map("".join)
LINE = TEXT.map(lambda text: " ".join(text.replace("\r", " ").replace("</think>", "").split()))


def read(text: str) -> tuple[ToolCall, ...]:
    return grammar.read(text, TOOLS).calls


def test_every_tool_is_told_of_with_its_usage() -> None:
    assert set(BY_NAME) == set(TOOLS.forms) and native.toolset(SCHEMAS).forms == TOOLS.forms
    needs = {name: one["parameters"]["required"] for name, one in BY_NAME.items()}  # type: ignore[index]
    assert needs["SAY"] == ["room", "text"] and needs["RUN"] == ["command"] and needs["WAIT"] == []
    assert needs["READ_FILE"] == ["argument"] and needs["WRITE_FILE"] == needs["EDIT_FILE"] == ["argument", "content"]
    for name, one in BY_NAME.items():
        told = extensions.constants("tools", name.lower().replace("_", "-"))
        usage = told["USAGE"]
        assert isinstance(usage, tuple)
        assert one["description"] == "\n".join((f"{told['FOR']}. As text, the call is:", *usage))


def test_what_a_call_of_one_line_names_otherwise_stands_behind_it_too() -> None:
    assert native.write_call("READ_FILE", {"path": "a.txt", "lines": "2-9"}, TOOLS) == "READ_FILE a.txt 2-9"
    assert native.write_call("UNCOMPACT", {"argument": "15"}, TOOLS) == "UNCOMPACT 15", (
        "as lives of earlier versions ask"
    )


@given(name=st.sampled_from(LINES), argument=LINE, content=st.none() | TEXT)
def test_a_line_with_or_without_a_document(name: str, argument: str, content: str | None) -> None:
    said = {"argument": argument} | ({} if content is None else {"content": content})
    (call,) = read(native.write_call(name, said, TOOLS))
    assert (call.name, call.args, call.problem) == (name, argument, None)
    if content:
        assert call.body == content + "\n" * (not content.endswith("\n"))


@given(TEXT.filter(str.strip))
def test_what_is_said(text: str) -> None:
    for here in (False, True):
        (call,) = read(native.write_call("SAY", {"room": "dev", "text": text}, TOOLS, here))
        assert (call.name, call.args, call.problem) == ("SAY", "dev", None)
        assert call.body is not None and call.body.strip() == text.strip()


@given(TEXT.map(lambda text: text.replace("\r", "")).filter(str.strip))
def test_a_command(command: str) -> None:
    (call,) = read(native.write_call("RUN", {"command": command}, TOOLS))
    assert (call.name, call.args, call.body, call.problem) == ("RUN", command.strip(), None, None)


CALL = st.one_of(
    st.builds(lambda text: ("SAY", {"room": "dev", "text": text}), TEXT.filter(str.strip)),
    st.builds(lambda text: ("RUN", {"command": text}), LINE.filter(bool)),
    st.builds(lambda one, two: ("WRITE_FILE", {"argument": one, "content": two}), LINE, TEXT),
    st.builds(lambda one: ("RECALL", {"argument": one}), LINE),
)


@given(said=TEXT, calls=st.lists(CALL, min_size=1, max_size=4))
def test_no_text_beside_calls_swallows_or_adds_one(said: str, calls: list[tuple[str, dict[str, str]]]) -> None:
    found = read(native.reply(said, calls, TOOLS))
    mine = [read(native.write_call(name, arguments, TOOLS))[0] for name, arguments in calls]
    meant = [(call.name, call.args.strip(), (call.body or "").strip()) for call in mine]
    assert [(call.name, call.args.strip(), (call.body or "").strip()) for call in found] == meant


def test_words_beside_calls_are_kept_as_reasoning() -> None:
    text = native.reply("RUN rm x\nLet me look.", [("READ_FILE", {"argument": "a"})], TOOLS)
    assert text == "<reasoning>\nRUN rm x\nLet me look.\n</reasoning>\n\nREAD_FILE a"


def test_without_calls_the_text_stays_as_it_is() -> None:
    assert native.reply("Hello.\nRUN ls", [], TOOLS) == "Hello.\nRUN ls"


@given(st.dictionaries(st.sampled_from(["room", "text"]), ANY_TEXT, max_size=2), st.integers(0, 400))
def test_arguments_that_are_being_written(arguments: dict[str, str], size: int) -> None:
    whole = json.dumps(arguments)
    arguments = json.loads(whole)  # in which two halves of a character are one
    found = native.so_far(whole[:size])
    assert all(arguments[name].startswith(one) for name, one in found.items() if name in arguments and one)
    assert native.so_far(whole) == arguments


def test_what_is_no_list_of_tools_is_none() -> None:
    for text in ("", "{", "3", "[3]", '[{"name": 3}]', "[" * 100_000):
        assert native.decode(text) == ()
