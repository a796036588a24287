"""Connections that are left soon after a call shall stop: httpcore's own, which wait a moment and look, and wait again.

They are kept for the whole process, those through each proxy apart; httpx reads proxies and certificates. What can not
wait a moment at a time, reaching a server, happens in a thread that is left alone then. Owns nothing on disk.
"""

from __future__ import annotations

import importlib
import math
import os
import socket
import ssl
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from typing import TypeVar

import httpcore
import httpx

from dotagent.providers import ProviderError

LOOK = 0.05  # seconds between two looks at stop()
KEPT = 30.0  # seconds that an idle connection is kept for the next call
APART = 0.25  # seconds that each address of a host is given before the next one is tried, too
IDLE = 32  # idle connections that are kept at most

T = TypeVar("T")
Ask = Callable[[httpcore.ConnectionInterface], AbstractContextManager[httpcore.Response]]
CLOSED = (httpcore.RemoteProtocolError, httpcore.ReadError, httpcore.WriteError)  # of a server that is gone
_HERE = threading.local()  # what the call in this thread heeds, and when it looked
_WAYS: dict[tuple[int, str], Way] = {}  # by process, since a fork shares the sockets; and proxy
_LOCK = threading.Lock()


@contextmanager
def heeding(stop: Callable[[], bool]) -> Iterator[None]:
    """In this block the thread's connections raise ProviderError (cancelled) at most LOOK seconds after stop() is
    true."""
    before = getattr(_HERE, "stop", None)
    _HERE.stop, _HERE.looked = stop, time.monotonic()
    try:
        yield
    finally:
        _HERE.stop = before


def _heed() -> None:
    if time.monotonic() - _HERE.looked < LOOK:
        return
    _HERE.looked = time.monotonic()
    if _HERE.stop():
        raise ProviderError("cancelled", "the call was cancelled")


class Way:
    """The connections through one proxy, or through none. Each has one call at a time, and the next call has the one
    that was used last: httpcore's own pool looks at all of them, before each call and after it."""

    def __init__(self, pool: httpcore.ConnectionPool, kept: float = KEPT) -> None:
        self._pool, self._kept = pool, kept
        self._idle = deque[tuple[float, httpcore.Origin, httpcore.ConnectionInterface]]()  # the one used last is last

    @contextmanager
    def response(self, to: httpcore.URL, ask: Ask) -> Iterator[httpcore.Response]:
        """What comes of asking. A connection that was kept may be closed just then, as llama.cpp closes it after each
        stream without a word: where nobody answers by it, the request goes by a new one."""
        with ExitStack() as open_:
            one = open_.enter_context(self.connection(to))
            kept = one.is_idle()
            try:
                found = open_.enter_context(ask(one))
            except CLOSED:
                if not kept:
                    raise
                found = open_.enter_context(ask(open_.enter_context(self.connection(to, new=True))))
            yield found

    @contextmanager
    def connection(self, to: httpcore.URL, *, new: bool = False) -> Iterator[httpcore.ConnectionInterface]:
        """One for a call; kept for the next where the answer was read to its end, else closed."""
        with _LOCK:
            one = (None if new else self._last(to.origin)) or self._pool.create_connection(to.origin)
        try:
            yield one
        finally:
            with _LOCK:
                if not one.is_available():
                    one.close()
                else:
                    self._idle.append((time.monotonic(), to.origin, one))
                    if len(self._idle) > IDLE:
                        self._idle.popleft()[2].close()

    def close(self) -> None:
        """Let go of all that rest."""
        while self._idle:
            self._idle.popleft()[2].close()

    def _last(self, to: httpcore.Origin) -> httpcore.ConnectionInterface | None:
        """The connection there that was used last and is still open; all that rested too long are closed."""
        while self._idle and self._idle[0][0] < time.monotonic() - self._kept:
            self._idle.popleft()[2].close()
        for kept in [kept for kept in reversed(self._idle) if kept[1] == to]:
            self._idle.remove(kept)
            if not kept[2].has_expired():
                return kept[2]
            kept[2].close()
        return None


def way(proxy: str) -> Way:
    """This process's connections through the proxy, or through none. Raises ImportError, ValueError and OSError for a
    proxy or certificates that cannot be used."""
    with _LOCK:
        key = os.getpid(), proxy
        if key not in _WAYS:
            given = httpx.Proxy(proxy) if proxy else None
            if given and given.url.scheme.startswith("socks"):
                importlib.import_module("socksio")
            pool = httpcore.ConnectionPool(
                ssl_context=httpx.create_ssl_context(_trust()),
                proxy=httpcore.Proxy(str(given.url), auth=given.raw_auth) if given else None,
                network_backend=_Backend(),
            )
            _WAYS[key] = Way(pool)
        return _WAYS[key]


def _trust() -> ssl.SSLContext | bool:
    """The authorities that the environment names, in either of two ways; else those that httpx brings."""
    path = os.environ.get("SSL_CERT_FILE") or os.environ.get("REQUESTS_CA_BUNDLE") or ""
    if not path:
        return True
    folder = os.path.isdir(path)
    return ssl.create_default_context(cafile=None if folder else path, capath=path if folder else None)


class _Backend(httpcore.NetworkBackend):
    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        try:
            found = _waited(_begun(lambda: socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)))
        except (OSError, ValueError) as error:
            raise httpcore.ConnectError(error) from error
        return _Stream(reach([str(one[4][0]) for one in found], port, timeout))


def reach(addresses: Sequence[str], port: int, timeout: float | None) -> httpcore.NetworkStream:
    """A connection to the first of a host's addresses that takes one; each is tried APART seconds after the one before
    it, or once that has refused (RFC 8305): one that nobody is behind costs no more. Raises what the last one did."""
    left, tried, next_ = [*addresses], list[Future[httpcore.NetworkStream]](), 0.0
    try:
        while True:
            if left and (time.monotonic() >= next_ or all(one.done() for one in tried)):
                tried.append(_begun(partial(httpcore.SyncBackend().connect_tcp, left.pop(0), port, timeout)))
                next_ = time.monotonic() + APART
            _heed()
            wait([one for one in tried if not one.done()], LOOK, FIRST_COMPLETED)
            if won := next((one for one in tried if one.done() and one.exception() is None), None):
                tried.remove(won)
                return won.result()
            if not left and all(one.done() for one in tried):
                return tried[-1].result()
    finally:
        for one in tried:
            one.add_done_callback(_unwanted)


class _Stream(httpcore.NetworkStream):
    """A connection; one that is encrypted within an encrypted one, to a proxy, is `nested`. A request's head and body,
    which httpcore writes apart, go together: that wakes a server once, and is one packet where it can be."""

    def __init__(self, stream: httpcore.NetworkStream, nested: bool = False) -> None:
        self._stream, self._nested = stream, nested
        self._written = list[bytes]()

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        self._send(timeout)
        end = time.monotonic() + (timeout or math.inf)
        while True:
            _heed()
            try:
                return self._stream.read(max_bytes, min(LOOK, timeout or LOOK))
            except httpcore.ReadTimeout:
                if time.monotonic() >= end:
                    raise

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._written.append(buffer)
        if not buffer:  # a request's end
            self._send(timeout)

    def _send(self, timeout: float | None) -> None:
        data = b"".join(self._written)
        self._written.clear()
        if not data:
            return
        if self._nested:  # where only httpcore knows how much of it has gone
            self._stream.write(data, timeout)
            return
        sock, left, end = self._stream.get_extra_info("socket"), memoryview(data), time.monotonic() + (timeout or 0)
        sock.settimeout(LOOK)
        while left:
            _heed()
            try:
                left = left[sock.send(left) :]
            except TimeoutError:
                if timeout and time.monotonic() >= end:
                    raise httpcore.WriteTimeout from None
            except OSError as error:
                raise httpcore.WriteError(error) from error

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        nested = self._stream.get_extra_info("ssl_object") is not None
        begun = _begun(lambda: self._stream.start_tls(ssl_context, server_hostname, timeout))
        try:
            return _Stream(_waited(begun), nested)
        except ProviderError:
            begun.add_done_callback(_unwanted)
            raise

    def get_extra_info(self, info: str) -> object:
        return self._stream.get_extra_info(info)


def _begun(act: Callable[[], T]) -> Future[T]:
    """What it returns, from a thread that is left alone when the call shall stop."""
    done = Future[T]()

    def run() -> None:
        try:
            done.set_result(act())
        except (OSError, ValueError, httpcore.NetworkError, httpcore.TimeoutException) as error:
            done.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return done


def _waited(done: Future[T]) -> T:
    while not done.done():
        _heed()
        wait((done,), LOOK)
    return done.result()


def _unwanted(late: Future[httpcore.NetworkStream]) -> None:
    if late.exception() is None:
        late.result().close()
