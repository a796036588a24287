"""Rankings of a conversation's turns for a query: RECALL's, the same with meaning, plain FTS5; and their measures."""

from __future__ import annotations

import math
import re
import sqlite3
import time
from collections.abc import Callable, Sequence

import common

from dotagent import embedding
from dotagent.embedding import __main__ as embedding_process
from dotagent.embedding import local
from dotagent.search.index import Index, Like
from dotagent.search.table import Table
from dotagent.search.turn import Passage
from dotagent.store.home import Home, Settings
from dotagent.text.words import STOP

DEPTH = 9  # turns that are asked for, as the RECALL tool asks
LIKE = "RECALL and meaning"

Rank = Callable[[str, int], list[str]]


def plain(turns: Sequence[Passage]) -> Rank:
    """FTS5 as it comes: porter stems, the question's words but the too common ones, OR, ORDER BY bm25."""
    db = sqlite3.connect(":memory:")
    db.execute("CREATE VIRTUAL TABLE turn USING fts5 (text, tokenize='porter unicode61')")
    db.executemany("INSERT INTO turn (rowid, text) VALUES (?,?)", [(turn.number, turn.text) for turn in turns])
    ids = {turn.number: turn.id for turn in turns}

    def rank(query: str, k: int) -> list[str]:
        match = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", query.lower()) if word not in STOP)
        found = db.execute("SELECT rowid FROM turn WHERE turn MATCH ? ORDER BY bm25(turn) LIMIT ?", (match, k))
        return [ids[number] for (number,) in found]

    return rank


def ours(index: Index, like: Like | None = None) -> Rank:
    return lambda query, k: [hit.turn.id for hit in index.search(query, k, like)]


class Meaning:
    """How like a query the passages of an index are, as the process tells it that searches beside RECALL, but asked
    here: the model is loaded once."""

    def __init__(self) -> None:
        where = Home(common.ROOT)
        self._model = local.load(embedding.folders(where, Settings()))

    def of(self, index: Index) -> Like:
        """Turns get their vectors; what comes is asked for each query."""
        table = Table(index.path)
        while embedding_process.file(table, self._model):
            pass
        return lambda query, keys: dict(embedding_process.like(table, self._model, query, list(keys)))


def measures(ranking: Sequence[str], gold: frozenset[str]) -> list[float]:
    """Recall_any@1, 3, 5, 10 (any turn of the evidence among the first k), Recall_all@5, 10 (every one), MRR."""
    places = [ranking.index(one) + 1 if one in ranking else math.inf for one in gold]
    first, last = min(places), max(places)
    found = [float(first <= k) for k in (1, 3, 5, 10)] + [float(last <= k) for k in (5, 10)]
    return [*found, 1 / first]


def mean(rows: Sequence[Sequence[float]]) -> list[float]:
    return [100 * sum(column) / len(rows) for column in zip(*rows, strict=True)]


def timed(ask: Callable[..., object], *values: object, **options: object) -> float:
    """Milliseconds."""
    start = time.perf_counter()
    ask(*values, **options)
    return 1000 * (time.perf_counter() - start)
