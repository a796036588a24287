"""Back up a home to one file and restore it. The file is a zstd-compressed tar archive, made while agents run.

The backup is consistent. While it notes the ends of LIFE and the rooms, it locks the rooms. A message is announced in
LIFE before it is in a room, so a resumed agent posts any announced message that the room lacks. Blobs come last, so
every blob that LIFE names is included. Secrets, calls, caches and running commands are left out. The last member lists
the BLAKE3 hash of every file, and a restore checks these. Owns nothing on disk itself; merging.py restores.
"""

from __future__ import annotations

import io
import json
import os
import re
import stat
import tarfile
from collections.abc import Iterator
from contextlib import ExitStack, nullcontext
from pathlib import Path, PurePosixPath
from typing import IO

import blake3

from dotagent.errors import Trouble
from dotagent.extensions import KINDS
from dotagent.store import directories, disk, notes, rooms
from dotagent.store.bootstrap import DRAFTS
from dotagent.store.home import PROMPTS, SETTINGS, Home
from dotagent.store.zstd import load
from dotagent.text import times
from dotagent.text.lazy import dataclass

LIST = "MANIFEST.jsonl"
FORMAT = "dotagent backup 1"
OTHERS = ("forgotten", "jobs", "memory", "names", "packs", "skills", *(kind for kind in KINDS if kind != "bridges"))
"""Folders of a home other than agents, rooms and blobs."""
LEFT = re.compile(  # left out of an agent's directory
    r"(?:.*/)?(?:\.env|\.new-[^/]*)|context\.md|recall\.db.*|agent\.log|(?:un)?fade|standing|(?:run|processes)(?:/.*)?",
    re.DOTALL,
)
GROWS = re.compile(r"chats/[^/]+\.md|agents/[0-9a-f]{32}/LIFE\.md|bridges/[^/]+/(?:journal|pairs)\.jsonl")
DAILY = re.compile(rf"agents/[0-9a-f]{{32}}/{notes.FOLDER}/{notes.DAY.pattern}\.md", re.ASCII)  # an agent's daily note
LINK = re.compile(r"\.\./\.\./\.\./chats/[a-z0-9][a-z0-9_-]*\.md")
LINKED = re.compile(r"agents/[^/]+/subs/[^/]+")  # if a backup contains links to rooms
PLACE = re.compile(
    rf"(?:agents|blobs|bridges|chats|{'|'.join(OTHERS)})/.+|{'|'.join(map(re.escape, (*PROMPTS, *DRAFTS, SETTINGS)))}",
    re.DOTALL,
)
LEVEL = 6  # zstd compression level
MODE = 0o777  # the part of a file's mode that is kept
CHUNK = 1 << 20  # bytes


@dataclass(frozen=True)
class Portion:
    """A file of the backup: its path in the home, and how many of its bytes to include (-1: all), or a link's
    target."""

    path: str
    size: int = -1
    link: str = ""


@dataclass(frozen=True)
class Kept:
    """The number of files in an archive, their bytes, and the paths left out because they are not regular files."""

    files: int
    size: int
    strange: tuple[str, ...] = ()


def cut(home: Home) -> Iterator[Portion]:
    """Yield the parts of the home that a backup contains, in the order in which they must be read. Raises OSError."""
    with ExitStack() as held:
        for room in home.rooms():  # only an editor keeps the lock for longer, and no process appends then
            disk.try_lock(held.enter_context(disk.open_regular(room)), rooms.WRITING, shared=True)
        growing = [path for folder in ("chats", "agents", "bridges") for path in _growing(home.root, folder)]
        ends = {path: _complete_length(home.root / path) for path in growing}
    yield from (Portion(path, size) for path, size in ends.items())
    for name in (*PROMPTS, *DRAFTS, SETTINGS):
        if disk.is_file(home.root / name):
            yield Portion(name)
    for folder in ("agents", "bridges", *OTHERS):
        yield from (piece for piece in _files(home.root, folder) if piece.path not in ends)
    with disk.locked_dir(home.blobs) if home.blobs.is_dir() else nullcontext():  # no pack is rewritten meanwhile
        yield from _files(home.root, "blobs")


def _growing(root: Path, folder: str) -> Iterator[str]:
    depth = "*" if folder == "chats" else "*/*"
    found = sorted(str(path.relative_to(root)) for path in (root / folder).glob(depth) if disk.is_file(path))
    return (path for path in found if GROWS.fullmatch(path))


def _complete_length(path: Path) -> int:
    """Return the length in bytes of the complete lines of a file."""
    with disk.reading(path) as file:
        size = file.seek(0, os.SEEK_END)
        while size:
            begin = max(0, size - CHUNK)
            file.seek(begin)
            at = file.read(size - begin).rfind(b"\n")
            if at >= 0:
                return begin + at + 1
            size = begin
    return 0


def _files(root: Path, folder: str) -> Iterator[Portion]:
    """Yield the files below a folder that a backup contains."""
    for place, folders, names in directories.walk(root / folder):
        folders.sort()
        for name in sorted(names + [one for one in folders if os.path.islink(os.path.join(place, one))]):
            path = Path(place, name)
            told, inner = str(path.relative_to(root)), str(PurePosixPath(*path.relative_to(root).parts[2:]))
            if (folder != "blobs" and LEFT.fullmatch(inner)) or (folder == "blobs" and name.startswith(".new-")):
                continue
            if folder == "bridges" and not GROWS.fullmatch(told):
                continue
            yield Portion(told, link=os.readlink(path) if path.is_symlink() else "")


def write(home: Home, out: IO[bytes]) -> Kept:
    """Write the home's archive. Raises OSError."""
    count, total, strange, rows = 0, 0, list[str](), list[str]()
    zstd = load()
    form = {zstd.CompressionParameter.compression_level: LEVEL, zstd.CompressionParameter.checksum_flag: 1}
    with zstd.ZstdFile(out, "w", options=form) as packed, tarfile.open(fileobj=packed, mode="w|") as tar:
        for piece in cut(home):
            if piece.link:
                if is_room_link(piece.path, piece.link):
                    tar.addfile(_member(piece.path, link=piece.link))
                else:
                    strange.append(piece.path)
                continue
            try:
                fd = disk.open_file(home.root / piece.path)
            except disk.NoFile:
                strange.append(piece.path)
                continue
            except FileNotFoundError:
                continue  # a note that the agent removed meanwhile
            with os.fdopen(fd, "rb") as file:
                there = os.fstat(fd)
                size = there.st_size if piece.size < 0 else piece.size
                hashed = _Hashed(file, size)
                tar.addfile(_member(piece.path, size, stat.S_IMODE(there.st_mode) & MODE), hashed)
            rows.append(json.dumps({"path": piece.path, "size": size, "blake3": hashed.told()}))
            count, total = count + 1, total + size
        data = "".join(f"{row}\n" for row in (json.dumps({"format": FORMAT, "at": times.now()}), *rows)).encode()
        tar.addfile(_member(LIST, len(data)), io.BytesIO(data))
    return Kept(count, total, tuple(strange))


def is_room_link(path: str, target: str) -> bool:
    """Return True for the link of a subscription. A backup contains no other link."""
    return bool(LINKED.fullmatch(path) and LINK.fullmatch(target))


def _member(path: str, size: int = 0, mode: int = 0o600, link: str = "") -> tarfile.TarInfo:
    member = tarfile.TarInfo(path)
    member.size, member.mode = size, mode
    if link:
        member.type, member.linkname = tarfile.SYMTYPE, link
    return member


class _Hashed:
    """A reader of the first `size` bytes of a file that hashes them. If the file became shorter meanwhile, NULs fill
    the rest."""

    def __init__(self, file: IO[bytes], size: int) -> None:
        self._file, self._left, self._hash = file, size, blake3.blake3()

    def read(self, most: int = -1) -> bytes:
        wanted = self._left if most < 0 else min(most, self._left)
        data = self._file.read(wanted).ljust(wanted, b"\0")
        self._left -= len(data)
        self._hash.update(data)
        return data

    def told(self) -> str:
        """Return the hash of the bytes read so far."""
        return str(self._hash.hexdigest())


def unpack(archive: IO[bytes], aside: Path) -> Kept:
    """Unpack and check an archive. Raises Trouble for an incomplete or foreign archive."""
    found, rows, total = dict[str, str](), list[dict[str, object]](), 0
    zstd = load()
    try:
        with zstd.ZstdFile(archive) as raw, tarfile.open(fileobj=raw, mode="r|") as tar:
            for member in tar:
                if member.name == LIST:
                    file = tar.extractfile(member)
                    rows = [json.loads(line) for line in (file.read() if file else b"").split(b"\n") if line]
                    continue
                path = _safe(aside, member)
                disk.make_dir(path.parent, durable=False)
                if member.issym():
                    os.symlink(member.linkname, path)
                elif file := tar.extractfile(member):
                    with disk.naming(path):  # the archive's own name would mislead on a full disk
                        found[member.name] = _store(file, path, member.mode & MODE)
                    total += member.size
    except (zstd.ZstdError, tarfile.TarError, ValueError, EOFError) as error:
        raise Trouble(f"the file is not a complete backup: {error}") from None
    if not rows or rows[0].get("format") != FORMAT:
        raise Trouble("the file is not a complete backup of dotagent, because the list of files is missing")
    told = {str(row.get("path")): str(row.get("blake3")) for row in rows[1:]}
    if wrong := sorted(path for path in {*told, *found} if told.get(path) != found.get(path)):
        raise Trouble(
            f"the backup is damaged: {len(wrong)} of {len(told)} files changed, the first is {wrong[0]}; "
            "use another backup"
        )
    return Kept(len(found), total)


def _safe(aside: Path, member: tarfile.TarInfo) -> Path:
    """Return the path for a member. Raises Trouble if it is outside the known places, or neither a file nor a room
    link."""
    parts = PurePosixPath(member.name).parts
    inside = PLACE.fullmatch(member.name) and ".." not in parts and "." not in parts
    linked = member.issym() and is_room_link(member.name, member.linkname)
    if not inside or not (member.isreg() or linked):
        raise Trouble(f"the file is not a backup of dotagent, because it contains {member.name!r}")
    return aside / member.name


def _store(file: IO[bytes], path: Path, mode: int) -> str:
    told = blake3.blake3()
    with os.fdopen(disk.open_file(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb") as out:
        os.fchmod(out.fileno(), mode)
        while data := file.read(CHUNK):
            told.update(data)
            out.write(data)
    return str(told.hexdigest())
