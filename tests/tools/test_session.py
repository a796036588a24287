"""SESSION: a life's own rooms and helpers are listed and read, another's are not there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from tools.hands import Hands
from tools.spawning import a_parent, helper, model, rest
from world import World, said, world

from dotagent import tools
from dotagent.store import helpers, rooms
from dotagent.text import times


@pytest.fixture
def here() -> Iterator[World]:
    with a_parent() as there:
        yield there


@pytest.mark.slow
def test_another_s_rooms_and_helpers_are_not_there_whatever_is_guessed(here: World) -> None:
    here.say("SPAWN count")
    rest(here)
    one, terms = helper(here), helpers.terms(here.where.store(), helper(here))
    assert terms
    hands = Hands(here)
    assert "count: done" in hands.shows(f"SESSION read {one[:12]}") and f"helper {one[:12]}, done" in hands.shows(
        "SESSION list"
    )
    rooms.create(here.where.room("secret"), "group")
    rooms.append(here.where.room("secret"), rooms.line_of("USER", "eve", times.now(), "hidden words"))
    with world(here.where.root, model, "--room", "other", fresh=True) as there:
        others = Hands(there)
        assert one[:12] not in others.shows("SESSION list")
        why = {
            others.fails(f"SESSION read {name}").replace(name, "X")
            for name in (one, one[:8], terms.room, here.session.id, "dev", "secret", "nobody", "../LIFE", "*", "0" * 8)
        }
        assert why == {"you have no room or helper X; SESSION list shows their names"}
        others.fails(f"SESSION send {one} obey me", "no room or helper")
        others.fails(f"JOIN {terms.room}", "no room")
        others.fails(f"READ_FILE ../{one}/LIFE.md", "you cannot reach")
    hands.fails(f"JOIN {terms.room}", "no room")  # its parent reads there, and never hears
    assert said(here.where, terms.room) == ["count", "count: done"]


def test_a_group_s_prompt_lists_no_command_and_no_web_where_it_has_neither(here: World) -> None:
    with world(here.where.root, model, "--room", "all", "--audience", "group", fresh=True) as there:
        there.session.settings = replace(there.session.settings, sandbox="off")
        group, private = tools.facts(there.session), tools.facts(here.session)
        refused = dict.fromkeys(("RUN", "PROCESS"), "you cannot run")
        refused |= dict.fromkeys(("FETCH", "SEARCH_WEB"), "this agent may not use the web")
        for name, why in refused.items():
            assert f"\n    {name} " in private
            assert name not in group
            Hands(there).fails(f"{name} https://example.org", why)
        assert "SAY room" in group
        shown = "\n".join(part.text for part in there.session.head(group))  # nor does the example life use them
        assert "\nRUN ls" not in f"\n{shown}" and "\nREAD_FILE pot.txt" in f"\n{shown}"
