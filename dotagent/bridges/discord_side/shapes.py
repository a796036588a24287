"""Convert Discord's messages, people, places and failures to the pattern's types, and texts in both directions.

Mentions become names (`<@123>` is `@ana`), and known names become mentions again. Owns nothing on disk.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Literal

import aiohttp
import discord

from dotagent.bridges import Attachment, Gone, Incoming, Person, Place, Refused, Role, Undone, Unsure
from dotagent.bridges.discord_side.content import content, reply
from dotagent.bridges.pattern.validation import ODD

UNKNOWN_MESSAGE = 10008
DEAF = 50007  # "Cannot send messages to this user"
PATIENCE = 60.0  # seconds of a rate limit that discord.py waits by itself

REFUSED = (
    "Discord refuses the token in DISCORD_BOT_TOKEN; copy it again "
    "from https://discord.com/developers/applications, Bot"
)
INTENT = (
    "Discord does not let this bot read messages: switch on MESSAGE CONTENT INTENT at "
    "https://discord.com/developers/applications, Bot, Privileged Gateway Intents, and start the bridge again"
)


def place(channel: object, guild: discord.Guild | None, name: str = "") -> Place:
    """Return the place of a message; `name` is the other person in a direct message. A thread's own name does not
    identify it, because anyone who may write in its channel chooses that name."""
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
    """Return the author. Settings may contain unique usernames, but not display names, which anyone may take, nor the
    names of web hooks, which their creators choose. `roles` are added to a member's own."""
    there = user.roles if isinstance(user, discord.Member) else ()
    held = [Role(str(role.id), role.name, str(role.guild.id)) for role in there if not role.is_default()]
    name = user.name if user.discriminator == "0" else f"{user.name}#{user.discriminator}"
    return Person(str(user.id), user.name, () if hook else (name,), (*held, *roles), user.bot)


def incoming(message: discord.Message, where: Place, me: int, who: Person, edited: bool = False) -> Incoming:
    """Return a message that came, or its edit."""
    answers = message.reference.resolved if message.reference else None
    replied = answers if isinstance(answers, discord.Message) else None
    mentioned = any(user.id == me for user in message.mentions) or _mentions_own_role(message)
    at = message.edited_at if edited and message.edited_at else message.created_at
    said, (answered, words) = content(message), reply(message)
    files = [*message.attachments, *(one for part in message.message_snapshots for one in part.attachments)]
    return Incoming(
        place=where,
        person=who,
        id=str(message.id),
        order=message.id,
        at=stamp(at),
        text=said.own,
        kind="edited" if edited else "new",
        addressed=where.kind == "person" or mentioned or (replied is not None and replied.author.id == me),
        answers=words,
        attachments=tuple(Attachment(one.filename, one.url, one.size) for one in files),
        revision=stamp(at) if edited else "",
        quoted=said.quoted,
        answered=answered,
        answered_by=_reply_target(message, replied, me),
    )


def _reply_target(
    message: discord.Message, replied: discord.Message | None, me: int
) -> Literal["other", "bot", "person"]:
    """Return whose text a message replies to. A message that quotes others counts as another person's."""
    if replied is None or any(line.startswith(">") for line in content(replied).whole.split("\n")):
        return "other"
    return "bot" if replied.author.id == me else "person" if replied.author.id == message.author.id else "other"


def from_history(message: discord.Message, where: Place, me: int, roles: Sequence[Role]) -> Incoming:
    """Return a message from history, whose author has these roles."""
    return incoming(message, where, me, person(message.author, roles, message.webhook_id is not None))


def deleted(where: Place, id: int) -> Incoming:
    """Return a deletion, for which Discord does not report the author."""
    return Incoming(where, None, str(id), id, stamp(datetime.now(UTC)), kind="deleted", revision="deleted")


def stamp(at: datetime) -> str:
    """Format a time as in rooms."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _mentions_own_role(message: discord.Message) -> bool:
    """Return True if the bot's own role is mentioned. People pick it by mistake, because it has the bot's name."""
    mine = message.guild.self_role if message.guild else None
    return mine is not None and mine.id in message.raw_role_mentions


@contextmanager
def convert_errors() -> Iterator[None]:
    """Convert any failure of a request to Undone, Unsure, Refused or Gone."""
    try:
        yield
    except discord.RateLimited as error:
        raise Undone("Discord's rate limit is reached", error.retry_after) from None
    except discord.HTTPException as error:
        raise _meaning(error) from None
    except aiohttp.ClientConnectorError:
        raise Undone("Discord cannot be reached") from None
    except (aiohttp.ClientError, discord.DiscordException, OSError, TimeoutError, *ODD) as error:
        raise Unsure(f"the connection to Discord was lost ({type(error).__name__})") from None


def _meaning(error: discord.HTTPException) -> Exception:
    if error.status == 429:
        return Undone("Discord's rate limit is reached", PATIENCE)
    if error.status == 401:
        return Undone(REFUSED, PATIENCE)
    if error.status >= 500:
        return Unsure(f"Discord failed (status {error.status})")
    if error.code == UNKNOWN_MESSAGE:
        return Gone("the message no longer exists")
    if error.code == DEAF:
        return Refused("this person does not accept direct messages from the bot")
    if error.status == 403:
        return Refused(f"the bot lacks a permission in this channel ({str(error.text)[:200] or 'forbidden'})")
    return Refused(f"Discord refuses (status {error.status}): {str(error.text)[:200]}")
