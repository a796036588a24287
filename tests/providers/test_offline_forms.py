"""The offline provider's other forms: compactions, and that any prompt whatever gets an answer in the grammar."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st
from offline_life import ANA, AT, BEN, BOT, Life, ask, calls_of

from dotagent.store.requests import Message
from dotagent.text.escape import indent
from dotagent.text.grammar import Call


def asked_to_compact(instruction: str) -> str:
    life = Life("- a\n")
    for topic in (
        "The garden needs water and seed. Ana planted beans.",
        "The flight QF12 leaves on 3 May. It must be paid.",
    ):
        for _ in range(4):
            life.hear(topic).hear("Yes, I see.", BEN)
    life.parts.append({"role": "user", "content": f"{instruction}\nAnswer in the form that SEGMENT.md tells."})
    return ask(life.prompt())


def test_segments_cover_every_entry_once() -> None:
    lines = asked_to_compact("SEGMENT the entries #2 to #17").split("\n")
    chunks = [re.fullmatch(r"(\d+)-(\d+) (\d+) (\S.*)", line) for line in lines]
    numbers = [number for chunk in chunks if chunk for number in range(int(chunk[1]), int(chunk[2]) + 1)]
    assert numbers == list(range(2, 18))
    assert len(chunks) > 1
    assert all(chunk and 1 <= int(chunk[3]) <= 10 for chunk in chunks)


def test_a_summary_has_its_relevance_and_gist() -> None:
    text = asked_to_compact("SUMMARISE the entries #12 to #17")
    assert re.match(r"relevance: (?:[1-9]|10)\ngist: \S.*\n\n", text)
    assert "QF12" in text
    assert "beans" not in text


def test_a_person_cannot_ask_for_a_compaction() -> None:
    life = Life().hear("hello\n\nSEGMENT the entries #1 to #2")
    assert life.step() == (Call("WAIT", "", None),)


def test_an_instruction_about_nothing_is_answered_in_form() -> None:
    for messages in (Life().prompt(), []):
        for kind, form in (("SEGMENT", r"90-99 1 .+"), ("SUMMARISE", r"relevance: 1\ngist: .+\n\n.+")):
            ordered: list[Message] = [*messages, {"role": "user", "content": f"{kind} the entries #90 to #99"}]
            assert re.fullmatch(form, ask(ordered))


WORDS = st.one_of(
    st.sampled_from(
        ["remember that", "forget", "read", "what do you know about", "?", "help", "list rooms", "notes/a.md"]
    ),
    st.sampled_from(
        ["my seat", "14A", "everything", "END", "END1", "```", "<think>", "RUN ls", "SAY dev", "WAIT", "<<END"]
    ),
    st.sampled_from(
        ["EDIT_FILE MEMORY.md", "=======", ">>>>>>> REPLACE", "é", "“", "”", ". ", "\n", "\r", "\0", "\ud800"]
    ),
    st.sampled_from(["  ", f"#1 {AT} HEAR dev\n", f"[{ANA} {AT}] "]),
)
TEXT = st.lists(WORDS | st.text(max_size=8), max_size=12).map(" ".join)
FACT = st.text("ab -#=<>`“é◱\t") | st.sampled_from(
    ["tea", "END", "=======", ">>>>>>> REPLACE", "a b", "RUN ls", "x. Y"]
)
EVENTS = st.sampled_from(
    [
        "HEAR dev",
        "HEAR Bad room",
        "JOIN lab",
        "LEAVE lab",
        "PAPER MEMORY.md",
        "TOOL READ_FILE ok",
        "TOOL RECALL ok",
        "FADED 1-9 relevance=3",
        "FAINT",
        "TOOL X error",
        "REPLY",
    ]
)
ENTRY = st.tuples(st.integers(0, 99), EVENTS, st.sampled_from([ANA, BOT]), TEXT).map(
    lambda given: (
        f"#{given[0]} {AT} {given[1]} 0123456789ab\n"
        + indent((f"[{given[2]} {AT}] " if given[1].startswith("HEAR") else "") + given[3].replace("\n", "\n  "))
    )
)
MESSAGE = st.one_of(
    st.lists(ENTRY, max_size=4).map(lambda entries: Message(role="user", content="\n\n".join(entries))),
    st.tuples(st.sampled_from(["system", "user", "assistant", "other"]), TEXT).map(
        lambda given: Message(role=given[0], content=given[1])
    ),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(MESSAGE, max_size=6))
def test_any_prompt_is_answered_in_the_grammar(messages: list[Message]) -> None:
    calls = calls_of(ask(messages))
    assert {call.name for call in calls} <= {"SAY", "READ_FILE", "EDIT_FILE", "WRITE_FILE", "RECALL", "WAIT"}
    assert all(call.body for call in calls if call.name == "SAY")


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.sampled_from(["# N", "- a", "- a b", "- b", "", "=======", "- END"]), max_size=6),
    st.lists(FACT, max_size=3),
)
def test_any_notes_are_changed_by_an_edit_that_fits(kept: list[str], texts: list[str]) -> None:
    memory = "".join(f"{line}\n" for line in kept)
    life = Life(memory)
    for text in texts:
        life.hear(f"remember that {text}")
    life.hear("forget b")
    life.said()
    lines = (life.memory or "").split("\n")
    assert not [line for line in lines if line.startswith("- ") and "b" in line.split()]
    left = [line for line in kept if "b" not in line.split()]
    assert left == lines[: len(left)] or not memory.strip()
