"""The content of a Telegram message as text: the person's own text, and separately everything that others wrote.

Each field of a message is read here or in `shapes`, or is listed in UNTOLD. Unknown fields are named in the room, so
that nothing is silently lost. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from dotagent.bridges.pattern import marks
from dotagent.bridges.pattern.marks import Content
from dotagent.bridges.pattern.validation import Json, number, table, tables, text
from dotagent.text import escape

FILES = ("document", "audio", "voice", "video", "video_note", "animation", "live_photo")
MOST, LONGEST = 100, 4096  # values of an unknown part, and characters of a value

READ = frozenset(
    "message_id date chat from text entities caption caption_entities is_topic_message message_thread_id edit_date "
    "media_group_id photo forward_origin forward_date forward_from forward_from_chat forward_from_message_id "
    "forward_sender_name forward_signature is_automatic_forward reply_to_message external_reply quote via_bot "
    "sender_chat author_signature guest_bot_caller_user guest_bot_caller_chat origin".split()
).union(FILES) - {"audio", "voice", "video_note"}
"""Fields with their own handling. Each other field becomes a line."""

UNTOLD = frozenset(
    "sender_boost_count sender_business_bot sender_tag business_connection_id direct_messages_topic guest_query_id "
    "has_protected_content is_from_offline is_paid_post paid_star_count link_preview_options effect_id "
    "show_caption_above_media has_media_spoiler suggested_post_info reply_markup receiver_user ephemeral_message_id "
    "passport_data".split()
)
"""Fields about how a message is sent, shown or paid, without a person's words. passport_data is encrypted."""

_NOISE = frozenset("file_id file_unique_id thumbnail entities text_entities title_entities".split())
_FIELD = re.compile(r"[a-z_]{1,40}")


def content(message: Json) -> Content:
    """Return the content of a message. Raises Odd."""
    marked = tables(message.get("entities") or message.get("caption_entities"))
    said = readable(text(message.get("text") or message.get("caption")), marked)
    things = "\n".join(_things(message))
    if label := _foreign_label(message):
        return Content("", marks.marked(label, "\n".join(part for part in (said, things) if part)))
    return Content(said, things)


def reply(message: Json) -> tuple[str, str]:
    """Return the author and the text of the message that this one replies to: only the part that the person marked, if
    any. Both are empty if it is not a reply. Raises Odd."""
    replied, outer = table(message.get("reply_to_message")), table(message.get("external_reply"))
    if replied and message.get("is_topic_message") and replied.get("message_id") == message.get("message_thread_id"):
        replied = {}  # every message of a topic replies to the message that began the topic
    if not replied and not outer and not message.get("quote"):
        return "", ""
    marked, whole = table(message.get("quote")), content(replied or outer).whole
    words = readable(text(marked.get("text")), tables(marked.get("entities"))) if marked else whole
    who = _origin(table(outer.get("origin"))) if outer else author(replied)
    return who, words or "(a message without words)"


def author(message: Json) -> str:
    """Return the displayed name of a message's author. Raises Odd."""
    return display_name(table(message.get("sender_chat"))) or display_name(table(message.get("from"))) or "somebody"


def display_name(who: Json) -> str:
    """Return the name of a person or a chat. Raises Odd."""
    name = " ".join(text(who[part]) for part in ("title", "first_name", "last_name") if who.get(part))
    return name or text(who.get("username"))


def readable(said: str, entities: Sequence[Json]) -> str:
    """Return a text with the additions of its entities: link addresses, quotes, code and struck text.

    Telegram counts in UTF-16 units and sends at most a hundred entities. Raises Odd.
    """
    units = said.encode("utf-16-le", "surrogatepass")
    added: list[tuple[int, int, str]] = []  # place, order at that place, and text
    quotes: list[tuple[int, int]] = []
    for one in entities[:100]:
        begin = number(one.get("offset"))
        end = begin + number(one.get("length"))
        kind = one.get("type")
        if kind in ("blockquote", "expandable_blockquote"):
            quotes.append((begin, end))
        elif kind == "text_link":
            added.append((end, -begin, f" ({_line(text(one.get('url')), LONGEST)})"))
        elif kind == "strikethrough":
            added += [(begin, end, "~~"), (end, -begin, "~~")]
    parts, done = [], 0
    cuts = sorted([*added, *((at, 0, "") for pair in quotes for at in pair)])
    for at, _, more in cuts:
        at = max(done, min(at, len(units) // 2))
        parts += [(done, units[2 * done : 2 * at].decode("utf-16-le", "replace")), (at - 1, more)]
        done = at
    parts.append((done, units[2 * done :].decode("utf-16-le", "replace")))
    return _with_quotes([part for part in parts if part[1]], quotes)


def _with_quotes(parts: Sequence[tuple[int, str]], quotes: Sequence[tuple[int, int]]) -> str:
    """Join parts of a text, each with its start. Parts inside a quote become quoted lines."""
    told: list[tuple[bool, str]] = []
    for at, part in parts:
        inside = any(begin <= at < end for begin, end in quotes)
        if told and told[-1][0] == inside:
            told[-1] = (inside, told[-1][1] + part)
        else:
            told.append((inside, part))
    if not any(inside for inside, _ in told):
        return "".join(part for _, part in told)
    return "\n".join(marks.quote(part) if inside else part.strip("\n") for inside, part in told)


def _foreign_label(message: Json) -> str:
    """Return a label if the text is not the sender's, because it is forwarded or a bot wrote it, otherwise ""."""
    if origin := table(message.get("forward_origin")):
        return f"forwarded from {marks.name(_origin(origin))}"
    if message.get("forward_date"):  # the form of earlier servers
        from_ = [display_name(table(message.get(field))) for field in ("forward_from_chat", "forward_from")]
        name = "".join(from_[:1]) or from_[1] or text(message.get("forward_sender_name"))
        return f"forwarded from {marks.name(name)}"
    for field in ("via_bot", "guest_bot_caller_user", "guest_bot_caller_chat"):
        if bot := table(message.get(field)):
            return f"{'written by the bot' if field == 'via_bot' else 'written for'} {marks.name(display_name(bot))}"
    return ""


def _origin(origin: Json) -> str:
    """Return the author of a message that was forwarded, or replied to in another chat. Raises Odd."""
    chat = table(origin.get("sender_chat")) or table(origin.get("chat"))
    name = display_name(chat or table(origin.get("sender_user"))) or text(origin.get("sender_user_name"))
    signed = text(origin.get("author_signature"))
    return f"{name}, {signed}" if signed else name


def _things(message: Json) -> Iterator[str]:
    """Yield lines for everything other than the text. Raises Odd."""
    if message.get("sender_chat") and not message.get("is_automatic_forward"):
        yield marks.marked("written in the name of this chat", display_name(table(message["sender_chat"])))
    for field, value in message.items():
        if field in READ or field in UNTOLD or value is None or value is False:
            continue
        if field == "location" and message.get("venue"):
            continue  # the venue includes it
        label, words = KNOWN[field](table(value)) if field in KNOWN else _quote_unknown(field, value)
        yield marks.marked(label, words) if words.strip() else f"({label})"


def _quote_unknown(field: str, value: object) -> tuple[str, str]:
    """Return an unknown part's field name and a quote of all its values, because their form may be new."""
    label = field.replace("_", " ") if _FIELD.fullmatch(field) else "content of an unknown kind"
    if isinstance(value, int | float) and value is not True:
        return f"{label}: {value}", ""
    found = []
    for told in _values(value, ""):
        found.append(told)
        if len(found) == MOST:
            found.append("…")
            break
    return label, "\n".join(found)


def _values(value: object, name: str) -> Iterator[str]:
    """Yield each value inside it, with its name."""
    if isinstance(value, Mapping):
        if "message_id" in value and (whole := content(value).whole):
            yield whole
            return
        for key, one in value.items():
            if key not in _NOISE:
                yield from _values(one, str(key).replace("_", " "))
    elif isinstance(value, list):
        for one in value:
            yield from _values(one, name)
    elif value is not True and value is not False and value is not None:
        shown = str(value)[:LONGEST]
        yield f"{name}: {shown}" if name else shown


def _join_texts(value: Json, *fields: str) -> str:
    return "\n".join(text(value[field]) for field in fields if value.get(field))


def _spot(value: Json) -> str:
    return f"{_line(value.get('latitude'))}, {_line(value.get('longitude'))}"


def _line(value: object, most: int = 40) -> str:
    return escape.one_line(str(value), most)


def _length(kind: str) -> Callable[[Json], tuple[str, str]]:
    """Return a function that describes a recording: its length, and its title."""
    return lambda value: (f"{kind}, {_line(value.get('duration'))} s", _join_texts(value, "performer", "title"))


def _poll(value: Json) -> tuple[str, str]:
    options = [f"- {text(one.get('text'))}" for one in tables(value.get("options"))]
    return "poll", "\n".join(
        [_join_texts(value, "question", "description"), *options, _join_texts(value, "explanation")]
    )


def _checklist(value: Json) -> tuple[str, str]:
    tasks = [f"- [{'x' if one.get('completion_date') else ' '}] {text(one.get('text'))}"
             for one in tables(value.get("tasks"))]  # fmt: skip
    return "checklist", "\n".join([_join_texts(value, "title"), *tasks])


KNOWN: Mapping[str, Callable[[Json], tuple[str, str]]] = {
    "sticker": lambda one: (f"sticker {_line(one.get('emoji') or '')}".strip(), ""),
    "dice": lambda one: (f"dice {_line(one.get('emoji'))}: {_line(one.get('value'))}", ""),
    "location": lambda one: (f"{'live ' if one.get('live_period') else ''}location {_spot(one)}", ""),
    "venue": lambda one: (f"place at {_spot(table(one.get('location')))}", _join_texts(one, "title", "address")),
    "contact": lambda one: ("contact", _join_texts(one, "first_name", "last_name", "phone_number", "vcard")),
    "story": lambda one: ("story", display_name(table(one.get("chat")))),
    "reply_to_story": lambda one: ("in reply to a story", display_name(table(one.get("chat")))),
    "audio": _length("audio"),
    "voice": _length("voice message"),
    "video_note": _length("video message"),
    "poll": _poll,
    "checklist": _checklist,
}
"""By field: the text in brackets, and the words of others below it."""
