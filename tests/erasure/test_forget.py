"""Forgetting for good: what tells of it is gone from every byte of the home, what was not meant stays, life goes on."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from support import run
from unforgotten import forget, traces
from world import offline, said, world

from dotagent.compaction import check
from dotagent.erasure import matches, sweep, verification
from dotagent.life import replay
from dotagent.life.compaction_events import Stands
from dotagent.life.event import parse
from dotagent.store import attachments, log
from dotagent.store.blobs import BlobForgotten

SECRET = "My PIN at the savings bank is 4711"
TWINS = ("My PIN at the gym is 1234", "The savings bank opens at nine")


def test_what_tells_of_it_is_gone_from_every_form_and_twins_stay(tmp_path: Path) -> None:
    with world(tmp_path, offline) as it:
        it.say(f"{SECRET}; the dog is called Rex.")
        it.run()
        for twin in TWINS:
            it.say(f"{twin}.")
            it.run()
        it.say(f"remember that {SECRET[0].lower()}{SECRET[1:]}")
        it.run()
        where, me = it.where, it.session.id
    assert len(traces(tmp_path, SECRET)) > 5
    forget(where, "forget that my PIN at the savings bank is 4711")
    assert not traces(tmp_path, SECRET)
    assert not traces(tmp_path, "savings bank is 4711")
    for twin in TWINS:
        assert any(path.startswith("blobs/") for path in traces(tmp_path, twin))
    assert traces(tmp_path, "the dog is called Rex")
    lines = list(log.lines(where.agent(me) / "LIFE.md"))
    assert [line.event for line in lines][-1] == "FORGOT"
    with world(tmp_path, offline) as it:
        assert not check.reach(where.store(), replay.derive(where, me, 64_000)).problems
        it.say("What is my PIN at the gym?")
        it.run()
        it.say("RECALL PIN savings bank")
        it.run()
    assert not traces(tmp_path, SECRET)
    assert "1234" in " ".join(said(where))


def test_what_was_said_noted_and_quoted_is_shown_once_and_its_note_goes_whole(tmp_path: Path) -> None:
    """And what was typed before and after it at a terminal stays."""
    with world(tmp_path, offline) as it:
        for words in (f"remember that {SECRET}", "What is my PIN at the savings bank?"):
            it.say(words)
            it.run()
        where, me = it.where, it.session.id
    (tmp_path / "history").mkdir()
    (tmp_path / "history/ana.txt").write_text(f"hello\nremember that {SECRET}\nwhat is it?\n")
    assert [one.words for one in matches.find(where, f"that {SECRET}")] == [SECRET]
    assert SECRET in (where.agent(me) / "MEMORY.md").read_text()
    forget(where, f"that {SECRET}")
    assert not traces(tmp_path, SECRET)
    assert (where.agent(me) / "MEMORY.md").read_text().strip() == ""
    typed = (tmp_path / "history/ana.txt").read_text().split("\n")
    assert (typed[0], typed[2]) == ("hello", "what is it?")


@pytest.mark.parametrize("asked", ['"(tulip bulbs)"', "(tulip bulbs)"])
def test_a_short_message_that_was_also_noted_and_scheduled_goes_whole(tmp_path: Path, asked: str) -> None:
    with world(tmp_path, offline) as it:
        for words in ("Good day.", "(tulip bulbs)", "remember that (tulip bulbs)", "remind me at 9 to (tulip bulbs)"):
            it.say(words)
            it.run()
        where = it.where
    assert any(path.endswith("/MEMORY.md") for path in traces(tmp_path, "tulip bulbs"))
    forget(where, asked)
    assert not traces(tmp_path, "tulip bulbs")


def test_what_the_last_command_printed_goes_also_where_it_names_a_file(tmp_path: Path) -> None:
    replies = iter(["RUN echo the locker opens with zebra7741; cat no/zebra7741.txt; echo; true", "WAIT"])
    with world(tmp_path, lambda messages, call: next(replies, "WAIT")) as it:
        it.say("what opens the locker?")
        it.run()
        where = it.where
    assert any(path.endswith("run/now/out") for path in traces(tmp_path, "zebra7741"))
    forget(where, '"zebra7741"')
    assert not traces(tmp_path, "zebra7741")


PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def test_what_came_with_a_message_goes_with_it_and_other_pictures_stay(tmp_path: Path) -> None:
    with world(tmp_path, offline) as it:
        store = it.where.store()
        ids = {}
        for name, words in (("passport-scan.png", "Here is my passport."), ("garden.png", "Here is my garden.")):
            line = attachments.keep(store, "dev", name, PNG + name.encode())
            ids[name] = next(path.name for path in it.where.blobs.glob("??/*") if name.encode() in path.read_bytes())
            it.say(f"{words}\n{line}")
            it.run()
        where = it.where
    found = [one.words for one in matches.find(where, "forget that here is my passport")]
    assert any("passport-scan.png" in one and "shows it" in one for one in found), found
    assert not any("garden" in one for one in found)
    sweep.announce(where, found, "ana")
    assert sweep.finish(where)
    assert not traces(tmp_path, "passport-scan") and traces(tmp_path, "garden.png")
    with pytest.raises(BlobForgotten):
        where.store().get(ids["passport-scan.png"])
    assert where.store().get(ids["garden.png"]).body.startswith(PNG)
    with world(tmp_path, offline) as it:
        it.say(f"UNCOMPACT {ids['passport-scan.png'][:12]}")
        it.run()
        assert not check.reach(where.store(), replay.derive(where, it.session.id, 64_000)).problems


def test_a_picture_is_found_by_its_own_name(tmp_path: Path) -> None:
    with world(tmp_path, offline) as it:
        line = attachments.keep(it.where.store(), "dev", "passport-scan.png", PNG)
        it.say(f"Look.\n{line}")
        it.run()
        where = it.where
    forget(where, "forget about passport-scan.png")
    assert not traces(tmp_path, "passport-scan") and PNG not in b"".join(
        path.read_bytes() for path in where.blobs.glob("??/*")
    )
    assert traces(tmp_path, "Look")


def test_a_short_statement_inside_a_sentence_is_shown_as_the_sentence(tmp_path: Path) -> None:
    """Two words are removed only where they are a whole sentence."""
    with world(tmp_path, offline) as it:
        it.say("Zoe lives in Rome and likes tea. She rides.")
        it.run()
        where = it.where
    assert forget(where, '"likes tea"') == ["Zoe lives in Rome and likes tea."]
    assert not traces(tmp_path, "likes tea") and traces(tmp_path, "She rides")


def test_a_title_that_dotagent_gives_to_a_file_is_no_sentence(tmp_path: Path) -> None:
    """Whoever forgot "example.com" deleted the name of EXAMPLE.md, which stayed in LIFE."""
    with world(tmp_path, offline) as it:
        it.say("The recipe is at example.com.")
        it.run()
        where = it.where
    assert not matches.find(where, '"SOUL"')
    assert "EXAMPLE.md" not in forget(where, "example")
    assert "gist=EXAMPLE.md" in (where.agent(it.session.id) / "LIFE.md").read_text()


def test_a_short_sentence_that_is_still_there_is_told(tmp_path: Path) -> None:
    with world(tmp_path, offline) as it:
        it.say("我对花生过敏。停水！")
        it.run()
        where = it.where
    assert "chats/dev.md" in verification.list_left(tmp_path, where.store(), ["停水"])
    assert not verification.list_left(tmp_path, where.store(), ["花生"])  # it is only part of a sentence


def test_a_standing_instruction_loses_its_words_and_its_line_stays_readable(tmp_path: Path) -> None:
    words = "Remember that my flight to Tokyo leaves on 3 May, seat 14A."
    with world(tmp_path, offline) as it:
        it.say(words)
        it.run()
        where, me = it.where, it.session.id
        assert run(where, "-m", "dotagent", "standing", "--add", words).returncode == 0
        it.say("Good day.")
        it.run()
    forget(where, "about Tokyo")
    assert not traces(tmp_path, "flight to Tokyo")
    (line,) = (one for one in log.lines(where.agent(me) / "LIFE.md") if one.event == Stands.WORD)
    event = parse(line)
    assert isinstance(event, Stands) and (event.number, event.who) == (1, "ana"), line
