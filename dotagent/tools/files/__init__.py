"""What the file tools share: where they may reach, and how a change is announced, made and settled.

They stay inside the agent's directory and the roots that settings allow, symlinks resolved. The record (SOUL, LIFE,
context, blobs, rooms, calls) is not theirs to write: whatever a path is called, what counts is where it leads.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Callable
from pathlib import Path

from dotagent.life.session import Session
from dotagent.store import disk, home
from dotagent.store.blobs import content_id
from dotagent.store.home import PROMPTS, SETTINGS
from dotagent.text.grammar import ToolCall
from dotagent.tools import ToolError

MEMORY = 4000  # characters that MEMORY.md may have
MOST = 1 << 24  # bytes that a file tool takes from one file
DOCUMENTS = ("SEGMENT.md", "SUMMARISE.md")  # an agent's own copies are made when it first writes them
HARNESS = re.compile(  # what in an agent's own directory is the harness's, also where case means nothing
    r"\.|(?:SOUL|LIFE|context)\.[^/]*|(?:subs|run)(?:/.*)?|recall\.db.*|fade", re.IGNORECASE | re.DOTALL
)
PARTS = ("blobs", "chats", "calls", "agents", "bridges", ".env", SETTINGS)  # of the home, and no life's to read
NOTHING = "-"  # the id of a file that is not there


def readable(session: Session, name: str) -> Path:
    """The real path of a file this life may read. Raises ToolError."""
    path = _resolve(session, name)
    if name in DOCUMENTS and not path.exists():
        return session.home.root / name
    if path.parent == _real(session.home.chats) and path.suffix == ".md" and path.stem in session.state.heard.rooms:
        return path
    if not _inside(session, path) or _kept(session, path, PARTS):
        raise ToolError(_reach(session, name))
    return path


def writable(session: Session, name: str) -> Path:
    """The real path of a file this life may write. Raises ToolError."""
    path = _resolve(session, name)
    own = _real(session.path)
    if not _inside(session, path):
        raise ToolError(_reach(session, name))
    kept = _kept(session, path, (*PARTS, *PROMPTS))
    harness = path.is_relative_to(own) and HARNESS.fullmatch(str(path.relative_to(own)))
    if kept or harness:
        raise ToolError(f"{name} is not yours to write: the harness keeps it")
    return path


def _kept(session: Session, path: Path, parts: tuple[str, ...]) -> bool:
    """Whether the path lies in one of these parts of the home, and not in this life's own directory."""
    if path.is_relative_to(_real(session.path)):
        return False
    return any(path.is_relative_to(_real(session.home.root / part)) for part in parts)


def read(path: Path, name: str) -> bytes:
    """The file's bytes. Raises ToolError when it is no plain file, or a very large one."""
    try:
        return disk.read(path, MOST)
    except FileNotFoundError:
        raise ToolError(f"there is no file {name}") from None
    except OSError as error:
        if isinstance(error, disk.NoFile) and error.errno != errno.ELOOP:
            raise ToolError(f"{name} is not a plain file") from None
        large = ": RUN head, tail or sed" if error.errno == errno.EFBIG else ""
        raise ToolError(f"{name}: {error.strerror}{large}") from None


def change(session: Session, call: ToolCall, new: Callable[[bytes | None], bytes]) -> None:
    """Give the call's file new content, made from what it holds now (None: it is not there), announced first.

    Raises ToolError.
    """
    name = call.args
    path = writable(session, name)
    before = _current(session, path, name)
    after = new(before)
    if path == _real(session.path) / "MEMORY.md" and len(after.decode("utf-8", "replace")) > MEMORY:
        size = len(after.decode("utf-8", "replace"))
        raise ToolError(
            f"MEMORY.md would have {size:,} characters, at most {MEMORY:,} fit: leave out what matters least"
        )
    there = content_id(before) if path.exists() and before is not None else NOTHING
    session.announce(call, f"{there} {content_id(after)} {name}")
    try:
        disk.make_dir(path.parent)
        disk.replace(path, after, mode=stat.S_IMODE(path.stat().st_mode) if path.exists() else 0o600)
    except (FileExistsError, NotADirectoryError):
        raise ToolError(f"{name}: a part of its path is a file, not a directory") from None
    except OSError as error:
        raise ToolError(f"{name}: {error.strerror}") from None


def recover(
    session: Session, call: ToolCall, what: str, again: Callable[[], bytes], done: Callable[[bytes], bytes]
) -> bytes:
    """What became of an announced change: made (`done` tells of it), not made (`again` makes it), or unknown."""
    before, after, _ = what.split(" ", 2)
    name = call.args
    path = writable(session, name)
    try:
        data: bytes | None = read(path, name)
    except ToolError:
        data = None
    there = content_id(data) if data is not None else NOTHING
    if there == after and data is not None:
        return done(data)
    if there == before:
        return again()
    raise ToolError(f"I was interrupted while I wrote {name}, and it is neither as it was nor as it should be: read it")


def _current(session: Session, path: Path, name: str) -> bytes | None:
    if path.exists():
        return read(path, name)
    if name in DOCUMENTS:
        return read(session.home.root / name, name)
    return None


def _resolve(session: Session, name: str) -> Path:
    if not name or "\0" in name or len(name) > 1000:
        raise ToolError("which file? give its path, e.g. notes/plan.md")
    try:
        path = _real(session.path / Path(name).expanduser())
        path.exists()  # from here on nothing but a race can make looking at it fail
    except RuntimeError:
        raise ToolError(f"{name}: there is no such user") from None
    except OSError as error:
        raise ToolError(f"{name}: {error.strerror}") from None
    return path


def _inside(session: Session, path: Path) -> bool:
    return any(path.is_relative_to(root) for root in [_real(session.path), *_roots(session)])


def _roots(session: Session) -> list[Path]:
    return home.roots(session.home, session.settings, session.state.audience, session.id)


def _reach(session: Session, name: str) -> str:
    roots = ", ".join(map(str, _roots(session)))
    return f"{name} is out of reach: your own directory is yours" + (f", and {roots}" if roots else "")


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path, strict=False))
