"""The bridge to a Telegram on loopback: its settings and its process, and a room as both ends see it."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from bot_api import TOKEN, Telegram
from support import spawn

from dotagent.store import rooms
from dotagent.store.home import Home
from dotagent.text import times

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
        out, err = child.communicate(timeout=10)
        assert child.returncode == 0 and not out, (out, err)
        assert "Traceback" not in err, err
    finally:
        child.kill()
        child.communicate()
    for path in [*where.root.rglob("*.jsonl"), *where.root.rglob("*.log"), *where.root.rglob("*.md")]:
        assert TOKEN not in path.read_text(errors="replace"), path


def heard(where: Home, room: str) -> list[str]:
    """What people said in the room."""
    path = where.room(room)
    found = rooms.read(path, rooms.Position()) if path.exists() else None
    return [one.raw.decode().split(" ", 1)[0][1:] + " " + one.raw.decode().split("] ", 1)[1].strip()
            for one in (found[0] if found else []) if one.kind == "USER"]  # fmt: skip


def answers(where: Home, room: str, text: str) -> None:
    """Say something there as an agent would."""
    rooms.append(where.room(room), rooms.line_of("AGENT", "0123456789ab", times.now(), text))
