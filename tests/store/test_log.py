"""LIFE.md: what was appended is what is read, in order, whatever its words, wherever the process died."""

from __future__ import annotations

import os
import re
import signal
import sys
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import ANY_TEXT, noted, together, within

from dotagent import errors
from dotagent.errors import Trouble
from dotagent.store import disk, log, log_search
from dotagent.store.log import Busy, Log

ID = "0123456789abcdef" * 2
FORMAT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z [A-Z]+( [^\n]+)?")


def written(path: Path, *events: tuple[str, ...]) -> bytes:
    life = Log(path)
    for event in events:
        life.append(*event)
    life.close()
    return path.read_bytes()


@pytest.mark.slow
@given(st.lists(st.tuples(ANY_TEXT, st.sampled_from(["", ID]), ANY_TEXT), max_size=8))
def test_what_is_appended_is_what_is_read(tmp_path: Path, events: list[tuple[str, str, str]]) -> None:
    path = tmp_path / "LIFE.md"
    path.unlink(missing_ok=True)
    life = Log(path)
    told = [life.append("HEAR", detail, id, gist) for detail, id, gist in events]
    life.close()
    assert list(log.lines(path)) == told == log.tail(path, 99)
    assert [line.id for line in told] == [id for _, id, _ in events]
    rows = path.read_bytes().decode("utf-8").split("\n")
    assert rows.pop() == ""
    assert all(FORMAT.fullmatch(row) for row in rows)
    assert len(rows) == len(events)
    assert [line.end for line in told] == [len("\n".join(rows[: n + 1]).encode()) + 1 for n in range(len(rows))]


def test_a_detail_cannot_be_taken_for_a_reference(tmp_path: Path) -> None:
    life = Log(tmp_path / "LIFE.md")
    line = life.append("ERROR", f"somebody wrote ◱hash={ID} gist=mine◲")
    assert (line.id, line.gist) == ("", "")
    assert log.tail(life.path, 1) == [line]
    line = life.append("HEAR", "dev", ID, f"◲ ◱hash={ID[::-1]} gist=forged◲")
    assert log.tail(life.path, 1)[0].id == ID
    life.close()


def test_a_log_that_is_replaced_before_its_lock_is_taken_is_opened_again(tmp_path: Path) -> None:
    """As by a deletion. Python reports a call of flock just before it makes it."""
    path, other, waiting = tmp_path / "LIFE.md", tmp_path / "other", [True]
    other.write_bytes(written(path, ("HEAR", "old")).replace(b"old", b"new"))

    def replace(event: str, args: object) -> None:
        if event == "fcntl.flock" and waiting:
            waiting.clear()
            os.replace(other, path)

    sys.addaudithook(replace)
    written(path, ("HEAR", "next"))
    assert not waiting
    assert [line.detail for line in log.lines(path)] == ["new", "next"]


def test_times_strictly_increase_after_a_clock_that_was_ahead(tmp_path: Path) -> None:
    path = tmp_path / "LIFE.md"
    path.write_text("2199-12-31T23:59:59.999998Z BOOT private ana\n")
    life = Log(path)
    ats = ["2199-12-31T23:59:59.999998Z", *(life.append("HEAR").at for _ in range(5))]
    life.close()
    again = Log(path)
    ats += [again.append("RESUME").at]
    again.close()
    assert ats == sorted(set(ats))
    assert ats[1:3] == ["2199-12-31T23:59:59.999999Z", "2200-01-01T00:00:00.000000Z"]


def test_times_increase_also_behind_a_line_that_is_none(tmp_path: Path) -> None:
    path = tmp_path / "LIFE.md"
    path.write_text("2199-01-01T00:00:00.000000Z BOOT private ana\nsomebody's own words\n")
    life = Log(path)
    assert life.append("HEAR").at > "2199-01-01T00:00:00.000000Z"
    life.close()


@pytest.mark.parametrize("at", ["2999-02-30T00:00:00.000000Z", "9999-12-31T23:59:59.999999Z"])
def test_a_last_time_that_none_can_follow_is_said_in_one_line(tmp_path: Path, at: str) -> None:
    path = tmp_path / "LIFE.md"
    path.write_text(f"{at} HEAR dev\n")
    with pytest.raises(Trouble, match=f"{path}.*{at}"):
        Log(path)
    assert path.read_text() == f"{at} HEAR dev\n"
    path.write_text("")
    Log(path).close()


def test_every_torn_end_is_set_aside_by_name(tmp_path: Path) -> None:
    data = written(
        tmp_path / "one", ("BOOT", "private ana", ID, "SOUL"), ("HEAR", "dev 1 ◱", ID, "ünï"), ("SLEEP", "", "", "")
    )
    path = tmp_path / "LIFE.md"
    for size in range(len(data) + 1):
        path.write_bytes(data[:size])
        whole = data.rfind(b"\n", 0, size) + 1
        life = Log(path)
        line = life.append("RESUME", "offline")
        life.close()
        assert path.read_bytes() == data[:whole] + log.render(line).encode() + b"\n"
        if whole == size:
            assert life.torn is None
        else:
            assert life.torn is not None
            assert life.torn.read_bytes() == data[whole:size]
            assert life.torn.parent == path.parent
            life.torn.unlink()
    assert sorted(os.listdir(tmp_path)) == ["LIFE.md", "one"]


def test_a_torn_end_of_nuls_and_of_many_megabytes(tmp_path: Path) -> None:
    data = written(tmp_path / "LIFE.md", ("BOOT", "private ana", ID, "SOUL"))
    for torn in (b"\0" * 5000, b"x" * (5 << 20)):
        (tmp_path / "LIFE.md").write_bytes(data + torn)
        life = Log(tmp_path / "LIFE.md")
        assert life.last
        assert life.last.event == "BOOT"
        life.close()
        assert life.torn
        assert life.torn.read_bytes() == torn


@given(
    sizes=st.lists(st.sampled_from([1, 20, 500, 2000]), max_size=300),
    noise=st.lists(st.sampled_from([b"\n", b"no event\n", b"\xff\0\n", b"x" * 70_000 + b"\n", b"\n\n\n"]), max_size=4),
    torn=st.sampled_from([b"", b"torn", b"2026-01-01T00:00:00.000000Z HEAR"]),
)
def test_tail_is_the_end_of_all_lines(tmp_path: Path, sizes: list[int], noise: list[bytes], torn: bytes) -> None:
    path = tmp_path / "LIFE.md"
    rows = [f"2026-01-01T00:00:00.{n:06d}Z HEAR {'é' * size}\n".encode() for n, size in enumerate(sizes)]
    for number, junk in enumerate(noise):
        rows.insert(number * 7 % (len(rows) + 1), junk)
    path.write_bytes(b"".join(rows) + torn)
    whole = list(log.lines(path))
    assert len(whole) == len(sizes)
    for count in (0, 1, 2, 50, len(sizes), len(sizes) + 9):
        assert log.tail(path, count) == (whole[-count:] if count else [])
    for line in whole[:3]:
        assert list(log.lines(path, line.end)) == whole[whole.index(line) + 1 :]


@pytest.mark.night
def test_tail_and_opening_take_no_longer_behind_a_gigabyte(tmp_path: Path) -> None:
    path = tmp_path / "LIFE.md"
    path.write_bytes(b"2026-01-01T00:00:00.000000Z BOOT private ana\n")
    os.truncate(path, 1 << 30)
    with open(path, "ab") as file:
        file.write(b"\n" + b"".join(b"2026-01-01T00:00:00.%06dZ HEAR dev\n" % n for n in range(1, 2000)))
    began = time.process_time()
    assert len(log.tail(path, 1000)) == 1000
    life = Log(path)
    life.append("RESUME")
    life.close()
    assert time.process_time() - began < 5  # what reads it all takes longer


def test_following_gives_each_event_once_and_whole(tmp_path: Path) -> None:
    path = tmp_path / "LIFE.md"
    data = written(path, *[("HEAR", f"dev {n}", ID, "é◱" * n) for n in range(5)])
    path.write_bytes(b"")
    seen: list[log.Line] = []
    for size in range(len(data) + 1):
        os.truncate(path, 0)
        path.write_bytes(data[:size])
        seen += log.lines(path, seen[-1].end if seen else 0)
    assert [line.detail for line in seen] == [f"dev {n}" for n in range(5)]


def test_the_last_of_an_event_is_found_and_not_its_name_in_others(tmp_path: Path) -> None:
    path = tmp_path / "LIFE.md"
    path.write_bytes(b"")
    assert log.last_offset(path, "SWAP") is None
    data = written(
        path, ("BOOT",), ("SWAP", "1"), ("HEAR", "2026-01-01T00:00:00.000000Z SWAP 2"), ("SWAPPED",), ("SLEEP",)
    )
    rows = data.split(b"\n")
    first = len(rows[0]) + 1
    assert log.last_offset(path, "SWAP") == first
    assert log.last_offset(path, "SWAP", first) is None
    assert log.last_offset(path, "BOOT") == 0
    assert log.last_offset(path, "SLEEP") == len(data) - len(rows[-2]) - 1
    assert log.last_offset(path, "RUN") is None
    path.write_bytes(data + b"2026-01-01T00:00:00.000000Z SWAP torn")
    assert log.last_offset(path, "SWAP") == first


def test_one_life_is_lived_once_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "0123456789abcdef" / "LIFE.md"
    path.parent.mkdir()
    ready, tell = os.pipe()
    holder = os.fork()
    if holder == 0:
        held = Log(path)
        held.append("BOOT")
        os.write(tell, b".")
        signal.pause()
    os.read(ready, 1)

    def second() -> None:
        with pytest.raises(Busy, match="0123456789ab is already running"):
            Log(path)

    together(second, second)
    os.kill(holder, signal.SIGKILL)
    os.waitpid(holder, 0)
    life = Log(path)
    assert life.last
    assert life.last.event == "BOOT"
    life.close()
    os.close(ready)
    os.close(tell)


def test_who_only_looks_whether_it_is_lived_is_in_nobodys_way(tmp_path: Path) -> None:
    """`disk.is_locked` holds the lock for an instant itself."""
    path = tmp_path / "LIFE.md"
    written(path, ("BOOT",))
    ready, tell = os.pipe()
    go, let = os.pipe()
    looker = os.fork()
    if looker == 0:
        with open(path, "rb") as file:
            disk.try_lock(file.fileno(), shared=True)
            os.write(tell, b".")
            os.read(go, 1)
        os._exit(0)
    os.read(ready, 1)
    assert disk.is_locked(path) is False

    def let_go() -> None:
        while len(tries) < 2:  # the first did not succeed
            os.sched_yield()
        os.write(let, b".")

    with noted("fcntl.flock") as tries:
        letting = threading.Thread(target=let_go)
        letting.start()
        Log(path).close()
        letting.join()
    os.waitpid(looker, 0)
    os.close(go)
    os.close(let)
    os.close(ready)
    os.close(tell)


def test_a_directory_in_its_place_is_said_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "LIFE.md").mkdir()
    with pytest.raises(OSError) as refused:
        Log(tmp_path / "LIFE.md")
    assert errors.line(refused.value).startswith(f"{tmp_path / 'LIFE.md'}: Is a directory (")


def test_a_full_disk_tears_one_line_and_loses_none(tmp_path: Path) -> None:
    path = tmp_path / "LIFE.md"
    before = written(path, *[("HEAR", f"dev {n}", ID, "x" * 60) for n in range(10)])

    def fill() -> None:
        life = Log(path)
        with pytest.raises(OSError) as refused:
            for _ in range(100):
                life.append("HEAR", "dev", ID, "x" * 60)
        assert errors.line(refused.value).startswith(str(path))

    within(len(before) + 1000, fill)
    full = path.read_bytes()
    assert len(full) == len(before) + 1000
    life = Log(path)
    life.append("RESUME")
    life.close()
    assert path.read_bytes().startswith(full[: full.rindex(b"\n") + 1])
    assert life.torn
    assert life.torn.read_bytes() == full[full.rindex(b"\n") + 1 :]


def test_events_are_found_by_their_words(tmp_path: Path) -> None:
    """Wherever blocks of the file end, and whatever its lines quote."""
    path = tmp_path / "LIFE.md"
    life = Log(path)
    for number in range(7000):
        life.append(
            "TELL" if number % 3 else "SWAP", f"{number} says: 2026-11-21T20:17:20.123456Z SWAP it " + "x" * 300
        )
    life.append("SWAPS", "another word")
    life.append("SWAP")
    life.close()
    with path.open("ab") as file:
        file.write(
            b"no event\n" + b"y" * 3 * log_search.BLOCK + b"\n" + path.read_bytes()[-64:] + b"2026-11-21T20:17:2"
        )
    assert path.stat().st_size > 4 * log_search.BLOCK
    every = [line for line in log.lines(path) if line.event == "SWAP"]
    found = list(log_search.picked(path, ("SWAP", "REPLY")))
    assert found == every and [line.end for line in found] == [line.end for line in every]
    middle = every[1000]
    assert list(log_search.picked(path, ("SWAP",), middle.end, every[2000].end)) == every[1001:2001]
    assert log_search.end(path) == path.stat().st_size - 18


def test_what_was_read_before_is_known_by_the_event_at_its_end(tmp_path: Path) -> None:
    path = tmp_path / "LIFE.md"
    life = Log(path)
    first, second = life.append("TELL", "dev a"), life.append("TELL", "dev b")
    life.close()
    assert log_search.has_event_at(path, first.end, first.at) and log_search.has_event_at(path, second.end, second.at)
    assert not log_search.has_event_at(path, first.end, second.at)
    assert not any(
        log_search.has_event_at(path, end, first.at) for end in (-1, 0, first.end - 1, first.end + 1, second.end + 1)
    )
