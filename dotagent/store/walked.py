"""Looking into folders: what is there and nobody may look at is an error, not passed over. Owns nothing on disk."""

from __future__ import annotations

import os
import stat
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


def is_file(path: Path) -> bool:
    """Whether a plain file stands there. Raises PermissionError where nobody may look, as disk.is_file does not."""
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except PermissionError:
        raise
    except OSError:
        return False
