"""The lines a person typed before, kept for the next time. Owns `history/<name>.txt` in the home (0600): of one home,
and of who talks there under one name.

One entry a line, oldest first; a line end within an entry is written `\\n`, a backslash `\\\\`.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from dotagent.store import disk
from dotagent.store.home import Home

MOST = 1000  # lines
KEPT = 800  # lines that stay when there are more than MOST: so the file is not written anew each time


def place(where: Home, name: str) -> Path:
    """Where the history of who is called so is."""
    return where.root / "history" / f"{name}.txt"


def read(path: Path) -> list[str]:
    """The entries, oldest first; none when there is no file. Raises OSError."""
    lines = disk.read(path, missing=b"").decode("utf-8", "replace").split("\n")
    return [entry(line) for line in lines if line][-MOST:]


def entry(line: str) -> str:
    """The entry that a line of the file is."""
    return re.sub(r"\\(.)", lambda found: "\n" if found[1] == "n" else found[1], line)


def add(path: Path, entry: str) -> None:
    """Keep one more entry. Raises OSError."""
    line = entry.replace("\\", "\\\\").replace("\n", "\\n").encode("utf-8", "replace") + b"\n"
    disk.make_dir(path.parent)
    fd = disk.open_file(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    try:
        os.fchmod(fd, 0o600)
        disk.append(fd, line, path)
    finally:
        os.close(fd)
    lines = disk.read(path).split(b"\n")[:-1]
    if len(lines) > MOST:
        disk.replace(path, b"".join(one + b"\n" for one in lines[-KEPT:]), durable=False)
