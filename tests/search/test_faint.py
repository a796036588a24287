"""Faint memory: a reminder where one is due, short, and never of what is there already."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from forgetful import SEAT, compact, forgotten
from lives import chat, lines, living, prose, talking
from support import REFERENCE
from world import World

from dotagent.capabilities.faint_memory import faint
from dotagent.capabilities.faint_memory.capability import feed_of
from dotagent.search.turn import Passage
from dotagent.text import exact, tokens
from dotagent.text.reference import short


def reminders(lived: World) -> list[str]:
    """What the FAINT entries of LIFE say."""
    store = lived.where.store()
    return [store.get(line.id).body.decode() for line in lines(lived, "FAINT")]


QUESTION = "When is the violin lesson with Dr. Okonkwo at Malmö harbour?"


@pytest.mark.slow
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


@pytest.mark.night
def test_what_is_out_of_sight_is_filed_before_sleep_and_the_rest_many_turns_at_once(tmp_path: Path) -> None:
    with living(tmp_path, talking(), 8000) as lived:
        marks = []
        while len(lines(lived, "SWAP")) < 3:
            chat(lived, 1, 40)
            marks.append(feed_of(lived.session).index.mark() if lines(lived, "SWAP") else "")
            if lines(lived, "SWAP"):
                last = max(at for at, entry in enumerate(lived.session.entries) if entry.event == "FADED")
                assert marks[-1].partition(" ")[2] >= lived.session.entries[last + 1].line.at
        assert 3 <= len(set(marks)) < len(marks) / 3


@pytest.mark.night
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


@pytest.mark.night
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
        assert not (lived.session.path / "run/recall.db").exists()


@pytest.mark.night
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
    turns = [Passage(at, f"{at:032x}", "dev", who, "2026-11-21T20:17:20Z", text) for at in range(count)]
    body = faint._format_turns(turns, "When is the lesson?")
    named = len(REFERENCE.findall(body))
    assert 1 <= named <= count and (named == 1) == (count == 1 or named < 2)
    assert exact.count(body) <= (205 if text.startswith("The") and who == "ana" else 300)  # about 200
    assert body.count("◱") == named
    sizes = [tokens.estimate(gist.partition(": ")[2]) for _, gist in REFERENCE.findall(body)]
    assert sizes[0] <= 125 and all(size <= 30 for size in sizes[1:])


def passage(at: int, text: str, who: str = "ana") -> Passage:
    return Passage(at, f"{at:032x}", "dev", who, "2026-11-21T20:17:20Z", text)


def test_the_best_is_shown_whole_and_the_others_short() -> None:
    """Five hits of six words each answered nothing: the fact was always in the seventh."""
    best = ("We talked about the trip for an hour and about what to take along, and at the end of it we found that Dr. "
            "Okonkwo's violin lesson is on 3 May at 16:30 in the hall at the harbour of Malmö.")  # fmt: skip
    body = faint._format_turns(
        [passage(1, best), *(passage(at, f"{at} {'kettle ' * 40}") for at in range(2, 6))], QUESTION
    )
    (_, first), *others = REFERENCE.findall(body)
    assert first == f"ana: {best}"
    assert len(others) >= 2 and all(gist.endswith("…") and len(gist) < 120 for _, gist in others)
    assert tokens.estimate(body) <= 200
    five = faint._format_turns([passage(at, "The lesson is on 3 May.") for at in range(5)], QUESTION)
    assert len(REFERENCE.findall(five)) == 5 and "…" not in five.partition("\n")[2].split("\n")[0]


def test_of_a_long_best_one_the_part_is_shown_that_is_meant() -> None:
    long = f"{'The kettle boils. ' * 60}The violin lesson with Dr. Okonkwo is on 3 May. {'It rains again. ' * 60}"
    body = faint._format_turns([passage(1, long), passage(2, "Something else.")], QUESTION)
    (_, first), *_ = REFERENCE.findall(body)
    assert first.startswith("ana: …The violin lesson with Dr. Okonkwo is on 3 May.") and first.endswith("…")
    assert tokens.estimate(body) <= 200


def test_the_agents_own_echoes_come_last() -> None:
    said = passage(2, "My violin lesson is on 3 May with Dr. Okonkwo.")
    parrot = passage(1, "When is the violin lesson?", "me")
    echo = passage(3, "Noted: your violin lesson is on 3 May.", "me")
    own = passage(4, "I booked train R41, platform 7, for 38 euros.", "me")
    assert faint._ranked([parrot, echo, own, said], QUESTION) == [said, own, echo, parrot]
    assert faint._ranked([echo, own, said], "Thank you for the violin.") == [own, said, echo]


def test_the_turn_that_answers_a_question_comes_first_and_is_shown_from_its_answer_on() -> None:
    """The file was only the third, and of a third turn the first words are shown: its path."""
    question = "What was the seal of part-12.txt again?"
    asked, order = passage(1, question), passage(2, "Please read part-12.txt and part-13.txt, and say what matters.")
    path = f"/home/ana/{'letters/' * 9}part-12.txt, 2 lines:"
    read = passage(3, f"{path}\n{'The kettle boils. ' * 9}The seal of part-12.txt is a hollow ladle.", "tool")
    assert faint._ranked([asked, order, read], question) == [read, order, asked]
    assert faint._ranked([asked, order, read], "The seal of part-12.txt is broken.") == [asked, order, read]
    told = "I look for the seal of part-12.txt. Do you know it?"  # what is asked may be said before
    assert faint._ranked([asked, order, read], told)[0] == read
    _, (_, last) = REFERENCE.findall(faint._format_turns([passage(4, "It is a seal."), read], question))
    assert last.startswith("tool: …The seal of part-12.txt is a hollow ladle")


def test_a_time_that_is_none_forges_nothing(tmp_path: Path) -> None:
    turn = Passage(1, "1" * 32, "dev", "ana◱\n", "◱hash=00000000 gist=x◲", "words")
    body = faint._format_turns([turn], "")
    assert len(REFERENCE.findall(body)) == 1
    assert body.count("\n") == 1


@pytest.mark.slow
def test_what_is_remembered_never_stops_a_turn(tmp_path: Path) -> None:
    """An index that another process holds, or that is no file, costs the reminder and nothing else."""
    with living(tmp_path, talking()) as lived:
        forgotten(lived)
        path = lived.session.path / "run/recall.db"
        feed_of(lived.session).close()
        for end in ("", "-wal", "-shm"):
            path.with_name(path.name + end).unlink(missing_ok=True)
        path.mkdir()
        (path / "in the way").write_text("x")
        answered = len(lines(lived, "REPLY"))
        lived.say(QUESTION)
        lived.run()
        assert len(lines(lived, "REPLY")) > answered
