"""The marks for Anthropic's cache: where they lie in the prompts of a life, and that they change no text."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from loopback import Server
from messaging import stream
from support import make_home, spawn, until

from dotagent.providers import Prompt
from dotagent.providers.formats import messages
from dotagent.store import queue, requests
from dotagent.store.blobs import Blobs
from dotagent.store.queue import Call
from dotagent.store.request_rebuilding import Rebuilder
from dotagent.store.requests import Part

HOUR, MINUTES = {"type": "ephemeral", "ttl": "1h"}, {"type": "ephemeral"}
AT = "2026-11-21T20:17:20.123456Z"


@st.composite
def lives(draw: st.DrawFn) -> list[tuple[list[Part], bool]]:
    """What each request has that the one before it has not, and whether it is a fork, which the next does not go on."""
    user = st.text(min_size=1).map(lambda text: Part("user", "#1 HEAR\n  " + text))
    reply = st.text("ab \n", min_size=1).filter(str.strip).map(lambda text: Part("assistant", text))
    turn = st.tuples(st.lists(user, max_size=2), st.lists(reply, max_size=1))
    asked = []
    for _ in range(draw(st.integers(1, 6))):
        new = [part for pieces, said in draw(st.lists(turn, max_size=3)) for part in (*said, *pieces)]
        asked.append(([*new, draw(user)], draw(st.booleans())))
    return [([Part("system", "I am SOUL."), Part("system", "You are ab."), *asked[0][0]], False), *asked[1:]]


def asked_of(store: Blobs, life: list[tuple[list[Part], bool]]) -> list[Prompt]:
    """The requests of a life as the worker asks them, from their blobs."""
    rebuild, found = Rebuilder(store), list[Prompt]()
    parent, size, left = "", 0, list[Part]()
    for new, fork in life:
        parts = [*left, *new]
        data = requests.encode("ab", "m", {}, parent, size, parts)
        id = store.put(data, at=AT, gist="request", parent=parent)
        whole = rebuild.request(id)
        found.append(Prompt("m", tuple(requests.messages(whole.parts)), previous=whole.previous))
        if fork:
            left = parts[:-1]  # the instruction is the fork's alone
        else:
            parent, size, left = id, size + len(parts), []
    return found


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(lives())
def test_the_marks_lie_where_prompts_end_and_change_no_text(
    tmp_path_factory: pytest.TempPathFactory, life: list[tuple[list[Part], bool]]
) -> None:
    ends = {0: ""}
    for number, asked in enumerate(asked_of(Blobs(tmp_path_factory.mktemp("blobs")), life)):
        system, turns = messages.blocks(asked)
        assert [(one["text"], one["cache_control"]) for one in system] == [("I am SOUL.\n\nYou are ab.", HOUR)]
        told = [(one["role"], "".join(block["text"] for block in one["content"])) for one in turns]  # type: ignore[attr-defined]
        assert told == [(one["role"], one["content"]) for one in asked.messages[1:]]
        marked, before = list[str](), ""
        for one in turns:
            before += f"\n<{one['role']}>"
            for block in one["content"]:  # type: ignore[attr-defined]
                assert block["text"].strip()
                before += block["text"]
                if block.get("cache_control"):
                    assert block["cache_control"] == MINUTES
                    marked.append(before)
        parent = max((at for at in range(1, number + 1) if not life[at - 1][1]), default=0)
        assert marked == sorted({ends[parent], before} - {""}, key=len)
        ends[number + 1] = before
        assert before.startswith(ends[parent])


def test_a_request_without_a_parent_has_the_marks_of_its_ends_only(tmp_path: Path) -> None:
    (tmp_path / "blobs").mkdir()
    first, second = asked_of(Blobs(tmp_path / "blobs"), [([Part("user", "a")], False), ([Part("user", "b")], False)])
    assert (first.previous, second.previous) == ((0, 0), (0, 1))
    assert messages.blocks(first) == ([], [{"role": "user", "content": [marked("a")]}])
    assert messages.blocks(second) == ([], [{"role": "user", "content": [marked("a"), marked("\n\nb")]}])


def test_the_last_mark_is_before_an_ending_that_the_next_request_omits() -> None:
    asked = Prompt("m", ({"role": "user", "content": "a\n\nb\n\nend"},), previous=(0, 1), ending=5)
    end = {"type": "text", "text": "\n\nend"}
    assert messages.blocks(asked) == ([], [{"role": "user", "content": [marked("a"), marked("\n\nb"), end]}])
    said = ({"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}, {"role": "user", "content": "end"})
    end = {"type": "text", "text": "end"}
    assert [one["content"] for one in messages.blocks(Prompt("m", said, ending=5))[1]] == [
        [{"type": "text", "text": "a"}],
        [marked("b")],
        [end],
    ]


def test_blank_texts_are_never_sent() -> None:
    blank = Prompt("m", ({"role": "system", "content": " "}, {"role": "user", "content": "a\n"}), previous=(1, 1))
    assert messages.blocks(blank) == ([], [{"role": "user", "content": [marked("a\n")]}])
    blank = Prompt("m", ({"role": "user", "content": "\n\na"}, {"role": "assistant", "content": ""}), previous=(0, 2))
    assert messages.blocks(blank) == ([], [{"role": "user", "content": [marked("\n\na")]}])


def marked(text: str) -> dict[str, object]:
    return {"type": "text", "text": text, "cache_control": MINUTES}


@pytest.mark.slow
def test_a_provider_process_is_told_where_the_request_before_ended(tmp_path: Path) -> None:
    where = make_home(tmp_path)
    ids = list[str]()
    with Server(stream("fine")) as server:
        environ = {"ANTHROPIC_API_KEY": "k", "ANTHROPIC_API_BASE": server.base}
        process = spawn(where, "-m", "dotagent", "provider", "anthropic", env=environ)
        try:
            for new in ([Part("user", "a")], [Part("assistant", "b"), Part("user", "c")], [Part("user", "d")]):
                parent, size = (ids[-1], len(ids) * 2 - 1) if ids else ("", 0)
                data = requests.encode("ab" * 16, "m", {}, parent, size, new)
                ids.append(where.store().put(data, at=AT, gist="request", parent=parent))
                queue.place(where, Call(ids[-1], "ab" * 16, "anthropic"))
                until(lambda: queue.done(where, "ab" * 16, ids[-1]), where.calls)
        finally:
            process.kill()
            process.communicate()
    turns = [one.body["messages"] for one in server.received]
    first, reply, last = {"type": "text", "text": "a"}, {"type": "text", "text": "b"}, marked("c")
    assert turns == [
        [{"role": "user", "content": [marked("a")]}],
        [
            {"role": "user", "content": [marked("a")]},
            {"role": "assistant", "content": [reply]},
            {"role": "user", "content": [last]},
        ],
        [
            {"role": "user", "content": [first]},
            {"role": "assistant", "content": [reply]},
            {"role": "user", "content": [last, marked("\n\nd")]},
        ],
    ]
