"""What a turn answers stays before the model until the turn is over, however much the turn reads."""

from __future__ import annotations

import fcntl
from pathlib import Path

import pytest
from lives import ASKED, good, lines, living
from made import entry
from world import Model, World

import agent
from dotagent.compaction import plan
from dotagent.compaction.plan import Chunk
from dotagent.life import fold
from dotagent.life.background_events import Returned, Spawned
from dotagent.life.state import FRAME, State
from dotagent.store.log import Line
from dotagent.store.queue import Call
from dotagent.store.requests import ChatMessage
from dotagent.text import times

WISHES = (
    "Read log-1.txt to log-24.txt one after the other.",
    "Write the hosts that fail into hosts.txt.",
    "Leave out zulu-7.",
    "Send nobody a mail before I have seen the file.",
    "At the end tell me how many there are.",
)
READS = 24


def fold_lines(rows: list[tuple[str, str]]) -> State:
    state = State(audience="private ana")
    for number, (event, detail) in enumerate(rows):
        at = times.to_second(f"2026-11-21T20:17:{number:02d}Z")
        state = fold.apply(state, Line(at, event, detail, f"{number:032x}", ""))
        state = fold.change(state, number=state.number + (event in ("HEAR", "REPLY", "TOOL")))
    return state


def hear(offset: int) -> tuple[str, str]:
    return ("HEAR", f"dev {offset} {'0' * 16} who=USER:ana")


ASKING, ANSWER, RESULT = ("ASK", "scripted dev 10"), ("REPLY", "dev finish=stop"), ("TOOL", "READ_FILE ok")


def reading(asked: list[str], compact: Model = good, task: str = "Read log-1") -> Model:
    """A model that reads a file a step in the turn of a task, and remembers each prompt of it."""

    def model(messages: list[ChatMessage], call: Call) -> str | None:
        if ASKED.search(messages[-1]["content"]) and call.kind != "live":
            return compact(messages, call)
        if call.kind != "live" or not task:
            return "Understood."
        asked.append("\n".join(message["content"] for message in messages))
        return f"READ_FILE log-{len(asked)}.txt" if len(asked) <= READS else "There are five."

    return model


def logs(lived: World, size: int = 10) -> None:
    folder = lived.session.path / "files"
    folder.mkdir(exist_ok=True)
    for number in range(1, READS + 1):
        row = f"host-{number} disk is full, Mr Olsen was told, nobody came on the day {number}\n"
        (folder / f"log-{number}.txt").write_text(row * size)


@pytest.mark.parametrize("compact", [good, lambda messages, call: None], ids=["with summaries", "without"])
def test_all_of_a_message_is_before_the_model_until_it_is_answered(tmp_path: Path, compact: Model) -> None:
    asked = list[str]()
    with living(tmp_path, reading(asked, compact), 2000) as lived:
        logs(lived)
        lived.say(" ".join(WISHES))
        lived.run()
        assert lines(lived, "SWAP")
        assert len(asked) == READS + 1
        assert [at for at, prompt in enumerate(asked) if not all(wish in prompt for wish in WISHES)] == []


@pytest.mark.night
def test_of_a_long_message_the_ends_and_a_reference_stay(tmp_path: Path) -> None:
    asked = list[str]()
    with living(tmp_path, reading(asked), 2000) as lived:
        logs(lived)
        lived.say(WISHES[0] + " The hosts are in the cellar. " * 100 + WISHES[4])
        lived.run()
        assert lines(lived, "SWAP")
        assert all(WISHES[0] in prompt and WISHES[4] in prompt and "shows them page by page" in prompt
                   for prompt in asked)  # fmt: skip


def test_what_has_to_do_with_the_task_fades_last(tmp_path: Path) -> None:
    """Not the oldest result, which says what the task names, but those after it."""
    asked = list[str]()
    with living(tmp_path, reading(asked, lambda messages, call: None), 2000) as lived:
        logs(lived)
        folder = lived.session.path / "files"
        told = [f"Marta repairs the host zulu-{number} that fails, leave it out." for number in range(8)]
        (folder / "log-1.txt").write_text("\n".join(told))
        lived.say("Name hosts that fail. Leave out hosts that Marta repairs, as zulu-7.")
        lived.run()
        assert lines(lived, "SWAP")
        shown = [at for at, prompt in enumerate(asked) if all(row in prompt for row in told)]
        assert shown == list(range(1, READS + 1))


@pytest.mark.night
def test_an_answered_message_fades_like_any_other(tmp_path: Path) -> None:
    asked = list[str]()
    with living(tmp_path, reading(asked), 2000) as lived:
        logs(lived)
        lived.say(" ".join(WISHES))
        lived.run()
        first = lived.session.state.turn.frame
        assert first
        asked.clear()
        lived.say("Now read log-1.txt to log-24.txt once more.")
        lived.run()
        assert lived.session.state.turn.frame != first
        assert not {*first} & {one.number for one in lived.session.entries if one.event == "HEAR"}
        assert WISHES[2] not in asked[-1].partition("Now read")[2]


def test_a_summary_is_on_one_side_of_what_the_turn_answers() -> None:
    entries = [entry(number, "TOOL", "words " * 100) for number in (1, 2, 4, 5, 7)]
    found = plan.parted([Chunk(1, 5, 5, "g"), Chunk(7, 7, 5, "h")], entries, (3, 6))
    assert [one.span for one in found] == ["1-2", "4-5", "7-7"]


def test_a_message_before_the_request_is_added_and_one_after_the_answer_begins_anew() -> None:
    began = [hear(10), hear(20)]
    assert fold_lines(began).turn.frame == (1, 2)
    assert fold_lines([*began, ASKING, ANSWER, RESULT, hear(30)]).turn.frame == (1, 2, 5)
    assert fold_lines([*began, ASKING, ANSWER, hear(30)]).turn.frame == (4,)


def test_what_a_helper_works_for_stays_until_its_result_and_in_the_turn_after_it(tmp_path: Path) -> None:
    """Meanwhile the person speaks of other things, so that the request would fade."""
    asked = list[str]()
    with living(tmp_path, reading(asked), 2000) as lived:
        logs(lived)
        lived.say(" ".join(WISHES))
        while not lines(lived, "ASK"):
            agent.step(lived.me)
        life = lived.where.agent("a" * 32) / "LIFE.md"
        (life.parent / "run").mkdir(parents=True)
        with life.open("w") as held:
            fcntl.flock(held, fcntl.LOCK_EX)  # so the helper works
            lived.session.record(Spawned("a" * 32, "dev", 1))
            for number in range(30):
                lived.run()
                lived.say(f"The {number}th thing has nothing to do with it. " * 9)
            lived.run()
            asked.clear()
            lived.session.record(Returned("a" * 32, "dev", "done"), b"24 logs were found", gist="done")
            lived.run()
        assert len(lines(lived, "SWAP")) > 1
        assert [at for at, prompt in enumerate(asked) if not all(wish in prompt for wish in WISHES)] == []
        assert len(asked) == READS + 1


def test_a_command_that_ends_goes_on_with_the_turn_that_began_it() -> None:
    began = [hear(10), ASKING, ANSWER, RESULT, ASKING, ANSWER]
    assert fold_lines([*began, ("ENDED", "1 dev exit")]).turn.frame == (1, 5)
    assert fold_lines([*began, hear(20)]).turn.frame == (5,)


def test_a_frame_has_a_limit_and_its_beginning_stays() -> None:
    frame = fold_lines([hear(10 * number) for number in range(1, 3 * FRAME)]).turn.frame
    assert len(frame) == FRAME
    assert (frame[0], frame[-1]) == (1, 3 * FRAME - 1)
