"""What is asked of the web: a page, or a search engine's answer to some words. Owns nothing on disk."""

from __future__ import annotations

import html
import re
from collections.abc import Collection, Mapping
from typing import Any

import httpcore
import httpx

from dotagent import __version__
from dotagent.web import page
from dotagent.web.address import PublicTransport
from dotagent.web.reach import NotPublic

MOST = 5_000_000  # bytes that are read of a page, once unpacked
SHOWN = 100_000  # characters that are told of it
REDIRECTS = 5
PATIENCE = 15.0  # seconds without a word from a server
RESULTS = 8
BRAVE = "https://api.search.brave.com"
AGENT = f"Mozilla/5.0 (compatible; dotagent/{__version__})"


class NoPage(Exception):
    """Why nothing came, in words for the agent."""


def fetch(url: str, near: Collection[str]) -> str:
    """The page's address, and below it its text. Raises NoPage."""
    answer, body, whole = _get(url, near, {"accept": "text/html, text/*;q=0.9, application/json;q=0.8, */*;q=0.5"})
    kind = answer.headers.get("content-type", "").lower()
    told = page.text(body, kind, answer.charset_encoding, str(answer.url))
    if told is None:
        raise NoPage(f"{answer.url} is no text but {kind or 'unknown'}, {len(body):,} bytes")
    cut = "" if whole and len(told) <= SHOWN else f"\n… (the page goes on; this is its beginning, {SHOWN:,} characters)"
    return f"{answer.url}\n\n{told[:SHOWN].strip() or '(there is no text on it)'}{cut}"


def search(words: str, engine: str, base: str, key: str, near: Collection[str]) -> str:
    """What the engine (`brave`, `searxng`) finds: title, address and a line of each. Raises NoPage."""
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
    lines = (_plain(found.get("title", "")), str(found.get("url", "")), _plain(said)[:300])
    return "\n".join(line for line in lines if line)


def _plain(text: object) -> str:
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
        raise NoPage(f"{answer.url.host} answers with no JSON: is it a search engine, and does it allow that form?")
    return told


def _get(url: str, near: Collection[str], headers: Mapping[str, str]) -> tuple[httpx.Response, bytes, bool]:
    """The answer, its body, and whether that is whole. Raises NoPage."""
    client = httpx.Client(
        transport=PublicTransport(near),
        follow_redirects=True,
        max_redirects=REDIRECTS,
        timeout=PATIENCE,
        headers={"user-agent": AGENT, **headers},
    )
    body = bytearray()
    try:
        with client, client.stream("GET", url) as answer:
            for piece in answer.iter_bytes():
                body += piece
                if len(body) > MOST:
                    break
    except (httpx.InvalidURL, httpx.UnsupportedProtocol, httpcore.UnsupportedProtocol, ValueError):
        raise NoPage(f"{url} is no address of a page: http:// or https://, a host, a path") from None
    except NotPublic as error:
        raise NoPage(str(error)) from None
    except httpx.TooManyRedirects:
        raise NoPage(f"{url} leads from page to page more than {REDIRECTS} times") from None
    except (httpx.TimeoutException, httpcore.TimeoutException):
        raise NoPage(f"{url} does not answer within {PATIENCE:g} s") from None
    except (httpx.HTTPError, httpcore.ConnectError, httpcore.NetworkError, httpcore.ProtocolError) as error:
        raise NoPage(f"{url} cannot be had: {error}") from None
    if not answer.is_success:
        raise NoPage(f"{answer.url} answers {answer.status_code} {answer.reason_phrase}".strip())
    return answer, bytes(body[:MOST]), len(body) <= MOST
