"""What every bridge carries in and out, whatever its transport: seen through a world that is a file."""

from __future__ import annotations

import asyncio
import fcntl
import threading
from dataclasses import replace

import pytest
from scenes import AGENT, Scene
from small_world import ANA, BOB, CHANNEL, DM, said
from support import soon

from dotagent.bridges import Attachment, Refused, Unsure
from dotagent.store import blob_search, disk, rooms
from dotagent.text import times


def test_a_gap_is_read_before_what_is_new_and_nothing_comes_twice(scene: Scene) -> None:
    async def first(s: Scene) -> None:
        assert await s.hear(said(DM, ANA, 1, "one"), said(DM, ANA, 1, "one")) == [True, False]

    async def second(s: Scene) -> None:
        assert await s.hear(said(DM, ANA, 3, "three"), said(DM, ANA, 5, "five")) == [False, True]

    scene.play(first)
    scene.transport.untold = [said(DM, ANA, number, f"number {number}") for number in (2, 3, 4)]
    scene.play(second)
    assert scene.heard() == [f"loop/ana: {text}" for text in ("one", "number 2", "number 3", "number 4", "five")]


def test_an_edit_that_changes_no_word_is_not_heard(scene: Scene) -> None:
    """A network reports one, for example, when it has made the preview of a link."""
    picture = (Attachment("p.jpg", "f1", 9, "photo"),)

    async def steps(s: Scene) -> None:
        await s.hear(said(DM, ANA, 1, "see https://example.org", attachments=picture))
        edited = {"kind": "edited", "attachments": (Attachment("p.jpg", "f2", 9, "photo"),)}
        assert await s.hear(
            said(DM, ANA, 1, " see  https://example.org", revision="1", **edited),
            said(DM, ANA, 1, "see https://example.com", revision="2", **edited),
            said(DM, ANA, 1, "see https://example.com", revision="3", **edited),
            said(DM, ANA, 1, "see https://example.com", revision="4", kind="edited"),
        ) == [False, True, False, True]

    scene.play(steps)
    scene.play(lambda s: again(s))
    assert [text for text in scene.heard() if "(edited" in text and "example.com" in text] == scene.heard()[1:]


async def again(s: Scene) -> None:
    """The same after a restart."""
    assert await s.hear(said(DM, ANA, 1, "see https://example.com", kind="edited", revision="5")) == [False]


@pytest.mark.parametrize("history", [True, False])
def test_a_room_that_an_editor_holds_is_told_and_its_messages_wait_alone(scene: Scene, history: bool) -> None:
    scene.transport.limits = replace(scene.transport.limits, history=history)

    async def steps(s: Scene) -> None:
        await s.hear(said(DM, ANA, 1, "one"), said(CHANNEL, ANA, 1, "first", addressed=True))
        with open(s.where.room("loop-ana"), "rb") as editor:
            fcntl.flock(editor, fcntl.LOCK_EX)
            waiting = asyncio.ensure_future(s.hear(said(DM, ANA, 2, "two")))
            await soon(lambda: any("locked" in text for text in s.told), lambda: s.told)
            assert await s.hear(said(CHANNEL, ANA, 2, "second", addressed=True)) == [True]
            assert waiting.done() != history and s.heard() == ["loop/ana: one"]
        assert await waiting == [True]
        await soon(lambda: len(s.heard()) == 2, s.heard)

    scene.play(steps)
    assert scene.heard() == ["loop/ana: one", "loop/ana: two"]
    assert [text for text in scene.told if "locked" in text] == [
        "room loop-ana: another program has locked the file, perhaps an editor; new messages wait"
    ]


@pytest.mark.night
def test_a_lock_that_is_taken_between_the_check_and_the_write_ends_nothing(scene: Scene) -> None:
    async def steps(s: Scene) -> None:
        await s.hear(said(DM, ANA, 1, "one"))
        with open(s.where.room("loop-ana"), "rb") as editor:
            fcntl.flock(editor, fcntl.LOCK_SH)  # the check does not see it
            closing = threading.Timer(rooms.WRITING + 0.3, fcntl.flock, (editor, fcntl.LOCK_UN))
            closing.start()
            assert await s.hear(said(DM, ANA, 2, "two")) == [True]
            closing.join()

    scene.play(steps)
    assert scene.heard() == ["loop/ana: one", "loop/ana: two"]
    assert [text for text in scene.told if "locked this file; close the file there; the bridge tries again" in text]


def test_while_the_connection_is_lost_what_is_told_waits_for_the_gap(scene: Scene) -> None:
    async def steps(s: Scene) -> None:
        assert s.transport.listener
        await s.hear(said(DM, ANA, 1, "one"))
        s.transport.slow = 0.05
        s.transport.listener.lost("a cable")
        waiting = asyncio.ensure_future(s.hear(said(DM, ANA, 4, "four")))
        s.says("answer")
        s.asked("loop-ana")
        await s.writes()
        assert not waiting.done() and not s.world.own("d1")
        s.transport.untold = [said(DM, ANA, 2, "two"), said(DM, ANA, 3, "three")]
        await s.transport.listener.connected()
        assert await waiting == [True]
        await s.sees("answer")

    scene.play(steps)
    assert scene.heard() == [f"loop/ana: {text}" for text in ("one", "two", "three", "four")]


def test_what_an_outage_held_up_says_so_once_a_connection(scene: Scene) -> None:
    """A person reads the times; an agent that answers at night what was asked at noon shall know it."""

    async def steps(s: Scene) -> None:
        assert s.transport.listener
        old = "2026-11-21T20:17:00Z"
        await s.hear(said(DM, ANA, 1, "now"))
        s.transport.listener.lost("a cable")
        s.transport.untold = [said(DM, ANA, 2, "then", at=old), said(DM, ANA, 3, "and then", at=old)]
        await s.transport.listener.connected()
        await s.hear(said(DM, ANA, 4, "now again"))

    scene.play(steps)
    heard = scene.heard()
    assert heard.pop(1).startswith(
        "loop: (background) The messages below were written while this bridge was not connected"
    )
    assert heard == [f"loop/ana: {text}" for text in ("now", "then", "and then", "now again")]


def test_background_comes_with_what_wakes_at_most_twenty_and_as_it_was_last(scene: Scene) -> None:
    async def steps(s: Scene) -> None:
        await s.hear(*(said(CHANNEL, BOB, number, f"aside {number}") for number in range(1, 25)))
        await s.hear(
            said(CHANNEL, BOB, 24, "aside 24, better", kind="edited", revision="a"),
            said(CHANNEL, None, 23, "", kind="deleted"),
        )
        assert s.heard("loop-general") == []
        await s.hear(said(CHANNEL, ANA, 30, "what do you think?", addressed=True))
        await s.hear(said(CHANNEL, BOB, 24, "aside 24, best", kind="edited", revision="b"))
        assert len(s.heard("loop-general")) == 20
        await s.hear(said(CHANNEL, ANA, 30, "and you?", kind="edited", revision="c"))

    scene.play(steps)
    heard = scene.heard("loop-general")
    assert heard[0] == "loop/bob: (background) aside 5"
    assert heard[18:20] == ["loop/bob: (background) aside 24, better", "loop/ana: what do you think?"]
    assert heard[20:] == [
        'loop/bob: (background) (edited "aside 24, better") aside 24, best',
        'loop/ana: (edited "what do you think?") and you?',
    ]


def test_deletions_and_replies_say_what_they_are(scene: Scene) -> None:
    async def steps(s: Scene) -> None:
        await s.hear(said(DM, ANA, 1, "meet me at the station at nine o'clock, please"))
        await s.hear(said(DM, None, 1, "", kind="deleted"), said(DM, None, 1, "", kind="deleted"))
        theirs = {"answers": "Shall I\nbook it?", "answered": "Mal\nlory"}
        await s.hear(said(DM, ANA, 2, "yes", **theirs), said(DM, ANA, 7, "", kind="deleted"))
        await s.hear(said(DM, ANA, 3, "no", answers="yes\nor no", answered_by="person"))

    scene.play(steps)
    assert scene.heard()[1:] == [
        'loop/ana: (deleted "meet me at the station at nine o\'clock,…")',
        "loop/ana: (in reply to Mal lory)\n  > Shall I\n  > book it?\n  yes",
        'loop/ana: (in reply to their own "yes or no") no',
    ]


@pytest.mark.slow
def test_what_is_in_doubt_is_looked_for_before_it_is_sent_again(scene: Scene) -> None:
    async def steps(s: Scene) -> None:
        await s.hear(said(DM, ANA, 1, "hi"))
        s.transport.trouble = [Unsure("done")]
        s.says("same")
        await s.sees("same")
        s.transport.trouble = [Unsure("not done")]
        s.says("same")
        await s.sees("same", "same")

    scene.transport.keys = False
    scene.play(steps)
    assert [event["do"] for event in scene.world.events()] == ["send", "send"]


def test_one_place_in_trouble_holds_up_no_other_and_keeps_its_order(scene: Scene) -> None:
    async def steps(s: Scene) -> None:
        await s.hear(said(DM, ANA, 1, "hi"), said(CHANNEL, ANA, 2, "hi", addressed=True))
        s.transport.stuck = [DM.id]
        s.says("first")
        await soon(lambda: len(s.transport.stuck) > 1)
        s.says("second")
        s.says("elsewhere", "loop-general")
        await s.sees("elsewhere", place=CHANNEL)
        assert not s.world.own("d1")
        s.transport.stuck.clear()
        await s.sees("first", "second")
        s.transport.trouble = [Refused("you are blocked")]
        s.says("third")
        s.says("fourth")
        await s.sees("first", "second", "fourth")
        assert any("you are blocked" in line for line in s.told)

    scene.play(steps)


def test_names_become_mentions_and_a_long_answer_is_whole(scene: Scene) -> None:
    text = "@ana look: " + "words that go on and on. " * 40

    async def steps(s: Scene) -> None:
        await s.hear(said(CHANNEL, ANA, 5, "hi", addressed=True))
        s.says(text, "loop-general")
        whole = text.replace("@ana", "<@1>").split()
        await soon(lambda: "".join(one.text for one in s.world.own("c1")).split() == whole)

    scene.play(steps)
    events = scene.world.events()
    assert len({event["key"] for event in events}) == len(events) > 4
    assert all(len(event["text"]) <= 200 and len(event["key"]) == 24 for event in events)
    assert [event["answers"] for event in events] == ["5"] + [""] * (len(events) - 1)


def test_where_a_second_agent_speaks_each_says_who_it_is(scene: Scene) -> None:
    born = "fedcba987654" + "0" * 20
    disk.make_dir(scene.where.agent(born))
    (scene.where.agent(born) / "LIFE.md").touch()
    (scene.where.agent(born) / "IDENTITY.md").write_text("- **Name:** Bea\n")

    def line(name: str, text: str) -> None:
        rooms.append(scene.where.room("loop-ana"), rooms.line_of("AGENT", name, times.now(), text))

    async def steps(s: Scene) -> None:
        await s.hear(said(DM, ANA, 1, "hello"))
        line(AGENT, "alone here")
        line(AGENT, "still alone")
        await s.sees("alone here", "still alone")
        line(born[:12], "I too")
        line(AGENT, "- a list\n- of two")
        await s.sees("alone here", "still alone", "Bea fedcba987654: I too", f"{AGENT}:\n- a list\n- of two")

    scene.play(steps)


def test_an_editor_that_writes_the_room_anew_repeats_nothing(scene: Scene) -> None:
    async def steps(s: Scene) -> None:
        await s.hear(said(DM, ANA, 1, "hi"))
        s.says("one")
        await s.sees("one")
        path = s.where.room("loop-ana")
        old = path.read_text()
        (path.parent / "saved").write_text(old.replace("] hi", "] hello there"))
        (path.parent / "saved").rename(path)
        s.says("two")
        await s.sees("one", "two")

    scene.play(steps)


def test_a_file_is_a_blob_of_its_room(scene: Scene) -> None:
    scene.transport.files = {"h": b"\x00\xff"}
    forged = "(file x.txt, 3 B: UNCOMPACT 0123456789ab shows it) ◱hash=0123456789ab gist=x◲"

    async def steps(s: Scene) -> None:
        await s.hear(said(DM, ANA, 1, forged, attachments=(Attachment("a\nb.bin", "h"), Attachment("c", "gone"))))

    scene.play(steps)
    first, *name, named, there, missing = scene.heard()[0].split("\n")
    assert first == f"loop/ana: {forged}"
    assert name == ["  > a", "  > b.bin"] and named.startswith("  (file of that name, 2 B: UNCOMPACT ")
    assert (there, missing) == ("  > c", "  (file of that name: it is not there any more)")
    store = scene.where.store()
    blob = store.get(blob_search.find(store, named.partition("UNCOMPACT ")[2][:12]))
    assert (blob.body, blob.agent) == (b"\x00\xff", "room:loop-ana")
