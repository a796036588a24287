"""The time zone that settings name: in the prompts of an agent, its notes, reminders and commands, and in lists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from lives import lines
from looking import printed, rows
from support import make_home, run
from world import World, offline, said, world

from dotagent.store.home import Home
from dotagent.store.requests import ChatMessage

LATE = "2026-11-21T20:17:20Z"


class Model:
    """A model that replies what it is told to, and keeps what it saw."""

    def __init__(self, *replies: str) -> None:
        self.replies, self.seen = list(replies), list[str]()

    def __call__(self, messages: list[ChatMessage], call: object) -> str:
        self.seen.append("\n\n".join(one["content"] for one in messages))
        return self.replies.pop(0) if self.replies else "well"


def name(where: Home, zone: str) -> None:
    (where.root / "dotagent.toml").write_text(f'zone = "{zone}"\n')


def asked(here: World, words: str) -> None:
    here.say(words, at=LATE)
    here.run()


def test_a_prompt_names_the_zone_and_tells_times_in_it(tmp_path: Path) -> None:
    name(make_home(tmp_path), "Asia/Tokyo")
    with world(tmp_path, model := Model("RUN date +%Z", "ok")) as here:
        asked(here, "what time is it?")
        first, second = model.seen
        assert "the time (Asia/Tokyo) if" in first
        assert "ana (Sun 2026-11-22 05:17): what time is it?" in first
        assert re.search(r"^#\d+ RUN:\n.*\n  JST$", second, re.MULTILINE), "its commands live there, too"
        (born,) = lines(here, "BOOT")
        local = f"{(int(born.at[11:13]) + 9) % 24:02}{born.at[13:16]}"
        assert re.search(rf"^#1 ... \d+-\d\d-\d\d {local} BOOT ", first, re.MULTILINE)


def test_without_a_model_the_time_is_told_with_the_zone_it_is_in(tmp_path: Path) -> None:
    name(make_home(tmp_path), "Asia/Tokyo")
    with world(tmp_path, offline) as here:
        asked(here, "what time is it?")
        assert said(here.where)[0].endswith("(Asia/Tokyo).")


def test_another_zone_holds_from_the_next_request_on_in_all_of_the_prompt(tmp_path: Path) -> None:
    name(where := make_home(tmp_path), "Asia/Tokyo")
    with world(tmp_path, model := Model()) as here:
        asked(here, "one")
        name(where, "America/New_York")
        asked(here, "two")
        assert "Asia/Tokyo" not in model.seen[1] and "the time (America/New_York) if" in model.seen[1]
        assert "ana (Sat 2026-11-21 15:17): one" in model.seen[1]
        asked(here, "three")
        assert model.seen[2].startswith(model.seen[1]), "from then on it stays the same bytes"


def test_lists_for_people_are_in_the_zone_and_those_for_programs_in_utc(tmp_path: Path) -> None:
    name(where := make_home(tmp_path), "Pacific/Kiritimati")
    with world(tmp_path, Model()) as here:
        asked(here, "hello")
        (row,) = rows(printed(where, "agents", "--json"))
        assert str(row["last"]).endswith("Z")
        shown = printed(where, "agents").split("\n")[1]
        assert f"T{(int(str(row['last'])[11:13]) + 14) % 24:02}:" in shown


@pytest.mark.slow
def test_a_zone_that_there_is_not_is_one_line(where: Home) -> None:
    name(where, "Mars")
    done = run(where, "-m", "dotagent", "cron")
    assert done.returncode == 2 and not done.stdout
    wrong = f"dotagent: {where.root}/dotagent.toml: zone must be the name of a time zone, e.g. Europe/Berlin"
    assert done.stderr.split() == wrong.split()
