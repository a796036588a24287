"""What was erased stays erased: it is held back when a file, a command, another agent or an import brings it again, and
when the agent writes it. The owner is asked once, and only a person's new words bring it back."""

from __future__ import annotations

import base64
from collections.abc import Callable
from pathlib import Path

import pytest
from a_lived_home import look
from support import run
from unforgotten import forget, traces
from world import World, offline, said, world

import agent
from dotagent.capabilities.erasure import returns
from dotagent.store import home, log, queue
from dotagent.store.home import Home
from dotagent.store.queue import Call
from dotagent.store.requests import ChatMessage

SECRET = "My locker at the station opens with 3391"
ASKED = returns.ASK.partition("{} ")[2]
Model = Callable[[list[ChatMessage], Call], str]


def scripted(*replies: str) -> Model:
    left = list(replies)
    return lambda messages, call: left.pop(0)


def forgotten(path: Path, *options: str) -> Home:
    """Return a home in which a person has removed a sentence."""
    with world(path, offline, *options) as it:
        it.say(f"{SECRET}.", room="all" if options else "dev")
        it.run()
        where = it.where
    forget(where, f"that {SECRET}")
    assert not traces(path, SECRET)
    return where


def put(where: Home, text: str) -> Path:
    """Put a text into the agent's folder, as a person would."""
    (self_id,) = home.lives(where)
    file = where.agent(self_id) / "files" / "old.txt"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def results(it: World) -> list[str]:
    """Return the results of the agent's tools."""
    lines = log.lines(it.session.path / "LIFE.md")
    return [it.where.store().get(one.id).body.decode() for one in lines if one.event == "TOOL"]


def test_a_file_does_not_bring_it_back_and_the_owner_is_asked_once(tmp_path: Path) -> None:
    where = forgotten(tmp_path)
    file = put(where, f"Monday\n{SECRET.lower()}!\nTuesday\n")
    for _ in range(2):  # two processes
        with world(tmp_path, scripted("READ_FILE old.txt", "I read it.", "READ_FILE old.txt", "And again.")) as it:
            for text in ("Read old.txt", "Read it again"):
                it.say(text)
                it.run()
            assert "Monday\n[forgotten]!\nTuesday" in results(it)[-1]
    assert [one for one in said(where) if ASKED in one] == [returns.ASK.format("a result of READ_FILE")]
    assert traces(tmp_path, SECRET) == [str(file.relative_to(tmp_path))]


FORMS: dict[str, Callable[[str], str]] = {
    "escapes": lambda told: "".join(f"\\u{ord(sign):04x}" for sign in told),
    "an address": lambda told: "".join(f"%{ord(sign):02x}" for sign in told),
    "HTML": lambda told: "".join(f"&#{ord(sign)};" for sign in told),
    "base64": lambda told: base64.b64encode(told.encode()).decode(),
    "hex": lambda told: told.encode().hex(),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_file_in_another_form_does_not_bring_it_back(tmp_path: Path, form: str) -> None:
    where, turn = forgotten(tmp_path), FORMS[form]
    put(where, f"first {turn(SECRET)}\n{turn('The pool is open on Monday')} last\n")
    with world(tmp_path, scripted("READ_FILE old.txt", "Done.")) as it:
        it.say("Read old.txt")
        it.run()
        assert f"first [forgotten]\n{turn('The pool is open on Monday')} last" in results(it)[-1]
    assert returns.ASK.format("a result of READ_FILE") in said(where)


def test_what_the_agent_writes_is_held_back(tmp_path: Path) -> None:
    where = forgotten(tmp_path)
    write = f"WRITE_FILE note.md <<END\n{SECRET}.\nEND"
    with world(tmp_path, scripted(write, f"REMEMBER {SECRET}", f"I know: {SECRET}. Right?")) as it:
        it.say("What do you know?")
        it.run()
        assert results(it) == [returns.LEFT_OUT] * 2
        folder = it.session.path
    assert "I know: [forgotten]. Right?" in said(where) and not (folder / "files/note.md").exists()
    assert not traces(tmp_path, SECRET)  # neither in LIFE, nor in a blob, nor in the next prompt
    assert sum(ASKED in one for one in said(where)) == 1
    assert not [one for one in look(where, "--deep")[1] if one["level"] == "damage"]


def test_a_note_with_the_mark_of_a_deletion_is_written(tmp_path: Path) -> None:
    where = forgotten(tmp_path)
    with world(tmp_path, scripted("WRITE_FILE note.md <<END\n[forgotten].\nEND", "Done.")) as it:
        it.say("Write it down")
        it.run()
        (folder,) = [where.agent(one) for one in home.lives(where)]
    assert [path.read_text() for path in folder.rglob("note.md")] == ["[forgotten].\n"]


def test_a_reply_that_a_crash_loses_while_it_is_cleaned_is_asked_for_again(tmp_path: Path) -> None:
    where = forgotten(tmp_path)
    with world(tmp_path, scripted(f"I know: {SECRET}.")) as it:
        it.say("What do you know?")
        while not (call := it.session.state.turn.call):
            agent.step(it.me)
        assert it.serve()
        outcome = queue.done(where, it.session.id, call)
        assert outcome
        cleaned, gist = it.session.held_reply(outcome, where.store().get(outcome.reply))
        assert cleaned.reply != outcome.reply and gist == "I know: [forgotten]."
    with world(tmp_path, scripted("Nothing.")) as it:
        it.run()
    assert "Nothing." in said(where) and not traces(tmp_path, SECRET)


@pytest.mark.parametrize("taken", [False, True], ids=["before the agent goes on", "after the agent took the failure"])
def test_a_reply_that_comes_after_the_deletion_is_not_stored(tmp_path: Path, taken: bool) -> None:
    """The provider's process read the prompt before, and knows nothing of the deletion."""
    with world(tmp_path, scripted()) as it:
        it.say(f"{SECRET}.")
        while agent.step(it.me):
            pass
        where, call = it.where, queue.take(it.where, it.provider)
    forget(where, f"that {SECRET}")
    if taken:
        with world(tmp_path, scripted("I am here.")) as it:
            it.run()
    assert call and not queue.answer(where, where.store(), call, f"You said: {SECRET}.", queue.Outcome(finish="stop"))
    assert not traces(tmp_path, SECRET)


def test_only_a_persons_new_words_bring_it_back(tmp_path: Path) -> None:
    where = forgotten(tmp_path)
    put(where, f"{SECRET}.\n")
    with world(tmp_path, scripted("Yes.", "READ_FILE old.txt", f"{SECRET}.")) as it:
        it.say(f"I tell you again: {SECRET}.")
        it.run()
        it.say("What is in old.txt?")
        it.run()
        assert SECRET in results(it)[-1]
    assert f"{SECRET}." in said(where) and not [one for one in said(where) if ASKED in one]
    forget(where, f"that {SECRET}")
    with world(tmp_path, scripted("READ_FILE old.txt", "Done.")) as it:
        put(where, f"{SECRET}.\n")
        it.say("Read old.txt")
        it.run()
    assert sum(ASKED in one for one in said(where)) == 1


@pytest.mark.parametrize("text", ["It opens with 3391.", "My locker is red.", "Station 3391"])
def test_other_text_with_some_of_its_words_is_not_held_back(tmp_path: Path, text: str) -> None:
    where = forgotten(tmp_path)
    put(where, f"{text}\n")
    with world(tmp_path, scripted("READ_FILE old.txt", text)) as it:
        it.say("Read old.txt")
        it.run()
        assert text in results(it)[-1]
    assert text in said(where) and not [one for one in said(where) if ASKED in one]


def test_a_group_is_not_asked(tmp_path: Path) -> None:
    where = forgotten(tmp_path, "--audience", "group", "--room", "all")
    put(where, f"{SECRET}.\n")
    with world(tmp_path, scripted("READ_FILE old.txt", "Done.")) as it:
        it.say("@all Read old.txt", room="all")
        it.run()
        shown = results(it)
    assert shown and not any(SECRET in one for one in shown)
    assert not [one for one in said(where, "all") if ASKED in one]


def test_an_import_does_not_bring_it_back(tmp_path: Path) -> None:
    where = forgotten(tmp_path / "home")
    (self_id,) = home.lives(where)
    old = tmp_path / "old"
    (old / "memory").mkdir(parents=True)
    (old / "AGENTS.md").write_text("Be kind.\n")
    (old / "memory/2026-01-31.md").write_text(f"We flew to Tokyo.\n{SECRET}.\n")
    done = run(where, "-m", "dotagent", "import", str(old), "--agent", self_id)
    assert "1 sentence that you had deleted: not imported" in " ".join(done.stdout.split()), done.stderr
    assert not traces(tmp_path / "home", SECRET)
    assert "Tokyo" in (where.agent(self_id) / "memory/2026-01-31.md").read_text()
    assert list(log.lines(where.agent(self_id) / "LIFE.md"))
