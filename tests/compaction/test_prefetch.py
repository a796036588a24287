"""Reading ahead: a server that is alone with this machine reads a new prompt until somebody speaks; before the swap,
where it keeps the old one meanwhile, else after it."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from lives import ASKED, chat, good, lines, living, prose, talking
from world import Cut, Failure, World

import agent
from dotagent.compaction import fade_plan, plan, prefetch, swap
from dotagent.compaction.plan import Chunk
from dotagent.compaction.summary import Summary
from dotagent.life.events import Keep
from dotagent.store import queue, request_rebuilding, requests
from dotagent.store.queue import Call
from dotagent.store.requests import ChatMessage
from dotagent.text import times

LARGE = 8000  # tokens of a limit, beside which what all prompts begin with is less than half


class Server:
    """A model whose server reads ahead, once it is told to, or fails at it."""

    def __init__(self, reads: bool | None = False) -> None:
        self.reads, self.says, self.order = reads, "Understood.", list[str]()

    def __call__(self, messages: list[ChatMessage], call: Call) -> str | None:
        if call.kind == "live":
            self.order.append(call.id)
            return self.says
        if ASKED.search(messages[-1]["content"]):
            return good(messages, call)
        if self.reads is None:
            raise Failure("server", retryable=False)
        self.order.append(call.id)
        return Cut("Under") if self.reads else None


def publish(lived: World, **told: bool) -> None:
    (lived.where.calls / "providers.json").write_text(json.dumps({"scripted": told}))


def asked(lived: World) -> bytes:
    """The prompt of the next live call."""
    lived.say("And now?")
    while not lived.session.state.turn.call:
        assert agent.step(lived.me)
    return plain(lived, lived.session.state.turn.call)


def plain(lived: World, id: str) -> bytes:
    return requests.as_text(request_rebuilding.Rebuilder(lived.where.store()).request(id).parts)


@pytest.mark.slow
@pytest.mark.parametrize("alone", [True, False])
def test_the_new_prompt_is_read_while_nobody_waits(tmp_path: Path, alone: bool) -> None:
    with living(tmp_path, talking(), LARGE) as lived:
        publish(lived, alone=alone)
        chat(lived, 20, 60)
        lived.me.compactor.whole.wish.touch()  # it comes between two turns, whatever the sizes are
        lived.run()
        assert lines(lived, "SWAP")
        reads = [lived.me.calls.ahead] if lived.me.calls.ahead else []
        assert bool(reads) == alone
        events = len(lines(lived, "SPENT"))
        live = asked(lived)
        for id in reads:
            assert request_rebuilding.Rebuilder(lived.where.store()).request(id).params["most"] == 1
            assert live.startswith(plain(lived, id))
            assert not queue.is_placed(lived.where, "scripted", id)  # it would take the place of what was just read
        lived.run()
        assert not lived.me.calls.ahead
        assert len(lines(lived, "SPENT")) == events
        assert not list((lived.where.calls / "done").glob("*/*"))


@pytest.mark.slow
@pytest.mark.parametrize("reads", [True, None])
def test_where_the_server_keeps_the_old_prompt_the_new_one_is_read_before_the_swap(
    tmp_path: Path, reads: bool | None
) -> None:
    """Whoever speaks meanwhile is answered from the old one; and what cannot be read holds nothing up."""
    server = Server()
    with living(tmp_path, server, LARGE) as lived:
        publish(lived, alone=True, keeps=True)
        while not lived.me.calls.ahead:
            chat(lived, 1, 100)
        begun, old = lived.me.calls.ahead, plain(lived, lines(lived, "ASK")[-1].id)
        assert 0 < (lived.me.compactor.sleep(None) or 0) < prefetch.PAUSE
        live = asked(lived)
        assert live.startswith(old)
        assert not queue.is_placed(lived.where, "scripted", begun)
        lived.run()
        later = lived.me.calls.ahead
        assert later not in ("", begun)
        assert not lines(lived, "SWAP")
        server.reads = reads
        lived.run()
        assert len(lines(lived, "SWAP")) == 1
        assert not lived.me.calls.ahead
        after = asked(lived)
        assert after.startswith(plain(lived, later)) and after.startswith(plain(lived, begun))
        lived.run()
        assert not list((lived.where.calls / "done").glob("*/*"))


@pytest.mark.slow
def test_a_swap_does_not_wait_for_ever_for_what_is_read_ahead(tmp_path: Path) -> None:
    with living(tmp_path, Server(), LARGE) as lived:
        publish(lived, alone=True, keeps=True)
        while not lines(lived, "SWAP"):
            chat(lived, 1, 100)
        before = int(lines(lived, "SWAP")[0].detail.partition("tokens=")[2].partition("->")[0])
        assert 1.4 * lived.session.limit <= before < 1.5 * lived.session.limit


@pytest.mark.night
def test_what_is_read_ahead_is_what_the_next_prompt_begins_with_whatever_changed_before_a_swap(tmp_path: Path) -> None:
    server, turn = Server(reads=True), 0
    with living(tmp_path, server, LARGE) as lived:
        publish(lived, alone=True, keeps=True)
        while len(lines(lived, "SWAP")) < 3:
            chat(lived, 1, 100, turn := turn + 1)
            if turn % 9 == 2:
                lived.say(f"From now on always write {turn} in words, please.")
            if turn % 30 == 8:
                (lived.session.path / "MEMORY.md").write_text(f"The boat has {turn} berths.\n")
                lived.session.record(Keep(lived.session.entries[-2].number))
            if turn % 30 == 25:
                (lived.session.path / "memory").mkdir(exist_ok=True)
                (lived.session.path / "memory" / f"{times.now()[:10]}.md").write_text(f"Rained on turn {turn}.\n")
        chat(lived, 1)
        calls = [line.id for line in lines(lived, "ASK")]
        assert len(server.order) - len(calls) >= 6
        for at, id in enumerate(server.order):
            if id not in calls:  # what is read before a swap and after it, until somebody speaks
                live = next(one for one in server.order[at:] if one in calls)
                assert plain(lived, live).startswith(plain(lived, id))


@pytest.mark.slow
@pytest.mark.parametrize("alone", [True, False])
@pytest.mark.parametrize("what", ["SEGMENT", "SUMMARISE"])
def test_what_is_asked_beside_a_conversation_that_goes_on_is_asked_anew(tmp_path: Path, what: str, alone: bool) -> None:
    """Of the prompt as it is then: an older one would take what was said since out of the cache of a server that reads
    one prompt at a time."""
    held = True

    def compact(messages: list[ChatMessage], call: Call) -> str | None:
        return None if held and f"{what} the entries" in messages[-1]["content"] else good(messages, call)

    with living(tmp_path, talking(compact), 2500) as lived:
        publish(lived, alone=alone)
        while not lines(lived, what):
            chat(lived, 1)
        lived.run()
        first = lines(lived, what)
        chat(lived, 2)
        after = lines(lived, what)
        live = plain(lived, lines(lived, "ASK")[-1].id)
        if alone:
            now = after[-len(first) :]
            assert len(after) == 3 * len(first)
            assert [line.detail for line in now] == [line.detail for line in first]
            assert all(plain(lived, line.id).startswith(live) for line in now)
            assert not any(queue.is_placed(lived.where, "scripted", line.id) for line in after[: -len(first)])
        else:
            assert after == first
        held = False
        while not lines(lived, "SWAP"):
            chat(lived, 1)
        assert not lines(lived, "WARN")


def test_a_swap_without_a_model_is_read_ahead_like_any_other(tmp_path: Path) -> None:
    """As one that drops old reasoning."""
    server = Server(reads=True)
    server.says = f"<reasoning>\n{prose(random.Random(1), 200)}\n</reasoning>\n\nYes."
    with living(tmp_path, server, LARGE) as lived:
        publish(lived, alone=True, keeps=True)
        while not lines(lived, "SWAP"):
            chat(lived, 1, 20)
        assert lines(lived, "SWAP")[0].detail.startswith("strip ")
        live, *reads = server.order[-3:]
        assert live == lines(lived, "ASK")[-1].id
        after = asked(lived)
        assert len(reads) == 2 and all(after.startswith(plain(lived, id)) for id in reads)


def test_a_summary_of_any_length_is_read_ahead_as_it_will_be(tmp_path: Path) -> None:
    """Before it is kept as a blob, also where what is shown of other entries has less room."""
    with living(tmp_path, Server(), 3500) as lived:
        chat(lived, 12, 60)
        entries = plan.eligible(lived.session.entries, lived.session.state.forgetting.kept)
        long = " ".join(f"word{number}" for number in range(300))
        assert len(long) > lived.session.share
        chosen = [(Chunk(entries[0].number, entries[-1].number, 3, "tea"), Summary(3, "tea", long))]
        found = fade_plan.foreseen(lived.session, chosen, entries)
        assert found
        lived.me.compactor.whole._calls.read(found[0].entries, found[1])
        id = lived.me.calls.ahead
        assert swap.fade(lived.session, chosen, entries, "limit", part=False)
        swap.restate(lived.session)
        assert asked(lived).startswith(plain(lived, id)) and long.encode() in plain(lived, id)
