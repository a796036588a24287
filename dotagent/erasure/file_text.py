"""Extract the text in files that cannot be rewritten: compressed files, archives, databases, office documents, UTF-16.

Everything is unpacked in memory, with limits on bytes and depth. Nothing in the file is run. Owns nothing on disk.
"""

from __future__ import annotations

import bz2
import io
import lzma
import re
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import Protocol

from dotagent.errors import Misuse
from dotagent.store import zstd
from dotagent.text import encoded_text

MOST = 1 << 28  # bytes of one unpacked file, at most
DEPTH = 6  # nested archives
STEP = 1 << 20  # bytes
FIRST = 1 << 16  # bytes of a file that show if it is binary

_KINDS = {  # signatures
    b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\0": "xz", b"]\0\0": "lzma", b"\x28\xb5\x2f\xfd": "zstd",
    b"PK": "zip", b"%PDF": "PDF", b"PACK": "git pack", b"SQLite format 3": "SQLite",
    b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16", b"7z\xbc\xaf": "7z", b"Rar!": "RAR", b"\x04\x22\x4d\x18": "LZ4",
    b"\x1f\x9d": "compress",
}  # fmt: skip
_CODINGS = (
    "cp1251", "koi8_r", "gb18030", "big5", "shift_jis", "euc_jp", "euc_kr",
    "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be",
)  # fmt: skip
_CLOSED = ("7z", "RAR", "LZ4", "compress")  # formats that cannot be opened here
_STREAM = re.compile(rb"stream\r?\n(.*?)\r?\n?endstream", re.DOTALL)
_BEGUN = re.compile(rb"\x78[\x01\x5e\x9c\xda]|\x1f\x8b\x08")  # zlib, gzip
_HOLE = re.compile(rb"\0{64,}")  # in a sparse file, millions of these bytes
_STRINGS = re.compile(rb"[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]{4,}")
_ODD = (zlib.error, OSError, EOFError, ValueError, lzma.LZMAError, tarfile.TarError, zipfile.BadZipFile,
        NotImplementedError, RuntimeError, KeyError, IndexError, OverflowError)  # fmt: skip

Part = tuple[str, bytes]  # a form, and its content
View = tuple[str, str]  # a form, and a text


class Closed(Exception):
    """A part that could not be searched, with the reason."""


class _Engine(Protocol):
    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...

    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...


def kind(data: bytes) -> str:
    """Return the kind of a binary file, or "" if it may be text. A kind of its first bytes is the kind of the file."""
    for sign, name in _KINDS.items():
        if data.startswith(sign) and (sign != b"PK" or data[2:4] in (b"\3\4", b"\5\6", b"\7\x08")):
            return name
    if data[257:262] == b"ustar":
        return "tar"
    if len(data) > 8 and data[0] & 15 == 8 and not int.from_bytes(data[:2], "big") % 31 and not _is_utf8(data):
        return "zlib"
    return "binary file" if b"\0" in data else ""


def views(data: bytes, most: int = MOST) -> Iterator[View]:
    """Yield the texts in a file, each with its form; nothing for plain text. Raises Closed at the end if a part could
    not be searched."""
    left, closed = [most], list[str]()
    waiting: list[tuple[str, bytes, int]] = [("", data, 0)]
    while waiting:
        form, part, depth = waiting.pop()
        found = kind(part)
        here = ", ".join(filter(None, (form, found if found != "binary file" or not form else "")))
        if form or found:
            for text in _texts(part):
                yield here, text
                yield from ((here, one) for one in encoded_text.unbroken(text, packed=True))
        elif not _is_utf8(part):
            yield from (("its encoding", part.decode(coding, "replace")) for coding in _CODINGS)
        if found in _CLOSED or depth == DEPTH:
            closed.append(found or here)
            continue
        try:
            for more, inner in _parts(found, part, left) if found or form else _packed_runs(part):
                waiting.append((", ".join(filter(None, (here, more))), inner, depth + 1))
        except Closed as why:
            closed.append(f"{here}: {why}")
        except _ODD:
            continue  # truncated or damaged; the readable part is known
    if closed:
        raise Closed(closed[0])


def _texts(part: bytes) -> Iterator[str]:
    """Yield the text in these bytes: as UTF-8 in any case, and as UTF-16 and UTF-32 if possible."""
    part = _HOLE.sub(bytes(64), part)
    yield b"\n".join(_STRINGS.findall(part)).decode("utf-8", "replace")
    if b"\0" in part or not _is_utf8(part):
        for coding, sizes in (("utf-16-le", 2), ("utf-16-be", 2), ("utf-32-le", 4), ("utf-32-be", 4)):
            for skipped in range(sizes):
                yield part[skipped:].decode(coding, "replace")


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start >= len(data) - 3 and error.reason == "unexpected end of data"
    return True


def _parts(form: str, data: bytes, left: list[int]) -> Iterator[Part]:
    """Yield the contents of a packed part. Raises Closed, and one of _ODD if it is damaged."""
    if engine := _ENGINES.get(form):
        yield "", _unpacked(engine, data, left)
    elif form == "zstd":
        try:
            format = zstd.load()
        except Misuse as missing:
            raise Closed(str(missing)) from None
        yield "", _unpacked(format.ZstdDecompressor, data, left, format.ZstdError)
    elif form == "zip":
        yield from _zip(data, left)
    elif form == "tar":
        with tarfile.open(fileobj=io.BytesIO(data)) as tar:
            for member in tar:
                file = tar.extractfile(member) if member.isreg() else None
                yield "", f"{member.name}\n{member.linkname}".encode("utf-8", "replace")
                if file:
                    yield "", _spent(file.read(left[0] + 1), left)
    elif form == "PDF":
        for found in _STREAM.finditer(data):
            if found[1][:1] in (b"x", b"h", b"H", b"X"):
                yield "", _unpacked(zlib.decompressobj, found[1], left)
    elif form == "git pack":
        yield from _pack(data, left)
    elif form in ("", "SQLite", "binary file"):
        text = b"\n".join(_STRINGS.findall(data)).decode("utf-8", "replace")
        yield from (("base64 or hex", told.encode("utf-8", "replace")) for _, _, told in encoded_text.texts(text))
        yield from _packed_runs(data)
        yield from _streams(data)


def _streams(data: bytes) -> Iterator[Part]:
    """Yield the texts that are compressed inside a binary file, such as a picture's comments."""
    for found in _BEGUN.finditer(data):
        engine = zlib.decompressobj(47)  # zlib or gzip
        try:
            made = engine.decompress(data[found.start() : found.start() + FIRST], STEP)
        except zlib.error:
            continue
        if made and not kind(made) and _is_utf8(made):
            yield "a compressed part", made


def _packed_runs(data: bytes) -> Iterator[Part]:
    """Yield packed content that is encoded in base64 or hex."""
    for _, _, raw in encoded_text.runs(data.decode("utf-8", "replace")):
        if kind(raw) not in ("", "zlib", "binary file"):
            yield "base64 or hex", raw


_ENGINES: dict[str, Callable[[], _Engine]] = {
    "gzip": lambda: zlib.decompressobj(31),
    "zlib": zlib.decompressobj,
    "bzip2": bz2.BZ2Decompressor,
    "xz": lzma.LZMADecompressor,
    "lzma": lzma.LZMADecompressor,
}


def _spent(data: bytes, left: list[int]) -> bytes:
    left[0] -= len(data)
    if left[0] < 0:
        raise Closed("too large")
    return data


def _unpacked(new: Callable[[], _Engine], data: bytes, left: list[int], wrong: type[Exception] = ValueError) -> bytes:
    """Unpack all members of a compressed file. A damaged file gives the part before the damage."""
    made = bytearray()
    while data:
        engine, part = new(), data
        try:
            while True:
                out = engine.decompress(part, STEP)
                made += _spent(out, left)
                part = getattr(engine, "unconsumed_tail", b"")  # zlib's; the others keep it themselves
                if engine.eof or not (out or part):
                    break
        except (*_ODD, wrong):
            break
        data = engine.unused_data.lstrip(b"\0")
    return bytes(made)


def _zip(data: bytes, left: list[int]) -> Iterator[Part]:
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        yield "", packed.comment + b"\n" + "\n".join(packed.namelist()).encode("utf-8", "replace")
        locked = False
        for member in packed.infolist():
            if member.flag_bits & 1:
                locked = True
                continue
            try:
                with packed.open(member) as file:
                    yield "", _spent(file.read(left[0] + 1), left)
            except _ODD:
                continue
        if locked:
            raise Closed("encrypted")


def _pack(data: bytes, left: list[int]) -> Iterator[Part]:
    """Yield the objects of a git pack; for a delta, its new content."""
    at, end = 12, len(data) - 20
    while at < end:
        difference, at = data[at] >> 4 & 7, _varint(data, at)
        if difference == 6:  # relative to an object in this pack
            at = _varint(data, at)
        elif difference == 7:  # relative to an object with this id
            at += 20
        engine, made = zlib.decompressobj(), bytearray()
        while not engine.eof and at < end:
            piece = data[at : at + (1 << 16)]
            made += _spent(engine.decompress(piece, left[0] + 1), left)
            at += len(piece) - len(engine.unused_data)
        yield "", bytes(made)


def _varint(data: bytes, at: int) -> int:
    """Return the offset after a number whose bytes, except the last, have their highest bit set."""
    while data[at] & 128:
        at += 1
    return at + 1
