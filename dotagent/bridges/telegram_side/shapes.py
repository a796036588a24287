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
from dotagent.text import quotes, times
from dotagent.text.lazy import replace

MOST = 4096  # UTF-16 units of a text
HALF = MOST // 2  # a longer text may continue: Telegram Desktop cuts at the last blank line after this unit
SOON = 3.0  # the most seconds between two parts of a text
HIGHEST = 2**31 - 1  # the highest number of an update or a message in the Bot API


class Me(NamedTuple):
    """The bot itself."""

    id: str
    name: str  # its username, casefolded


class Gathered(NamedTuple):
    """A message, the command in it, its album, and what belongs between it and its next part (None: it is whole)."""

    message: Incoming
    word: str
    album: str
    end: str | None


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


def end_of_part(update: object) -> str | None:
    """Return what belongs between an update's message and its next part, or None if it is whole. Telegram's apps cut
    a longer text in several messages, at a blank if there is one."""
    message = update.get("message") if isinstance(update, dict) else None
    said = message.get("text") if isinstance(message, dict) else None
    size = utf16(said) if isinstance(said, str) else 0
    return None if size <= HALF else "" if size == MOST else "\n"


def begun(updates: Sequence[object]) -> Sequence[object]:
    """Return what is not settled in these updates: the albums, and each part that is the last message of its person in
    a chat."""
    last = dict[object, object]()
    for update in updates:
        message = update.get("message") if isinstance(update, dict) else None
        chat, who = (message.get("chat"), message.get("from")) if isinstance(message, dict) else (None, None)
        if isinstance(chat, dict) and isinstance(who, dict):
            last[f"{chat.get('id')} {who.get('id')}"] = update
    parts = [update_id(one) for one in last.values() if end_of_part(one) is not None]
    return [*filter(None, map(album, updates)), *parts]


def find_begun(chat: Sequence[Gathered], next_: Incoming, album: str) -> Gathered | None:
    """Return the message in a chat that the next one continues, or None: a picture of the same album, or a part that
    the same person wrote at nearly the same time."""
    mine = [one for one in chat if one.message.person and next_.person and one.message.person.id == next_.person.id]
    if album or not mine:
        return next((one for one in mine if album and one.album == album), None)
    first = mine[-1]
    plain = next_.kind == first.message.kind == "new" and not (next_.attachments or next_.quoted or next_.answers)
    soon = (times.parse(next_.at) - times.parse(first.message.at)).total_seconds() <= SOON
    return first if first.end is not None and plain and soon else None


def joined(first: Incoming, next_: Incoming, between: str | None) -> Incoming:
    """Return the pictures of an album, or the parts of a text, as one message, with the words of each."""
    return replace(
        first,
        order=next_.order,
        text=("\n" if between is None else between).join(filter(None, [first.text, next_.text])),
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
    who, whole = table(replied.get("from")).get("id"), content(replied).whole
    foreign = any(line.startswith(">") for line in whole.split("\n"))
    if not who or replied.get("sender_chat") or message.get("external_reply") or foreign:
        return "other"
    own = who == table(message["from"]).get("id") and not quotes.passes_on(whole)
    return "bot" if id_of(who) == me.id else "person" if own else "other"


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
