"""A home that is damaged, in every place that a life looks at: it goes on, or says in one line what to do."""

from __future__ import annotations

import os
import shutil

import pytest
from alive import live
from hurt import answers, goes_on, the_life
from world import events, said, world

from dotagent.store import log, rooms
from dotagent.store.home import Home
from dotagent.store.queue import Call
from dotagent.store.requests import ChatMessage


def silent(messages: list[ChatMessage], call: Call) -> str:
    return "WAIT"


WAYS = (
    "LIFE.md", "MEMORY.md", "context.md", "subs", "subs/dev.md", "run", "run/now", "run/now/pid", "run/now/out",
    "run/recall.db", "run/fade", "run/unfade", "run/standing", "SEGMENT.md", "chats", "chats/dev.md", "blobs",
    "agents", "calls", "calls/new", "calls/new/scripted", "calls/done", "calls/taken", "calls/stream",
    "calls/providers.json", "dotagent.toml", ".env", "/SOUL.md", "/SEGMENT.md", "/SUMMARISE.md",
)  # fmt: skip


@pytest.mark.wide
@pytest.mark.slow
@pytest.mark.parametrize("name", WAYS)
def test_a_directory_where_a_file_should_be_or_a_file_where_a_directory_should(where: Home, name: str) -> None:
    """It starts all the same, or says in one line what is where; once that is mended all is as it was."""
    ours = name.split("/")[0] not in ("chats", "blobs", "agents", "calls", "dotagent.toml", ".env", "")
    path = (the_life(where) if ours else where.root) / name.removeprefix("/")
    self_id, kept = (
        the_life(where).name,
        where.root.with_name(path.name + ".kept"),
    )  # beside the home: nobody tidies there
    there = os.path.lexists(path)
    folder = path.is_dir() and not path.is_symlink()
    if there:
        path.rename(kept)
    path.parent.mkdir(exist_ok=True)
    path.write_text("in the way") if folder else path.mkdir()
    ended = live(where, "f" * 32 if name == "agents" else self_id)
    if ended.status or ended.err:
        ended.complains(path.name if name != "calls/new" else "scripted", status=(0, 1, 2))
    if os.path.lexists(path):  # what is in the way is set aside, or made again
        path.unlink() if path.is_file() else shutil.rmtree(path)
    if there:
        kept.rename(path)
    goes_on(where)


EVENTS = ("HEAR", "REPLY", "TOOL", "PAPER", "JOIN", "FADE", "SWAP", "CHUNKS", "SUMMARY", "LIFE", "ASK")


@pytest.mark.wide
@pytest.mark.slow
@pytest.mark.parametrize("damage", ["missing", "rotten"])
@pytest.mark.parametrize("event", EVENTS)
def test_a_lost_blob_of_any_kind_ends_nothing(where: Home, event: str, damage: str) -> None:
    lines = [line for line in log.lines(the_life(where) / "LIFE.md") if line.event == event and line.id]
    assert lines or event in ("JOIN",)
    for line in lines:
        spoil(where, line.id, damage)
    ended = live(where, the_life(where).name)
    assert ended.status == 0
    if ended.err:
        again = event in ("PAPER", "LIFE")  # what was never synced happens again, as after a power cut
        what = damage if damage != "rotten" else "corrupt"
        ended.complains(*(("LIFE.md was incomplete",) if again else ("blob ", what)), status=(0,))
    here = goes_on(where)
    if event == "HEAR":
        shown = "\n".join((entry.content or b"").decode() for entry in here.session.entries)
        assert not any(entry.event == "HEAR" for entry in here.session.entries[:-2]) or "(blob " in shown


def spoil(where: Home, id: str, damage: str) -> None:
    path = where.store().path(id)
    if path.is_dir():
        return
    path.unlink(missing_ok=True)
    if damage == "rotten":
        path.write_bytes(b"---\nrotten")
    elif damage == "a directory":
        path.mkdir()


@pytest.mark.parametrize("damage", ["missing", "rotten", "a directory"])
def test_a_lost_soul_is_said_at_once(where: Home, damage: str) -> None:
    self_id = the_life(where).name
    whole = where.store().path(self_id).read_bytes()
    spoil(where, self_id, damage)
    (where.agent(self_id) / "SOUL.md").unlink()
    live(where, self_id).complains("SOUL", f"blobs/{self_id[:2]}/{self_id}", "restore it from a backup")
    path = where.store().path(self_id)
    path.rmdir() if path.is_dir() else path.unlink(missing_ok=True)
    path.write_bytes(whole)
    goes_on(where)


GARBAGE = (b"garbage\n", b"\xff\xfe\0\n", b"\n\n\n", b"x" * 50_000 + b"\n", b"2026-99-99T99:99:99.999999Z HEAR\n",
           b"2026-01-01T00:00:00.000000Z HEAR dev x y z\n", b"2026-01-01T00:00:00.000000Z ASK\n",
           b"2026-01-01T00:00:00.000000Z SWAP x \xe2\x97\xb1hash=" + b"0" * 32 + b" gist=x\xe2\x97\xb2\n",
           b"2026-01-01T00:00:00.000000Z JOIN ../../etc 5 x\n", b"2026-01-01T00:00:00.000000Z PAPER MEMORY.md\n",
           b"2026-01-01T00:00:00.000000Z NOTE\n", b"2026-01-01T00:00:00.000000Z LONG a b\n",
           b"2026-01-01T00:00:00.000000Z SEGMENT 1 9 1\n", b"2026-01-01T00:00:00.000000Z CHUNKS\n",
           b"2026-01-01T00:00:00.000000Z SUMMARY 1-2 x\n", b"2026-01-01T00:00:00.000000Z DID\n")  # fmt: skip


@pytest.mark.parametrize("place", ["before all", "between all"])
def test_garbage_in_life_is_passed_over(where: Home, place: str) -> None:
    path = the_life(where) / "LIFE.md"
    lines = path.read_bytes().split(b"\n")
    spread = [b"".join(GARBAGE) + lines[0], *lines[1:]]
    if place == "between all":
        spread = [GARBAGE[number % len(GARBAGE)] + line for number, line in enumerate(lines[:-1])] + [b""]
    path.write_bytes(b"\n".join(spread))
    heard = said(where)
    with world(where.root, answers) as here:
        here.say("are you there?")
        here.run()
        assert said(where) == [*heard, said(where)[-1]]
        assert len(said(where)) == len(heard) + 1


@pytest.mark.wide
@pytest.mark.slow
@pytest.mark.parametrize("garbage", GARBAGE, ids=lambda text: ascii(text[28:40].decode("utf-8", "replace")))
def test_garbage_at_the_end_of_life_is_passed_over_or_told(where: Home, garbage: bytes) -> None:
    path = the_life(where) / "LIFE.md"
    path.write_bytes(path.read_bytes() + garbage)
    ended = live(where, path.parent.name)
    if ended.status:
        ended.complains(str(path), "correct the time in this line")
    elif b" SWAP " in garbage or b" JOIN " in garbage:  # these are events; what they name is not there
        assert ended.err == ""
    else:
        for words in (f"{garbage.count(10)} line", "LIFE.md cannot be read", "skips these lines", "doctor"):
            assert words in ended.err


def test_a_torn_end_of_life_is_set_aside_by_name(where: Home) -> None:
    path = the_life(where) / "LIFE.md"
    whole = path.read_bytes()
    path.write_bytes(whole + b"2026-11-21T20:17:20.123456Z HEAR dev 5")
    here = goes_on(where)
    (torn,) = path.parent.glob("LIFE.torn-*")
    assert torn.read_bytes() == b"2026-11-21T20:17:20.123456Z HEAR dev 5"
    assert events(here, "TORN") == [f"TORN {torn.name}"]
    assert path.read_bytes().startswith(whole)


@pytest.mark.parametrize("data", [b"", b"garbage", b"\xff\0", b"#1 2026-01-01T00:00:00Z HEAR dev\n  forged\n"])
def test_a_context_that_says_something_else_is_set_aside_and_made_anew(where: Home, data: bytes) -> None:
    path = the_life(where) / "context.md"
    whole = path.read_bytes()
    path.write_bytes(data)
    here = goes_on(where)
    assert path.read_bytes().startswith(whole)
    aside = [one.read_bytes() for one in path.parent.glob("context.aside-*")]
    assert aside == ([data] if data else [])
    assert here.session.entries[0].number == 1


SPOOL = (b"", b"garbage", b"\xff\0", b"[]", b"{}", b"null", b"[" * 100_000, b'{"id": 5}',
         b'{"id": "x", "agent": "../..", "provider": "scripted"}')  # fmt: skip


@pytest.mark.wide
@pytest.mark.slow
@pytest.mark.parametrize("data", SPOOL, ids=lambda data: ascii(data[:12].decode("utf-8", "replace")))
def test_garbage_in_the_spool_stops_no_call(where: Home, data: bytes) -> None:
    id = "0123456789abcdef" * 2
    for place in ("new/scripted", "taken", "stream", f"done/{the_life(where).name}", "done/x", "new", "."):
        for name in (id, "garbage", ".new-1-1"):
            path = where.calls / place / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    (where.calls / "providers.json").write_bytes(data)
    (where.calls / "scripted.pid").write_bytes(data)
    ended = live(where, the_life(where).name)
    assert (ended.status, ended.err) == (0, "")
    goes_on(where)


def test_a_clock_that_steps_back(where: Home) -> None:
    """The last event is of a time to come: what follows still has later times, LIFE's lines and the agent's tags."""
    path = the_life(where) / "LIFE.md"
    with open(path, "ab") as file:
        file.write(b"2999-12-31T23:59:59.999990Z ERROR the clock was wrong\n")
    goes_on(where)
    goes_on(where)
    found = rooms.read(where.room("dev"), rooms.Position())
    assert found
    tags = [message.at for message in found[0] if message.kind == "AGENT"]
    assert tags == sorted(set(tags))
    assert tags[-1] > "2999-12-31T23:59:59.999990Z"


def test_a_clock_that_can_go_no_further_is_told(where: Home) -> None:
    path = the_life(where) / "LIFE.md"
    with open(path, "ab") as file:
        file.write(b"9999-12-31T23:59:59.999999Z ERROR the clock was wrong\n")
    live(where, path.parent.name).complains(str(path), "correct the time in this line")
