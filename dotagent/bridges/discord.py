"""Run the Discord bridge.

The bridge needs the Python package discord.py, which speaks Discord's protocol. The bridge also needs a bot's token in
DISCORD_BOT_TOKEN. Switch on the message content intent of the bot in Discord's developer portal. docs/bridges.md
explains the settings.
"""

from __future__ import annotations

from dotagent.bridges import Access, Limits, Transport
from dotagent.bridges.discord_side.transport import Discord
from dotagent.bridges.pattern import rules
from dotagent.errors import Misuse

GROUP = "setup"

TOKENS = ("DISCORD_BOT_TOKEN",)
BASE = "https://discord.com/api/v10"
LIMITS = Limits(size=2000, units=len, edits=1.2, typing=8.0)  # Discord counts code points; five edits in five seconds
SETTINGS: tuple[str, ...] = ()


def open(config: Access) -> Transport:
    """Return the transport. Raises Misuse for an invalid token."""
    token = config.token.strip()
    if not token or len(token.split()) != 1 or not token.isascii():
        raise Misuse(
            f"{TOKENS[0]} is not a valid token; copy the token again from the page “Bot” of your application "
            "at https://discord.com/developers/applications"
        )
    settings = rules.parse("discord", config.settings, SETTINGS)
    return Discord(token, config.base or BASE, settings, elsewhere=config.base not in ("", BASE))
