"""Carry messages between Telegram and rooms: direct messages, groups and their topics, each a room.

The Bot API over httpx, by long polling: an update is acknowledged once it is durable here, and Telegram keeps what was
not for 24 hours. It has no idempotency keys and shows a bot no messages of its own, so a part whose sending was cut off
is sent again: nothing is lost, and what was in doubt at a crash may be there twice. It needs a bot's token, from
@BotFather, in TELEGRAM_BOT_TOKEN; in groups it hears all only when privacy is switched off there. Owns nothing on disk.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import httpx

from dotagent.bridges import (
    COMMANDS,
    Attachment,
    Config,
    Failed,
    Gone,
    Incoming,
    Limits,
    Listener,
    Person,
    Piece,
    Place,
    Refused,
    Sent,
    Transport,
    Undone,
    Unsure,
)
from dotagent.bridges.pattern.split import utf16
from dotagent.errors import Misuse, Trouble

TOKENS = ("TELEGRAM_BOT_TOKEN",)
BASE = "https://api.telegram.org"
LIMITS = Limits(4096, utf16, edits=3.0, typing=4.0, history=False, recent=False)  # a group takes 20 messages a minute
SETTINGS: tuple[str, ...] = ()

POLL = 50  # seconds that Telegram holds a request for updates
PATIENCE = 20.0  # seconds for any other answer
SLOWEST = 60.0  # seconds between two tries to connect, at most
CONFLICTS = 3  # polls that another process may take away before this one gives up
FILES = ("document", "audio", "voice", "video", "video_note", "animation")
Json = Mapping[str, Any]


def open(config: Config) -> Transport:
    """The transport. Raises Misuse for what cannot be a token or an address."""
    if not re.fullmatch(r"\d+:[\w-]{20,}", config.token):
        raise Misuse(f"{TOKENS[0]} is no token of a bot: it is digits, a colon and letters, as @BotFather told")
    if not re.match(r"https?://[^/\s]+", config.base):
        raise Misuse(f"telegram: base {config.base!r} is no address")
    return Telegram(config.token, config.base)


class _Conflict(Exception):
    """Another process takes this bot's updates, or a webhook does: the words of the server."""


class Telegram:
    """The connection to the Bot API: a bridges.Transport. Every address holds the token, so none is shown or logged."""

    def __init__(self, token: str, base: str) -> None:
        self._api, self._files = f"{base}/bot{token}/", f"{base}/file/bot{token}/"
        for name in ("httpx", "httpcore"):
            logging.getLogger(name).setLevel(logging.WARNING)  # at INFO they log addresses
        self._client: httpx.AsyncClient | None = None
        self._me: Json = {}

    async def run(self, listener: Listener) -> None:
        async with httpx.AsyncClient(timeout=PATIENCE) as self._client:
            offset, online, wait, conflicts = 0, False, 1.0, 0
            while True:
                try:
                    if not online:
                        self._me = await self._call("getMe", {})
                        await listener.connected()
                        online = True
                    asked = {"offset": offset, "timeout": POLL, "allowed_updates": ["message", "edited_message"]}
                    updates = await self._call("getUpdates", asked, PATIENCE + POLL)
                    wait, conflicts = 1.0, 0
                except (Undone, Unsure) as broken:
                    listener.lost(str(broken))
                    online = False
                    await asyncio.sleep(broken.after or wait)
                    wait = min(2 * wait, SLOWEST)
                except _Conflict as other:
                    conflicts += 1
                    if conflicts == CONFLICTS:
                        raise Trouble(f"somebody else takes this bot's messages: end that program, or remove the "
                                      f"bot's webhook ({other})") from None  # fmt: skip
                    await asyncio.sleep(wait)
                except Refused as why:
                    raise Trouble(f"Telegram refuses to be asked: {why}") from None
                else:
                    await self._deliver(listener, updates)
                    offset = max((update["update_id"] + 1 for update in updates), default=offset)

    async def _deliver(self, listener: Listener, updates: Sequence[Json]) -> None:
        """Tell of the updates, of each chat in its order; returns once all of them are durable."""
        chats: dict[str, list[tuple[Incoming, str]]] = {}
        for update in updates:
            message = update.get("message") or update.get("edited_message") or {}
            try:
                if message.get("from"):  # what a channel posts has none
                    incoming = self._incoming(message, "edited_message" in update)
                    chats.setdefault(incoming.place.id, []).append((incoming, self._command(message)))
            except (KeyError, TypeError, ValueError, AttributeError) as wrong:  # or it would come again for ever
                listener.log(f"an update of an unknown form is left out: {wrong!r}")
        await asyncio.gather(*(self._tell(listener, chat) for chat in chats.values()))

    async def _tell(self, listener: Listener, told: Sequence[tuple[Incoming, str]]) -> None:
        for incoming, word in told:
            if word and incoming.person and incoming.kind == "new":
                answer = await listener.command(word, incoming.person, incoming.place)
                try:
                    await self.send(incoming.place, Piece(answer, "", incoming.id))
                except Failed as failed:
                    listener.log(f"/{word} was done, but its answer not sent: {failed}")
            elif incoming.text or incoming.attachments:
                await listener.hear(incoming)

    async def send(self, place: Place, piece: Piece) -> str:
        asked: dict[str, object] = {**_chat(place), "text": piece.text}
        if piece.answers:
            asked["reply_parameters"] = {"message_id": int(piece.answers), "allow_sending_without_reply": True}
        sent = await self._call("sendMessage", asked)
        return str(sent["message_id"])

    async def edit(self, place: Place, id: str, text: str) -> None:
        asked = {"chat_id": _chat(place)["chat_id"], "message_id": int(id), "text": text}
        await self._call("editMessageText", asked)

    async def delete(self, place: Place, id: str) -> None:
        await self._call("deleteMessage", {"chat_id": _chat(place)["chat_id"], "message_id": int(id)})

    async def typing(self, place: Place) -> None:
        await self._call("sendChatAction", {**_chat(place), "action": "typing"})

    async def history(self, place: Place, after: int, most: int) -> Sequence[Incoming]:
        return ()  # Telegram shows a bot none

    async def recent(self, place: Place, most: int) -> Sequence[Sent]:
        return ()  # nor messages of its own

    async def fetch(self, attachment: Attachment, most: int) -> bytes:
        """The file's bytes; the Bot API itself hands out at most 20 MB."""
        assert self._client
        found = await self._call("getFile", {"file_id": attachment.handle})
        data = bytearray()
        try:
            async with self._client.stream("GET", self._files + str(found.get("file_path"))) as answer:
                if answer.status_code != 200:
                    raise Gone(f"it is not there any more ({answer.status_code})")
                async for piece in answer.aiter_bytes():
                    data += piece
                    if len(data) > most:
                        raise Refused("it is larger than is taken")
        except httpx.TransportError as broken:
            raise Unsure(type(broken).__name__) from None
        return bytes(data)

    def outgoing(self, place: Place, text: str) -> str:
        """Telegram makes mentions of `@name` by itself."""
        return text

    async def _call(self, method: str, params: Json, patience: float = PATIENCE) -> Any:
        """Call a method of the API; its result. No error names the address, which holds the token."""
        assert self._client
        try:
            answer = await self._client.post(self._api + method, json=params, timeout=patience)
            told = answer.json()
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as broken:
            raise Undone(f"{method}: Telegram is not reached ({type(broken).__name__})") from None
        except (httpx.TransportError, ValueError) as broken:
            raise Unsure(f"{method}: the answer broke off ({type(broken).__name__})") from None
        told = told if isinstance(told, dict) else {}
        if told.get("ok") is True or "message is not modified" in str(told.get("description")):
            return told.get("result")
        raise _failure(method, answer.status_code, told)

    def _incoming(self, message: Json, edited: bool) -> Incoming:
        sender, text = message["from"], str(message.get("text") or message.get("caption") or _described(message))
        replied = message.get("reply_to_message") or {}
        name = " ".join(str(sender[part]) for part in ("first_name", "last_name") if sender.get(part))
        known = (str(sender["username"]),) if sender.get("username") else ()
        return Incoming(
            place=_place(message),
            person=Person(str(sender["id"]), known[0] if known else name, known, bot=bool(sender.get("is_bot"))),
            id=str(message["message_id"]),
            order=int(message["message_id"]),
            at=_time(message["edit_date"] if edited and message.get("edit_date") else message["date"]),
            text=text,
            kind="edited" if edited else "new",
            addressed=self._is_addressed(message, replied),
            answers=str(replied.get("text") or replied.get("caption") or ""),
            attachments=tuple(_attachments(message)),
            revision=str(message.get("edit_date", "")),
        )

    def _is_addressed(self, message: Json, replied: Json) -> bool:
        if replied.get("from", {}).get("id") == self._me["id"]:
            return True
        return any(
            one.get("user", {}).get("id") == self._me["id"] or word.casefold() == f"@{self._me['username']}".casefold()
            for one, word in _entities(message)
        )

    def _command(self, message: Json) -> str:
        """The slash command that the message is; "" when it is none of ours."""
        for one, word in _entities(message):
            name, _, to = word.removeprefix("/").partition("@")
            mine = to.casefold() in ("", str(self._me["username"]).casefold())
            if one.get("type") == "bot_command" and one.get("offset") == 0 and mine and name in COMMANDS:
                return name
        return ""


def _failure(method: str, status: int, told: Json) -> Exception:
    """What an error of the API means. Of status 400 only its words tell which error it is."""
    words, more = str(told.get("description", "")), told.get("parameters") or {}
    if status == 429:
        return Undone(f"{method}: {words}", float(more.get("retry_after", 1)))
    if status == 401 or (status == 404 and method == "getMe"):
        return Trouble(f"Telegram refuses the token: set {TOKENS[0]} to what @BotFather told")
    if status == 409:
        return _Conflict(words)
    if status >= 500:
        return Unsure(f"{method}: {status} {words}")
    if method in ("editMessageText", "deleteMessage") and re.search(r"not found|can't be (edited|deleted)", words):
        return Gone(words)
    return Refused(f"{method}: {status} {words}")


def _place(message: Json) -> Place:
    """The chat, or its topic. A group is named by its title, which its admins choose, and its username."""
    chat = message["chat"]
    id, name = str(chat["id"]), str(chat.get("title") or chat.get("username") or chat.get("first_name") or chat["id"])
    known = (str(chat["username"]),) if chat.get("username") else ()
    if chat.get("type") == "private":
        return Place(id, "person", name, known)
    if message.get("is_topic_message") and message.get("message_thread_id"):
        thread = str(message["message_thread_id"])
        return Place(f"{id}:{thread}", "group", f"{name} {thread}", (*known, id, name))
    return Place(id, "group", name, known)


def _chat(place: Place) -> dict[str, int]:
    chat, _, thread = place.id.partition(":")
    return {"chat_id": int(chat), **({"message_thread_id": int(thread)} if thread else {})}


def _time(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _entities(message: Json) -> list[tuple[Json, str]]:
    """The marked spots of the text with their words; Telegram counts in UTF-16 units."""
    text = str(message.get("text") or message.get("caption") or "").encode("utf-16-le", "surrogatepass")
    found = message.get("entities") or message.get("caption_entities") or []
    cut = ((one, text[2 * one["offset"] : 2 * (one["offset"] + one["length"])]) for one in found)
    return [(one, word.decode("utf-16-le", "replace")) for one, word in cut]


def _attachments(message: Json) -> list[Attachment]:
    found = [(kind, message[kind]) for kind in FILES if message.get(kind)]
    if message.get("animation"):  # which comes as a document, too
        found = [(kind, one) for kind, one in found if kind != "document"]
    if message.get("photo"):
        found.append(("photo.jpg", max(message["photo"], key=lambda size: size.get("file_size", 0))))
    return [
        Attachment(str(one.get("file_name") or kind), one["file_id"], one.get("file_size", -1)) for kind, one in found
    ]


def _described(message: Json) -> str:
    """Words for what has none."""
    if one := message.get("sticker"):
        return f"(sticker {one.get('emoji', '')})"
    if one := message.get("location"):
        return f"(location {one.get('latitude')}, {one.get('longitude')})"
    if one := message.get("contact"):
        return f"(contact {one.get('first_name', '')} {one.get('phone_number', '')})"
    return ""
