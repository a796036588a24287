"""Connections that can be abandoned soon after a call is cancelled: httpcore's own, with repeated short waits.

They are kept for the whole process, separately for each proxy; httpx reads proxies and certificates. Connecting cannot
wait in short steps, so it happens in a thread that is abandoned on cancellation. Owns nothing on disk.
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

LOOK = 0.05  # seconds between two checks of stop()
KEPT = 30.0  # seconds that an idle connection is kept for the next call
APART = 0.25  # seconds after which the next address of a host is tried, too
IDLE = 32  # the most idle connections

T = TypeVar("T")
Ask = Callable[[httpcore.ConnectionInterface], AbstractContextManager[httpcore.Response]]
CLOSED = (httpcore.RemoteProtocolError, httpcore.ReadError, httpcore.WriteError)  # the server closed it
_HERE = threading.local()  # the stop() of the call in this thread, and when it was checked
_WAYS: dict[tuple[int, str], Way] = {}  # by process, because a fork shares the sockets, and by proxy
_LOCK = threading.Lock()


@contextmanager
def heeding(stop: Callable[[], bool], first: float = 0.0) -> Iterator[None]:
    """In this block, the thread's connections raise ProviderError (cancelled) at most LOOK seconds after stop() returns
    True. Until `answered` they wait at least `first` seconds for a byte."""
    before = getattr(_HERE, "stop", None)
    _HERE.stop, _HERE.looked, _HERE.first = stop, time.monotonic(), first
    try:
        yield
    finally:
        _HERE.stop = before


def answered() -> None:
    """Note that the call of this thread has the first bytes of its answer."""
    _HERE.first = 0.0


def unanswered() -> float:
    """Return the seconds for which this thread's connections wait for the first bytes, or 0.0 after them."""
    return float(_HERE.first)


def _heed() -> None:
    if time.monotonic() - _HERE.looked < LOOK:
        return
    _HERE.looked = time.monotonic()
    if _HERE.stop():
        raise ProviderError("cancelled", "the request was cancelled")


class Way:
    """The connections through one proxy, or without a proxy. Each has one call at a time, and the most recently used
    one comes first. httpcore's own pool would check all of them before and after each call."""

    def __init__(self, pool: httpcore.ConnectionPool, kept: float = KEPT) -> None:
        self._pool, self._kept = pool, kept
        self._idle = deque[tuple[float, httpcore.Origin, httpcore.ConnectionInterface]]()  # most recently used last

    @contextmanager
    def response(self, to: httpcore.URL, ask: Ask) -> Iterator[httpcore.Response]:
        """Yield the response. If a kept connection turns out to be closed, as llama.cpp closes it after each stream,
        send the request again on a new one."""
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
        """Yield a connection for a call. Keep it for the next call if the answer was read completely, otherwise close
        it."""
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
        """Close all idle connections."""
        while self._idle:
            self._idle.popleft()[2].close()

    def _last(self, to: httpcore.Origin) -> httpcore.ConnectionInterface | None:
        """Return the most recently used open connection to this origin, or None. Close connections that were idle too
        long."""
        while self._idle and self._idle[0][0] < time.monotonic() - self._kept:
            self._idle.popleft()[2].close()
        for kept in [kept for kept in reversed(self._idle) if kept[1] == to]:
            self._idle.remove(kept)
            if not kept[2].has_expired():
                return kept[2]
            kept[2].close()
        return None


def way(proxy: str) -> Way:
    """Return this process's connections through the proxy, or without one. Raises ImportError, ValueError and OSError
    for an unusable proxy or certificates."""
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
    """Return the certificate authorities that the environment names, or True for httpx's own."""
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
            found = _waited(_start(lambda: socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)))
        except (OSError, ValueError) as error:
            raise httpcore.ConnectError(error) from error
        return _Stream(reach([str(one[4][0]) for one in found], port, timeout))


def reach(addresses: Sequence[str], port: int, timeout: float | None) -> httpcore.NetworkStream:
    """Connect to the first of a host's addresses that accepts. Each is tried APART seconds after the one before, or
    when that has refused (RFC 8305), so a dead address costs little time. Raises the error of the last one."""
    left, tried, next_ = [*addresses], list[Future[httpcore.NetworkStream]](), 0.0
    try:
        while True:
            if left and (time.monotonic() >= next_ or all(one.done() for one in tried)):
                tried.append(_start(partial(httpcore.SyncBackend().connect_tcp, left.pop(0), port, timeout)))
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
    """A connection. `nested` is encryption inside an encrypted connection to a proxy. The head and body of a request,
    which httpcore writes separately, are sent together, as one packet if possible, so that the server wakes once."""

    def __init__(self, stream: httpcore.NetworkStream, nested: bool = False) -> None:
        self._stream, self._nested = stream, nested
        self._written = list[bytes]()

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        self._send(timeout)
        end = time.monotonic() + (max(timeout, unanswered()) if timeout else math.inf)
        while True:
            _heed()
            try:
                return self._stream.read(max_bytes, min(LOOK, timeout or LOOK))
            except httpcore.ReadTimeout:
                if time.monotonic() >= end:
                    raise

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._written.append(buffer)
        if not buffer:  # end of a request
            self._send(timeout)

    def _send(self, timeout: float | None) -> None:
        data = b"".join(self._written)
        self._written.clear()
        if not data:
            return
        if self._nested:  # here only httpcore knows how much was sent
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
        begun = _start(lambda: self._stream.start_tls(ssl_context, server_hostname, timeout))
        try:
            return _Stream(_waited(begun), nested)
        except ProviderError:
            begun.add_done_callback(_unwanted)
            raise

    def get_extra_info(self, info: str) -> object:
        return self._stream.get_extra_info(info)


def _start(act: Callable[[], T]) -> Future[T]:
    """Run `act` in a thread and return its future. The thread is abandoned if the call is cancelled."""
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
