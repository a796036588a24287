"""The lives: LIFE line by line, the soul, the requests, the cached context."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from a_lived_home import blob, folder, look

from dotagent.life import snapshot
from dotagent.life.replay import derive
from dotagent.store import disk, home, log
from dotagent.store.home import Home


def test_a_lost_soul_is_damage(where: Home) -> None:
    where.store().path(home.lives(where)[0]).unlink()
    status, found = look(where)
    assert status == 1 and any("SOUL" in one["what"] for one in found)


def test_a_lost_request_is_a_warning_and_deep_tells_which_prompts_are_gone(where: Home) -> None:
    blob(where, "ASK").unlink()
    status, found = look(where)
    assert status == 0 and [one["where"] for one in found] == ["a request"]
    status, found = look(where, "--deep")
    assert status == 0 and any("cannot be rebuilt" in one["what"] for one in found)


def harm(path: Path, line: bytes) -> int:
    """Put a line before the log's last one; returns the byte at which it stands."""
    data = path.read_bytes()
    at = data.rindex(b"\n", 0, len(data) - 1) + 1
    path.write_bytes(data[:at] + line + data[at:])
    return at


@pytest.mark.parametrize(
    ("line", "what"),
    [
        (b"no event\n", "is not a valid event"),
        (b"\0\xff\n", "is not a valid event"),
        (b"2020-01-01T00:00:00.000000Z SLEEP\n", "not later"),
        (b"2020-01-01T00:00:00.000000Z HEAR\n", "not later"),
    ],
)
def test_a_line_of_life_that_is_wrong_is_named_by_its_byte(where: Home, line: bytes, what: str) -> None:
    at = harm(folder(where) / "LIFE.md", line)
    status, found = look(where)
    assert status == 1 and found[0]["level"] == "damage"
    assert what in found[0]["what"] and f"byte {at:,} " in found[0]["what"] and found[0]["where"].endswith("LIFE.md")


def test_an_event_with_a_detail_that_cannot_be_read_is_damage(where: Home) -> None:
    path = folder(where) / "LIFE.md"
    path.write_bytes(path.read_bytes().replace(b" HEAR dev ", b" HEAR dev x", 1))
    status, found = look(where)
    assert status == 1 and any("HEAR at byte" in one["what"] and "is unreadable" in one["what"] for one in found)


def test_many_wrong_lines_are_told_briefly(where: Home) -> None:
    harm(folder(where) / "LIFE.md", b"x\n" * 5000)
    status, found = look(where)
    assert status == 1 and len(found) < 20


def test_a_torn_tail_is_a_warning(where: Home) -> None:
    with open(folder(where) / "LIFE.md", "ab") as file:
        file.write(b"2026-11-21T20:17:20.1")
    status, found = look(where)
    assert status == 0 and ["incomplete line of 21 bytes" in one["what"] for one in found] == [True]
    fd = disk.open_append(folder(where) / "LIFE.md")
    with disk.locked(fd):  # somebody lives, and may be writing just that line
        assert look(where) == (0, [])
    os.close(fd)


@pytest.mark.parametrize(
    ("data", "what"), [(None, "is missing"), (b"", "is out of date"), (b"#1 forged\n", "differs from LIFE")]
)
def test_a_stale_context_is_a_warning(where: Home, data: bytes | None, what: str) -> None:
    path = folder(where) / "context.md"
    path.unlink()
    if data is not None:
        os.close(disk.open_append(path))
        path.write_bytes(data)
    status, found = look(where)
    assert status == 0 and len(found) == 1 and what in found[0]["what"]


def test_a_directory_where_a_file_should_be_is_one_line(where: Home) -> None:
    path = folder(where) / "context.md"
    path.unlink()
    path.mkdir(mode=0o700)
    status, found = look(where)
    assert status == 0 and len(found) == 1 and "context.md" in found[0]["what"]


def test_what_a_power_cut_took_before_it_was_synced_is_no_damage(where: Home) -> None:
    """LIFE may reach the disk before its blobs: that end happens again, and nothing is lost."""
    life = log.Log(folder(where) / "LIFE.md")
    life.append("PAPER", "MEMORY.md", "0" * 32, "MEMORY.md")
    life.close()
    status, found = look(where, "--deep")
    assert status == 0 and {one["level"] for one in found} == {"warning"}
    assert any("power cut" in one["do"] for one in found)


@pytest.mark.slow
def test_of_a_long_life_the_recent_events_are_looked_at_and_with_deep_all(where: Home) -> None:
    """What is long past costs no look, unless the state is derived from it."""
    path, store = folder(where) / "LIFE.md", where.store()
    born, rest = path.read_bytes().split(b"\n", 1)
    path.write_bytes(b"\n".join([born, b"no event", rest]))
    life = log.Log(path)
    for number in range(1000):
        life.append("ERROR", f"something {number}")
    told = f"the line at byte {len(born) + 1:,} is not a valid event"
    assert told in [one["what"] for one in look(where)[1]]  # without a swap the state is derived from the whole
    view = derive(where, folder(where).name, 64_000)
    id = store.put(snapshot.encode(view.state, view.entries), at=life.next(), gist="context")
    life.append("SWAP", "limit", id, "context")
    life.close()
    assert told not in [one["what"] for one in look(where)[1]]
    assert told in [one["what"] for one in look(where, "--deep")[1]]
