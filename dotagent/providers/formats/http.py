"""One POST over httpx whose answer comes in pieces, and which can be left at any moment.

httpx runs in one thread with an event loop, since only there a wait for the network can be cancelled in every phase
(connecting, a silent server, a busy proxy); callers wait on a queue and look at stop(). One client with its connections
serves the whole process, and another one each proxy that a provider is given of its own.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from queue import Empty, SimpleQueue
from types import UnionType
from typing import TYPE_CHECKING

from dotagent.providers import Config, Kind, ProviderError
from dotagent.providers.formats import rates, redaction, sse
from dotagent.providers.formats.errors import Refusal, clean, from_response
from dotagent.providers.formats.fields import parsed
from dotagent.providers.formats.place import Address, near, origin
from dotagent.text.native import Schema

if TYPE_CHECKING:
    import asyncio
    import ssl
    from concurrent.futures import Future

    import httpx

CONNECT = 10.0  # seconds to reach a server
STALL = 60.0  # seconds without a byte until a server is given up, unless settings say otherwise
LOADING = 600.0  # the same of a server of one's own, which may first load a model and read a long prompt on a CPU
ASKED = 5.0  # seconds in which a provider tells of itself
KEPT = 30.0  # seconds that an idle connection is kept for the next call
LOOK = 0.05  # seconds between two looks at stop()
AHEAD = 64  # pieces, of 64 KiB at most, that may wait to be read: a quick server waits, too
LINGER = 1.0  # seconds in which a stream may end by itself after its last event, so that its connection can be kept
MOST = 512 << 20  # bytes of an answer; the longest that a model streams, 400,000 tokens, is a quarter of it
REFUSED = 64 << 10  # bytes read of an error's body


@dataclass(frozen=True)
class Post:
    """A request: where to, with what, and which place and model hints are about. Without a body it is a GET.

    `stall` is in seconds, `most` in bytes. `proxy` is the address of the one to go through; empty: as the environment
    says.
    """

    url: str
    headers: Mapping[str, str] = field(repr=False)
    body: Mapping[str, object] | None = field(repr=False)
    place: Address
    secret: str | None = field(repr=False)
    model: str = ""
    stall: float = STALL
    most: int = MOST
    proxy: str = field(default="", repr=False)
    tools: tuple[Schema, ...] = field(default=(), repr=False)
    """What the model may call by the service's own form; in `body` they stand in the words of the format."""


@dataclass(frozen=True)
class Answer:
    """A response with status 200: its content type (lower case, no parameters) and its bytes as they come."""

    media: str
    pieces: Iterator[bytes]


def patience(config: Config, usual: float = STALL) -> float:
    """Seconds without a byte until an answer is given up: the setting `stall`, else the usual."""
    given = config.settings.get("stall")
    return float(given) if isinstance(given, int | float) and given > 0 else usual


@contextmanager
def send(post: Post, stop: Callable[[], bool]) -> Iterator[Answer]:
    """Post it. Raises ProviderError for all that is not a 200, for a network that fails, a server silent for
    `post.stall` seconds, and `cancelled` at most LOOK seconds after stop() is true; also while pieces are read."""
    redaction.hide(post.secret)
    redaction.hide_in(post.url, post.proxy)
    call = _Call(post, stop)
    after = 0.0
    try:
        yield call.answer()
        after = LINGER
    finally:
        call.leave(after)


def fetch(asked: Post) -> dict[str, object]:
    """What a provider tells of itself, a JSON object, within ASKED seconds. Raises ProviderError."""
    end, place = time.monotonic() + ASKED, asked.place
    try:
        with send(replace(asked, stall=ASKED), lambda: time.monotonic() > end) as answer:
            data = sse.whole(answer.pieces)  # OpenRouter's list of all models has a megabyte
    except ProviderError as error:
        if error.kind not in ("cancelled", "stalled"):
            raise
        hint = f"{place.name} at {origin(asked.url)} does not say within {ASKED:g} s which models it has: is it busy?"
        raise ProviderError("timeout", hint) from None
    return parsed(data, place.name, f"a JSON object: is {place.base} right?")


class _Call:
    """One request under way: `arrived` holds its head, its pieces, and None once it is over."""

    def __init__(self, post: Post, stop: Callable[[], bool]) -> None:
        import asyncio

        self.post, self.stop = post, stop
        self.looked = time.monotonic()
        self.arrived: SimpleQueue[httpx.Response | bytes | None] = SimpleQueue()
        self.room = asyncio.Semaphore(AHEAD)
        try:
            self.loop, self.client = _line(post.proxy, near(post.url))
        except (ImportError, ValueError, OSError) as error:
            why = getattr(error, "strerror", None) or "it is no address"
            why = "SOCKS needs `pip install 'httpx[socks]'`" if isinstance(error, ImportError) else why
            hint = f"a proxy or certificate of the environment can not be used ({why}): {_WAYS}"
            raise ProviderError("unconfigured", hint) from None
        self.future: Future[None] = asyncio.run_coroutine_threadsafe(self._fetch(), self.loop)
        self.future.add_done_callback(lambda _: self.arrived.put(None))

    async def _fetch(self) -> None:
        """Runs in the loop's thread."""
        import httpx

        post = self.post
        method, body, sent = "GET", None, {"User-Agent": "dotagent", "Accept-Encoding": "identity"}
        if post.body is not None:
            method = "POST"
            body = json.dumps(post.body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
            sent["Content-Type"] = "application/json"
        sent |= post.headers
        timeout = httpx.Timeout(connect=CONNECT, read=post.stall, write=post.stall, pool=None)
        async with self.client.stream(method, post.url, content=body, headers=sent, timeout=timeout) as response:
            self.arrived.put(response)
            async for piece in response.aiter_raw():  # what was packed unasked may be anything once it is unpacked
                await self.room.acquire()
                self.arrived.put(piece)

    def answer(self) -> Answer:
        head = self._next()
        if head is None or isinstance(head, bytes):
            raise AssertionError("a response begins with its head, or the call has failed")
        if self.post.body is not None:
            rates.note(self.post.url, head.headers)
        if head.status_code != 200:
            body = b""
            for piece in self._pieces():
                body += piece
                if len(body) > REFUSED:
                    break
            refusal = Refusal(head.status_code, head.headers, body[:REFUSED])
            raise from_response(refusal, self.post.place, self.post.model, self.post.secret)
        media = head.headers.get("content-type", "").partition(";")[0].strip().lower()
        if media == "text/html":
            place = self.post.place
            hint = f"{place.name} answered with a web page: {place.base} is not the address of its API"
            raise ProviderError("missing", hint)
        if (packed := head.headers.get("content-encoding", "identity").lower()) != "identity":
            hint = f"{self.post.place.name} sent an answer that is packed ({clean(packed, None)}), unasked"
            raise ProviderError("server", hint, retryable=False)
        return Answer(media, self._pieces())

    def leave(self, after: float) -> None:
        """Let the call end, and end it in `after` seconds."""
        if after and not self.future.done():
            self.loop.call_soon_threadsafe(self.loop.call_later, after, self.future.cancel)
        else:
            self.future.cancel()

    def _pieces(self) -> Iterator[bytes]:
        total = 0
        while isinstance(piece := self._next(), bytes):
            self.loop.call_soon_threadsafe(self.room.release)
            total += len(piece)
            if total > self.post.most:
                hint = f"{self.post.place.name} sent more than {self.post.most:,} bytes and no end"
                raise ProviderError("server", hint, retryable=False)
            yield piece

    def _next(self) -> httpx.Response | bytes | None:
        while True:
            if time.monotonic() - self.looked > LOOK:
                self.looked = time.monotonic()
                if self.stop():
                    raise ProviderError("cancelled", "the call was cancelled")
            try:
                item = self.arrived.get(timeout=LOOK)
            except Empty:
                continue
            if item is None and (error := self.future.exception()) is not None:
                raise _problem(error, self.post) from error
            return item


_WAYS = "set ALL_PROXY, HTTPS_PROXY, HTTP_PROXY and SSL_CERT_FILE or REQUESTS_CA_BUNDLE right, or unset them"
# This process's ways out, by process, since a fork has the loop but not its thread; by proxy; and those of loopback,
# which is never behind a proxy, whatever the environment says of proxies.
_LINES: dict[tuple[int, str, bool], tuple[asyncio.AbstractEventLoop, httpx.AsyncClient]] = {}
_LOCK = threading.Lock()


def _line(proxy: str, near: bool) -> tuple[asyncio.AbstractEventLoop, httpx.AsyncClient]:
    import asyncio  # with httpx 0.1 s and 20 MB, which a home without such a provider is spared

    import httpx

    with _LOCK:
        way = os.getpid(), proxy, near
        if way not in _LINES:
            loop = asyncio.new_event_loop()
            limits = httpx.Limits(max_connections=None, max_keepalive_connections=32, keepalive_expiry=KEPT)
            client = httpx.AsyncClient(limits=limits, proxy=proxy or None, trust_env=not near, verify=_trust())
            threading.Thread(target=loop.run_forever, name="http", daemon=True).start()
            _LINES[way] = loop, client
        return _LINES[way]


def _trust() -> ssl.SSLContext | bool:
    """The authorities that the environment names, in either of two ways; else those that httpx brings."""
    import ssl

    path = os.environ.get("SSL_CERT_FILE") or os.environ.get("REQUESTS_CA_BUNDLE") or ""
    if not path:
        return True
    folder = os.path.isdir(path)
    return ssl.create_default_context(cafile=None if folder else path, capath=path if folder else None)


def _problem(error: BaseException, post: Post) -> BaseException:
    """What an exception of httpx means; any other is a fault of ours and stays what it is."""
    import httpx

    name, where = post.place.name, origin(post.url) or "its address"
    if post.proxy:
        where += f" through the proxy {origin(post.proxy)}"
    why, base = clean(str(error), post.secret), post.place.base  # a proxy's own words
    unusable = httpx.UnsupportedProtocol | httpx.InvalidURL | httpx.LocalProtocolError | UnicodeError
    lost = f"is there a network, and is {base} right?"
    if near(post.url):
        lost = f"start it, or set {base} to where it is"
    meanings: tuple[tuple[type | UnionType, Kind, str], ...] = (  # the first that fits
        (httpx.ConnectTimeout, "timeout", f"{name} at {where} was not reached in {CONNECT:g} s: is there a network?"),
        (httpx.ReadTimeout, "stalled", f"{name} sent nothing for {post.stall:g} s; ask again in some minutes"),
        (httpx.TimeoutException, "timeout", f"{name} at {where} did not take the request in {post.stall:g} s"),
        (
            httpx.ConnectError | httpx.ProxyError,
            "network",
            f"{name} at {where} can not be reached ({why}): {lost}",
        ),
        (unusable, "unconfigured", f"{base} or {post.place.key} can not be used: set it again"),
        (httpx.HTTPError, "network", f"the answer of {name} at {where} broke off ({type(error).__name__})"),
    )
    return next((ProviderError(kind, hint) for fits, kind, hint in meanings if isinstance(error, fits)), error)
