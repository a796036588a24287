"""Telegram's updates as the pattern knows them. Pure: whatever an update holds, it becomes an Incoming, or is Odd."""

from __future__ import annotations

import re
from typing import NamedTuple

from dotagent.bridges import COMMANDS, Attachment, Gone, Incoming, Odd, Person, Place
from dotagent.bridges.pattern.outside import Json, id_of, number, table, tables, text, when

HIGHEST = 2**31 - 1  # what the Bot API's server can count updates and messages to
FILES = ("document", "audio", "voice", "video", "video_note", "animation")


class Me(NamedTuple):
    """Who the bot is."""

    id: str
    name: str  # its username, folded


def me(told: object) -> Me:
    """Who getMe says the bot is. Raises Odd."""
    bot = table(told)
    return Me(id_of(bot.get("id")), text(bot.get("username")).casefold())


def update_id(update: object) -> int:
    """By which an update is acknowledged; -1 for none."""
    id = update.get("update_id") if isinstance(update, dict) else None
    return id if type(id) is int and 0 <= id <= HIGHEST else -1


def first_id(body: bytes) -> int:
    """The update_id of the first update in an answer that is no whole JSON; -1 for none."""
    found = re.search(rb'"update_id"\s*:\s*([0-9]{1,10})\s*[,}]', body)
    return update_id({"update_id": int(found[1])}) if found else -1


def sent_id(message: object) -> str:
    """The id of an own message as it was told; "" when it was not: it was sent all the same."""
    try:
        return id_of(table(message).get("message_id"))
    except Odd:
        return ""


def path(file: object) -> str:
    """Where a file is. Raises Gone."""
    where = file.get("file_path") if isinstance(file, dict) else None
    if isinstance(where, str):
        return where
    raise Gone("Telegram does not say where it is")


def told(update: object, me: Me) -> tuple[Incoming, str] | None:
    """What an update tells, and the command that it is, or ""; None when it is nothing that somebody says. Raises Odd
    (and what else dealing with odd values may raise)."""
    given = table(update)
    message = table(given.get("message") or given.get("edited_message"))
    if not message.get("from"):  # what a channel posts has none
        return None
    words = _entities(message)
    command = "" if _is_forwarded(message) else _command(words, me)
    return _incoming(message, words, "edited_message" in given, me), command


def _incoming(message: Json, words: list[tuple[Json, str]], edited: bool, me: Me) -> Incoming:
    sender, replied = table(message.get("from")), table(message.get("reply_to_message"))
    name = " ".join(text(sender[part]) for part in ("first_name", "last_name") if sender.get(part))
    known = (text(sender["username"]),) if sender.get("username") else ()
    id = number(message.get("message_id"), HIGHEST)
    changed = message.get("edit_date") if edited else None
    return Incoming(
        place=_place(message),
        person=Person(id_of(sender.get("id")), known[0] if known else name, known, bot=bool(sender.get("is_bot"))),
        id=str(id),
        order=id,
        at=when(changed or message.get("date")),
        text=("(forwarded) " if _is_forwarded(message) else "")
        + text(message.get("text") or message.get("caption") or _described(message)),
        kind="edited" if edited else "new",
        addressed=_is_addressed(words, replied, me),
        answers=text(replied.get("text") or replied.get("caption")),
        attachments=tuple(_attachments(message)),
        revision=str(number(changed)) if changed else "",
    )


def _is_forwarded(message: Json) -> bool:
    """Whether these are somebody else's words, which who sends them passes on."""
    return bool(message.get("forward_origin") or message.get("forward_date"))


def _is_addressed(words: list[tuple[Json, str]], replied: Json, me: Me) -> bool:
    mentioned = [table(one.get("user")) for one, _ in words]
    ids = [who["id"] for who in (*mentioned, table(replied.get("from"))) if "id" in who]
    return me.id in map(id_of, ids) or any(word.casefold() == f"@{me.name}" for _, word in words)


def _command(words: list[tuple[Json, str]], me: Me) -> str:
    """The slash command that the message is; "" when it is none of ours."""
    for one, word in words:
        name, _, to = word.removeprefix("/").partition("@")
        mine = to.casefold() in ("", me.name)
        if one.get("type") == "bot_command" and one.get("offset") == 0 and mine and name in COMMANDS:
            return name
    return ""


def _place(message: Json) -> Place:
    """The chat, or its topic. What it is called is its admins' choice; its username nobody else can take."""
    chat = table(message.get("chat"))
    id, public = id_of(chat.get("id")), text(chat.get("username"))
    name, known = text(chat.get("title")) or public or text(chat.get("first_name")) or id, (public,) if public else ()
    if chat.get("type") == "private":
        return Place(id, "person", name, known)
    if message.get("is_topic_message") and message.get("message_thread_id"):
        thread = id_of(message["message_thread_id"])
        return Place(f"{id}:{thread}", "group", f"{name} {thread}", known, (id,))
    return Place(id, "group", name, known)


def _entities(message: Json) -> list[tuple[Json, str]]:
    """The marked spots of the text with their words; Telegram counts in UTF-16 units, and marks a hundred at most."""
    said = text(message.get("text") or message.get("caption")).encode("utf-16-le", "surrogatepass")
    found = []
    for one in tables(message.get("entities") or message.get("caption_entities"))[:100]:
        begin, size = number(one.get("offset")), number(one.get("length"))
        found.append((one, said[2 * begin : 2 * (begin + size)].decode("utf-16-le", "replace")))
    return found


def _attachments(message: Json) -> list[Attachment]:
    found = [(kind, table(message[kind])) for kind in FILES if message.get(kind)]
    if message.get("animation"):  # which comes as a document, too
        found = [(kind, one) for kind, one in found if kind != "document"]
    if message.get("photo"):
        sizes = tables(message["photo"])
        found.append(("photo.jpg", max(sizes, key=lambda one: number(one.get("file_size", 0)))))
    return [
        Attachment(text(one.get("file_name")) or kind, text(one.get("file_id")), number(one.get("file_size", -1)))
        for kind, one in found
    ]


def _described(message: Json) -> str:
    """Words for what has none."""
    if one := table(message.get("sticker")):
        return f"(sticker {text(one.get('emoji'))})"
    if one := table(message.get("location")):
        return f"(location {one.get('latitude')}, {one.get('longitude')})"
    if one := table(message.get("contact")):
        return f"(contact {text(one.get('first_name'))} {text(one.get('phone_number'))})"
    return ""
