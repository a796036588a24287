"""What a home may go through: full and read-only disks, things in the way, damage. Each gets one clear line, and what
was written is never lost."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import pairwise
from pathlib import Path

import pytest
from alive import SHM, Alive, Ended, a_home, forked, hears, live, provider_of, say, stop_providers
from support import make_home, until
from world import World, events, said, world

import agent
from dotagent.life import example
from dotagent.life.patience import Patience
from dotagent.store import home, log, process, rooms
from dotagent.store.home import Home
from dotagent.store.queue import Call
from dotagent.store.requests import ChatMessage


def silent(messages: list[ChatMessage], call: Call) -> str:
    return "WAIT"


def answers(messages: list[ChatMessage], call: Call) -> str:
    return f"answer {sum(message['role'] == 'assistant' for message in messages) + 1}"


@pytest.fixture(scope="module")
def lived() -> Iterator[Home]:
    """A home in which an agent has talked, used every kind of blob, and sleeps. Tests work on copies of it."""
    with a_home() as where, pytest.MonkeyPatch.context() as patch:
        patch.setenv("USER", "ana")
        with world(where.root, _busy) as here:
            for text in ("hello", "use your hands", "and forget"):
                here.say(text)
                here.run()
            (here.session.path / "run/fade").touch()
            here.run()
            assert events(here, "SWAP")
        yield where


def _busy(messages: list[ChatMessage], call: Call) -> str:
    if call.kind != "live":
        return "no summary: it is made without a model"
    last = messages[-1]["content"]
    if "use your hands" in last and "TOOL" not in last:
        return "WRITE_FILE MEMORY.md <<END\nana likes tea\nEND\nRUN echo ran; echo " + "some words to forget " * 300
    return answers(messages, call)


@pytest.fixture
def where(lived: Home, tmp_path: Path) -> Home:
    shutil.copytree(lived.root, tmp_path / "home", symlinks=True)
    return Home(tmp_path / "home")


def the_life(where: Home) -> Path:
    return where.agent(home.lives(where)[0])


def goes_on(where: Home, model: Callable[[list[ChatMessage], Call], str | None] = answers) -> World:
    """The life is resumed, hears, answers, and its log is whole."""
    before = (the_life(where) / "LIFE.md").read_bytes()
    before = before[: before.rfind(b"\n") + 1]
    heard = said(where)
    with world(where.root, model) as here:
        here.say("are you there?")
        here.run()
        assert len(said(where)) == len(heard) + 1
        assert said(where)[:-1] == heard
    after = (the_life(where) / "LIFE.md").read_bytes()
    assert after.startswith(before)
    lines = list(log.lines(the_life(where) / "LIFE.md"))
    assert all(a.at < b.at for a, b in pairwise(lines))
    return here


# --- misuse: one line, exit status 2


MISUSE = {
    "deadbeef": "no agent deadbeef",
    "zz": "no agent's hash",
    "": "no agent's hash",
    "\x1b[31m\udcff": "no agent's hash",
    "0" * 33: "no agent's hash",
    "../../../etc": "no agent's hash",
    "a b": "no agent's hash",
    "--nonsense": "unrecognized arguments",
    "--room=A b": "cannot be a room",
    "--room=../x": "cannot be a room",
    "--audience=everybody": "it is private, private NAME, or group",
    "--audience=group": "for another audience",
    "--soul=/nowhere": "there is no such SOUL",
    "--provider=nobody": "no provider 'nobody'",
    "--provider=../new": "no provider",
    "--home=": "--home is empty: give it DIR",
}


@pytest.mark.slow
@pytest.mark.parametrize("word", MISUSE, ids=lambda word: ascii(word[:24]))
def test_misuse_is_one_line_and_changes_nothing(where: Home, word: str) -> None:
    before = sorted(where.root.rglob("*"))
    ended = live(where, word)
    ended.complains(MISUSE[word])
    assert ended.status == 2
    assert ended.out == ""
    assert sorted(where.root.rglob("*")) == before


def test_an_ambiguous_hash_names_the_candidates(where: Home) -> None:
    first = the_life(where).name
    other = first[:12] + "0" * 20
    shutil.copytree(where.agent(first), where.agent(other), symlinks=True)
    ended = live(where, first[:10])
    ended.complains("ambiguous", first, other)
    assert ended.status == 2
    assert live(where, first).status == 0


SETTINGS = {
    "nonsense": "dotagent.toml",
    "context_limit = 5": "context_limit must be a whole number",
    "context_limit = true": "context_limit must be a whole number",
    "roots = 3": "roots must be lists",
    "provider = 7": "provider must be a text",
    "colour = 'red'": "unknown setting 'colour'",
    "owner = 'a b'": "owner must be one name",
    "providers = 3": "providers must be tables",
    "\udcff": "dotagent.toml",
    "[" * 5000: "dotagent.toml",
}


@pytest.mark.slow
@pytest.mark.parametrize("text", SETTINGS, ids=lambda text: ascii(text[:16]))
def test_settings_that_cannot_be_read(where: Home, text: str) -> None:
    (where.root / "dotagent.toml").write_bytes(text.encode("utf-8", "surrogateescape"))
    ended = live(where, the_life(where).name)
    ended.complains(str(where.root / "dotagent.toml"), SETTINGS[text])
    assert ended.status == 2
    (where.root / "dotagent.toml").write_text("")
    goes_on(where)


@pytest.mark.parametrize(
    ("text", "mode", "why"), [("A=b\n", 0o644, "chmod 600"), ("no equals sign\n", 0o600, "line 1")]
)
def test_secrets_that_others_can_read_or_nobody(where: Home, text: str, mode: int, why: str) -> None:
    (where.root / ".env").write_text(text)
    (where.root / ".env").chmod(mode)
    live(where, the_life(where).name).complains(str(where.root / ".env"), why)


# --- what stands in the way


WAYS = (
    "LIFE.md", "MEMORY.md", "context.md", "subs", "subs/dev.md", "run", "run/now", "run/now/pid", "run/now/out",
    "run/recall.db", "run/fade", "run/unfade", "run/standing", "SEGMENT.md", "chats", "chats/dev.md", "blobs",
    "agents", "calls", "calls/new", "calls/new/scripted", "calls/done", "calls/taken", "calls/stream",
    "calls/providers.json", "dotagent.toml", ".env", "/SOUL.md", "/SEGMENT.md", "/SUMMARISE.md",
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", WAYS)
def test_a_directory_where_a_file_should_be_or_a_file_where_a_directory_should(where: Home, name: str) -> None:
    """It starts all the same, or says in one line what is where; once that is mended all is as it was."""
    ours = name.split("/")[0] not in ("chats", "blobs", "agents", "calls", "dotagent.toml", ".env", "")
    path = (the_life(where) if ours else where.root) / name.removeprefix("/")
    kept = path.with_name(path.name + ".kept")
    there = os.path.lexists(path)
    folder = path.is_dir() and not path.is_symlink()
    if there:
        path.rename(kept)
    path.parent.mkdir(exist_ok=True)
    path.write_text("in the way") if folder else path.mkdir()
    born = the_life(where).name if name not in ("LIFE.md", "agents") else kept.parent.name
    ended = live(where, "f" * 32 if name == "agents" else born)
    if ended.status or ended.err:
        ended.complains(path.name if name != "calls/new" else "scripted", status=(0, 1, 2))
    path.unlink() if path.is_file() else shutil.rmtree(path)  # a cache is mended by itself
    if there:
        kept.rename(path)
    goes_on(where)


# --- damage


EVENTS = ("HEAR", "REPLY", "TOOL", "PAPER", "JOIN", "FADE", "SWAP", "CHUNKS", "SUMMARY", "LIFE", "ASK")


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
        ended.complains(*(("LIFE.md was torn",) if again else ("blob ", what)), status=(0,))
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
    live(where, self_id).complains("SOUL", f"blobs/{self_id[:2]}/{self_id}", "bring it back from a backup")
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


@pytest.mark.slow
@pytest.mark.parametrize("garbage", GARBAGE, ids=lambda text: ascii(text[28:40].decode("utf-8", "replace")))
def test_garbage_at_the_end_of_life_is_passed_over_or_told(where: Home, garbage: bytes) -> None:
    path = the_life(where) / "LIFE.md"
    path.write_bytes(path.read_bytes() + garbage)
    ended = live(where, path.parent.name)
    if ended.status:
        ended.complains(str(path), "mend the line")
    elif b" SWAP " in garbage or b" JOIN " in garbage:  # these are events; what they name is not there
        assert ended.err == ""
    else:
        for words in (f"{garbage.count(10)} line", "LIFE.md cannot be read", "passed over", "doctor"):
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
    live(where, path.parent.name).complains(str(path), "mend the line")


# --- disks


@contextmanager
def a_disk(size: str) -> Iterator[Path]:
    """A small file system of its own, or the test is skipped."""
    path = Path(tempfile.mkdtemp(prefix="dotagent-test-", dir=SHM if os.access(SHM, os.W_OK) else None))
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(path)]
    mounted = bool(shutil.which("mount")) and subprocess.run(command, capture_output=True, check=False).returncode == 0
    try:
        if not mounted:
            pytest.skip("no small disk can be mounted here: that takes root")
        yield path
    finally:
        if mounted:
            subprocess.run(["umount", "-l", str(path)], check=False)
        path.rmdir()


def test_a_read_only_home(lived: Home) -> None:
    with a_disk("4m") as disk:
        shutil.copytree(lived.root, disk / "home", symlinks=True)
        where = Home(disk / "home")
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        for words in ([], [the_life(where).name], ["--provider", "offline"]):
            live(where, *words).complains(str(disk), "Read-only file system", "choose another home with --home DIR")
        live(Home(disk / "new")).complains(str(disk), "Read-only file system")
        subprocess.run(["mount", "-o", "remount,rw", str(disk)], check=True)
        goes_on(where)


WORK = ["SAY dev same\nSAY dev same\nWRITE_FILE notes.md <<END\n" + "x" * 5000 + "\nEND\nREAD_FILE notes.md", "done"]


def works(messages: list[ChatMessage], call: Call) -> str:
    begun = next((at for at, message in enumerate(messages) if example.END in message["content"]), -1)
    return WORK[min(1, sum(message["role"] == "assistant" for message in messages[begun + 1 :]))]


@pytest.mark.slow
def test_a_full_disk_at_any_point_of_a_turn() -> None:
    """With ever more room to fill, until the turn fits: it ends with one line, and goes on once there is room."""
    finished = 0
    with a_disk("900k") as disk:
        for pages in range(0, 60, 3):
            where = Home(disk / "home")
            with world(where.root, works) as here:
                here.say("hello")
            fill(disk, pages)
            ended = in_child(where)
            (disk / "ballast").unlink()
            if ended.status:
                ended.complains(str(disk), "No space left on device", "free some space")
            finished += not ended.status
            with world(where.root, works, patience=Patience(look=0.0, unsigned=0.0)) as here:
                here.run()
                assert said(where) == ["same", "same", "done"], pages
                assert len(events(here, "HEAR")) == 1
                whole = (here.session.path / "LIFE.md").read_bytes().count(b"\n")
                assert whole == len(list(log.lines(here.session.path / "LIFE.md")))
            shutil.rmtree(where.root)
            if finished:
                break
    assert finished
    assert pages > 8


@pytest.mark.slow
def test_a_disk_that_is_full_when_the_answer_comes() -> None:
    """The provider, too, says what is wrong and leaves; once there is room, the next one answers."""
    with a_disk("900k") as disk:
        where = make_home(disk / "home")
        alive = Alive(where)
        try:
            provider = provider_of(where, "offline")
            os.kill(provider, signal.SIGSTOP)
            say(where, "help")
            alive.waits_for("ASK")
            until(lambda: any((where.calls / "new/offline").glob("*")), where.calls / "new/offline")
            fill(disk, 0)
            os.kill(provider, signal.SIGCONT)
            until(lambda: not process.lives(provider, process.start_time(provider)), where.calls)
            (disk / "ballast").unlink()
            hears(where, "I am the offline provider")
            assert b"Traceback" not in (where.calls / "offline.log").read_bytes()
            assert alive.end() == (0, "", "")
        finally:
            with suppress(ProcessLookupError):
                os.kill(provider, signal.SIGCONT)
            alive.end()
            stop_providers(where)


def fill(disk: Path, pages: int) -> None:
    """Leave this many pages of the disk."""
    with open(disk / "ballast", "wb", buffering=0) as file:
        try:
            while file.write(b"x" * 4096):
                pass
        except OSError:
            file.truncate(max(0, file.tell() - pages * 4096))


def in_child(where: Home) -> Ended:
    """Live the turn in a child, agent and model both, as a person's terminal would show it."""

    def main() -> int:
        with world(where.root, works) as here:
            here.run()
        return 0

    return forked(main)


def test_a_file_that_may_not_grow(where: Home) -> None:
    """As on a disk that is full, everywhere: nobody needs to be root for that."""
    path = the_life(where) / "LIFE.md"
    before = path.read_bytes()
    say(where, "hello")
    live(where, path.parent.name, room_for=1000).complains(str(where.root), "File too large")
    assert path.read_bytes()[: len(before)] == before
    goes_on(where)


def test_nobody_runs_this_without_a_name(where: Home) -> None:
    """A user whom the system does not know, as in some containers: says how to be known."""

    def main() -> int:
        os.environ.pop("USER")
        os.setuid(54321)
        sys.argv = ["agent.py", "--home", str(where.root), "--provider", "scripted", "--until-idle"]
        return agent.main()

    if os.getuid():
        pytest.skip("that takes root")
    for path in (where.root, *where.root.rglob("*")):
        os.chown(path, 54321, 54321, follow_symlinks=False)
    os.chmod(where.root.parent, 0o755)
    forked(main).complains("whose home is this?", "dotagent.toml")
