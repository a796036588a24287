"""`room repair`: messages that a room lacks come back, in their order, each once."""

from __future__ import annotations

from pathlib import Path

import pytest
from world import World, world

from dotagent.commands import room as command
from dotagent.errors import Misuse
from dotagent.life.session import Patience
from dotagent.store import log, room_repair, rooms
from dotagent.store.requests import ChatMessage


def answers(messages: list[ChatMessage], call: object) -> str:
    return f"answer {len(messages)}\nof two lines"


def repair(here: World) -> int:
    import argparse

    return command.run(argparse.Namespace(home=str(here.where.root), what="repair", room="dev"))


def heard(here: World) -> list[str]:
    lines = log.lines(here.session.path / "LIFE.md")
    bodies = [here.session.store.get(line.id).body.decode() for line in lines if line.event == "HEAR"]
    return [body.split("] ", 1)[-1].strip() for body in bodies]


def test_what_was_saved_over_comes_back_and_is_not_heard_again(tmp_path: Path) -> None:
    with world(tmp_path / "home", answers, patience=Patience(still=0, unfinished=0)) as here:
        path = here.where.room("dev")
        here.say("one")
        here.run()
        old = path.read_bytes()
        for text in ("two", "three"):
            here.say(text)
            here.run()
        whole = path.read_bytes()
        path.write_bytes(old + b"four\n")
        here.run()
        now = path.read_bytes()
        assert repair(here) == 0
        assert path.read_bytes() == whole + now[len(old) :]
        here.run()
        assert repair(here) == 0
        assert path.read_bytes() == whole + now[len(old) :]
        assert heard(here) == ["one", "two", "three", "four"]
        assert path.read_text().count("messages are gone") == 1


def test_a_copy_of_a_sync_program_is_merged_heard_and_moved_away(tmp_path: Path) -> None:
    with world(tmp_path / "home", answers, patience=Patience(still=0, unfinished=0)) as here:
        path = here.where.room("dev")
        here.say("one")
        here.run()
        copy = path.with_name("dev.sync-conflict-20261128-071206-77DU2AI.md")
        copy.write_bytes(path.read_bytes() + b"only there\n")
        here.say("two")
        here.run()
        assert repair(here) == 0
        here.run()
        assert not copy.exists()
        assert (here.where.root / "set-aside/chats" / copy.name).is_file()
        assert heard(here) == ["one", "two", "only there"]


def test_a_corrected_message_is_not_missing_and_the_order_is_by_time() -> None:
    def said(second: int, text: str) -> bytes:
        return rooms.line_of("USER", "ana", f"2026-11-21T20:17:{second:02}Z", text)

    known = [said(1, "one"), said(2, "two"), said(5, "five\nmore"), b"by hand\n"]
    room = b"# dev private\n" + said(1, "corrected") + said(3, "three") + said(6, "six")
    merged, count = room_repair.merge(room, known)
    assert count == 3
    expected = [
        said(1, "corrected"),
        said(2, "two"),
        said(3, "three"),
        said(5, "five\nmore"),
        b"by hand\n",
        said(6, "six"),
    ]
    assert merged == b"# dev private\n" + b"".join(expected)
    assert room_repair.merge(merged, known) == (merged, 0)


@pytest.mark.parametrize("copied", [False, True])
def test_private_messages_do_not_come_back_into_a_room_that_others_read(tmp_path: Path, copied: bool) -> None:
    with world(tmp_path / "home", answers, patience=Patience(still=0, unfinished=0)) as here:
        path = here.where.room("dev")
        here.say("a secret")
        here.run()
        if copied:
            path.rename(path.with_name("dev (1).md"))
            here.session.path.joinpath("subs", "dev.md").unlink()
        path.write_bytes(b"# dev group\nhello\n")
        with pytest.raises(Misuse, match=r"is `group`, but the audience of"):
            repair(here)
        assert path.read_bytes() == b"# dev group\nhello\n"
