"""`dotagent cron`: jobs by command, which are the same files as by hand."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from alive import Ended, forked
from support import make_home
from world import World, events, said, world

from dotagent import commands
from dotagent.capabilities.scheduler import checks, jobs
from dotagent.store.home import Home


@pytest.fixture
def here(tmp_path: Path) -> Iterator[World]:
    with world(tmp_path, lambda messages, call: "it is time") as one:
        one.run()
        yield one


def cron(where: Home, *words: str) -> Ended:
    def main() -> int:
        sys.argv = ["dotagent"]
        return commands.run("cron", ["--home", str(where.root), *words])

    return forked(main)


@pytest.mark.night
def test_add_list_disable_enable_run_remove(here: World) -> None:
    where = here.where
    made = cron(where, "add", "stand", "--cron", "0 9 * * MON-FRI", "--zone", "Europe/Berlin", "what", "is", "done?")
    assert made.status == 0 and "job stand will first run on " in made.out and "09:00 Europe/Berlin" in made.out, made
    assert jobs.read(where, "stand").text == "what is done?"
    assert oct(os.stat(where.jobs / "stand.toml").st_mode & 0o777) == "0o600"
    listed = json.loads(cron(where, "list", "--json").out)
    assert (listed["name"], listed["words"], listed["enabled"]) == ("stand", "0 9 * * MON-FRI", True)
    assert "stand" in cron(where).out
    assert cron(where, "disable", "stand").status == 0 and not jobs.read(where, "stand").enabled
    assert "disabled" in cron(where, "list").out
    assert cron(where, "enable", "stand").status == 0 and jobs.read(where, "stand").enabled
    assert "is due now" in cron(where, "run", "stand").out
    here.run()
    assert said(where) == ["it is time"] and events(here, "WAKE")[0].endswith(" asked")
    assert cron(where, "remove", "stand").status == 0 and jobs.list_names(where) == []
    assert cron(where).out == "no scheduled jobs yet\n"


def test_times_in_words(here: World) -> None:
    assert cron(here.where, "add", "mum", "--at", "tomorrow at 9", "call mum").status == 0
    assert jobs.read(here.where, "mum").schedule.words.endswith("T09:00")
    assert cron(here.where, "add", "oven", "--at", "20m", "the oven", "--json").status == 0
    at = datetime.fromisoformat(jobs.read(here.where, "oven").schedule.words)
    assert 1100 < (at - datetime.now(UTC)).total_seconds() <= 1200
    assert cron(here.where, "add", "walk", "--every", "1800000ms", "walk").status == 0
    assert cron(here.where, "add", "stretch", "--cron", "@every 30m", "stretch").status == 0
    assert jobs.read(here.where, "stretch").schedule.words == "30m"
    assert cron(here.where, "add", "paper", "--every", "@daily", "paper").status == 0
    assert jobs.read(here.where, "paper").schedule.kind == "cron"
    assert cron(here.where, "add", "tea", "--every", "2h", "--room", "dev", "tea", "--json").status == 0


@pytest.mark.wide
@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("add", "x"), "--cron"),
        (("add",), "usage: cron add NAME"),
        (("add", "x", "--every", "1h", "--agent", "deadbeef", "t"), "no agent deadbeef"),
        (("add", "x", "--cron", "0 99 * * *", "t"), "hour"),
        (("add", "x", "--every", "1s", "t"), "from one minute"),
        (("add", "x", "--at", "2001-01-01", "t"), "is in the past"),
        (("add", "x", "--at", "soon", "t"), "is not a time"),
        (("add", "x", "--every", "1h", "--zone", "Mars", "t"), "time zone"),
        (("add", "../x", "--every", "1h", "t"), "cannot be the name of a job"),
        (("add", "boot", "--every", "1h", "t"), "cannot be the name of a job"),
        (("add", "x", "--every", "1h", "--window", "1y", "t"), "30m"),
        (("remove", "x"), "no job"),
        (("run", "x"), "no job"),
        (("disable",), "name is missing"),
    ],
)
def test_what_cannot_be_is_a_line_and_changes_nothing(here: World, words: tuple[str, ...], why: str) -> None:
    cron(here.where, *words).complains(why, status=(2,))
    assert jobs.list_names(here.where) == []


def test_a_name_is_taken_once_and_a_broken_file_is_listed(here: World) -> None:
    assert cron(here.where, "add", "x", "--every", "1h", "t").status == 0
    cron(here.where, "add", "x", "--every", "2h", "t").complains("a job x already exists")
    (here.where.jobs / "odd.toml").write_text("cron = ")
    told = [json.loads(line) for line in cron(here.where, "list", "--json").out.split("\n")[:-1]]
    assert [one["name"] for one in told] == ["odd", "x"] and "odd.toml" in told[0]["wrong"]
    ended = cron(here.where, "add", "ops", "--every", "1h", "--room", "ops", "t")
    assert ended.status == 0 and "no agent has joined room ops" in ended.err
    create = "no agent has joined room ops, so the job cannot run; start one with `python agent.py --room ops`"
    cron(here.where, "run", "ops").complains(create, status=(1,))


def test_a_job_of_an_agent_that_is_not_in_the_room_names_this_agent(here: World) -> None:
    told = {"every": "1h", "room": "dev", "agent": "9f8e7d6c5b4a", "text": "t"}
    jobs.add(here.where, "theirs", jobs.render(told))
    cron(here.where, "run", "theirs").complains("agent 9f8e7d6c5b4a is not in room dev", status=(1,))
    cron(here.where, "run", "theirs").complains("correct `agent` in ", status=(1,))
    assert any(finding.what == "agent 9f8e7d6c5b4a is not in room dev" for finding in checks.clock(here.where))


def test_where_nothing_would_start_a_job_every_command_says_so(tmp_path: Path) -> None:
    where = make_home(tmp_path)
    told = "no agent and no scheduler is running, so no job starts"
    assert told in cron(where, "add", "tea", "--every", "1h", "make tea").err
    assert told in cron(where, "list").err
    assert told not in cron(where, "disable", "tea").err
    assert told in cron(where, "enable", "tea").err
    with world(tmp_path, lambda messages, call: "WAIT"):
        assert cron(where, "list").err == ""
