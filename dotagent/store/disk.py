"""All disk access of dotagent: append, or write a temporary file and rename it; callers choose when to sync.

Everything here is a direct os call, because the crash test wraps these calls and kills the process at each of them. A
new name is durable after its directory is synced, and content after the file is synced; POSIX promises no more. Owns
nothing on disk.
"""

from __future__ import annotations

import errno
import fcntl
import itertools
import os
import re
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from dotagent.text import lazy

MOST = 1 << 26  # bytes read at once; only rooms, LIFE and blobs may be larger
PROBED = 0.5  # seconds: longer than a process that only tests a lock will keep it
PIECE = 1 << 20  # bytes per read of a file that grew meanwhile

_STRANGE = dict.fromkeys((errno.ENXIO, errno.EOPNOTSUPP), "not a regular file")  # open(2) errors for special files
_STRANGE |= {code: os.strerror(code) for code in (errno.ELOOP, errno.EISDIR)}
_TOPS = lazy.compile(  # the outermost directory of an agent or a project: names further in may be a command's
    r"(.*?/(?:agents/[0-9a-f]{32}|\.agent))/(?:(.+)/)?([^/]+)", re.DOTALL
)
_names = itertools.count()


class Held(OSError):
    """Raised when another process keeps the flock(2) of a file for longer than the caller waits."""


class NoFile(OSError):
    """Raised for a link, pipe, socket, device or directory in the place of a regular file."""


def with_path(error: OSError, path: str | Path) -> OSError:
    """Return the error with its whole path, because a call on a descriptor does not know the path."""
    known = isinstance(error.filename, str | bytes) and os.path.isabs(error.filename)
    return error if known else type(error)(error.errno, error.strerror, str(path))


@contextmanager
def naming(path: str | Path) -> Iterator[None]:
    """Add the path to any OSError raised in the block."""
    try:
        yield
    except OSError as error:
        raise with_path(error, path) from None


@contextmanager
def folder(top: str | Path, name: str = "", *, make: bool = False) -> Iterator[int]:
    """Open the directory `name` below `top`; with `make`, create missing parts."""
    fd = os.open(top, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for at, part in enumerate(parts := _parts(name)):
            below = _step(fd, part, make, os.path.join(top, *parts[: at + 1]))
            os.close(fd)
            fd = below
        yield fd
    finally:
        os.close(fd)


def _parts(name: str) -> list[str]:
    found = [part for part in name.split("/") if part not in ("", ".")]
    if ".." in found or any("\0" in part for part in found):
        raise OSError(errno.EINVAL, "the path must not contain ..", name)
    return found


def _step(fd: int, part: str, make: bool, path: str) -> int:
    try:
        return open_dir(part, fd)
    except OSError as error:
        if make and error.errno == errno.ENOENT:
            with suppress(FileExistsError):
                os.mkdir(part, 0o700, dir_fd=fd)
            os.fsync(fd)
            return _step(fd, part, False, path)
        if _is_link(fd, part):
            raise NoFile(errno.ELOOP, "a link, and links are not followed", path) from None
        raise OSError(error.errno, error.strerror, path) from None


def _is_link(fd: int, part: str) -> bool:
    try:
        return stat.S_ISLNK(os.stat(part, dir_fd=fd, follow_symlinks=False).st_mode)
    except OSError:
        return False


def _inside(path: str | Path) -> tuple[str, str, str] | None:
    """Split a path below an agent's directory or a project's memory into that directory, the folders and the name.

    Below these directories links are never followed.
    """
    told = os.fspath(path)
    found = _TOPS.fullmatch(told) if "/agents/" in told or "/.agent/" in told else None  # most paths are of blobs
    return (found[1], found[2] or "", found[3]) if found else None


@contextmanager
def _place(path: str | Path) -> Iterator[tuple[int, str]]:
    """Open the directory of a file for the block. Yield its descriptor, and the file's name in it."""
    top, inner, name = _inside(path) or (os.path.dirname(path) or ".", "", os.path.basename(path))
    with naming(path), folder(top, inner) as above:
        yield above, name


def make_dir(path: str | Path, *, durable: bool = True) -> None:
    """Create the directory and its parents with mode 0700. With `durable` False, the caller must sync the parent. An
    existing directory is not changed."""
    if (parts := _inside(path)) and os.path.isdir(parts[0]):
        with folder(parts[0], f"{parts[1]}/{parts[2]}", make=True):
            return
    if os.path.isdir(path):
        return
    above = os.path.dirname(path) or "."
    if not os.path.isdir(above):
        make_dir(above)
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        if not os.path.isdir(path):
            raise
    if durable:
        sync_dir(above)


def open_file(path: str | Path, flags: int = os.O_RDONLY, mode: int = 0o600, *, follow: bool = False,
              above: int | None = None) -> int:  # fmt: skip
    """Return a descriptor of a regular file. Every file of a home is opened here.

    Anything else is refused at once (NoFile), so that no process blocks on a pipe, reads a device endlessly, or is led
    out of the home. With `follow`, a link is followed, for files that a person may link. `above` is an open directory
    that contains the file.
    """
    if above is None and not follow and (parts := _inside(path)) and parts[1]:
        try:
            with folder(*parts[:2]) as inner:
                return open_file(parts[2], flags, mode, above=inner)
        except OSError as error:
            raise type(error)(error.errno, error.strerror, str(path)) from None
    way = flags | os.O_NONBLOCK | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW)
    try:
        fd = os.open(path, way, mode, dir_fd=above)
    except OSError as error:
        if error.errno in _STRANGE:
            raise NoFile(error.errno, _STRANGE[error.errno], str(path)) from None
        if follow and error.errno == errno.ENOENT and os.path.islink(path):
            raise NoFile(errno.ELOOP, "a link that leads nowhere", str(path)) from None
        raise
    kind = os.fstat(fd).st_mode
    if stat.S_ISREG(kind):
        return fd
    os.close(fd)
    code = errno.EISDIR if stat.S_ISDIR(kind) else errno.ENXIO
    raise NoFile(code, _STRANGE[code], str(path))


def open_dir(path: str | Path, above: int | None = None) -> int:
    """Return a descriptor of a directory, relative to the open directory `above` if given. Links are refused."""
    return os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=above)


def open_pipe(path: Path) -> int:
    """Return a non-blocking descriptor for writing to a named pipe. Raises OSError, with ENXIO if no process reads the
    pipe."""
    fd = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    if stat.S_ISFIFO(os.fstat(fd).st_mode):
        return fd
    os.close(fd)
    raise NoFile(errno.EINVAL, "no pipe", str(path))


def is_file(path: Path) -> bool:
    """Return True for a regular file, False for a link or anything else."""
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False


@contextmanager
def open_regular(path: str | Path, flags: int = os.O_RDONLY) -> Iterator[int]:
    """Open the regular file for the block and yield its descriptor."""
    fd = open_file(path, flags)
    try:
        yield fd
    finally:
        os.close(fd)


@contextmanager
def reading(path: Path) -> Iterator[BinaryIO]:
    """Open the regular file for reading in the block. Errors name the path."""
    with naming(path), os.fdopen(open_file(path), "rb") as file:
        yield file


def read(path: str | Path, most: int = MOST, *, follow: bool = False, missing: bytes | None = None) -> bytes:
    """Return the bytes of a regular file, or `missing` if the file does not exist and `missing` is given.

    Uses as few system calls as possible, because a resume reads a thousand blobs. Raises OSError, also for more than
    `most` bytes.
    """
    try:
        fd = open_file(path, follow=follow)
    except FileNotFoundError:
        if missing is None:
            raise
        return missing
    try:
        return read_and_close(fd, most)
    except OSError as error:
        raise with_path(error, path) from None


def read_and_close(fd: int, most: int) -> bytes:
    """Return all bytes of an open file and close it. Raises OSError if there are more than `most`."""
    try:
        size = os.fstat(fd).st_size
        if size > most:
            raise OSError(errno.EFBIG, f"the file has {size:,} bytes, but the limit is {most:,}")
        data = more = os.read(fd, size + 1)
        while more and len(data) != size:  # the file grew or shrank meanwhile
            data += (more := os.read(fd, PIECE))
            if len(data) > most + PIECE:
                raise OSError(errno.EFBIG, f"the file has more than {most:,} bytes, which is the limit")
    finally:
        os.close(fd)
    return data


def read_below(top: Path, name: str, most: int = MOST) -> bytes:
    """Return the bytes of a regular file below `top`, without following a link there (store/safe_paths.py). Raises
    OSError, also for more than `most` bytes."""
    inner, _, last = name.rpartition("/")
    with folder(top, inner) as above, naming(top / name):
        if last in ("", ".", ".."):
            raise NoFile(errno.EISDIR, os.strerror(errno.EISDIR), str(top / name))
        return read_and_close(open_file(last, above=above), most)


def open_append(path: Path) -> int:
    """Return a descriptor for appending. A missing file is created with mode 0600."""
    return open_file(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)


def append(fd: int, data: bytes, path: str | Path) -> None:
    """Append all bytes to an open file. Raises OSError with the file's name."""
    view = memoryview(data)
    with naming(path):
        while view:
            view = view[os.write(fd, view) :]


def append_line(fd: int, data: bytes, path: Path) -> None:
    """Append whole lines. If a crash left an incomplete last line, a newline ends it first. `fd` must be readable."""
    size = os.fstat(fd).st_size
    torn = size > 0 and os.pread(fd, 1, size - 1) != b"\n"
    append(fd, b"\n" + data if torn else data, path)


def sync(fd: int, path: str | Path) -> None:
    """Wait until the file's content is on the disk."""
    with naming(path):
        if sys.platform == "darwin":  # fsync there leaves the data in the drive's cache
            fcntl.fcntl(fd, fcntl.F_FULLFSYNC)
        else:
            os.fdatasync(fd)


def sync_file(path: str | Path) -> None:
    """Wait until the content of the file with this name is on the disk."""
    with open_regular(path) as fd:
        sync(fd, path)


def sync_dir(path: str | Path) -> None:
    """Wait until the names in the directory are on the disk."""
    with folder(path) as fd, naming(path):
        os.fsync(fd)


def write_aside(directory: str | Path | int, data: bytes, *, mode: int = 0o600, durable: bool = False) -> str:
    """Write the bytes to a new file in the directory, given by its path or its descriptor. Return the file's temporary
    path, or its name in the open directory. The caller must rename or link it."""
    folder, above = ("", directory) if isinstance(directory, int) else (f"{directory}/", None)
    while True:
        path = f"{folder}.new-{os.getpid()}-{next(_names)}"
        with suppress(FileExistsError):  # left by a crashed process with the same pid
            fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode, dir_fd=above)
            break
    try:
        append(fd, data, path)
        if durable:
            sync(fd, path)
    except OSError:
        os.unlink(path, dir_fd=above)
        raise
    finally:
        os.close(fd)
    return path


def move(aside: str | Path, path: str | Path, above: int | None = None) -> None:
    """Rename a file from `write_aside`, in the open directory `above` if given; if that fails, remove the file. Raises
    OSError with the final name."""
    try:
        os.rename(aside, path, src_dir_fd=above, dst_dir_fd=above)
    except OSError as error:
        os.unlink(aside, dir_fd=above)
        raise with_path(error, path) from None


def link(aside: str, path: str | Path, above: int | None = None) -> bool:
    """Link a file from `write_aside` to its name, like `move`. Return False if the name is taken."""
    try:
        os.link(aside, path, src_dir_fd=above, dst_dir_fd=above, follow_symlinks=False)
    except FileExistsError:
        return False
    finally:
        os.unlink(aside, dir_fd=above)
    return True


def replace(path: Path, data: bytes, *, mode: int = 0o600, keep: bool = False, durable: bool = True) -> None:
    """Replace the file's content atomically: a reader sees the old or the new bytes, never a mixture. With `keep`, an
    existing file keeps its mode."""
    mode = stat.S_IMODE(path.stat().st_mode) if keep and path.exists() else mode
    with _place(path) as (above, name):
        replace_in(above, name, data, mode, durable=durable)


def replace_in(folder: int, name: str, data: bytes, mode: int = 0o600, *, durable: bool = True) -> None:
    """Replace the content of a file in the open directory in one step."""
    move(write_aside(folder, data, mode=mode, durable=durable), name, folder)
    if durable:
        os.fsync(folder)


def create(path: str | Path, data: bytes) -> bool:
    """Create the file durably. Return False if the name is taken; this name is durable, too, because its creator may
    have crashed."""
    with _place(path) as (above, name):
        made = link(write_aside(above, data, durable=True), name, above)
        os.fsync(above)
        return made


def names(path: str | Path, suffix: str = "") -> list[str]:
    """Return the sorted names in a directory that end with `suffix`, or nothing if the directory is missing.

    Below the directory of an agent or a project no link is followed, and an unreadable directory counts as empty.
    """
    parts = _inside(path)
    try:
        with folder(parts[0], f"{parts[1]}/{parts[2]}") if parts else folder(path) as fd:
            return sorted(name for name in os.listdir(fd) if name.endswith(suffix))
    except (FileNotFoundError, NotADirectoryError, NoFile):
        return []
    except PermissionError:
        if parts:
            return []
        raise


def remove(path: str | Path) -> bool:
    """Remove the file. Return False if it did not exist."""
    try:
        with _place(path) as (above, name):
            os.unlink(name, dir_fd=above)
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


@contextmanager
def locked(fd: int) -> Iterator[None]:
    """Take the file's flock(2) for the block, waiting as long as necessary."""
    fcntl.flock(fd, fcntl.LOCK_EX)
    try:
        yield
    finally:
        fcntl.flock(fd, fcntl.LOCK_UN)


@contextmanager
def briefly_locked(fd: int, path: Path, seconds: float) -> Iterator[None]:
    """Take the flock(2) of a file that people may open in an editor, waiting at most `seconds`. Raises Held."""
    if not try_lock(fd, seconds):
        raise held(path)
    try:
        yield
    finally:
        fcntl.flock(fd, fcntl.LOCK_UN)


@contextmanager
def locked_dir(path: str | Path) -> Iterator[None]:
    """Take the directory's flock(2) for the block, waiting as long as necessary."""
    with folder(path) as fd, locked(fd):
        yield


def held(path: Path) -> Held:
    """Return the error about a file whose flock(2) another process keeps."""
    return Held(errno.EWOULDBLOCK, "another program has locked this file; close the file there", str(path))


def unlock(fd: int) -> None:
    """Give the file's flock(2) back, if this descriptor has it."""
    fcntl.flock(fd, fcntl.LOCK_UN)


def try_lock(fd: int, seconds: float = 0.0, *, shared: bool = False) -> bool:
    """Take the file's flock(2), waiting at most `seconds`. Return False if it is taken. It is held until the descriptor
    closes. The first tries are close together, because most processes keep a lock only while they sync one line."""
    begun = time.monotonic()
    while True:
        with suppress(BlockingIOError):
            fcntl.flock(fd, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
            return True
        passed = time.monotonic() - begun
        if passed >= seconds:
            return False
        time.sleep(min(0.0003 if passed < 0.1 else 0.02, seconds - passed))


def is_locked(path: Path) -> bool:
    """Return True if another process has the file's flock(2)."""
    try:
        with open_regular(path) as fd:
            return not try_lock(fd, shared=True)
    except (FileNotFoundError, NoFile):
        return False
