"""A home at another account: its private rooms stay its person's, and nobody else's become them."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import make_home

from dotagent.capabilities.maintenance import moved_account, two_accounts
from dotagent.loop import birth
from dotagent.loop.birth import Birth
from dotagent.store import home, rooms, settings_edit
from dotagent.store.home import Home
from dotagent.terminal.talk import name_of
from dotagent.text import times
from dotagent.text.reference import short


@pytest.fixture
def where(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setenv("USER", "asmith")
    monkeypatch.delenv("DOTAGENT_OWNER", raising=False)
    return make_home(tmp_path)


def lived(where: Home, person: str, room: str, heading: str = "private", speaks: bool = True) -> str:
    """An agent of this person's that has spoken in its room."""
    self_id = birth.born(where, Birth(f"private {person}", room, heading, "You are kind."))
    if speaks:
        rooms.append(where.room(room), rooms.line_of("AGENT", short(self_id), times.now(), "hello"))
    return self_id


def owner(where: Home, self_id: str) -> str:
    return home.owner(moved_account.settled(where, home.settings(where), self_id))


def test_the_owner_of_a_moved_home_is_written_once(where: Home, capsys: pytest.CaptureFixture[str]) -> None:
    self_id = lived(where, "ana", "dev")
    lived(where, "telegram/eve", "telegram-eve", "private telegram/eve")
    assert owner(where, self_id) == "ana" and 'owner = "ana"' in (where.root / "dotagent.toml").read_text()
    assert "the account ana created this data directory, but your account is asmith" in capsys.readouterr().err
    assert rooms.audience(where.room("dev"), home.owner(home.settings(where))) == "private ana"
    assert owner(where, self_id) == "ana" and not capsys.readouterr().err


@pytest.mark.parametrize("case", ["own", "another's", "silent", "named"])
def test_nobody_else_becomes_the_owner(where: Home, case: str) -> None:
    """An agent of the account's own, another person's room by its name, one that never spoke, and a setting."""
    if case == "own":
        lived(where, "asmith", "mine")
    if case == "named":
        (where.root / "dotagent.toml").write_text('owner = "zoe"\n')
    heading = "private ana" if case == "another's" else "private"
    self_id = lived(where, "ana", "dev", heading, speaks=case != "silent")
    before = (where.root / "dotagent.toml").read_bytes() if case == "named" else b""
    assert owner(where, self_id) == ("zoe" if case == "named" else "asmith")
    assert not before or (where.root / "dotagent.toml").read_bytes() == before


def test_a_new_agent_of_a_moved_home_has_its_owner(where: Home) -> None:
    lived(where, "telegram/eve", "telegram-eve", "private telegram/eve")
    lived(where, "ana", "dev")
    assert owner(where, "") == "ana" and 'owner = "ana"' in (where.root / "dotagent.toml").read_text()


def test_where_two_accounts_have_agents_the_way_out_is_named(where: Home, capsys: pytest.CaptureFixture[str]) -> None:
    self_id = lived(where, "ana", "dev")
    mine = lived(where, "asmith", "mine")
    assert owner(where, self_id) == "asmith"
    assert "if you are ana, run `python -m dotagent config set owner ana`" in capsys.readouterr().err
    assert owner(where, mine) == owner(where, "") == "asmith" and not capsys.readouterr().err


def test_a_home_of_two_accounts_says_so_until_one_owner_is_set(where: Home) -> None:
    def told() -> list[str]:
        settings = home.settings(where)
        return [one for one in two_accounts.warn(where, settings) if "accounts ana and asmith" in one]

    lived(where, "ana", "dev")
    assert not told()
    lived(where, "asmith", "mine")
    assert len(told()) == 1 and "config set owner NAME" in told()[0]
    assert [one.level for one in two_accounts.accounts(where)] == ["warning"]
    settings_edit.change(where, "owner", ["ana"], lambda _: None)
    assert not told() and not list(two_accounts.accounts(where))


def test_who_has_the_home_is_named_as_its_owner_in_rooms(where: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    assert name_of(None, where) == "asmith"
    settings_edit.change(where, "owner", ["ana"], lambda _: None)
    assert (name_of(None, where), name_of("zoe", where)) == ("ana", "zoe")
    monkeypatch.delenv("USER")
    assert name_of(None, where) == "ana"
