"""The content of a Discord message as text: the person's own text, and separately everything that others wrote.

Each field of discord.py's Message is read here or in `shapes`, or is listed in UNTOLD. Owns nothing on disk.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

import discord

from dotagent.bridges.pattern import marks
from dotagent.bridges.pattern.marks import Content
from dotagent.text import times

SAID = (discord.MessageType.default, discord.MessageType.reply)
SHOWN = (*SAID, discord.MessageType.chat_input_command, discord.MessageType.context_menu_command)
"""Types whose text is the author's. The text of other types is Discord's."""
UNTOLD = frozenset(
    "tts webhook_id mention_everyone nonce pinned role_mentions flags reactions application_id position "
    "interaction_metadata".split()
)
"""Fields about how a message is sent or shown. Mentioned people are named in the text."""
NAMES = ("id", "custom_id", "style", "type")  # fields of components that people do not see
_MARK = re.compile(
    r"<(?:@!?(?P<user>[0-9]{1,19})|@&(?P<role>[0-9]{1,19})|#(?P<channel>[0-9]{1,19})|a?(?P<emoji>:\w+:)[0-9]{1,19}"
    r"|t:(?P<time>-?[0-9]{1,12})(?::\w)?)>"
)
_REST = re.compile(r"^>>> (.*)", re.MULTILINE | re.DOTALL)
Part = discord.Message | discord.MessageSnapshot


def content(message: discord.Message) -> Content:
    """Return the content of a message."""
    said = readable(message.content, message)
    things = list(_things(message, message))
    if message.type not in SHOWN:
        names = [user.name for user in message.mentions]
        words = "\n".join(part for part in (said, *names, *things) if part)
        label = message.type.name.replace("_", " ")
        return Content("", marks.marked(label, words) if words else f"({label})")
    for snapshot in message.message_snapshots:
        words = "\n".join([readable(snapshot.content, message), *_things(snapshot, message)])
        things.append(marks.marked(f"forwarded from {_origin(message)}", words))
    if message.poll:
        answers = [f"- {one.text}" for one in message.poll.answers]
        things.append(marks.marked("poll", "\n".join([str(message.poll.question), *answers])))
    return Content(said, "\n".join(things))


def reply(message: discord.Message) -> tuple[str, str]:
    """Return the author and the text of the message that this one replies to, or two empty texts."""
    reference = message.reference
    if not reference or message.type not in (discord.MessageType.reply, discord.MessageType.thread_starter_message):
        return "", ""
    if isinstance(reference.resolved, discord.Message):
        files = [f"(file {one.filename})" for one in reference.resolved.attachments]
        words = "\n".join([content(reference.resolved).whole, *files])
        return reference.resolved.author.name, words.strip() or "(a message without words)"
    return "somebody", "(a message that Discord does not show)"


def readable(said: str, message: discord.Message) -> str:
    """Return a text with names for mentions, roles, channels, emoji and times, and `> ` before each quoted line.
    Unknown parts stay unchanged."""
    users = {str(user.id): user.name for user in message.mentions}
    guild = message.guild

    def name(mark: re.Match[str]) -> str:
        if mark["user"]:
            return f"@{users[mark['user']]}" if mark["user"] in users else mark[0]
        if mark["role"]:
            role = guild.get_role(int(mark["role"])) if guild else None
            return f"@{role.name}" if role else mark[0]
        if mark["channel"]:
            channel = guild.get_channel_or_thread(int(mark["channel"])) if guild else None
            return f"#{channel.name}" if channel else mark[0]
        return mark["emoji"] or _time(mark)

    return _REST.sub(lambda rest: marks.quote(rest[1]), _MARK.sub(name, said))


def _time(mark: re.Match[str]) -> str:
    try:
        return times.format_day(datetime.fromtimestamp(int(mark["time"]), UTC))
    except (OverflowError, ValueError, OSError):
        return mark[0]


def _origin(message: discord.Message) -> str:
    """Return the place of a forwarded message; Discord does not name its author."""
    id = message.reference.channel_id if message.reference else 0
    channel = message.guild.get_channel_or_thread(id) if message.guild else None
    return f"#{marks.name(channel.name)}" if channel else "somebody"


def _things(part: Part, message: discord.Message) -> Iterator[str]:
    """Yield lines about the other contents of a message or a forwarded one."""
    for sticker in part.stickers:
        yield marks.marked("sticker", sticker.name)
    for embed in part.embeds:
        yield marks.marked("embed", readable("\n".join(_embedded(embed)), message))
    for component in getattr(part, "components", ()):  # discord.py sets it only if Discord sends some
        yield marks.marked("component", readable("\n".join(_component_texts(component.to_dict())), message))
    for file in part.attachments:
        if file.description:
            yield marks.marked("description of a file", file.description)
    if isinstance(part, discord.Message) and (part.activity or part.application):
        yield marks.marked("activity", getattr(part.application, "name", ""))


def _embedded(embed: discord.Embed) -> Sequence[str]:
    fields = [f"{one.name}: {one.value}" for one in embed.fields]
    parts = (embed.author.name, embed.title, embed.url, embed.description, *fields, embed.image.url, embed.footer.text)
    return [part for part in parts if part]


def _component_texts(value: object) -> Iterator[str]:
    """Yield the texts of a component and of those inside it."""
    if isinstance(value, dict):
        for key, one in value.items():
            if isinstance(one, str) and key not in NAMES:
                yield one
            else:
                yield from _component_texts(one)
    elif isinstance(value, list):
        for one in value:
            yield from _component_texts(one)
