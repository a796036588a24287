"""Requests to the web: a page, or a search. Owns nothing on disk."""

from __future__ import annotations

import html
import re
from collections.abc import Collection, Mapping
from http import HTTPStatus
from typing import Any

import httpcore
import httpx

from dotagent import __version__
from dotagent.capabilities.web import page
from dotagent.capabilities.web.address import PublicTransport
from dotagent.network.reach import NotPublic
from dotagent.text.decompression import ACCEPTED, STEP, NotUnpacked, TooLarge, Unpacking

MOST = 5_000_000  # bytes read of a page, after decompression
SHOWN = 100_000  # characters of it shown to the agent
REDIRECTS = 5
PATIENCE = 15.0  # seconds of silence from a server
RESULTS = 8
BRAVE = "https://api.search.brave.com"
AGENT = f"Mozilla/5.0 (compatible; dotagent/{__version__})"


class NoPage(Exception):
    """Why there is no result, in text for the agent. `quoted` means that a server chose part of the text."""

    def __init__(self, text: str, *, quoted: bool = False) -> None:
        super().__init__(text)
        self.quoted = quoted


def fetch(url: str, near: Collection[str]) -> str:
    """Return the page's address, and its text below. Raises NoPage."""
    answer, body, whole = _get(url, near, {"accept": "text/html, text/*;q=0.9, application/json;q=0.8, */*;q=0.5"})
    kind = answer.headers.get("content-type", "").lower()
    told = page.text(body, kind, answer.charset_encoding, str(answer.url))
    if told is None:
        raise NoPage(f"{answer.url} is not text but {kind or 'of unknown type'}, {len(body):,} bytes", quoted=True)
    cut = "" if whole and len(told) <= SHOWN else f"\n… (the page is longer; these are its first {SHOWN:,} characters)"
    return f"{answer.url}\n\n{told[:SHOWN].strip() or '(the page contains no text)'}{cut}"


def search(words: str, engine: str, base: str, key: str, near: Collection[str]) -> str:
    """Return the results of the engine (`brave`, `searxng`): titles, addresses and a line of each. Raises NoPage."""
    if engine == "brave":
        url = httpx.URL(base or BRAVE).join("/res/v1/web/search")
        asked = {"accept": "application/json", "x-subscription-token": key}
        answer, body, _ = _get(str(url.copy_with(params={"q": words, "count": str(RESULTS)})), near, asked)
        found = _list(_json(answer, body).get("web", {}), "results")
    else:
        url = httpx.URL(f"{base.rstrip('/')}/search")
        answer, body, _ = _get(str(url.copy_with(params={"q": words, "format": "json"})), near, {})
        found = _list(_json(answer, body), "results")
    told = [_result(one) for one in found[:RESULTS]]
    return "\n\n".join(told) or "nothing was found"


def _result(found: Mapping[str, Any]) -> str:
    said = found.get("description") or found.get("content") or ""
    lines = (_strip_markup(found.get("title", "")), str(found.get("url", "")), _strip_markup(said)[:300])
    return "\n".join(line for line in lines if line)


def _strip_markup(text: object) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]*>", "", str(text))).split())


def _list(table: object, name: str) -> list[Mapping[str, Any]]:
    found = table.get(name) if isinstance(table, Mapping) else None
    return [one for one in found if isinstance(one, Mapping)] if isinstance(found, list) else []


def _json(answer: httpx.Response, body: bytes) -> Mapping[str, Any]:
    try:
        told = httpx.Response(200, content=body).json()
    except ValueError:
        told = None
    if not isinstance(told, dict):
        raise NoPage(
            f"{answer.url.host} did not answer with JSON; check that it is a search engine that allows JSON answers"
        )
    return told


def _get(url: str, near: Collection[str], headers: Mapping[str, str]) -> tuple[httpx.Response, bytes, bool]:
    """Return the answer, its body, and whether the body is complete. Raises NoPage."""
    answers = list[httpx.Response]()
    client = httpx.Client(
        event_hooks={"response": [answers.append]},
        transport=PublicTransport(near),
        follow_redirects=True,
        max_redirects=REDIRECTS,
        timeout=PATIENCE,
        headers={"user-agent": AGENT, "accept-encoding": ACCEPTED, **headers},
    )
    try:
        with client, client.stream("GET", url) as answer:
            body, whole = _body(answer)
    except NotUnpacked as error:
        raise NoPage(f"{url} cannot be read: {error}", quoted=True) from None
    except (httpx.InvalidURL, httpx.UnsupportedProtocol, httpcore.UnsupportedProtocol, ValueError):
        raise NoPage(f"{url} is not the address of a page; it needs http:// or https://, a host and a path") from None
    except NotPublic as error:
        why = f'{error}; to allow this, the owner sets [web] near = ["{error.place}"] in dotagent.toml'
        raise NoPage(why, quoted=error.host != httpx.URL(url).host) from None
    except httpx.TooManyRedirects:
        raise NoPage(f"{url} redirects more than {REDIRECTS} times") from None
    except (httpx.TimeoutException, httpcore.TimeoutException):
        raise NoPage(f"{url} did not answer within {PATIENCE:g} s") from None
    except (httpx.HTTPError, httpcore.ConnectError, httpcore.NetworkError, httpcore.ProtocolError) as error:
        ours = isinstance(error, httpx.ConnectError | httpcore.ConnectError) and not answers  # not a redirect's host
        raise NoPage(f"{url} cannot be loaded: {error}", quoted=not ours) from None
    if not answer.is_success:
        status = answer.status_code
        phrase = HTTPStatus(status).phrase if status in set(HTTPStatus) else ""
        raise NoPage(f"{answer.url} answers {status} {phrase}".strip(), quoted=bool(answer.history))
    return answer, body, whole


def _body(answer: httpx.Response) -> tuple[bytes, bool]:
    """Return the first MOST bytes of the body after decompression, and whether that is everything. Raises
    NotUnpacked."""
    body, unpacking = bytearray(), Unpacking(answer.headers.get("content-encoding", ""), MOST + STEP)
    try:
        for piece in answer.iter_raw(STEP):
            for part in unpacking.add(piece):
                body += part
                if len(body) > MOST:
                    return bytes(body[:MOST]), False
    except TooLarge:
        return bytes(body), False
    return bytes(body), True
