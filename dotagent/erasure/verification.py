"""Search all files of a home again after a removal, for the words that must be gone.

This shares no code with the finder and the removal, so that it sees their mistakes: it reads the bytes of every file in
all folders, undoes usual escapes, and compares only letters, digits and their marks. Owns nothing on disk.
"""

from __future__ import annotations

import html
import os
import re
import stat
import unicodedata
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from dotagent.store import directories, disk
from dotagent.store.blobs import Blobs

MOST = 1 << 30  # bytes of a file
ANNOUNCED = "forgotten/"  # the folder of the announcement, which has the passages until the end
FEW = 3  # words: a shorter passage counts only as a whole sentence, because its words are also in other sentences
LONG = 17  # letters of a passage that counts anywhere although it has few words
STOPS = ("FULL STOP", "QUESTION", "EXCLAMATION", "DANDA", "SHAD", "SECTION", "KHAN")  # names of signs beyond ASCII
DENSE = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR")  # names of letters without blanks between

_UNITS = re.compile(r"(?:\\u[0-9a-fA-F]{4})+")  # JSON
_BYTES = (re.compile(r"(?:(?:%|\\x)[0-9a-fA-F]{2})+"), re.compile(r"(?:=[0-9a-fA-F]{2})+"))  # addresses, Python; mails
_BREAK = re.compile(r"\\[nrt]")
_ENDED = re.compile(
    r"[.!?][\s\"”»]|[.!?]$|[…~\"”»』」◲⏎\n]|`(?!\w)|\((?:added \d|said by )|(?<=[\u0f40-\u0fbc]) (?=[\u0f40-\u0f6c])"
)
_BEGUN = re.compile(r"[-*+] \d\d:\d\d |[>\]\"“«„「『:;：；]")
_ESCAPES = (b"\\", b"%", b"=", b"&")


class _Letters(dict[int, str]):
    """A table for str.translate that keeps letters, digits and marks. It learns each character once."""

    def __missing__(self, code: int) -> str:
        sign = chr(code)
        self[code] = sign if unicodedata.category(sign)[0] in "LNM" else " "
        return self[code]


class _Unseen(dict[int, str]):
    """A table for str.translate that leaves out characters without width, such as a soft hyphen, and the sign by which
    a log replaces them."""

    def __missing__(self, code: int) -> str:
        sign = chr(code)
        self[code] = "" if unicodedata.category(sign) == "Cf" or code == 0xFFFD else sign
        return self[code]


class _Stops(dict[int, str]):
    """A table for str.translate that makes each stop of another script than Latin a line end."""

    def __missing__(self, code: int) -> str:
        sign = chr(code)
        stop = code > 127 and unicodedata.category(sign) == "Po" and any(one in unicodedata.name(sign) for one in STOPS)
        self[code] = "\n" if stop else sign
        return self[code]


_LETTERS, _STOPS, _UNSEEN = _Letters(), _Stops(), _Unseen()


def list_left(root: Path, store: Blobs, wished: Iterable[str]) -> list[str]:
    """Return the paths of the files that still contain one of these passages, besides the announcement."""
    passages = [words for one in wished if (words := _words(one.translate(_UNSEEN)))]
    told = (paths for paths, data in _contents(root, store) if _holds(data, passages)) if passages else ()
    return list(dict.fromkeys(path for paths in told for path in paths if not path.startswith(ANNOUNCED)))


def list_containing(root: Path, paths: Iterable[str], wished: Iterable[str]) -> list[str]:
    """Return which of these text files contain one of these passages, even if it is a part of another sentence."""
    passages = [words for one in wished if (words := _words(one))]
    texts = ((path, disk.read(root / path, MOST).decode("utf-8", "replace")) for path in (paths if passages else ()))
    return [path for path, text in texts if any(_is_in(text, words) for words in passages)]


def _holds(data: bytes, passages: list[list[str]]) -> bool:
    small = data.translate(None, b"\0").lower()
    escaped = any(sign in data for sign in _ESCAPES)
    likely = [words for words in passages if _may_hold(small, words, escaped)]
    forms = (form for text in _texts(data) for form in _seen(text)) if likely else ()
    return any(_stands(text, words, b"\0" in data) for text in forms for words in likely)


def _may_hold(small: bytes, words: list[str], escaped: bool) -> bool:
    """Return False if the bytes are ASCII and lack the longest plain word of the passage, or the passage has no plain
    word."""
    if not small.isascii():
        return True
    plain = max((word for word in words if word.isascii()), key=len, default="")
    return plain.encode() in small and (escaped or "".join(words).isascii())


def _texts(data: bytes) -> Iterator[str]:
    """Yield the text of these bytes, unchanged and without escapes, and as UTF-16 if the bytes can be UTF-16."""
    text = data.decode("utf-8", "replace")
    yield text
    if any(sign in data for sign in _ESCAPES):
        plain = _UNITS.sub(lambda found: _units(found[0]), text)
        for form in _BYTES:
            yield html.unescape(_BREAK.sub("\n", form.sub(lambda found: _bytes(found[0]), plain)))
    if b"\0" in data:
        codings = [(coding, skipped) for coding in ("utf-16-le", "utf-16-be") for skipped in (0, 1)]
        yield from (data[skipped:].decode(coding, "replace") for coding, skipped in codings)


def _seen(text: str) -> Iterator[str]:
    """Yield the text, and also without characters that a reader does not see, if it has some."""
    yield text
    if not text.isascii() and (bare := text.translate(_UNSEEN)) != text:
        yield bare


def _units(escapes: str) -> str:
    return bytes.fromhex(escapes.replace("\\u", "")).decode("utf-16-be", "replace")


def _bytes(escapes: str) -> str:
    return bytes.fromhex(re.sub(r"[%=]|\\x", "", escapes)).decode("utf-8", "replace")


def _words(text: str) -> list[str]:
    return unicodedata.normalize("NFKC", text).casefold().translate(_LETTERS).split()


def _stands(text: str, passage: list[str], binary: bool) -> bool:
    """Return True if the text contains the passage: anywhere if it is long, otherwise as a sentence. In a binary file,
    a letter next to it may be a number of the file's form."""
    letters = "".join(passage)
    if len(passage) < FEW and len(letters) < (2 * FEW if _is_dense(letters) else LONG):
        return any(_words(one) == passage for one in _sentences(text))
    return _is_in(text, passage, "" if binary else " ")


def _is_in(text: str, passage: list[str], edge: str = " ") -> bool:
    """Return True if the text contains the passage anywhere, between these signs."""
    letters, found = "".join(passage), _words(text)
    if _is_dense(letters):
        return letters in "".join(found)
    return f"{edge}{' '.join(passage)}{edge}" in f" {' '.join(found)} "


def _is_dense(letters: str) -> bool:
    return any(unicodedata.name(sign, "").startswith(DENSE) for sign in letters)


def _sentences(text: str) -> Iterator[str]:
    """Yield the text between two ends without signs behind its last letter, and also its part after the last sign that
    can begin a quotation."""
    for piece in _ENDED.split(text.translate(_STOPS)):
        words = piece[: len(piece.translate(_LETTERS).rstrip())]
        yield from (words, _BEGUN.split(words)[-1])


def _contents(root: Path, store: Blobs) -> Iterator[tuple[list[str], bytes]]:
    """Yield the paths of every file, several for one with hard links, with its bytes, and the unpacked bytes of packed
    ones."""
    links = dict[tuple[int, int], list[str]]()
    for place, folders, names in directories.walk(root):
        folders[:] = [name for name in folders if not _is_program(root, Path(place, name))]
        for path in (Path(place, name) for name in names if not _is_program(root, Path(place, name))):
            with suppress(OSError):
                if stat.S_ISREG((found := os.lstat(path)).st_mode):
                    links.setdefault((found.st_dev, found.st_ino), []).append(str(path.relative_to(root)))
    for paths in links.values():
        with suppress(OSError):
            data = disk.read(root / paths[0], MOST)
            yield paths, data
            if data[:1] == b"\x78":  # an object of git
                with suppress(zlib.error):
                    yield paths, zlib.decompress(data)
    for pack in store.packs():  # also blobs behind a tombstone, and the dictionary, which contains parts of blobs
        yield [pack.place], pack.words
        yield from (([pack.place], pack.get(id) or b"") for id in pack.ids())


def _is_program(root: Path, path: Path) -> bool:
    """Return True for Python packages, and for files and folders of the program in a home that is its checkout."""
    ours = path.parent == root and (root / "dotagent" / "__main__.py").is_file()
    return (ours and path.name in directories.CHECKOUT) or (path / "pyvenv.cfg").is_file()
