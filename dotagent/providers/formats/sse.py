"""Parse server-sent events from bytes as they arrive (WHATWG HTML standard, section 9.2).

Pieces may end anywhere, even inside a character or between CR and LF, so bytes are split into lines before decoding.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator

from dotagent.providers import ProviderError

_END = re.compile(rb"\r\n|\n|\r")
_DONE = "[DONE]"
_AGAIN = re.compile(r"\A(?:data: ?)+(?=\{|\[DONE\])")  # for a gateway that puts events into events
_BOM = b"\xef\xbb\xbf"
MOST = 8 << 20  # bytes of one line or event; the largest, the last of a response, repeats a prompt and its answer


def overlong() -> ProviderError:
    """Return the error for a piece without an end; the server is abandoned."""
    return ProviderError(
        "server", f"the server sent more than {MOST:,} bytes in one piece of its answer", retryable=False
    )


def join_pieces(pieces: Iterable[bytes]) -> bytes:
    """Return all bytes of an answer without streaming."""
    found = bytearray()
    for piece in pieces:
        found += piece
        if len(found) > MOST:
            raise overlong()
    return bytes(found)


def events(pieces: Iterable[bytes]) -> Iterator[str]:
    """Yield the data of each event as soon as its empty line arrives. An event that the end cuts off is dropped.

    Its lines are joined by LF. Names (repeated in the data), comments (keep-alives), ids and reconnection times are
    skipped. Invalid UTF-8 becomes U+FFFD. Some servers forget empty lines: JSON that is complete is an event, too, if
    more JSON or the end follows. Some forget `data:` before JSON, or write it twice.
    """
    data: list[str] = []
    size = 0
    for line in lines(pieces, rest=True):
        label, _, value = (b"data", b"", line) if line.startswith(b"{") else line.partition(b":")
        if label == b"data":
            text = _AGAIN.sub("", value.removeprefix(b" ").decode("utf-8", "replace"), count=1)
            if data and text.startswith(("{", _DONE)) and is_whole("\n".join(data)):
                yield "\n".join(data)
                data, size = [], 0
            data.append(text)
            size += len(value)
            if size > MOST:
                raise overlong()
        elif not line:
            if data:
                yield "\n".join(data)
            data, size = [], 0
    if is_whole(last := "\n".join(data)):
        yield last


def is_whole(text: str) -> bool:
    """Return whether the text is a complete JSON object, or the end of an answer."""
    if text.strip() == _DONE:
        return True
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def lines(pieces: Iterable[bytes], *, rest: bool = False) -> Iterator[bytes]:
    """Yield the lines of a stream without their ends (CRLF, LF or CR) and without a BOM. An unfinished last line is
    one only if `rest`.

    Linear in the bytes, however small the pieces are.
    """
    pending: list[bytes] = []
    size = 0
    after_cr = False  # the last piece ended with CR, so a following LF belongs to it
    first = True
    for piece in pieces:
        if not piece:
            continue
        if after_cr and piece.startswith(b"\n"):
            piece = piece[1:]
        after_cr = piece.endswith(b"\r")
        start, *further = _END.split(piece)
        pending.append(start)
        size += len(start)
        if size > MOST:
            raise overlong()
        for following in further:
            line = b"".join(pending)
            yield line.removeprefix(_BOM) if first else line
            pending, first, size = [following], False, len(following)
    if rest and (line := b"".join(pending)):
        yield line.removeprefix(_BOM) if first else line
