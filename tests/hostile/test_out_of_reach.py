"""What no command reaches, whoever started it: a row a target, tried by RUN, PROCESS, a hook and a tool of a pack, in
each kind of sandbox. A row names the target, then what is tried, which succeeds where the target is in reach."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import packed as made
import pytest
from cages import OTHER, caged
from hands import Hands
from support import until

from dotagent import sandbox
from dotagent.capabilities.hooks import runner
from dotagent.capabilities.toolpacks import pack_calls
from dotagent.processes import background
from dotagent.store import home, rooms
from dotagent.store.hooks import Hook

BOXES = [one for one in sandbox.KINDS if not sandbox.lacking(one)]
IN_REACH = "its own folder"
TARGETS = f"""
{IN_REACH} :: echo mine > mine && cat mine
a setting of the kernel :: v=$(cat /proc/sys/vm/swappiness) && echo $v > /proc/sys/vm/swappiness
the kernel's core pattern :: : >> /proc/sys/kernel/core_pattern
sysrq :: : > /proc/sysrq-trigger
the kernel's helper for events :: : >> /sys/kernel/uevent_helper
a new control group :: mkdir /sys/fs/cgroup/PLACE || mkdir /sys/fs/cgroup/pids/PLACE
another process's root :: ls /proc/PID/root/
another process's folder :: ls /proc/PID/cwd/
another process's environment :: cat /proc/PID/environ
another process's words :: cat /proc/PID/cmdline
another process's memory :: : < /proc/PID/mem
another process's open files :: ls /proc/PID/fd/
another process, by a signal :: kill -0 PID
another process's priority to stay :: : >> /proc/PID/oom_score_adj
the memory of the machine :: head -c 1 /dev/mem
the memory of the kernel :: head -c 1 /proc/kcore
the messages of the kernel :: head -c 1 /dev/kmsg
the console :: : > /dev/console || : > /dev/tty0
a disk :: head -c 1 /dev/vda || head -c 1 /dev/sda || head -c 1 /dev/nvme0n1
a disk by a node of its own :: mknod disk b 254 0 && head -c 1 disk
file systems of one's own :: : < /dev/fuse
machines of one's own :: : < /dev/kvm
other agents of the home :: ls HOME/agents | grep -v OWN | grep .
another agent's LIFE :: cat HOME/agents/{OTHER}/LIFE.md
another agent's directory, to write :: test -s HOME/agents/{OTHER}/LIFE.md && echo x >> HOME/agents/{OTHER}/LIFE.md
its own LIFE :: cat SELF/LIFE.md
its own notes :: cat SELF/MEMORY.md
its own soul, to write :: test -s SELF/SOUL.md && echo x >> SELF/SOUL.md
another person's private room :: cat HOME/chats/bobs.md
a room, to write :: test -s HOME/chats/bobs.md && echo x >> HOME/chats/bobs.md
the blobs :: ls HOME/blobs && cat HOME/blobs/ab/blob
the calls :: cat HOME/calls/new/x/call
the settings :: cat HOME/dotagent.toml
the settings, to write :: test -s HOME/dotagent.toml && echo x >> HOME/dotagent.toml
the secrets :: cat HOME/.env
the secrets, by a link :: ln -s HOME/.env env && cat env
a soul for all, to write :: test -s HOME/SOUL.md && echo x > HOME/SOUL_EVIL.md
the hashes of passwords :: cat /etc/shadow
the system, to write :: echo x > /etc/PLACE || echo x > /usr/PLACE
""".strip().split("\n")

pytestmark = pytest.mark.slow


def script(hands: Hands) -> str:
    """A shell script that tells the targets that it reaches, a line each."""
    names = {
        "HOME": str(hands.where.root),
        "SELF": str(hands.path),
        "OWN": hands.path.name,
        "PID": str(os.getpid()),
        "PLACE": "dotagent-reach",
    }
    lines = list[str]()
    for number, row in enumerate(TARGETS):
        _, _, tried = row.partition(" :: ")
        for name, value in names.items():
            tried = tried.replace(name, value)
        lines.append(f"({tried}) > /dev/null 2>&1 && echo reached {number}\n")
    return "".join((*lines, "echo over\n"))


def by_run(hands: Hands) -> str:
    (hands.path / "files/reach.sh").write_text(script(hands))
    return hands.shows("RUN sh reach.sh")


def by_process(hands: Hands) -> str:
    (hands.path / "files/reach.sh").write_text(script(hands))
    hands.shows("PROCESS start sh reach.sh")
    folder = hands.path / "processes/1"
    until(lambda: background.describe_end(folder), folder)
    return background.output(folder, 0)[0].decode()


def by_hook(hands: Hands) -> str:
    (hands.path / "files/reach.sh").write_text(script(hands))
    event = {"event": "message", "heard": ["private ana", ""]}
    one = Hook("mine", ("message",), "sh reach.sh", 60.0)
    return runner.run(hands.where, home.settings(hands.where), hands.path, one, event)[1].decode()


def by_pack(hands: Hands) -> str:
    manifest = 'timeout = "60s"\n[command.reach]\nrun = ["sh", "{pack}/reach.sh"]\n'
    made.enabled(hands.where, made.folder(hands.where.root.parent / "reach", manifest, reach__sh=script(hands)))
    try:
        return hands.shows("USE_TOOL reach.reach {}")
    finally:
        pack_calls.end(hands.path, "reach")


WAYS: tuple[Callable[[Hands], str], ...] = (by_run, by_process, by_hook, by_pack)


@pytest.fixture(params=BOXES)
def hands(tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hands]:
    monkeypatch.setenv("DOTAGENT_POLICY", "allow")
    with caged(tmp_path, request.param) as life:
        (life.where.root / home.SETTINGS).write_text(f'sandbox = "{request.param}"\n')
        rooms.create(life.where.room("bobs"), "private bob")
        yield life


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_nothing_but_its_own_folder_is_reached(hands: Hands, way: Callable[[Hands], str]) -> None:
    kept = (home.SETTINGS, "chats/bobs.md", f"agents/{OTHER}/LIFE.md")
    before = [(hands.where.root / name).read_bytes() for name in kept]
    printed = way(hands).split("\n")
    reached = [TARGETS[int(line.split()[1])].partition(" :: ")[0] for line in printed if line.startswith("reached ")]
    assert "over" in printed, printed
    assert reached == [IN_REACH]
    assert [(hands.where.root / name).read_bytes() for name in kept] == before
    assert not (hands.where.root / "SOUL_EVIL.md").exists()
