"""One question as JSON on stdin, the answer as JSON on stdout: `{"like": [[key, similarity], …], "left": 0}`.

Passages without a vector get theirs first, the newest first, as long as there is time; the next question goes on with
the rest. A vector is of one model: where another is chosen, all are made anew.
"""

from __future__ import annotations

import json
import sqlite3
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from dotagent import embedding
from dotagent.embedding import hosted, local
from dotagent.embedding.hosted import NoVectors
from dotagent.errors import Misuse
from dotagent.search import vectors
from dotagent.search.table import Table
from dotagent.store import home
from dotagent.store.home import Home, Settings

MOST = 400  # passages that are told of beside those that were asked for
FILING = 4.0  # seconds in which vectors are made before the question is answered
BATCH = 256  # passages a time

Embed = Callable[[Sequence[str]], Any]
"""From texts to their vectors, a row each, of length 1: a numpy array of 32-bit floats."""


def main() -> None:
    """Answer."""
    asked = json.load(sys.stdin)
    where = Home(Path(asked["home"]))
    try:
        print(json.dumps(_answer(where, home.settings(where), asked)))
    except (Misuse, NoVectors, sqlite3.Error) as error:
        print(json.dumps({"error": str(error)}))


def _answer(where: Home, settings: Settings, asked: dict[str, Any]) -> dict[str, object]:
    name, embed = _model(where, settings)
    table = Table(Path(asked["table"]))
    try:
        vectors.begin(table, name)
        left = file(table, embed)
        if not asked["query"].strip():
            return {"like": [], "left": left, "model": name}
        return {"like": like(table, embed, asked["query"], asked["keys"]), "left": left, "model": name}
    finally:
        table.close()


def _model(where: Home, settings: Settings) -> tuple[str, Embed]:
    """The model's name and what asks it. Raises NoVectors."""
    chosen = embedding.provider(where, settings)
    if chosen == "local":
        if lacks := embedding.missing(where, settings):
            raise NoVectors(f"missing: {lacks}")
        return local.load(embedding.folder(where, settings))
    if chosen in ("openai", "gemini"):
        return hosted.load(where, chosen, settings.memory_search)
    raise NoVectors("[memory_search] is switched off")


def file(table: Table, embed: Embed) -> int:
    """Make vectors of passages that have none, for a while; how many are left."""
    end = time.monotonic() + FILING
    while rows := vectors.missing(table, BATCH):
        made = embed([text for _, text in rows])
        vectors.add(table, [(key, one.astype("float16").tobytes()) for (key, _), one in zip(rows, made, strict=True)])
        if time.monotonic() > end:
            break
    return vectors.left(table)


def like(table: Table, embed: Embed, query: str, keys: Sequence[int]) -> list[tuple[int, float]]:
    """The passages that are most like the query, and those that were asked for, each with the cosine."""
    import numpy as np

    asked = embed([query])[0]
    found, floats = vectors.all_of(table)
    if not found:
        return []
    rows = np.frombuffer(b"".join(floats), dtype="float16").reshape(len(found), -1)
    near = np.empty(len(found), dtype="float32")
    for start in range(0, len(found), 1 << 16):  # a part at a time: as 32-bit numbers they take twice the memory
        near[start : start + (1 << 16)] = rows[start : start + (1 << 16)].astype("float32") @ asked
    best = np.argpartition(-near, MOST - 1)[:MOST] if len(found) > MOST else np.arange(len(found))
    told = {found[at]: float(near[at]) for at in best}
    wanted = set(keys)
    told |= {key: float(near[at]) for at, key in enumerate(found) if key in wanted}
    return sorted(told.items(), key=lambda one: -one[1])


if __name__ == "__main__":
    main()
