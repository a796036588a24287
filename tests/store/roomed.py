"""Rooms for tests: one to write in, and what stands there."""

from __future__ import annotations

import os
from pathlib import Path

from dotagent.store import rooms
from dotagent.store.rooms import Message, Position

AT = "2026-11-21T20:17:20Z"
HEADING = b"# dev private\n"


def said(text: str, name: str = "ana", kind: str = "USER", at: str = AT) -> bytes:
    return rooms.line_of(kind, name, at, text)


def add(path: Path, data: bytes) -> None:
    """As `>>` does."""
    with open(path, "ab") as file:
        file.write(data)


def all_of(path: Path, position: Position | None = None) -> tuple[list[Message], Position]:
    heard: list[Message] = []
    position = position or Position()
    while True:
        found = rooms.read(path, position)
        assert found is not None
        messages, position = found
        if not messages:
            return heard, position
        heard += messages


def who(path: Path, position: Position | None = None) -> list[tuple[str, bytes]]:
    return [(message.name, message.raw) for message in all_of(path, position)[0]]


def save(path: Path, data: bytes) -> None:
    """As an editor does."""
    (path.parent / ".swp").write_bytes(data)
    os.rename(path.parent / ".swp", path)
