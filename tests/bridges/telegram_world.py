"""The bridge to a Telegram on loopback: its settings and its process, and a room as both ends see it."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from bot_api import TOKEN, Telegram
from support import PATIENCE, files, spawn

from dotagent import bridges
from dotagent.bridges import Access, Incoming, Person, Place, Transport
from dotagent.store import rooms
from dotagent.store.home import Home
from dotagent.text import times

ANA = Place("11", "person", "ana")
SETTINGS = """
[bridges.telegram]
users = ["ana"]
owners = ["ana"]
channels = ["id:-100"]
agents = "{agents}"
"""


def settings(where: Home, agents: str = "none", more: str = "") -> None:
    (where.root / "dotagent.toml").write_text(SETTINGS.format(agents=agents) + more)


def begin(where: Home, telegram: Telegram) -> subprocess.Popen[str]:
    env = {"TELEGRAM_BOT_TOKEN": TOKEN, "TELEGRAM_API_BASE": telegram.base}
    return spawn(where, "-m", "dotagent", "telegram", env=env)


@contextmanager
def bridged(where: Home, telegram: Telegram) -> Iterator[subprocess.Popen[str]]:
    """The bridge's process; whatever it says never holds the token."""
    child = begin(where, telegram)
    try:
        yield child
        child.terminate()
        out, err = child.communicate(timeout=PATIENCE)
        assert child.returncode == 0 and not out, (out, err)
        assert "Traceback" not in err, err
    finally:
        child.kill()
        child.communicate()
    for path, data in files(where.root):
        assert path.suffix not in (".jsonl", ".log", ".md") or TOKEN.encode() not in data, path


def heard(where: Home, room: str) -> list[str]:
    """What people said in the room."""
    path = where.room(room)
    found = rooms.read(path, rooms.Position()) if path.exists() else None
    return [one.raw.decode().split(" ", 1)[0][1:] + " " + one.raw.decode().split("] ", 1)[1].strip()
            for one in (found[0] if found else []) if one.kind == "USER"]  # fmt: skip


def answers(where: Home, room: str, text: str) -> None:
    """Say something there as an agent would."""
    rooms.append(where.room(room), rooms.line_of("AGENT", "0123456789ab", times.now(), text))


class Ears:
    """A bridges.Listener that keeps what it is told."""

    def __init__(self) -> None:
        self.heard: list[Incoming] = []
        self.logged: list[str] = []
        self.people: dict[str, str] = {}
        self.ready = asyncio.Event()

    async def hear(self, message: Incoming) -> bool:
        self.heard.append(message)
        return True

    async def connected(self) -> None:
        self.ready.set()

    def lost(self, why: str) -> None:
        self.logged.append(why)

    async def command(self, word: str, person: Person, place: Place | None) -> str:
        return word

    def log(self, text: str) -> None:
        self.logged.append(text)

    def moved(self, old: str, new: str) -> None:
        self.logged.append(f"{old} is now {new}")

    def newest(self, place: str = "") -> int:
        return 0


def through(
    telegram: Telegram, scenario: Callable[[Transport], Coroutine[Any, Any, None]], ears: Ears | None = None
) -> Ears:
    """Run a scenario with the transport itself, connected; what it told its listener."""
    ears = ears or Ears()

    async def play() -> Ears:
        transport = bridges.load("telegram").open(Access(TOKEN, telegram.base))
        running = asyncio.create_task(transport.run(ears))
        await ears.ready.wait()
        await asyncio.wait_for(scenario(transport), PATIENCE)
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running
        return ears

    return asyncio.run(play())
