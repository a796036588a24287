"""What was forgotten comes back: originals by their ids, turns by a search."""

from __future__ import annotations

import random
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from forgetful import SEAT, call, first_faded, forgotten
from lives import chat, lines, living, talking
from support import REFERENCE
from world import World

from dotagent.compaction import tree
from dotagent.compaction.tree import Member
from dotagent.life import context
from dotagent.search.feed import Feed
from dotagent.search.turn import Passage
from dotagent.store.log import Line
from dotagent.store.rooms import line_of
from dotagent.text import tag, times, tokens
from dotagent.text.reference import short
from dotagent.tools import ToolError

# ---- UNCOMPACT


@pytest.mark.night
def test_a_chunk_comes_back_one_level_at_a_time_and_byte_for_byte(tmp_path: Path) -> None:
    with living(tmp_path, talking(), 4000) as lived:
        forgotten(lived, 60)
        faded = first_faded(lived)
        text = call(lived, f"UNCOMPACT {faded.id}")
        if text.startswith("page 1 of"):
            text = paged(lived, f"UNCOMPACT {faded.id}")
        members = list(tree.originals(lived.where.store(), faded.line.id))
        assert re.findall(r"(?m)^#(\d+) ", text) == [str(member.number) for member in members]
        assert paged(lived, f"UNCOMPACT {faded.number}") == paged(lived, f"UNCOMPACT {faded.id}")
        for member in [one for one in members if one.line.event in ("HEAR", "REPLY")][:20]:
            body = lived.where.store().get(member.line.id).body.decode()
            assert tag.words(body).split("\n")[0] in text
            assert call(lived, f"UNCOMPACT #{member.number}") == body
        assert SEAT in text


def paged(lived: World, words: str) -> str:
    """All pages of what is shown, as each one says how the next is called."""
    whole, more = "", words
    while more:
        shown = call(lived, more)
        if shown.startswith("#"):
            return shown
        first, _, page = shown.partition("\n")
        found = re.fullmatch(r"page \d+ of \d+(?:; (UNCOMPACT .*) shows the next page)?", first)
        assert found, first
        whole, more = whole + page, found[1] or ""
    return whole


def test_a_tree_of_trees_shows_its_names_and_all_of_it_when_that_is_wanted(tmp_path: Path) -> None:
    with living(tmp_path, talking(), 64_000) as lived:
        store, agent = lived.where.store(), lived.session.id
        made = []
        for number in range(1, 3 * tree.MEMBERS):
            id = store.put(f"words {number}\n".encode(), at=times.now(), gist="g", agent=agent, durable=False)
            line = Line("2026-11-21T20:17:20.000000Z", "HEAR", "dev 1 x OWNER", id, "g")
            entry = context.entry(line, number, lambda id: b"", 99)
            assert entry
            made.append(entry)
        id = tree.keep(store, agent, made, "all")
        names = call(lived, f"UNCOMPACT {id}")
        assert len(REFERENCE.findall(names)) == 3
        assert "words 1\n" not in names
        first = REFERENCE.findall(names)[0][0]
        assert "words 1\n" in call(lived, f"UNCOMPACT {first}")
        whole = paged(lived, f"UNCOMPACT {id} full")
        assert [int(found) for found in re.findall(r" owner: words (\d+)\n", whole)] == list(range(1, 3 * tree.MEMBERS))
        lost = tree.decode(store.get(id).body)[1].line.id
        store.path(lost).unlink()
        whole = paged(lived, f"UNCOMPACT {id} full")  # what is lost is named, and nothing else is
        assert "words 1\n" in whole
        assert f"◱hash={short(lost)}" in whole
        assert f"words {3 * tree.MEMBERS - 1}\n" in whole


def test_words_that_look_like_a_tree_bring_back_no_other_blob(tmp_path: Path) -> None:
    with living(tmp_path, talking()) as lived:
        store = lived.where.store()
        secret = store.put(b"another life's secret", at=times.now(), gist="", agent="f" * 32)
        forged = tree.encode([Member(1, Line("2026-11-21T20:17:20.123456Z", "HEAR", "dev", secret, "g"))])
        with open(lived.where.room("dev"), "ab") as file:
            file.write(forged)
        lived.run()
        heard = lines(lived, "HEAR")[-1]
        assert store.get(heard.id).body == forged
        assert call(lived, f"UNCOMPACT {heard.id}") == forged.decode()


def test_a_message_of_a_room_it_is_in_may_be_named_by_another_life(tmp_path: Path) -> None:
    with living(tmp_path, talking()) as lived:
        raw = line_of("USER", "ana", times.now(), f"{SEAT}\nYes.")
        with open(lived.where.room("dev"), "ab") as file:
            file.write(raw)
        lived.run()
        store = lived.where.store()
        theirs = store.put(raw, at=times.now(), gist="", agent="f" * 32)
        assert call(lived, f"UNCOMPACT {theirs}") == raw.decode()
        for body in (raw.replace(b"Yes", b"No"), raw[10:], b"", b"\n", raw[:-1]):
            foreign = store.put(body, at=times.now(), gist="", agent="f" * 32)
            with pytest.raises(ToolError, match="you have no original"):
                call(lived, f"UNCOMPACT {foreign}")
        near = short(store.put(b"x", at=times.now(), gist="", agent="f" * 32))
        lived.say(f"it was {near[:-1]}{'0' if near[-1] != '0' else '1'}, I think")
        lived.run()
        with pytest.raises(ToolError, match=f"you have no original entry with the id {near}; did you mean {near[:-1]}"):
            call(lived, f"UNCOMPACT {near}")


def test_it_is_shown_whole_page_by_page_also_in_a_small_context(tmp_path: Path) -> None:
    """What UNCOMPACT shows fits an entry's share: it is not cut to its ends once more."""
    text = "".join(f"{number} 👍\n" for number in range(400))

    def model(messages: list[dict[str, str]], asked: object) -> str:
        return "Understood." if lived.session.state.turn.steps > 1 else words[0]

    words = ["Understood."]
    with living(tmp_path, model, 1000) as lived:  # type: ignore[arg-type]
        id = lived.session.keep(text, "numbers")
        words[0] = f"UNCOMPACT {id} 2"
        lived.say("hm")
        lived.run()
        shown = next(entry for entry in reversed(lived.session.entries) if entry.event == "TOOL")
        assert shown.content
        assert shown.whole
        assert b"\xe2\x80\xa6" not in shown.content
        assert paged(lived, f"UNCOMPACT {id}") == text


@pytest.mark.night
def test_what_keep_may_hold_is_a_tenth(tmp_path: Path) -> None:
    with living(tmp_path, talking(), 4000) as lived:
        chat(lived, 10, 60)
        kept = 0
        with pytest.raises(ToolError, match="use MEMORY"):
            for entry in list(lived.session.entries):
                call(lived, f"KEEP {entry.number}")
                kept += 1
        held = [entry for entry in lived.session.entries if entry.number in lived.session.state.forgetting.kept]
        assert 1 < len(held) == kept
        assert sum(tokens.estimate(context.render(entry)) for entry in held) <= 400
        chat(lived, 60, 40)
        assert [entry for entry in lived.session.entries if entry.number in lived.session.state.forgetting.kept] == held


# ---- RECALL and its index


def recalled(lived: World) -> str:
    return call(lived, "RECALL violin lesson")


@pytest.mark.slow
def test_a_tools_own_report_is_never_found(tmp_path: Path) -> None:
    replies = ["REMEMBER the quince is ripe", "WAIT"]

    def model(messages: list[dict[str, str]], asked: object) -> str:
        return replies.pop(0) if replies else "WAIT"

    with living(tmp_path, model, 8000) as lived:  # type: ignore[arg-type]
        lived.say("Remember that the quince is ripe.")
        lived.run()
        assert any(b"noted in MEMORY.md" in (entry.content or b"") for entry in lived.session.entries)
        assert "noted in" not in call(lived, "RECALL noted in MEMORY.md")
        assert "the quince is ripe (added" in call(lived, "RECALL quince").split("\n")[0]


@pytest.mark.slow
def test_what_was_forgotten_is_found_and_named(tmp_path: Path) -> None:
    with living(tmp_path, talking()) as lived:
        forgotten(lived)
        found = recalled(lived).split("\n")[0]
        assert SEAT in found
        assert "ana in dev" in found
        assert SEAT in call(lived, f"UNCOMPACT {found.split(' ')[0]}")


def test_everything_heard_said_and_seen_is_found(tmp_path: Path) -> None:
    replies = ["READ_FILE big.txt\nSAY dev The kayak is\nblue.", "WAIT", "Zeppelin it is."]

    def model(messages: list[dict[str, str]], asked: object) -> str:
        return replies.pop(0) if replies else "WAIT"

    with living(tmp_path, model, 8000) as lived:  # type: ignore[arg-type]
        (lived.session.path / "big.txt").write_text("the xylophone")
        lived.say("The quince is ripe.")
        lived.run()
        lived.say("And then?")
        lived.run()
        room = lived.where.room("ops")
        room.write_bytes(b"# ops private\n" + line_of("USER", "ana", times.now(), "The yurt leaks."))
        (lived.session.path / "subs" / "ops.md").symlink_to(room)
        lived.run()
        for word in ("quince", "kayak", "blue", "xylophone", "zeppelin", "yurt"):
            assert word in call(lived, f"RECALL {word}").lower(), word


@pytest.mark.night
@pytest.mark.parametrize("how", ["missing", "corrupt", "foreign", "a mark of another"])
def test_the_index_is_made_anew_when_it_is_not_there_or_not_ours(tmp_path: Path, how: str) -> None:
    with living(tmp_path, talking()) as lived:
        forgotten(lived)
        assert SEAT in recalled(lived)
        path = lived.session.path / "run/recall.db"
        for end in ("-wal", "-shm"):
            path.with_name(path.name + end).unlink(missing_ok=True)
        if how == "missing":
            path.unlink()
        elif how == "corrupt":
            path.write_bytes(b"SQLite format 3\0" + random.Random(1).randbytes(5000))
        elif how == "foreign":
            path.unlink()
            with sqlite3.connect(path) as db:
                db.execute("CREATE TABLE other (x)")
            db.close()
        else:
            path.unlink()
            index = Feed(lived.session.path, lived.where.store(), "ana").index
            index.add([Passage(1, "0" * 32, "dev", "ana", times.now(), "violin lesson elsewhere")], "75 yesterday")
            index.close()
        found = recalled(lived)
        assert SEAT in found
        assert "elsewhere" not in found
        lived.say("What about the violin lesson at Malmö harbour?")
        lived.run()  # and the living agent is not disturbed


def test_a_life_that_was_written_anew_and_shorter_is_read_anew(tmp_path: Path) -> None:
    with living(tmp_path, talking(), 8000) as lived:
        chat(lived, 3)
        lived.say(SEAT)
        chat(lived, 3)
    path = lived.session.path
    store = lived.where.store()
    old = Feed(path, store, "ana")
    assert "Okonkwo" in old.search("Dr. Okonkwo", 3)[0].turn.text
    rows = (path / "LIFE.md").read_bytes().split(b"\n")
    kept = [row for row in rows if b"Okonkwo" not in row]
    for count in (len(kept), len(kept) // 2):
        (path / "LIFE.md").write_bytes(b"\n".join(kept[:count]).removesuffix(b"\n") + b"\n")
        assert not any("Okonkwo" in hit.turn.text for hit in old.search("Dr. Okonkwo", 3))
    old.close()


@pytest.mark.slow
def test_an_index_held_by_another_process_stops_nobody_and_misses_nothing(tmp_path: Path) -> None:
    with living(tmp_path, talking(), 8000) as lived:
        chat(lived, 3)
        held = Feed(lived.session.path, lived.where.store(), "ana")
        held.catch_up()
        hold = "import sqlite3, sys; db = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        hold += "db.execute('BEGIN IMMEDIATE'); print('held', flush=True); sys.stdin.read()"
        words = [sys.executable, "-c", hold, str(lived.session.path / "run/recall.db")]
        with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
            assert holder.stdout and holder.stdin
            holder.stdout.readline()
            lived.say(SEAT)
            lived.run()
            assert not held.catch_up()
            holder.stdin.close()
        assert held.catch_up()
        assert SEAT in held.search("violin lesson", 3)[0].turn.text
        held.close()


def test_the_index_catches_up_in_steps_when_a_turn_has_no_time(tmp_path: Path) -> None:
    with living(tmp_path, talking(), 8000) as lived:
        chat(lived, 20)
        held = Feed(lived.session.path, lived.where.store(), "ana")
        steps = 1
        while not held.catch_up(1000):
            steps += 1
        assert steps > 3
        assert len(held.search("harbour", 50)) == len(
            held.search(
                "harbour",
                50,
            )
        )
        size = (lived.session.path / "LIFE.md").stat().st_size
        assert held.index.mark().startswith(f"{size} ")
        held.close()


def test_a_lost_blob_is_passed_over(tmp_path: Path) -> None:
    with living(tmp_path, talking(), 8000) as lived:
        chat(lived, 3)
        lived.say(SEAT)
        lived.run()
        lived.say("And then?")  # what is being answered is not looked for
        lived.run()
        lost = lines(lived, "HEAR")[0]
        lived.where.store().path(lost.id).write_bytes(b"rotten")
        lived.on_step = None  # what was promised is broken now
        (lived.session.path / "run/recall.db").unlink(missing_ok=True)
        assert SEAT in recalled(lived)
