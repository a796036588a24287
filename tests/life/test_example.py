"""The example life: read strictly, shown with the tools that are there, and never taken for what happened."""

from __future__ import annotations

import platform
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import ROOT, make_home, run, served
from world import world

from dotagent import extensions
from dotagent.errors import Trouble
from dotagent.life import example, prompt
from dotagent.store import requests
from dotagent.text import exact
from dotagent.text.grammar import Toolset

OURS = (ROOT / "EXAMPLE.md").read_text()
SHORT = (
    "For people.\n\n#01 dev ana: Hi!\n\n> Hello.\n\n#03 dev ana: Which files?\n\n> RUN ls\n\n#05 RUN:\n  a\n\n> One.\n"
)
FIXED = 1_900  # tokens that all before the life itself may have, beside the bootstrap files
FILES = 240  # tokens of these in a new life


def without(*names: str) -> Toolset:
    """The tools that are there, but for these."""
    tools = extensions.tools()
    return Toolset({name: form for name, form in tools.forms.items() if name not in names}, speech="SAY")


def texts(text: str, tools: Toolset) -> list[str]:
    return [f"{part.role}: {part.text}" for part in example.parts(text, tools)]


def test_it_is_turns_of_a_user_and_an_assistant_and_a_line_that_ends_it() -> None:
    assert texts(SHORT, extensions.tools()) == [
        "user: #01 dev ana: Hi!", "assistant: Hello.", "user: #03 dev ana: Which files?", "assistant: RUN ls",
        "user: #05 RUN:\n  a", "assistant: One.", f"user: {example.END}",
    ]  # fmt: skip


def test_a_turn_whose_tool_is_not_there_is_left_out_and_of_an_empty_one_nothing_is_shown() -> None:
    assert texts(SHORT, without("RUN")) == ["user: #01 dev ana: Hi!", "assistant: Hello.", f"user: {example.END}"]
    assert texts("", extensions.tools()) == texts("Only for people.\n", extensions.tools()) == []
    shown = "\n".join(texts(OURS, without("RUN", "UNCOMPACT")))
    assert "READ_FILE" in shown and not re.search(r"(?m)^(?:assistant: )?(?:RUN|UNCOMPACT)\b", shown)


def test_ours_shows_the_tools_and_every_reply_of_it_is_in_the_form() -> None:
    """But those whose form the list of tools tells: LEAVE is called as JOIN is, and turns of the rare ones made a small
    model's other answers worse (docs/prompt.md)."""
    example.check(OURS, extensions.tools())
    shown = "\n".join(texts(OURS, extensions.tools()))
    for tool in set(extensions.tools().forms) - {
        "LEAVE",
        "PROCESS",
        "READ_SKILL",
        "FETCH",
        "SEARCH_WEB",
        "REMIND",
        "SPAWN",
        "SESSION",
        "USE_TOOL",
        "UPDATE_PLAN",
    }:
        assert re.search(rf"(?m)^(?:assistant: )?{tool}\b", shown), tool


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("> Hello.\n", "line 1: the example must begin with a message, not with a reply"),
        ("#01 dev ana: Hi!\n", "line 1: this message has no reply"),
        (f"{SHORT}#02 dev ana: Hi!\n\n> No.\n", "line 15: the entry number #02 must be higher than the one before it"),
        (f"{SHORT}#7 dev ana: Hi!\n\n> No.\n", "line 15: neither a message"),
        ("#01 dev ana: Hi!\n\n  indented below nothing\n\n> No.\n", "line 3: neither a message"),
        (
            "#01 dev ana: Hi!\n\n> WRITE_FILE a <<END\n> x\n",
            "line 3: the reply in this line is not valid: the line END is missing",
        ),
        ("#01 dev ana: Hi!\n\n> ```\n> RUN ls\n> ```\n", "line 3: the reply in this line is not valid: RUN ls"),
    ],
)
def test_a_mistake_is_told_with_its_line(text: str, why: str) -> None:
    with pytest.raises(Trouble, match=re.escape(why)):
        example.check(text, extensions.tools())


LINES = st.sampled_from(["#01 dev ana: a", "#02 RUN: b", "  c", "> RUN ls", "> x", ">", "", "d", "#3 dev ana: e", "◱"])


@given(st.lists(LINES | st.text(), max_size=12).map("\n".join))
def test_whatever_a_file_says_it_is_an_example_or_a_mistake_in_one_line(text: str) -> None:
    try:
        example.check(text, extensions.tools())
    except Trouble as wrong:
        assert re.match(r"line \d+: [^\n]+\Z", str(wrong))
        return
    made = example.parts(text, extensions.tools())
    for part in made:
        assert not set("◱◲\0\x1b") & set(part.text)
        if part.role == "user" and part.text != example.END:
            assert all(re.match(r"#0\d| {2}", line) for line in part.text.split("\n"))


def fixed(tmp_path: Path, example_text: str | None = None) -> tuple[str, list[Mapping[str, str]]]:
    """The fixed part of a new life's prompt, its own ids made plain, and what the model saw of it."""
    where = make_home(tmp_path)
    if example_text is not None:
        (where.root / "EXAMPLE.md").write_text(example_text)
    asked: list[list[Mapping[str, str]]] = []
    with world(tmp_path, lambda messages, call: asked.append(list(messages)) or "WAIT") as here:  # type: ignore[func-returns-value]
        here.say("Hello?")
        here.run()
        known = dict.fromkeys([here.session.id[:12], *(id[:12] for id in here.session.state.heard.shown.values())])
    text = "\n\n".join(f"<{message['role']}>\n{message['content']}" for message in asked[0])
    for number, id in enumerate(known):
        text = text.replace(id, f"{number:012}")
    return text[: text.index("#1 ")].replace(platform.node(), "HOST"), asked[0]


def test_the_whole_fixed_part_is_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who changes what every model reads, changes tests/life/prompt.txt too, and so looks at it whole."""
    monkeypatch.setenv("DOTAGENT_SANDBOX", "off")  # which one there is stands in the prompt, and differs by machine
    monkeypatch.setenv("TZ", "UTC")
    text, _ = fixed(tmp_path)
    assert text == (Path(__file__).parent / "prompt.txt").read_text()
    begin, end = text.index("Your model is "), text.index("\n\n<user>")
    assert exact.count(text[:begin] + text[end:]) < FIXED
    assert exact.count(text[begin:end]) < FILES, "the files of a new agent, which its person makes longer"


def test_a_person_replaces_it_and_a_mistake_in_it_is_told_and_ours_stays(tmp_path: Path) -> None:
    text, _ = fixed(tmp_path / "own", SHORT)
    assert "#03 dev ana: Which files?" in text and "spider" not in text
    text, _ = fixed(tmp_path / "none", "")
    assert "#0" not in text and example.END not in text
    text, _ = fixed(tmp_path / "wrong", "#01 dev ana: Hi!\n")
    assert "#031 " in text and "ana: Hi" not in text


@pytest.mark.slow
def test_a_mistake_is_one_line_on_the_screen(tmp_path: Path) -> None:
    where = make_home(tmp_path)
    (where.root / "EXAMPLE.md").write_text("#01 dev ana: Hi!\n")
    with served(where):
        told = run(where, "agent.py", "--until-idle", "--provider", "offline")
    assert told.stderr.strip() == (
        "dotagent: EXAMPLE.md, line 1: this message has no reply; until you correct the file, "
        "I use its last valid version"
    )


def test_its_numbers_are_none_of_a_life(tmp_path: Path) -> None:
    _, messages = fixed(tmp_path)
    plain = "\n".join(message["content"] for message in messages)
    before, _, life = plain.partition(example.END)
    assert re.findall(r"(?m)^#0\d* ", before) and not re.search(r"(?m)^#[1-9]", before)
    assert re.search(r"(?m)^#1 ", life) and not re.search(r"(?m)^#0", life)
    assert requests.messages(prompt.parts([])) == []
