"""Which names in an agent's directory are reserved: the documents, the notes, and dotagent's own files.

Everything else of an agent is in `files/`, the only part of its directory that commands see. Commands cannot write next
to the documents, so only a person can have made a document a link. Such a link is followed one step, but never into the
home. Owns nothing on disk.
"""

from __future__ import annotations

import errno
import os
import re
from pathlib import Path

from dotagent.store import bootstrap, disk
from dotagent.text import lazy

WORK = "files"  # the working directory of commands
FOLDERS = ("subs", "run", "processes", "due", "undo")  # dotagent's own folders
MEMORY = "memory"  # the folder of an agent's notes
NOTES = (MEMORY, "bank", "skills")
DOCUMENTS = (*bootstrap.ALL, bootstrap.EVIL, "MEMORY.md", "SEGMENT.md", "SUMMARISE.md", "EXAMPLE.md")
RECORD = lazy.compile(  # dotagent's own files, also on a file system that ignores case
    r"(?:SOUL(?:_[A-Z0-9_]+)?|LIFE|context)\.[^/]*|recall\.db[^/]*|fade|agent\.log|\.new-[^/]*",
    re.IGNORECASE | re.DOTALL,
)
ODD = lazy.compile(r"[^/]+\.odd-\d+")  # set aside at a start

_PAPERS = frozenset(name.lower() for name in (*FOLDERS, *NOTES, *DOCUMENTS))


def is_harness(name: str) -> bool:
    """Return whether only dotagent may write this name in an agent's directory."""
    return name.lower() in FOLDERS or RECORD.fullmatch(name) is not None


def is_paper(name: str) -> bool:
    """Return whether a path in an agent's directory begins with a reserved name. Otherwise it belongs to `files/`."""
    first = name.partition("/")[0]
    return first.lower() in _PAPERS or is_harness(first) or ODD.fullmatch(first) is not None


def standing(directory: Path, name: str) -> tuple[Path, str]:
    """Return the real place of a document: its directory and name, after following a person's link.

    Raises NoFile if a link leads into the home, or to something that is not a regular file.
    """
    path = directory / name
    if "/" in name or name not in DOCUMENTS or not path.is_symlink():
        return directory, name
    target = Path(os.path.normpath(directory / os.readlink(path)))
    real = Path(os.path.realpath(target.parent)) / target.name
    if real.is_relative_to(os.path.realpath(directory.parent.parent)):
        raise disk.NoFile(
            errno.ELOOP, "a link into dotagent's data directory, which dotagent does not follow", str(path)
        )
    if not disk.is_file(real):
        raise disk.NoFile(errno.ELOOP, f"a link to {real}, which is not a regular file", str(path))
    return real.parent, real.name


def read(directory: Path, name: str, most: int = disk.MOST) -> bytes:
    """Return a document's content. Raises OSError."""
    return disk.read_below(*standing(directory, name), most)
