"""Walking a folder: what is there and cannot be listed is an error, not passed over. Owns nothing on disk."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path


def walk(folder: Path) -> Iterator[tuple[str, list[str], list[str]]]:
    """As os.walk, which passes over what it cannot list; but nothing is below what is not there. Raises OSError."""
    return os.walk(folder, onerror=_refused)


def _refused(error: OSError) -> None:
    if not isinstance(error, FileNotFoundError | NotADirectoryError):
        raise error


def names(folder: Path) -> list[str]:
    """The names of what stands in a folder, sorted; none where it is not there. Raises OSError."""
    return sorted(os.listdir(folder)) if folder.is_dir() else []
