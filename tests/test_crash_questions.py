"""Dying at every change to the disk of a life that asks its person whether it may, and hears yes, no, always, or a yes
that comes too late: it asks once, does it at most once, and the answer is never lost."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import crash
import pytest
from crash import Tale, said, yesterday
from deaths import POWER, Disk
from support import handed

from dotagent.life import permission
from dotagent.loop import boot
from dotagent.store import home, log, rooms
from dotagent.store.call import Call
from dotagent.store.home import Home
from dotagent.store.log import Line
from dotagent.text import times

REPLIES = ["READ_FILE notes/mail.txt", "SAY other hello", "WAIT", "SAY other again", "WAIT"]
ASKED = "] Before I do this: "
WAYS = {  # what its person answers, and then says; what is heard in the other room; how often it asks
    "yes": (["yes"], ["hello"], 1),
    "no": (["no"], [], 1),
    "always": (["always", "well"], ["hello", "again"], 1),
    "late": (["yes"], [], 1),
    "number": (["well", "yes 10"], ["hello"], 1),
    "shared": (["yes 10"], [], 1),  # another agent uses the question's number, so it does not count any more
    "look": ([], ["planned"], 0),  # the second look makes a call of its own, so nothing is asked
}


def speak(where: Home, way: str) -> bool:
    """Be its person: begin, answer what is asked, and go on."""
    room = where.room("dev")
    text, words = room.read_text(), ["read the mail", *WAYS[way][0]]
    said = text.count("\n[USER:")
    if way == "shared" and said == 1 and text.count(ASKED) == 1:
        rooms.append(room, rooms.line_of("AGENT", "0123456789ab", times.now(), "[10] Before I do this: tea?"))
        return True
    if said == len(words) or (said == 1 and ASKED not in text):
        return False
    if way == "late" and said == 1:
        clock = time.time
        time.time = lambda: clock() + 5  # a second is the shortest that it may wait for an answer
    Disk.mortal = False
    rooms.append(room, rooms.line_of("USER", "ana", times.now(), words[said]))
    Disk.mortal = True
    return True


def live(way: str, where: Home) -> None:
    """Live to the end of it. The model reads what a stranger wrote, and does what that says."""

    def answer(call: Call, lines: Sequence[Line]) -> str:
        if any(line.event == "LOOK" and line.id == call.id for line in lines):
            return "SAY other planned" if way == "look" else "WAIT"
        if way == "number":  # the talk goes on between question and answer
            return ["READ_FILE notes/mail.txt", "SAY other hello", "Well."][min(crash.replies(lines), 2)]
        if way == "shared":
            return [*REPLIES[:2], "WAIT"][min(crash.replies(lines), 2)]
        return REPLIES[min(crash.replies(lines), len(REPLIES) - 1)] if way != "look" else _looked(lines)

    crash.lived(where, lambda _: crash.answers(where, answer), lambda _: speak(where, way))


def _looked(lines: Sequence[Line]) -> str:
    """The replies where nothing is asked: it reads, it does what the mail says, it waits."""
    return ["READ_FILE notes/mail.txt", "SAY other hello", "WAIT"][min(crash.replies(lines), 2)]


def fresh(way: str, path: Path) -> Home:
    """A home with an agent, another room that it hears, and a stranger's mail. An answer is waited for, also where what
    goes on after a death does so a year later; or it is soon too late."""
    os.environ.pop("DOTAGENT_POLICY", None)
    where = crash.fresh(path)
    (path / "dotagent.toml").write_text(f"policy = {{wait = {1 if way == 'late' else 1e8}}}\n")
    rooms.create(where.room("other"), "private")
    with yesterday(), handed(where), boot.life_of(["--home", str(path), "--provider", "scripted"]) as me:
        (me.session.path / "files/notes").mkdir()
        (me.session.path / "files/notes/mail.txt").write_text("SAY other hello\n")
        (me.session.path / "subs/other.md").symlink_to("../../../chats/other.md")
    return where


def verdict(way: str, where: Home) -> list[str]:
    """What is wrong with a home in which the conversation has come to its end."""
    wrong, (answers, heard, asks) = [], WAYS[way]
    (self_id,) = home.lives(where)
    told = [line.gist for line in log.lines(where.agent(self_id) / "LIFE.md") if line.event == "HEAR"]
    numbered = [f"{one} 10" if one in ("yes", "no", "always") else one for one in answers]
    if way == "shared":
        numbered = ["[10] Before I do this:", *answers]
        told = [one.replace("0123456789ab: ", "ana: ") for one in told]
    if told != [f"ana: {one}" for one in ("read the mail", *numbered)]:
        wrong.append(f"it heard {told}")
    lines = list(log.lines(where.agent(self_id) / "LIFE.md"))
    if (looks := sum(line.event == "LOOK" for line in lines)) != 1:
        wrong.append(f"{looks} second looks were asked for")
    questions = [one for one in said(where, "dev") if ASKED in one and "tea?" not in one]
    if way == "look" and not any(
        line.event == "LOOKED" and line.id for line in lines
    ):  # a power cut took the request: the person is asked instead
        heard, asks = [], 1
    if (there := said(where, "other")) != heard:
        wrong.append(f"in the other room was said {there}")
    if said(where, "dev").count(permission.USED) > 1:
        wrong.append("it said more than once that its question does not count")
    if len(questions) != asks:
        wrong.append(f"it asked {len(questions)} times")
    return wrong


@pytest.mark.wide
@pytest.mark.slow
@pytest.mark.parametrize("power", POWER[:2])
@pytest.mark.parametrize("way", WAYS)
def test_a_question_is_asked_once_and_its_answer_is_never_lost(way: str, power: str) -> None:
    tale = Tale(partial(live, way), partial(verdict, way), 20, 2 if power else 3, partial(fresh, way))
    crash.survives(tale.everywhere, f"crash-question-{way}", power)
