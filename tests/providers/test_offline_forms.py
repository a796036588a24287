"""The offline provider's forms: any prompt whatever gets an answer in the grammar, and any notes an edit that fits."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from offline_life import ANA, AT, Life, ask, calls_of

from dotagent.store.requests import ChatMessage
from dotagent.text.escape import indent

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
        "dev",
        "Bad room",
        "JOIN lab",
        "LEAVE lab",
        "MEMORY.md",
        "READ_FILE",
        "RECALL",
        "FADED 1-9 (UNCOMPACT 1 brings it back)",
        "FAINT",
        "X error",
        "",
    ]
)
ENTRY = st.tuples(st.integers(0, 99), EVENTS, st.sampled_from(["ana", "agent 0123456789ab", "owner"]), TEXT).map(
    lambda given: (
        f"#{given[0]} 20:17 {given[1]}" + (f" {given[2]}:\n" if given[1].islower() else ":\n") + indent(given[3])
    )
)
MESSAGE = st.one_of(
    st.lists(ENTRY, max_size=4).map(lambda entries: ChatMessage(role="user", content="\n\n".join(entries))),
    st.tuples(st.sampled_from(["system", "user", "assistant", "other"]), TEXT).map(
        lambda given: ChatMessage(role=given[0], content=given[1])
    ),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(MESSAGE, max_size=6))
def test_any_prompt_is_answered_in_the_grammar(messages: list[ChatMessage]) -> None:
    calls = calls_of(ask(messages))
    assert {call.name for call in calls} <= {
        "SAY",
        "READ_FILE",
        "EDIT_FILE",
        "WRITE_FILE",
        "RECALL",
        "REMEMBER",
        "WAIT",
    }
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
