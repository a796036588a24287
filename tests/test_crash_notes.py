"""Dying at every change to the disk of a life that notes, remembers, has itself reminded and asks for a page: each is
there once, and what came of each call is told once."""

from __future__ import annotations

import crash
import pytest
from crash import Tale
from deaths import POWER

from dotagent.capabilities.scheduler import jobs
from dotagent.store import home, log
from dotagent.store.home import Home

REPLIES = [
    "NOTE the train is late\nNOTE it came at last\nREMEMBER the key is under the mat\nREMIND in 10 hours: tea\n"
    "REMIND every monday 8:30: bins\nREMIND cancel 2\nFETCH notanaddress\nSAY dev noted",
    "WAIT",
]


def live(where: Home) -> None:
    """Live to the end of it."""
    crash.lived(
        where,
        lambda _: crash.answers(where, lambda _, lines: REPLIES[min(crash.replies(lines), 1)]),
        lambda _: crash.says(where, "note it"),
    )


def verdict(where: Home) -> list[str]:
    """What is wrong with a home in which all of it is done."""
    (self_id,) = home.lives(where)
    path, wrong = where.agent(self_id), []
    notes = "".join(one.read_text() for one in sorted((path / "memory").glob("*.md")))
    for words in ("the train is late", "it came at last", "the key is under the mat"):
        if (found := notes.count(words)) != 1:
            wrong.append(f"{words!r} was noted {found} times")
    lasting = (path / "MEMORY.md").read_text().count("- the key is under the mat (added ")
    if lasting != 1:
        wrong.append(f"MEMORY.md has it {lasting} times")
    if (due := list(jobs.list_names(where))) != ["remind-1"]:
        wrong.append(f"it is to be reminded by {due}")
    told = [line.detail for line in log.lines(path / "LIFE.md") if line.event in ("TOOL", "DID")]
    if sum("FETCH error" in one for one in told) != 1:
        wrong.append(f"what came of its calls was told by {told}")
    if (said := where.room("dev").read_text().count("] noted\n")) != 1:
        wrong.append(f"it said so {said} times")
    return wrong


@pytest.mark.slow
@pytest.mark.parametrize("power", POWER[:2])
def test_what_is_noted_remembered_and_to_be_reminded_of_is_there_once(power: str) -> None:
    crash.survives(Tale(live, verdict, 40, 2).everywhere, "crash-notes", power)
