"""The form of a person's text file: its encoding, byte order mark and line ends.

A changed file keeps its form. A file in an unknown form is refused, because a wrong guess would damage it. Pure.
"""

from __future__ import annotations

import codecs
import re

from dotagent.text import lazy
from dotagent.text.lazy import dataclass

_MARKS = (  # UTF-32 first, because its mark begins with that of UTF-16
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
NEWLINE = r"(?:\r\n|\n|\r)"
_END = lazy.compile(NEWLINE)
_FOREIGN = lazy.compile(rb"[\x80-\xff]{2,}")


class NotText(ValueError):
    """Bytes of unknown encoding, or text that an encoding cannot represent."""


@dataclass(frozen=True)
class TextForm:
    """The form of a file's text: the codec, the byte order mark, and the most frequent line end."""

    codec: str = "utf-8"
    mark: bytes = b""
    end: str = "\n"

    def ended(self, text: str) -> str:
        """Return the text with this form's line ends."""
        return text if self.end == "\n" else _END.sub(self.end, text)


def decode(data: bytes) -> tuple[str, TextForm]:
    """Return the exact text of the file, including its line ends, and its form. Raises NotText."""
    mark, codec = next(((mark, codec) for mark, codec in _MARKS if data.startswith(mark)), (b"", ""))
    codec = codec or _codec(data)
    try:
        text = data.removeprefix(mark).decode(codec)
    except ValueError:
        raise NotText(f"begins like {codec.upper()}, but is not valid {codec.upper()}") from None
    return text, TextForm(codec, mark, _most_frequent_end(text))


def encode(text: str, form: TextForm) -> bytes:
    """Return the text in this form's encoding, with its byte order mark. Raises NotText if that cannot represent it."""
    try:
        return form.mark + text.encode(form.codec, "strict" if form.codec in ("cp1252", "latin-1") else "replace")
    except UnicodeEncodeError as error:
        raise NotText(f"has the encoding {form.codec}, which cannot represent {text[error.start]!r}") from None


def to_utf8(data: bytes) -> bytes:
    """Return the text as UTF-8 with LF line ends and no mark. Bytes of unknown encoding are returned unchanged."""
    try:
        return _END.sub("\n", decode(data)[0]).encode("utf-8", "replace")
    except NotText:
        return data


def utf8(data: bytes) -> bytes:
    """Return UTF-8 without a mark unchanged, and other bytes as `to_utf8` does."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return to_utf8(data)
    return to_utf8(data) if data.startswith(codecs.BOM_UTF8) or 0 in data else data


def lines(text: str) -> list[str]:
    """Return the lines of a decoded file, without their ends."""
    found = re.split("\r" if _most_frequent_end(text) == "\r" else "\r?\n", text)
    return found[:-1] if found[-1] == "" else found


def _most_frequent_end(text: str) -> str:
    """Return the most frequent line end. A lone CR counts only in a text without LF."""
    both, feeds = text.count("\r\n"), text.count("\n")
    if not feeds:
        return "\r" if "\r" in text else "\n"
    return "\r\n" if 2 * both > feeds else "\n"


def _codec(data: bytes) -> str:
    """Guess the encoding of bytes without a byte order mark. Raises NotText."""
    zeros = data.count(0)
    if zeros and len(data) % 2 == 0 and 5 * zeros >= 2 * len(data):  # half of western UTF-16 is zeros
        for first, codec in ((1, "utf-16-le"), (0, "utf-16-be")):
            if data[first::2].count(0) == zeros:
                return codec
    try:
        data.decode()
    except UnicodeDecodeError:
        return _western(data)
    return "utf-8"


def _western(data: bytes) -> str:
    """Return Windows-1252 or Latin-1 for western text, in which accented letters are isolated."""
    high = sum(byte > 127 for byte in data)
    if 0 in data or 2 * sum(map(len, _FOREIGN.findall(data))) > high:
        raise NotText("is not UTF-8, and dotagent does not know its encoding")
    try:
        data.decode("cp1252")
    except UnicodeDecodeError:
        return "latin-1"
    return "cp1252"
