"""Discord's messages, people, places and failures as the pattern knows them, and texts readable both ways.

Mentions become names (`<@123>` is `@ana`), and names that are known become mentions again. Owns nothing on disk.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime

import aiohttp
import discord

from dotagent.bridges import Attachment, Gone, Incoming, Person, Place, Refused, Role, Undone, Unsure
from dotagent.bridges.pattern.outside import ODD

_MARK = re.compile(
    r"<(?:@!?(?P<user>[0-9]{1,19})|@&(?P<role>[0-9]{1,19})|#(?P<channel>[0-9]{1,19})|a?(?P<emoji>:\w+:)[0-9]{1,19}"
    r"|t:(?P<time>-?[0-9]{1,12})(?::\w)?)>"
)
_NAMED = re.compile(r"(?<![\w@<`])@([\w./-]{2,60})")
_SPOKEN = (discord.MessageType.default, discord.MessageType.reply)

UNKNOWN_MESSAGE = 10008
DEAF = 50007  # "Cannot send messages to this user"
PATIENCE = 60.0  # seconds of a rate limit that discord.py waits itself

REFUSED = (
    "Discord refuses the token in DISCORD_BOT_TOKEN: copy it anew from https://discord.com/developers/applications, Bot"
)
INTENT = (
    "Discord lets this bot read no messages: switch on MESSAGE CONTENT INTENT at "
    "https://discord.com/developers/applications, Bot, Privileged Gateway Intents, and start again"
)


def place(channel: object, guild: discord.Guild | None, name: str = "") -> Place:
    """Where a message is; `name` is whom a direct message is with. A thread is not meant by its own name, which whoever
    may write in its channel can choose."""
    id = str(getattr(channel, "id", 0))
    if isinstance(channel, discord.DMChannel) or (guild is None and not getattr(channel, "guild_id", None)):
        return Place(id, "person", name or getattr(getattr(channel, "recipient", None), "name", ""))
    known = called = getattr(channel, "name", None)
    ids: tuple[str, ...] = ()
    if isinstance(channel, discord.Thread):
        known, ids = channel.parent.name if channel.parent else None, (str(channel.parent_id),)
    server = str(guild.id if guild else getattr(channel, "guild_id", ""))
    return Place(id, "group", called or f"channel-{id}", (known,) if known else (), ids, server)


def person(user: discord.User | discord.Member, roles: Sequence[Role] = (), hook: bool = False) -> Person:
    """Who somebody is. Their unique name may stand in settings; what they like to be called may not: anybody may take
    it, and whoever makes a web hook chooses its name. `roles` are added to those that a member brings along."""
    there = user.roles if isinstance(user, discord.Member) else ()
    held = [Role(str(role.id), role.name, str(role.guild.id)) for role in there if not role.is_default()]
    name = user.name if user.discriminator == "0" else f"{user.name}#{user.discriminator}"
    return Person(str(user.id), user.name, () if hook else (name,), (*held, *roles), user.bot)


def spoken(message: discord.Message) -> bool:
    """Whether somebody said this, and not Discord itself ("ana has joined")."""
    return message.type in _SPOKEN


def incoming(message: discord.Message, where: Place, me: int, who: Person, edited: bool = False) -> Incoming:
    """A message that came, or its edit."""
    answers = message.reference.resolved if message.reference else None
    replied = answers if isinstance(answers, discord.Message) else None
    mentioned = any(user.id == me for user in message.mentions) or _own_role(message)
    at = message.edited_at if edited and message.edited_at else message.created_at
    return Incoming(
        place=where,
        person=who,
        id=str(message.id),
        order=message.id,
        at=stamp(at),
        text=text(message),
        kind="edited" if edited else "new",
        addressed=where.kind == "person" or mentioned or (replied is not None and replied.author.id == me),
        answers=text(replied) if replied else "",
        attachments=tuple(Attachment(one.filename, one.url, one.size) for one in message.attachments),
        revision=stamp(at) if edited else "",
    )


def shown(message: discord.Message, where: Place, me: int, roles: Sequence[Role]) -> Incoming:
    """A message that history shows, of somebody with these roles."""
    return incoming(message, where, me, person(message.author, roles, message.webhook_id is not None))


def deleted(where: Place, id: int) -> Incoming:
    """A deletion; Discord does not say by whom."""
    return Incoming(where, None, str(id), id, stamp(datetime.now(UTC)), kind="deleted", revision="deleted")


def stamp(at: datetime) -> str:
    """A time as rooms have it."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def text(message: discord.Message) -> str:
    """What a message says, readable: with what was forwarded, and the names of stickers."""
    said = [readable(message.content, message)] if message.content else []
    said += [f"(forwarded) {readable(one.content, message)}" for one in message.message_snapshots if one.content]
    said += [f"(sticker: {sticker.name})" for sticker in message.stickers]
    return "\n".join(said)


def readable(content: str, message: discord.Message) -> str:
    """The content with names for mentions, roles, channels, emoji and times; what is unknown stays as it is."""
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

    return _MARK.sub(name, content)


def mentions(said: str, people: Mapping[str, str]) -> str:
    """The text with mentions for `@ana` and `@discord/ana`, where `people` has ids by name; code stays code."""

    def mark(found: re.Match[str]) -> str:
        name = found[1].rstrip("./-")
        id = people.get(name.removeprefix("discord/").casefold())
        return f"<@{id}>{found[1][len(name) :]}" if id else found[0]

    pieces = re.split(r"(```.*?```|`[^`\n]*`)", said, flags=re.DOTALL)
    return "".join(piece if number % 2 else _NAMED.sub(mark, piece) for number, piece in enumerate(pieces))


def _own_role(message: discord.Message) -> bool:
    """Whether the role that Discord made for the bot is mentioned: people pick it by mistake, it has the bot's name."""
    mine = message.guild.self_role if message.guild else None
    return mine is not None and mine.id in message.raw_role_mentions


def _time(mark: re.Match[str]) -> str:
    try:
        return f"{datetime.fromtimestamp(int(mark['time']), UTC):%Y-%m-%d %H:%M} UTC"
    except (OverflowError, ValueError, OSError):
        return mark[0]


@contextmanager
def told() -> Iterator[None]:
    """Whatever goes wrong with a request becomes Undone, Unsure, Refused or Gone."""
    try:
        yield
    except discord.RateLimited as error:
        raise Undone("Discord's rate limit", error.retry_after) from None
    except discord.HTTPException as error:
        raise _meaning(error) from None
    except aiohttp.ClientConnectorError:
        raise Undone("Discord cannot be reached") from None
    except (aiohttp.ClientError, discord.DiscordException, OSError, TimeoutError, *ODD) as error:
        raise Unsure(f"the connection to Discord broke ({type(error).__name__})") from None


def _meaning(error: discord.HTTPException) -> Exception:
    if error.status == 429:
        return Undone("Discord's rate limit", PATIENCE)
    if error.status == 401:
        return Undone(REFUSED, PATIENCE)
    if error.status >= 500:
        return Unsure(f"Discord failed (status {error.status})")
    if error.code == UNKNOWN_MESSAGE:
        return Gone("the message is not there any more")
    if error.code == DEAF:
        return Refused("this person takes no direct messages of the bot")
    if error.status == 403:
        return Refused(f"the bot lacks a permission there ({str(error.text)[:200] or 'forbidden'})")
    return Refused(f"Discord refuses (status {error.status}): {str(error.text)[:200]}")
