"""What published checklists of sandboxes (sandbox-runtime's, codex's) try with ordinary programs, on each kind, where
our own attempts do not: programs that reach the network, special files, and what must go on working."""

from __future__ import annotations

import os
import shutil
import socket
import stat
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from cages import caged
from hands import Hands

from dotagent import sandbox

REACHING = {
    "bash": "echo hi > /dev/tcp/127.0.0.1/{port}",
    "curl": "curl -sS -m 3 -I http://127.0.0.1:{port}/",
    "wget": "wget -T 3 -t 1 -qO- http://127.0.0.1:{port}/",
    "nc": "nc -w 3 -z 127.0.0.1 {port}",
    "ping": "ping -c 1 -W 1 127.0.0.1 | grep -q 'nobody'",
    "ssh": "ssh -o BatchMode=yes -o ConnectTimeout=1 -p {port} 127.0.0.1",
    "getent": "getent ahosts example.org",
}
"""Each by its program; they end with another status than 0."""


@pytest.fixture(params=sandbox.KINDS)
def hands(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Hands]:
    with caged(tmp_path, request.param) as life:
        yield life


def test_no_program_reaches_what_listens_outside(hands: Hands) -> None:
    with socket.socket() as outside:
        outside.bind(("127.0.0.1", 0))
        outside.listen()
        outside.setblocking(False)
        there = {name: words for name, words in REACHING.items() if shutil.which(name)}
        port = outside.getsockname()[1]
        each = "; ".join(
            f"{'bash -c ' if name == 'bash' else 'sh -c '}'{words.format(port=port).replace(chr(39), chr(34))}' "
            f"</dev/null >/dev/null 2>&1 && echo {name} did"
            for name, words in there.items()
        )
        assert "bash" in there
        assert " did" not in hands.shows(f"RUN {each}; true")
        with pytest.raises(BlockingIOError):
            outside.accept()


def test_special_files_are_none_that_count_outside(hands: Hands) -> None:
    """A pipe may be made; a device, another name for the system's file or a program for its owner's rights not."""
    shown = hands.shows(
        "RUN mkfifo pipe && echo piped; ln /etc/passwd linked; mknod device c 1 3; mknod disk b 8 0; "
        "cp /bin/sh own; chmod u+s own; chmod 6755 own; install -m 4755 /bin/sh other; ls; true"
    )
    assert "piped" in shown
    made = {path.name: path.lstat().st_mode for path in (hands.path / "files").iterdir()}
    assert {"pipe", "own"} <= made.keys() and not {"linked", "device", "disk"} & made.keys()
    assert not [name for name, mode in made.items() if mode & (stat.S_ISUID | stat.S_ISGID)]


@pytest.mark.slow
def test_nobody_becomes_more_than_who_started_it(hands: Hands) -> None:
    shown = hands.shows(
        "RUN for c in 'sudo -n id' 'su -c id' 'unshare -r id' 'unshare -U id' 'chroot / id' 'nsenter -t 1 -m id' "
        "'mount -t tmpfs none files' 'pkexec id'; do sh -c \"$c\" </dev/null 2>/dev/null "
        '&& echo "did: $c"; done; true'
    )
    assert "did:" not in shown, shown


def test_what_programs_need_is_there(hands: Hands, tmp_path: Path) -> None:
    """Devices, a pair of sockets, temporary files, pipelines; a root that is missing is passed over."""
    (tmp_path / "root").mkdir()
    roots = (str(tmp_path / "missing"), str(tmp_path / "root"))
    hands.session.settings = replace(hands.session.settings, roots={"private": roots})
    pair = 'import socket; a, b = socket.socketpair(); a.sendall(b"pair"); print(b.recv(4).decode())'
    shown = hands.shows(
        f"RUN echo x > /dev/null && head -c 4 /dev/urandom | wc -c && head -c 3 /dev/zero | wc -c; "
        f"(echo x > /dev/full) 2>/dev/null || echo full; {sys.executable} -c '{pair}'; "
        f"f=$(mktemp) && echo temporary > $f && cat $f; echo b a | tr ' ' '\\n' | sort | head -1; "
        f"echo kept > {tmp_path}/root/kept"
    )
    assert shown.split() == ["exit", "status", "0", "4", "3", "full", "pair", "temporary", "a"], shown
    assert (tmp_path / "root/kept").read_text() == "kept\n"
    assert not os.path.lexists(tmp_path / "missing")
