"""The live context as a table with a bar, or as JSON."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from exhibited import png
from lives import chat, living, talking
from looking import LIMIT, rows, told
from world import World

from dotagent.life.replay import size
from dotagent.text import media


@pytest.mark.slow
def test_the_context_is_a_table_with_a_bar(lived: World) -> None:
    heads, *rows, blank, bar = told(lived, "context").removesuffix("\n").split("\n")
    assert (heads.split(), blank) == (["entry", "kind", "age", "tokens", "state", "relevance", "gist"], "")
    assert len(rows) == len(lived.session.entries)
    states = []
    for row, entry in zip(rows, lived.session.entries, strict=True):
        found = re.fullmatch(r"#(\d+) +([A-Z]+) +(\d+[smhd]) +(\d+)  (live|faded|kept|bare) +(\d*)  ?(.*)", row)
        assert found, row
        assert (int(found[1]), found[2], int(found[4])) == (entry.number, entry.event, size(entry))
        assert bool(found[6]) == (entry.event == "FADED")
        states.append(found[5])
    assert states.count("kept") == 1
    assert states.count("faded") == sum(entry.event == "FADED" for entry in lived.session.entries) > 0
    total = sum(map(size, lived.session.entries))
    found = re.fullmatch(r"\[(█*)(·*)\] ([\d,]+) of 2,500 tokens \((\d+) %\), estimated", bar)
    assert found, bar
    assert int(found[3].replace(",", "")) == total
    assert len(found[1]) == min(40, total * 40 // LIMIT)
    assert len(found[1] + found[2]) == 40


def test_the_context_as_json(lived: World) -> None:
    told_of = rows(told(lived, "context", "--json"))
    assert [row["entry"] for row in told_of] == [entry.number for entry in lived.session.entries]
    faded = next(row for row in told_of if row["state"] == "faded")
    assert 1 <= faded["relevance"] <= 10
    assert faded["gist"]
    assert [row["kept"] for row in told_of].count(True) == 1
    assert set(told_of[0]) == {"entry", "kind", "age", "tokens", "state", "relevance", "kept", "id", "gist"}


def test_the_limit_is_the_settings(tmp_path: Path) -> None:
    with living(tmp_path, talking(), 64_000) as lived:
        chat(lived, 2)
        assert " of 64,000 tokens" in told(lived, "context")


def test_a_picture_has_the_size_that_it_has_for_the_model_which_answers(tmp_path: Path) -> None:
    shows = iter(["READ_FILE cat.png", "A cat."])
    with living(tmp_path, lambda messages, call: next(shows), 64_000) as lived:
        (lived.session.path / "cat.png").write_bytes(png(1000, 1000))
        lived.say("What is it?")
        lived.run()
        before = rows(told(lived, "context", "--json"))
        known = {"scripted": {"sees": media.Senses((media.PICTURE,)).published()}}
        (lived.where.calls / "providers.json").write_text(json.dumps(known))
        after = rows(told(lived, "context", "--json"))
    grown = {one["entry"]: two["tokens"] - one["tokens"] for one, two in zip(before, after, strict=True)}
    shown = next(row["entry"] for row in before if row["kind"] == "TOOL")
    assert grown.pop(shown) > 1000 and not any(grown.values())
