"""Processes: a pid means one only together with its start, and a group is gone only when all of it is."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from support import together

from dotagent.processes import process_tree
from dotagent.store import process


def waits() -> int:
    """A process of its own group that waits for ever."""
    child = os.fork()
    if child == 0:
        os.setsid()
        signal.pause()
        os._exit(0)
    return child


def test_this_process_lives() -> None:
    pid, started = process.own_mark()
    assert pid == os.getpid()
    assert re.fullmatch(r"\S+", started)
    assert process.own_mark() == (pid, started)
    assert process.lives(pid, started)
    assert not process.lives(pid, started + "1")
    assert not process.lives(pid, "")


def test_a_child_is_another_process() -> None:
    parent = process.own_mark()

    def look() -> None:
        pid, started = process.own_mark()
        assert (pid, started) != parent
        assert pid == os.getpid()
        assert process.lives(pid, started)
        assert process.lives(*parent)

    together(look)


def test_a_dead_one_does_not_live_also_as_a_zombie() -> None:
    child = waits()
    started = process.start_time(child)
    assert process.lives(child, started)
    os.kill(child, signal.SIGKILL)
    os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
    assert not process.lives(child, started)
    os.waitpid(child, 0)
    assert not process.lives(child, started)
    assert process.start_time(child) == ""


def test_a_name_with_parentheses_is_read_past(tmp_path: Path) -> None:
    """The second field of /proc/…/stat is the program's name, whatever that is."""
    (tmp_path / ") Z 1 2 3").symlink_to(shutil.which("sh") or "/bin/sh")
    child = subprocess.Popen([tmp_path / ") Z 1 2 3", "-c", "read line"], stdin=subprocess.PIPE)
    assert process.start_time(child.pid).isdigit() or sys.platform != "linux"
    assert process.lives(child.pid, process.start_time(child.pid))
    child.communicate()


def test_killing_a_group_ends_all_of_it_and_nothing_else() -> None:
    child = subprocess.Popen(["sh", "-c", "sleep 100 & echo $!; wait"], stdout=subprocess.PIPE, start_new_session=True)
    assert child.stdout
    inner = int(child.stdout.readline())
    started = process.start_time(child.pid)
    other = process.start_time(inner)
    assert not process_tree.kill_group(child.pid, "1")
    assert process.lives(child.pid, started)
    assert process_tree.kill_group(child.pid, started)
    child.wait()
    assert not process.lives(child.pid, started)
    while process.lives(inner, other):  # whoever inherits it reaps it
        os.sched_yield()
    child.stdout.close()
