"""The few ways in which dotagent touches a disk: append, or write aside and rename, and say when it must be durable.

Everything here is a bare os call on purpose: the crash test wraps those calls, and dies at each of them in turn.
A new name is durable once its directory is synced, a file's content once the file is (POSIX promises no more).
"""

from __future__ import annotations

import errno
import fcntl
import itertools
import os
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

MOST = 1 << 26  # bytes of a file that are read at once: none of ours is larger, but for rooms, LIFE and blobs
PROBED = 0.5  # seconds in which who only looks whether a lock is held, and holds it for that moment, is gone again
PIECE = 1 << 20  # bytes that are asked for at a time, of what grew while it was read

_STRANGE = dict.fromkeys((errno.ENXIO, errno.EOPNOTSUPP), "no plain file")  # how a system refuses what is none
_STRANGE |= {code: os.strerror(code) for code in (errno.ELOOP, errno.EISDIR)}
_names = itertools.count()


class NoFile(OSError):
    """A link, pipe, socket, device or directory stands where a plain file should be."""


def named(error: OSError, path: str | Path) -> OSError:
    """The same error, saying where: calls on descriptors do not know their file's name."""
    return error if error.filename else OSError(error.errno, error.strerror, str(path))


@contextmanager
def naming(path: str | Path) -> Iterator[None]:
    """An error of the system in the block says where it happened."""
    try:
        yield
    except OSError as error:
        raise named(error, path) from None


def make_dir(path: str | Path, *, durable: bool = True) -> None:
    """Make the directory, 0700, and its parents; durably, unless its caller syncs the parent later. One that is there
    is left as it is."""
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
    """A descriptor of a plain file: the one way in which a file of a home is opened.

    Whatever else stands under the name is refused at once (NoFile), so that nobody waits for the other end of a pipe,
    reads a device for ever, or is led out of the home. `follow`: a link is followed, where a person may make one;
    `above`: the open directory that it lies in.
    """
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
    """A descriptor of a directory, of one that lies in the open `above` where that is given; a link is none."""
    return os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=above)


def open_pipe(path: Path) -> int:
    """A descriptor that writes into a named pipe, and never waits. Raises OSError, ENXIO where nobody reads it."""
    fd = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    if stat.S_ISFIFO(os.fstat(fd).st_mode):
        return fd
    os.close(fd)
    raise NoFile(errno.EINVAL, "no pipe", str(path))


def is_file(path: Path) -> bool:
    """Whether a plain file stands under the name; a link is none."""
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False


@contextmanager
def opened(path: str | Path, flags: int = os.O_RDONLY) -> Iterator[int]:
    """A descriptor of the plain file for the time of the block."""
    fd = open_file(path, flags)
    try:
        yield fd
    finally:
        os.close(fd)


@contextmanager
def reading(path: Path) -> Iterator[BinaryIO]:
    """The plain file, to be read in the block; an error there says where it happened."""
    with naming(path), os.fdopen(open_file(path), "rb") as file:
        yield file


def read(path: str | Path, most: int = MOST, *, follow: bool = False, missing: bytes | None = None) -> bytes:
    """A plain file's bytes, by as few calls as that takes: a resume reads a thousand blobs; where there is no file what
    is given as `missing`. Raises OSError, also for more than `most` bytes."""
    try:
        fd = open_file(path, follow=follow)
    except FileNotFoundError:
        if missing is None:
            raise
        return missing
    try:
        size = os.fstat(fd).st_size
        if size > most:
            raise OSError(errno.EFBIG, f"{size:,} bytes, more than the {most:,} that are read", str(path))
        data = more = os.read(fd, size + 1)
        while more and len(data) != size:  # it grew meanwhile, or was cut
            data += (more := os.read(fd, PIECE))
    except OSError as error:
        raise named(error, path) from None
    finally:
        os.close(fd)
    return data


def open_append(path: Path) -> int:
    """A descriptor that appends to the file, made 0600 when it is not there."""
    return open_file(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)


@contextmanager
def opened_dir(path: str | Path) -> Iterator[int]:
    """A descriptor of the directory for the time of the block."""
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield fd
    finally:
        os.close(fd)


def append(fd: int, data: bytes, path: str | Path) -> None:
    """Append all of the bytes to an open file. Raises OSError with the file's name."""
    view = memoryview(data)
    with naming(path):
        while view:
            view = view[os.write(fd, view) :]


def append_line(fd: int, data: bytes, path: Path) -> None:
    """Append whole lines behind whatever is there: a line that a death tore is ended first. `fd` can also be read."""
    size = os.fstat(fd).st_size
    torn = size > 0 and os.pread(fd, 1, size - 1) != b"\n"
    append(fd, b"\n" + data if torn else data, path)


def sync(fd: int, path: str | Path) -> None:
    """Wait until the file's content is on the disk itself."""
    with naming(path):
        if sys.platform == "darwin":  # fsync there leaves the data in the drive's cache
            fcntl.fcntl(fd, fcntl.F_FULLFSYNC)
        else:
            os.fdatasync(fd)


def sync_file(path: str | Path) -> None:
    """Wait until the content of the file under this name is on the disk."""
    with opened(path) as fd:
        sync(fd, path)


def sync_dir(path: str | Path) -> None:
    """Wait until the names in the directory are on the disk."""
    with opened_dir(path) as fd, naming(path):
        os.fsync(fd)


def write_aside(directory: str | Path, data: bytes, *, mode: int = 0o600, durable: bool = False) -> str:
    """Write the bytes to a new file of a passing name in the directory; who renames or links it finishes the work."""
    while True:
        path = f"{directory}/.new-{os.getpid()}-{next(_names)}"
        with suppress(FileExistsError):  # a process that had this pid before died here
            fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
            break
    try:
        append(fd, data, path)
        if durable:
            sync(fd, path)
    except OSError:
        os.unlink(path)
        raise
    finally:
        os.close(fd)
    return path


def move(aside: str | Path, path: str | Path) -> None:
    """Give a file that was written aside its name; when that fails, it goes. Raises OSError with the name."""
    try:
        os.rename(aside, path)
    except OSError as error:
        os.unlink(aside)
        raise named(error, path) from None


def replace(path: Path, data: bytes, *, mode: int = 0o600, keep: bool = False, durable: bool = True) -> None:
    """Give the file this content at once: a reader sees the old bytes or the new, never a part. `keep`: one that is
    there keeps its rights."""
    mode = stat.S_IMODE(path.stat().st_mode) if keep and path.exists() else mode
    move(write_aside(path.parent, data, mode=mode, durable=durable), path)
    if durable:
        sync_dir(path.parent)


def create(path: str | Path, data: bytes, aside: str | Path) -> bool:
    """Make the file with this content, written first in the directory `aside`, durably; False when it is there."""
    new = write_aside(aside, data, durable=True)
    try:
        os.link(new, path)
    except FileExistsError:
        return False
    finally:
        os.unlink(new)
    sync_dir(os.path.dirname(path) or ".")
    return True


def remove(path: str | Path) -> bool:
    """Remove the file's name; False when it was not there."""
    try:
        os.unlink(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


@contextmanager
def locked(fd: int, *, shared: bool = False) -> Iterator[None]:
    """Hold the file's flock(2) for the time of the block, waiting for it."""
    fcntl.flock(fd, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
    try:
        yield
    finally:
        fcntl.flock(fd, fcntl.LOCK_UN)


@contextmanager
def locked_dir(path: str | Path) -> Iterator[None]:
    """Hold the directory's flock(2) for the time of the block, waiting for it."""
    with opened_dir(path) as fd, locked(fd):
        yield


def try_lock(fd: int, seconds: float = 0.0) -> bool:
    """Take the file's flock(2) if nobody holds it for longer than that; it is held until the descriptor closes."""
    end = time.monotonic() + seconds
    while True:
        with suppress(BlockingIOError):
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        if time.monotonic() >= end:
            return False
        time.sleep(0.02)


def is_locked(path: Path) -> bool:
    """Whether somebody holds the file's flock(2) now."""
    try:
        with opened(path) as fd:
            fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except (FileNotFoundError, NoFile):
        return False
    except BlockingIOError:
        return True
    return False
