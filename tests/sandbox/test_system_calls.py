"""What a command tries on processes, sockets and the kernel, on each kind of sandbox; a broken one runs nothing."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from cages import a_root, caged, run
from hands import Hands

from dotagent import sandbox
from dotagent.errors import Trouble
from dotagent.processes import background
from dotagent.sandbox import filter, view

PROBE = Path(__file__).parent / "probe.py"


@pytest.fixture(params=sandbox.KINDS)
def hands(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Hands]:
    with caged(tmp_path, request.param) as life:
        yield life


def test_nothing_is_reached_by_system_calls(hands: Hands, tmp_path: Path) -> None:
    """Signals, tracing, memory, /proc, sockets, terminals, namespaces, io_uring, descriptors."""
    root = a_root(hands, tmp_path)
    (hands.path / "files").mkdir(exist_ok=True)
    shutil.copy(PROBE, hands.path / "files/probe.py")
    abstract = f"dotagent-test-{os.getpid()}-{hands.session.id[:8]}"
    read, write = os.pipe()
    os.set_inheritable(write, True)
    with (
        subprocess.Popen(["sleep", "100"]) as other,
        socket.socket() as tcp,
        socket.socket(socket.AF_UNIX) as named,
        socket.socket(socket.AF_UNIX) as unnamed,
        socket.socket(socket.AF_UNIX) as daemon,
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as grams,
    ):
        try:
            (hands.path / "files").mkdir(exist_ok=True)
            (hands.path / "files/own").touch()
            daemon.bind(str(tmp_path / "daemon"))
            grams.bind(str(tmp_path / "daemon.grams"))
            daemon.listen()
            tcp.bind(("127.0.0.1", 0))
            named.bind(str(root / "socket"))
            unnamed.bind("\0" + abstract)
            for one in (tcp, named, unnamed):
                one.listen()
            words = f"{other.pid} {tcp.getsockname()[1]} {root}/socket {abstract}"
            shown = run(hands, f"{sys.executable} -I -S probe.py {words} {tmp_path}/daemon")
            outside = _outside(words)
            assert other.poll() is None
        finally:
            other.kill()
            os.close(read)
            os.close(write)
    found = json.loads(shown.split("\n")[1])
    errors = found["errors"]
    if hands.session.settings.sandbox == "bubblewrap":
        assert errors.pop("a socket in a root") == ""  # a root is its person's to open, with what listens there
        assert errors.pop("its limits") == "ESRCH"
    assert {name: error for name, error in errors.items() if not error} == {}
    assert {errors[name] for name in ("io_uring", "type into a terminal", "the same with high bits", "vsock")} == {
        "EPERM"
    }
    assert found["inherited"] == []
    assert found["no_new_privileges"] == 1
    assert {"its words", "tcp", "an abstract socket"} <= outside  # without a sandbox each would have been done


def _outside(words: str) -> set[str]:
    """What of the harmless attempts succeeds without a sandbox."""
    pid, port, path, abstract = words.split()
    script = f"import probe; found = probe.attempts({pid}, {port}, {path!r}, {abstract!r})\n"
    script += "for name in ('its words', 'tcp', 'an abstract socket'): found[name](); print(name)"
    done = subprocess.run([sys.executable, "-c", script], cwd=PROBE.parent, capture_output=True, text=True, check=True)
    return set(done.stdout.strip().split("\n"))


def test_where_landlock_keeps_no_signals_in_the_filter_refuses_all(tmp_path: Path) -> None:
    """As before Linux 6.12; what a program needs to run stays allowed."""
    with caged(tmp_path, "landlock") as hands, subprocess.Popen(["sleep", "100"]) as other:
        run(hands, "true")
        seen = view.make_sight(hands.where, hands.session.settings, hands.path, hands.path / "run/now", "private ana")
        older = replace(sandbox.cage("landlock", seen), program=filter.program((), apart=False, signals=False))
        words, handle = sandbox.command(older, "sh", "-c", f"echo ran; kill -TERM {other.pid}; kill -9 $$; echo on")
        with os.fdopen(handle):
            done = subprocess.run(words, capture_output=True, check=False, pass_fds=(handle,), cwd=hands.path)
        assert done.stdout == b"ran\non\n", done.stderr
        assert other.poll() is None
        other.kill()


@pytest.mark.night
def test_an_open_network_reaches_no_abstract_socket(hands: Hands) -> None:
    hands.session.settings = replace(hands.session.settings, network="on")
    (hands.path / "files").mkdir(exist_ok=True)
    shutil.copy(PROBE, hands.path / "files/probe.py")
    abstract = f"dotagent-test-{os.getpid()}-{hands.session.id[:8]}"
    with socket.socket() as tcp, socket.socket(socket.AF_UNIX) as unnamed:
        tcp.bind(("127.0.0.1", 0))
        unnamed.bind("\0" + abstract)
        for one in (tcp, unnamed):
            one.listen()
        shown = run(hands, f"{sys.executable} -I -S probe.py {os.getpid()} {tcp.getsockname()[1]} /x {abstract}")
    errors = json.loads(shown.split("\n")[1])["errors"]
    assert errors["tcp"] == ""
    assert errors["an abstract socket"] == errors["vsock"] == "EPERM"


def test_a_sandbox_that_cannot_be_made_runs_nothing(hands: Hands) -> None:
    """Whatever step fails."""
    kind = hands.session.settings.sandbox
    folder = hands.path / "run/now"
    folder.mkdir(parents=True)
    seen = view.make_sight(hands.where, hands.session.settings, hands.path, folder, "private ana")
    cage = sandbox.cage(kind, seen)
    broken = {"bubblewrap": ("/usr", "/nowhere"), "landlock": (str(hands.path), "/nowhere")}[kind]
    words = tuple(word if word == cage.words[0] else word.replace(*broken) for word in cage.words)
    for wrong in (replace(cage, program=b"\xff" * 16), replace(cage, words=words)):
        words, handle = sandbox.command(wrong, "sh", "-c", "echo ran")
        with os.fdopen(handle):
            done = subprocess.run(words, capture_output=True, check=False, pass_fds=(handle,), cwd=hands.path)
        assert done.returncode != 0, wrong
        assert b"ran" not in done.stdout
        assert done.stderr


@pytest.mark.parametrize("kind", sandbox.KINDS)
def test_a_command_whose_sandbox_cannot_be_made_is_told_of_and_not_run(tmp_path: Path, kind: str) -> None:
    """Where rights are taken between fork and exec, too: here in a directory that went meanwhile."""
    with caged(tmp_path, kind) as hands:
        folder = hands.path / "run/now"
        folder.mkdir(parents=True)
        seen = replace(view.make_sight(hands.where, hands.session.settings, hands.path, folder, "private ana"),
                       work=tmp_path / "gone")  # fmt: skip
        out = os.open(folder / "out", os.O_RDWR | os.O_CREAT)
        env = {**os.environ, background.MARK: f"{hands.path}@1"}
        with suppress(Trouble), sandbox.start_shell(kind, seen) as (how, _), os.fdopen(out):
            background.begin("echo ran; touch ran", folder, hands.path, env, out, how).wait()
        assert b"ran" not in (folder / "out").read_bytes()
        assert not (hands.path / "ran").exists()
        assert kind == "bubblewrap" or background.status(folder) is None
