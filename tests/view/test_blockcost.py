"""What a block has cost: its part of every answer since it entered."""

from __future__ import annotations

import pytest
from remembered import LIMIT, remembered
from served import served

from dotagent.capabilities.view import origin
from dotagent.capabilities.view.blockcost import AnswerSums
from dotagent.capabilities.view.frames import Scenes
from dotagent.store import log
from dotagent.store.log import Line

PRICES = {"m": {"input": 1.0, "cached": 0.1, "output": 2.0}}


def test_a_token_costs_its_part_of_each_prompt_since_it_came() -> None:
    made = AnswerSums(0)
    for second, told in enumerate(("input=1000 cached=500 model=m", "input=1000 model=m", "input=9 model=other")):
        made.add(Line(f"2026-11-21T20:17:0{second}.000000Z", "REPLY", f"dev finish=stop {told}", "0" * 32, ""), PRICES)
    assert made.since("2026-11-21T20:16:59.000000Z") == (3, 0.5, pytest.approx(1.55))
    assert made.since("2026-11-21T20:17:00.000000Z") == (2, 0.0, pytest.approx(1.0))  # the answer itself
    assert made.since("2026-11-21T20:17:01.500000Z") == (1, 0.0, None)  # no answer since then has a price
    assert made.since("2027-01-01T00:00:00.000000Z") == (0, 0.0, None)


@pytest.mark.night
def test_a_block_took_part_in_the_prompts_that_held_it() -> None:
    pytest.importorskip("uvicorn", reason="the extra view is not installed")
    with remembered() as life, served(life.where) as page, page.opened() as client:
        told = client.get(f"/api/cost/{life.self_id}/blocks").json()
        scenes = Scenes(life.where, LIMIT)
        end = scenes.swaps(life.self_id)[2]
        frame = scenes.at(life.self_id, end).frame(end)
        rows = {row[0]: dict(zip(told["fields"], row, strict=True)) for row in told["rows"]}
        assert rows.keys() == {entry.number for entry in frame.entries} and told["more"] == 0
        for entry in frame.entries[-4:]:
            row, about = rows[entry.number], origin.describe_entry(scenes, life.self_id, entry.number, end)
            assert (row["tokens"], row["prompts"]) == (frame.tokens(entry), about["sent"]), row
        summary = next(row for row in rows.values() if row["kind"] == "summaries")
        fades = {line.at for line in log.lines(life.where.agent(life.self_id) / "LIFE.md") if line.event == "FADE"}
        assert summary["since"] in fades  # not since its first original came
        assert sum(one["blocks"] for one in told["kinds"]) == len(frame.entries)
        assert sum(one["tokens"] for one in told["kinds"]) == sum(map(frame.tokens, frame.entries))
