"""A home in one file, and back: a tar archive, compressed by zstd, made while agents run.

The cut is consistent, since while the ends of LIFE and rooms are noted nobody can append to a room: what a room has was
announced in LIFE before, and what LIFE announced and a room has not yet is done by the agent that resumes. Blobs come
last, so all that is named is there. Left out are secrets, calls, caches, and commands that run. The last member lists
every file's BLAKE3, by which what is restored is checked. Owns nothing on disk but `.restoring` in a home, for a while.
"""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import tarfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

import blake3
import zstandard

from dotagent.errors import Trouble
from dotagent.extensions import KINDS
from dotagent.store import disk, walked
from dotagent.store.home import PROMPTS, SETTINGS, Home
from dotagent.text import times

LIST = "MANIFEST.jsonl"
FORMAT = "dotagent backup 1"
OTHERS = ("forgotten", "jobs", "memory", "names", "packs", "skills", *(kind for kind in KINDS if kind != "bridges"))
"""Folders of a home beside agents, rooms and blobs."""
LEFT = re.compile(  # what of an agent's directory, and below, is not kept
    r"(?:.*/)?(?:\.env|\.new-[^/]*)|context\.md|recall\.db.*|agent\.log|(?:un)?fade|standing|(?:run|processes)(?:/.*)?",
    re.DOTALL,
)
GROWS = re.compile(r"chats/[^/]+\.md|agents/[0-9a-f]{32}/LIFE\.md|bridges/[^/]+/(?:journal|pairs)\.jsonl")
LINK = re.compile(r"\.\./\.\./\.\./chats/[a-z0-9][a-z0-9_-]*\.md")
PLACE = re.compile(
    rf"(?:agents|blobs|bridges|chats|{'|'.join(OTHERS)})/.+|{'|'.join(map(re.escape, (*PROMPTS, SETTINGS)))}"
)
LEVEL = 6  # of zstd
CHUNK = 1 << 20  # bytes


@dataclass(frozen=True)
class Portion:
    """One file of the cut: its path in the home, and how many of its bytes belong to it (-1: all); or a link's goal."""

    path: str
    size: int = -1
    link: str = ""


@dataclass(frozen=True)
class Kept:
    """What an archive has: files, and their bytes; and what was no plain file, so that it was left out."""

    files: int
    size: int
    strange: tuple[str, ...] = ()


def cut(home: Home) -> Iterator[Portion]:
    """What of the home is kept, in the order in which it must be read. Raises OSError."""
    with ExitStack() as held:
        for room in (home.chats / name for name in walked.names(home.chats) if name.endswith(".md")):
            held.enter_context(disk.locked(held.enter_context(disk.opened(room, os.O_RDWR))))
        growing = [path for folder in ("chats", "agents", "bridges") for path in _growing(home.root, folder)]
        ends = {path: _whole(home.root / path) for path in growing}
    yield from (Portion(path, size) for path, size in ends.items())
    for name in (*PROMPTS, SETTINGS):
        if disk.is_file(home.root / name):
            yield Portion(name)
    for folder in ("agents", "bridges", *OTHERS):
        yield from (piece for piece in _files(home.root, folder) if piece.path not in ends)
    yield from _files(home.root, "blobs")


def _growing(root: Path, folder: str) -> Iterator[str]:
    depth = "*" if folder == "chats" else "*/*"
    found = sorted(str(path.relative_to(root)) for path in (root / folder).glob(depth) if disk.is_file(path))
    return (path for path in found if GROWS.fullmatch(path))


def _whole(path: Path) -> int:
    """How many bytes the whole lines of a file have."""
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
    """The files below a folder that are kept."""
    for place, folders, names in walked.walk(root / folder):
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
    packer = zstandard.ZstdCompressor(level=LEVEL, write_checksum=True)
    with packer.stream_writer(out, closefd=False) as packed, tarfile.open(fileobj=packed, mode="w|") as tar:
        for piece in cut(home):
            if piece.link:
                if LINK.fullmatch(piece.link):
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
                size = os.fstat(fd).st_size if piece.size < 0 else piece.size
                hashed = _Hashed(file, size)
                tar.addfile(_member(piece.path, size), hashed)
            rows.append(json.dumps({"path": piece.path, "size": size, "blake3": hashed.told()}))
            count, total = count + 1, total + size
        data = "".join(f"{row}\n" for row in (json.dumps({"format": FORMAT, "at": times.now()}), *rows)).encode()
        tar.addfile(_member(LIST, len(data)), io.BytesIO(data))
    return Kept(count, total, tuple(strange))


def _member(path: str, size: int = 0, link: str = "") -> tarfile.TarInfo:
    member = tarfile.TarInfo(path)
    member.size, member.mode = size, 0o600
    if link:
        member.type, member.linkname = tarfile.SYMTYPE, link
    return member


class _Hashed:
    """A file of which so many bytes are read, and hashed as they are; one that got shorter meanwhile ends in NULs."""

    def __init__(self, file: IO[bytes], size: int) -> None:
        self._file, self._left, self._hash = file, size, blake3.blake3()

    def read(self, most: int = -1) -> bytes:
        """The next bytes."""
        wanted = self._left if most < 0 else min(most, self._left)
        data = self._file.read(wanted).ljust(wanted, b"\0")
        self._left -= len(data)
        self._hash.update(data)
        return data

    def told(self) -> str:
        """The hash of all that was read."""
        return str(self._hash.hexdigest())


def read(archive: IO[bytes], home: Home, mend: Callable[[Home], object] = lambda _: None) -> Kept:
    """Make an empty home what the archive holds, once `mend` has seen it; all of it, checked, or nothing. Raises
    Trouble and OSError."""
    aside = home.root / ".restoring"
    disk.make_dir(home.root)
    shutil.rmtree(aside, ignore_errors=True)
    try:
        disk.make_dir(aside)
        kept = _unpack(archive, aside)
        mend(Home(aside))
        os.sync()  # thousands of files at once
        for entry in sorted(os.listdir(aside), key=lambda name: (name == "agents", name)):  # agents make it a home
            if not os.path.lexists(home.root / entry):
                os.rename(aside / entry, home.root / entry)
            elif not (aside / entry).is_dir():
                disk.replace(home.root / entry, disk.read(aside / entry))
        disk.sync_dir(home.root)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return kept


def _unpack(archive: IO[bytes], aside: Path) -> Kept:
    """Unpack and check. Raises Trouble for what is no whole archive of ours."""
    found, rows, total = dict[str, str](), list[dict[str, object]](), 0
    try:
        with zstandard.ZstdDecompressor().stream_reader(archive) as raw, tarfile.open(fileobj=raw, mode="r|") as tar:
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
                    found[member.name] = _store(file, path)
                    total += member.size
    except (zstandard.ZstdError, tarfile.TarError, ValueError, EOFError) as error:
        raise Trouble(f"it is no whole backup: {error}") from None
    if not rows or rows[0].get("format") != FORMAT:
        raise Trouble("it is no whole backup of dotagent: its list of files is missing")
    told = {str(row.get("path")): str(row.get("blake3")) for row in rows[1:]}
    if wrong := sorted(path for path in {*told, *found} if told.get(path) != found.get(path)):
        raise Trouble(f"it is damaged: {wrong[0]} is not what it was ({len(wrong)} of {len(told)} files)")
    return Kept(len(found), total)


def _safe(aside: Path, member: tarfile.TarInfo) -> Path:
    """Where a member goes. Raises Trouble for one that leads elsewhere or is no plain file."""
    parts = PurePosixPath(member.name).parts
    inside = PLACE.fullmatch(member.name) and ".." not in parts and "." not in parts
    linked = member.issym() and LINK.fullmatch(member.linkname) and len(parts) == 4 and parts[2] == "subs"
    if not inside or not (member.isreg() or linked):
        raise Trouble(f"it is no backup of ours: {member.name!r} cannot be in one")
    return aside / member.name


def _store(file: IO[bytes], path: Path) -> str:
    told = blake3.blake3()
    with os.fdopen(disk.open_file(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb") as out:
        while data := file.read(CHUNK):
            told.update(data)
            out.write(data)
    return str(told.hexdigest())
