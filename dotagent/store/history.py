"""Lines that a person typed in a chat, kept for the next chat. Owns `history/<name>.txt` in the home (0600), one file
for each name.

One entry a line, oldest first. A line end in an entry is written `\\n`, a backslash `\\\\`.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from dotagent.store import disk
from dotagent.store.home import Home

MOST = 1000  # lines
KEPT = 800  # lines kept when there are more than MOST; fewer, so that not every new line rewrites the file


def place(where: Home, name: str) -> Path:
    """Return the path of this person's history."""
    return where.root / "history" / f"{name}.txt"


def read(path: Path) -> list[str]:
    """Return the entries, oldest first. Raises OSError."""
    lines = disk.read(path, missing=b"").decode("utf-8", "replace").split("\n")
    return [entry(line) for line in lines if line][-MOST:]


def entry(line: str) -> str:
    """Decode a line of the file into an entry."""
    return re.sub(r"\\(.)", lambda found: "\n" if found[1] == "n" else found[1], line)


def add(path: Path, entry: str) -> None:
    """Append an entry. Raises OSError."""
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
