"""The journal of a bridge: intended and completed actions, one JSON object a line.

Owns `bridges/<name>/journal.jsonl`. A record is durable before its action happens. At the start, and when the file has
grown large, it is replaced by fewer equivalent records.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

from dotagent.bridges.pattern import validation
from dotagent.bridges.pattern.ledger import Ledger, Record
from dotagent.store import disk
from dotagent.text import times

LARGE = 1 << 24  # bytes, after which it is compacted during use
MOST = 1 << 30  # bytes: a larger file is not read


class Journal:
    """The open journal of the only process that runs a bridge, and the state in it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.ledger = Ledger()
        self.odd: list[str] = []
        """Skipped records that do not describe a state, including data that an earlier version wrote."""
        for record in read(path):
            try:
                self.ledger.fold(record)
            except validation.ODD as odd:
                self.odd.append(f"{path}: skipped an invalid record ({odd!r}): {str(record)[:80]}")
        self._fd = _open(path)
        self._limit = LARGE

    def note(self, event: str, *, durable: bool = True, **detail: object) -> Record:
        """Append a record, sync it unless `durable` is False, and apply it to the state."""
        record: Record = {"at": times.now(), "event": event, **detail}
        disk.append_line(self._fd, line(record), self.path)
        if durable:
            disk.sync(self._fd, self.path)
        self.ledger.fold(record)
        if os.fstat(self._fd).st_size > self._limit:
            self.compact()
        return record

    def compact(self) -> None:
        """Replace the file by equivalent records. The last IN stays, because it may be incomplete."""
        now = times.now()
        records = [{"at": now, **record} for record in self.ledger.records()]
        if self.ledger.doubt:
            records.append({**self.ledger.doubt, "event": "DOUBT"})
        disk.replace(self.path, b"".join(map(line, records)))
        os.close(self._fd)
        self._fd = _open(self.path)
        self._limit = max(LARGE, 2 * os.fstat(self._fd).st_size)

    def close(self) -> None:
        """Close the file."""
        os.close(self._fd)


def read(path: Path) -> Iterator[Record]:
    """Yield the records of a journal, oldest first. Lines that are incomplete or not records are skipped."""
    data = disk.read(path, MOST, missing=b"")
    for row in data[: data.rfind(b"\n") + 1].split(b"\n")[:-1]:
        try:
            record = json.loads(row)
        except (ValueError, RecursionError):
            continue  # the remains of a crash, ended with LF by the next process
        if isinstance(record, dict) and isinstance(record.get("event"), str):
            yield record


def line(record: Record) -> bytes:
    """Return the record as a line of the file."""
    return json.dumps(record, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def _open(path: Path) -> int:
    return disk.open_file(path, os.O_RDWR | os.O_APPEND | os.O_CREAT)
