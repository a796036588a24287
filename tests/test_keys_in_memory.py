"""Keys are in no memory but that of the process that needs them, and nobody looks into that."""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

import pytest
from alive import Alive, a_home, hears, kill_provider, say
from canaries import CANARIES, MARK, clean
from providers.loopback import Server, stream
from support import together

from dotagent.store import key_handover
from dotagent.store.home import Home


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="memory is read through /proc")
@pytest.mark.parametrize("more", [{}, {"ANY_WORD": f"w{MARK}"}])
def test_an_agent_never_has_what_stands_in_env(more: dict[str, str]) -> None:
    """Not in its memory, not in its environment; the provider's process has it, and answers."""
    key = CANARIES["DEEPSEEK_API_KEY"]
    with a_home() as where, Server(stream("here I am")) as server:
        secrets = where.root / ".env"
        secrets.touch(0o600)
        secrets.write_text(f"DEEPSEEK_API_KEY={key}\n")
        alive = Alive(where, DEEPSEEK_API_BASE=server.base, **more)
        say(where, "hello")
        assert hears(where, "here I am")
        _memory(alive.process.pid)
        clean(Path(f"/proc/{alive.process.pid}/environ").read_bytes(), "the environment")
        kill_provider(where, "deepseek")
        say(where, "and again")
        assert hears(where, "here I am", 2)
        assert {one.headers["authorization"] for one in server.received} == {f"Bearer {key}"}
        assert alive.end() == (0, "", "")


def _memory(pid: int) -> None:
    """All that the process may write to, and has: its heap, its stack, its files in memory."""
    with open(f"/proc/{pid}/mem", "rb", 0) as memory:
        for line in Path(f"/proc/{pid}/maps").read_text().split("\n"):
            words = line.split()
            if len(words) > 1 and words[1].startswith("rw"):
                start, end = (int(one, 16) for one in words[0].split("-"))
                memory.seek(start)
                try:
                    held = memory.read(end - start)
                except OSError:  # it went meanwhile
                    continue
                clean(held, line)


PR_SET_DUMPABLE = 4
NOBODY = 65534


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux closes a process to its own user")
def test_a_process_that_takes_keys_is_closed_to_its_own_user() -> None:
    """Before it takes them anybody of its user may look into it, after that nobody."""

    def holder(ask: int, told: int) -> None:
        os.read(ask, 1)
        assert key_handover.take_over(Home(Path("/nowhere")), False) == {}
        os.write(told, b".")
        os.read(ask, 1)
        os._exit(0)

    def look() -> None:
        os.environ.clear()
        if os.getuid() == 0:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)  # another user's id has closed it already
        (asked, ask), (heard, told) = os.pipe(), os.pipe()
        child = os.fork()
        if child == 0:
            os.close(ask)  # it ends with its parent
            holder(asked, told)
        paths = [Path(f"/proc/{child}/{name}") for name in ("environ", "maps")]
        assert all(path.read_bytes() is not None for path in paths)
        os.write(ask, b".")
        os.read(heard, 1)
        for path in paths:
            with pytest.raises(PermissionError):
                path.read_bytes()
        os.write(ask, b".")
        os.waitpid(child, 0)

    together(look)
