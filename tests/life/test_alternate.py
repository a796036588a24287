"""The alternate soul: by a daily window and by chance, for lives that begin or at each turn, in prompts alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import make_home
from world import World, events, world

from dotagent.errors import Misuse
from dotagent.life import persona
from dotagent.store import bootstrap, home, hooks
from dotagent.store.hooks import Evil
from dotagent.store.requests import ChatMessage

ALWAYS = '[hooks.soul-evil]\nenabled = true\nchance = 1.0\napply = "turn"\n'

OVER = "ALTERNATE off the time window of the alternate character is over"


@contextmanager
def lived(path: Path, settings: str, *words: str, fresh: bool = False) -> Iterator[tuple[World, list[str]]]:
    """A life under these settings, and the SOULs of the prompts that its model saw."""
    souls: list[str] = []

    def model(messages: list[ChatMessage], call: object) -> str:
        souls.append(messages[0]["content"].partition("\n\n")[0])
        return "WAIT"

    make_home(path / "home").root.joinpath("dotagent.toml").write_text(settings)
    with world(path / "home", model, *words, fresh=fresh) as here:
        yield here, souls


def turn(here: World) -> None:
    here.say("hello")
    here.run()


def evil(here: World, text: str = "You are wicked.\n\nVery.", name: str = bootstrap.EVIL) -> None:
    (here.session.path / name).write_text(text)


@given(st.integers(0, 1439), st.integers(1, 1440), st.integers(0, 86_399))
def test_the_window_holds_its_start_not_its_end_and_may_cross_midnight(at: int, lasts: int, second: int) -> None:
    purge = {"at": f"{at // 60}:{at % 60:02}", "duration": f"{lasts}m"}
    made = hooks.alternate({"soul-evil": {"enabled": True, "purge": purge}})
    assert made
    now = datetime(2026, 11, 22, tzinfo=UTC) + timedelta(seconds=second)
    inside = any(at * 60 + day <= second < at * 60 + lasts * 60 + day for day in (0, -86_400))
    assert made.why(now, 0.5) == ("purge" if inside else "")


@pytest.mark.parametrize(("dice", "why"), [(0.0, "chance"), (0.2499, "chance"), (0.25, ""), (1.0, "")])
def test_chance_is_as_often_as_it_says_and_the_window_goes_before_it(dice: float, why: str) -> None:
    now = datetime(2026, 11, 22, 12, tzinfo=UTC)
    assert Evil(chance=0.25).why(now, dice) == why
    assert Evil(chance=0.25, at=12 * 3600, lasts=60).why(now, dice) == "purge"


def test_it_is_off_unless_settings_turn_it_on(tmp_path: Path) -> None:
    with lived(tmp_path, ALWAYS.replace("true", "false")) as (here, souls):
        evil(here)
        turn(here)
        assert souls == ["# SOUL"] and not events(here, "ALTERNATE")


def test_at_each_turn_it_is_in_prompts_and_in_no_file(tmp_path: Path) -> None:
    with lived(tmp_path, ALWAYS) as (here, souls):
        before = (here.session.path / "SOUL.md").read_bytes()
        evil(here)
        turn(here)
        turn(here)
        assert souls == ["You are wicked."] * 2 and events(here, "ALTERNATE") == ["ALTERNATE on chance"]
        assert persona.soul(here.session.store, here.session.id, here.session.state).startswith("# SOUL")
        evil(here, "You are worse.")
        turn(here)
        assert souls[-1] == "You are worse." and len(events(here, "ALTERNATE")) == 2
        evil(here, " \n")
        turn(here)
        assert (
            souls[-1] == "# SOUL"
            and events(here, "ALTERNATE")[-1] == "ALTERNATE off the file of the alternate character cannot be read"
        )
        assert any("SOUL_EVIL.md is empty; SOUL.md stays in effect" in one for one in events(here, "ERROR"))
        assert (here.session.path / "SOUL.md").read_bytes() == before
    with lived(tmp_path, "") as (here, souls):
        turn(here)
        assert souls == ["# SOUL"]


def test_it_ends_with_its_process_and_the_life_knows_its_own_again(tmp_path: Path) -> None:
    with lived(tmp_path, ALWAYS) as (here, souls):
        evil(here)
        turn(here)
        assert souls == ["You are wicked."]
    with lived(tmp_path, "") as (here, souls):
        assert events(here, "ALTERNATE")[-1] == "ALTERNATE off another process"
        turn(here)
        assert souls == ["# SOUL"]


def test_new_is_decided_at_each_start_also_for_an_agent_that_exists(tmp_path: Path) -> None:
    settings = '[hooks.soul-evil]\nenabled = true\nchance = 1.0\nfile = "SOUL_PIRATE.md"\n'
    with lived(tmp_path, settings) as (here, souls):
        assert any("there is no SOUL_PIRATE.md; SOUL.md stays in effect" in one for one in events(here, "ERROR"))
        (here.where.root / "SOUL_PIRATE.md").write_text("You are a pirate.")
        turn(here)
        assert souls == ["# SOUL"]
    for _ in range(2):
        with lived(tmp_path, settings) as (here, souls):
            turn(here)
            assert souls == ["You are a pirate."] and events(here, "ALTERNATE") == ["ALTERNATE on chance"]
    with lived(tmp_path, settings.replace("1.0", "0.0")) as (here, souls):
        turn(here)
        assert souls == ["# SOUL"] and events(here, "ALTERNATE")[-1] == OVER


def test_a_helper_never_has_it(tmp_path: Path) -> None:
    with lived(tmp_path, ALWAYS, "--audience", "group", "--room", "all") as (here, souls):
        evil(here)
        here.say("hello", room="all")
        here.run()
        assert souls == ["You are wicked."]
        state = here.session.state
        from dotagent.life import alternate
        from dotagent.life.state import change

        here.session.state = change(state, audience="helper", turn=change(state.turn, wake="all", steps=0))
        alternate.turn(here.session)
        assert events(here, "ALTERNATE")[-1] == OVER


def test_every_prompt_can_be_shown_again(tmp_path: Path) -> None:
    from dotagent.life.replay import derive

    with lived(tmp_path, ALWAYS) as (here, _):
        evil(here)
        turn(here)
        assert derive(here.where, here.session.id, 64_000).state == here.session.state


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ("chance = 2", "from 0 to 1"), ("chance = true", "from 0 to 1"), ('file = "../x.md"', "a name like"),
        ('file = "notes.md"', "a name like"), ('apply = "old"', "new, turn"), ("enabled = 1", "true or false"),
        ('purge = {at = "24:00", duration = "1m"}', "purge must be"), ('purge = {at = "1:00"}', "purge must be"),
        ('purge = {at = "1:00", duration = "0m"}', "purge must be"),
        ('purge = {at = "1:00", duration = "25h"}', "a day"),
        ('purge = {at = "1:00", duration = "x"}', "purge must be"), ("chanse = 1", "did you mean"),
    ],
)  # fmt: skip
def test_what_is_no_setting_of_it_is_told(tmp_path: Path, table: str, why: str) -> None:
    where = make_home(tmp_path)
    where.root.joinpath("dotagent.toml").write_text(f"[hooks.soul-evil]\n{table}\n")
    with pytest.raises(Misuse, match=r"\[hooks.soul-evil\].*" + why):
        home.settings(where)
