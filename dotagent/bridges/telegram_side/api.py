"""The Bot API over httpx: calls, files and errors. Owns nothing on disk.

Every address contains the token, so none is shown or logged.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx

from dotagent.bridges import Gone, Odd, Refused, Undone, Unsure
from dotagent.bridges.pattern import validation
from dotagent.bridges.pattern.validation import Json
from dotagent.bridges.telegram_side import moves
from dotagent.errors import Trouble
from dotagent.text import proxies
from dotagent.text.decompression import ACCEPTED, STEP, NotUnpacked, TooLarge, Unpacking

TOKEN = "TELEGRAM_BOT_TOKEN"
PATIENCE = 20.0  # seconds for an answer
LARGEST = 1 << 24  # bytes of an answer; a hundred updates need far less


class Conflict(Exception):
    """Raised with the server's message if another process or a webhook receives this bot's updates."""


class Malformed(Refused):
    """Raised if the server rejects the form of a request."""


class TopicGone(Refused):
    """Raised if the topic of a group was deleted, or closed for the bot."""


class Moved(Refused):
    """Raised if a group became a supergroup; `to` is its new id."""

    def __init__(self, why: str, to: str) -> None:
        super().__init__(why)
        self.to = to


class Unread(Unsure):
    """Raised for an answer that cannot be parsed; `body` is its bytes."""

    def __init__(self, why: str, body: bytes) -> None:
        super().__init__(why)
        self.body = body


class Api:
    """The methods of one bot, available in its `open` block."""

    def __init__(self, token: str, base: str) -> None:
        self._methods, self._files = f"{base}/bot{token}/", f"{base}/file/bot{token}/"
        for name in ("httpx", "httpcore"):
            logging.getLogger(name).setLevel(logging.WARNING)  # at INFO they log addresses
        self._client: httpx.AsyncClient | None = None

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Keep connections open for the block. Raises Trouble if a proxy of the environment cannot be used."""
        if flaw := proxies.adopt(os.environ):
            raise Trouble(flaw)
        async with httpx.AsyncClient(timeout=PATIENCE, headers={"accept-encoding": ACCEPTED}) as self._client:
            yield

    async def call(self, method: str, params: Json, patience: float = PATIENCE) -> object:
        """Call a method and return its result. Raises Undone, Unsure, Refused, Gone, Conflict and Trouble."""
        status, body = await self._ask("POST", self._methods + method, method, LARGEST, patience, params)
        try:
            told = validation.table(validation.read(body))
        except Odd as odd:
            raise Unread(f"{method}: {odd}", body) from None
        words = str(told.get("description", ""))[:200]
        if told.get("ok") is True or "message is not modified" in words:
            return told.get("result")
        raise _failure(method, status, words, told.get("parameters"))

    async def file(self, path: str, most: int) -> bytes:
        """Return a file's bytes. Raises Unsure, Gone, and Refused for more than `most`."""
        status, data = await self._ask("GET", self._files + path, "a file", most + 1, PATIENCE)
        if status != 200:
            raise Gone(f"the file no longer exists ({status})")
        if len(data) > most:
            raise Refused("the file is larger than the limit")
        return data

    async def _ask(
        self, verb: str, address: str, what: str, most: int, patience: float, params: Json | None = None
    ) -> tuple[int, bytes]:
        """Return the status and the body of an answer, cut to `most` bytes. Errors never contain the address."""
        assert self._client
        data = bytearray()
        try:
            async with (
                asyncio.timeout(patience + PATIENCE),
                self._client.stream(verb, address, json=params, timeout=patience) as answer,
            ):
                unpacking = Unpacking(answer.headers.get("content-encoding", ""), most + STEP)
                async for piece in answer.aiter_raw():
                    for part in unpacking.add(piece):
                        data += part[: most - len(data)]
                    if len(data) == most:
                        break
                return answer.status_code, bytes(data)
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as broken:
            raise Undone(f"{what}: Telegram cannot be reached ({type(broken).__name__})") from None
        except (httpx.HTTPError, httpx.InvalidURL, TimeoutError, ValueError, NotUnpacked, TooLarge) as broken:
            raise Unsure(f"{what}: the answer ended early ({type(broken).__name__})") from None


def _failure(method: str, status: int, words: str, more: object) -> Exception:
    """Return the exception for an API error. For status 400 only its text says which error it is."""
    if status == 429:
        after = more.get("retry_after") if isinstance(more, dict) else None
        return Undone(f"{method}: {words}", float(after) if isinstance(after, int | float) else None)
    if to := moves.refusal(more):
        return Moved(f"{method}: {words}", to)
    if status == 401 or (status == 404 and method == "getMe"):
        return Trouble(f"Telegram refuses the token; set {TOKEN} to the token from @BotFather")
    if status == 409 and method == "getUpdates":
        return Conflict(words)
    if status >= 500:
        return Unsure(f"{method}: {status} {words}")
    if re.search(r"(?i)thread not found|topic_(closed|deleted|id_invalid)", words):
        return TopicGone(f"{method}: {status} {words}")
    if method in ("editMessageText", "deleteMessage") and re.search(r"not found|can't be (edited|deleted)", words):
        return Gone(words)
    return (Malformed if status == 400 else Refused)(f"{method}: {status} {words}")
