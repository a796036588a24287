"""The declarations of a part of the page: the paths that a browser may ask for, and the functions that answer.

The functions are plain: they get a `PageRequest` and return what JSON can say, or a `Download`. They run in threads, so
they may read files. A `Trouble` that they raise is shown to the person. Owns nothing on disk.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass

from dotagent.errors import Misuse
from dotagent.store.home import Home

SMALL = 1 << 16  # bytes of a usual change


@dataclass(frozen=True)
class PageRequest:
    """A request of the page: the home, the person who looks, the parts of the path, the query, and the body."""

    where: Home
    person: str
    path: Mapping[str, str]
    query: Mapping[str, str]
    body: bytes = b""

    def text(self, name: str) -> str:
        """Return a text of the body's JSON object. Raises Misuse."""
        try:
            value = json.loads(self.body)[name]
        except (ValueError, KeyError, TypeError):
            value = None
        if not isinstance(value, str):
            raise Misuse(f"the page's request contains no {name}; reload the page")
        return value

    def number(self, name: str, usual: int) -> int:
        """Return a number of the query from 0 to 10^15, or `usual`. Raises Misuse."""
        said = self.query.get(name, str(usual))
        if not (said.isascii() and said.isdecimal() and len(said) <= 15):
            raise Misuse(f"the value of {name} in the page's request is not a number; reload the page")
        return int(said)


@dataclass(frozen=True)
class Download:
    """A file for the browser: its bytes, its media type, and the file name for a browser that must save it instead of
    showing it."""

    body: bytes
    kind: str
    name: str = ""


@dataclass(frozen=True)
class ServerEvent:
    """An event of a stream: what it is, its JSON value, and where a browser that returns continues."""

    event: str
    value: object
    id: str = ""


@dataclass(frozen=True)
class Reads:
    """A path that only reads, by GET. `{name}` in it becomes a part of `PageRequest.path`."""

    path: str
    answer: Callable[[PageRequest], object]


@dataclass(frozen=True)
class Writes:
    """A path that changes something, by POST, with at most `most` bytes."""

    path: str
    answer: Callable[[PageRequest], object]
    most: int = SMALL


@dataclass(frozen=True)
class Streams:
    """A path whose answer is a stream of events, by GET, until the browser leaves."""

    path: str
    events: Callable[[PageRequest], AsyncIterator[ServerEvent]]


Part = tuple[Reads | Writes | Streams, ...]
"""The paths of one part of the page."""
