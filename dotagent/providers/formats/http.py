"""One POST over httpcore whose answer comes in pieces, and which can be left at any moment.

Each call waits in its caller's own thread, a twentieth of a second at a time, and looks at stop() between: a thread
more, or an event loop, would cost each call more than all else that is done for it here. The connections are kept for
the whole process, of each proxy apart; httpx reads addresses and certificates.
"""

from __future__ import annotations

import json
import time
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from operator import methodcaller
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from dotagent.providers import Config, Kind, ProviderError
from dotagent.providers.formats import rates, redaction, sse
from dotagent.providers.formats.errors import Refusal, clean, from_response
from dotagent.providers.formats.fields import parsed
from dotagent.providers.formats.place import Address, near, origin
from dotagent.text.native import Schema

if TYPE_CHECKING:
    import httpcore

    from dotagent.providers.formats import connections

CONNECT = 10.0  # seconds to reach a server
STALL = 60.0  # seconds without a byte until a server is given up, unless settings say otherwise
LOADING = 600.0  # the same of a server of one's own, which may first load a model and read a long prompt on a CPU
ASKED = 5.0  # seconds in which a provider tells of itself
LINGER = 0.1  # seconds in which a stream may end by itself after its last event, so that its connection can be kept
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
    `post.stall` seconds, and `cancelled` soon (connections.LOOK) after stop() is true; also while pieces are read."""
    from dotagent.providers.formats import connections  # with httpcore 20 MB, which homes without such are spared

    redaction.hide(post.secret)
    redaction.hide_in(post.url, post.proxy)
    with connections.heeding(stop), ExitStack() as open_:
        with _explained(post):
            response = open_.enter_context(_sent(post, connections.way))
        pieces = _pieces(post, response)
        yield _answer(post, response, pieces)
        end = time.monotonic() + LINGER
        with connections.heeding(lambda: time.monotonic() > end), suppress(ProviderError):
            for _ in pieces:
                pass


def fetch(asked: Post) -> dict[str, object]:
    """What a provider tells of itself, a JSON object, within ASKED seconds; a list alone is its `data`. Raises
    ProviderError."""
    end, place = time.monotonic() + ASKED, asked.place
    try:
        with send(replace(asked, stall=ASKED), lambda: time.monotonic() > end) as answer:
            data = sse.whole(answer.pieces)  # OpenRouter's list of all models has a megabyte
    except ProviderError as error:
        if error.kind not in ("cancelled", "stalled"):
            raise
        hint = f"{place.name} at {origin(asked.url)} does not say within {ASKED:g} s which models it has: is it busy?"
        raise ProviderError("timeout", hint) from None
    if data.lstrip().startswith(b"["):  # Together's list of models
        data = b'{"data":' + data + b"}"
    return parsed(data, place.name, f"a JSON object: is {place.base} right?")


@contextmanager
def _sent(post: Post, way: Callable[[str], connections.Way]) -> Iterator[httpcore.Response]:
    """The request, sent; the block ends with the connection free for the next call, or closed."""
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
    try:
        through = way(_proxy(post))
    except (ImportError, ValueError, OSError) as error:
        why = getattr(error, "strerror", None) or "it is no address"
        why = "SOCKS needs `pip install 'httpx[socks]'`" if isinstance(error, ImportError) else why
        hint = f"a proxy or certificate of the environment can not be used ({why}): {_WAYS}"
        raise ProviderError("unconfigured", hint) from None
    timeout = {"timeout": {"connect": CONNECT, "read": post.stall, "write": post.stall}}
    ask = methodcaller("stream", method, to, headers=sent, content=body, extensions=timeout)
    with through.response(to, ask) as answer:
        yield answer


def _json(body: Mapping[str, object]) -> bytes:
    """A request's body. Of a long prompt json would take a millisecond or two, more than all else that is done for it;
    what msgspec does not write, half of a surrogate pair, is json's."""
    import msgspec

    try:
        return msgspec.json.encode(body)
    except UnicodeEncodeError:
        return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


@lru_cache(64)
def _read(address: str) -> tuple[httpcore.URL, str]:
    """An address as httpcore has it, and the header of its password. Raises what httpcore and httpx do."""
    import httpcore
    import httpx

    url = httpx.URL(address)
    if url.scheme not in ("http", "https"):
        raise httpcore.UnsupportedProtocol(f"{url.scheme or 'nothing'}://")
    basic = b64encode(f"{url.username}:{url.password}".encode()).decode()
    to = httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path)
    return to, f"Basic {basic}" if url.userinfo else ""


_NETWORK, _LOST = ": is there a network?", "is there a network, and is {} right?"
_WAYS = "set ALL_PROXY, HTTPS_PROXY, HTTP_PROXY and SSL_CERT_FILE or REQUESTS_CA_BUNDLE right, or unset them"


def _proxy(post: Post) -> str:
    """The proxy to go through, "" for none: its own, else the environment's, but for this machine's own addresses."""
    from urllib.request import getproxies, proxy_bypass  # with it the weight of TLS comes

    parts = urlsplit(post.url)
    if post.proxy or near(post.url) or proxy_bypass(parts.netloc.rpartition("@")[2]):
        return post.proxy
    said = getproxies()
    found = said.get(parts.scheme) or said.get("all", "")
    return found if "://" in found or not found else f"http://{found}"


def _answer(post: Post, response: httpcore.Response, pieces: Iterator[bytes]) -> Answer:
    """The answer, by its head. Raises ProviderError where that is none."""
    headers = {name.decode("ascii").lower(): value.decode("latin-1") for name, value in response.headers}
    if post.body is not None:
        rates.note(post.url, headers)
    if response.status != 200:
        body = b""
        for piece in pieces:
            body += piece
            if len(body) > REFUSED:
                break
        raise from_response(Refusal(response.status, headers, body[:REFUSED]), post.place, post.model, post.secret)
    media = headers.get("content-type", "").partition(";")[0].strip().lower()
    if media == "text/html":
        hint = f"{post.place.name} answered with a web page: {post.place.base} is not the address of its API"
        raise ProviderError("missing", hint)
    if (packed := headers.get("content-encoding", "identity").lower()) != "identity":
        hint = f"{post.place.name} sent an answer that is packed ({clean(packed, None)}), unasked"
        raise ProviderError("server", hint, retryable=False)
    return Answer(media, pieces)


def _pieces(post: Post, response: httpcore.Response) -> Iterator[bytes]:
    total = 0
    with _explained(post):
        for piece in response.iter_stream():
            total += len(piece)
            if total > post.most:
                hint = f"{post.place.name} sent more than {post.most:,} bytes and no end"
                raise ProviderError("server", hint, retryable=False)
            yield piece


@contextmanager
def _explained(post: Post) -> Iterator[None]:
    """What fails on the way is told as a ProviderError; anything else is a fault of ours and stays what it is."""
    import httpcore
    import httpx

    unusable = (httpcore.UnsupportedProtocol, httpcore.LocalProtocolError, httpx.InvalidURL, UnicodeError)
    unreached, broken = (httpcore.ConnectError, httpcore.ProxyError), (httpcore.NetworkError, httpcore.ProtocolError)
    try:
        yield
    except (httpcore.TimeoutException, *unreached, *unusable, *broken) as error:
        name, base, where = post.place.name, post.place.base, origin(post.url) or "its address"
        if proxy := _proxy(post):
            parts = urlsplit(proxy)
            where += f" through the proxy {parts.scheme}://{parts.hostname}" + (f":{parts.port}" if parts.port else "")
        lost = f"start it, or set {base} to where it is" if near(post.url) else _LOST.format(base)
        why = clean(str(error), post.secret)  # a proxy's own words
        meanings: tuple[tuple[type | tuple[type, ...], Kind, str], ...] = (  # the first that fits
            (httpcore.ConnectTimeout, "timeout", f"{name} at {where} was not reached in {CONNECT:g} s{_NETWORK}"),
            (httpcore.ReadTimeout, "stalled", f"{name} sent nothing for {post.stall:g} s; ask again in some minutes"),
            (httpcore.TimeoutException, "timeout", f"{name} at {where} did not take the request in {post.stall:g} s"),
            (unreached, "network", f"{name} at {where} can not be reached ({why}): {lost}"),
            (unusable, "unconfigured", f"{base} or {post.place.key} can not be used: set it again"),
            (broken, "network", f"the answer of {name} at {where} broke off ({type(error).__name__})"),
        )
        kind, hint = next((kind, hint) for fits, kind, hint in meanings if isinstance(error, fits))
        raise ProviderError(kind, hint) from error
