"""The live context as a table with a bar, or as JSON."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from exhibited import png
from lives import chat, lines, living, setting, talking, watched
from looking import LIMIT, rows, told
from support import run
from world import World

from dotagent.life import events
from dotagent.life.context import tokens_of
from dotagent.text import media
from dotagent.text.senses import Senses


@pytest.mark.slow
def test_the_context_is_a_table_with_a_bar(lived: World) -> None:
    chat(lived, 1)  # the first request since its start tells how long the fixed part is
    heads, *rows, blank, bar, parts, fades = told(lived, "context").removesuffix("\n").split("\n")
    assert (heads.split(), blank) == (["entry", "kind", "age", "tokens", "state", "relevance", "gist"], "")
    assert len(rows) == len(lived.session.entries)
    states = []
    for row, entry in zip(rows, lived.session.entries, strict=True):
        found = re.fullmatch(r"#(\d+) +([A-Z]+) +(\d+[smhd]) +(\d+)  (live|faded|kept|bare)(?: +(\d*)  ?(.*))?", row)
        assert found, row
        assert (int(found[1]), found[2], int(found[4])) == (entry.number, entry.event, entry.tokens)
        assert bool(found[6]) == (entry.event == "FADED")
        states.append(found[5])
    assert states.count("kept") == 1
    assert states.count("faded") == sum(entry.event == "FADED" for entry in lived.session.entries) > 0
    total = tokens_of(lived.session.entries)
    fixed, whole = lived.session.state.model.fixed, setting(LIMIT)
    found = re.fullmatch(rf"\[(█*)(·*)\] ([\d,]+) of {whole:,} tokens \((\d+) %\), estimated", bar)
    assert found, bar
    assert int(found[3].replace(",", "")) == fixed + total
    assert len(found[1]) == min(40, (fixed + total) * 40 // whole)
    assert len(found[1] + found[2]) == 40
    assert parts == f"The prompt has {fixed:,} fixed tokens, and {total:,} tokens of messages, results and summaries."
    limit = lived.session.limit
    assert fades == f"Summaries replace the oldest messages when the prompt has {fixed + limit:,} tokens."


@pytest.mark.slow
def test_the_context_as_json(lived: World) -> None:
    told_of = rows(told(lived, "context", "--json"))
    assert [row["entry"] for row in told_of] == [entry.number for entry in lived.session.entries]
    faded = next(row for row in told_of if row["state"] == "faded")
    assert 1 <= faded["relevance"] <= 10
    assert faded["gist"]
    assert [row["kept"] for row in told_of].count(True) == 1
    assert set(told_of[0]) == {"entry", "kind", "age", "tokens", "state", "relevance", "kept", "id", "gist"}


def test_the_limit_is_the_settings(tmp_path: Path) -> None:
    with living(tmp_path, talking(), 44_000) as lived:
        chat(lived, 2)
        assert f" of {setting(44_000):,} tokens" in told(lived, "context")


def test_a_setting_that_leaves_no_room_is_named_with_the_least_that_entries_need(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOTAGENT_CONTEXT_LIMIT", "1000")
    with watched(tmp_path, talking()) as eye:
        (eye.lived.where.root / "dotagent.toml").write_text("context_limit = 1000\n")
        chat(eye.lived, 12)
        asked = [one for line in lines(eye.lived, "ASK") if isinstance(one := events.parse(line), events.Ask)]
        most = eye.lived.session.state.model.fixed + 700
        assert lines(eye.lived, "SWAP") and min(one.fixed for one in asked) > 1000
        assert max(one.size - one.fixed for one in asked) <= 700
        shown = told(eye.lived, "context")
        assert (
            "The setting context_limit = 1,000 is too small: messages, results and summaries need at least 700 tokens."
            in shown
        )
        assert f" of {most:,} tokens" in shown
        assert f"  {most:,}  " in run(eye.lived.where, "-m", "dotagent", "status").stdout


@pytest.mark.slow
def test_context_and_status_show_the_same_limit(tmp_path: Path) -> None:
    whole = setting(44_000)
    with living(tmp_path, talking(), 44_000) as lived:
        (lived.where.root / "dotagent.toml").write_text(f"context_limit = {whole}\n")
        chat(lived, 1)
        assert f"  {whole:,}  " in run(lived.where, "-m", "dotagent", "status").stdout
        lived.session.record(events.Window(8_000))
        less = f"{lived.session.state.model.fixed + 11_200:,}"  # 1.4 times what the model's window leaves for entries
        assert f" of {less} tokens" in told(lived, "context")
        assert f"  {less}  " in run(lived.where, "-m", "dotagent", "status").stdout
        assert f"fewer tokens than the setting context_limit = {whole:,}" in told(lived, "context")


def test_a_picture_has_the_size_that_it_has_for_the_model_which_answers(tmp_path: Path) -> None:
    shows = iter(["READ_FILE cat.png", "A cat."])
    with living(tmp_path, lambda messages, call: next(shows), 64_000) as lived:
        (lived.session.path / "cat.png").write_bytes(png(1000, 1000))
        lived.say("What is it?")
        lived.run()
        before = rows(told(lived, "context", "--json"))
        known = {"scripted": {"sees": Senses((media.PICTURE,)).published()}}
        (lived.where.calls / "providers.json").write_text(json.dumps(known))
        after = rows(told(lived, "context", "--json"))
    grown = {one["entry"]: two["tokens"] - one["tokens"] for one, two in zip(before, after, strict=True)}
    shown = next(row["entry"] for row in before if row["kind"] == "TOOL")
    assert grown.pop(shown) > 1000 and not any(grown.values())
