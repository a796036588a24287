"""Pairing: an unknown person gets a code, and the owner approves it with `python -m dotagent pair CODE`.

Owns `bridges/<name>/pairs.jsonl`, which the bridge (ASKED) and that command (PAIRED) rewrite under the directory's
flock. A code is valid for an hour and belongs to one person, so strangers cannot use up another's. Expired codes are
removed. If very many people wait, others get a message instead of a code. Only the owner's command, never a code alone,
gives access.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator
from datetime import timedelta
from pathlib import Path

from dotagent.bridges import Person, Place
from dotagent.bridges.pattern import journal
from dotagent.bridges.pattern.ledger import Record
from dotagent.errors import Misuse
from dotagent.store import disk
from dotagent.text import times
from dotagent.text.lazy import dataclass, field
from dotagent.text.sizes import plural

LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"  # without letters that look alike
LENGTH = 8
VALID = timedelta(hours=1)
WAITING, LONGEST = 100, 100  # the most waiting people; characters shown of a name
FILE = "pairs.jsonl"


@dataclass
class Pairs:
    """The paired people by id, and the codes' records by code."""

    paired: dict[str, Record] = field(default_factory=dict)
    asked: dict[str, Record] = field(default_factory=dict)

    def waiting(self) -> list[Record]:
        """Return the codes that can still be approved."""
        now = times.parse(times.now())
        fresh = (one for one in self.asked.values() if now - times.parse(one["at"]) < VALID)
        return [one for one in fresh if one["id"] not in self.paired]


def read(path: Path) -> Pairs:
    """Read the file."""
    found = Pairs()
    for record in journal.read(path):
        if record["event"] == "ASKED":
            found.asked[record["code"]] = record
        elif record["event"] == "PAIRED":
            found.paired[record["id"]] = record
    return found


def ask(path: Path, person: Person, place: Place) -> str | None:
    """Create a durable code for the person. Return None if the person has one, or "" if too many wait."""
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
    """Approve the code. Return the name of its bridge, and the person's record. Raises Misuse."""
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
    waiting = list(list_waiting(folder))
    hint = f"{plural(len(waiting), 'other')} pending" if waiting else "no pairing request is pending"
    raise Misuse(f"no pending request has this code ({hint}); a code has {LENGTH} letters and is valid for an hour")


def list_waiting(folder: Path) -> Iterator[tuple[str, Record]]:
    """Yield the people who wait for approval, with the bridge's name."""
    for path in sorted(folder.glob(f"*/{FILE}")):
        for asked in read(path).waiting():
            yield path.parent.name, asked


def _write(path: Path, records: Iterable[Record]) -> None:
    disk.replace(path, b"".join(map(journal.line, records)))
