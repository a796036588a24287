"""Server-sent events from bytes as they arrive, after the WHATWG HTML standard, section 9.2 (parsing an event stream).

Pieces may end anywhere, inside a character or between CR and LF, so bytes are cut into lines first and decoded after.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from dotagent.providers import ProviderError

_END = re.compile(rb"\r\n|\n|\r")
_BOM = b"\xef\xbb\xbf"
MOST = 8 << 20  # bytes of one line or event: the largest, the last of a response, repeats a prompt and its answer


def overlong() -> ProviderError:
    """The server sends something that ends nowhere, and is left."""
    return ProviderError("server", f"the server sent more than {MOST:,} bytes in one piece and no end", retryable=False)


def whole(pieces: Iterable[bytes]) -> bytes:
    """All of it, of a server that does not stream."""
    found = bytearray()
    for piece in pieces:
        found += piece
        if len(found) > MOST:
            raise overlong()
    return bytes(found)


def events(pieces: Iterable[bytes]) -> Iterator[str]:
    """The data of a stream's events, each as soon as its empty line is there. One that the end cuts off is none.

    Its lines are joined by LF. Names (which the data repeat), comments (keep-alives), ids and reconnection times are
    passed over. Bytes that are not UTF-8 become U+FFFD.
    """
    data: list[str] = []
    size = 0
    for line in lines(pieces):
        label, _, value = line.partition(b":")
        if label == b"data":
            data.append(value.removeprefix(b" ").decode("utf-8", "replace"))
            size += len(value)
            if size > MOST:
                raise overlong()
        elif not line:
            if data:
                yield "\n".join(data)
            data, size = [], 0


def lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The lines of a stream without their ends (CRLF, LF or CR) and without a BOM; an unended last line is none.

    Linear in the bytes, however small the pieces are.
    """
    pending: list[bytes] = []
    size = 0
    after_cr = False  # a CR ended the last piece and its line: an LF that follows belongs to it
    first = True
    for piece in pieces:
        if not piece:
            continue
        if after_cr and piece.startswith(b"\n"):
            piece = piece[1:]
        after_cr = piece.endswith(b"\r")
        start, *rest = _END.split(piece)
        pending.append(start)
        size += len(start)
        if size > MOST:
            raise overlong()
        for following in rest:
            line = b"".join(pending)
            yield line.removeprefix(_BOM) if first else line
            pending, first, size = [following], False, len(following)
