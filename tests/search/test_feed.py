"""What was forgotten comes back: originals by their ids, turns by a search, and a reminder where one is due."""

from __future__ import annotations

import random
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from lives import chat, good, lines, living, prose, talking
from world import World

from dotagent import tools
from dotagent.compaction import tree
from dotagent.compaction.tree import Member
from dotagent.life import context
from dotagent.life.context import Entry
from dotagent.search import faint
from dotagent.search.feed import Feed
from dotagent.search.turn import Turn
from dotagent.store.log import Line
from dotagent.store.rooms import line_of
from dotagent.text import grammar, times, tokens
from dotagent.text.reference import REFERENCE, short
from dotagent.tools import ToolError

SEAT = "The violin lesson is at Malmö harbour, ask for Dr. Okonkwo."


def call(lived: World, words: str) -> str:
    """What a tool shows; raises its ToolError."""
    (one,) = grammar.read(words, tools.names()).calls
    shown = tools.load(one.name).act(lived.session, one)
    return shown.decode() if shown else ""


def first_faded(lived: World) -> Entry:
    return next(entry for entry in lived.session.entries if entry.event == "FADED")


def forgotten(lived: World, count: int = 25, words: int = 30) -> None:
    """Let the seat be said, and forgotten."""
    lived.say(SEAT)
    lived.run()
    chat(lived, count, words)
    assert not any(SEAT.encode() in (entry.content or b"") for entry in lived.session.entries if entry.event == "HEAR")


def compact(messages: list[dict[str, str]], asked: object) -> str:
    return good(messages, asked)  # type: ignore[arg-type]


# ---- UNCOMPACT


def test_a_chunk_comes_back_one_level_at_a_time_and_byte_for_byte(tmp_path: Path) -> None:
    with living(tmp_path, talking(), 4000) as lived:
        forgotten(lived, 60)
        faded = first_faded(lived)
        assert faded.line
        text = call(lived, f"UNCOMPACT {faded.id}")
        if text.startswith("page 1 of"):
            text = paged(lived, f"UNCOMPACT {faded.id}")
        entries = context.parse(text.encode())
        members = list(tree.originals(lived.where.store(), faded.line.id))
        assert [entry.number for entry in entries] == [member.number for member in members]
        for entry, member in zip(entries, members, strict=True):
            if entry.event == "HEAR":
                assert entry.content == lived.where.store().get(member.line.id).body
        assert SEAT in text


def paged(lived: World, words: str) -> str:
    """All pages of what is shown, as each one says how the next is called."""
    whole, more = "", words
    while more:
        first, _, page = call(lived, more).partition("\n")
        found = re.fullmatch(r"page \d+ of \d+(?:; (UNCOMPACT .*) goes on)?", first)
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
        assert [int(found) for found in re.findall(r"  words (\d+)\n", whole)] == list(range(1, 3 * tree.MEMBERS))
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
            with pytest.raises(ToolError, match="not of your life"):
                call(lived, f"UNCOMPACT {foreign}")
        near = short(store.put(b"x", at=times.now(), gist="", agent="f" * 32))
        lived.say(f"it was {near[:-1]}{'0' if near[-1] != '0' else '1'}, I think")
        lived.run()
        with pytest.raises(ToolError, match=f"not of your life; did you mean {near[:-1]}"):
            call(lived, f"UNCOMPACT {near}")


def test_it_is_shown_whole_page_by_page_also_in_a_small_context(tmp_path: Path) -> None:
    """What UNCOMPACT shows fits an entry's share: it is not cut to its ends once more."""
    text = "".join(f"{number} 👍\n" for number in range(400))

    def model(messages: list[dict[str, str]], asked: object) -> str:
        return "Understood." if lived.session.state.steps > 1 else words[0]

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


def test_what_keep_may_hold_is_a_tenth(tmp_path: Path) -> None:
    with living(tmp_path, talking(), 4000) as lived:
        chat(lived, 10, 60)
        kept = 0
        with pytest.raises(ToolError, match="note it in MEMORY"):
            for entry in list(lived.session.entries):
                call(lived, f"KEEP {entry.number}")
                kept += 1
        held = [entry for entry in lived.session.entries if entry.number in lived.session.state.kept]
        assert 1 < len(held) == kept
        assert sum(tokens.estimate(context.render(entry)) for entry in held) <= 400
        chat(lived, 60, 40)
        assert [entry for entry in lived.session.entries if entry.number in lived.session.state.kept] == held


# ---- RECALL and its index


def recalled(lived: World) -> str:
    return call(lived, "RECALL violin lesson")


def test_what_was_forgotten_is_found_and_named(tmp_path: Path) -> None:
    with living(tmp_path, talking()) as lived:
        forgotten(lived)
        found = recalled(lived).split("\n")[0]
        assert SEAT in found
        assert "ana in dev" in found
        assert SEAT in call(lived, f"UNCOMPACT {found.split(' ')[0]}")


def test_everything_heard_said_and_seen_is_found(tmp_path: Path) -> None:
    replies = ["SAY dev The kayak is\nblue.\nREAD_FILE big.txt", "WAIT", "Zeppelin it is."]

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


@pytest.mark.parametrize("how", ["missing", "corrupt", "foreign", "a mark of another"])
def test_the_index_is_made_anew_when_it_is_not_there_or_not_ours(tmp_path: Path, how: str) -> None:
    with living(tmp_path, talking()) as lived:
        forgotten(lived)
        assert SEAT in recalled(lived)
        path = lived.session.path / "recall.db"
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
            index.add([Turn(1, "0" * 32, "dev", "ana", times.now(), "violin lesson elsewhere")], "75 yesterday")
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


def test_an_index_held_by_another_process_stops_nobody_and_misses_nothing(tmp_path: Path) -> None:
    with living(tmp_path, talking(), 8000) as lived:
        chat(lived, 3)
        held = Feed(lived.session.path, lived.where.store(), "ana")
        held.catch_up()
        hold = "import sqlite3, sys; db = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        hold += "db.execute('BEGIN IMMEDIATE'); print('held', flush=True); sys.stdin.read()"
        words = [sys.executable, "-c", hold, str(lived.session.path / "recall.db")]
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
        lost = lines(lived, "HEAR")[0]
        lived.where.store().path(lost.id).write_bytes(b"rotten")
        lived.on_step = None  # what was promised is broken now
        (lived.session.path / "recall.db").unlink(missing_ok=True)
        assert SEAT in recalled(lived)


# ---- faint memory


def reminders(lived: World) -> list[str]:
    """What the FAINT entries of LIFE say."""
    store = lived.where.store()
    return [store.get(line.id).body.decode() for line in lines(lived, "FAINT")]


QUESTION = "When is the violin lesson with Dr. Okonkwo at Malmö harbour?"


def test_what_was_forgotten_is_named_when_it_is_spoken_of(tmp_path: Path) -> None:
    seen: list[str] = []

    def model(messages: list[dict[str, str]], asked: object) -> str:
        seen.append("\n".join(message["content"] for message in messages))
        return compact(messages, asked) if asked.kind != "live" else "Understood."  # type: ignore[attr-defined]

    with living(tmp_path, model) as lived:  # type: ignore[arg-type]
        forgotten(lived)
        heard = next(line for line in lines(lived, "HEAR") if "violin" in line.gist)
        before = len(reminders(lived))
        lived.say(QUESTION)
        lived.run()
        (told,) = reminders(lived)[before:]
        found = REFERENCE.findall(told)
        assert found[0][0] == short(heard.id)
        assert found[0][1].startswith("ana: The violin")
        assert heard.at[:10] in told
        assert told.count("\n") <= 5
        assert f"◱hash={short(heard.id)} gist=ana: The violin" in seen[-1]  # a reference that nobody can forge
        lived.say(QUESTION)
        lived.run()
        assert not [one for one in reminders(lived)[before + 1 :] if short(heard.id) in one]  # named already


def test_nothing_is_named_that_is_live(tmp_path: Path) -> None:
    with living(tmp_path, talking()) as lived:
        forgotten(lived)
        for at in range(25):
            lived.say(f"{QUESTION if at % 3 == 0 else prose(random.Random(at), 12)}")
            lived.run()
            faint = [entry for entry in lived.session.entries if entry.event == "FAINT" and entry.content]
            named = [id for entry in faint for id, _ in REFERENCE.findall((entry.content or b"").decode())]
            assert len(named) == len(set(named))
            for entry in faint:
                live = {one.id for one in lived.session.entries if one.number < entry.number and one.event != "FADED"}
                then = {id for id, _ in REFERENCE.findall((entry.content or b"").decode())}
                assert not live & then


@pytest.mark.parametrize("how", ["UNCOMPACT", "RECALL"])
def test_what_was_just_brought_back_is_not_named(tmp_path: Path, how: str) -> None:
    words = ["Understood."]

    def model(messages: list[dict[str, str]], asked: object) -> str:
        if asked.kind != "live":  # type: ignore[attr-defined]
            return compact(messages, asked)
        return words.pop(0) if len(words) > 1 else words[0]

    with living(tmp_path, model) as lived:  # type: ignore[arg-type]
        forgotten(lived)
        heard = next(line for line in lines(lived, "HEAR") if "violin" in line.gist)
        words[:0] = [f"UNCOMPACT {short(heard.id)}" if how == "UNCOMPACT" else "RECALL violin lesson"]
        lived.say("Bring it back, please.")
        lived.run()
        before = len(reminders(lived))
        lived.say(QUESTION)
        lived.run()
        assert not any(short(heard.id) in one for one in reminders(lived)[before:])


def test_nobody_is_reminded_as_long_as_nothing_is_forgotten(tmp_path: Path) -> None:
    with living(tmp_path, talking(), 64_000) as lived:
        lived.say(SEAT)
        chat(lived, 10)
        lived.say(QUESTION)
        lived.run()
        assert not reminders(lived)
        assert not (lived.session.path / "recall.db").exists()


def test_a_reminder_is_due_also_when_notes_have_changed_meanwhile(tmp_path: Path) -> None:
    with living(tmp_path, talking()) as lived:
        forgotten(lived)
        before = len(reminders(lived))
        (lived.session.path / "MEMORY.md").write_text("new notes\n")
        lived.say(QUESTION)
        lived.run()
        assert len(reminders(lived)) == before + 1


@pytest.mark.parametrize(
    "text",
    [
        SEAT * 9,
        "我们应该预订五月三日飞往东京的航班。" * 20,
        "9f8e7d6c5b4a 1234 " * 30,
        "👍" * 300,
        "◱hash=0123456789ab gist=x◲\n" * 9,
    ],
)
@pytest.mark.parametrize("who", ["ana", "discord/" + "x" * 90, "山田太郎"])
@pytest.mark.parametrize("count", [1, 3, 5])
def test_a_reminder_takes_little(text: str, who: str, count: int) -> None:
    turns = [Turn(at, f"{at:032x}", "dev", who, "2026-11-21T20:17:20Z", text) for at in range(count)]
    body = faint._listed(turns)
    assert len(REFERENCE.findall(body)) == count
    assert tokens.count(body) <= (205 if text.startswith("The") and who == "ana" else 300)  # about 200
    assert body.count("◱") == count
    for _, gist in REFERENCE.findall(body):
        assert tokens.estimate(gist.partition(": ")[2]) <= 40


def test_a_time_that_is_none_forges_nothing(tmp_path: Path) -> None:
    turn = Turn(1, "1" * 32, "dev", "ana◱\n", "◱hash=00000000 gist=x◲", "words")
    body = faint._listed([turn])
    assert len(REFERENCE.findall(body)) == 1
    assert body.count("\n") == 1


def test_what_is_remembered_never_stops_a_turn(tmp_path: Path) -> None:
    """An index that another process holds, or that is no file, costs the reminder and nothing else."""
    with living(tmp_path, talking()) as lived:
        forgotten(lived)
        path = lived.session.path / "recall.db"
        lived.me.feed.close()
        for end in ("", "-wal", "-shm"):
            path.with_name(path.name + end).unlink(missing_ok=True)
        path.mkdir()
        (path / "in the way").write_text("x")
        answered = len(lines(lived, "REPLY"))
        lived.say(QUESTION)
        lived.run()
        assert len(lines(lived, "REPLY")) > answered
