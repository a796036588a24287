"""The parts of the page as one web application, with the files that the browser loads. Owns nothing on disk."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from dotagent import __version__, errors
from dotagent.capabilities.view import cost, forgetting, health, keys, memory, rooms
from dotagent.capabilities.view.guard import COOKIE, Desk, Guard
from dotagent.capabilities.view.route import Download, PageRequest, Part, Reads, ServerEvent, Streams, Writes
from dotagent.errors import Trouble
from dotagent.text import times

STATIC = Path(__file__).parent / "static"
PARTS: tuple[Part, ...] = (rooms.PART, memory.PART, forgetting.PART, cost.PART, health.PART)
"""The parts of the page; each has a module of its name in static/, and a line in static/app.js."""
AGAIN = b"retry: 1000\n\n"  # milliseconds after which a browser asks for a stream that ended


def make_app(desk: Desk) -> ASGIApp:
    """Return the application."""
    routes: list[BaseRoute] = [_opening(desk), _hello(desk)]
    routes += [_route(desk, one) for part in PARTS for one in part]
    return Guard(Starlette(routes=[*routes, Mount("/", StaticFiles(directory=STATIC, html=True))]), desk)


def _opening(desk: Desk) -> Route:
    """The exchange of a link's secret for a browser's, which only its cookie holds."""

    async def opened(request: Request) -> Response:
        body = await _body(request, 1000)
        secret = await run_in_threadpool(desk.keys.open, (body or b"").decode("utf-8", "replace"))
        if not secret:
            return _json(
                {"error": "this link was already used or is too old; run `dotagent view` again for a new link"}, 403
            )
        answer = _json({})
        answer.set_cookie(
            COOKIE.format(desk.port), secret, max_age=int(keys.BROWSER.total_seconds()), httponly=True,
            samesite="strict", secure=request.headers["origin"].startswith("https:"),
        )  # fmt: skip
        return answer

    return Route("/api/open", opened, methods=["POST"])


def _hello(desk: Desk) -> Route:
    """What the page needs first: the token for changes, and who looks at what."""

    async def hello(request: Request) -> Response:
        token = keys.second(request.cookies[COOKIE.format(desk.port)])
        told = {"person": desk.person, "home": str(desk.where.root), "version": __version__, "zone": times.zone()}
        return _json({"token": token, **told})

    return Route("/api/hello", hello)


def _route(desk: Desk, one: Reads | Writes | Streams) -> Route:
    """Return the route of a part's path."""

    def asked(request: Request, body: bytes = b"") -> PageRequest:
        return PageRequest(desk.where, desk.person, request.path_params, dict(request.query_params), body)

    async def answer(request: Request) -> Response:
        body = await _body(request, one.most) if isinstance(one, Writes) else b""
        if body is None:
            return _json({"error": "this request is too large"}, 413)
        assert not isinstance(one, Streams)
        try:
            found = await run_in_threadpool(one.answer, asked(request, body))
        except FileNotFoundError as gone:
            return _json({"error": errors.line(gone)}, 404)
        except OSError as error:
            return _json({"error": errors.line(error)}, 500)
        except Trouble as trouble:
            return _json({"error": str(trouble)}, 400)
        return _download(found) if isinstance(found, Download) else _json(found)

    async def follow(request: Request) -> Response:
        assert isinstance(one, Streams)
        asks = asked(request)
        if last := request.headers.get("last-event-id"):
            asks = PageRequest(asks.where, asks.person, asks.path, {**asks.query, "after": last})
        try:
            found = await run_in_threadpool(one.events, asks)
        except Trouble as trouble:
            return _json({"error": str(trouble)}, 400)
        return StreamingResponse(_lines(found), media_type="text/event-stream")

    if isinstance(one, Streams):
        return Route(one.path, follow, methods=["GET"])
    return Route(one.path, answer, methods=["POST" if isinstance(one, Writes) else "GET"])


async def _lines(events: AsyncIterator[ServerEvent]) -> AsyncIterator[bytes]:
    """Yield the events in the form of server-sent events."""
    yield AGAIN
    async for told in events:
        at = f"id: {told.id}\n" if told.id else ""
        yield f"{at}event: {told.event}\ndata: {json.dumps(told.value)}\n\n".encode()


async def _body(request: Request, most: int) -> bytes | None:
    """Return the body, or None if it has more than `most` bytes or does not come whole."""
    found = bytearray()
    try:
        async for piece in request.stream():
            found += piece
            if len(found) > most:
                return None
    except ClientDisconnect:
        return None
    return bytes(found)


def _json(value: object, status: int = 200) -> Response:
    return Response(json.dumps(value), status, media_type="application/json")


def _download(found: Download) -> Response:
    """Return a file. The browser runs none of its content."""
    heads = {"content-security-policy": "default-src 'none'; sandbox"}
    if found.name:
        name = re.sub(r"[^\w.-]", "_", found.name, flags=re.ASCII)
        heads["content-disposition"] = f'attachment; filename="{name}"'
    return Response(found.body, media_type=found.kind, headers=heads)
