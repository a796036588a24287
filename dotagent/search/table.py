"""The file of the search: a life's turns in SQLite, `path` with its -wal and -shm.

It is a cache: one that is corrupt, foreign or of another version is made anew, and one that cannot be written lives in
memory. A piece's key is its room, its turn's place in it and its own in the turn, so that a turn's neighbours in its
room have the places beside its own, whatever happened elsewhere.
"""

import json
import math
import os
import sqlite3
import time
import zlib
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from dotagent.search.rank import PLACE, ROOM, Row
from dotagent.search.turn import CHANGES, WISHES, Passage, day_of, day_words, pieces, shape, split
from dotagent.store import disk
from dotagent.text import corrected, lexicon, standing
from dotagent.text.words import STOP, raw, telling

FORMAT = 7  # to be raised when text/words.py or turn.py files a text differently, or feed.py files more
SCHEMA = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE room (id INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL);
CREATE TABLE speaker (id INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL);
CREATE TABLE called (word TEXT, speaker INTEGER, PRIMARY KEY (word, speaker)) WITHOUT ROWID;
CREATE TABLE share (room INTEGER, speaker INTEGER, words INTEGER, PRIMARY KEY (room, speaker)) WITHOUT ROWID;
CREATE TABLE turn (key INTEGER PRIMARY KEY, number INTEGER, speaker INTEGER, opens INTEGER, day INTEGER, shape INTEGER,
                   tells TEXT, asks TEXT);
CREATE INDEX turn_number ON turn (number);
CREATE TABLE said (key INTEGER PRIMARY KEY, id TEXT, room TEXT, speaker TEXT, at TEXT, text TEXT);
CREATE INDEX said_id ON said (id) WHERE key & 1023 = 0;
CREATE TABLE term (word TEXT PRIMARY KEY, turns INTEGER) WITHOUT ROWID;
CREATE TABLE vector (key INTEGER PRIMARY KEY, floats BLOB);
CREATE VIRTUAL TABLE found USING fts5 (words, content='', detail=none, columnsize=0, tokenize="ascii tokenchars '@'");
"""
# The version holds the language data too: an index made with other words would answer wrongly, not fail.
_LANGUAGE = (
    lexicon.STOP,
    lexicon.IRREGULAR,
    lexicon.SAME,
    lexicon.TIMES,
    lexicon.REVOKES,
    lexicon.DENIES,
    lexicon.NEWS,
)
VERSION = zlib.crc32(repr((FORMAT, SCHEMA, *_LANGUAGE)).encode()) & 0x7FFFFFFF
BATCH = 10_000  # turns filed at a time
HELD = 1.0  # seconds to wait for another process that writes
PATIENCE = 4  # times the time that is given
TICK = 1000  # steps of SQLite's machine between two looks at the clock
ME = "me"  # who said what the agent said
ROLES = frozenset((ME, "tool"))  # speakers that are not called by their name


class Late(Exception):
    """The time that an answer may take is over."""


class Table:
    """The file, and what is asked of it. Any method may raise sqlite3.Error; index.Index answers for that."""

    def __init__(self, path: Path | None) -> None:
        """None is a table in memory. Raises sqlite3.DatabaseError when the file is not one of this version, and
        sqlite3.OperationalError when it cannot be opened."""
        self.end = self.latest = math.inf
        self.db = _connect(path)
        try:
            if self._one("SELECT count(*) FROM sqlite_master") == 0:
                self._make()
            if self._one("PRAGMA user_version") != VERSION:
                raise sqlite3.DatabaseError("an index of another version, or none")
            self._one("SELECT count(*) FROM meta")
        except sqlite3.Error:
            self.db.close()
            raise

    def _make(self) -> None:
        with self.writing():
            if self._one("SELECT count(*) FROM sqlite_master") == 0:  # no other process was faster
                for statement in SCHEMA.split(";\n"):
                    self.db.execute(statement)
                self.db.execute(f"PRAGMA user_version={VERSION}")

    def close(self) -> None:
        """Let go of the file."""
        self.db.close()

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """Raise Late in the block once it took so many seconds.

        The time that this thread works counts, since on a busy machine others take more of the wall's. Of that, which
        passes also while a slow disk is waited for, PATIENCE times as much may pass.
        """
        self.end, self.latest = time.thread_time() + seconds, time.monotonic() + PATIENCE * seconds
        self.db.set_progress_handler(self._late, TICK)
        try:
            yield
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_INTERRUPT:
                raise Late from error
            raise
        finally:
            self.end = self.latest = math.inf
            self.db.set_progress_handler(None, TICK)

    def hurry(self) -> None:
        """Raise Late when the time that `within` gave is over."""
        if self._late():
            raise Late

    def left(self) -> float:
        """How many seconds of this thread's work `within` has left."""
        return self.end - time.thread_time()

    def _late(self) -> bool:
        return self.left() < 0 or time.monotonic() > self.latest

    def _one(self, sql: str, *values: object) -> int:
        row = self.db.execute(sql, values).fetchone()
        return int(row[0]) if row and row[0] is not None else 0

    @contextmanager
    def writing(self) -> Iterator[None]:
        """A transaction: all that the block writes, or nothing."""
        self.db.execute("BEGIN IMMEDIATE")
        try:
            yield
            self.db.execute("COMMIT")
        finally:
            if self.db.in_transaction:  # a full disk has rolled it back already
                self.db.execute("ROLLBACK")

    def mark(self) -> str:
        """The feeder's note, or an empty text."""
        row = self.db.execute("SELECT value FROM meta WHERE name='mark'").fetchone()
        return str(row[0]) if row else ""

    def size(self) -> tuple[int, float]:
        """How many pieces there are, and how many words one has on average (at least 1)."""
        rows: dict[str, int] = dict(self.db.execute("SELECT name, value FROM meta WHERE name IN ('pieces', 'words')"))
        pieces = rows.get("pieces", 0)
        return pieces, max(1.0, rows.get("words", 0) / pieces) if pieces else 1.0

    def add(self, turns: Sequence[Passage], mark: str | None) -> bool:
        """File the turns whose numbers are new, and the mark, in one transaction; True."""
        with self.writing():
            for start in range(0, len(turns), BATCH):
                self._file(turns[start : start + BATCH])
            if mark is not None:
                self.db.execute("INSERT OR REPLACE INTO meta VALUES ('mark', ?)", (clean(mark),))
        return True

    def _file(self, batch: Sequence[Passage]) -> None:
        given = {one.number: one for one in reversed(batch)}  # of one number the first
        known = {row[0] for row in self._among("SELECT number FROM turn WHERE number IN", list(given))}
        # In the order of keys: FTS5 then writes one segment a batch, not one a change of rooms.
        new = sorted((one for one in given.values() if one.number not in known), key=lambda one: (one.room, one.number))
        speakers = {name: self._speaker(name) for name in {one.speaker for one in new}}
        turns, said, found = list[Any](), list[Any](), list[Any]()  # rows of the three tables
        terms, shares = Counter[str](), Counter[tuple[int, int]]()
        rooms: dict[str, tuple[int, int]] = {}  # the last place of each, and the one that opened its last exchange
        for one in new:
            last, opened = rooms[one.room] if one.room in rooms else self._last(one.room)
            place = last + 1
            opens = opened if one.speaker == ME and opened else place
            rooms[one.room] = place, opens
            day, who = day_of(one.at), speakers[one.speaker]
            for n, piece in enumerate(pieces(clean(one.text))):
                key = place * PLACE + n
                told, asked = (raw(part) for part in split(piece))
                tells, asks = telling(told), telling(asked)
                form = shape(piece)
                if one.speaker not in ROLES:
                    form |= (WISHES if standing.standing(piece) else 0) | (CHANGES * corrected.may_change(told))
                kept = dict.fromkeys(tells + asks + day_words(day))
                turns.append((key, one.number, who, opens, day, form, " ".join(tells), " ".join(asks)))
                said.append((key, clean(one.id), clean(one.room), clean(one.speaker), clean(one.at), piece))
                found.append((key, " ".join(kept)))
                terms.update(kept.keys())
                shares[place // ROOM, who] += len(tells) + len(asks)
        self.db.executemany("INSERT INTO turn VALUES (?,?,?,?,?,?,?,?)", turns)
        self.db.executemany("INSERT INTO said VALUES (?,?,?,?,?,?)", said)
        self.db.executemany("INSERT INTO found (rowid, words) VALUES (?,?)", found)
        add = "INSERT INTO term VALUES (?,?) ON CONFLICT DO UPDATE SET turns = turns + excluded.turns"
        self.db.executemany(add, sorted(terms.items()))
        add = "INSERT INTO share VALUES (?,?,?) ON CONFLICT DO UPDATE SET words = words + excluded.words"
        self.db.executemany(add, [(*of, words) for of, words in shares.items()])
        add = "INSERT INTO meta VALUES (?,?) ON CONFLICT DO UPDATE SET value = value + excluded.value"
        self.db.executemany(add, (("pieces", len(turns)), ("words", shares.total())))

    def _last(self, room: str) -> tuple[int, int]:
        """The last place of a room that is taken, and the one that opened the exchange there (0: none is)."""
        name = clean(room)
        self.db.execute("INSERT OR IGNORE INTO room (name) VALUES (?)", (name,))
        first = self._one("SELECT id FROM room WHERE name=?", name) * ROOM
        last = "SELECT key, opens FROM turn WHERE key BETWEEN ? AND ? ORDER BY key DESC LIMIT 1"
        row = self.db.execute(last, (first * PLACE, (first + ROOM) * PLACE - 1)).fetchone()
        return (row[0] // PLACE, row[1]) if row else (first, 0)

    def _speaker(self, name: str) -> int:
        name = clean(name)
        if self.db.execute("INSERT OR IGNORE INTO speaker (name) VALUES (?)", (name,)).rowcount > 0:
            words = () if name in ROLES else set(raw(name.rsplit("/", 1)[-1])) - STOP
            speaker = self._one("SELECT id FROM speaker WHERE name=?", name)
            self.db.executemany("INSERT INTO called VALUES (?,?)", [(word, speaker) for word in words])
        return self._one("SELECT id FROM speaker WHERE name=?", name)

    def _among(self, sql: str, values: Collection[int] | Collection[str]) -> list[Any]:
        return self.db.execute(f"{sql} (SELECT value FROM json_each(?))", (json.dumps(list(values)),)).fetchall()

    def called(self, words: Collection[str]) -> dict[str, frozenset[int]]:
        """Of some words those that speakers are called by, and these speakers."""
        found: dict[str, frozenset[int]] = {}
        for word, speaker in self._among("SELECT word, speaker FROM called WHERE word IN", words):
            found[word] = found.get(word, frozenset()) | {speaker}
        return found

    def turns_with(self, words: Collection[str]) -> dict[str, int]:
        """In how many pieces each word is; words in none are left out."""
        return dict(self._among("SELECT word, turns FROM term WHERE word IN", words))

    def keys(self, match: str, most: int) -> list[int]:
        """The keys of at most `most` pieces that match an FTS5 expression, the later ones of a room first."""
        sql = "SELECT rowid FROM found WHERE found MATCH ? ORDER BY rowid DESC LIMIT ?"
        return [key for (key,) in self.db.execute(sql, (match, most))]

    def rows(self, keys: Collection[int], words: bool = True) -> list[Row]:
        """What ranking needs of the turns under these keys, with their words or without."""
        columns = "tells, asks" if words else "'', ''"
        sql = f"SELECT key, number, speaker, opens, day, shape, {columns} FROM turn WHERE key IN"
        return [Row(*row) for row in self._among(sql, keys)]

    def shares(self, rooms: Collection[int]) -> dict[tuple[int, int], float]:
        """By room and speaker: how much of the talk is theirs, beside what others there say. Each of these counts as
        much as they say: who asks one thing among two who talk changes nothing. Of equals it is a half."""
        words: dict[int, dict[int, int]] = {}
        for room, speaker, count in self._among("SELECT room, speaker, words FROM share WHERE room IN", rooms):
            words.setdefault(room, {})[speaker] = count
        found: dict[tuple[int, int], float] = {}
        for room, counts in words.items():
            whole, squares = sum(counts.values()), sum(count * count for count in counts.values())
            for speaker, own in counts.items():
                others = (squares - own * own) / (whole - own) if whole > own else own
                found[room, speaker] = own / (own + others) if own + others else 0.5
        return found

    def turns(self, keys: Collection[int]) -> dict[int, tuple[Passage, int, int]]:
        """What is under these keys, each with its part and the parts of its turn."""
        last = "(SELECT max(key) FROM said AS other WHERE other.key < (said.key | ?) + 1)"
        sql = f"""SELECT said.key, {last}, number, said.id, room, said.speaker, at, text FROM said, turn
            WHERE said.key = turn.key AND said.key IN (SELECT value FROM json_each(?))"""
        rows = self.db.execute(sql, (PLACE - 1, json.dumps(list(keys))))
        return {key: (Passage(*row), key % PLACE + 1, last % PLACE + 1) for key, last, *row in rows}

    def near(self, id: str, reach: int) -> list[Passage]:
        """The last turn whose id begins so, and `reach` of its room to either side, each whole, in order."""
        found = self._one("SELECT max(key) FROM said WHERE key & 1023 = 0 AND id BETWEEN ? AND ?", id, f"{id}~")
        if not found:
            return []
        place, room = found // PLACE, found // PLACE // ROOM
        first, last = max(room * ROOM, place - reach), min(room * ROOM + ROOM - 1, place + reach)
        sql = """SELECT said.key, number, said.id, room, said.speaker, at, text FROM said, turn
            WHERE said.key = turn.key AND said.key BETWEEN ? AND ? ORDER BY said.key"""
        turns: dict[int, Passage] = {}
        for key, *row in self.db.execute(sql, (first * PLACE, last * PLACE + PLACE - 1)):
            one, before = Passage(*row), turns.get(key // PLACE)
            turns[key // PLACE] = replace(one, text=before.text + one.text) if before else one
        return list(turns.values())


def _connect(path: Path | None) -> sqlite3.Connection:
    """Raises sqlite3.OperationalError. A file is private, and a killed process leaves it whole; after a loss of power
    it may be damaged, and is made anew then."""
    if path is not None:
        try:
            os.close(disk.open_file(path, os.O_RDWR | os.O_CREAT))
        except OSError as error:
            if isinstance(error, disk.NoFile):  # of all else SQLite says it better
                raise sqlite3.DatabaseError(str(error)) from None
    db = sqlite3.connect(":memory:" if path is None else path, timeout=HELD, isolation_level=None)
    try:
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA synchronous=OFF")
    except sqlite3.Error:
        db.close()
        raise
    return db


def clean(text: str) -> str:
    """`text` without lone surrogates, which SQLite cannot hold."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
