"""`forget that …` in a private room: it is shown, nothing happens without a yes, then it is gone while life goes on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from alive import Alive, a_home, hears, say
from support import bytes_read, run
from unforgotten import forget, traces
from world import events, offline, said, world

from dotagent.capabilities.erasure import returns
from dotagent.erasure import ledger
from dotagent.store import rooms
from dotagent.text import times
from dotagent.text.reference import short

SECRET = "My locker at the station opens with 3391"
TWIN = "My locker at the pool opens with 7720"
CAT = "dass meine Katze Minka heißt"


def test_without_a_yes_nothing_is_forgotten(tmp_path: Path) -> None:
    with world(tmp_path, offline) as it:
        for text in (f"{SECRET}.", f"{TWIN}."):
            it.say(text)
            it.run()
        asked = len(events(it, "ASK"))
        it.say("forget that my locker at the station opens with 3391")
        it.run()
        assert f"1: {SECRET}" in said(it.where)[-1] and TWIN not in said(it.where)[-1]
        assert len(events(it, "ASK")) == asked
        it.say("no")
        it.run()
        assert said(it.where)[-1] == "(nothing was deleted)"
        for text in ("/forget about the elephant", "/forget tea", "/forget tea"):  # the request itself is no match
            it.say(text)
            it.run()
            assert said(it.where)[-1] == "(no sentence matches)"
        it.say("/forget ☎")
        it.run()
        assert "give a word of the sentence" in said(it.where)[-1]
        it.say(f'/forget "{SECRET}"')
        it.run()
        it.say("What opens with 7720?")
        it.run()
        it.say("yes")
        it.run()
        assert not ledger.is_unfinished(it.where)
        assert not (it.session.path / "run" / "forget").exists()


def test_a_list_shows_no_earlier_list(tmp_path: Path) -> None:
    with world(tmp_path, offline) as it:
        lists = list[str]()
        for text in (
            "merk dir, dass meine Katze Minka heißt",
            "vergiss, dass meine Katze Minka heißt",
            "/forget Katze",
        ):
            it.say(text)
            it.run()
            lists.append(said(it.where)[-1])
            it.say("no")
            it.run()
        assert lists[1].startswith("(1: meine Katze Minka heißt\n  2: merk dir") and lists[2] == lists[1]


@pytest.mark.parametrize("early", [["yes"], ["yes", "What opens with 7720?"], ["no", "yes"], ["1"]])
def test_what_was_written_before_the_list_neither_answers_nor_ends_it(tmp_path: Path, early: list[str]) -> None:
    with world(tmp_path, offline) as it:
        for text in (f"{SECRET}.", f"{TWIN}."):
            it.say(text)
            it.run()
        for text in (f"forget that {SECRET}", *early):
            it.say(text)
        it.run()
        assert not it.session.leaving and said(it.where)[-1].startswith(f"(1: {SECRET}")
        it.say("yes")
        it.run()
        assert it.session.leaving and said(it.where)[-1].startswith("(removing ")


@pytest.mark.night
def test_what_is_said_while_a_list_waits_reads_little_of_a_large_room(tmp_path: Path) -> None:
    with world(tmp_path, offline) as it:
        earlier = rooms.line_of("AGENT", short(it.session.id), times.now(), "one of very many") * 60_000
        rooms.append(it.where.room("dev"), earlier)
        for text in (f"{SECRET}.", f"forget that {SECRET}"):
            it.say(text)
            it.run()
        before = bytes_read()
        it.say("no")
        it.run()
        assert bytes_read() - before < len(earlier) // 4
        assert it.where.room("dev").read_bytes().endswith(b"(nothing was deleted)\n")


def test_a_waiting_request_is_answered_once_and_the_message_above_it_too(tmp_path: Path) -> None:
    with world(tmp_path, offline) as it:
        it.say(f"{SECRET}.")
        it.run()
        before = len(said(it.where))
        for text in ("hello my friend", f"forget that {SECRET}", "/forget Lena"):
            it.say(text)
        it.run()
        told = said(it.where)[before:]
        assert sum("Answer yes to remove" in one for one in told) == 2  # again, below the greeting
        assert sum("no sentence matches" in one for one in told) == 1
        rest = [one for one in told if not one.startswith("(")]
        assert rest == ["Hello, ana!"]


@pytest.mark.parametrize("reply", ["是的", "हाँ", "Sí!"])
def test_a_yes_in_another_language_shows_the_list_again(tmp_path: Path, reply: str) -> None:
    with world(tmp_path, offline) as it:
        for text in (f"{SECRET}.", f"forget that {SECRET}", reply):
            it.say(text)
            it.run()
        assert not it.session.leaving and said(it.where)[-1].startswith(f"(1: {SECRET}")
        it.say("yes")
        it.run()
        assert it.session.leaving


def test_another_request_of_one_word_is_searched(tmp_path: Path) -> None:
    with world(tmp_path, offline) as it:
        for text in (f"{SECRET}.", f"forget that {SECRET}", "/forget Lena"):
            it.say(text)
            it.run()
        assert said(it.where)[-1] == "(no sentence matches)"


def test_what_was_written_after_the_list_ends_it_while_earlier_messages_are_answered(tmp_path: Path) -> None:
    with world(tmp_path, offline) as it:
        it.say(f"{SECRET}.")
        it.run()
        it.say(f"forget that {SECRET}")
        it.say("What opens with 3391?")
        it.on_step = lambda here: here.say("what is the time?") if said(here.where)[-1].startswith("(1: ") else None
        it.run()
        it.on_step = None
        it.say("yes")
        it.run()
        assert not it.session.leaving


def test_a_sentence_with_all_words_of_the_request_is_listed(tmp_path: Path) -> None:
    with world(tmp_path, offline) as it:
        it.say("My locker code at the pool is 4711.")
        it.run()
        it.say("/forget my locker code")
        it.run()
        first, *more = said(it.where)[-1].split("\n")
        assert first == "(1: My locker code at the pool is 4711."
        assert "Answer yes to remove" in more[-1]


@pytest.mark.parametrize(
    "request_", ["/forget delete amber6714", "/forget amber6714", "/forget that the shed takes amber6714"]
)
def test_the_request_goes_with_what_it_names(tmp_path: Path, request_: str) -> None:
    with world(tmp_path, offline) as it:
        for text in ("The shed takes amber6714.", "Bo used amber6714 on Monday.", request_, "yes"):
            it.say(text)
            it.run()
        where = it.where
    with world(tmp_path, offline) as it:
        it.run()
    assert "permanently deleted" in said(where)[-1]
    assert "amber6714" not in where.room("dev").read_text()


def test_the_result_names_a_file_of_dotagent_that_keeps_the_word(tmp_path: Path) -> None:
    with world(tmp_path, offline) as it:
        for text in ("Bring the oil.\n\nthanks", '/forget "thanks"', "yes"):
            it.say(text)
            it.run()
        where = it.where
    with world(tmp_path, offline) as it:
        it.run()
    assert "SUMMARISE.md also contains such words and stays unchanged" in said(where)[-1]


def test_the_owner_is_told_once_that_a_deleted_text_is_there_again(tmp_path: Path) -> None:
    with world(tmp_path, offline) as it:
        it.say(f"{SECRET}.")
        it.run()
        where = it.where
    forget(where, f"that {SECRET}")
    with world(tmp_path, offline) as it:
        for text in (f"{TWIN}.", f"By the way, {SECRET[0].lower()}{SECRET[1:]}!", f"{SECRET}."):
            it.say(text)
            it.run()
        lines = [line for line in said(it.where) if line == returns.AGAIN]
        assert len(lines) == 1 and SECRET in it.where.room("dev").read_text()


def test_what_is_said_in_a_group_is_for_the_agent(tmp_path: Path) -> None:
    with world(tmp_path, offline, "--audience", "group", "--room", "all") as it:
        it.say(f"{SECRET}.", room="all")
        it.say("/forget my locker", room="all")
        it.run()
        assert not (it.session.path / "run" / "forget").exists()


@pytest.mark.night
def test_after_a_yes_it_is_gone_and_the_agents_go_on_in_their_processes() -> None:
    """Two real agents: the one that is asked, and one that only has its home in common with it."""
    with a_home() as where:
        one, other = Alive(where), Alive(where, "--room", "work")
        say(where, f"remember that {SECRET}")
        hears(where, "Noted")
        say(where, f"{TWIN}.")
        say(where, f"{SECRET}.", room="work")
        say(where, f"forget that {SECRET}")
        hears(where, "Answer yes to remove this permanently")
        assert len(traces(where.root, SECRET)) > 5
        say(where, "yes")
        told = hears(where, "permanently deleted; ")
        (done,) = ledger.read(where.root)
        assert f"{len(done.blobs)} blobs and {done.changed} other files changed" in told and done.changed > 2
        assert not traces(where.root, SECRET)
        assert traces(where.root, TWIN)
        say(where, "Which locker opens with 7720?")
        hears(where, "pool")
        assert one.process.poll() is None and other.process.poll() is None
        told = run(where, "-m", "dotagent", "doctor", "--deep", "--json").stdout
        assert not [line for line in told.split("\n")[:-1] if json.loads(line)["level"] == "damage"]
        one.end()
        other.end()
        assert not traces(where.root, SECRET)
