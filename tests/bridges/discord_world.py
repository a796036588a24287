"""What a fake Discord knows: people, servers, channels, messages, in the shapes of Discord's API (version 10).

Pure state, on one thread; `discord_rest.py` and `discord_gateway.py` serve it, `fake_discord.py` drives it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

JSON = dict[str, Any]
EPOCH = 1420070400000  # milliseconds: the first second of 2015, from which snowflakes count
TEXT, DM, THREAD = 0, 1, 11
GUILDS, MESSAGES, DIRECT, CONTENT = 1 << 0, 1 << 9, 1 << 12, 1 << 15  # intents
EVERYTHING = str((1 << 40) - 1)  # permissions


@dataclass
class Channel:
    """A channel, a thread or a direct message, with everything that was said there, oldest first."""

    id: int
    kind: int
    name: str = ""
    guild: int = 0
    parent: int = 0
    person: int = 0  # whom a direct message is with
    messages: dict[int, JSON] = field(default_factory=dict)
    forbidden: bool = False  # the bot lacks permissions here


@dataclass
class Guild:
    """A server: its roles and channels, and the roles of its members."""

    id: int
    name: str
    roles: dict[int, str] = field(default_factory=dict)
    members: dict[int, list[int]] = field(default_factory=dict)


class World:
    """Everything that is there. `tell` is called with each event: its name, its data, and the guild's id or 0."""

    def __init__(self) -> None:
        self.counter = 0
        self.last = 0
        self.users: dict[int, JSON] = {}
        self.guilds: dict[int, Guild] = {}
        self.channels: dict[int, Channel] = {}
        self.files: dict[str, bytes] = {}
        self.commands: list[JSON] = []
        self.nonces: dict[tuple[int, str], tuple[float, int]] = {}  # (channel, nonce) -> when, message
        self.nonce_seconds = 180.0
        self.tell: Callable[[str, JSON, int], None] = lambda name, data, guild: None
        self.me = self.user("dotagent", bot=True)

    def snowflake(self) -> int:
        """A new id, above every one before."""
        self.last = max(self.last + 1, (int(time.time() * 1000) - EPOCH) << 22)
        return self.last

    def user(self, name: str, bot: bool = False) -> int:
        """A new person's id."""
        id = self.snowflake()
        shown = {"username": name, "global_name": name.title(), "discriminator": "0", "avatar": None}
        self.users[id] = {"id": str(id), "bot": bot, "public_flags": 0, **shown}
        return id

    def guild(self, name: str) -> int:
        """A new server's id, with the bot in it."""
        id = self.snowflake()
        self.guilds[id] = Guild(id, name, {id: "@everyone"}, {self.me: []})
        return id

    def role(self, guild: int, name: str) -> int:
        """A new role's id."""
        id = self.snowflake()
        self.guilds[guild].roles[id] = name
        return id

    def channel(self, guild: int, name: str, parent: int = 0) -> int:
        """A new channel's id; with a parent it is a thread."""
        id = self.snowflake()
        self.channels[id] = channel = Channel(id, THREAD if parent else TEXT, name, guild, parent)
        self.tell("THREAD_CREATE" if parent else "CHANNEL_CREATE", self.channel_json(channel), guild)
        return id

    def direct(self, user: int) -> int:
        """The id of the direct message with a person, made when there is none."""
        for channel in self.channels.values():
            if channel.person == user:
                return channel.id
        id = self.snowflake()
        self.channels[id] = Channel(id, DM, person=user)
        return id

    def say(self, channel: int, author: int, text: str, **more: Any) -> JSON:
        """A new message: `reply` is the id of another one, `files` are names and bytes, `nonce` the sender's."""
        place = self.channels[channel]
        id = self.snowflake()
        message: JSON = {
            "id": str(id),
            "channel_id": str(channel),
            "author": self.users[author],
            "content": text.strip(),  # Discord trims
            "timestamp": now(),
            "edited_timestamp": None,
            "tts": False,
            "mention_everyone": False,
            "mentions": self._mentioned(text),
            "mention_roles": [],
            "attachments": [self._file(id, name, data) for name, data in more.get("files", ())],
            "embeds": [],
            "pinned": False,
            "type": 0,
            "flags": 0,
        }
        if reply := more.get("reply"):
            there = place.messages.get(int(reply))
            message |= {"type": 19, "message_reference": {"message_id": str(reply), "channel_id": str(channel)}}
            message["referenced_message"] = there
        if more.get("nonce"):
            message["nonce"] = more["nonce"]
            self.nonces[channel, str(more["nonce"])] = time.monotonic(), id
        place.messages[id] = message
        self.tell("MESSAGE_CREATE", self.in_guild(message, place), place.guild)
        return message

    def edit(self, channel: int, id: int, text: str) -> JSON:
        """A message gets another text."""
        place = self.channels[channel]
        message = place.messages[id] | {"content": text.strip(), "edited_timestamp": now()}
        place.messages[id] = message | {"mentions": self._mentioned(text)}
        self.tell("MESSAGE_UPDATE", self.in_guild(place.messages[id], place), place.guild)
        return message

    def unfurl(self, channel: int, id: int) -> None:
        """Discord adds an embed to a message: an update that is no edit."""
        place = self.channels[channel]
        place.messages[id] = place.messages[id] | {"embeds": [{"type": "link", "url": "http://127.0.0.1/"}]}
        self.tell("MESSAGE_UPDATE", self.in_guild(place.messages[id], place), place.guild)

    def delete(self, channel: int, id: int) -> None:
        """A message goes."""
        place = self.channels[channel]
        del place.messages[id]
        named = {"guild_id": str(place.guild)} if place.guild else {}
        self.tell("MESSAGE_DELETE", {"id": str(id), "channel_id": str(channel), **named}, place.guild)

    def by_nonce(self, channel: int, nonce: str) -> JSON | None:
        """The message that was sent there with this nonce in the past few minutes."""
        at, id = self.nonces.get((channel, nonce), (-1e9, 0))
        return self.channels[channel].messages.get(id) if time.monotonic() - at < self.nonce_seconds else None

    def in_guild(self, message: JSON, place: Channel) -> JSON:
        """The message as an event has it: with its author's membership."""
        if not place.guild:
            return message
        author = int(message["author"]["id"])
        return message | {"guild_id": str(place.guild), "member": self.member_json(place.guild, author, False)}

    def _mentioned(self, text: str) -> list[JSON]:
        return [user for id, user in self.users.items() if f"<@{id}>" in text or f"<@!{id}>" in text]

    def _file(self, message: int, name: str, data: bytes) -> JSON:
        path = f"/attachments/{message}/{name}"
        self.files[path] = data
        return {"id": str(self.snowflake()), "filename": name, "size": len(data), "url": path, "proxy_url": path}

    def member_json(self, guild: int, user: int, named: bool = True) -> JSON:
        """A member as the API has it."""
        roles = [str(role) for role in self.guilds[guild].members.get(user, [])]
        shape: JSON = {"roles": roles, "nick": None, "avatar": None, "joined_at": now(), "deaf": False, "mute": False}
        return shape | {"flags": 0} | ({"user": self.users[user]} if named else {})

    def channel_json(self, channel: Channel) -> JSON:
        """A channel as the API has it."""
        last = str(max(channel.messages)) if channel.messages else None
        shape: JSON = {"id": str(channel.id), "type": channel.kind, "last_message_id": last, "flags": 0}
        if channel.kind == DM:
            return shape | {"recipients": [self.users[channel.person]]}
        shape |= {"guild_id": str(channel.guild), "name": channel.name, "parent_id": str(channel.parent) or None}
        if channel.kind == THREAD:
            times = {"archived": False, "auto_archive_duration": 1440, "archive_timestamp": now(), "locked": False}
            return shape | {"owner_id": str(self.me), "message_count": 1, "member_count": 1, "thread_metadata": times}
        return shape | {"parent_id": None, "position": 0, "permission_overwrites": [], "nsfw": False, "topic": None}

    def guild_json(self, guild: Guild) -> JSON:
        """A server as GUILD_CREATE has it."""
        mine = [channel for channel in self.channels.values() if channel.guild == guild.id]
        roles = [
            {"id": str(id), "name": name, "permissions": EVERYTHING, "position": 0, "color": 0, "hoist": False}
            | {"managed": False, "mentionable": False, "flags": 0, "colors": {"primary_color": 0}}
            for id, name in guild.roles.items()
        ]
        return {
            "id": str(guild.id),
            "name": guild.name,
            "owner_id": str(self.me),
            "roles": roles,
            "channels": [self.channel_json(one) for one in mine if one.kind == TEXT],
            "threads": [self.channel_json(one) for one in mine if one.kind == THREAD],
            "members": [self.member_json(guild.id, self.me)],  # without its intent no others
            "member_count": len(guild.members),
            "large": False,
            "unavailable": False,
            "joined_at": now(),
            "features": [],
            "emojis": [],
            "stickers": [],
            "voice_states": [],
            "presences": [],
            "stage_instances": [],
            "guild_scheduled_events": [],
            "soundboard_sounds": [],
        }


def now() -> str:
    """This moment as Discord writes it."""
    return datetime.now(UTC).isoformat(timespec="microseconds")
