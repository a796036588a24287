"""Discord's transport and its connection: dropped, resumed, refused, and not there at the start."""

from __future__ import annotations

import pytest
from discord_ears import Listener, talking, through
from fake_discord import CUT_BEFORE, Discord

from dotagent import bridges
from dotagent.bridges import Access
from dotagent.errors import Trouble


def test_a_dropped_connection_is_resumed_and_misses_nothing() -> None:
    async def scenario(discord: Discord, listener: Listener) -> None:
        ana = discord.user("ana")
        direct = discord.direct(ana)
        ways = (
            lambda: discord.drop(),
            lambda: discord.drop(4000),
            lambda: discord.do(discord.gateway.reconnect),
            lambda: discord.do(discord.gateway.invalidate, True),
        )
        async with talking(discord, listener):
            for number, way in enumerate(ways, 1):
                discord.says(ana, direct, f"before {number}")
                way()
                discord.says(ana, direct, f"after {number}")
                await listener.until(lambda count=number: discord.gateway.counts.get("resumed", 0) == count)
            heard = await listener.hears(8)
        assert [one.text for one in heard] == [f"{when} {n}" for n in (1, 2, 3, 4) for when in ("before", "after")]
        assert listener.connections == 1
        assert not listener.losses

    through(scenario)


@pytest.mark.slow
def test_a_session_that_cannot_be_resumed_is_a_new_connection() -> None:
    """discord.py waits five seconds before it identifies anew, as Discord asks."""

    async def scenario(discord: Discord, listener: Listener) -> None:
        async with talking(discord, listener):
            discord.do(discord.gateway.invalidate)
            await listener.until(lambda: listener.connections == 2)
        assert discord.gateway.counts == {"identified": 2}

    through(scenario)


def test_a_refused_token_and_a_refused_intent_end_it_with_one_clear_line() -> None:
    async def scenario(discord: Discord, listener: Listener) -> None:
        module = bridges.load("discord")
        with pytest.raises(Trouble, match="refuses the token in DISCORD_BOT_TOKEN"):
            await module.open(Access("another-token", discord.base)).run(listener)
        discord.gateway.token = "changed"
        discord.gateway.content = False
        with pytest.raises(Trouble, match="MESSAGE CONTENT INTENT") as trouble:
            await module.open(Access("changed", discord.base)).run(listener)
        assert "\n" not in str(trouble.value)
        assert "changed" not in "".join([str(trouble.value), *listener.logged, *listener.losses])

    through(scenario)


def test_a_discord_that_is_away_at_the_start_is_waited_for() -> None:
    async def scenario(discord: Discord, listener: Listener) -> None:
        discord.rest.fail("GET", "/users/@me$", CUT_BEFORE, 2)  # aiohttp asks twice
        async with talking(discord, listener):
            assert listener.losses == ["Discord cannot be reached (ServerDisconnectedError)"]
        assert discord.token not in "".join(listener.logged)

    through(scenario)
