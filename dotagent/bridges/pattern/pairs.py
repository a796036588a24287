"""Pairing: an unknown person gets a code, the owner approves it with `python -m dotagent pair CODE`.

Owns `bridges/<name>/pairs.jsonl`, which the bridge (ASKED) and that command (PAIRED) write anew under the directory's
flock. A code is valid for an hour, and each person's own: strangers take nobody's, and what is over leaves the file.
Only when very many wait are there no more; who asks then is told so. A code alone lets nobody in: only the owner's
command does, which writes the file.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator
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
WAITING, LONGEST = 100, 100  # people who may wait at a time, characters of the name that is shown of one
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
    """A new code for the person, durable; None when they have one, "" when as many others wait as may."""
    with disk.locked_dir(path.parent):
        known = read(path)
        waiting = known.waiting()
        if any(one["id"] == person.id for one in waiting):
            return None
        if len(waiting) >= WAITING:
            return ""
        code = "".join(secrets.choice(LETTERS) for _ in range(LENGTH))
        asked = {"at": times.now(), "event": "ASKED", "code": code, "id": person.id, "name": person.name[:LONGEST]}
        _write(path, [*known.paired.values(), *waiting, {**asked, "place": place.id}])
        return code


def approve(folder: Path, code: str) -> tuple[str, Record]:
    """Approve the code at whichever bridge gave it: the bridge's name, and whom it lets in. Raises Misuse."""
    wanted = code.strip().upper().replace("-", "")
    for path in sorted(folder.glob(f"*/{FILE}")):
        with disk.locked_dir(path.parent):
            known = read(path)
            asked = next((one for one in known.waiting() if one["code"] == wanted), None)
            if asked:
                paired = {
                    "at": times.now(),
                    "event": "PAIRED",
                    **{name: asked[name] for name in ("id", "name", "place")},
                }
                _write(path, [*known.paired.values(), *known.waiting(), paired])
                return path.parent.name, asked
    waiting = list(listed(folder))
    hint = f"{plural(len(waiting), 'other')} wait{'s' * (len(waiting) == 1)}" if waiting else "none waits"
    raise Misuse(f"no such code waits for approval ({hint}): a code has {LENGTH} letters and is valid for an hour")


def listed(folder: Path) -> Iterator[tuple[str, Record]]:
    """Whoever waits for approval, with the bridge's name."""
    for path in sorted(folder.glob(f"*/{FILE}")):
        for asked in read(path).waiting():
            yield path.parent.name, asked


def _write(path: Path, records: Iterable[Record]) -> None:
    disk.replace(path, b"".join(map(journal.line, records)))
