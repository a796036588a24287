"""The journal of a bridge: what it is about to do and what it did, one JSON object a line, appended before and after.

Owns `bridges/<name>/journal.jsonl`. A record is durable before what it announces happens. At the start, and when it has
grown large, it is written anew (by rename) as the few records that say the same.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

from dotagent.bridges.pattern import outside
from dotagent.bridges.pattern.ledger import Ledger, Record
from dotagent.store import disk
from dotagent.text import times

LARGE = 1 << 24  # bytes beyond which it is written anew while it is in use
MOST = 1 << 30  # bytes: a larger one is not read


class Journal:
    """The open journal of the one process that runs a bridge, and the state it says."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.ledger = Ledger()
        self.odd: list[str] = []
        """Records that say nothing of a state, and were passed over: what a world told an earlier version, too."""
        for record in read(path):
            try:
                self.ledger.fold(record)
            except outside.ODD as odd:
                self.odd.append(f"{path}: a record is passed over ({odd!r}): {str(record)[:80]}")
        self._fd = _open(path)
        self._limit = LARGE

    def note(self, event: str, *, durable: bool = True, **detail: object) -> Record:
        """Append a record, wait until it is on the disk (unless it need not be), and let it have happened."""
        record: Record = {"at": times.now(), "event": event, **detail}
        disk.append_line(self._fd, line(record), self.path)
        if durable:
            disk.sync(self._fd, self.path)
        self.ledger.fold(record)
        if os.fstat(self._fd).st_size > self._limit:
            self.compact()
        return record

    def compact(self) -> None:
        """Write it anew as what it says. The last IN stays as it is, since it may be in doubt."""
        now = times.now()
        records = [{"at": now, **record} for record in self.ledger.records()]
        if self.ledger.doubt:
            records.append({**self.ledger.doubt, "event": "DOUBT"})
        disk.replace(self.path, b"".join(map(line, records)))
        os.close(self._fd)
        self._fd = _open(self.path)
        self._limit = max(LARGE, 2 * os.fstat(self._fd).st_size)

    def close(self) -> None:
        """Let go of the file."""
        os.close(self._fd)


def read(path: Path) -> Iterator[Record]:
    """The records of a journal, oldest first; what does not end in LF, or is no record, was never written."""
    data = disk.read(path, MOST, missing=b"")
    for row in data[: data.rfind(b"\n") + 1].split(b"\n")[:-1]:
        try:
            record = json.loads(row)
        except (ValueError, RecursionError):
            continue  # what a death left of one, closed by the next process with an LF
        if isinstance(record, dict) and isinstance(record.get("event"), str):
            yield record


def line(record: Record) -> bytes:
    """The record as it stands in the file."""
    return json.dumps(record, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def _open(path: Path) -> int:
    return disk.open_file(path, os.O_RDWR | os.O_APPEND | os.O_CREAT)
