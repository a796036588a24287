"""Carry messages between Telegram and rooms: direct messages, groups and their topics, each a room.

The Bot API over httpx, by long polling: an update is acknowledged once it is durable here, and Telegram keeps what was
not for 24 hours. It has no idempotency keys and shows a bot no messages of its own, so a part whose sending was cut off
is sent again: nothing is lost, and what was in doubt at a crash may be there twice. It needs a bot's token, from
@BotFather, in TELEGRAM_BOT_TOKEN; in groups it hears all only when privacy is switched off there. Owns nothing on disk.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from functools import partial

from dotagent.bridges import (
    MANY,
    Access,
    Attachment,
    Failed,
    Incoming,
    Limits,
    Listener,
    Odd,
    Piece,
    Place,
    Refused,
    Sent,
    Transport,
    Undone,
    Unsure,
)
from dotagent.bridges.pattern import outside
from dotagent.bridges.pattern.split import utf16
from dotagent.bridges.telegram_side import shapes
from dotagent.bridges.telegram_side.api import PATIENCE, Api, Conflict, Unread
from dotagent.bridges.telegram_side.shapes import Me
from dotagent.errors import Misuse, Trouble

BASE = "https://api.telegram.org"
LIMITS = Limits(4096, utf16, edits=3.0, typing=4.0, history=False, recent=False)  # a group takes 20 messages a minute
TOKENS = ("TELEGRAM_BOT_TOKEN",)
SETTINGS: tuple[str, ...] = ()

POLL = 50  # seconds that Telegram holds a request for updates
SOON = 1.0  # seconds that a poll takes at least, unless it brings something new
SLOWEST = 60.0  # seconds between two tries to connect, at most
CONFLICTS = 3  # polls that another process may take away before this one gives up


def open(config: Access) -> Transport:
    """The transport. Raises Misuse for what cannot be a token or an address."""
    if not re.fullmatch(r"\d+:[\w-]{20,}", config.token):
        raise Misuse(f"{TOKENS[0]} is no token of a bot: it is digits, a colon and letters, as @BotFather told")
    if not re.match(r"https?://[^/\s]+", config.base):
        raise Misuse(f"telegram: base {config.base!r} is no address")
    return Telegram(config.token, config.base)


class Telegram:
    """The connection to the Bot API: a bridges.Transport."""

    def __init__(self, token: str, base: str) -> None:
        self._api = Api(token, base)
        self._me = Me("", "")
        self._offset, self._most = 0, MANY  # the next update, and how many are asked for

    async def run(self, listener: Listener) -> None:
        loop, online, wait, conflicts = asyncio.get_running_loop(), False, SOON, 0
        async with self._api.open():
            while True:
                try:
                    if not online:
                        self._me = shapes.me(await self._api.call("getMe", {}))
                        await listener.connected()
                        online = True
                    begun, before = loop.time(), self._offset
                    updates = await self._updates(listener)
                    conflicts = 0
                except (Undone, Unsure, Refused, Odd) as broken:
                    listener.lost(str(broken))
                    online = False
                    await asyncio.sleep(getattr(broken, "after", None) or wait)
                    wait = min(2 * wait, SLOWEST)
                except Conflict as other:
                    conflicts += 1
                    if conflicts == CONFLICTS:
                        raise Trouble(f"somebody else takes this bot's messages: end that program, or remove the "
                                      f"bot's webhook ({other})") from None  # fmt: skip
                    await asyncio.sleep(wait)
                else:
                    await self._deliver(listener, updates)
                    self._offset = max([self._offset, *(shapes.update_id(one) + 1 for one in updates)])
                    if self._offset > before or loop.time() - begun > SOON:
                        wait = SOON
                    else:  # the same would come again at once, for ever
                        await asyncio.sleep(wait)
                        wait = min(2 * wait, SLOWEST)

    async def _updates(self, listener: Listener) -> list[object]:
        """The next updates. When they cannot be read at all they are asked for one by one, and one that cannot be read
        even then is passed over."""
        asked = {"offset": self._offset, "limit": self._most, "timeout": POLL}
        try:
            found = await self._api.call(
                "getUpdates", asked | {"allowed_updates": ["message", "edited_message"]}, PATIENCE + POLL
            )
        except Unread as unread:
            id = shapes.first_id(unread.body)
            if self._most == 1 and id < self._offset:
                raise
            if self._most == 1:
                listener.log(f"an update that cannot be read is passed over: {unread}")
                self._offset = id + 1
            self._most = MANY if self._most == 1 else 1
            return []
        if not isinstance(found, list):
            raise Odd("Telegram tells no updates")
        self._most = self._most if found else MANY
        return found[:MANY]

    async def _deliver(self, listener: Listener, updates: Sequence[object]) -> None:
        """Tell of the updates, of each chat in its order; returns once all of them are durable."""
        chats: dict[str, list[tuple[Incoming, str]]] = {}
        for update in updates:
            if told := outside.made(partial(shapes.told, update, self._me), listener.log):
                chats.setdefault(told[0].place.id, []).append(told)
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
            asked["reply_parameters"] = {"message_id": _int(piece.answers), "allow_sending_without_reply": True}
        return shapes.sent_id(await self._api.call("sendMessage", asked))

    async def edit(self, place: Place, id: str, text: str) -> None:
        asked = {"chat_id": _chat(place)["chat_id"], "message_id": _int(id), "text": text}
        await self._api.call("editMessageText", asked)

    async def delete(self, place: Place, id: str) -> None:
        await self._api.call("deleteMessage", {"chat_id": _chat(place)["chat_id"], "message_id": _int(id)})

    async def typing(self, place: Place) -> None:
        await self._api.call("sendChatAction", {**_chat(place), "action": "typing"})

    async def history(self, place: Place, after: int, most: int) -> Sequence[Incoming]:
        return ()  # Telegram shows a bot none

    async def recent(self, place: Place, most: int) -> Sequence[Sent]:
        return ()  # nor messages of its own

    async def fetch(self, attachment: Attachment, most: int) -> bytes:
        """The file's bytes; the Bot API itself hands out at most 20 MB."""
        return await self._api.file(shapes.path(await self._api.call("getFile", {"file_id": attachment.handle})), most)

    def outgoing(self, place: Place, text: str) -> str:
        """Telegram makes mentions of `@name` by itself."""
        return text


def _chat(place: Place) -> dict[str, int]:
    chat, _, thread = place.id.partition(":")
    return {"chat_id": _int(chat), **({"message_thread_id": _int(thread)} if thread else {})}


def _int(id: str) -> int:
    try:
        return int(id)
    except ValueError:
        raise Refused(f"{id[:40]!r} is no id") from None
