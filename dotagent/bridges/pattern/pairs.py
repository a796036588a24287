"""Pairing: an unknown person gets a code, the owner approves it with `python -m dotagent pair CODE`.

Owns `bridges/<name>/pairs.jsonl`, to which the bridge (ASKED) and that command (PAIRED) append under its flock. A code
is valid for an hour; at most three wait at a time. A code alone lets nobody in: only the owner's command does, which
writes the file.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from dotagent.bridges import Person, Place
from dotagent.bridges.pattern import journal
from dotagent.bridges.pattern.ledger import Record
from dotagent.errors import Misuse
from dotagent.store import disk
from dotagent.text import times
from dotagent.text.sizes import plural

LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"  # none that looks like another
LENGTH = 8
VALID = timedelta(hours=1)
WAITING = 3
FILE = "pairs.jsonl"


@dataclass
class Pairs:
    """Who is paired (ids), and who was given a code (records by code)."""

    paired: dict[str, Record] = field(default_factory=dict)
    asked: dict[str, Record] = field(default_factory=dict)

    def waiting(self) -> list[Record]:
        """The codes that may still be approved."""
        now = times.parse(times.now())
        fresh = (one for one in self.asked.values() if now - times.parse(one["at"]) < VALID)
        return [one for one in fresh if one["id"] not in self.paired]


def read(path: Path) -> Pairs:
    """What the file says."""
    found = Pairs()
    for record in journal.read(path):
        if record["event"] == "ASKED":
            found.asked[record["code"]] = record
        elif record["event"] == "PAIRED":
            found.paired[record["id"]] = record
    return found


def ask(path: Path, person: Person, place: Place) -> str | None:
    """A new code for the person, durable; None when they have one, or when three others wait."""
    with journal.held(path) as fd:
        waiting = read(path).waiting()
        if len(waiting) >= WAITING or any(one["id"] == person.id for one in waiting):
            return None
        code = "".join(secrets.choice(LETTERS) for _ in range(LENGTH))
        record = {"event": "ASKED", "code": code, "id": person.id, "name": person.name, "place": place.id}
        _append(fd, path, record)
        return code


def approve(folder: Path, code: str) -> tuple[str, Record]:
    """Approve the code at whichever bridge gave it: the bridge's name, and whom it lets in. Raises Misuse."""
    wanted = code.strip().upper().replace("-", "")
    for path in sorted(folder.glob(f"*/{FILE}")):
        with journal.held(path) as fd:
            asked = next((one for one in read(path).waiting() if one["code"] == wanted), None)
            if asked:
                _append(fd, path, {"event": "PAIRED", **{name: asked[name] for name in ("id", "name", "place")}})
                return path.parent.name, asked
    waiting = list(listed(folder))
    hint = f"{plural(len(waiting), 'other')} wait{'s' * (len(waiting) == 1)}" if waiting else "none waits"
    raise Misuse(f"no such code waits for approval ({hint}): a code has {LENGTH} letters and is valid for an hour")


def listed(folder: Path) -> Iterator[tuple[str, Record]]:
    """Whoever waits for approval, with the bridge's name."""
    for path in sorted(folder.glob(f"*/{FILE}")):
        for asked in read(path).waiting():
            yield path.parent.name, asked


def _append(fd: int, path: Path, record: Record) -> None:
    disk.append_line(fd, journal.line({"at": times.now(), **record}), path)
    disk.sync(fd, path)
