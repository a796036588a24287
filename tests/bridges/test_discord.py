"""Discord's transport, driven by discord.py itself against a Discord on loopback: what it tells, and what it does."""

from __future__ import annotations

import pytest
from discord_ears import Listener, talking, through
from fake_discord import CUT_AFTER, CUT_BEFORE, Discord

from dotagent import bridges
from dotagent.bridges import Access, Attachment, Gone, Piece, Place, Refused, Role, Undone, Unsure
from dotagent.errors import Misuse
from dotagent.text import times

SUPPRESS_EMBEDS = 1 << 2  # a flag of a message, as Discord documents it


def test_direct_messages_channels_and_threads_are_places() -> None:
    async def scenario(discord: Discord, listener: Listener) -> None:
        ana = discord.user("ana")
        home = discord.server("home", ana)
        general, direct = discord.channel(home, "general"), discord.direct(ana)
        thread, friends = discord.channel(home, "trip", general), discord.role(home, "friends", ana)
        async with talking(discord, listener):
            for where in (direct, general, thread):
                discord.says(ana, where, "hello")
            one, two, three = await listener.hears(3)
        assert one.place == Place(str(direct), "person", "ana")
        assert two.place == Place(str(general), "group", "general", ("general",), (), str(home))
        assert three.place == Place(str(thread), "group", "trip", ("general",), (str(general),), str(home))
        assert [one.addressed, two.addressed, three.addressed] == [True, False, False]
        assert one.person and one.person.id == str(ana) and one.person.name == "ana"
        assert two.person and two.person.roles == (Role(str(friends), "friends", str(home)),)
        assert one.text == "hello" and one.id == str(one.order) and one.order < two.order < three.order
        assert one.at.endswith("Z") and one.at.startswith("20")

    through(scenario)


def test_a_mention_and_a_reply_address_the_bot() -> None:
    times.live_in("Asia/Tokyo")

    async def scenario(discord: Discord, listener: Listener) -> None:
        ana, ben = discord.user("ana"), discord.user("ben")
        home = discord.server("home", ana, ben)
        general, me = discord.channel(home, "general"), discord.world.me
        async with talking(discord, listener) as bot:
            own = int(await bot.send(Place(str(general), "group", "general"), Piece("I am here", "a" * 24)))
            discord.says(ana, general, f"<@{me}> and <@{ben}>, look at <#{general}> <a:party:123456789> <t:86400:R>")
            theirs = discord.says(ben, general, "so what")
            discord.says(ana, general, "well", reply=own)
            discord.says(ana, general, "no", reply=theirs)
            heard = await listener.hears(4)
        assert [one.addressed for one in heard] == [True, False, True, False]
        assert heard[0].text == "@dotagent and @ben, look at #general :party: Fri 1970-01-02 09:00 Asia/Tokyo"
        assert [one.answers for one in heard] == ["", "", "I am here", "so what"]

    through(scenario)


def test_edits_and_deletions_come_as_such_and_a_preview_is_none() -> None:
    async def scenario(discord: Discord, listener: Listener) -> None:
        ana = discord.user("ana")
        direct = discord.direct(ana)
        async with talking(discord, listener):
            said = discord.says(ana, direct, "see http://127.0.0.1/")
            discord.do(discord.world.unfurl, direct, said)
            discord.edits(direct, said, "see there")
            discord.deletes(direct, said)
            new, edited, deleted = await listener.hears(3)
        assert [one.kind for one in (new, edited, deleted)] == ["new", "edited", "deleted"]
        assert {one.id for one in (new, edited, deleted)} == {str(said)}
        assert {one.place.id for one in (new, edited, deleted)} == {str(direct)}
        assert edited.text == "see there" and edited.revision and not new.revision
        assert deleted.person is None and deleted.text == ""

    through(scenario)


def test_the_bot_does_not_hear_itself_but_other_bots() -> None:
    async def scenario(discord: Discord, listener: Listener) -> None:
        other = discord.user("other", bot=True)
        general = discord.channel(discord.server("home", other), "general")
        async with talking(discord, listener) as bot:
            await bot.send(Place(str(general), "group", "general"), Piece("mine", "b" * 24))
            discord.says(other, general, "beep")
            heard = await listener.hears(1)
        assert [one.text for one in heard] == ["beep"]
        assert heard[0].person and heard[0].person.bot

    through(scenario)


def test_what_is_sent_twice_with_one_key_is_there_once_and_pings_nobody_at_large() -> None:
    async def scenario(discord: Discord, listener: Listener) -> None:
        ana = discord.user("ana")
        general = discord.channel(discord.server("home", ana), "general")
        where = Place(str(general), "group", "general", ("general",), (), "1")
        async with talking(discord, listener) as bot:
            asked = discord.says(ana, general, "who?")
            piece = Piece("@everyone it is I", "c" * 24, str(asked))
            assert await bot.send(where, piece) == await bot.send(where, piece)
            gone = await bot.send(where, Piece("that was gone", "d" * 24, "12345"))
            await bot.edit(where, gone, "that is gone")
        assert discord.said(general) == ["@everyone it is I", "that is gone"]
        assert discord.own(general)[0]["message_reference"]["message_id"] == str(asked)
        for request in discord.rest.requests("POST", "/messages$"):
            assert request.body["allowed_mentions"]["parse"] == ["users"]
            assert request.body["enforce_nonce"] is True
            assert request.body["flags"] == SUPPRESS_EMBEDS
        (edit,) = discord.rest.requests("PATCH")
        assert edit.body["allowed_mentions"]["parse"] == ["users"] and edit.body["flags"] == SUPPRESS_EMBEDS

    through(scenario)


def test_a_connection_that_breaks_leaves_it_unsure_and_the_key_settles_it() -> None:
    async def scenario(discord: Discord, listener: Listener) -> None:
        direct = discord.direct(discord.user("ana"))
        where = Place(str(direct), "person", "ana")
        async with talking(discord, listener) as bot:
            for number, what in enumerate((CUT_BEFORE, CUT_AFTER)):
                piece = Piece(f"once {number}", f"{number}" * 24)
                discord.rest.fail("POST", "/messages$", what)
                with pytest.raises(Unsure):
                    await bot.send(where, piece)
                await bot.send(where, piece)
            assert [one.text for one in await bot.recent(where, 5)] == ["once 0", "once 1"]
            assert [one.text for one in await bot.recent(where, 1)] == ["once 1"]
        assert discord.said(direct) == ["once 0", "once 1"]

    through(scenario)


def test_what_discord_refuses_is_told_apart() -> None:
    async def scenario(discord: Discord, listener: Listener) -> None:
        ana = discord.user("ana")
        direct, locked = discord.direct(ana), discord.channel(discord.server("home", ana), "locked")
        there, closed = Place(str(direct), "person", "ana"), Place(str(locked), "group", "locked")
        discord.world.channels[locked].forbidden = True
        async with talking(discord, listener) as bot:
            with pytest.raises(Refused, match="permission"):
                await bot.send(closed, Piece("x", "e" * 24))
            with pytest.raises(Refused, match="404"):
                await bot.send(Place("123", "group", "nowhere"), Piece("x", "f" * 24))
            with pytest.raises(Gone):
                await bot.edit(there, "123", "x")
            with pytest.raises(Gone):
                await bot.delete(there, "123")
            discord.rest.fail("POST", "/messages$", 403, code=50007, message="Cannot send messages to this user")
            with pytest.raises(Refused, match="does not accept direct messages"):
                await bot.send(there, Piece("x", "g" * 24))
            discord.rest.fail("POST", "/messages$", 429, message="slow down", retry_after=70.0)
            with pytest.raises(Undone) as undone:
                await bot.send(there, Piece("x", "h" * 24))
            assert undone.value.after == 70
            discord.rest.fail("POST", "/messages$", 503)
            with pytest.raises(Unsure):
                await bot.send(there, Piece("x", "i" * 24))
        with pytest.raises(Undone):
            await bot.send(there, Piece("x", "j" * 24))
        assert discord.said(direct) == []

    through(scenario)


@pytest.mark.slow
def test_rate_limits_and_server_errors_are_waited_for() -> None:
    async def scenario(discord: Discord, listener: Listener) -> None:
        direct = discord.direct(discord.user("ana"))
        where = Place(str(direct), "person", "ana")
        discord.rest.rate = (5, 0.2)
        async with talking(discord, listener) as bot:
            discord.rest.fail("POST", "/messages$", 500)
            discord.rest.fail("POST", "/messages$", 429, retry_after=0.1, **{"global": True})
            for number in range(7):
                await bot.send(where, Piece(f"{number}", f"{number:024}"))
        assert discord.said(direct) == [f"{number}" for number in range(7)]
        assert discord.rest.limited <= 1  # it heeds the headers

    through(scenario)


def test_the_gap_is_read_in_order_without_own_messages_and_with_roles() -> None:
    async def scenario(discord: Discord, listener: Listener) -> None:
        ana, ben = discord.user("ana"), discord.user("ben")
        home = discord.server("home", ana, ben)
        friends, general = discord.role(home, "friends", ana), discord.channel(home, "general")
        where = Place(str(general), "group", "general", ("general",), (), str(home))
        first = discord.says(ana, general, "first")
        for number in range(130):
            discord.says(discord.world.me, general, f"mine {number}")
        discord.says(ben, general, "second", reply=first)
        discord.says(ana, general, "third")
        async with talking(discord, listener, roles=[f"{home}/friends"]) as bot:
            assert [one.text for one in await bot.history(where, 0, 2)] == ["first", "second"]
            missed = await bot.history(where, first, 100)
            assert [one.text for one in missed] == ["second", "third"]
            theirs = (Role(str(friends), "friends", str(home)),)
            assert [one.person and one.person.roles for one in missed] == [(), theirs]
            assert missed[0].place == where and missed[0].answers == "first"
            assert await bot.history(where, missed[-1].order, 100) == []
        assert not listener.heard

    through(scenario)


def test_attachments_are_fetched_up_to_a_size() -> None:
    async def scenario(discord: Discord, listener: Listener) -> None:
        ana = discord.user("ana")
        direct = discord.direct(ana)
        async with talking(discord, listener) as bot:
            discord.says(ana, direct, "", files=(("notes.txt", b"n" * 1000),))
            (message,) = await listener.hears(1)
            (file,) = message.attachments
            assert (file.name, file.size) == ("notes.txt", 1000)
            assert await bot.fetch(file, 1000) == b"n" * 1000
            with pytest.raises(Refused, match="larger"):
                await bot.fetch(file, 999)
            with pytest.raises(Gone):
                await bot.fetch(Attachment("gone", f"{file.handle}.gone"), 10)

    through(scenario)


def test_names_of_people_it_met_become_mentions_but_not_in_code() -> None:
    async def scenario(discord: Discord, listener: Listener) -> None:
        ana = discord.user("ana")
        direct = discord.direct(ana)
        async with talking(discord, listener) as bot:
            discord.says(ana, direct, "hello")
            await listener.hears(1)
            said = "Ask @ana, or @discord/Ana. Not `@ana`, a@ana, @ben or @anabel:\n```\n@ana\n```"
            told = bot.outgoing(Place(str(direct), "person", "ana"), said)
        assert told == f"Ask <@{ana}>, or <@{ana}>. Not `@ana`, a@ana, @ben or @anabel:\n```\n@ana\n```"

    through(scenario)


def test_typing_and_slash_commands() -> None:
    async def scenario(discord: Discord, listener: Listener) -> None:
        ana = discord.user("ana")
        general = discord.channel(discord.server("home", ana), "general")
        async with talking(discord, listener) as bot:
            await bot.typing(Place(str(general), "group", "general"))
            assert discord.rest.requests("POST", f"/{general}/typing$")
            assert [one["name"] for one in discord.world.commands] == ["status", "pause", "resume", "stop"]
            tokens = [discord.commands(ana, where, "stop") for where in (general, discord.direct(ana))]
            await listener.until(lambda: all(discord.answer(token) for token in tokens))
        answers = [discord.rest.answers[token]["data"] for token in tokens]
        assert [one["content"] for one in answers] == ["stop for ana in general", "stop for ana in ana"]
        assert all(one["flags"] == 64 for one in answers)  # only who asked sees it

    through(scenario)


@pytest.mark.parametrize("token", ["", "two words", "tökén"])
def test_what_cannot_be_a_token_is_refused_at_once(token: str) -> None:
    with pytest.raises(Misuse, match="DISCORD_BOT_TOKEN"):
        bridges.load("discord").open(Access(token, ""))


def test_what_was_missed_where_nobody_was_heard_before_is_told_first_and_in_order() -> None:
    async def scenario(discord: Discord, listener: Listener) -> None:
        ana, ben = discord.user("ana"), discord.user("ben")
        home = discord.server("home", ana, ben)
        general, other, direct = discord.channel(home, "general"), discord.channel(home, "other"), discord.direct(ana)
        listener.since = discord.says(ana, general, "long ago") + (3_600_000 << 22)
        discord.world.last = listener.since
        discord.says(ana, general, "first")
        for number in range(120):
            discord.says(ben, general, f"and {number}")
        discord.says(ben, other, "not where settings allow it")
        discord.says(ana, direct, "one")
        discord.rest.delay = 0.05
        async with talking(discord, listener, users=[str(ana)], channels=[f"{home}/general"]):
            discord.says(ben, general, "second")
            discord.says(ana, direct, "two")
            await listener.until(lambda: {"second", "two"} <= {one.text for one in listener.heard})
        heard = list({one.id: one for one in listener.heard}.values())  # the pattern knows what it has
        assert [one.text for one in heard if one.place.kind == "person"] == ["one", "two"]
        assert [one.text for one in heard if one.place.kind == "group"] == [
            "first",
            *(f"and {number}" for number in range(120)),
            "second",
        ]

    through(scenario)
