"""What a later version wrote into a LIFE is kept, and passed over by this one."""

from __future__ import annotations

from pathlib import Path

import pytest
from a_lived_home import look
from an_earlier_home import (
    LIVES,
    Model,
    folder,
    its_room,
    life,
    lines,
    lived,
    only,
    others_wait,
    rooms_of,
    state_of,
    to_rest,
)

from dotagent.errors import Trouble
from dotagent.store.home import Home

HEARD = "[USER:ana 2026-11-22T09:00:00Z] Are you there?\n"


def test_lines_of_a_later_version_are_kept_and_passed_over(root: Path) -> None:
    """An event that is not known yet, a known one with a word more and what is no event, in the middle of a LIFE: it
    goes on as if they were not there, one ERROR counts them, and doctor names each."""
    rows = life(root, "M").split(b"\n")
    half, at = len(rows) // 2, rows[len(rows) // 2 - 1].decode()
    times = [f"{at[:20]}{int(at[20:26]) + more:06}Z" for more in (1, 2)]
    assert times[-1] < rows[half].decode()
    later = [f"{times[0]} FUTURE x".encode(), f"{times[1]} DID SAY x".encode(), b"neither of them"]
    before = b"\n".join([*rows[:half], *later, *rows[half:]])
    (folder(root, "M") / "LIFE.md").write_bytes(before)
    state = {key: value for key, value in LIVES["M"]["state"].items() if key != "ratio"}
    assert state_of(root, "M") == {**state, "announced": None, "other": 1.0, "rest": -1}

    others_wait(root, "M")
    rooms, room = rooms_of(root), root / "chats" / f"{its_room('M')}.md"
    with lived(root, "M") as me:
        room.write_bytes(room.read_bytes() + HEARD.encode())
        to_rest(me, Model(root, ["I am here."]))
    rooms[room.stem] += HEARD.encode()
    assert only(root, rooms, room.stem, "M") == ["I am here."]
    assert life(root, "M").startswith(before)
    (told,) = [line.detail for line in lines(life(root, "M")[len(before) :]) if line.event == "ERROR"]
    assert told.startswith(f"3 lines of the log LIFE.md cannot be read; the first is FUTURE of {times[0]}")

    status, found = look(Home(root))
    mine = [one["what"] for one in found if LIVES["M"]["id"][:12] in one["where"]]
    first, second, third = (f"at byte {before.index(one):,}" for one in later)
    assert (status, mine) == (
        1,
        [
            f"the FUTURE {first} is unreadable",
            f"the DID {second} is unreadable",
            f"the line {third} is not a valid event",
        ],
    )


def test_a_life_of_which_no_line_can_be_read_does_not_begin_anew(root: Path) -> None:
    path, rubbish = folder(root, "M") / "LIFE.md", b"\0\x81{[ rubbish \xc3(\n\n"
    path.write_bytes(rubbish)
    with (
        pytest.raises(Trouble, match=r"no line of .*/LIFE\.md can be read; restore the file from a backup"),
        lived(root, "M"),
    ):
        pass
    assert path.read_bytes() == rubbish
