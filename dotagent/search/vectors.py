"""The vectors of turns in RECALL's table: which have none yet, and all that are there. A turn's is of its first piece:
the more pieces a turn has, the likelier one of them is near to anything, and in long talk they hid what is meant. What
they are made by is dotagent.embedding's. Raises sqlite3.Error, as table.Table does.
"""

from __future__ import annotations

from collections.abc import Sequence

from dotagent.search.table import Table

OF = "beginnings"  # what has vectors: those of an index in which something else has some are made anew
FIRST = "said.key & 1023 = 0"  # as the index said_id has it


def begin(table: Table, model: str) -> None:
    """Let the vectors be of this model: those of another go."""
    model = f"{model}, {OF}"
    row = table.db.execute("SELECT value FROM meta WHERE name = 'model'").fetchone()
    if row is None or row[0] != model:
        with table.writing():
            table.db.execute("DELETE FROM vector")
            table.db.execute("INSERT OR REPLACE INTO meta VALUES ('model', ?)", (model,))


def missing(table: Table, most: int) -> list[tuple[int, str]]:
    """The keys and texts of the newest turns without a vector."""
    sql = f"""SELECT said.key, text FROM turn, said WHERE said.key = turn.key AND {FIRST}
        AND NOT EXISTS (SELECT 1 FROM vector WHERE vector.key = said.key) ORDER BY number DESC LIMIT ?"""
    return list(table.db.execute(sql, (most,)))


def left(table: Table) -> int:
    """How many have none."""
    counted = (f"said WHERE {FIRST}", "vector")
    (said,), (made,) = (table.db.execute(f"SELECT count(*) FROM {one}").fetchone() for one in counted)
    return int(said - made)


def add(table: Table, rows: Sequence[tuple[int, bytes]]) -> None:
    """File the vectors, 16-bit floats each, by their keys."""
    with table.writing():
        table.db.executemany("INSERT OR REPLACE INTO vector VALUES (?,?)", rows)


def all_of(table: Table) -> tuple[list[int], list[bytes]]:
    """All keys, and their vectors."""
    rows = table.db.execute("SELECT key, floats FROM vector").fetchall()
    return [key for key, _ in rows], [floats for _, floats in rows]
