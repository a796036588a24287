"""The compaction: in the background, at turn boundaries, by relevance; and whatever a model does, never stuck."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from deaths import NEWYEAR
from lives import ASKED, chat, good, lines, living, prose, talking, until
from support import clock

import agent
from dotagent.compaction import fade_plan, plan, prefetch
from dotagent.life import context
from dotagent.life.compaction_events import Summed
from dotagent.life.fold import apply
from dotagent.life.state import State
from dotagent.store import log, queue, request_rebuilding, requests
from dotagent.store.queue import Call
from dotagent.store.requests import ChatMessage

RULE = "You must never call me before 9."
SUMMARISE = ChatMessage(role="user", content="SUMMARISE the entries #1 to #2")


# ---- the requests


@pytest.mark.slow
def test_a_request_is_the_live_prompt_and_one_instruction_in_the_background(tmp_path: Path) -> None:
    kinds: list[tuple[str, str]] = []

    def model(messages: list[ChatMessage], call: Call) -> str:
        kinds.append((call.id, call.kind))
        return talking()(messages, call) or ""

    with living(tmp_path, model, 2500) as lived:
        chat(lived, 26)
        rebuild = request_rebuilding.Rebuilder(lived.where.store())
        live: bytes = b""
        waiting: list[bytes] = []
        seen = 0
        for line in log.lines(lived.session.path / "LIFE.md"):
            if line.event == "SWAP":
                live, waiting = b"", []
            if line.event not in ("ASK", "SEGMENT", "SUMMARISE"):
                continue
            parts = rebuild.request(line.id).parts
            assert dict(kinds)[line.id] == ("live" if line.event == "ASK" else "background")
            if line.event == "ASK":
                live = requests.as_text(parts)
                for fork in waiting:  # and the conversation goes on from there, without the instruction
                    assert live.startswith(fork)
                waiting = []
                continue
            seen += 1
            fork = requests.as_text(parts[:-1])
            assert fork.startswith(live)
            waiting.append(fork)
            instruction = parts[-1].text
            assert instruction.startswith((lived.where.root / f"{line.event}.md").read_text().strip())
            first, last = re.split("[ -]", line.detail)[:2]
            assert f"{line.event} the entries #{first} to #{last}" in instruction
            assert instruction.count("#") < 20  # entries are named by their numbers and not shown again
        assert seen >= 3


def test_a_persons_message_goes_first_on_a_server_with_one_slot(tmp_path: Path) -> None:
    with living(tmp_path, talking(), 2500) as lived:
        chat(lived, 8)
        lived.me.compactor.whole.wish.write_bytes(b"")
        until(lived, "SEGMENT")
        assert [call.kind for call in queue.waiting(lived.where, "scripted")] == ["background"]
        lived.say("And now?")
        while not lived.session.state.turn.call:
            assert agent.step(lived.me)
        assert [call.kind for call in queue.waiting(lived.where, "scripted")] == ["live", "background"]
        first = queue.take(lived.where, "scripted")
        assert first
        assert first.id == lived.session.state.turn.call


# ---- the swap


@pytest.mark.night
def test_the_context_is_swapped_between_two_turns_and_what_was_said_meanwhile_stays(tmp_path: Path) -> None:
    steps = 0

    def model(messages: list[ChatMessage], call: Call) -> str:
        nonlocal steps
        if call.kind != "live":
            return good(messages, call)
        steps += 1
        return "RUN echo on" if steps % 6 else "done"

    with living(tmp_path, model, 2500) as lived:
        chat(lived, 14)
        state, number, ended, told = State(), 0, 0, dict[int, str]()
        for line in log.lines(lived.session.path / "LIFE.md"):
            if line.event == "SWAP" and line.detail.startswith("limit"):
                assert state.forgetting.compaction
                turn = state.turn
                assert not (turn.call or turn.wake or turn.unread or turn.effect or turn.untold)
                ended += 1
                left = lived.where.store().get(line.id).body.decode()
                for at in told:  # heard, said and done since the compaction began
                    if at > state.forgetting.compaction.last:
                        assert f"\n{at} live {told[at]}" in left
            state = apply(state, line)
            if context.entry(line, 1, lambda id: b"", 9):
                number += 1
                told[number] = line.at
        assert ended >= 2


@pytest.mark.night
def test_chunks_fade_from_the_least_relevant_until_enough_is_left(tmp_path: Path) -> None:
    with living(tmp_path, talking(), 4000) as lived:
        chat(lived, 60)
        found = lines(lived, "SWAP", "FADE")
        ranks: list[tuple[int, int]] = []
        freed, last, swaps, summed = 0, 0, 0, set[int]()
        for line in found:
            match = re.fullmatch(r"(\d+)-(\d+) limit relevance=(\d+) tokens=(\d+)->(\d+)", line.detail)
            if line.event == "FADE":
                assert match, line.detail
                frees = int(match[4]) - int(match[5])
                assert frees > 0
                if int(match[1]) not in summed:  # a summary fades last, whatever its relevance
                    ranks.append((int(match[3]), int(match[1])))
                    last, freed = frees, freed + frees
                summed.add(int(match[1]))
                continue
            if line.detail.startswith("strip "):
                assert not ranks
                continue
            swap = re.fullmatch(r"limit tokens=(\d+)->(\d+)", line.detail)
            assert swap, line.detail
            before, now = int(swap[1]), int(swap[2])
            assert ranks == sorted(ranks)
            assert before > lived.session.limit > now
            assert before - now >= freed  # old reminders are stripped with it
            enough = plan.SHARE * before * (1 - plan.LEFT)
            assert freed - last / 2 < enough  # and the next chunk, whole, would be further from it
            ranks, freed, swaps = [], 0, swaps + 1
        assert swaps >= 2


def topics(ranks: dict[str, int]) -> Callable[[list[ChatMessage], Call], str]:
    """A model that finds a part wherever people begin to talk of another of these words, and rates each as told."""

    def compact(messages: list[ChatMessage], call: Call) -> str:
        what, first, last = ASKED.findall(messages[-1]["content"])[-1]
        if what == "SUMMARISE":
            rank = max(
                ranks[word] for word in ranks if word in messages[-1]["content"].rpartition("SUMMARISE")[2][:200]
            )
            return re.sub("relevance: .*", f"relevance: {rank}", good(messages, call))
        text = "\n".join(one["content"] for one in messages[:-1])
        heard = [(int(number), word) for number, word in re.findall(r"^#(\d+) [^\n]*ana: Of the (\w+)", text, re.M)
                 if int(first) <= int(number) <= int(last)]  # fmt: skip
        starts = [one for at, one in enumerate(heard) if at == 0 or heard[at - 1][1] != one[1]]
        ends = [number - 1 for number, _ in starts[1:]] + [int(last)]
        return "\n".join(
            f"{number}-{end} {ranks[word]} {word}" for (number, word), end in zip(starts, ends, strict=True)
        )

    return compact


@pytest.mark.wide
@pytest.mark.slow
@pytest.mark.parametrize("where", [0, 1, 2, 3])
@pytest.mark.parametrize(("told", "high"), [("{}", 9), ("{}", 10), ('{"cache": 3600}', 9)])
def test_what_is_most_relevant_stays_word_for_word_while_small_talk_fades(
    tmp_path: Path, where: int, told: str, high: int
) -> None:
    """Wherever it is in what may fade, and also where the swap waits for a cache until 1.2 times the limit."""
    words = ["weather", "kiln", "cats", "buses", "soup", "trams"]
    with living(tmp_path, talking(topics(dict.fromkeys(words, 2) | {words[where]: high})), 4000) as lived:
        (lived.where.calls / "providers.json").write_text(f'{{"scripted": {told}}}')
        chance, turn = random.Random(where), 0
        while not lines(lived, "SWAP"):
            lived.say(f"Of the {words[min(turn // 4, 5)]}: {prose(chance, 70)}")
            lived.run()
            turn += 1
        assert {line.detail.split(" ")[2] for line in lines(lived, "FADE")} == {"relevance=2"}
        shown = b"\n".join(entry.content or b"" for entry in lived.session.entries).decode()
        assert shown.count(f"Of the {words[where]}: ") == 4


@pytest.mark.night
@pytest.mark.parametrize(
    ("told", "most", "until"), [('{"cache": 3600}', 3600, 1.2), ('{"alone": true}', prefetch.PAUSE, 1.4)]
)
def test_a_swap_waits_until_a_cache_has_forgotten_the_prompt_or_nobody_talks_if_the_limit_allows(
    tmp_path: Path, told: str, most: float, until: float
) -> None:
    ticks = itertools.count()  # because a busy machine may take a minute between two messages
    with clock(lambda: NEWYEAR + next(ticks) / 10_000), living(tmp_path, talking(), 4000) as lived:
        published = lived.where.calls / "providers.json"
        published.write_text(f'{{"scripted": {told}}}')
        limits = set[int]()  # the head of the prompt has the time, so its size varies a little
        while len(lines(lived, "SWAP")) < 3:
            chat(lived, 1)
            limits.add(lived.session.limit)
        limit = max(limits)
        for line in lines(lived, "SWAP"):
            before, now = map(int, line.detail.partition("tokens=")[2].split("->"))
            assert until * limit <= before < (until + 0.1) * limit
            assert now <= 1.01 * limit  # more fades than otherwise, where the context would be over its limit
        while not (lived.session.state.forgetting.compaction and lived.session.state.forgetting.compaction.made):
            chat(lived, 1)
        assert not lived.me.compactor.swap()
        left = lived.me.compactor.sleep(None)
        assert (
            left
            and most / 2 < left <= most
            and lived.me.compactor.sleep(0.5) == 0.5
            and lived.me.compactor.sleep(0.0) == 0.0
        )
        published.write_text('{"scripted": {"cache": 0}}')
        assert lived.me.compactor.swap() and lived.me.compactor.sleep(None) is None


@pytest.mark.slow
def test_a_summary_that_was_not_needed_serves_next_time(tmp_path: Path) -> None:
    """It was made of the first turns in a compaction that ended otherwise; the next one has the same chunk."""

    def compact(messages: list[ChatMessage], call: Call) -> str:
        what, first, last = ASKED.findall(messages[-1]["content"])[-1]
        if what == "SEGMENT":
            return f"{first}-{until} 2 b\n{until + 1}-{last} 1 a"
        return good(messages, call)

    with living(tmp_path, talking(compact), 4500) as lived:
        session, until = lived.session, 0
        while session.tokens < 0.4 * session.limit:
            chat(lived, 1, 40)
        members = list(
            session.entries[: next(at for at in range(99, 0, -1) if plan.is_turn_start(session.entries, at))]
        )
        until = members[-1].number
        span, made = f"1-{until}", session.keep("ana: kettle.", "the first turns")
        session.record(Summed(span, fade_plan.key(members), 5), id=made, gist="the first turns")
        while not lines(lived, "SWAP"):
            chat(lived, 1, 40)
        assert span not in [line.detail.split(" ")[0] for line in lines(lived, "SUMMARISE")]
        assert span in [line.detail.split(" ")[0] for line in lines(lived, "FADE")]
        assert [line.id for line in lines(lived, "SUMMARY") if line.detail.split(" ")[0] == span] == [made, made]


@pytest.mark.slow
def test_a_request_for_the_chunks_is_answered_with_their_summaries_and_nothing_more_is_asked(tmp_path: Path) -> None:
    """In one answer; where what stands below a part is none, it is asked for by itself."""
    wrong = ""

    def compact(messages: list[ChatMessage], call: Call) -> str:
        what, first, last = ASKED.findall(messages[-1]["content"])[-1]
        if what == "SUMMARISE":
            return good(messages, call)
        middle, summary = (int(first) + int(last)) // 2, good([*messages[:-1], SUMMARISE], call).partition("\n\n")[2]
        rows = [
            f"{first}-{middle} 3 one",
            wrong or summary,
            "standing: none",
            f"\n{middle + 1}-{last} 7 two",
            wrong or summary,
        ]
        return "\n".join(rows)

    with living(tmp_path, talking(compact), 2500) as lived:
        while len(lines(lived, "SWAP")) < 2:
            chat(lived, 1)
        assert not lines(lived, "SUMMARISE", "WARN")
        made = lines(lived, "SUMMARY")
        assert len(made) == 2 and not any(line.detail.endswith("extractive") for line in made)
        assert all(lived.where.store().get(line.id).body.startswith(b"ana: ") for line in made)
        wrong = "…"
        while len(lines(lived, "SWAP")) < 3:
            chat(lived, 1)
        asked = lines(lived, "SUMMARISE")
        assert asked and {line.detail.split(" ")[0] for line in asked} <= {
            one.detail.split(" ")[0] for one in lines(lived, "SUMMARY")
        }
        assert not lines(lived, "WARN")


@pytest.mark.night
def test_memory_is_said_again_after_each_swap(tmp_path: Path) -> None:
    def model(messages: list[ChatMessage], call: Call) -> str:
        assert sum(message["content"].count("Ana likes the window.") for message in messages) >= 1
        return talking()(messages, call) or ""

    with living(tmp_path, model, 1500) as lived:
        (lived.session.path / "MEMORY.md").write_text("Ana likes the window.\n")
        chat(lived, 40)
        assert len(lines(lived, "SWAP")) >= 3
        notes = [entry for entry in lived.session.entries if entry.event == "PAPER"]
        assert notes[-1].content == b"Ana likes the window.\n"
        assert sum(entry.content is not None for entry in notes) <= 2  # what was said again is not there many times
        recent = [entry for entry in lived.session.entries if entry.event == "LIFE"][-1]
        assert b" SWAP " in (recent.content or b"")


@pytest.mark.parametrize("cut", [False, True])
def test_what_a_swap_says_again_stands_before_the_message_that_waits(tmp_path: Path, cut: bool) -> None:
    """The floor is reached by a message: the model reads its notes and LIFE's end first, and then what it shall answer.
    Also when the power went before they were said again."""
    prompts: list[str] = []

    def model(messages: list[ChatMessage], call: Call) -> str | None:
        if call.kind != "live":
            return None
        prompts.append("\n\n".join(message["content"] for message in messages))
        return "Understood."

    with living(tmp_path, model, 1500) as lived:
        (lived.session.path / "MEMORY.md").write_text("Ana likes the window.\n")
        while not lines(lived, "SWAP"):
            lived.say(f"{prose(random.Random(1), 60)} What does Ana like?")
            lived.run()
        life = lived.session.path / "LIFE.md"
    if cut:
        end = next(log.lines(life, log.last_offset(life, "SWAP") or 0)).end
        with life.open("r+b") as file:
            file.truncate(end)
        prompts.clear()
        with living(tmp_path, model, 1500) as lived:
            lived.run()
    asked = prompts[-1]
    told, notes, question = (asked.rfind(words) for words in ("SWAP force", "likes the window.", "What does Ana like?"))
    assert 0 < notes < told < question
    assert "likes the window" not in asked[question:]


@pytest.mark.slow
def test_memory_is_whole_also_where_other_entries_are_cut(tmp_path: Path) -> None:
    notes = "".join(f"- drawer {at} holds ticket {at * 7}\n" for at in range(110))
    with living(tmp_path, talking(), 4500) as lived:
        (lived.session.path / "MEMORY.md").write_text(notes)
        chat(lived, 40, 60)
        assert len(lines(lived, "SWAP")) >= 1
        newest = [entry for entry in lived.session.entries if entry.event == "PAPER"][-1]
        assert newest.content == notes.encode()


@pytest.mark.night
def test_spare_summaries_of_what_is_gone_are_let_go(tmp_path: Path) -> None:
    with living(tmp_path, talking(), 1500) as lived:
        chat(lived, 50)
        there = {entry.number for entry in lived.session.entries}
        for told in lived.session.state.forgetting.spare.values():
            first, last = told.split(" ")[2].split("-")
            assert {int(first), int(last)} <= there
