"""The vectors of turns in RECALL's table: list missing ones, add and read them. Raises sqlite3.Error, as table.Table
does.

A turn has one vector, of its first piece. With a vector for each piece, long turns were similar to any query and hid
the right ones. dotagent.embedding computes the vectors.
"""

from __future__ import annotations

from collections.abc import Sequence

from dotagent.search.table import Table

OF = "beginnings"  # which pieces have vectors; an index with vectors of others starts again
FIRST = "said.key & 32736 = 0"  # as in the index said_id


def begin(table: Table, model: str) -> None:
    """Prepare the table for vectors of this model: delete those of another model."""
    model = f"{model}, {OF}"
    row = table.db.execute("SELECT value FROM meta WHERE name = 'model'").fetchone()
    if row is None or row[0] != model:
        with table.writing():
            table.db.execute("DELETE FROM vector")
            table.db.execute("INSERT OR REPLACE INTO meta VALUES ('model', ?)", (model,))


def missing(table: Table, most: int) -> list[tuple[int, str]]:
    """Return the keys and texts of the newest `most` turns without a vector."""
    sql = f"""SELECT said.key, text FROM turn, said WHERE said.key = turn.key AND {FIRST}
        AND NOT EXISTS (SELECT 1 FROM vector WHERE vector.key = said.key) ORDER BY number DESC LIMIT ?"""
    return list(table.db.execute(sql, (most,)))


def count_missing(table: Table) -> int:
    """Return the number of turns without a vector."""
    counted = (f"said WHERE {FIRST}", "vector")
    (said,), (made,) = (table.db.execute(f"SELECT count(*) FROM {one}").fetchone() for one in counted)
    return int(said - made)


def add(table: Table, rows: Sequence[tuple[int, bytes]]) -> None:
    """File the vectors, of 16-bit floats, by key."""
    with table.writing():
        table.db.executemany("INSERT OR REPLACE INTO vector VALUES (?,?)", rows)


def read_all(table: Table) -> tuple[list[int], list[bytes]]:
    """Return all keys, and their vectors."""
    rows = table.db.execute("SELECT key, floats FROM vector").fetchall()
    return [key for key, _ in rows], [floats for _, floats in rows]
