"""The process that makes vectors: one question as JSON on stdin, the answer as JSON on stdout, `{"like": [[key,
similarity], …], "left": 0}`.

Turns without a vector get one first, the newest first, within a time limit; the next question continues. A vector
belongs to one model, so a change of model makes all vectors again.
"""

from __future__ import annotations

import json
import sqlite3
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dotagent import embedding
from dotagent.embedding import hosted, local, vectors
from dotagent.embedding.hosted import Embedder, NoVectors
from dotagent.errors import Misuse
from dotagent.search.table import Table
from dotagent.store import home
from dotagent.store.home import Home, Settings

MOST = 400  # similar turns returned besides those asked about
FILING = 4.0  # seconds for making vectors before the answer


def main() -> None:
    """Answer the question on stdin."""
    asked = json.load(sys.stdin)
    where = Home(Path(asked["home"]))
    try:
        print(json.dumps(_answer(where, home.settings(where), asked)))
    except (Misuse, NoVectors, sqlite3.Error) as error:
        print(json.dumps({"error": str(error)}))


def _answer(where: Home, settings: Settings, asked: dict[str, Any]) -> dict[str, object]:
    model = _model(where, settings)
    table = Table(Path(asked["table"]))
    try:
        vectors.begin(table, model.name)
        left, query = file(table, model), asked["query"]
        near = like(table, model, query, asked["keys"]) if query.strip() else []
        refused = {"refused": model.refused} if model.refused else {}
        return {"like": near, "left": left, "model": model.name, **refused}
    finally:
        table.close()


def _model(where: Home, settings: Settings) -> Embedder:
    """Load the configured model. Raise NoVectors."""
    chosen = embedding.provider(where, settings)
    if chosen == "local":
        if lacks := embedding.missing(where, settings):
            raise NoVectors(f"missing: {lacks}")
        return local.load(embedding.folders(where, settings))
    if chosen in ("openai", "gemini"):
        return hosted.load(where, chosen, settings.memory_search)
    raise NoVectors("[memory_search] is switched off")


def file(table: Table, model: Embedder) -> int:
    """Make vectors for turns without one, for FILING seconds. Return how many are left."""
    end = time.monotonic() + FILING
    while rows := vectors.missing(table, model.some):
        made = model.embed([text for _, text in rows])
        vectors.add(table, [(key, one.astype("float16").tobytes()) for (key, _), one in zip(rows, made, strict=True)])
        if time.monotonic() > end:
            break
    return vectors.count_missing(table)


def like(table: Table, model: Embedder, query: str, keys: Sequence[int]) -> list[tuple[int, float]]:
    """Return the turns most similar to the query and those asked about, each with its cosine."""
    import numpy as np

    asked = model.embed([query])[0]
    if not asked.any():
        return []
    found, floats = vectors.read_all(table)
    if not found:
        return []
    rows = np.frombuffer(b"".join(floats), dtype="float16").reshape(len(found), -1)
    near = np.empty(len(found), dtype="float32")
    for start in range(0, len(found), 1 << 16):  # in parts: 32-bit numbers take twice the memory
        near[start : start + (1 << 16)] = rows[start : start + (1 << 16)].astype("float32") @ asked
    best = np.argpartition(-near, MOST - 1)[:MOST] if len(found) > MOST else np.arange(len(found))
    told = {found[at]: float(near[at]) for at in best}
    wanted = set(keys)
    told |= {key: float(near[at]) for at, key in enumerate(found) if key in wanted}
    return sorted(told.items(), key=lambda one: -one[1])


if __name__ == "__main__":
    main()
