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
LINES = [name for name, form in TOOLS.forms.items() if form == "line"]
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
LINE = TEXT.map(lambda text: " ".join(text.replace("\r", " ").split()))


def read(text: str) -> tuple[ToolCall, ...]:
    return grammar.read(text, TOOLS).calls


def test_every_tool_is_told_of_with_its_usage() -> None:
    assert set(BY_NAME) == set(TOOLS.forms) and native.toolset(SCHEMAS).forms == TOOLS.forms
    needs = {name: one["parameters"]["required"] for name, one in BY_NAME.items()}  # type: ignore[index]
    assert needs["SAY"] == ["room", "text"] and needs["RUN"] == ["command"] and needs["WAIT"] == []
    assert needs["READ_FILE"] == ["argument"] and needs["WRITE_FILE"] == needs["EDIT_FILE"] == ["argument", "content"]
    assert "READ_FILE path 2-9" in str(BY_NAME["READ_FILE"]["description"])
    assert "SAY room words" in str(BY_NAME["SAY"]["description"])


@given(name=st.sampled_from(LINES), argument=LINE, content=st.none() | TEXT)
def test_a_line_with_or_without_a_document(name: str, argument: str, content: str | None) -> None:
    said = {"argument": argument} | ({} if content is None else {"content": content})
    (call,) = read(native.written(name, said, TOOLS))
    assert (call.name, call.args, call.problem) == (name, argument, None)
    if content:
        assert call.body == content + "\n" * (not content.endswith("\n"))


@given(TEXT.filter(str.strip))
def test_what_is_said(text: str) -> None:
    for here in (False, True):
        (call,) = read(native.written("SAY", {"room": "dev", "text": text}, TOOLS, here))
        assert (call.name, call.args, call.problem) == ("SAY", "dev", None)
        assert call.body is not None and call.body.strip() == text.strip()


@given(TEXT.map(lambda text: text.replace("\r", "")).filter(str.strip))
def test_a_command(command: str) -> None:
    (call,) = read(native.written("RUN", {"command": command}, TOOLS))
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
    mine = [read(native.written(name, arguments, TOOLS))[0] for name, arguments in calls]
    names = [call.name for call in found]
    assert [call.name for call in mine] == names or len(names) == len(mine) + len(read(said))
    meant = [(call.name, call.args.strip(), (call.body or "").strip()) for call in mine]
    there = [(call.name, call.args.strip(), (call.body or "").strip()) for call in found]
    assert all(one in there for one in meant)


def test_without_calls_the_text_stays_as_it_is() -> None:
    assert native.reply("Hello.\nRUN ls", [], TOOLS) == "Hello.\nRUN ls"


@given(st.dictionaries(st.sampled_from(["room", "text"]), ANY_TEXT, max_size=2), st.integers(0, 400))
def test_arguments_that_are_being_written(arguments: dict[str, str], size: int) -> None:
    whole = json.dumps(arguments)
    found = native.so_far(whole[:size])
    assert all(arguments[name].startswith(one) for name, one in found.items() if name in arguments and one)
    assert native.so_far(whole) == arguments


def test_what_is_no_list_of_tools_is_none() -> None:
    for text in ("", "{", "3", "[3]", '[{"name": 3}]', "[" * 100_000):
        assert native.decode(text) == ()
