"""UNCOMPACT: the original behind an id, page by page, and only of one's own life."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest
from exhibited import png
from hands import Hands, a_life
from lives import prose
from support import make_home

from dotagent.compaction import swap
from dotagent.life.events import Document
from dotagent.store import rooms
from dotagent.text import times, tokens


def keep(hands: Hands, body: str, agent: str = "") -> str:
    return hands.session.store.put(body.encode(), at=times.now(), gist="", agent=agent or hands.session.id)


def test_an_original_comes_back_byte_for_byte(hands: Hands) -> None:
    text = "first\n\n  second ◱hash=12345678 gist=x◲\r\nlast"
    id = keep(hands, text)
    for name in (id, id[:8], id[:12].upper(), f"◱hash={id[:12]} gist=any thing◲", f"{id[:12]} 1", f"{id} page 1"):
        assert hands.shows(f"UNCOMPACT {name}").removeprefix("page 1 of 1\n") == text
    assert hands.shows(f"UNCOMPACT {hands.session.id}").startswith("audience: private ana\n\n# SOUL")


@pytest.mark.parametrize("letter", ["x", "é"])
def test_a_large_one_is_paged_without_losing_a_character(hands: Hands, letter: str) -> None:
    text = "".join(f"{number}{letter * 30}" for number in range(4000))
    id = keep(hands, text)[:12]
    pages: list[str] = []
    while True:
        name = f"{id} {len(pages) + 1}" if pages else id
        first, page = hands.shows(f"UNCOMPACT {name}").split("\n", 1)
        assert tokens.estimate(f"{first}\n{page}") <= hands.session.share
        pages.append(page)
        assert first.startswith(f"page {len(pages)} of ")
        if "shows the next page" not in first:
            break
        assert f"UNCOMPACT {id} {len(pages) + 1} shows the next page" in first
    assert len(pages) > 3
    assert "".join(pages) == text
    hands.fails(f"UNCOMPACT {id} {len(pages) + 1}", f"has {len(pages)} pages")
    hands.fails(f"UNCOMPACT {id} 0", "pages")
    hands.fails(f"UNCOMPACT {id} {'9' * 5000}", "pages")


@pytest.mark.parametrize("name", ["", "x" * 12, "0" * 33, "the seat", "../SOUL.md", "14A", "20:17", "notes/12.md"])
def test_what_is_no_id_is_told(hands: Hands, name: str) -> None:
    hands.fails(f"UNCOMPACT {name}", "8 to 32 hex digits", "RECALL")


def test_words_around_a_name_do_not_matter(hands: Hands) -> None:
    hands.world.say("the seat is 14A")
    hands.world.say("and 3 May")
    hands.world.me.inbox.hear()
    heard = next(entry for entry in hands.session.entries if "14A" in (entry.content or b"").decode())
    n, id = heard.number, heard.id
    for words in (str(n), f"#{n}", f"#{n} please", f"entry {n}", f"entry #{n} (the seat)", f"the summary {n}-{n + 40}",
                  f"#{n}.", f"`#{n}`", f"{id} please", f"the original of {id}.", f"id={id}", f"hash={id}", f"{n} 1",
                  f"◱hash={id} gist=3 May, seats 1-2◲ please", f"◱hash={id} gist=cut off at 7", f"<{id}>",
                  f"#{n} page 1", f"entry {n} from 2026-11-21", f"#{n} dev ana: the seat"):  # fmt: skip
        assert "the seat is 14A" in hands.shows(f"UNCOMPACT {words}"), words
    hands.fails(f"UNCOMPACT #{n} 2", f"{n} has 1 page")
    hands.fails("UNCOMPACT 9999", "there is no entry #9999", "#1 to #")


def test_a_number_names_an_entry_also_after_it_faded(hands: Hands) -> None:
    chance = random.Random(1)
    hands.world.say("the seat is 14A")
    hands.world.run()
    number = next(entry.number for entry in hands.session.entries if "14A" in (entry.content or b"").decode())
    for _ in range(40):
        hands.world.say(prose(chance, 60))
        hands.world.me.inbox.hear()
    while any(entry.number == number and entry.event != "FADED" for entry in hands.session.entries):
        assert swap.force(hands.session, hands.session.tokens - 200)
    faded = next(entry for entry in hands.session.entries if entry.event == "FADED")
    assert faded.number < number
    assert hands.shows(f"UNCOMPACT #{number}").endswith("the seat is 14A\n")
    assert "the seat is 14A" in hands.shows(f"UNCOMPACT {faded.number} full")  # a summary's number: all below it


def test_what_is_not_there_or_not_clear_names_what_is(hands: Hands) -> None:
    hands.fails("UNCOMPACT 0123456789ab", "you have no original entry with the id 0123456789ab")
    hands.world.say("hello there")
    hands.world.me.inbox.hear()
    id = hands.events("HEAR")[-1].id
    wrong = id[:11] + ("0" if id[11] != "0" else "1")
    hands.fails(f"UNCOMPACT {wrong}", f"did you mean {id[:12]}")


def test_what_is_lost_is_named(hands: Hands) -> None:
    hands.world.say("precious")
    hands.world.me.inbox.hear()
    id = hands.events("HEAR")[-1].id
    hands.session.store.path(id).write_bytes(b"rotten")
    hands.fails(f"UNCOMPACT {id}", f"blob {id[:12]} is corrupt")


def test_an_id_of_another_life_is_answered_as_one_that_does_not_exist(hands: Hands) -> None:
    """Also its beginning, a broken one, one that was forgotten, and one that begins as an own one does."""
    store = hands.session.store
    there, broken, gone = (keep(hands, f"a secret {n}", "f" * 32) for n in range(3))
    store.path(broken).write_bytes(b"rotten")
    store.forget(gone, times.now())
    for id in (there, broken, gone):
        for prefix in (id, id[:12], id[:8]):
            unknown = prefix.translate(str.maketrans("0123456789abcdef", "fedcba9876543210"))
            told, same = (hands.fails(f"UNCOMPACT {one}").partition("; did you mean")[0] for one in (prefix, unknown))
            assert told == same.replace(unknown, prefix)
    mine = keep(hands, "mine")
    shutil.copy(store.path(there), store.path(mine[:8] + there[8:]))
    assert hands.shows(f"UNCOMPACT {mine[:8]}") == "mine"


def test_another_lifes_are_out_of_reach(hands: Hands) -> None:
    for agent in ("f" * 32, " "):
        foreign = keep(hands, f"a secret of {agent}", agent)
        assert "secret" not in hands.fails(f"UNCOMPACT {foreign}", "you have no original")


def test_what_a_bridge_brought_into_a_room_comes_back_to_who_is_in_it(hands: Hands) -> None:
    mine, other = keep(hands, "a,b", "room:dev"), keep(hands, "a,b,c", "room:elsewhere")
    assert hands.shows(f"UNCOMPACT {mine[:12]}") == "a,b"
    assert "you have no original" in hands.one(f"UNCOMPACT {other[:12]}")


def test_what_another_life_heard_in_a_room_of_mine_comes_back(hands: Hands) -> None:
    said = rooms.line_of("USER", "ana", "2026-11-21T20:17:20Z", "one\ntwo")
    rooms.append(hands.where.room("dev"), said)
    rooms.append(hands.where.room("dev"), rooms.line_of("USER", "ana", "2026-11-21T20:17:21Z", "three"))
    foreign = keep(hands, said.decode(), "f" * 32)
    assert hands.shows(f"UNCOMPACT {foreign}") == said.decode()
    for never in (said[1:], said[:-1], said + b"x\n"):
        hands.fails(f"UNCOMPACT {keep(hands, never.decode(), 'f' * 32)}", "you have no original")


def test_settings_are_no_lifes_paper(tmp_path: Path) -> None:
    """No life keeps them any more, and one that an earlier version kept comes back to nobody."""
    where = make_home(tmp_path / "home")
    (where.root / "dotagent.toml").write_text('owner = "ana"\n[bridges.telegram]\nfriends = ["@bea"]\n')
    with a_life(tmp_path, "--audience", "group", "--room", "many") as hands:
        assert not [line for line in hands.events("PAPER") if line.detail == "dotagent.toml"]
        body = (where.root / "dotagent.toml").read_bytes()
        line = hands.session.record(Document("dotagent.toml"), body, gist="dotagent.toml")
        assert "@bea" not in hands.fails(f"UNCOMPACT {line.id}", "you have no original")
        assert "@bea" not in hands.fails("READ_FILE ../../dotagent.toml")


def test_a_number_names_an_entry_of_the_context(hands: Hands) -> None:
    hands.world.say("hello there")
    hands.world.me.inbox.hear()
    entry = hands.session.entries[-1]
    for name in (f"{entry.number}", f"#{entry.number}", f"entry {entry.number}", f"0{entry.number}"):
        assert hands.shows(f"UNCOMPACT {name}").endswith("hello there\n")
    hands.fails("UNCOMPACT 412", "there is no entry #412")
    joined = next(one for one in hands.session.entries if one.event == "JOIN")
    hands.fails(f"UNCOMPACT {joined.number}", "there is no entry")


def test_a_picture_comes_back_as_one_and_is_not_copied(hands: Hands) -> None:
    """From what faded too: what is in its place then says what it was and what brings it back."""
    (hands.path / "cat.png").write_bytes(png(300, 400))
    hands.do("READ_FILE cat.png")
    (cat,) = hands.events("TOOL")
    number = hands.session.state.number
    for _ in range(12):
        hands.world.say(prose(random.Random(1), 400))
        hands.world.me.inbox.hear()
    swap.force(hands.session, hands.session.tokens // 3)
    faded = next(entry for entry in hands.session.entries if entry.event == "FADED")
    assert faded.number <= number and not faded.media
    assert hands.session.store.get(cat.id).gist == "cat.png"
    assert f"UNCOMPACT {cat.id[:12]} shows it again" in hands.shows(f"UNCOMPACT {faded.number} full")
    blobs = sum(png(300, 400) in path.read_bytes() for path in hands.where.blobs.rglob("*") if path.is_file())
    for name in (f"#{number}", cat.id[:12]):
        hands.do(f"UNCOMPACT {name}")
        line = hands.events("TOOL")[-1]
        assert (line.id, line.detail) == (cat.id, f"UNCOMPACT ok media={cat.id}:image/png:300x400")
        assert hands.session.entries[-1].media[0].id == cat.id
    assert blobs == 1 == sum(png(300, 400) in one.read_bytes() for one in hands.where.blobs.rglob("*") if one.is_file())


def test_what_a_bridge_brought_is_seen_where_it_was_brought_and_nowhere_else(hands: Hands) -> None:
    store = hands.session.store
    mine, other = (store.put(png(3, 4), at="", gist="cat.png", agent=f"room:{one}") for one in ("dev", "elsewhere"))
    hands.do(f"UNCOMPACT {mine[:12]}")
    assert hands.events("TOOL")[-1].detail == f"UNCOMPACT ok media={mine}:image/png:3x4 by=file"
    hands.fails(f"UNCOMPACT {other[:12]}", "you have no original")
