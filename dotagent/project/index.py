"""The index of a project's events, `episodic/index.sqlite`: a cache that is updated before each answer and never
committed.

Only lines appended since the last update are read. The index is rebuilt if a file was deleted or changed otherwise, for
example by a checkout, and if the index is damaged or has another version.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

from dotagent.errors import Misuse
from dotagent.project import episodes
from dotagent.project.episodes import Episode
from dotagent.project.place import Project
from dotagent.store import disk
from dotagent.text.lazy import dataclass, replace

VERSION = 2
SCHEMA = """
CREATE TABLE source (path TEXT PRIMARY KEY, size INTEGER, changed INTEGER);
CREATE TABLE event (id INTEGER PRIMARY KEY, ts TEXT, day TEXT, actor TEXT, kind TEXT, told TEXT);
CREATE TABLE tally (day TEXT, actor TEXT, kind TEXT, many INTEGER, PRIMARY KEY (day, actor, kind)) WITHOUT ROWID;
CREATE TABLE touched (actor TEXT, name TEXT, PRIMARY KEY (actor, name)) WITHOUT ROWID;
CREATE TABLE file (name TEXT, event INTEGER, PRIMARY KEY (name, event)) WITHOUT ROWID;
CREATE INDEX event_ts ON event (ts);
CREATE INDEX event_actor ON event (actor, ts);
CREATE INDEX event_day ON event (day, actor, kind);
"""
HELD = 5.0  # seconds to wait for another process


@dataclass(frozen=True)
class Wanted:
    """Which events are wanted: of this actor and kind, with this file, since this day."""

    actor: str = ""
    kind: str = ""
    file: str = ""
    since: str = ""

    @classmethod
    def of(cls, actor: str | None, kind: str | None, file: str | None, since: str | None) -> Wanted:
        """Return the filter for a command's options. Raise Misuse for an invalid date."""
        try:
            day = date.fromisoformat(since).isoformat() if since else ""
        except ValueError:
            raise Misuse(f"--since {str(since)[:40]!r} is not a date; write e.g. 2026-11-21") from None
        return cls(actor or "", kind or "", file or "", day)

    def clause(self) -> tuple[str, list[str]]:
        """Return the condition in SQL, and its values."""
        rows = [("actor = ?", self.actor), ("kind = ?", self.kind), ("day >= ?", self.since),
                ("id IN (SELECT event FROM file WHERE name = ?)", self.file)]  # fmt: skip
        chosen = [(sql, value) for sql, value in rows if value]
        return " AND ".join(sql for sql, _ in chosen) or "1", [value for _, value in chosen]

    def counted(self) -> tuple[str, list[str]]:
        """Return the SQL of the counts by day, actor and kind, and its values. With a file, each event is counted
        singly."""
        sql, values = self.clause()
        return (
            f"(SELECT day, actor, kind, {'1 AS many FROM event' if self.file else 'many FROM tally'} WHERE {sql})",
            values,
        )


@contextmanager
def open_index(project: Project, *, anew: bool = False) -> Iterator[sqlite3.Connection]:
    """Yield the updated index, and close it afterwards. Raise OSError."""
    path = project.episodic / "index.sqlite"
    disk.make_dir(path.parent)  # git keeps no empty directory
    if anew:
        _remove(path)
    db = _open(path)
    try:
        if not _caught_up(db, project):
            db.close()
            _remove(path)
            db = _open(path)
            _caught_up(db, project)
        yield db
    finally:
        db.close()


def events(db: sqlite3.Connection, wanted: Wanted, most: int, *, newest: bool = True) -> list[Episode]:
    """Return the last events, with the newest first or last."""
    sql, values = wanted.clause()
    order = "ORDER BY ts DESC, id DESC"
    last = f"SELECT id FROM event WHERE {sql} {order} LIMIT ?"
    rows = db.execute(f"SELECT told FROM event WHERE id IN ({last}) {order}", [*values, most]).fetchall()
    found = [json.loads(told) for (told,) in (rows if newest else reversed(rows))]
    return [Episode(**{**one, "files": tuple(one["files"])}) for one in found]


def who(db: sqlite3.Connection, wanted: Wanted) -> list[tuple[Episode, int]]:
    """Return each actor's last event and number of events, most recent actor first."""
    counted, values = wanted.counted()
    there = db.execute(f"SELECT actor, sum(many) FROM {counted} GROUP BY actor ORDER BY actor", values).fetchall()
    found = [(one, many) for actor, many in there for one in events(db, replace(wanted, actor=actor), 1)]
    return sorted(found, key=lambda row: row[0].ts, reverse=True)


def activity(db: sqlite3.Connection, wanted: Wanted) -> list[tuple[str, str, str, int]]:
    """Return the number of events by day, actor and kind, newest day first."""
    counted, values = wanted.counted()
    order = "GROUP BY day, actor, kind ORDER BY day DESC, actor, kind"
    return db.execute(f"SELECT day, actor, kind, sum(many) FROM {counted} {order}", values).fetchall()


def leaders(db: sqlite3.Connection, wanted: Wanted) -> list[tuple[str, int, int, int, int]]:
    """Return each actor's numbers of events, commits, files and days, most commits and events first."""
    counted, values = wanted.counted()
    query = f"""SELECT actor, sum(many), sum(many * (kind = 'commit')),
        (SELECT count(*) FROM touched WHERE touched.actor = counted.actor),
        count(DISTINCT day) FROM {counted} AS counted GROUP BY actor ORDER BY 3 DESC, 2 DESC, actor"""
    return db.execute(query, values).fetchall()


def size(db: sqlite3.Connection) -> int:
    """Return the number of events."""
    return int(db.execute("SELECT count(*) FROM event").fetchone()[0])


def _open(path: Path) -> sqlite3.Connection:
    for last in (False, True):
        db = sqlite3.connect(path, timeout=HELD, isolation_level=None)
        try:
            version = db.execute("PRAGMA user_version").fetchone()[0]
            if version == VERSION:
                return db
            if not db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                db.executescript(f"PRAGMA journal_mode=WAL; BEGIN; {SCHEMA} PRAGMA user_version={VERSION}; COMMIT;")
                return db
        except sqlite3.DatabaseError:
            if last:
                raise
        db.close()
        _remove(path)
    raise sqlite3.DatabaseError(f"cannot create {path}")


def _caught_up(db: sqlite3.Connection, project: Project) -> bool:
    """Read the new lines. Return False if a known file was changed or the index is damaged."""
    try:
        db.execute("BEGIN IMMEDIATE")
        known = {path: (size, changed) for path, size, changed in db.execute("SELECT * FROM source")}
        begin = len(str(project.episodic)) + 1
        there = {str(path)[begin:]: path for path in episodes.list_files(project)}
        same = not known.keys() - there.keys()
        for name, path in there.items() if same else ():
            stat, (size, changed) = path.stat(), known.get(name, (0, 0))
            if (stat.st_size, stat.st_mtime_ns) == (size, changed):
                continue
            if size and stat.st_size <= size:
                same = False
                break
            db.execute("INSERT OR REPLACE INTO source VALUES (?,?,?)", (name, _filed(db, path, size), stat.st_mtime_ns))
        db.execute("COMMIT" if same else "ROLLBACK")
        return same
    except sqlite3.DatabaseError as error:
        if isinstance(error, sqlite3.OperationalError):
            raise
        return False


def _filed(db: sqlite3.Connection, path: Path, start: int) -> int:
    """Add the events of a file from a byte on. Return the offset after the last one."""
    first = int(db.execute("SELECT coalesce(max(id), 0) FROM event").fetchone()[0]) + 1
    rows, names, end = list[Sequence[Any]](), set[tuple[str, int]](), start
    for id, (end, one) in enumerate(episodes.read(path, start), first):  # noqa: B007 the end is used after the loop
        told = json.dumps(one.__dict__, ensure_ascii=False)
        rows.append((id, one.ts, one.ts[:10], one.actor, one.kind, told))
        names |= {(name, id) for name in one.files}
    db.executemany("INSERT INTO event VALUES (?,?,?,?,?,?)", rows)
    db.executemany("INSERT INTO file VALUES (?,?)", sorted(names))
    tally = Counter((day, actor, kind) for _, _, day, actor, kind, _ in rows)
    more = "ON CONFLICT DO UPDATE SET many = many + excluded.many"
    db.executemany(f"INSERT INTO tally VALUES (?,?,?,?) {more}", [(*key, many) for key, many in sorted(tally.items())])
    touched = sorted({(rows[id - first][3], name) for name, id in names})
    db.executemany("INSERT OR IGNORE INTO touched VALUES (?,?)", touched)
    return end


def _remove(path: Path) -> None:
    for end in ("", "-wal", "-shm", "-journal"):
        path.with_name(path.name + end).unlink(missing_ok=True)
