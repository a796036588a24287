"""Convert Telegram's updates to the pattern's types. Pure: every update becomes an Incoming or raises Odd."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from dotagent.bridges import COMMANDS, Attachment, Gone, Incoming, Odd, Person, Place
from dotagent.bridges.pattern.marks import Content
from dotagent.bridges.pattern.split import utf16
from dotagent.bridges.pattern.validation import Json, id_of, number, table, tables, text, when
from dotagent.bridges.telegram_side.content import FILES, content, display_name, reply
from dotagent.text import times
from dotagent.text.lazy import replace

NEARLY = 4000  # UTF-16 units: a longer text may continue, because an app cuts a text before its 4,097th unit
SOON = 3.0  # the most seconds between two parts of a text
HIGHEST = 2**31 - 1  # the highest number of an update or a message in the Bot API


class Me(NamedTuple):
    """The bot itself."""

    id: str
    name: str  # its username, casefolded


def me(told: object) -> Me:
    """Parse the answer of getMe. Raises Odd."""
    bot = table(told)
    return Me(id_of(bot.get("id")), text(bot.get("username")).casefold())


def update_id(update: object) -> int:
    """Return the number that acknowledges an update, or -1."""
    id = update.get("update_id") if isinstance(update, dict) else None
    return id if type(id) is int and 0 <= id <= HIGHEST else -1


def album(update: object) -> str:
    """Return the album of an update's message, or "". Telegram sends each picture as a separate message."""
    message = update.get("message") if isinstance(update, dict) else None
    id = message.get("media_group_id") if isinstance(message, dict) else None
    return id if isinstance(id, str) else ""


def is_part(update: object) -> bool:
    """Return True if an update's message has a text that is nearly as long as a message can be. Telegram's apps cut a
    longer text in several messages."""
    message = update.get("message") if isinstance(update, dict) else None
    said = message.get("text") if isinstance(message, dict) else None
    return isinstance(said, str) and utf16(said) >= NEARLY


def begun(updates: Sequence[object]) -> Sequence[object]:
    """Return what is not settled in these updates: the albums, and each chat whose last message is a part."""
    last = dict[object, object]()
    for update in updates:
        message = update.get("message") if isinstance(update, dict) else None
        chat = message.get("chat") if isinstance(message, dict) else None
        if isinstance(chat, dict):
            last[str(chat.get("id"))] = update
    parts = [update_id(one) for one in last.values() if is_part(one)]
    return [*filter(None, map(album, updates)), *parts]


def continues(first: Incoming, next_: Incoming) -> bool:
    """Return True if a message is the rest of a part: the same person wrote it at nearly the same time."""
    plain = next_.kind == first.kind == "new" and not (next_.attachments or next_.quoted or next_.answers)
    same = first.person is not None and next_.person is not None and first.person.id == next_.person.id
    return plain and same and (times.parse(next_.at) - times.parse(first.at)).total_seconds() <= SOON


def joined(first: Incoming, next_: Incoming, between: str = "\n") -> Incoming:
    """Return the pictures of an album, or the parts of a text, as one message, with the words of each."""
    return replace(
        first,
        order=next_.order,
        text=between.join(filter(None, [first.text, next_.text])),
        quoted="\n".join(filter(None, [first.quoted, next_.quoted])),
        attachments=(*first.attachments, *next_.attachments),
        addressed=first.addressed or next_.addressed,
    )


def first_id(body: bytes) -> int:
    """Return the update_id of the first update in an incomplete JSON answer, or -1."""
    found = re.search(rb'"update_id"\s*:\s*([0-9]{1,10})\s*[,}]', body)
    return update_id({"update_id": int(found[1])}) if found else -1


def sent_id(message: object) -> str:
    """Return the id of a message just sent, or "" if the answer lacks it, although the message was sent."""
    try:
        return id_of(table(message).get("message_id"))
    except Odd:
        return ""


def path(file: object) -> str:
    """Return the path of a file. Raises Gone."""
    where = file.get("file_path") if isinstance(file, dict) else None
    if isinstance(where, str):
        return where
    raise Gone("Telegram did not say where the file is")


def parse_update(update: object, me: Me) -> tuple[Incoming, str] | None:
    """Return the message in an update, and the command in it, or "". Return None if it is not a person's message.
    Raises Odd and other exceptions for invalid values."""
    given = table(update)
    message = table(given.get("message") or given.get("edited_message"))
    if not message.get("from"):  # missing in a channel's posts
        return None
    edited = "edited_message" in given
    if edited and table(message.get("location")).get("live_period"):
        return None  # a live location is reported only at its start and end
    words = _entities(message)
    said = content(message)
    return _incoming(message, said, words, edited, me), "" if said.quoted else _command(words, me)


def _incoming(message: Json, said: Content, words: list[tuple[Json, str]], edited: bool, me: Me) -> Incoming:
    sender, replied = table(message.get("from")), table(message.get("reply_to_message"))
    name, known = display_name(sender), (text(sender["username"]),) if sender.get("username") else ()
    id = number(message.get("message_id"), HIGHEST)
    changed = message.get("edit_date") if edited else None
    answered, answers = reply(message)
    return Incoming(
        place=_place(message),
        person=Person(id_of(sender.get("id")), known[0] if known else name, known, bot=bool(sender.get("is_bot"))),
        id=str(id),
        order=id,
        at=when(changed or message.get("date")),
        text=said.own,
        kind="edited" if edited else "new",
        addressed=_is_addressed(words, replied, me),
        answers=answers,
        attachments=tuple(_attachments(message)),
        revision=str(number(changed)) if changed else "",
        quoted=said.quoted,
        answered=answered,
        answered_by=_reply_target(message, replied, me),
    )


def _reply_target(message: Json, replied: Json, me: Me) -> Literal["other", "bot", "person"]:
    """Return whose text a message replies to. A message that quotes others counts as another person's."""
    who = table(replied.get("from")).get("id")
    foreign = any(line.startswith(">") for line in content(replied).whole.split("\n"))
    if not who or replied.get("sender_chat") or message.get("external_reply") or foreign:
        return "other"
    return "bot" if id_of(who) == me.id else "person" if who == table(message["from"]).get("id") else "other"


def _is_addressed(words: list[tuple[Json, str]], replied: Json, me: Me) -> bool:
    mentioned = [table(one.get("user")) for one, _ in words]
    ids = [who["id"] for who in (*mentioned, table(replied.get("from"))) if "id" in who]
    return me.id in map(id_of, ids) or any(word.casefold() == f"@{me.name}" for _, word in words)


def _command(words: list[tuple[Json, str]], me: Me) -> str:
    """Return the slash command in the message, or "" if it contains none of our commands."""
    for one, word in words:
        name, _, to = word.removeprefix("/").casefold().partition("@")  # phones begin with a capital letter
        mine = to in ("", me.name)
        if one.get("type") == "bot_command" and one.get("offset") == 0 and mine and name in COMMANDS:
            return name
    return ""


def _place(message: Json) -> Place:
    """Return the chat or its topic. Admins choose its title, but its username is unique."""
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
    """Return the entities of the text with their words. Telegram counts in UTF-16 units and sends at most a hundred."""
    said = text(message.get("text") or message.get("caption")).encode("utf-16-le", "surrogatepass")
    found = []
    for one in tables(message.get("entities") or message.get("caption_entities"))[:100]:
        begin, size = number(one.get("offset")), number(one.get("length"))
        found.append((one, said[2 * begin : 2 * (begin + size)].decode("utf-16-le", "replace")))
    return found


def _attachments(message: Json) -> list[Attachment]:
    found = [(kind, table(message[kind])) for kind in FILES if message.get(kind)]
    if message.get("animation"):  # which is sent as a document, too
        found = [(kind, one) for kind, one in found if kind != "document"]
    if message.get("photo"):
        sizes = tables(message["photo"])
        found.append(("photo.jpg", max(sizes, key=lambda one: number(one.get("file_size", 0)))))
    return [
        Attachment(text(one.get("file_name")), text(one.get("file_id")), number(one.get("file_size", -1)), kind)
        for kind, one in found
    ]
