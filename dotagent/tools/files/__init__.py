"""What the file tools share: where they may reach, and how a change is announced, made and settled.

They stay inside the agent's directory and the roots that settings allow, symlinks resolved. The record (SOUL, LIFE,
context, blobs, rooms, calls) is not theirs to write: whatever a path is called, what counts is where it leads.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable
from pathlib import Path

from dotagent.life import proposed
from dotagent.life.events import Effect, parse
from dotagent.life.session import Session
from dotagent.sandbox.view import PARTS
from dotagent.store import bootstrap, disk, home, log
from dotagent.store.blobs import content_id
from dotagent.store.home import PROMPTS
from dotagent.store.made import FILES, FOLDERS
from dotagent.text import escape, secrets
from dotagent.text.grammar import ToolCall
from dotagent.tools import ToolError, Whose

MEMORY = 4000  # characters that MEMORY.md may have
MANY = 5  # of its lines that are told when it is full
MOST = 1 << 24  # bytes that a file tool takes from one file
DOCUMENTS = ("SEGMENT.md", "SUMMARISE.md")  # an agent's own copies are made when it first writes them
HARNESS = re.compile(  # what in an agent's own directory is the harness's, also where case means nothing
    rf"\.|{FILES.pattern}|(?:{'|'.join(FOLDERS)})(?:/.*)?", re.IGNORECASE | re.DOTALL
)
LATELY = 2000  # events in which what a life wrote is looked for
_ADDED = re.compile(r"\(added (\d{4}-\d\d-\d\d)\)", re.ASCII)
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
    if bootstrap.is_hidden(session.state.audience, _own(session, path)):
        raise ToolError(f"{name} is not for this life: it belongs to its person's private one")
    return path


def plain(name: str) -> str:
    """A path without the quotes that some models put around it."""
    return name[1:-1] if len(name) > 2 and name[0] == name[-1] and name[0] in "\"'`" else name


def writable(session: Session, name: str) -> Path:
    """The real path of a file this life may write. Raises ToolError."""
    path = _resolve(session, name)
    own = _real(session.path)
    if not _inside(session, path):
        raise ToolError(_reach(session, name))
    kept = _kept(session, path, (*PARTS, *PROMPTS))
    harness = path.is_relative_to(own) and HARNESS.fullmatch(str(path.relative_to(own)))
    alternate = path.parent == _real(session.home.root) and path.name.upper().startswith("SOUL_")
    if kept or harness or alternate:
        raise ToolError(f"{name} is not yours to write: the harness keeps it")
    if bootstrap.is_persons(session.state.audience, _own(session, path)):
        raise ToolError(f"{name} is not yours to write: your person does, with an editor")
    if session.settings.persona_sync == "disabled" and _own(session, path) in proposed.FILES:
        raise ToolError(f"{name} is not yours to write: settings leave it to your person alone")
    return path


def _own(session: Session, path: Path) -> str:
    """The path within the life's own directory; "" for one elsewhere."""
    mine = _real(session.path)
    return str(path.relative_to(mine)) if path.is_relative_to(mine) else ""


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


def is_own(session: Session, data: bytes) -> bool:
    """Whether all that a file holds are words of this life: it wrote the whole of it, lately."""
    sought, own = content_id(data), {NOTHING}
    for line in log.tail(session.path / "LIFE.md", LATELY):
        event = parse(line) if line.event == Effect.WORD else None
        if isinstance(event, Effect) and event.tool in ("WRITE_FILE", "EDIT_FILE", "ADD_TO_FILE"):
            before, after, _ = (*event.what.split(" ", 2), "", "")[:3]
            if event.tool == "WRITE_FILE" or before in own:
                own.add(after)
    return sought in own


def may_change(life: Whose) -> bool:
    """Whether this life has the tools that change files: a helper may have none, or only read them."""
    return life.terms is None or life.terms.workspace == "rw"


def change(session: Session, call: ToolCall, new: Callable[[bytes | None], bytes]) -> bytes:
    """Give the call's file new content, made from what it holds now (None: it is not there), announced first; what is
    to be told of it beside that it is so.

    Raises ToolError.
    """
    name = plain(call.args)
    path = writable(session, name)
    before = _current(session, path, name)
    after = new(before)
    if _own(session, path) in ("MEMORY.md", *bootstrap.ALL) or _own(session, path).startswith("memory/"):
        text = after.decode("utf-8", "replace")
        clear = secrets.masked(text, (before or b"").decode("utf-8", "replace"))
        after = after if clear == text else clear.encode("utf-8", "replace")
        if _own(session, path) == "MEMORY.md" and len(clear) > MEMORY:
            raise ToolError(full(clear))
    after, more = _judged(session, path, before or b"", after)
    there = content_id(before) if path.exists() and before is not None else NOTHING
    session.announce(call, f"{there} {content_id(after)} {name}")
    try:
        disk.make_dir(path.parent)
        disk.replace(path, after, keep=True)
    except (FileExistsError, NotADirectoryError):
        raise ToolError(f"{name}: a part of its path is a file, not a directory") from None
    except OSError as error:
        raise ToolError(f"{name}: {error.strerror}") from None
    return more


def _judged(session: Session, path: Path, before: bytes, after: bytes) -> tuple[bytes, bytes]:
    """What may be written of this, and what is to be told of the rest: who somebody is, policy decides."""
    name = _own(session, path)
    if name not in proposed.FILES or after == before:
        return after, b""
    words = [one.decode("utf-8", "replace") for one in (before, after)]
    text, waits = proposed.judged(session, name, *words)
    told = "\n".join(waits)
    if waits and text.split() == words[0].split():
        raise ToolError(f"{name} is as it was. {told}")
    return text.encode("utf-8", "replace") if waits or text != words[1] else after, f"\n{told}".encode() * bool(waits)


def full(text: str) -> str:
    """What is told of notes that would be too long: by how much, and which of their oldest lines would make room."""
    over, could = len(text) - MEMORY, list[str]()
    lines = [one for one in text.split("\n")[:-2] if one.startswith(("- ", "* "))]
    for one in sorted(lines, key=lambda one: found[-1] if (found := _ADDED.findall(one)) else "~"):
        if over <= 0 or len(could) == MANY:
            break
        could.append(f"“{escape.one_line(one[2:], 60)}”")
        over -= len(one) + 1
    older = f": its oldest lines are {', '.join(could)}" if could else ""
    return f"MEMORY.md would have {len(text):,} characters, at most {MEMORY:,} fit{older}: leave out what matters least"


def recover(
    session: Session, call: ToolCall, what: str, again: Callable[[], bytes], done: Callable[[bytes], bytes]
) -> bytes:
    """What became of an announced change: made (`done` tells of it), not made (`again` makes it), or unknown."""
    before, after, _ = what.split(" ", 2)
    name = plain(call.args)
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
