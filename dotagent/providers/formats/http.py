"""One POST with httpcore whose answer arrives in pieces, and which can be cancelled at any moment.

Each call waits in its caller's thread, LOOK seconds at a time, and checks stop() in between; another thread or an event
loop would be slower than everything else here. Connections are kept for the whole process, separately for each proxy;
httpx reads addresses and certificates. Owns nothing on disk.
"""

from __future__ import annotations

import json
import os
import time
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain
from operator import methodcaller
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from dotagent import packages
from dotagent.providers import Config, Kind, ProviderError
from dotagent.providers.formats import rates, redaction, sse
from dotagent.providers.formats.errors import Refusal, clean, from_response
from dotagent.providers.formats.fields import parsed
from dotagent.providers.formats.place import Address, is_local, origin
from dotagent.text import proxies
from dotagent.text.decompression import NotUnpacked, TooLarge, Unpacking
from dotagent.text.native import Schema

if TYPE_CHECKING:
    import httpcore

    from dotagent.providers.formats import connections

CONNECT = 10.0  # seconds to reach a server
ASKED = 5.0  # seconds for a provider's data about itself
LINGER = 0.1  # seconds for a stream to end after its last event, so that the connection can be kept
MOST = 512 << 20  # bytes of an answer; the longest real one, 400,000 tokens, is a quarter of this
GZIP, PLAIN = b"\x1f", b"{[de:"  # how gzip begins, and no text; how the text of an answer does
REFUSED = 64 << 10  # bytes read of an error's body


@dataclass(frozen=True)
class Silence:
    """The seconds of silence until a server is given up: before the answer's first bytes, and after them."""

    first: float = 300.0  # a hosted model may think for minutes and send nothing
    later: float = 60.0

    @classmethod
    def of(cls, seconds: float) -> Silence:
        """Return the same seconds for both."""
        return cls(seconds, seconds)


USUAL = Silence()  # a hosted server's limits, unless settings change them
LOADING = Silence.of(600.0)  # a local server may first load a model and read a long prompt on a CPU


@dataclass(frozen=True)
class Post:
    """A request: its address and content, and the place and model that hints name. Without a body it is a GET.

    `most` is in bytes. `proxy` is a proxy's address, or "" to use the environment's.
    """

    url: str
    headers: Mapping[str, str] = field(repr=False)
    body: Mapping[str, object] | None = field(repr=False)
    place: Address
    secret: str | None = field(repr=False)
    model: str = ""
    stall: Silence = USUAL
    most: int = MOST
    proxy: str = field(default="", repr=False)
    tools: tuple[Schema, ...] = field(default=(), repr=False)
    """The tools that the model may call natively; `body` contains them in the server's format."""


@dataclass(frozen=True)
class Answer:
    """A response with status 200: its content type (lower case, no parameters) and its bytes as they arrive."""

    media: str
    pieces: Iterator[bytes]


def patience(config: Config, usual: Silence = USUAL) -> Silence:
    """Return the silence after which an answer is given up: the setting `stall`, or `usual`."""
    given = config.settings.get("stall")
    return Silence.of(float(given)) if isinstance(given, int | float) and given > 0 else usual


@contextmanager
def send(post: Post, stop: Callable[[], bool]) -> Iterator[Answer]:
    """Send the request. Raises ProviderError for any other status than 200, a network failure, or a server silent for
    too long, and `cancelled` soon (connections.LOOK) after stop() returns True; also while pieces are
    read."""
    import httpx  # noqa: F401 first, so that its absence is told in each thread, also while another imports the next line

    from dotagent.providers.formats import connections  # with httpcore 20 MB, which homes without such are spared

    redaction.hide(post.secret)
    redaction.hide_in(post.url, post.proxy)
    with connections.heeding(stop, post.stall.first), ExitStack() as open_:
        with _explained(post):
            response = open_.enter_context(_sent(post, connections.way))
        pieces = _pieces(post, response)
        yield _answer(post, response, pieces)
        end = time.monotonic() + LINGER
        with connections.heeding(lambda: time.monotonic() > end), suppress(ProviderError):
            for _ in pieces:
                pass


def fetch(asked: Post) -> dict[str, object]:
    """Return a provider's data about itself, a JSON object, within ASKED seconds. A bare list becomes `data`. Raises
    ProviderError."""
    end, place = time.monotonic() + ASKED, asked.place
    try:
        with send(replace(asked, stall=Silence.of(ASKED)), lambda: time.monotonic() > end) as answer:
            data = sse.join_pieces(answer.pieces)  # OpenRouter's list of models has a megabyte
    except ProviderError as error:
        if error.kind not in ("cancelled", "stalled"):
            raise
        hint = f"{place.name} at {origin(asked.url)} did not list its models within {ASKED:g} s; it may be busy"
        raise ProviderError("timeout", hint) from None
    if data.lstrip().startswith(b"["):  # Together's list of models
        data = b'{"data":' + data + b"}"
    return parsed(data, place.name, f"a JSON object; check the address {place.base}")


@contextmanager
def _sent(post: Post, way: Callable[[str], connections.Way]) -> Iterator[httpcore.Response]:
    """Send the request and yield the response. Afterwards the connection is free for the next call, or closed."""
    method, body = "GET", None
    sent: dict[bytes | str, bytes | str] = {"User-Agent": "dotagent", "Accept": "*/*", "Accept-Encoding": "identity"}
    if post.body is not None:
        method = "POST"
        body = _json(post.body)
        sent["Content-Type"] = "application/json"
    sent.update(post.headers)
    to, password = _read(post.url)
    if password:
        sent["Authorization"] = password
    if flaw := proxies.flaw(proxy := _proxy(post), os.environ):
        raise ProviderError("unconfigured", flaw)
    try:
        through = way(proxy)
    except (ImportError, ValueError, OSError) as error:
        why = getattr(error, "strerror", None) or "it is not a valid address"
        why = f"SOCKS needs a package: run `{packages.bring('')}`" if isinstance(error, ImportError) else why
        hint = f"a proxy or certificate from the environment cannot be used ({why}): {_WAYS}"
        raise ProviderError("unconfigured", hint) from None
    timeout = {"timeout": {"connect": CONNECT, "read": post.stall.later, "write": post.stall.later}}
    ask = methodcaller("stream", method, to, headers=sent, content=body, extensions=timeout)
    with through.response(to, ask) as answer:
        yield answer


def _json(body: Mapping[str, object]) -> bytes:
    """Encode a request's body. json would need a millisecond or two for a long prompt, more than all other work here.
    It is used only for lone surrogates, which msgspec cannot encode."""
    import msgspec

    try:
        return msgspec.json.encode(body)
    except UnicodeEncodeError:
        return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


@lru_cache(64)
def _read(address: str) -> tuple[httpcore.URL, str]:
    """Return an address for httpcore, and the header with its password. Raises errors of httpcore and httpx."""
    import httpcore
    import httpx

    url = httpx.URL(address)
    if url.scheme not in ("http", "https"):
        raise httpcore.UnsupportedProtocol(f"{url.scheme or 'nothing'}://")
    basic = b64encode(f"{url.username}:{url.password}".encode()).decode()
    to = httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path)
    return to, f"Basic {basic}" if url.userinfo else ""


_NETWORK, _LOST = "; check the network", "check the network and {}"
_WAYS = "correct or unset ALL_PROXY, HTTPS_PROXY, HTTP_PROXY, SSL_CERT_FILE and REQUESTS_CA_BUNDLE"


def _proxy(post: Post) -> str:
    """Return the proxy to use, or "": the request's own, otherwise the environment's, except for local addresses."""
    from urllib.request import getproxies, proxy_bypass  # with it the weight of TLS comes

    parts = urlsplit(post.url)
    if post.proxy or is_local(post.url) or proxy_bypass(parts.netloc.rpartition("@")[2]):
        return post.proxy
    said = getproxies()
    return proxies.complete_address(said.get(parts.scheme) or said.get("all", ""))


def _answer(post: Post, response: httpcore.Response, pieces: Iterator[bytes]) -> Answer:
    """Return the answer after reading its head. Raises ProviderError if it is an error or a web page."""
    headers = {name.decode("ascii").lower(): value.decode("latin-1") for name, value in response.headers}
    if post.body is not None:
        rates.note(post.url, headers)
    pieces = _unpacked(post, headers.get("content-encoding", ""), pieces)
    if response.status != 200:
        body = b""
        for piece in pieces:
            body += piece
            if len(body) > REFUSED:
                break
        raise from_response(Refusal(response.status, headers, body[:REFUSED]), post.place, post.model, post.secret)
    media = headers.get("content-type", "").partition(";")[0].strip().lower()
    if media == "text/html":  # or what some servers call so
        begun = next((piece for piece in pieces if piece.strip()), b"")
        if begun.lstrip().removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"<", b""):
            hint = f"{post.place.name} answered with a web page: {post.place.base} is not the address of its API"
            raise ProviderError("missing", hint)
        pieces = chain([begun], pieces)
    return Answer(media, pieces)


def _unpacked(post: Post, label: str, pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Yield an answer's content. Some servers compress it without being asked. How it begins decides, because they may
    call it otherwise. Raises ProviderError."""
    first = next(filter(None, pieces), b"")
    if first.startswith(GZIP) != ("gzip" in label.lower()):
        label = "gzip" if first.startswith(GZIP) else ""
    elif "deflate" not in label.lower() and first[:1] in PLAIN:
        label = ""
    try:
        unpacking = Unpacking(label, post.most)
        for piece in chain([first], pieces):
            yield from unpacking.add(piece)
    except (NotUnpacked, TooLarge) as why:
        what = clean(str(why), None) or f"it has more than {post.most:,} bytes"
        hint = f"{post.place.name} sent a compressed answer that cannot be used: {what}"
        raise ProviderError("server", hint, retryable=False) from None


def _pieces(post: Post, response: httpcore.Response) -> Iterator[bytes]:
    from dotagent.providers.formats import connections

    total = 0
    with _explained(post):
        for piece in response.iter_stream():
            connections.answered()
            total += len(piece)
            if total > post.most:
                hint = f"{post.place.name} sent more than {post.most:,} bytes, which is too much for one answer"
                raise ProviderError("server", hint, retryable=False)
            yield piece


@contextmanager
def _explained(post: Post) -> Iterator[None]:
    """Convert failures of the network into a ProviderError. Other exceptions are bugs, and pass."""
    import httpcore
    import httpx

    from dotagent.providers.formats import connections

    unusable = (httpcore.UnsupportedProtocol, httpcore.LocalProtocolError, httpx.InvalidURL, UnicodeError)
    unreached, broken = (httpcore.ConnectError, httpcore.ProxyError), (httpcore.NetworkError, httpcore.ProtocolError)
    try:
        yield
    except (httpcore.TimeoutException, *unreached, *unusable, *broken) as error:
        name, base, where = post.place.name, post.place.base, origin(post.url) or "its address"
        if proxy := _proxy(post):
            parts = urlsplit(proxy)
            where += f" through the proxy {parts.scheme}://{parts.hostname}" + (f":{parts.port}" if parts.port else "")
        lost = f"start the server, or set {base} to its address" if is_local(post.url) else _LOST.format(base)
        why = clean(str(error), post.secret)  # the proxy's explanation
        silent = max(post.stall.later, connections.unanswered())
        meanings: tuple[tuple[type | tuple[type, ...], Kind, str], ...] = (  # the first match counts
            (
                httpcore.ConnectTimeout,
                "timeout",
                f"{name} at {where} could not be reached within {CONNECT:g} s{_NETWORK}",
            ),
            (httpcore.ReadTimeout, "stalled", f"{name} sent nothing for {silent:g} s; try again in some minutes"),
            (
                httpcore.TimeoutException,
                "timeout",
                f"{name} at {where} did not accept the request within {post.stall.later:g} s",
            ),
            (unreached, "network", f"{name} at {where} cannot be reached ({why}): {lost}"),
            (unusable, "unconfigured", f"{base} or {post.place.key} has a value that cannot be used; set it again"),
            (broken, "network", f"the answer of {name} at {where} ended early ({type(error).__name__})"),
        )
        kind, hint = next((kind, hint) for fits, kind, hint in meanings if isinstance(error, fits))
        patient = kind == "stalled" and silent > post.stall.later  # another try would take as long
        raise ProviderError(kind, hint, retryable=False if patient else None) from error
