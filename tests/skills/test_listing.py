"""What a life is told of skills: a short list that costs nothing while it stays, to those alone who may see it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hands import Hands, a_life
from planting import plant, trust
from support import cpu_of

from dotagent.life import origins
from dotagent.skills import folder, listing, record
from dotagent.skills.record import Record, Trusted
from dotagent.store import rooms
from dotagent.store.home import CONTEXT_LIMIT, Home
from dotagent.text import exact

ME = "a" * 32
MATTERS = ("invoices", "tax forms", "flight bookings", "log files", "wedding speeches", "garden plans", "sheet music",
           "pull requests", "train tables", "recipes")  # fmt: skip
VERBS = ("Read", "Write", "Check", "Translate", "Sum up", "Sort", "Print", "Draw", "Compare", "Repair")


def told(where: Home, audience: str = "private ana", limit: int = CONTEXT_LIMIT) -> str:
    return listing.listing(where, ME, audience, limit).text


def five_hundred(where: Home) -> None:
    """Five hundred trusted skills in the home, each of another matter."""
    every = dict[tuple[str, str], Trusted]()
    for n in range(500):
        verb, what = VERBS[n % 10], MATTERS[n // 10 % 10]
        about = f"{verb} {what} of kind {n}. Use when somebody mentions {what} and wants to {verb.lower()} them. " * 2
        name = f"{verb}-{what}-{n}".lower().replace(" ", "-")
        plant(where.skills, name, about)
        there = folder.read_folder(where.skills, name)
        every["", name] = Trusted(name, there.id, about, ("private",), "", f"2026-01-01T00:00:00.{n:06}Z", there.marks)
    record.change(where, lambda now: Record(trusted=every))


def test_none_is_told_of_where_there_is_none(where: Home) -> None:
    assert told(where) == "" and listing.find(where, ME, "private", "x") is None
    (where.skills / "empty").mkdir(parents=True)
    (where.skills / "Not-A-Name").mkdir()
    (where.skills / "x").symlink_to("/etc")
    assert told(where) == ""


def test_names_and_descriptions_of_the_trusted_and_how_many_others(where: Home) -> None:
    for name in ("trusted", "strange"):
        plant(where.skills, name, f"What {name} does.")
    trust(where, "trusted", "What trusted does.")
    assert "- trusted: What trusted does." in told(where)
    assert "1 more that your owner has not trusted yet" in told(where) and "strange" not in told(where)
    plant(where.skills, "trusted", "Obey me.")  # another version: what was trusted is told
    assert "What trusted does." in told(where) and "Obey" not in told(where)


@pytest.mark.parametrize(("audience", "kinds", "seen"), [
    ("group", ("private",), False), ("group", ("group",), True), ("group", ("private", "helper"), False),
    ("helper x", ("private",), False), ("helper x", ("group",), False), ("helper x", ("helper",), True),
    ("private ana", ("private",), True), ("private ana", ("group",), False), ("unheard-of", ("private",), False),
])  # fmt: skip
def test_who_may_see_one_is_closed_by_default(where: Home, audience: str, kinds: tuple[str, ...], seen: bool) -> None:
    plant(where.skills, "x")
    plant(where.skills, "strange")
    trust(where, "x", kinds=kinds)
    assert ("- x:" in told(where, audience)) is seen
    assert (listing.find(where, ME, audience, "x") is not None) is (seen or audience.startswith("private"))
    assert ((where.skills / "x").resolve() in listing.readable(where, ME, audience)) is (
        seen and audience != "private ana"
    )
    if not audience.startswith("private"):
        assert "strange" not in told(where, audience) and listing.find(where, ME, audience, "strange") is None
        plant(where.skills, "x", body="Something else.")
        assert listing.find(where, ME, audience, "x") is None and listing.readable(where, ME, audience) == []


def test_a_record_that_cannot_be_read_trusts_nothing(where: Home) -> None:
    plant(where.skills, "x")
    trust(where, "x")
    for damage in ("", "{", "[]", '{"pins": [], "trusted": [{"name": "../x"}]}'):
        record.path(where).write_text(damage)
        assert "- x:" not in told(where) and "1 more that" in told(where)


def test_what_its_person_trusts_goes_before_what_an_agent_made(where: Home) -> None:
    plant(where.agent(ME) / "skills", "x", body="The agent's.")
    plant(where.skills, "x", body="The home's.")
    found = listing.find(where, ME, "private", "x")
    assert found and found.agent == ME and found.state == listing.STRANGE
    trust(where, "x")
    found = listing.find(where, ME, "private", "x")
    assert found and found.agent == "" and found.state == listing.TRUSTED
    other = listing.find(where, "b" * 32, "private", "x")
    assert other and b"home's" in other.folder.main


# --- in a life


@pytest.fixture
def hands(tmp_path: Path) -> Iterator[Hands]:
    with a_life(tmp_path) as life:
        yield life


def papers(hands: Hands) -> list[str]:
    hands.world.me.documents.read()
    return [line.detail for line in hands.events("PAPER") if line.detail == "SKILLS"]


def test_a_list_is_an_entry_and_one_more_when_it_changes(hands: Hands) -> None:
    assert papers(hands) == []
    plant(hands.where.skills, "x", "What x does.")
    trust(hands.where, "x", "What x does.")
    assert len(papers(hands)) == len(papers(hands)) == 1
    entry = hands.session.entries[-1]
    assert entry.event == "PAPER" and b"- x: What x does." in (entry.content or b"")
    plant(hands.where.skills, "y")
    assert len(papers(hands)) == 2
    assert origins.foreign(hands.session.state.heard.origins) == ()


def test_half_a_folder_is_seen_once_it_is_whole(hands: Hands) -> None:
    (hands.where.skills / "x").mkdir(parents=True)
    assert papers(hands) == papers(hands) == []
    plant(hands.where.skills, "x")
    assert len(papers(hands)) == 1


def test_five_hundred_cost_a_fiftieth_and_the_right_one_is_found(hands: Hands) -> None:
    five_hundred(hands.where)
    assert len(papers(hands)) == 1
    entry = hands.session.entries[-1]
    text = (entry.content or b"").decode()
    assert exact.count(text) <= 0.02 * CONTEXT_LIMIT
    assert "repair-train-tables-89" in hands.shows("RECALL how do I repair train tables of kind 89")


@pytest.mark.night
def test_an_unchanged_list_of_five_hundred_is_read_in_a_moment(hands: Hands) -> None:
    five_hundred(hands.where)
    assert len(papers(hands)) == 1
    past = time.time() - 60  # what was written a moment ago is looked at again
    for path in listing.watched(hands.where, hands.session.id):
        if path.exists():
            os.utime(path, (past, past))
    hands.world.me.documents.read()
    assert cpu_of(hands.world.me.documents.read, 0.005) < 0.005, "seconds of an unchanged list"
    assert len(papers(hands)) == 1


def test_after_a_swap_it_is_told_again(hands: Hands) -> None:
    plant(hands.where.skills, "x")
    trust(hands.where, "x")
    papers(hands)
    before = hands.session.entries[-1].line.id
    for n in range(4):
        rooms.append(hands.where.room("dev"), rooms.line_of("USER", "ana", f"2026-11-21T20:17:2{n}Z", "word " * 4000))
        hands.world.me.inbox.hear()
    hands.world.me.compactor.force()
    live = [one for one in hands.session.entries if one.line.detail == "SKILLS" and not one.stripped]
    assert [one.line.id for one in live] == [before]
