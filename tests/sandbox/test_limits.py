"""What one command may take of the machine, in each kind of sandbox: each hog is small, and so is what it may have."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from cages import caged, run
from hands import Hands
from support import until

from dotagent import sandbox
from dotagent.capabilities.hooks import runner
from dotagent.sandbox import limits
from dotagent.store.hooks import Hook

GIVEN = {"processes": 60, "memory": 300, "disk": 20}
HOG = 'python3 -c "import mmap; m = mmap.mmap(-1, {n}); [m.__setitem__(i, 1) for i in range(0, {n}, 4096)]; print(1)"'
grouped = pytest.mark.skipif(not limits._parents("pids"), reason="no control group may be made here")


@pytest.fixture(params=sandbox.KINDS)
def hands(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Hands]:
    with caged(tmp_path, request.param, limits=GIVEN) as life:
        yield life


@pytest.mark.skipif(os.geteuid() == 0 and not limits._parents("pids"), reason="nothing bounds root's processes here")
def test_a_fork_bomb_is_bounded_and_told_of(hands: Hands) -> None:
    shown = run(hands, "for i in $(seq 900); do sleep 5 & done 2>&1; echo all")
    assert "annot fork" in shown
    assert "a command may use 60 processes" in shown
    assert run(hands, "echo on") == "exit status 0\non\n"


@pytest.mark.night
@pytest.mark.skipif(os.geteuid() != 0, reason="the kernel bounds any other user's processes")
@pytest.mark.parametrize("bomb", [
    "for i in $(seq 900); do sleep 5 & done; wait", "for i in $(seq 900); do setsid sleep 5 & done; wait",
    "for i in $(seq 3); do (for j in $(seq 300); do sleep 5 & done; sleep 5) & done; wait",
    "for i in $(seq 900); do (setsid sleep 5 &); done; sleep 5",
    "for i in $(seq 900); do (env -i setsid sleep 5 &); done; sleep 5",
])  # fmt: skip
def test_roots_processes_are_bounded_without_a_control_group_too(
    hands: Hands, monkeypatch: pytest.MonkeyPatch, bomb: str
) -> None:
    access = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: "cgroup" not in str(path) and access(path, mode))
    assert not limits._parents("pids")
    assert run(hands, bomb) == "stopped: it started more than 60 processes\n"
    assert run(hands, "for i in $(seq 20); do sleep 0 & done; wait; echo on") == "exit status 0\non\n"


@pytest.mark.night
@pytest.mark.skipif(os.geteuid() != 0, reason="the kernel bounds any other user's processes")
@pytest.mark.parametrize(
    "bomb", ["(env -i setsid sleep 5 &)", "(unset DOTAGENT_RUN; setsid sh -c 'sleep 5 & sleep 5' &)"]
)
def test_a_process_and_a_hook_of_root_are_bounded_too_whatever_they_leave(
    hands: Hands, monkeypatch: pytest.MonkeyPatch, bomb: str
) -> None:
    access, many = os.access, f"for i in $(seq 300); do {bomb}; done; sleep 20"
    monkeypatch.setattr(os, "access", lambda path, mode: "cgroup" not in str(path) and access(path, mode))
    hands.do(f"PROCESS start {many}")
    ended = hands.path / "processes/1/ended"
    assert (
        until(lambda: ended.exists() and ended.read_text(), ended.parent)
        == "stopped: it started more than 60 processes\n"
    )
    hook = Hook("mine", ("message",), many, 30)
    told = runner.run(hands.where, hands.session.settings, hands.path, hook, {"event": "message", "heard": ["private"]})
    assert told[0] == "stopped: it started more than 60 processes"


def test_memory_is_bounded(hands: Hands) -> None:
    shown = run(hands, "python3 -c \"x = 'a' * 400_000_000; print(len(x))\"")
    assert "MemoryError" in shown
    assert "300 MiB of memory" in shown


@pytest.mark.slow
@grouped
def test_shared_memory_is_bounded_too(hands: Hands) -> None:
    assert "1\n" not in run(hands, HOG.format(n=400_000_000)).replace("exit status 1\n", "")


def test_a_file_is_bounded_and_the_files_of_a_command_in_memory(hands: Hands) -> None:
    shown = run(hands, "head -c 30000000 /dev/zero > big; stat -c %s big; head -c 30000000 /dev/zero > $TMPDIR/big")
    assert f"\n{20 * limits.MIB}\n" in shown
    assert (hands.path / "files/big").stat().st_size == 20 * limits.MIB


def test_the_limits_are_stated_and_settings_change_them(hands: Hands) -> None:
    assert "Limits: 60 processes, 300 MiB of memory, 20 MiB a file." in sandbox.describe_reach(hands.session.settings)
    assert limits.describe({}).startswith("512 processes, ")


def test_output_that_names_the_sandboxs_own_parts_says_so(tmp_path: Path) -> None:
    with caged(tmp_path, "bubblewrap") as hands:
        assert sandbox.VIEW in run(hands, "df -h /")
        assert sandbox.VIEW not in run(hands, "echo on")
        assert "(the sandbox may be the cause." in run(hands, "ls /home/eve")  # in /home may be programs of PATH


def test_the_kernels_settings_are_out_of_reach(hands: Hands) -> None:
    """Each is only given the value that it has."""
    names = "sys/kernel/core_pattern sys/kernel/hostname sys/vm/swappiness irq/default_smp_affinity"
    shown = run(hands, f"cd /proc; for f in {names}; do v=$(cat $f) && echo $v > $f && echo WRITTEN $f; done; true")
    assert "WRITTEN" not in shown
    assert "WRITTEN" not in run(hands, "for f in uevent_helper power; do : > /sys/kernel/$f && echo WRITTEN; done")
