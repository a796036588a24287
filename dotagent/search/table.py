"""The file of the search: an agent's turns in SQLite, `path` with its -wal and -shm.

It is a cache. A corrupt or foreign file, or one of another version, is rebuilt; if it cannot be written, the table is
in memory. The key of a piece is made of its room, its turn's place in the room, its number in the turn, and its voice.
So neighbouring turns of a room have neighbouring places, and FTS5 alone shows who speaks.
"""

import json
import os
import sqlite3
import zlib
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

from dotagent.search.query import Term
from dotagent.search.rank import PLACE, ROOM, VOICES, Row, voice
from dotagent.search.shown import ALL, ShownTurns
from dotagent.search.turn import Passage, day_of, day_words, pieces
from dotagent.store import disk
from dotagent.text import lexicon
from dotagent.text.lazy import replace
from dotagent.text.speakers import PASSED
from dotagent.text.words import STOP, distinctive_stems, raw

FORMAT = 12  # raise it when text/words.py or turn.py files a text differently, or feed.py files more
SCHEMA = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE room (id INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL);
CREATE TABLE speaker (id INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL);
CREATE TABLE called (word TEXT, speaker INTEGER, PRIMARY KEY (word, speaker)) WITHOUT ROWID;
CREATE TABLE turn (key INTEGER PRIMARY KEY, number INTEGER, speaker INTEGER, day INTEGER, asks INTEGER, words TEXT);
CREATE INDEX turn_number ON turn (number);
CREATE TABLE said (key INTEGER PRIMARY KEY, id TEXT, room TEXT, speaker TEXT, at TEXT, text TEXT);
CREATE INDEX said_id ON said (id) WHERE key & 32736 = 0;
CREATE TABLE term (word TEXT PRIMARY KEY, told INTEGER DEFAULT 0, other INTEGER DEFAULT 0) WITHOUT ROWID;
CREATE TABLE vector (key INTEGER PRIMARY KEY, floats BLOB);
CREATE VIRTUAL TABLE told USING fts5 (words, content='', detail=none, columnsize=0, tokenize="ascii tokenchars '@'");
CREATE VIRTUAL TABLE other USING fts5 (words, content='', detail=none, columnsize=0, tokenize="ascii tokenchars '@'");
"""
# The version covers the language data, because an index made with other words would give wrong results without an
# error.
VERSION = zlib.crc32(repr((FORMAT, SCHEMA, lexicon.STOP, lexicon.IRREGULAR, lexicon.SAME)).encode()) & 0x7FFFFFFF
LEADS = 5000  # pieces of persons that all words of a query may find, and pieces of others; fewer would miss turns
HELD = 1.0  # seconds to wait for another process that writes
ME = "me"  # the speaker of the agent's own turns
PERSONS, OTHERS = "told", "other"  # the tables to search: the words of persons, and all others
Ranges = Sequence[tuple[int, int]]  # the lowest and the highest key of each, the highest range first
ROLES = frozenset((ME, "tool", "helper"))  # speakers that are not persons and have no name


class Table:
    """The file and its queries. Any method may raise sqlite3.Error; index.Index handles it."""

    def __init__(self, path: Path | None) -> None:
        """Open or create the table; None is a table in memory. Raises sqlite3.DatabaseError if the file is not of this
        version, and sqlite3.OperationalError if it cannot be opened."""
        self.db, self._shown = _connect(path), ShownTurns()
        self.close = self.db.close
        try:
            if self._one("SELECT count(*) FROM sqlite_master") == 0:
                self._make()
            if self._one("PRAGMA user_version") != VERSION:
                raise sqlite3.DatabaseError("the search index is empty, or another version of dotagent made it")
            self._one("SELECT count(*) FROM meta")
        except sqlite3.Error:
            self.close()
            raise

    def _make(self) -> None:
        with self.writing():
            if self._one("SELECT count(*) FROM sqlite_master") == 0:  # no other process was faster
                for statement in SCHEMA.split(";\n"):
                    self.db.execute(statement)
                self.db.execute(f"PRAGMA user_version={VERSION}")

    def _one(self, sql: str, *values: object) -> int:
        row = self.db.execute(sql, values).fetchone()
        return int(row[0]) if row and row[0] is not None else 0

    @contextmanager
    def writing(self) -> Iterator[None]:
        """A transaction: everything in the block is written, or nothing."""
        self.db.execute("BEGIN IMMEDIATE")
        with self.db:
            yield

    def mark(self) -> str:
        """Return the feeder's note, or ""."""
        row = self.db.execute("SELECT value FROM meta WHERE name='mark'").fetchone()
        return str(row[0]) if row else ""

    def size(self) -> tuple[int, float]:
        """Return the number of persons' pieces, and the mean number of their words (at least 1)."""
        meta: dict[str, int] = dict(self._among("SELECT name, value FROM meta WHERE name IN", ("rows", "words")))
        rows = meta.get("rows", 0)
        return rows, max(1.0, meta.get("words", 0) / rows) if rows else 1.0

    def add(self, turns: Sequence[Passage], mark: str | None) -> bool:
        """File the turns with new numbers, and the mark, in one transaction. Return True."""
        with self.writing():
            self._file(turns)
            if mark is not None:
                self.db.execute("INSERT OR REPLACE INTO meta VALUES ('mark', ?)", (clean(mark),))
        return True

    def _file(self, batch: Sequence[Passage]) -> None:
        given = {one.number: one for one in reversed(batch)}  # the first turn with a number
        known = {row[0] for row in self._among("SELECT number FROM turn WHERE number IN", list(given))}
        # In the order of keys, FTS5 writes one segment for a batch instead of one for each change of rooms.
        new = sorted((one for one in given.values() if one.number not in known), key=lambda one: (one.room, one.number))
        speakers = {name: self._speaker(name) for name in {one.speaker for one in new}}
        turns, said = list[Any](), list[Any]()  # rows of these tables
        found: dict[str, list[Any]] = {PERSONS: [], OTHERS: []}
        counts = {of: Counter[str]() for of in found}  # pieces with each word
        sizes = Counter[str]()  # the number of persons' pieces, and of their words
        rooms: dict[str, int] = {}  # the last place of each room
        for one in new:
            rooms[one.room] = place = (rooms[one.room] if one.room in rooms else self._last(one.room)) + 1
            day, who, person = day_of(one.at), speakers[one.speaker], one.speaker not in ROLES
            asks, parts = "?" in one.text or "？" in one.text, pieces(clean(one.text))
            whose = clean(one.id), clean(one.room), clean(one.speaker), clean(one.at)
            for n, (piece, after) in enumerate(pairwise([*parts, ""])):
                second = after[:1] if piece[-1:].isalpha() and not piece[-1:].isascii() else ""  # for a pair of signs
                words = distinctive_stems(raw(piece + second, filed=True))
                key = place * PLACE + n * VOICES + (voice(who) if person else 0)
                kept = dict.fromkeys(words + day_words(day), 1)
                turns.append((key, one.number, who, day, asks, " ".join(words)))
                said.append((key, *whose, piece))
                found[PERSONS if person else OTHERS].append((key, " ".join(kept)))
                counts[PERSONS if person else OTHERS].update(kept)
                sizes.update(rows=int(person), words=person * len(words))
        self.db.executemany("INSERT INTO turn VALUES (?,?,?,?,?,?)", turns)
        self.db.executemany("INSERT INTO said VALUES (?,?,?,?,?,?)", said)
        add = "INSERT INTO {0} ({1}, {2}) VALUES (?,?) ON CONFLICT DO UPDATE SET {2} = {2} + excluded.{2}"
        for of, rows in found.items():
            self.db.executemany(f"INSERT INTO {of} (rowid, words) VALUES (?,?)", rows)
            self.db.executemany(add.format("term", "word", of), sorted(counts[of].items()))
        self.db.executemany(add.format("meta", "name", "value"), sizes.items())

    def _last(self, room: str) -> int:
        """Return the last used place of a room."""
        name = clean(room)
        self.db.execute("INSERT OR IGNORE INTO room (name) VALUES (?)", (name,))
        first = self._one("SELECT id FROM room WHERE name=?", name) * ROOM
        last = "SELECT max(key) FROM turn WHERE key BETWEEN ? AND ?"
        return self._one(last, first * PLACE, (first + ROOM) * PLACE - 1) // PLACE or first

    def _speaker(self, name: str) -> int:
        name = clean(name)
        if self.db.execute("INSERT OR IGNORE INTO speaker (name) VALUES (?)", (name,)).rowcount > 0:
            words = () if name in ROLES else set(raw(name.rsplit("/", 1)[-1].removesuffix(PASSED))) - STOP
            speaker = self._one("SELECT id FROM speaker WHERE name=?", name)
            self.db.executemany("INSERT INTO called VALUES (?,?)", [(word, speaker) for word in words])
        return self._one("SELECT id FROM speaker WHERE name=?", name)

    def _among(self, sql: str, values: Collection[int] | Collection[str]) -> list[Any]:
        return self.db.execute(f"{sql} (SELECT value FROM json_each(?))", (json.dumps(list(values)),)).fetchall()

    def called(self, words: Collection[str]) -> dict[str, frozenset[int]]:
        """Return the words that are names of speakers, each with these speakers."""
        found: dict[str, frozenset[int]] = {}
        for word, speaker in self._among("SELECT word, speaker FROM called WHERE word IN", words):
            found[word] = found.get(word, frozenset()) | {speaker}
        return found

    def rows_with(self, words: Collection[str]) -> dict[str, tuple[int, int]]:
        """Return the numbers of pieces of persons and of others with each word; words in no piece are omitted."""
        return {word: (told, other) for word, told, other in self._among("SELECT * FROM term WHERE word IN", words)}

    def leads(self, of: str, counts: Mapping[Term, int], ranges: Ranges = ALL) -> list[tuple[Term, list[int]]]:
        """Return words and the keys in these ranges that each finds, at most LEADS keys for all words. `counts` has the
        rarest first, each with the number of its pieces. A word that is in too many is left out. If the rarest is, its
        pieces with the next word are found, or if there are none, its newest pieces."""
        matches = ["(" + " OR ".join(f'"{form}"' for form in term) + ")" for term in counts]
        found, left = list[tuple[Term, list[int]]](), LEADS
        for at, (term, count) in enumerate(counts.items()):
            if count <= left or not at:
                keys = [] if count <= left else self._keys(of, " AND ".join(matches[:2]), left, ranges)
                keys = keys or self._keys(of, matches[at], left, ranges)
                found.append((term, keys))
                left -= len(keys)
        return found

    def _keys(self, of: str, match: str, most: int, ranges: Ranges) -> list[int]:
        """Return the keys in these ranges of at most `most` pieces that match an FTS5 expression, the later ones of a
        room first."""
        sql = f"SELECT rowid FROM {of} WHERE {of} MATCH ? AND rowid BETWEEN ? AND ? ORDER BY rowid DESC LIMIT ?"
        found = list[int]()
        for low, high in ranges:
            found += [key for (key,) in self.db.execute(sql, (match, low, high, most - len(found)))]
        return found

    def shown(self, numbers: Sequence[int]) -> ShownTurns:
        """Return the places of the turns with these numbers. If `numbers` is the sequence of the last call, only its
        new numbers are looked up."""
        if numbers is not self._shown.numbers:
            self._shown = ShownTurns(numbers)
        if due := self._shown.due(self._one("SELECT max(number) FROM turn")):
            found = self._among("SELECT key FROM turn WHERE number IN", due)
            self._shown.add(key // PLACE for (key,) in found)
        return self._shown

    def rows(self, keys: Collection[int], places: Collection[int] = ()) -> list[Row]:
        """Return the data for ranking the pieces with these keys, and the first pieces of these places."""
        columns = "SELECT turn.key, number, speaker, day, asks, words FROM"
        found = self._among(f"{columns} turn WHERE turn.key IN", keys)
        first = f"turn.key BETWEEN one.value * {PLACE} AND one.value * {PLACE} + {VOICES - 1}"
        sql = f"{columns} json_each(?) AS one, turn WHERE {first}"
        found += self.db.execute(sql, (json.dumps(list(places)),)).fetchall()
        return [Row(*row) for row in found]

    def turns(self, keys: Collection[int]) -> dict[int, tuple[Passage, int, int]]:
        """Return the passages with these keys, each with its part and the number of parts of its turn."""
        last = "(SELECT max(key) FROM said AS other WHERE other.key < (said.key | ?) + 1)"
        sql = f"""SELECT said.key, {last}, number, said.id, room, said.speaker, at, text FROM said, turn
            WHERE said.key = turn.key AND said.key IN (SELECT value FROM json_each(?))"""
        rows = self.db.execute(sql, (PLACE - 1, json.dumps(list(keys))))
        return {key: (Passage(*row), key % PLACE // VOICES + 1, end % PLACE // VOICES + 1) for key, end, *row in rows}

    def near(self, id: str, reach: int) -> list[Passage]:
        """Return the complete last turn whose id begins with `id`, and `reach` turns of its room on either side."""
        found = self._one("SELECT max(key) FROM said WHERE key & 32736 = 0 AND id BETWEEN ? AND ?", id, f"{id}~")
        if not found:
            return []
        between = (found // PLACE - reach) * PLACE, (found // PLACE + reach + 1) * PLACE - 1  # the other rooms are far
        keys = self.db.execute("SELECT key FROM said WHERE key BETWEEN ? AND ?", between)
        turns: dict[int, Passage] = {}
        for key, (one, *_) in sorted(self.turns([key for (key,) in keys]).items()):
            before = turns.get(key // PLACE)
            turns[key // PLACE] = replace(one, text=before.text + one.text) if before else one
        return list(turns.values())


def _connect(path: Path | None) -> sqlite3.Connection:
    """Open the database, as a private file. It is intact after a killed process; after a power cut it may be damaged,
    and is then rebuilt. Raises sqlite3.OperationalError."""
    if path is not None:
        try:
            os.close(disk.open_file(path, os.O_RDWR | os.O_CREAT))
        except OSError as error:
            if isinstance(error, disk.NoFile):  # SQLite reports other errors better
                raise sqlite3.DatabaseError(str(error)) from None
    db = sqlite3.connect(":memory:" if path is None else path, timeout=HELD, isolation_level=None)
    try:
        db.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF")
    except sqlite3.Error:
        db.close()
        raise
    return db


def clean(text: str) -> str:
    """Return `text` without lone surrogates, which SQLite cannot store."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
