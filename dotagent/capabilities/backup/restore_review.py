"""The parts of a backup that can act without being called: settings, hooks, jobs, plug-ins, tool packs and skills.

They would be active immediately after a restore. Until the owner agrees, they are kept in `set-aside/` under the same
relative paths, so that nothing uses them. Owns `set-aside/`.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator
from pathlib import Path

from dotagent.extensions import KINDS
from dotagent.store import disk
from dotagent.store.home import SETTINGS, Home
from dotagent.text import encoding, escape

ASIDE = "set-aside"
SHOWN = 160  # characters of a command or a line
_PLACES = {"jobs": "job", "packs": "tool pack", "skills": "skill", **{k: "plug-in" for k in KINDS if k != "bridges"}}


def inactive_parts(there: Home) -> Iterator[str]:
    """Yield a line for each such part of a home that is not active yet."""
    yield from _settings(there.root / SETTINGS)
    for path in places(there):
        kind = _PLACES.get(path.split("/")[-1], "")
        for entry in sorted((there.root / path).iterdir()) if kind else ():
            yield escape.one_line(f"{kind} {entry.relative_to(there.root)}{_runs(entry)}", SHOWN)


def places(there: Home) -> Iterator[str]:
    """Yield the paths, relative to the home, of the files and folders that contain such parts."""
    if os.path.lexists(there.root / SETTINGS):
        yield SETTINGS
    for folder in _PLACES:
        own = sorted(there.agents.glob(f"*/{folder}")) if folder == "skills" else []
        for path in (there.root / folder, *own):
            if path.is_dir() and any(path.iterdir()):
                yield str(path.relative_to(there.root))


def set_aside(there: Home) -> None:
    """Move these parts out of their places, each to the same path in `set-aside/`."""
    for path in list(places(there)):
        target = there.root / ASIDE / path
        disk.make_dir(target.parent)
        os.rename(there.root / path, target)


def _settings(path: Path) -> Iterator[str]:
    if not disk.is_file(path):
        return
    try:
        told = tomllib.loads(encoding.decode(disk.read(path))[0])
    except ValueError:
        yield f"settings {SETTINGS}, which cannot be read"
        return
    hooks = told.pop("hooks", {})
    for name, value in told.items():
        yield escape.one_line(f"setting {name} = {value!r}", SHOWN)
    for name, hook in hooks.items() if isinstance(hooks, dict) else ():
        yield escape.one_line(f"hook {name}: {hook!r}", SHOWN)


def _runs(path: Path) -> str:
    """Describe a job file's settings, or say that the file cannot be read."""
    try:
        whole = disk.read(path) if path.suffix == ".toml" and disk.is_file(path) else b""
        told = tomllib.loads(encoding.decode(whole)[0])
    except ValueError:
        return ", which cannot be read"
    return ": " + ", ".join(f"{name} = {value!r}" for name, value in told.items()) if told else ""
