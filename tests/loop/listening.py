"""What the tests of an agent that listens in rooms share. Owns nothing on disk."""

from __future__ import annotations

from pathlib import Path

from world import World

from dotagent.store import log, rooms


def heard(here: World) -> list[str]:
    """What was heard so far, word for word."""
    lines = log.lines(here.session.path / "LIFE.md")
    bodies = [here.session.store.get(line.id).body.decode("utf-8", "replace") for line in lines if line.event == "HEAR"]
    return [body.split("] ", 1)[-1].strip() for body in bodies]


def room(here: World, name: str, audience: str = "private", *texts: str) -> Path:
    """A room with these messages."""
    path = here.where.room(name)
    rooms.create(path, audience)
    for text in texts:
        here.say(text, room=name)
    return path


def link(here: World, name: str, target: str = "") -> Path:
    """Let the agent hear a room, or what `target` leads to."""
    path = here.session.path / "subs" / f"{name}.md"
    path.symlink_to(target or f"../../../chats/{name}.md")
    return path
