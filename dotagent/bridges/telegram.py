"""Run the Telegram bridge.

The bridge needs a bot's token from @BotFather in TELEGRAM_BOT_TOKEN. In a group, a bot gets all messages only if you
let @BotFather switch off the bot's privacy mode. Telegram keeps messages for 24 hours while the bridge is not
running.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from dotagent.bridges import (
    MANY,
    Access,
    Attachment,
    Failed,
    Gone,
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
from dotagent.bridges.pattern import validation
from dotagent.bridges.pattern.split import utf16
from dotagent.bridges.pattern.validation import Json
from dotagent.bridges.telegram_side import moves, shapes
from dotagent.bridges.telegram_side.api import PATIENCE, Api, Conflict, Malformed, Moved, TopicGone, Unread
from dotagent.bridges.telegram_side.entities import render
from dotagent.bridges.telegram_side.moves import Moves
from dotagent.bridges.telegram_side.shapes import Me
from dotagent.errors import Misuse, Trouble

GROUP = "setup"

BASE = "https://api.telegram.org"
LIMITS = Limits(4096, utf16, edits=3.0, typing=4.0, history=False, recent=False)  # a group accepts 20 messages a minute
TOKENS = ("TELEGRAM_BOT_TOKEN",)
SETTINGS: tuple[str, ...] = ()

UNPREVIEWED = {"link_preview_options": {"is_disabled": True}}  # otherwise Telegram would fetch addresses in an answer
POLL = 50  # seconds that Telegram holds a request for updates
SOON = 1.0  # the least seconds of a poll without new updates
SLOWEST = 60.0  # the most seconds between two attempts to connect
ALBUM = 1.0  # seconds to wait for the next picture of an album or the next part of a text
CONFLICTS = 3  # polls taken by another process before this one gives up


def open(config: Access) -> Transport:
    """Return the transport. Raises Misuse for an invalid token or address."""
    if not re.fullmatch(r"\d+:[\w-]{20,}", config.token):
        raise Misuse(f"{TOKENS[0]} is not a bot token; copy the token from @BotFather (digits, a colon, letters)")
    if not re.match(r"https?://[^/\s]+", config.base):
        raise Misuse(
            f"[bridges.telegram]: base = {config.base!r} is not a valid address; it must begin with https:// or http://"
        )
    return Telegram(config.token, config.base, config.moved)


class Telegram:
    """A connection to the Bot API: a bridges.Transport."""

    def __init__(self, token: str, base: str, moved: dict[str, str]) -> None:
        self._api, self._moves = Api(token, base), Moves(moved)
        self._listener: Listener | None = None
        self._me = Me("", "")
        self._offset, self._most = 0, MANY  # the next update, and how many to request
        self._albums: list[str] = []  # albums that address the bot, latest last

    async def run(self, listener: Listener) -> None:
        loop, online, wait, conflicts = asyncio.get_running_loop(), False, SOON, 0
        self._listener = listener
        async with self._api.open():
            while True:
                try:
                    if not online:
                        self._me = shapes.me(await self._api.call("getMe", {}))
                        await listener.connected()
                        online = True
                    begun, before = loop.time(), self._offset
                    updates = await self._whole(listener, await self._updates(listener))
                    conflicts = 0
                except (Undone, Unsure, Refused, Odd) as broken:
                    listener.lost(str(broken))
                    online = False
                    await asyncio.sleep(getattr(broken, "after", None) or wait)
                    wait = min(2 * wait, SLOWEST)
                except Conflict as other:
                    conflicts += 1
                    if conflicts == CONFLICTS:
                        raise Trouble(f"another program receives this bot's messages; stop that program, or remove the "
                                      f"bot's webhook ({other})") from None  # fmt: skip
                    await asyncio.sleep(wait)
                else:
                    await self._deliver(listener, updates)
                    self._offset = max([self._offset, *(shapes.update_id(one) + 1 for one in updates)])
                    if self._offset > before or loop.time() - begun > SOON:
                        wait = SOON
                    else:  # otherwise the same update would come again at once, endlessly
                        await asyncio.sleep(wait)
                        wait = min(2 * wait, SLOWEST)

    async def _whole(self, listener: Listener, updates: list[object]) -> list[object]:
        """Return the updates once no album and no cut text in them grows any more. Until they are acknowledged, each
        request returns all of them again."""
        while begun := shapes.begun(updates):
            await asyncio.sleep(ALBUM)
            again = await self._updates(listener, 0)
            if len(again) < len(updates) or shapes.begun(again) == begun:
                break
            updates = again
        return updates

    async def _updates(self, listener: Listener, poll: int = POLL) -> list[object]:
        """Return the next updates. If they cannot be parsed together, they are requested one by one, and an update that
        still fails is skipped."""
        asked = {"offset": self._offset, "limit": self._most, "timeout": poll}
        try:
            found = await self._api.call(
                "getUpdates", asked | {"allowed_updates": ["message", "edited_message"]}, PATIENCE + poll
            )
        except Unread as unread:
            id = shapes.first_id(unread.body)
            if self._most == 1 and id < self._offset:
                raise
            if self._most == 1:
                listener.log(f"skipped a message from Telegram that cannot be read: {unread}")
                self._offset = id + 1
            self._most = MANY if self._most == 1 else 1
            return []
        if not isinstance(found, list):
            raise Odd("Telegram sent an answer that is not valid: it contains no list of new messages")
        self._most = self._most if found else MANY
        return found[:MANY]

    async def _deliver(self, listener: Listener, updates: Sequence[object]) -> None:
        """Deliver the updates, in order for each chat. Returns once all are durable."""
        chats: dict[str, list[shapes.Gathered]] = {}
        for update in updates:
            if moved := validation.make_or_report(partial(moves.told, update), listener.log):
                self._follow(*moved)
                continue  # no person's message
            if told := validation.make_or_report(partial(shapes.parse_update, update, self._me), listener.log):
                album, settled = shapes.album(update), self._moves.settle(told[0])
                incoming, word = self._in_album(settled, album), told[1]
                chat = chats.setdefault(incoming.place.id, [])
                if before := shapes.find_begun(chat, incoming, album):
                    chat.remove(before)  # others may have spoken between two parts
                    incoming, word = shapes.joined(before.message, incoming, before.end), before.word
                chat.append(shapes.Gathered(incoming, word, album, shapes.end_of_part(update)))
        await asyncio.gather(*(self._tell(listener, chat) for chat in chats.values()))

    def _in_album(self, incoming: Incoming, album: str) -> Incoming:
        """Return the message, addressed if an earlier picture of its album was, because only one has the text."""
        name = f"{incoming.place.id} {album}"
        if album and incoming.addressed and name not in self._albums:
            self._albums = [*self._albums, name][-MANY:]
        return replace(incoming, addressed=True) if name in self._albums else incoming

    async def _tell(self, listener: Listener, told: Sequence[shapes.Gathered]) -> None:
        for incoming, word, _, _ in told:
            if word and incoming.person and incoming.kind == "new":
                answer = await listener.command(word, incoming.person, incoming.place)
                try:
                    await self.send(incoming.place, Piece(answer, "", incoming.id))
                except Failed as failed:
                    listener.log(f"the bridge did /{word}, but could not send the answer: {failed}")
            elif incoming.text or incoming.quoted or incoming.attachments:
                await listener.hear(incoming)

    async def send(self, place: Place, piece: Piece) -> str:
        asked: dict[str, object] = {**UNPREVIEWED}
        done = await self._written("sendMessage", place, asked, piece.text, answers=piece.answers)
        return self._moves.name(place, shapes.sent_id(done))

    async def edit(self, place: Place, id: str, text: str) -> None:
        await self._written("editMessageText", place, {**UNPREVIEWED}, text, id=id)

    async def _written(
        self, method: str, place: Place, asked: Json, text: str, *, answers: str = "", id: str = ""
    ) -> object:
        """Call the method with the text and its entities, or with the original text if Telegram refuses these."""
        shown, entities = render(text, LIMITS.size)
        more = {"entities": entities} if entities else {}
        try:
            return await self._in(place, method, {**asked, "text": shown, **more}, answers=answers, id=id)
        except Malformed:
            if not entities:
                raise
            return await self._in(place, method, {**asked, "text": text}, answers=answers, id=id)

    async def _in(self, place: Place, method: str, asked: Json, *, answers: str = "", id: str = "") -> object:
        """Call the method for a chat, or for the supergroup that it became. If its topic was deleted, the message goes
        to the group."""
        whole = False  # whether to leave out the topic
        while True:
            chat, thread = self._moves.chat(place)
            given: dict[str, object] = {"chat_id": _int(chat), **asked}
            if thread and not (id or whole):
                given["message_thread_id"] = _int(thread)
            if answers and (number := self._moves.number(place, answers)):
                given["reply_parameters"] = {"message_id": _int(number), "allow_sending_without_reply": True}
            if id:
                number = self._moves.number(place, id)
                if not number:
                    raise Gone("the message is in the old group, which has become a supergroup")
                given["message_id"] = _int(number)
            try:
                return await self._api.call(method, given)
            except TopicGone as gone:
                if "message_thread_id" not in given:
                    raise
                whole = True
                if self._listener and method == "sendMessage":
                    self._listener.log(f"{place.name}: {gone}; the message goes to the group without a topic")
            except Moved as moved:
                if not self._follow(chat, moved.to):
                    raise

    def _follow(self, old: str, new: str) -> bool:
        """Use the new id of a group from now on. Return False if it was known."""
        fresh = self._moves.add(old, new)
        if fresh and self._listener:
            self._listener.moved(old, new)
        return fresh

    async def delete(self, place: Place, id: str) -> None:
        await self._in(place, "deleteMessage", {}, id=id)

    async def typing(self, place: Place) -> None:
        await self._in(place, "sendChatAction", {"action": "typing"})

    async def history(self, place: Place, after: int, most: int) -> Sequence[Incoming]:
        return ()  # Telegram shows bots no history

    async def recent(self, place: Place, most: int) -> Sequence[Sent]:
        return ()  # nor the bot's own messages

    async def fetch(self, attachment: Attachment, most: int) -> bytes:
        """Return the file's bytes. The Bot API itself returns at most 20 MB."""
        return await self._api.file(shapes.path(await self._api.call("getFile", {"file_id": attachment.handle})), most)

    def outgoing(self, place: Place, text: str) -> str:
        """Return the text unchanged: Telegram makes mentions of `@name` by itself."""
        return text


def _int(id: str) -> int:
    try:
        return int(id)
    except ValueError:
        raise Refused(f"{id[:40]!r} is not a valid id of a message or a chat in Telegram") from None
