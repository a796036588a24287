"""Refuse each request that does not come from the page itself, in a browser that opened it with a link.

A page of another site in the same browser can send requests to this machine, and can give its own name the address of
this machine (DNS rebinding). So the names in Host and Origin must be ours, the cookie must be that of a browser that
opened the page, and a change needs a second token that only our page can read. Owns nothing on disk.
"""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from dataclasses import dataclass
from hmac import compare_digest
from pathlib import Path

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dotagent.capabilities.view import keys
from dotagent.capabilities.view.keys import Keys
from dotagent.store import disk
from dotagent.store.home import Home

COOKIE = "dotagent-view-{}"  # by port, because a browser sends cookies to every port of a host
TOKEN = "x-dotagent-token"
_MAP = re.compile(rb'<script type="importmap">(.*?)</script>', re.DOTALL)
_INDEX = Path(__file__).parent / "static" / "index.html"


@dataclass(frozen=True)
class Desk:
    """The data of the served page: the home, the person's name in rooms, who may look, and the origins of the page."""

    where: Home
    person: str
    keys: Keys
    port: int
    origins: frozenset[str]

    @property
    def hosts(self) -> frozenset[str]:
        """Return the values of Host by which the page is reached."""
        return frozenset(one.partition("://")[2] for one in self.origins)


class Guard:
    """The application behind these checks. Every answer forbids the browser what the page does not need."""

    def __init__(self, inner: ASGIApp, desk: Desk) -> None:
        self._inner, self._desk, self._policy = inner, desk, policy()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "lifespan":
            await self._inner(scope, receive, send)
            return
        if scope["type"] != "http":  # a web socket, which the page does not use
            await send({"type": "websocket.close"})
            return

        async def restricted(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._restrict(MutableHeaders(scope=message), scope["path"])
            await send(message)

        status, why = self._refused(scope["method"], scope["path"], Headers(scope=scope))
        answer = Response(f"{why}\n", status, media_type="text/plain") if status else self._inner
        await answer(scope, receive, restricted)

    def _refused(self, method: str, path: str, heads: Headers) -> tuple[int, str]:
        """Return the status and the reason of a refusal, or 0 and ""."""
        if len(heads.getlist("host")) != 1 or heads["host"] not in self._desk.hosts:
            return 403, "the page is not served under this host name; use the link that `dotagent view` prints"
        origins = heads.getlist("origin")
        if any(one not in self._desk.origins for one in origins) or len(origins) > 1:
            return 403, "another site may not use this page"
        visits = (method, heads.get("sec-fetch-mode"), heads.get("sec-fetch-dest")) == ("GET", "navigate", "document")
        if heads.get("sec-fetch-site") in ("cross-site", "same-site") and not (visits and path == "/"):
            return 403, "another site may not use this page"
        if method not in ("GET", "HEAD", "POST"):
            return 405, "only GET and POST requests are possible"
        if method == "POST" and not origins:
            return 403, "a request that changes something needs the header Origin"
        if not path.startswith("/api/") or path == "/api/open":
            return 0, ""
        secret = _cookie(heads, COOKIE.format(self._desk.port))
        if not self._desk.keys.knows(secret):
            return 401, "this browser is not signed in; run `dotagent view` and open the link that it prints"
        if method == "POST" and not compare_digest(heads.get(TOKEN, "").encode(), keys.second(secret).encode()):
            return 403, "the token for changes is missing; reload the page"
        return 0, ""

    def _restrict(self, heads: MutableHeaders, path: str) -> None:
        """Add the headers that restrict the browser."""
        heads.setdefault("content-security-policy", self._policy)
        heads["x-content-type-options"] = "nosniff"
        heads["x-frame-options"] = "DENY"
        heads["referrer-policy"] = "no-referrer"
        heads["cross-origin-opener-policy"] = "same-origin"
        heads["cross-origin-resource-policy"] = "same-origin"
        heads["cache-control"] = "no-store" if path.startswith("/api/") else "no-cache"


def policy() -> str:
    """Return the content security policy: everything comes from here, and scripts and styles only from files. The one
    exception is the list of module names in index.html, which is allowed by its hash."""
    found = _MAP.search(disk.read(_INDEX, follow=True))
    hashed = b64encode(hashlib.sha256(found[1] if found else b"").digest()).decode()
    return (
        f"default-src 'none'; script-src 'self' 'sha256-{hashed}'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    )


def _cookie(heads: Headers, name: str) -> str:
    """Return the value of this cookie, or "" if it is missing or given twice."""
    found = [value for one in heads.getlist("cookie") for key, _, value in
             (part.strip().partition("=") for part in one.split(";")) if key == name]  # fmt: skip
    return found[0] if len(found) == 1 else ""
