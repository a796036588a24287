"""Carry messages between Discord and rooms: direct messages, channels and threads, each a room.

The package discord.py is the client (REST, gateway, rate limits, reconnects). The bridge needs a bot's token in
DISCORD_BOT_TOKEN and, switched on in the developer portal, the message content intent. Owns nothing on disk.
"""

from __future__ import annotations

from dotagent.bridges import Access, Limits, Transport
from dotagent.bridges.discord_side.transport import Discord
from dotagent.bridges.pattern import rules
from dotagent.errors import Misuse

TOKENS = ("DISCORD_BOT_TOKEN",)
BASE = "https://discord.com/api/v10"
LIMITS = Limits(size=2000, units=len, edits=1.2, typing=8.0)  # Discord counts code points; five edits in five seconds
SETTINGS: tuple[str, ...] = ()


def open(config: Access) -> Transport:
    """The transport. Raises Misuse for what cannot be a token."""
    token = config.token.strip()
    if not token or len(token.split()) != 1 or not token.isascii():
        raise Misuse(f"{TOKENS[0]} is no token: copy it anew from https://discord.com/developers/applications, Bot")
    settings = rules.parse("discord", config.settings, SETTINGS)
    return Discord(token, config.base or BASE, settings, elsewhere=config.base not in ("", BASE))
