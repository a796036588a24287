"""Whom a bridge lets in, and by which name: lists, routes and rooms that decide, whatever its transport."""

from __future__ import annotations

import re

import pytest
from scenes import Scene
from small_world import ANA, BOB, CHANNEL, DM, EVE, said

from dotagent.bridges import Person, Place, Role
from dotagent.bridges.pattern import pairs, rules
from dotagent.errors import Misuse
from dotagent.store import disk, rooms


def test_an_empty_list_lets_no_one_in_and_nothing_is_written(scene: Scene) -> None:
    async def steps(s: Scene) -> None:
        allowed = await s.hear(
            said(DM, ANA, 1, "a"), said(CHANNEL, BOB, 2, "b", addressed=True), said(CHANNEL, EVE, 3, "c")
        )
        assert allowed == [False, False, False]

    scene.play(steps, {"users": [], "channels": [], "owners": [], "pairing": False})
    assert not list(scene.where.chats.iterdir()) and not scene.world.events()
    rows = (scene.where.bridges / "loop" / "journal.jsonl").read_text()
    assert "ana" not in rows and "PLACE" not in rows


@pytest.mark.parametrize(
    ("person", "place", "table", "allowed"),
    [
        (ANA, CHANNEL, {"channels": []}, False),
        (EVE, CHANNEL, {}, False),
        (EVE, CHANNEL, {"users": ["*"]}, True),
        (Person("9", "ana", ()), DM, {"pairing": False}, False),  # a display name is nobody's own
        (Person("9", "x", (), (Role("5", "friends", "900"),)), CHANNEL, {"roles": ["home/friends"]}, True),
        (Person("9", "x", (), (Role("5", "friends", "900"),)), CHANNEL, {"roles": ["id:5"]}, True),
        (Person("9", "x", (), (Role("5", "friends", "666"),)), CHANNEL, {"roles": ["home/friends"]}, False),
        (Person("9", "x", (), (Role("5", "77", "900"),)), CHANNEL, {"roles": ["home/77", "77"]}, False),
        (Person("9", "x", ("friends",)), CHANNEL, {"roles": ["home/friends"]}, False),
        (Person("9", "1", ("1",)), CHANNEL, {"users": ["1"], "owners": [1]}, False),  # a username of digits is no id
        (Person("9", "1", ("1",)), CHANNEL, {"users": ["@1"]}, True),
        (Person("ana", "x"), CHANNEL, {}, False),  # nor is an id a name
        (Person("1", "ana", ("ana",), bot=True), CHANNEL, {"users": ["*"], "owners": []}, False),
        (Person("1", "ana", ("ana",), bot=True), CHANNEL, {"users": ["1"]}, True),
        (ANA, Place("t1", "group", "thread", ("general",), ("c1",), "900"), {}, True),
        (ANA, Place("t1", "group", "general", (), ("c2",), "900"), {}, False),  # whoever makes a thread names it
        (ANA, Place("c9", "group", "GENERAL", ("GENERAL",), (), "900"), {"channels": ["900/#general"]}, True),
        (ANA, Place("c9", "group", "general", ("general",), (), "666"), {}, False),
        (ANA, Place("c9", "group", "other", ("other",), (), "900"), {"channels": ["home/*"]}, True),
        (ANA, Place("c9", "group", "other", ("other",), (), "666"), {"channels": ["home/*"]}, False),
        (ANA, Place("c9", "group", "7", ("7",), (), "900"), {"channels": ["7", "home/7"]}, False),
        (ANA, Place("-7", "group", "Trip", ("trip",)), {"channels": ["-7"]}, True),
        (ANA, Place("-7", "group", "Trip", ("trip",)), {"channels": ["@Trip"]}, True),
        (ANA, Place("-7", "group", "trip"), {"channels": ["@trip"]}, False),  # a title anybody may choose
    ],
)
def test_lists_decide(scene: Scene, person: Person, place: Place, table: dict[str, object], allowed: bool) -> None:
    async def steps(s: Scene) -> None:
        assert await s.hear(said(place, person, 1, "hello", addressed=True)) == [allowed]

    scene.play(steps, table)
    assert bool(list(scene.where.chats.iterdir())) == allowed


def test_the_name_of_another_is_never_taken_over(scene: Scene) -> None:
    async def steps(s: Scene) -> None:
        await s.hear(said(DM, ANA, 1, "I am Ana"))
        await s.hear(said(Place("d2", "person", "Ana"), Person("99", "Ana ", ("ana2",)), 2, "so am I"))
        await s.hear(said(Place("d3", "person", "x"), Person("98", "a/n: [a]\n", ("ana3",)), 3, "and I"))

    scene.play(steps, {"users": ["*"]})
    assert scene.heard("loop-ana") == ["loop/ana: I am Ana"]
    others = sorted(path.stem for path in scene.where.chats.iterdir() if path.stem != "loop-ana")
    assert len(others) == 2 and others[0].startswith("loop-a-n-a-") and others[1].startswith("loop-ana-")
    headings = [scene.where.room(name).read_text().split("\n")[0] for name in others]
    assert headings[0].startswith(f"# {others[0]} private loop/a-n-a-")
    assert headings[1].startswith(f"# {others[1]} private loop/ana-")


@pytest.mark.parametrize(
    "stranger", [Person("9", "ana"), Person("9", "ＡＮＡ", ("ＡＮＡ",)), Person("9", "ana", ("ana.",))]
)
def test_whoever_is_only_called_so_never_has_the_name_of_a_username(scene: Scene, stranger: Person) -> None:
    async def steps(s: Scene) -> None:
        await s.hear(said(Place("d9", "person", "ana"), stranger, 1, "I am the first"), said(DM, ANA, 2, "I am Ana"))

    scene.play(steps, {"users": ["*"]})
    assert scene.heard("loop-ana") == ["loop/ana: I am Ana"]
    (other,) = [path for path in scene.where.chats.iterdir() if path.stem != "loop-ana"]
    assert re.match(r"# loop-ana-[0-9a-f]{6} private loop/ana-[0-9a-f]{6}\n", other.read_text())


def test_a_place_that_turns_from_a_person_into_a_group_is_not_heard_in_the_private_room(scene: Scene) -> None:
    async def steps(s: Scene) -> None:
        group = Place(DM.id, "group", "general", ("general",), (), "900")
        heard = await s.hear(said(DM, ANA, 1, "hi"), said(group, BOB, 2, "hello", addressed=True))
        assert heard == [True, False]

    scene.play(steps)
    assert scene.heard() == ["loop/ana: hi"]


def test_the_owner_is_told_once_how_to_name_a_place_and_a_stranger_of_many_gets_a_word(scene: Scene) -> None:
    path = scene.where.bridges / "loop" / pairs.FILE
    disk.make_dir(path.parent)
    for number in range(pairs.WAITING):
        assert pairs.ask(path, Person(str(number), "x"), DM)
    friend, place = Person("77777", "friend"), Place("d7", "person", "friend")

    async def steps(s: Scene) -> None:
        other = Place("c2", "group", "other", ("other",), (), "666")
        await s.hear(*(said(other, ANA, number, "are you here?", addressed=True) for number in (1, 2)))
        await s.hear(said(place, friend, 3, "hello?"), said(place, friend, 4, "hello??"))
        (word,) = s.world.own("d7")
        assert 'users = ["id:77777"]' in word.text

    scene.play(steps)
    assert [line for line in scene.told if "other" in line] == [
        'the bridge ignores messages in "other"; to receive these messages, add channels = ["id:c2"] to the '
        "bridge's settings (the server is 666)"
    ]


def test_a_channel_may_always_be_answered(scene: Scene) -> None:
    async def steps(s: Scene) -> None:
        assert await s.hear(said(CHANNEL, BOB, 1, "hello all")) == [True]

    scene.play(steps, {"route": [{"server": 900, "channel": "general", "answer": "always"}]})
    assert scene.heard("loop-general") == ["loop/bob: hello all"]


def test_a_room_that_is_for_others_now_is_not_carried_out(scene: Scene) -> None:
    async def steps(s: Scene) -> None:
        await s.hear(said(CHANNEL, ANA, 1, "hi", addressed=True))
        path = s.where.room("loop-general")
        path.write_text(path.read_text().replace("# loop-general group", "# loop-general private"))
        s.says("a secret", "loop-general")
        assert await s.hear(said(CHANNEL, ANA, 2, "well?", addressed=True)) == [False]
        await s.hear(said(DM, ANA, 3, "hi"))
        s.says("hello")
        await s.sees("hello")
        assert not s.world.own("c1")

    scene.play(steps)


def test_routes_bind_the_most_specific_first_and_never_mix_audiences(scene: Scene) -> None:
    rooms.create(scene.where.room("dev"), "private")
    scene.says("said before", "dev")
    table: dict[str, object] = {
        "route": [
            {"server": "home", "room": "lobby"},
            {"channel": "home/general", "room": "talk"},
            {"server": "900", "channel": "id:c9", "room": "nowhere"},
            {"person": "ana", "room": "dev"},
            {"person": "bob", "room": "dev"},
        ]
    }

    async def steps(s: Scene) -> None:
        other = Place("c2", "group", "other", ("other",), (), "900")
        assert await s.hear(
            said(CHANNEL, BOB, 1, "a", addressed=True),
            said(other, BOB, 2, "b", addressed=True),
            said(DM, ANA, 3, "c"),
            said(Place("d2", "person", "bob"), BOB, 4, "d"),
        ) == [True, True, True, False]
        s.says("to the owner", "dev")
        await s.sees("to the owner")

    scene.play(steps, {**table, "channels": ["home/general", "home/other"]})
    assert scene.heard("talk") == ["loop/bob: a"] and scene.heard("lobby") == ["loop/bob: b"]
    assert scene.heard("dev") == ["loop/ana: c"]
    assert any("to room dev: the room's audience (who can read it) is `private ana`" in line for line in scene.told)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"users": "ana"}, "users must be a list"),
        ({"usres": []}, "unknown setting 'usres'"),
        ({"attachments": -1}, "attachments must be"),
        ({"agents": "all"}, "agents must be one of boot, resume, none"),
        ({"route": {"channel": "x"}}, "double brackets"),
        ({"route": [{"channel": "id:x", "room": "No Room"}]}, "cannot be the name of a room"),
        ({"route": [{"channel": "id:x", "agent": "zz"}]}, "is not an agent's id"),
        (
            {"channels": ["general"]},
            """'general' is not unique, because another channel can have the same name. Write the id, "id:8123\"""",
        ),
        ({"channels": ["#general"]}, 'or the name within a server, "8123/general"'),
        (
            {"roles": ["friends"]},
            "roles: the name 'friends' is not unique, because another role can have the same name",
        ),
        ({"roles": ["@friends"]}, "roles: the name '@friends' is not unique"),
        ({"channels": ["home/general"]}, 'or give this name to one server: servers = {"home" = 8123}'),
        ({"channels": ["*"], "roles": ["*"]}, "'*' is not a name or an id"),
        ({"owners": ["*"]}, "'*' is not a name or an id"),
        ({"owners": ["@*"]}, "'@*' is not a name or an id"),
        ({"users": ["@"]}, "'@' is not a name or an id"),
        ({"users": ["id:"]}, "is not a name or an id"),
        ({"servers": {"8": "9"}}, "servers must be a table with an id for each server's name"),
        ({"servers": {"home": "house"}}, "servers must be a table with an id for each server's name"),
        ({"servers": ["home"]}, "servers must be a table with an id for each server's name"),
        (
            {"route": [{"channel": "x", "room": "dev"}]},
            "the name 'x' is not unique, because another channel can have the same name",
        ),
        (
            {"route": [{"server": "home", "room": "dev"}]},
            "the name 'home' is not unique, because another server can have the same name",
        ),
        ({"route": [{"person": "*", "room": "dev"}]}, "'*' is not a name or an id"),
    ],
)
def test_a_wrong_setting_names_its_place(table: dict[str, object], words: str) -> None:
    with pytest.raises(Misuse, match=r"dotagent.toml, \[\[?bridges.loop") as wrong:
        rules.parse("loop", table)
    assert words in str(wrong.value)
