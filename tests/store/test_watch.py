"""Waiting for files: every change wakes, nothing else does, and waiting costs nothing."""

from __future__ import annotations

import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support import PATIENCE, cpu_of, together

from dotagent import errors
from dotagent.store import watch
from dotagent.store.watch import Changed, Watcher


@pytest.fixture
def watcher() -> Iterator[Watcher]:
    found = watch.Watcher()
    yield found
    found.close()


def quiet(watcher: Watcher) -> None:
    """Take what is there already; then nothing more may come."""
    while watcher.wait(0):
        pass
    assert not watcher.wait(0)


def append(path: Path) -> None:
    with open(path, "ab") as file:
        file.write(b"x")


CHANGES: dict[str, Callable[[Path], object]] = {
    "a new file": lambda there: (there / "new").touch(),
    "a file removed": lambda there: (there / "one").unlink(),
    "a file renamed": lambda there: (there / "one").rename(there / "two"),
    "a file saved by rename": lambda there: (there.parent / "aside").rename(there / "one"),
    "a file moved away": lambda there: (there / "one").rename(there.parent / "gone"),
    "a hard link": lambda there: os.link(there / "one", there / "link"),
    "a symbolic link": lambda there: (there / "link").symlink_to("nowhere"),
    "a directory": lambda there: (there / "folder").mkdir(),
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_change_of_names_wakes(watcher: Watcher, tmp_path: Path, what: str) -> None:
    there = tmp_path / "there"
    there.mkdir()
    (there / "one").touch()
    (tmp_path / "aside").touch()
    watcher.names(there)
    quiet(watcher)
    CHANGES[what](there)
    assert watcher.wait(PATIENCE)
    quiet(watcher)


def test_a_change_of_content_wakes_through_every_name(watcher: Watcher, tmp_path: Path) -> None:
    (tmp_path / "room").touch()
    (tmp_path / "link").symlink_to("room")
    watcher.content(tmp_path / "link")
    quiet(watcher)
    for change in (append, lambda path: os.truncate(path, 0), lambda path: os.truncate(path, 1 << 20)):
        change(tmp_path / "room")
        assert watcher.wait(PATIENCE)
        quiet(watcher)


def test_what_is_not_watched_does_not_wake(watcher: Watcher, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).touch()
    watcher.content(tmp_path / "one")
    append(tmp_path / "two")
    (tmp_path / "one").read_bytes()
    (tmp_path / "one").stat()
    (tmp_path / "three").touch()
    assert not watcher.wait(0)


def test_a_file_that_was_saved_anew_is_watched_once_it_is_asked_for(watcher: Watcher, tmp_path: Path) -> None:
    """The directory tells that the name means another file; then that one is watched, too."""
    room = tmp_path / "room"
    room.touch()
    watcher.names(tmp_path)
    watcher.content(room)
    (tmp_path / "aside").write_bytes(b"edited")
    (tmp_path / "aside").rename(room)
    assert watcher.wait(PATIENCE)
    watcher.content(room)
    quiet(watcher)
    append(room)
    assert watcher.wait(PATIENCE)


def test_watching_a_thousand_times_is_watching_once(watcher: Watcher, tmp_path: Path) -> None:
    room = tmp_path / "room"
    room.touch()
    before = len(os.listdir("/proc/self/fd")) if sys.platform == "linux" else 0
    for _ in range(1000):
        watcher.content(room)
        watcher.names(tmp_path)
    if sys.platform == "linux":
        assert len(os.listdir("/proc/self/fd")) == before
    append(room)
    assert watcher.wait(PATIENCE)
    quiet(watcher)


def test_a_flood_of_changes_is_not_missed(watcher: Watcher, tmp_path: Path) -> None:
    watcher.names(tmp_path)
    for number in range(3000):
        (tmp_path / f"{number}").touch()
    assert watcher.wait(PATIENCE)
    quiet(watcher)
    (tmp_path / "last").touch()
    assert watcher.wait(PATIENCE)


def test_a_descriptor_wakes_as_well_and_until_it_is_read(watcher: Watcher) -> None:
    read, write = os.pipe()
    watcher.also(read)
    assert not watcher.wait(0)
    os.write(write, b".")
    assert watcher.wait(PATIENCE)
    assert watcher.wait(PATIENCE)
    os.read(read, 1)
    quiet(watcher)
    os.close(read)
    os.close(write)


def test_what_is_not_there_is_said_with_its_name(watcher: Watcher, tmp_path: Path) -> None:
    for ask in (watcher.content, watcher.names):
        with pytest.raises(FileNotFoundError) as gone:
            ask(tmp_path / "gone")
        assert errors.line(gone.value).startswith(f"{tmp_path / 'gone'}: ")


@pytest.mark.night
def test_waiting_ends_after_its_time_and_uses_no_cpu(watcher: Watcher, tmp_path: Path) -> None:
    watcher.names(tmp_path)

    def wait() -> None:
        began = time.monotonic()
        assert not watcher.wait(0.2)
        assert time.monotonic() - began >= 0.19

    assert cpu_of(wait, 0.15) < 0.15


@pytest.mark.parametrize("seconds", [3e6, 1e300, float("inf")])
def test_no_number_of_seconds_is_too_large(watcher: Watcher, tmp_path: Path, seconds: float) -> None:
    watcher.names(tmp_path)
    (tmp_path / "new").touch()
    assert watcher.wait(seconds)


def test_waiting_for_ever_ends_with_the_change(watcher: Watcher, tmp_path: Path) -> None:
    watcher.names(tmp_path)
    child = os.fork()
    if child == 0:
        signal.alarm(int(PATIENCE))
        (tmp_path / "new").touch()
        os._exit(0)
    assert watcher.wait(None)
    os.waitpid(child, 0)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only there watches run out by themselves")
def test_where_no_watch_is_left_it_looks_at_intervals_and_says_so(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The 129th agent of a machine lives, too."""

    def blind() -> None:
        Watcher().close()  # loads what it needs, while files can be opened
        free = os.dup(0)
        os.close(free)
        resource.setrlimit(resource.RLIMIT_NOFILE, (free, free))  # as if every instance were in use
        watcher = Watcher()
        watcher.names(tmp_path)
        watcher.content(tmp_path)
        began = time.monotonic()
        assert watcher.wait(0.05) and watcher.wait(None) and not watcher.wait(0)
        assert time.monotonic() - began < PATIENCE
        watcher.close()

    together(blind)
    told = capfd.readouterr().err
    assert told.count("max_user_instances") == 1 and "every 1 s" in told


def test_what_changes_twice_in_one_tick_is_seen_twice_and_what_rests_once(tmp_path: Path) -> None:
    """A look between two changes that have the same time must not hide the second: a reminder was lost that way."""
    changed, there = Changed(), tmp_path / "there"
    there.mkdir()
    assert changed.look(there)
    then = there.stat().st_mtime_ns
    (there / "one").touch()
    os.utime(there, ns=(then, then))  # as if it were the same tick; on some file systems the size is the same, too
    assert changed.look(there)
    long_ago = then - 10**9
    os.utime(there, ns=(long_ago, long_ago))
    assert [changed.look(there) for _ in range(3)] == [True, False, False]
    ahead = time.time_ns() + 10**12
    os.utime(there, ns=(ahead, ahead))
    assert changed.look(there) and changed.look(there)


def test_it_says_which_paths_changed(watcher: Watcher, tmp_path: Path) -> None:
    folder, file = tmp_path / "there", tmp_path / "file"
    folder.mkdir()
    file.touch()
    watcher.names(folder)
    watcher.content(file)
    assert watcher.changed() is None  # at first any may have
    assert watcher.changed() == frozenset()
    (folder / "new").touch()
    append(file)
    quiet(watcher)
    assert watcher.changed() == {folder / "new", file}
    assert watcher.changed() == frozenset()
