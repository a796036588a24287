"""Preparing an agent's directory at each start: make it usable, and move the agent's own files into `files/`.

If dotagent needs a name for a file or directory of another kind, it renames the obstacle to `NAME.odd-<number>`. In
homes of earlier versions, the agent's own files were next to its documents. Each is moved by one rename, so that a
crash loses none, and the next start moves the rest. It follows no links and overwrites nothing. Owns nothing on disk.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from dotagent import errors
from dotagent.life.events import Error, Tell, Warn
from dotagent.life.session import Session
from dotagent.store import disk, log_search, reserved_names, safe_paths, work_folder
from dotagent.store.reserved_names import WORK
from dotagent.text import escape, lazy
from dotagent.text.sizes import plural

NAMED = 5  # invalid files that one message names
DEEP = ("memory", "run", "processes", "due")  # directories whose content is checked, too
FOLDERS = lazy.compile(  # names of directories
    r"subs|run|processes|due|memory|bank|skills|run/(?:now|hooks|shared|packs(?:/[^/]+)?)|processes/[1-9]\d*|"
    r"memory/(?:working(?:/[^/.]+(?:/dreams)?)?|semantic(?:/retired)?|dreams|personal(?:/[^/.]+)?)"
)
FILES = lazy.compile(  # names of regular files
    rf"(?:{'|'.join(map(re.escape, reserved_names.DOCUMENTS))})|memory/(?:.*/)?[^/]+\.(?:md|json|yaml)|"
    r"run/(?:pid|machine|rested|fade|unfade|stop|standing|persona|forget|forgotten|anew)|run/(?:.*/)?[^/]+\.(?:db|json|call|done|taken)|"
    r"(?:run/now|processes/\d+)/(?:pid|out|status|begun|ended|seen|quiet|lock|about\.json|kept-\d+)",
    re.DOTALL,
)
WAS_MADE = ("made", "over")  # directories of killed commands in homes of earlier versions


def begin(session: Session) -> None:
    """Make the directory usable. Report the invalid files in one message, and the moved ones in another."""
    place, odd = session.path, list[str]()
    with suppress(OSError):
        os.chmod(place, stat.S_IMODE(os.lstat(place).st_mode) | 0o700)
    for name in _wrong(place):
        try:
            odd.append(f"{name} was renamed to {work_folder.set_aside(place / name)}")
        except OSError as error:
            odd.append(errors.line(error))
    try:
        work_folder.workspace(place)
        _move(session)
    except OSError as error:
        odd.append(errors.line(error))
    for name in reserved_names.DOCUMENTS:
        if told := _linked(place, name):
            odd.append(told)
    if odd:
        more = f", and {len(odd) - NAMED} more" if len(odd) > NAMED else ""
        told = escape.one_line("; ".join(odd[:NAMED]) + more, 1500)
        tell(session, f"unexpected files in this agent's directory: {told}")


def room(session: Session) -> str:
    """Return the room of the last turn, otherwise the first room, or "" without one."""
    rooms = session.state.heard.rooms
    return session.state.turn.room if session.state.turn.room in rooms else next(iter(sorted(rooms)), "")


def tell(session: Session, text: str) -> None:
    """Post the text once in a room. Without a room, record it as an error."""
    if not (there := room(session)):
        session.record(Error(text))
    elif not any(one.detail.endswith(text) for one in log_search.picked(session.path / "LIFE.md", (Tell.WORD,))):
        session.record(Tell(there, text=text))


def _wrong(place: Path) -> Iterator[str]:
    """Yield the names whose kind is wrong for dotagent. Add missing permissions."""
    for folder in ("", *DEEP):
        found = [one for one in _content(place, folder) if not _is_right(place, one)]
        yield from (one.name for one in found if not any(one.name.startswith(f"{other.name}/") for other in found))


def _content(place: Path, folder: str) -> Iterator[safe_paths.Inside]:
    with suppress(OSError):
        yield from safe_paths.walk(place, folder) if folder else safe_paths.entries(place)


def _is_right(place: Path, one: safe_paths.Inside) -> bool:
    if FOLDERS.fullmatch(one.name):
        return one.is_dir and _granted(place, one, 0o700)
    if FILES.fullmatch(one.name):
        linked = stat.S_ISLNK(one.found.st_mode) and one.name in reserved_names.DOCUMENTS
        return linked or (one.is_file and _granted(place, one, 0o600))
    return True


def _granted(place: Path, one: safe_paths.Inside, needed: int) -> bool:
    """Add the missing permissions of the owner; a file of another user stays unchanged."""
    mode = stat.S_IMODE(one.found.st_mode)
    if mode & needed != needed:
        with suppress(OSError), disk.folder(place, os.path.dirname(one.name)) as above:
            os.chmod(os.path.basename(one.name), mode | needed, dir_fd=above)
    return True


def _linked(place: Path, name: str) -> str:
    """Return the message about a document that is a link, or "" for any other document."""
    path = place / name
    if not path.is_symlink():
        return ""
    try:
        top, inner = reserved_names.standing(place, name)
    except OSError as error:
        return f"could not read {name}: the file is {error.strerror}"
    return f"{name} is a link, so I read and write the file that it leads to: {top / inner}"


def _move(session: Session) -> None:
    """Move the agent's own files into `files/`, after recording a note to the agent."""
    place = session.path
    made = [f"{folder}/{one}" for folder in ("run/now", *_processes(place)) for one in WAS_MADE]
    there = [name for name in made if os.path.lexists(place / name)]
    own = [one.name for one in safe_paths.entries(place) if not reserved_names.is_paper(one.name) and one.name != WORK]
    free = [name for name in own if not os.path.lexists(place / WORK / name)]
    if not free and not there:
        return
    if free:
        told = f"Your own files are now in {WORK}/, where your commands run: {plural(len(free), 'name')} moved there. "
        session.record(Warn(), f"{told}Their old names still work.".encode(), gist="files are moved")
        session.sync()
    for name in free:
        with suppress(OSError):  # for example a mount point; its old name still works
            os.rename(place / name, place / WORK / name)
    for name in there:
        _recover(place, name)
    disk.sync_dir(place / WORK)
    disk.sync_dir(place)


def _processes(place: Path) -> Iterator[str]:
    with suppress(OSError):
        yield from (one.name for one in safe_paths.entries(place, "processes") if one.is_dir)


def _recover(place: Path, name: str) -> None:
    """Keep the files of a command of an earlier version that was killed."""
    if name.endswith(WAS_MADE[1]):
        import shutil

        shutil.rmtree(place / name, ignore_errors=True)
        return
    number = 1
    while os.path.lexists(goal := place / WORK / f"recovered-{number}"):
        number += 1
    with suppress(OSError):
        os.rename(place / name, goal)
