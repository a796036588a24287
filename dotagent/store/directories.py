"""List directories; raise OSError for an unreadable directory instead of skipping it. Owns nothing on disk."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

CHECKOUT = frozenset(
    ".ci .dockerignore .git .gitignore CONTRIBUTING.md LICENSE Makefile README.md agent.py bench chat.py clean.py "
    "compose.yaml deploy docs dotagent findings pyproject.toml requirements-dev.txt requirements.txt tests".split()
)
"""What a checkout contains that belongs to no person: all except the prompts. A home may be a checkout."""


def walk(folder: Path) -> Iterator[tuple[str, list[str], list[str]]]:
    """Walk like os.walk, but raise OSError for an unreadable directory. A missing directory is empty. The depth has no
    limit, because a command can nest folders."""
    waiting = [os.fspath(folder)]
    while waiting:
        place = waiting.pop()
        try:
            with os.scandir(place) as found:
                entries = list(found)
        except (FileNotFoundError, NotADirectoryError):
            continue
        kinds = [(one.name, os.path.isdir(one) if one.is_symlink() else one.is_dir()) for one in entries]
        folders = [name for name, is_folder in kinds if is_folder]
        yield place, folders, [name for name, is_folder in kinds if not is_folder]  # the caller may change the folders
        below = (os.path.join(place, name) for name in reversed(folders))
        waiting += [path for path in below if not os.path.islink(path)]


def names(folder: Path) -> list[str]:
    """Return the sorted names in a directory, or nothing if it is missing. Raises OSError."""
    return sorted(os.listdir(folder)) if folder.is_dir() else []
