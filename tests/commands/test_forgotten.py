"""What faded, chunk by chunk, and the originals of it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from lives import chat, lines, living, talking
from looking import SEAT, rows, told
from world import World

from dotagent import commands


@pytest.mark.slow
def test_what_is_forgotten_is_listed_and_shown(lived: World) -> None:
    chunks = rows(told(lived, "forgotten", "--json"))
    faded = [entry for entry in lived.session.entries if entry.event == "FADED"]
    assert [row["id"][:12] for row in chunks] == [entry.id for entry in faded]
    heads, *plain = told(lived, "forgotten").removesuffix("\n").split("\n")
    assert heads.split() == ["id", "entries", "originals", "relevance", "tokens", "gist"]
    heard = next(line for line in lines(lived, "HEAR") if "violin" in line.gist)
    numbers: list[int] = []
    for row, line in zip(chunks, plain, strict=True):
        first, last = map(int, row["entries"].split("-"))
        members = rows(told(lived, "forgotten", row["id"], "--json"))
        assert len(members) == row["originals"]
        assert (members[0]["entry"], members[-1]["entry"]) == (first, last)
        before, after = map(int, row["tokens"].split("->"))
        assert before > after > 0
        assert line.startswith(f"{row['id'][:12]}  #{row['entries']}")
        numbers += [one["entry"] for one in members]
        shown = told(lived, "forgotten", row["id"][:10])
        assert shown.count("\n") == 1 + len(members)
        assert (heard.id[:12] in shown) == (heard.id in [one["id"] for one in members])
    assert numbers == sorted(numbers)
    assert told(lived, "forgotten", heard.id[:12]).endswith(f"] {SEAT}\n")


@pytest.mark.slow
def test_another_lifes_is_not_shown_and_what_is_lost_is_said(lived: World) -> None:
    store = lived.where.store()
    foreign = store.put(b"secret", at="2026-11-21T20:17:20Z", gist="", agent="f" * 32)
    with pytest.raises(commands.Misuse, match="not an id in this agent's log"):
        told(lived, "forgotten", foreign)
    faded = next(entry for entry in lived.session.entries if entry.event == "FADED")
    assert faded.line
    store.path(faded.line.id).unlink()
    lived.on_step = None  # what was promised is broken now
    plain = told(lived, "forgotten").split("\n")
    assert re.match(rf"{faded.id}  #\S+ +lost ", plain[1])
    assert len(plain) == 2 + sum(entry.event == "FADED" for entry in lived.session.entries)


def test_nothing_is_forgotten_yet(tmp_path: Path) -> None:
    with living(tmp_path, talking(), 64_000) as lived:
        chat(lived, 2)
        assert told(lived, "forgotten").startswith("summaries have not replaced anything")
        assert told(lived, "forgotten", "--json") == ""
