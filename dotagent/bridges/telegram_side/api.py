"""The Bot API over httpx: calls, files, and what goes wrong. Owns nothing on disk.

Every address holds the token, so none is shown or logged.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx

from dotagent.bridges import Gone, Odd, Refused, Undone, Unsure
from dotagent.bridges.pattern import outside
from dotagent.bridges.pattern.outside import Json
from dotagent.errors import Trouble

TOKEN = "TELEGRAM_BOT_TOKEN"
PATIENCE = 20.0  # seconds for an answer
LARGEST = 1 << 24  # bytes of an answer: a hundred updates take far less


class Conflict(Exception):
    """Another process takes this bot's updates, or a webhook does: the words of the server."""


class Unread(Unsure):
    """What came cannot be read; `body` is the bytes of it that were taken."""

    def __init__(self, why: str, body: bytes) -> None:
        super().__init__(why)
        self.body = body


class Api:
    """The methods of one bot, as long as its `open` block runs."""

    def __init__(self, token: str, base: str) -> None:
        self._methods, self._files = f"{base}/bot{token}/", f"{base}/file/bot{token}/"
        for name in ("httpx", "httpcore"):
            logging.getLogger(name).setLevel(logging.WARNING)  # at INFO they log addresses
        self._client: httpx.AsyncClient | None = None

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Have connections for the time of the block."""
        async with httpx.AsyncClient(timeout=PATIENCE) as self._client:
            yield

    async def call(self, method: str, params: Json, patience: float = PATIENCE) -> object:
        """Call a method; its result. Raises Undone, Unsure, Refused, Gone, Conflict and Trouble."""
        status, body = await self._ask("POST", self._methods + method, method, LARGEST, patience, params)
        try:
            told = outside.table(outside.read(body))
        except Odd as odd:
            raise Unread(f"{method}: {odd}", body) from None
        words = str(told.get("description", ""))[:200]
        if told.get("ok") is True or "message is not modified" in words:
            return told.get("result")
        raise _failure(method, status, words, told.get("parameters"))

    async def file(self, path: str, most: int) -> bytes:
        """A file's bytes. Raises Unsure, Gone, and Refused for more than `most`."""
        status, data = await self._ask("GET", self._files + path, "a file", most + 1, PATIENCE)
        if status != 200:
            raise Gone(f"it is not there any more ({status})")
        if len(data) > most:
            raise Refused("it is larger than is taken")
        return data

    async def _ask(
        self, verb: str, address: str, what: str, most: int, patience: float, params: Json | None = None
    ) -> tuple[int, bytes]:
        """The status and the body of an answer, which is cut at `most` bytes. No error names the address."""
        assert self._client
        data = bytearray()
        try:
            async with (
                asyncio.timeout(patience + PATIENCE),
                self._client.stream(verb, address, json=params, timeout=patience) as answer,
            ):
                async for piece in answer.aiter_bytes():
                    data += piece[: most - len(data)]
                    if len(data) == most:
                        break
                return answer.status_code, bytes(data)
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as broken:
            raise Undone(f"{what}: Telegram is not reached ({type(broken).__name__})") from None
        except (httpx.HTTPError, httpx.InvalidURL, TimeoutError, ValueError) as broken:
            raise Unsure(f"{what}: the answer broke off ({type(broken).__name__})") from None


def _failure(method: str, status: int, words: str, more: object) -> Exception:
    """What an error of the API means. Of status 400 only its words tell which error it is."""
    if status == 429:
        after = more.get("retry_after") if isinstance(more, dict) else None
        return Undone(f"{method}: {words}", float(after) if isinstance(after, int | float) else None)
    if status == 401 or (status == 404 and method == "getMe"):
        return Trouble(f"Telegram refuses the token: set {TOKEN} to what @BotFather told")
    if status == 409 and method == "getUpdates":
        return Conflict(words)
    if status >= 500:
        return Unsure(f"{method}: {status} {words}")
    if method in ("editMessageText", "deleteMessage") and re.search(r"not found|can't be (edited|deleted)", words):
        return Gone(words)
    return Refused(f"{method}: {status} {words}")
