"""The vectors of passages in RECALL's table: which have none yet, and all that are there. What they are made by is
dotagent.embedding's. Raises sqlite3.Error, as table.Table does.
"""

from __future__ import annotations

from collections.abc import Sequence

from dotagent.search.table import Table


def begin(table: Table, model: str) -> None:
    """Let the vectors be of this model: those of another go."""
    row = table.db.execute("SELECT value FROM meta WHERE name = 'model'").fetchone()
    if row is None or row[0] != model:
        with table.writing():
            table.db.execute("DELETE FROM vector")
            table.db.execute("INSERT OR REPLACE INTO meta VALUES ('model', ?)", (model,))


def missing(table: Table, most: int) -> list[tuple[int, str]]:
    """The keys and texts of the newest passages without a vector."""
    sql = """SELECT said.key, text FROM said WHERE NOT EXISTS (SELECT 1 FROM vector WHERE vector.key = said.key)
        ORDER BY said.key DESC LIMIT ?"""
    return list(table.db.execute(sql, (most,)))


def left(table: Table) -> int:
    """How many have none."""
    (said,), (made,) = (table.db.execute(f"SELECT count(*) FROM {name}").fetchone() for name in ("said", "vector"))
    return int(said - made)


def add(table: Table, rows: Sequence[tuple[int, bytes]]) -> None:
    """File the vectors, 16-bit floats each, by their keys."""
    with table.writing():
        table.db.executemany("INSERT OR REPLACE INTO vector VALUES (?,?)", rows)


def all_of(table: Table) -> tuple[list[int], list[bytes]]:
    """All keys, and their vectors."""
    rows = table.db.execute("SELECT key, floats FROM vector").fetchall()
    return [key for key, _ in rows], [floats for _, floats in rows]
