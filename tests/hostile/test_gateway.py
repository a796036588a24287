"""A Discord that tells what no Discord should: one odd event, answer or message of history costs itself alone.

A line of a table is a case: the path to a value in a good message, and what stands there instead.
"""

from __future__ import annotations

import copy
from typing import Any

import pytest
from discord_ears import Listener, talking, through
from discord_world import JSON
from fake_discord import Discord

from dotagent.bridges import Failed, Piece, Place
from dotagent.bridges.pattern import rules

HUGE, INFINITE = 10**400, float("inf")
ODD = [HUGE, -HUGE, INFINITE, 1.5, "x", [], [7], {}, {"a": 1}, None, "9" * 400]
POISON: list[tuple[str, object]] = [
    *(("id", value) for value in ODD),
    *(("channel_id", value) for value in ODD if value != 1.5),
    *(("author", value) for value in (HUGE, "x", [], [7], None, {})),
    *(("author id", value) for value in ODD if value != 1.5),
    *(("author username", value) for value in (HUGE, [7], {"a": 1}, "x" * 70_000)),
    *(("timestamp", value) for value in (HUGE, "x", [7], "0001-01-01T00:00:00+14:00", "99999-01-01")),
    *(("content", value) for value in (HUGE, [7], {"a": 1}, "x" * 70_000)),
    *(("mentions", value) for value in (HUGE, [7], [{}], [{"id": "x"}])),
    *(("attachments", value) for value in (HUGE, [7], [{}], [{"id": "x"}])),
    *(("attachments 0 filename", value) for value in (HUGE, [7], None, "x" * 70_000)),
    *(("attachments 0 size", value) for value in (HUGE, "x", INFINITE)),
    *(("attachments 0 url", value) for value in (HUGE, [7], None)),
    *(("message_reference", value) for value in (HUGE, [7], {"message_id": "x"})),
    *(("type", value) for value in ([7], {"a": 1})),
    *(("embeds", value) for value in (HUGE, [7])),
    *(("member roles", value) for value in (HUGE, [[]], ["x"])),
]
EVENTS: list[tuple[str, object]] = [
    *(("MESSAGE_CREATE", value) for value in (HUGE, "x", [], None, {})),
    *(("MESSAGE_UPDATE", value) for value in (HUGE, "x", [], None, {})),
    *(
        ("MESSAGE_DELETE", value)
        for value in (HUGE, {}, {"id": "x", "channel_id": "y"}, {"id": HUGE, "channel_id": HUGE})
    ),
    *(
        ("MESSAGE_DELETE_BULK", value)
        for value in ({}, {"ids": 5, "channel_id": "1"}, {"ids": [[]], "channel_id": "1"})
    ),
    *(("GUILD_CREATE", value) for value in (HUGE, {}, {"id": "x"}, {"id": "5", "roles": 7, "channels": [{}]})),
    *(("CHANNEL_CREATE", value) for value in (HUGE, {}, {"id": "x", "type": HUGE, "guild_id": []})),
    *(("THREAD_CREATE", value) for value in (HUGE, {}, {"id": "x", "guild_id": "y"})),
    ("GUILD_ROLE_CREATE", {"guild_id": HUGE, "role": 5}),
    ("INTERACTION_CREATE", {"id": "x", "type": 2}),
    ("NOBODY_KNOWS", [HUGE]),
]


def message(discord: Discord, person: int, channel: int) -> JSON:
    """A good message, of which nobody was told yet."""

    def work() -> JSON:
        world = discord.world
        tell, world.tell = world.tell, lambda name, data, guild: None
        told = world.say(channel, person, "poison", files=(("a.txt", b"a"),))
        world.tell = tell
        return copy.deepcopy(world.in_guild(told, world.channels[channel]))

    return discord.do(work)


def spoil(told: JSON, path: str, value: object) -> JSON:
    """The message with another value there."""
    *above, last = path.split()
    at: Any = told
    for name in above:
        at = at[int(name) if name.isdigit() else name]
    at[last] = value
    return told


def tell(discord: Discord, name: str, data: Any) -> None:
    """Let every bot be told of an event."""
    discord.do(lambda: [session.dispatch(name, data) for session in discord.gateway.sessions.values()])


def test_poison_events_are_passed_over_and_the_connection_lives_on() -> None:
    """All of them in one connection, each before a good message, all of which are heard."""

    async def scenario(discord: Discord, listener: Listener) -> None:
        ana = discord.user("ana")
        general = discord.channel(discord.server("home", ana), "general")
        async with talking(discord, listener):
            number = 0
            for number, (path, value) in enumerate(POISON):
                tell(discord, "MESSAGE_CREATE", spoil(message(discord, ana, general), path, value))
                tell(discord, "MESSAGE_UPDATE", spoil(message(discord, ana, general), path, value))
                discord.says(ana, general, f"good {number}")
            for name, data in EVENTS:
                tell(discord, name, data)
            discord.says(ana, general, "the last")
            good = [*(f"good {n}" for n in range(number + 1)), "the last"]
            await listener.until(lambda: [one.text for one in listener.heard if one.text in good] == good)
        assert discord.gateway.counts == {"identified": 1} and not listener.losses
        assert all(len(line) < 600 for line in listener.logged) and len(listener.logged) > len(POISON) / 2

    through(scenario)


def test_poison_in_history_costs_itself() -> None:
    async def scenario(discord: Discord, listener: Listener) -> None:
        ana = discord.user("ana")
        home = discord.server("home", ana)
        general = discord.channel(home, "general")
        where = Place(str(general), "group", "general", ("general",), (), str(home))
        for number, (path, value) in enumerate(POISON):
            there = discord.world.channels[general].messages
            told = message(discord, ana, general)
            id = int(told["id"])
            there[id] = spoil(told, path, value)
            discord.says(ana, general, f"good {number}")
        async with talking(discord, listener) as bot:
            own = await bot.send(where, Piece("mine", "a" * 24))
            heard = [one.text for one in await bot.history(where, 0, 1000)]
            assert [text for text in heard if text.startswith("good")] == [f"good {n}" for n in range(len(POISON))]
            assert [one.id for one in await bot.recent(where, 5)] == [own]

    through(scenario)


@pytest.mark.slow
@pytest.mark.parametrize("packet", [b"no JSON", b'{"op": 0, "t": [], "d": 5, "s": "x"}', b"[]", b'{"op": 10, "d": 5}'])
def test_a_gateway_that_nobody_understands_is_logged_in_to_again(packet: bytes) -> None:
    async def scenario(discord: Discord, listener: Listener) -> None:
        direct = discord.direct(ana := discord.user("ana"))
        async with talking(discord, listener):
            discord.do(lambda: [one.raw(packet.decode()) for one in discord.gateway.connections])
            await listener.until(lambda: listener.connections == 2)
            discord.says(ana, direct, "hello")
            await listener.hears(1)

    through(scenario)


@pytest.mark.parametrize("body", [{"id": []}, {"retry_after": "x"}, {"code": HUGE, "message": {"a": 1}}, {"errors": 5}])
@pytest.mark.parametrize("status", [200, 400, 403, 404, 429])
def test_whatever_a_request_is_answered_only_what_a_transport_may_raise_comes_of_it(status: int, body: JSON) -> None:
    async def scenario(discord: Discord, listener: Listener) -> None:
        where = Place(str(discord.direct(discord.user("ana"))), "person", "ana")
        async with talking(discord, listener) as bot:
            for method, path, ask in (
                ("POST", "/messages$", lambda: bot.send(where, Piece("x", "a" * 24))),
                ("PATCH", "/messages/", lambda: bot.edit(where, "5", "x")),
                ("GET", "/messages$", lambda: bot.history(where, 0, 5)),
                ("GET", "/messages$", lambda: bot.recent(where, 5)),
            ):
                discord.rest.fail(method, path, status, **body)
                try:
                    await ask()
                except Failed as failed:
                    assert failed.after is None or 0 <= failed.after <= 900
                discord.rest.faults.clear()

    through(scenario)


def test_a_name_is_no_id_and_a_role_and_a_channel_are_of_one_server() -> None:
    """Digits are a username that anybody may take on Discord; so are the names of servers, threads and web hooks."""

    async def scenario(discord: Discord, listener: Listener) -> None:
        ana = discord.user("ana")
        eve = discord.user(str(ana))  # her username is Ana's id
        home, theirs = discord.server("home", ana, eve), discord.server("home", eve)
        discord.role(home, "friends", ana), discord.role(theirs, "friends", eve)
        general, other = discord.channel(home, "general"), discord.channel(theirs, "general")
        thread = discord.channel(home, "general", discord.channel(home, "random"))
        known = rules.parse(
            "discord",
            {
                "owners": [str(ana)],
                "users": ["@ana"],
                "roles": ["home/friends"],
                "channels": ["home/general"],
                "servers": {"home": home},
            },
        )
        async with talking(discord, listener):
            hook = spoil(
                spoil(message(discord, ana, general), "webhook_id", "5"), "author", {"id": "5", "username": "ana"}
            )
            hook["author"] |= {"discriminator": "0", "avatar": None}
            hook.pop("member")
            tell(discord, "MESSAGE_CREATE", hook)
            for channel in (general, other, thread):
                discord.says(eve, channel, "let me in")
            discord.says(ana, general, "hello")
            hooked, *strangers, mine = await listener.hears(5)
        assert [known.takes(one.place) for one in (*strangers, mine)] == [True, False, False, True]
        for one in (hooked, *strangers):
            assert one.person and not known.lets_in(one.person, ()) and not known.owns(one.person)
        assert mine.person and known.lets_in(mine.person, ()) and known.owns(mine.person)

    through(scenario)
