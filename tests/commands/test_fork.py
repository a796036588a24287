"""A fork is the other agent up to a moment, by reference; then both go on apart, and nothing is done twice."""

from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path

import pytest
from clocked import START, handed, hours, look, write
from forked import fork, life, prompted, view
from hypothesis import given, settings
from hypothesis import strategies as st
from lives import chat, good, lines, living, setting, talking
from looking import LIMIT, SEAT, printed, rows
from support import run
from world import events, said, world

import agent
from dotagent.compaction.check import reach
from dotagent.doctor.lives import life as checked
from dotagent.errors import Misuse, Trouble
from dotagent.life.replay import derive, soul, standing
from dotagent.store import home, lives, log, notes, rooms
from dotagent.store.queue import Call
from dotagent.store.requests import ChatMessage
from dotagent.text import times


def resumed(path: Path, self_id: str, answer: str = "Understood.") -> object:
    """The fork, taken up by its id."""
    return world(path, talking(good, answer), self_id, fresh=True)


def size(root: Path) -> int:
    """The bytes of all files below a folder."""
    return sum(path.lstat().st_size for path in root.rglob("*"))


# --- the same memory


@pytest.mark.night
def test_a_fork_at_any_event_has_the_prompt_of_that_moment(tmp_path: Path) -> None:
    with living(tmp_path, talking(), LIMIT) as lived:
        lived.say(SEAT)
        chat(lived, 30)
        where, old, there = lived.where, lived.session.id, lines(lived, *FORKED)
        assert any(line.event == "SWAP" for line in there)

        @settings(max_examples=20, deadline=None)
        @given(st.integers(0, len(there) - 1), st.booleans())
        def forked(at: int, again: bool) -> None:
            line = there[at]
            new = fork(where, old, "--at", line.at)
            new = fork(where, new) if again else new
            assert prompted(where, new) == prompted(where, old, line.end)
            assert view(where, new).entries == view(where, old, line.end).entries
            assert standing(where, new).heard == view(where, new).state.heard
            assert not reach(where.store(), view(where, new)).problems
            shutil.rmtree(where.agent(new))

        forked()


FORKED = ("JOIN", "HEAR", "ASK", "REPLY", "EFFECT", "DID", "SEGMENT", "CHUNKS", "SUMMARISE", "SUMMARY", "SWAP")


@pytest.mark.night
def test_a_fork_goes_on_fades_and_brings_back_what_faded_before(tmp_path: Path) -> None:
    with living(tmp_path, talking(), LIMIT) as lived:
        lived.say(SEAT)
        chat(lived, 25)
        where, old = lived.where, lived.session.id
        before = life(where, old).read_bytes()
        new = fork(where, old)
        faded = [printed(where, "forgotten", one[:12], "--json") for one in (old, new)]
        lived.say("The ferry to Kiel leaves at nine.")
        lived.run()
    heard = next(line for line in log.lines(life(where, old)) if line.event == "HEAR")
    assert rows(faded[0]) == rows(faded[1]) != []
    assert printed(where, "forgotten", new[:12], heard.id[:12]) == printed(where, "forgotten", old[:12], heard.id[:12])
    assert heard.id[:12] in printed(where, "recall", new[:12], "violin lesson Malmö")
    assert "no match" in printed(where, "recall", new[:12], "ferry to Kiel")
    room = lives.subscribed(where.agent(new))[0]
    asked = iter([f"UNCOMPACT {heard.id[:12]}", "RECALL violin lesson Malmö"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DOTAGENT_CONTEXT_LIMIT", str(setting(LIMIT)))
        model = talking(good)

        def brings(messages: list[ChatMessage], call: Call) -> str | None:
            return next(asked, "Understood.") if call.kind == "live" else model(messages, call)

        with world(tmp_path, brings, new, fresh=True) as here:
            here.say("where is the lesson?", room=room)
            here.run()
            assert [line.detail for line in lines(here, "TOOL")] == ["UNCOMPACT ok", "RECALL ok"]
            results = [where.store().get(line.id).body.decode() for line in lines(here, "TOOL")]
            assert all(SEAT in one for one in results)
            number = here.session.state.number
            for text in ("and the bread?", "and the oven?", *["more " * 80] * 8):
                here.say(text, room=room)
                here.run()
            assert lines(here, "SWAP") and here.session.state.number > number
            assert not reach(where.store(), view(where, new)).problems
            assert view(where, new).state == here.session.state
        assert not [one for one in checked(where, new, True) if one.level == "damage"]
    assert life(where, old).read_bytes()[: len(before)] == before


def test_a_fork_is_made_of_a_name_a_number_an_id_and_a_time(tmp_path: Path) -> None:
    with living(tmp_path, talking(), 64_000) as lived:
        chat(lived, 4)
        where, old = lived.where, lived.session.id
        third = lines(lived, "HEAR")[2]
        entry = next(one for one in lived.session.entries if one.line.id == third.id)
        ways = (f"#{entry.number}", third.id[:12], third.at, times.format_stamp(third.at, 26).replace("T", " "))
        ends = {at: view(where, fork(where, old, "--at", at)).entries[-1].line.at for at in ways}
        assert ends == dict.fromkeys(ways, third.at)
        newest = lived.session.entries[-1].line.at
        assert view(where, fork(where, old, "--at", newest[:10] + "Z")).entries[-1].line.at == newest
        for wrong in ("yesterday", "#999", "2026-02-30", "2001-01-01", "ab" * 16):
            with pytest.raises((Misuse, Trouble)):
                fork(where, old, "--at", wrong)


def test_a_fork_costs_a_few_files_however_long_the_life_is(tmp_path: Path) -> None:
    with living(tmp_path, talking(), 64_000) as lived:
        chat(lived, 10)
        before = size(tmp_path)
        new = fork(lived.where, lived.session.id)
        made = size(tmp_path) - before
        chat(lived, 40)
        before = size(tmp_path)
        fork(lived.where, lived.session.id)
        assert abs(size(tmp_path) - before - made) < 1000 and made < 60_000
        assert [line.event for line in log.lines(life(lived.where, new))] == ["BOOT"]


def test_a_fork_has_the_documents_of_that_moment(tmp_path: Path) -> None:
    with living(tmp_path, talking(), 64_000) as lived:
        folder = lived.session.path
        (folder / "MEMORY.md").write_text("The cat is called Miso.\n")
        (folder / "SOUL.md").write_text("You are brief.\n")
        (folder / "HEARTBEAT.md").write_text("- look at the mail\n")
        chat(lived, 2)
        then = lines(lived, "HEAR")[-1].at
        (folder / "MEMORY.md").write_text("The cat is called Tofu.\n")
        chat(lived, 1)
        where, old = lived.where, lived.session.id
        past, now = (where.agent(fork(where, old, *words)) for words in (("--at", then), ()))
        assert (past / "MEMORY.md").read_text() == "The cat is called Miso.\n"
        assert (now / "MEMORY.md").read_text() == "The cat is called Tofu.\n"
        assert (now / "SOUL.md").read_text() == "You are brief.\n"
        assert "mail" not in (now / "HEARTBEAT.md").read_text()


def test_a_fork_has_the_notes_of_that_moment(tmp_path: Path) -> None:
    with living(tmp_path, talking(), 64_000) as lived:
        memory = lived.session.path / "memory"
        notes.append(lived.session.path, "2026-01-02", "Notes", "- the cat is called Miso")
        chat(lived, 1)
        then = lived.session.entries[-1].line.at
        notes.append(lived.session.path, "2026-01-03", "Notes", "- the cat is called Tofu")
        (memory / "older.md").write_text("- the boat is green\n")
        where, old = lived.where, lived.session.id
        past, now = (where.agent(fork(where, old, *words)) / "memory" for words in (("--at", then), ()))
        assert [path.name for path in sorted(past.iterdir())] == ["2026-01-02.md"]
        assert [path.name for path in sorted(now.iterdir())] == ["2026-01-02.md", "2026-01-03.md", "older.md"]
        assert (now / "older.md").read_text() == "- the boat is green\n"


def test_a_fork_brings_back_what_was_brought_into_the_old_room_until_then(tmp_path: Path) -> None:
    with living(tmp_path, talking(), 64_000) as lived:
        chat(lived, 1)
        where, store = lived.where, lived.where.store()
        ids = [store.put(b"a map", at=times.now(), gist="map", agent=f"room:{room}") for room in ("dev", "other")]
        chat(lived, 1)
        new = fork(where, lived.session.id)
        ids.append(store.put(b"a later map", at=times.now(), gist="map", agent="room:dev"))
    room, asked = lives.subscribed(where.agent(new))[0], iter(f"UNCOMPACT {id}" for id in ids)
    with world(tmp_path, lambda messages, call: next(asked, "Understood."), new, fresh=True) as here:
        here.say("show me the maps", room=room)
        here.run()
        assert [line.detail.split()[1] for line in lines(here, "TOOL")] == ["ok", "error", "error"]


# --- nothing twice


def test_what_was_under_way_is_the_other_agents(tmp_path: Path) -> None:
    with living(tmp_path, talking(), 64_000) as lived:
        lived.say("hello")
        for _ in range(100):
            if lines(lived, "ASK"):
                break
            agent.step(lived.me)
        where, old = lived.where, lived.session.id
        asked = fork(where, old)
        lived.run()
        effects = [fork(where, old, "--at", line.at) for line in lines(lived, "REPLY", "EFFECT")]
        answered = said(where)
    for new in (asked, *effects):
        with resumed(tmp_path, new) as here:
            here.run()
            assert not {"ASK", "EFFECT", "REPLY"} & {line.split(" ")[0] for line in events(here)}
            assert here.served == 0
    assert said(where) == answered == ["Understood."]
    room = lives.subscribed(where.agent(asked))[0]
    with resumed(tmp_path, asked, "I am the fork.") as here:
        here.say("who are you?", room=room)
        here.run()
    assert (said(where), said(where, room)) == (answered, ["I am the fork."])


def test_a_reminder_rings_once_and_in_the_old_room(tmp_path: Path) -> None:
    with living(tmp_path, talking(), 64_000) as lived:
        chat(lived, 1)
        where, old = lived.where, lived.session.id
        write(where, "tea", 'at = "2026-11-23T09:00"\nzone = "UTC"\nroom = "dev"\ntext = "tea"\n', START - timedelta(1))
        own, same = fork(where, old), fork(where, old, "--room", "dev")
        look(where, hours(1.5))
        assert [len(handed(where, one)) for one in (old, own, same)] == [1, 0, 0]
        assert not list((where.agent(own) / "due").glob("*")) and len(list(where.jobs.glob("*.toml"))) <= 1


def test_a_fork_may_not_do_what_only_the_other_was_allowed(tmp_path: Path) -> None:
    with living(tmp_path, talking(), 64_000) as lived:
        chat(lived, 1)
        state = view(lived.where, fork(lived.where, lived.session.id)).state
        assert (state.heard.always, state.heard.questions, state.heard.spawned, dict(state.heard.rooms)) == (
            (),
            {},
            {},
            {},
        )
        assert state.heard.origins == lived.session.state.heard.origins
        assert state.used.tokens == 0


# --- the same audience


@pytest.mark.parametrize("audience", ["private", "private bob", "group"])
def test_a_fork_has_the_audience_of_the_other(tmp_path: Path, audience: str) -> None:
    room = "here"
    with world(tmp_path, talking(), "--audience", audience, "--room", room, fresh=True) as lived:
        lived.say("hello", room=room)
        lived.run()
        where, old = lived.where, lived.session.id
    owner = home.owner(home.settings(where))
    mine = soul(where.store(), old)[0]
    new = fork(where, old)
    there = lives.subscribed(where.agent(new))
    assert soul(where.store(), new)[0] == mine == rooms.audience(where.room(there[0]), owner)
    for name, other in (("a", "private"), ("b", "private bob"), ("c", "group")):
        rooms.create(where.room(name), other)
        if (f"private {owner}" if other == "private" else other) != mine:
            with pytest.raises(Misuse, match="choose another room"):
                fork(where, old, "--room", name)
    assert len(home.lives(where)) == 2


def test_a_birth_that_names_a_life_of_another_audience_gets_nothing_of_it(tmp_path: Path) -> None:
    with living(tmp_path, talking(), 64_000) as lived:
        chat(lived, 1)
        where, end = lived.where, lines(lived, "HEAR")[-1]
        body = f"audience: group\ncontinues: {lived.session.id} {end.end} {end.at}\n\nYou are nosy.\n"
        forged = where.store().put(body.encode(), at=times.now(), gist="")
        rooms.create(where.room("all"), "group")
        lives.furnish(where, forged, where.room("all"), "group", "You are nosy.\n")
        with pytest.raises(Trouble, match="differs; remove the directory"):
            derive(where, forged, 64_000)


def test_a_helper_is_not_forked(tmp_path: Path) -> None:
    asked = iter(["SPAWN count\nSAY dev asked", "WAIT"])
    with world(tmp_path, lambda messages, call: next(asked, "done")) as lived:
        lived.say("begin")
        for _ in range(200):
            if lines(lived, "SPAWNED"):
                break
            agent.step(lived.me) or lived.serve()
        helper = lines(lived, "SPAWNED")[0].detail.split(" ")[0]
        with pytest.raises(Misuse, match="is a helper"):
            fork(lived.where, helper)


# --- what is forgotten and what is lost


@pytest.mark.slow
@pytest.mark.parametrize("faded", [False, True])
def test_what_is_forgotten_for_good_is_gone_from_both(tmp_path: Path, faded: bool) -> None:
    with living(tmp_path, talking(), LIMIT if faded else 64_000) as lived:
        lived.say("My locker code is Zanzibar 7741.")
        chat(lived, 25 if faded else 3)
        where, old = lived.where, lived.session.id
        new, numbers = fork(where, old), [one.number for one in lived.session.entries]
    room = lives.subscribed(where.agent(new))[0]
    with resumed(tmp_path, new) as here:
        here.say("My bicycle code is Quito 9926.", room=room)
        here.run()
    for words, other in (("Zanzibar 7741", new), ("Quito 9926", old)):
        printed(where, "forget", f'"{words}"', "--yes")
        left = [path for path in tmp_path.rglob("*") if path.is_file() and words.encode() in path.read_bytes()]
        assert not left
        assert words not in prompted(where, other)
        assert "no match" in printed(where, "recall", new[:12], words)
    assert [one.number for one in view(where, new).entries][: len(numbers)] == numbers
    with resumed(tmp_path, new) as here:
        here.say("hello again", room=room)
        here.run()
        assert said(where, room)[-1] == "Understood."
    assert not [one for one in checked(where, new, True) if one.level == "damage"]


def test_a_fork_whose_other_life_is_gone_says_so_in_one_line(tmp_path: Path) -> None:
    with living(tmp_path, talking(), 64_000) as lived:
        chat(lived, 1)
        where, old = lived.where, lived.session.id
        new = fork(where, old)
    life(where, old).rename(tmp_path / "elsewhere")
    found = [one for one in checked(where, new, False) if one.level == "damage"]
    assert f"continues the log of agent {old[:12]}, whose LIFE.md is missing" in found[0].what
    done = run(where, "agent.py", new, "--until-idle")
    assert done.returncode == 1 and len(done.stderr.strip().split("\n")) == 1, done.stderr
    (tmp_path / "elsewhere").rename(life(where, old))
    assert not [one for one in checked(where, new, False) if one.level == "damage"]


def test_events_that_a_power_cut_destroyed_are_not_forked(tmp_path: Path) -> None:
    """The other agent removes them at its next start, and would take them from the fork."""
    with world(tmp_path, talking()) as here:
        here.say("My seat is 14A.")
        here.run()
        where, old = here.where, here.session.id
    whole = next(log.backwards(where.agent(old) / "LIFE.md")).at
    opened = log.Log(where.agent(old) / "LIFE.md")
    opened.append("NOTE", "dev told", "0" * 32, "it rains")
    opened.close()
    with pytest.raises(Misuse, match="once to repair its log, then fork it"):
        fork(where, old)
    assert len(home.lives(where)) == 1
    new = fork(where, old, "--at", whole)
    with resumed(tmp_path, old), resumed(tmp_path, new) as there:
        assert "14A" in str(view(where, new).entries) and there.session.id == new
