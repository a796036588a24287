"""Python's module for the compression zstd, which only backups and deletions load. Owns nothing on disk."""

from __future__ import annotations

import sys
from types import ModuleType

from dotagent import packages
from dotagent.errors import Misuse


def load() -> ModuleType:
    """Return the module. Raises Misuse if Python is older than 3.14 and its backport is not installed."""
    try:
        if sys.version_info >= (3, 14):
            from compression import zstd
        else:
            from backports import zstd
    except ImportError as missing:
        raise Misuse(packages.lacks(missing)) from None
    return zstd
