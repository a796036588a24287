"""Who may look: links that open the page once, and the browsers that opened it.

Owns `view/links/` and `view/browsers/`: a file for each, named by the hash of its secret, that contains when it ends.
The secrets themselves are only in the link and in the browser's cookie.
"""

from __future__ import annotations

import secrets
from datetime import timedelta
from pathlib import Path

from blake3 import blake3

from dotagent.store import disk
from dotagent.text import times

LINK = timedelta(minutes=10)
BROWSER = timedelta(days=30)


class Keys:
    """The links and browsers of a home."""

    def __init__(self, folder: Path) -> None:
        self._links, self._browsers = folder / "links", folder / "browsers"

    def link(self) -> str:
        """Return the secret of a new link."""
        return _new(self._links, LINK)

    def open(self, secret: str) -> str:
        """Return the secret of a new browser for that of a link, or "" if the link is used, too old or wrong."""
        path = self._links / _hash(secret)
        valid = _stands(path)
        return _new(self._browsers, BROWSER) if disk.remove(path) and valid else ""  # only one process removes it

    def knows(self, secret: str) -> bool:
        """Return True if the secret is that of a browser that may look."""
        return bool(secret) and _stands(self._browsers / _hash(secret))

    def sign_out(self) -> int:
        """End the access of all browsers and links. Return how many browsers had it."""
        found = [name for name in disk.names(self._browsers) if disk.remove(self._browsers / name)]
        self.close_links()
        return len(found)

    def close_links(self) -> None:
        """Make all links invalid, and forget browsers whose time is over."""
        for name in disk.names(self._links):
            disk.remove(self._links / name)
        for name in disk.names(self._browsers):
            if not _stands(self._browsers / name):
                disk.remove(self._browsers / name)


def second(secret: str) -> str:
    """Return the token that a page of this browser sends with each change. A page of another origin cannot know it."""
    return _hash(f"change {secret}")


def _new(folder: Path, lasts: timedelta) -> str:
    secret = secrets.token_urlsafe(32)
    disk.make_dir(folder)
    disk.create(folder / _hash(secret), times.make_stamp(times.parse(times.now()) + lasts).encode())
    return secret


def _stands(path: Path) -> bool:
    """Return True if this link or browser is known and its time is not over."""
    end = disk.read(path, 100, missing=b"").decode("ascii", "replace")
    return times.is_stamp(end) and times.ahead(end) > 0


def _hash(secret: str) -> str:
    return blake3(secret.encode("utf-8", "replace")).hexdigest()
