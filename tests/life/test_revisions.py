"""The history of a persona: every version in order, what it changed, and any of them back, to any depth."""

from __future__ import annotations

from pathlib import Path

import pytest
from world import World, world

from dotagent.errors import Misuse
from dotagent.life import revisions


@pytest.fixture
def lived(tmp_path: Path):  # type: ignore[no-untyped-def]
    with world(tmp_path / "home", lambda messages, call: "WAIT") as here:
        for text in ("one", "two", "three"):
            for name in ("SOUL.md", "USER.md", "MEMORY.md"):
                (here.session.path / name).write_text(f"{name} {text}\n")
            turn(here)
        yield here


def turn(here: World) -> None:
    here.say("hello")
    here.run()


def names(here: World) -> list[str]:
    found = revisions.find_all(here.where, here.session.id)
    assert [one.number for one in found] == list(range(1, len(found) + 1))
    return [one.name for one in found]


def test_every_version_is_listed_with_the_one_before(lived: World) -> None:
    found = revisions.find_all(lived.where, lived.session.id)
    assert (found[0].name, found[0].id, found[0].parent) == ("SOUL.md", lived.session.id, "")
    for name in ("SOUL.md", "USER.md", "MEMORY.md"):
        mine = [one for one in found if one.name == name]
        assert [one.parent for one in mine[1:]] == [one.id for one in mine[:-1]]
        for one in mine[1:]:
            assert lived.session.store.get(one.id).parent == one.parent
    assert [size for _, size in revisions.list_revisions(lived.where, lived.session.id)].count(
        len("USER.md two\n")
    ) >= 1


def test_a_diff_tells_what_a_revision_changed(lived: World) -> None:
    last = [one for one in revisions.find_all(lived.where, lived.session.id) if one.name == "USER.md"][-1]
    told = list(revisions.diff(lived.where, lived.session.id, last))
    assert "-USER.md two" in told and "+USER.md three" in told


def test_a_rollback_is_one_revision_more_and_reaches_to_the_birth(lived: World) -> None:
    before = names(lived)
    one = revisions.roll_back(lived.where, lived.session.id, None)
    path = lived.session.path / one.name
    assert path.read_text() == f"{one.name} two\n"
    with pytest.raises(Misuse, match="already equals revision"):
        revisions.roll_back(lived.where, lived.session.id, None)
    turn(lived)
    assert names(lived) == [*before, one.name]
    revisions.roll_back(lived.where, lived.session.id, 1)
    turn(lived)
    head = lived.session.head("")[0].text
    assert head.startswith("# SOUL\n\nYou are a personal assistant") and names(lived) == [*before, one.name, "SOUL.md"]
    with pytest.raises(Misuse, match="the revisions are 1 to"):
        revisions.roll_back(lived.where, lived.session.id, 99)


def test_what_was_not_there_goes_again(lived: World) -> None:
    (lived.session.path / "USER.md").unlink()
    turn(lived)
    number = len(names(lived))
    (lived.session.path / "USER.md").write_text("back\n")
    turn(lived)
    revisions.roll_back(lived.where, lived.session.id, number)
    assert not (lived.session.path / "USER.md").exists()
