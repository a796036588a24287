"""What a bridge shows of an answer while it is written, and how it is stopped or paused."""

from __future__ import annotations

from scenes import ID, LIMITS, Scene
from small_world import ANA, BOB, CHANNEL, DM, said
from support import soon

from dotagent.bridges import Undone
from dotagent.store import queue
from dotagent.store.queue import Call

THOUGHT = "<reasoning>\nShe means the flight.\n</reasoning>\n"


def test_an_answer_is_shown_as_it_is_written_and_nothing_else_of_it(scene: Scene) -> None:
    final = "The seat is 14A, by the window. " * 9

    async def steps(s: Scene) -> None:
        await s.hear(said(DM, ANA, 1, "which seat?"))
        call, stream = s.asked("loop-ana")
        stream.write_text(THOUGHT + "SAY elsewhere secret\nSAY loop-ana <<END\nThe seat is")
        await soon(lambda: s.transport.typed)
        assert not s.world.own("d1")
        stream.write_text(stream.read_text() + f" 14A, by the window. {final[31:]}\nand more")
        await soon(lambda: len(s.world.own("d1")) >= 2)
        queue.answer(s.where, s.where.store(), call, "x", queue.Outcome())
        s.says(final)
        await s.sees_whole(final)
        typed = s.transport.typed
        s.transport.trouble = [Undone("slow down", 5 * LIMITS.typing)]
        s.says("And that is all.")
        await s.sees_whole(f"{final} And that is all.")
        assert s.transport.typed == typed

    scene.play(steps)
    shown = [event["text"] for event in scene.world.events() if "text" in event]
    assert not [text for text in shown if "secret" in text or "She means" in text or "SAY" in text]
    assert [event["do"] for event in scene.world.events()].count("send") == len(scene.world.own("d1"))


def test_a_draft_without_a_message_goes_away_also_after_a_restart(scene: Scene) -> None:
    async def begun(s: Scene) -> None:
        await s.hear(said(DM, ANA, 1, "which seat?"))
        _, stream = s.asked("loop-ana")
        stream.write_text("Let me look that up for you, one moment.")
        await soon(lambda: s.world.own("d1"))

    async def ended(s: Scene) -> None:
        queue.fail(s.where, Call(ID, ID, "own", "live", "loop-ana"), "server", "broken")
        await s.sees()

    scene.play(begun)
    scene.play(ended)


def test_the_owner_stops_an_answer_and_others_do_not(scene: Scene) -> None:
    async def steps(s: Scene) -> None:
        assert s.transport.listener
        await s.hear(said(DM, ANA, 1, "hi"))
        s.asked("loop-ana")
        await s.writes()
        assert "Only the owner" in await s.transport.listener.command("stop", BOB, DM)
        assert "is writing an answer" in await s.transport.listener.command("status", ANA, DM)
        assert await s.transport.listener.command("stop", ANA, DM) == "Stopped."
        outcome = queue.done(s.where, ID, ID)
        assert outcome and outcome.kind == "cancelled"

    scene.play(steps)


def test_in_a_group_the_state_does_not_say_how_many_rooms_the_owner_has(scene: Scene) -> None:
    async def steps(s: Scene) -> None:
        assert s.transport.listener
        await s.hear(said(DM, ANA, 1, "hi"))
        assert "1 room" in await s.transport.listener.command("status", ANA, DM)
        assert "1 room" in await s.transport.listener.command("status", ANA, None)
        assert "room" not in await s.transport.listener.command("status", ANA, CHANNEL)

    scene.play(steps)


def test_a_pause_is_kept_over_a_restart_and_its_gap_is_read(scene: Scene) -> None:
    async def first(s: Scene) -> None:
        assert s.transport.listener
        await s.hear(said(DM, ANA, 1, "one"))
        await s.transport.listener.command("pause", ANA, DM)
        assert await s.hear(said(DM, ANA, 2, "two")) == [False]

    async def second(s: Scene) -> None:
        assert s.transport.listener
        assert await s.hear(said(DM, ANA, 3, "three")) == [False]
        await s.transport.listener.command("resume", ANA, DM)
        await soon(lambda: len(s.heard()) >= 3)

    scene.transport.untold = [said(DM, ANA, 2, "two"), said(DM, ANA, 3, "three")]
    scene.play(first)
    scene.play(second)
    assert scene.heard() == ["loop/ana: one", "loop/ana: two", "loop/ana: three"]
