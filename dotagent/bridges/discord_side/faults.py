"""What Discord or the network refuse, as the errors that every bridge knows. Owns nothing on disk."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import aiohttp
import discord

from dotagent.bridges import Gone, Refused, Undone, Unsure

UNKNOWN_MESSAGE, UNKNOWN_ATTACHMENT = 10008, 10007
DEAF = 50007  # "Cannot send messages to this user"
PATIENCE = 60.0  # seconds of a rate limit that discord.py waits itself

REFUSED = (
    "Discord refuses the token in DISCORD_BOT_TOKEN: copy it anew from https://discord.com/developers/applications, Bot"
)
INTENT = (
    "Discord lets this bot read no messages: switch on MESSAGE CONTENT INTENT at "
    "https://discord.com/developers/applications, Bot, Privileged Gateway Intents, and start again"
)


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
    except (aiohttp.ClientError, OSError, TimeoutError) as error:
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
        return Refused(f"the bot lacks a permission there ({error.text or 'forbidden'})")
    return Refused(f"Discord refuses (status {error.status}): {error.text[:200]}")
