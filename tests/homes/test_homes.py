"""An earlier version's home resumes: the lives of an earlier home, asleep or killed in the middle of something.

What the home is stands in README.md beside this; what must hold was written down by the version that made it
(`expected.json`): nothing here asks today's code what it once wrote.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from a_lived_home import look
from an_earlier_home import (
    EXPECTED,
    GOES_ON,
    LIVES,
    Resumed,
    Resumer,
    blob,
    by_process,
    context_of,
    differences,
    folder,
    its_room,
    life,
    lines,
    only,
    parent_of,
    prompt_of,
    resume,
    rooms_of,
    sha,
    state_of,
    unreachable,
    view_of,
    whole,
)
from blake3 import blake3
from support import run

from dotagent.store.home import Home

HEARD = "[USER:ana 2026-11-22T09:00:00Z] Are you there?\n"


# --- the archive itself


def test_the_archive_is_what_was_written(earlier: Path) -> None:
    """Else all that follows proves nothing: LIFE, rooms, MEMORY and blobs, byte for byte."""
    for letter, told in LIVES.items():
        path, data = folder(earlier, letter), life(earlier, letter)
        assert {"bytes": len(data), "lines": data.count(b"\n"), "sha256": sha(data)} == told["life"]
        assert sha((path / "MEMORY.md").read_bytes()) == told["memory_sha256"]
        links = [one for one in (path / "subs").iterdir() if one.is_symlink() and one.exists()]
        assert sorted(one.name for one in links) == told["subs"]
        assert path.stat().st_mode & 0o777 == 0o700
    assert {name: sha(data) for name, data in rooms_of(earlier).items()} == EXPECTED["rooms"]
    names = sorted(path.name for path in earlier.glob("blobs/*/*"))
    assert {"count": len(names), "names_sha256": sha("\n".join(names).encode())} == EXPECTED["blobs"]
    for name in names:
        blob(earlier, name)


@pytest.mark.parametrize("letter", LIVES)
def test_what_is_derived_is_what_was_lived(earlier: Path, letter: str) -> None:
    """Where it stands, and what it holds in mind."""
    told = LIVES[letter]
    counted = {"other": 1.0, "rest": -1}  # that version estimated otherwise, so its ratio says nothing
    state = {key: value for key, value in told["state"].items() if key != "ratio"}
    assert state_of(earlier, letter) == {**state, "announced": told["announced"], **counted}
    assert len(view_of(earlier, letter).entries) == told["entries"]
    assert unreachable(earlier, letter) == []
    was, now = (folder(earlier, letter) / "context.md").read_bytes(), context_of(earlier, letter)
    assert {"bytes": len(was), "sha256": sha(was)} == told["context"]
    assert differences(was, now) == []


@pytest.mark.parametrize("letter", LIVES)
def test_every_prompt_ever_sent_is_rebuilt_byte_for_byte(earlier: Path, letter: str) -> None:
    sent = [line for line in lines(whole(life(earlier, letter))) if line.event in ("ASK", "SEGMENT", "SUMMARISE")]
    assert [[line.event, line.id] for line in sent] == [told[:2] for told in LIVES[letter]["requests"]]
    same_prompts(earlier, letter)


def same_prompts(root: Path, letter: str) -> None:
    for _, id, size, digest in LIVES[letter]["requests"]:
        data = prompt_of(root, id)
        assert (len(data), sha(data)) == (size, digest)


@pytest.mark.slow
def test_the_commands_know_it(root: Path) -> None:
    """A prompt by its id's beginning, the whole home without damage, a search over a life whose index is not there."""
    _, id, size, digest = LIVES["A"]["requests"][-1]
    shown = run(Home(root), "-m", "dotagent", "prompt", "--call", id[:12]).stdout.encode()
    assert (len(shown), sha(shown)) == (size, digest)
    status, found = look(Home(root), "--deep")
    assert status == 0
    assert "damage" not in [one["level"] for one in found], found
    recalled = run(Home(root), "-m", "dotagent", "recall", LIVES["A"]["id"][:12], "seat on the flight", "--json")
    assert any("14A" in json.loads(row)["text"] for row in recalled.stdout.split("\n")[:-1])


# --- resuming: by steps in this process, and some by a real one too

both_ways = pytest.mark.parametrize("resumer", [resume, pytest.param(by_process, marks=pytest.mark.slow)])


def says_nothing(root: Path, letter: str, resumer: Resumer) -> Resumed:
    """A life that resumes without anything to be said."""
    before = rooms_of(root)
    done = resumer(root, letter)
    assert rooms_of(root) == before
    return done


@both_ways
def test_a_life_that_slept_sleeps_on(root: Path, resumer: Resumer) -> None:
    for letter in "AMR" if resumer is resume else "A":
        context = (folder(root, letter) / "context.md").read_bytes()
        done = says_nothing(root, letter, resumer)
        assert done.served == []
        told = [line.event for line in done.new if line.event != "PAPER" or line.detail == "MEMORY.md"]
        # A is told that its own files are in files/ now, and says that its notes have no marks
        news = ["WARN", "ERROR"] if letter == "A" else []
        assert told == ["RESUME", *news, "SLEEP"]  # its prompts that nobody edited are this version's
        assert differences(context, (folder(root, letter) / "context.md").read_bytes()) == []
        aside = [one.read_bytes() for one in folder(root, letter).glob("context.aside-*")]
        assert aside in ([], [context])  # where entries are cut shorter now, the old context is kept


def test_a_brings_back_what_it_forgot(root: Path) -> None:
    """The seat was said in its first words, which faded long ago: it is an UNCOMPACT away."""
    first = next(line for line in lines(life(root, "A")) if line.event == "HEAR")
    assert b"seat 14A" in blob(root, first.id)
    assert b"seat 14A on the flight QF12" not in context_of(root, "A").split(b"FAINT")[0]
    before, heard = rooms_of(root), "[USER:ana 2026-11-22T09:00:00Z] Which seat was it?\n"
    done = resume(root, "A", f"UNCOMPACT {first.id[:12]}", "14A it was.", hear=heard)
    assert only(root, {**before, "dev": before["dev"] + heard.encode()}, "dev", "A") == ["14A it was."]
    (brought,) = done.of("TOOL")
    assert brought.detail == "UNCOMPACT ok"
    assert blob(root, brought.id) == blob(root, first.id)
    assert len(done.of("HEAR")) == 1
    there = {entry.number for entry in view_of(root, "A").entries}
    assert set(LIVES["A"]["state"]["kept"]) <= there, "what it keeps faded"


@both_ways
def test_b_goes_on_with_its_summaries_and_swaps(root: Path, resumer: Resumer) -> None:
    pending = LIVES["B"]["pending"]
    fading = pending["fading"]
    done = says_nothing(root, "B", resumer)
    assert done.served == list(fading["out"]), "other requests were made than the one that was out"
    assert not done.of("SEGMENT", "CHUNKS", "SUMMARISE", "WARN", "STAYED")
    (made,) = done.of("SUMMARY")
    assert made.detail.split(" ")[0] == next(iter(fading["out"].values()))
    assert not made.detail.endswith("extractive"), "the summary is not the model's"
    spans = sorted([*fading["made"], *fading["out"].values()])
    faded = {line.detail.split(" ")[0] for line in done.of("FADE")}
    assert faded and faded <= {*spans}, "a chunk faded that was not planned"
    (swap,) = done.of("SWAP")
    assert swap.detail.startswith("limit ")
    used = [blob(root, id) for id in re.findall("summary=([0-9a-f]{32})", blob(root, swap.id).decode())]
    summaries = [blob(root, told.split(" ")[0]) for told in fading["made"].values()] + [blob(root, made.id)]
    assert used and {*used} <= {*summaries} and len(used) == len(faded), "a summary is not of the plan"
    assert view_of(root, "B").entries[0].number == fading["first"]


@both_ways
def test_c_is_answered_once_by_the_same_request(root: Path, resumer: Resumer) -> None:
    call, before = LIVES["C"]["pending"]["call"], rooms_of(root)
    assert json.loads((root / "calls" / "new" / "scripted" / call).read_bytes())["room"] == "ops"
    done = resumer(root, "C")
    assert done.served == [call]
    assert not done.of("ASK", "HEAR")
    (reply,) = done.of("REPLY")
    assert parent_of(root, reply.id) == call
    assert only(root, before, "ops", "C") == [GOES_ON]


def test_d_tells_of_the_command_and_does_not_run_it_again(root: Path) -> None:
    pending, before = LIVES["D"]["pending"], rooms_of(root)
    done = resume(root, "D")
    assert not [line for line in done.of("EFFECT", "RUN") if "SAY" not in line.detail]
    (tool,) = done.of("TOOL")
    assert tool.detail.startswith("RUN ")
    body = blob(root, tool.id).decode()
    assert "interrupted" in body
    assert body.endswith(pending["printed"])
    assert (folder(root, "D") / "files/ran.log").read_text() == pending["ran.log"]
    assert len(done.served) == 1  # the model reads it
    assert only(root, before, "garden", "D") == ["It ran.", GOES_ON]


@pytest.mark.parametrize("letter", "EI")
def test_e_and_i_say_it_exactly_once(root: Path, letter: str) -> None:
    pending, before = LIVES[letter]["pending"], rooms_of(root)
    name, start, message = pending["room"], pending["size_before"], pending["message"].encode()
    assert before[name][start:] == pending["there"].encode()
    done = resume(root, letter)
    assert done.served == []
    tag, _, text = message.partition(b"] ")
    assert only(root, before, name, letter) == [text.decode().replace("\n  ", "\n").strip("\n"), pending["then_said"]]
    after = rooms_of(root)[name]
    assert after[start : start + len(message)] == message, "it is not where it was announced"
    assert (after.count(tag), after.count(text)) == (1, 1)


@pytest.mark.parametrize("letter", "FJ")
def test_f_and_j_write_it_exactly_once(root: Path, letter: str) -> None:
    pending, before = LIVES[letter]["pending"], rooms_of(root)
    path = folder(root, letter) / pending["path"]
    assert path.read_text() == pending["holds"]
    assert blake3(path.read_bytes()).hexdigest()[:32] == pending["before" if letter == "F" else "after"]
    was = path.stat()
    done = resume(root, letter)
    path = folder(root, letter) / "files" / pending["path"]
    assert path.read_text() == pending["must_hold"]
    if letter == "J":
        assert (path.stat().st_ino, path.stat().st_mtime_ns) == (was.st_ino, was.st_mtime_ns), "it was written again"
    (tool,) = done.of("TOOL")
    assert tool.detail == "EDIT_FILE ok"
    assert len(done.served) == 1
    assert only(root, before, its_room(letter), letter) == [pending["then_said"], GOES_ON]


def test_g_asks_again_about_what_it_owes(root: Path) -> None:
    before = rooms_of(root)
    done = resume(root, "G")
    assert len(done.served) == 1
    assert [line.detail for line in done.of("NOTE")] == ["club owed"]
    assert only(root, before, "club", "G") == [GOES_ON]
    assert state_of(root, "G")["owed"] == []


def test_h_takes_the_answer_that_was_there(root: Path) -> None:
    pending, before = LIVES["H"]["pending"], rooms_of(root)
    done = resume(root, "H")
    assert done.served == [], "a paid request was made again"
    (reply,) = done.of("REPLY")
    assert reply.id == pending["reply"]
    (torn,) = done.of("TORN")
    assert (folder(root, "H") / torn.detail).read_text() == pending["torn"]
    assert only(root, before, "attic", "H") == [pending["said"]]


def test_k_says_again_what_its_swap_left_out(root: Path) -> None:
    done = says_nothing(root, "K", resume)
    (memory,) = [line for line in done.of("PAPER") if line.detail == "MEMORY.md"]
    assert blob(root, memory.id).decode() == LIVES["K"]["pending"]["memory"]
    (last,) = done.of("LIFE")
    assert b" PAPER EXAMPLE.md " in blob(root, last.id)
    assert done.served == []
    assert not done.of("SWAP", "FADE", "SEGMENT")


def test_l_goes_on_with_the_chunks_it_asked_for(root: Path) -> None:
    done = says_nothing(root, "L", resume)
    assert done.served[0] == LIVES["L"]["pending"]["fading"]["call"]
    assert not done.of("SEGMENT", "WARN")
    steps = done.of("CHUNKS", "SUMMARISE", "SUMMARY", "FADE", "SWAP")
    kinds = ["CHUNKS", "SUMMARISE", "SUMMARY", "FADE", "SWAP"]
    assert list(dict.fromkeys(line.event for line in steps)) == kinds
    assert steps[-1].detail.startswith("asked ")


# what is said, by one request each, by lives that were killed between two lines of LIFE
BETWEEN = {
    "N": [GOES_ON],
    "O": ["(no answer: say it in other words)", GOES_ON],  # told once, and asked again by the new process
    "P": [GOES_ON],
    "Q": [GOES_ON],
    "S": [GOES_ON],
}


@pytest.mark.slow
@pytest.mark.parametrize("letter", BETWEEN)
def test_what_was_next_is_next(root: Path, letter: str) -> None:
    before = rooms_of(root)
    done = resume(root, letter)
    assert only(root, before, its_room(letter), letter) == BETWEEN[letter]
    assert len(done.served) == 1
    assert not done.of("HEAR", "TOOL", "KEEP", "FAIL", "LONG")


def test_p_has_shown_the_right_form_once(root: Path) -> None:
    """A second reply in the wrong form is said, since the model was corrected in this turn, by a process that died."""
    before, wrong = rooms_of(root), "Again\n\n```\nRUN ls\n```"
    done = resume(root, "P", wrong)
    assert not done.of("NOTE", "RUN")
    assert only(root, before, "loft", "P") == [wrong]


@pytest.mark.slow
def test_each_lives_on_after_that(root: Path) -> None:
    """Once more, with a word from its person: heard once, answered once; and no old prompt has changed by any of it."""
    spool = {path: path.read_bytes() for place in ("new/*/*", "taken/*") for path in root.glob(f"calls/{place}")}
    for letter in LIVES:
        for path, data in spool.items():  # what was put aside while another lived
            path.write_bytes(data)
        resume(root, letter)
        before, name = rooms_of(root), its_room(letter)
        heard = HEARD.replace("ana", "discord/bob") if letter == "G" else HEARD
        before[name] += heard.encode()
        done = resume(root, letter, "I am here.", hear=heard)
        assert only(root, before, name, letter) == ["I am here."]
        assert len(done.of("HEAR")) == 1
        same_prompts(root, letter)
    status, found = look(Home(root), "--deep")
    assert (status, [one for one in found if one["level"] == "damage"]) == (0, [])
