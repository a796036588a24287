"""usage: what LIFE says that answers took, counted by agent, provider, model and day."""

from __future__ import annotations

import json
from contextlib import redirect_stderr, redirect_stdout
from datetime import date, timedelta
from functools import partial
from io import StringIO

import pytest
from world import world

from dotagent import commands
from dotagent.errors import Misuse
from dotagent.life import tally
from dotagent.providers.server import cost
from dotagent.store import disk, log
from dotagent.store.home import SETTINGS, Home
from dotagent.store.queue import Call
from dotagent.store.requests import ChatMessage

ONE, TWO = "0123456789abcdef" * 2, "fedcba9876543210" * 2
BLOB = "b" * 32


def live(where: Home, self_id: str, *events: tuple[str, str] | tuple[str, str, str]) -> None:
    """Write a LIFE of these events: each its name, its detail, perhaps the id it names."""
    disk.make_dir(where.agent(self_id))
    lines = []
    for number, (event, detail, *id) in enumerate(events):
        day = date(2026, 11, 1) + timedelta(days=number // 4)
        reference = f" ◱hash={id[0]} gist=x◲" if id else ""
        lines.append(f"{day}T00:00:00.{number:06}Z {event} {detail}{reference}\n")
    (where.agent(self_id) / "LIFE.md").write_text("".join(lines))


def shown(where: Home, *words: str) -> str:
    with redirect_stdout(StringIO()) as out:
        assert commands.run("usage", ["--home", str(where.root), *words]) == 0
    return out.getvalue()


def rows(where: Home, *words: str) -> dict[tuple[str, str], dict[str, int]]:
    found = [json.loads(line) for line in shown(where, "--json", *words).split("\n")[:-1]]
    return {(row.pop("by"), row.pop("name")): row for row in found}


LIFE = (
    ("BOOT", "private ana", ONE),
    ("ASK", "deepseek dev 1200", BLOB),
    ("REPLY", "dev finish=stop model=deepseek-v4-pro input=1000 cached=600 output=50 reasoning=20", BLOB),  # an old one
    ("ASK", "ollama dev 1200", BLOB),
    ("REPLY", "dev finish=stop provider=ollama model=qwen3:8b input=2000 output=10 upstream=x", BLOB),
    ("SEGMENT", "1 9 1 limit", BLOB),
    ("USAGE", "provider=openrouter model=openai/gpt-5.2 input=500 output=5 cost=1234", "c" * 32),
    ("USAGE", "provider=openrouter model=openai/gpt-5.2 input=500 output=5 cost=1234", "c" * 32),  # a death between
    ("SUMMARY", "1-9 x 5", BLOB),
    ("USAGE", "provider=openrouter model=openai/gpt-5.2 input=500 output=5 cost=1234", "d" * 32),
    ("SWAP", "limit tokens=9->5", BLOB),
    ("FAIL", "rate retryable", BLOB),
)


def test_all_that_was_used_is_counted_once(where: Home) -> None:
    live(where, ONE, *LIFE)
    live(where, TWO, ("BOOT", "group", TWO), ("ASK", "offline dev 3", BLOB), ("REPLY", "dev finish=stop", BLOB))
    found = rows(where)
    assert {key for key in found if key[0] == "agent"} == {("agent", ONE), ("agent", TWO)}
    assert found["agent", ONE] == {
        "calls": 4, "input": 4000, "cached": 600, "output": 70, "reasoning": 20, "cold": 0, "cold_cost": 0, "rests": 0,
        "rested": 0, "rested_cost": 0, "cost": 2468, "computed": 0, "unpriced": 2, "estimated": 0,
    }  # fmt: skip
    assert found["agent", TWO]["calls"] == 1 and found["agent", TWO]["unpriced"] == 0
    assert {name: row["input"] for (by, name), row in found.items() if by == "provider"} == {
        "deepseek": 1000, "offline": 0, "ollama": 2000, "openrouter": 1000,
    }  # fmt: skip
    assert {name: row["calls"] for (by, name), row in found.items() if by == "day"} == {
        "2026-11-01": 2, "2026-11-02": 2, "2026-11-03": 1,
    }  # fmt: skip
    assert set(rows(where, TWO[:8])) == {("agent", TWO), ("provider", "offline"), ("day", "2026-11-01")}
    assert [name for _, name in rows(where, "--by", "model")] == ["-", "deepseek-v4-pro", "openai/gpt-5.2", "qwen3:8b"]


def test_what_no_answer_told_is_computed_and_marked(where: Home) -> None:
    live(where, ONE, *LIFE)
    (where.root / "dotagent.toml").write_text('[prices."deepseek"]\ninput = 1\ncached = 0.1\noutput = 10\n')
    one = rows(where, "--by", "agent")["agent", ONE]
    assert (one["cost"], one["computed"], one["unpriced"]) == (2468 + 400 + 60 + 500, 960, 1)
    table = shown(where, "--by", "provider").split("\n")
    assert [line.split()[0] for line in table[:-1]] == ["provider", "deepseek", "ollama", "openrouter", "all"]
    assert [line.split()[-1] for line in table[1:-1]] == ["~$0.0010", "-", "$0.0025", "~$0.0034+"]
    assert table[1].split()[1:4] == ["1", "1,000", "60%"]
    assert shown(where).count("\n\n") == 2  # by agent, provider and day


def test_a_budget_in_dollars_that_does_not_count_a_model_is_told(where: Home) -> None:
    reply = "dev finish=stop provider={} model={} input=1000 output=50"
    mine, free = reply.format("openai", "m1"), reply.format("ollama", "qwen3")
    priced = f"{reply.format('openrouter', 'some/model')} cost=1234"
    for replies, named in (((priced, free), ""), ((priced, mine, free), "the price of m1 is unknown")):
        live(where, ONE, ("BOOT", "private ana", ONE), *(("REPLY", one, BLOB) for one in replies))
        (where.root / SETTINGS).write_text("[budget]\ndollars_a_day = 2\n")
        with redirect_stderr(StringIO()) as err:
            shown(where)
        assert named in err.getvalue() and bool(err.getvalue()) == bool(named)
        (where.root / SETTINGS).write_text("[budget]\ntokens_a_day = 2\n")
        with redirect_stderr(StringIO()) as err:
            shown(where)
        assert err.getvalue() == ""


def test_tokens_that_nobody_told_are_marked(where: Home) -> None:
    lost = ("USAGE", "provider=local model=m input=300 output=9 estimated=1", "e" * 32)
    live(where, ONE, *LIFE[:4], ("REPLY", "dev finish=stop provider=local model=m input=2000 output=10", BLOB), lost)
    assert rows(where)["provider", "local"]["estimated"] == 1
    (line,) = [one.split() for one in shown(where, "--by", "provider").split("\n") if one.startswith("local")]
    assert line[1:5] == ["2", "~2,300", "0%", "~19"]


def test_lines_that_somebody_changed_are_passed_over(where: Home) -> None:
    strange = ("REPLY", "dev model= input=x cached=-3 output=٣ =5 cost", "0" * 32)
    live(where, ONE, strange, ("REPLY", "", "1" * 32), ("USAGE", "input=7"), ("REPLY", "dev names=no blob"))
    found = rows(where, "--by", "provider")
    assert found["provider", "-"]["calls"] == 3 and found["provider", "-"]["input"] == 7


def test_what_a_cache_dropped_in_a_pause_is_told(where: Home) -> None:
    """Neither a prompt that a swap changed, nor one of a model that never read from a cache."""
    said = "dev provider=p model={} input={} cached={}"
    prompts = [("m", 3000, 0), ("m", 3100, 2990), ("m", 3200, 0), ("n", 5000, 0), ("n", 5100, 0), ("m", 3300, 0)]
    live(where, ONE, *[("REPLY", said.format(*one), BLOB) for one in prompts])
    assert rows(where, "--by", "model")["model", "m"]["cold"] == 3100
    path = where.agent(ONE) / "LIFE.md"
    path.write_bytes(path.read_bytes() + line("REPLY dev provider=p model=m input=3400 cached=100"))
    found = rows(where)
    assert found["agent", ONE]["cold"] == 3100 + 3200 and found["day", "2028-01-01"]["cold"] == 3200
    swapped = line("SWAP rest tokens=3400->900") + line("REPLY dev provider=p model=m input=900")
    path.write_bytes(path.read_bytes() + swapped)
    assert rows(where)["agent", ONE]["cold"] == 6300
    told = "After pauses, the providers' caches no longer contained 6,300 tokens of the prompts"
    assert f"{told} (23% of all input tokens)\n" in shown(where)
    assert "1 summary in a pause made later prompts 2,500 tokens shorter\n" in shown(where)


def test_what_pauses_cost_and_rests_saved_is_told_by_todays_prices(where: Home) -> None:
    (where.root / SETTINGS).write_text("[prices.m]\ninput = 2\ncached = 0.5\nwritten = 2.5\noutput = 10\n")
    said = "dev provider=p model=m input={} cached={}"
    prompts = [("REPLY", said.format(*one), BLOB) for one in ((30_000, 0), (31_000, 30_000), (32_000, 0))]
    live(where, ONE, *prompts, ("SWAP", "rest tokens=32000->8000", BLOB), ("SWAP", "limit tokens=8000->4000", BLOB))
    one = rows(where)["agent", ONE]
    assert (one["cold"], one["cold_cost"], one["rests"]) == (31_000, 62_000, 1)
    assert (one["rested"], one["rested_cost"]) == (24_000, 60_000)
    told = shown(where)
    assert "(33% of all input tokens), so the prompts cost about $0.0620 more\n" in told
    assert "24,000 tokens shorter, so these prompts cost about $0.0600 less\n" in told


def test_what_was_counted_is_not_read_again(where: Home) -> None:
    """Sums are kept: LIFE is read on from where the last look ended, and anew where they are not its sums."""
    live(where, ONE, *[("REPLY", f"dev provider=p model=m input={1000 + number}", BLOB) for number in range(300)])
    path = where.agent(ONE) / "LIFE.md"
    first = sum(range(1000, 1300))

    def sums() -> int:
        return rows(where, "--by", "agent")["agent", ONE]["input"]

    assert sums() == first
    path.write_bytes(path.read_bytes().replace(b"input=1000", b"input=9000") + line("REPLY dev input=5"))
    assert sums() == first + 5
    assert sums() == first + 5
    path.write_bytes(path.read_bytes() + b"2028-02-01T00:00:00.000000Z REPLY dev input=9 torn")
    assert sums() == first + 5
    (where.agent(ONE) / "run/usage.json").write_text("{}")
    assert sums() == first + 8005
    path.write_bytes(path.read_bytes().replace(b"2028-01-01", b"2028-01-02").replace(b"input=9000", b"input=1000"))
    assert sums() == first + 5  # what stands where the last look ended is another event
    (where.root / "dotagent.toml").write_text('[prices."m"]\ninput = 2\noutput = 10\n')
    assert rows(where, "--by", "agent")["agent", ONE]["cost"] == 2 * first


def test_an_agent_counts_its_log_in_parts(where: Home) -> None:
    """Whichever part a kill keeps from the file, the sums are those of the whole log, and it is read only once."""
    live(where, ONE, *LIFE * 3)
    whole = rows(where)
    folder, count = where.agent(ONE), partial(cost.usage_of_answer, prices={})
    kept = folder / tally.FILE
    kept.unlink()
    parts = 0
    while tally.extend(folder, count, {}, most=300):
        parts += 1
        before = kept.read_bytes()
        tally.extend(folder, count, {}, most=300)
        kept.write_bytes(before)  # as after a kill
    assert parts > 5
    path = folder / "LIFE.md"
    assert json.loads(kept.read_bytes())["end"] == path.stat().st_size
    path.write_bytes(path.read_bytes().replace(b"input=1000", b"input=9000"))
    assert rows(where) == whole
    path.write_bytes(path.read_bytes()[:400])  # the log of an older backup
    assert not tally.extend(folder, count, {})
    assert rows(where)["provider", "deepseek"]["input"] == 9000


def test_an_agent_leaves_sums_for_other_prices_alone(where: Home) -> None:
    live(where, ONE, *LIFE)
    (where.root / "dotagent.toml").write_text('[prices."deepseek"]\ninput = 1\noutput = 10\n')
    shown(where)
    kept = (where.agent(ONE) / tally.FILE).read_bytes()
    live(where, ONE, *LIFE * 2)
    assert not tally.extend(where.agent(ONE), partial(cost.usage_of_answer, prices={}), {})
    assert (where.agent(ONE) / tally.FILE).read_bytes() == kept


def test_a_line_with_a_wrong_time_or_number_is_not_counted(where: Home) -> None:
    live(where, ONE, ("REPLY", "dev provider=p input=5", BLOB))
    path = where.agent(ONE) / "LIFE.md"
    huge = b"9" * 5000
    path.write_bytes(b"2026-10-32T00:00:00.000000Z REPLY dev provider=p input=7\n" + path.read_bytes())
    path.write_bytes(path.read_bytes() + line(f"REPLY dev provider=p input={huge.decode()}"))
    assert rows(where)["provider", "p"]["input"] == 5


def line(event: str) -> bytes:
    return f"2028-01-01T00:00:00.000000Z {event} ◱hash={BLOB} gist=x◲\n".encode()


def test_a_death_between_two_looks_counts_an_answer_once(where: Home) -> None:
    live(where, ONE, *LIFE[:7])
    assert rows(where)["provider", "openrouter"]["calls"] == 1
    live(where, ONE, *LIFE)
    assert rows(where)["provider", "openrouter"]["calls"] == 2
    assert rows(where)["provider", "deepseek"]["calls"] == 1


@pytest.mark.slow
def test_it_fits_on_a_screen(where: Home) -> None:
    day = ("REPLY", "dev provider=p model=m input=1", BLOB)
    for number in range(30):
        live(where, f"{number:02x}" * 16, *[day] * (400 + number))
    told = shown(where)
    assert told.count("\n") < 24
    assert [row.split()[:2] for row in told.split("\n") if "earlier" in row] == [["104", "earlier"]]
    most = [f"{number:02x}" * 6 for number in range(26, 30)]  # the agents that used most
    assert [row.split()[:2] for row in told.split("\n")[1:6]] == [
        [name, f"{calls}"] for name, calls in zip(most, range(426, 430), strict=True)
    ] + [["26", "others"]]
    every = shown(where, "--all", "--by", "day").split("\n")
    assert len(every) == 1 + 108 + 1 + 1
    assert every[-2] == shown(where, "--by", "day").split("\n")[-2]
    assert sum(int(row["calls"]) for row in rows(where, "--by", "month").values()) == sum(range(400, 430))


def test_a_home_without_anything_and_a_wrong_word(where: Home) -> None:
    assert rows(where) == {}
    assert shown(where) == "no usage yet\n"
    with pytest.raises(Misuse):
        commands.run("usage", ["--home", str(where.root), "--by", "moon"])


# --- how it comes into LIFE


class Compacting:
    """A model whose first answer beside the conversation cannot be read."""

    def __init__(self) -> None:
        self.background = 0

    def __call__(self, messages: list[ChatMessage], call: Call) -> str:
        if call.kind == "live":
            return "Noted."
        self.background += 1
        if "SEGMENT the entries" in messages[-1]["content"]:
            return "nothing that could be read"
        return "relevance: 3\ngist: talk\n\nThey talked."


def test_what_calls_beside_the_conversation_used_reaches_life(where: Home) -> None:
    """Each once, also those whose answer could not be read; before anything of them leaves the spool."""
    model = Compacting()
    with world(where.root, model) as here:
        here.tokens = lambda messages: 2000
        for number in range(12):
            here.say(f"message {number} " + "of some words that say nothing in particular. " * 20)
            here.run()
        (here.session.path / "run/fade").touch()
        here.run()
        lines = list(log.lines(here.session.path / "LIFE.md"))
        used = [line for line in lines if line.event == "USAGE"]
        assert model.background > 2
        assert len({line.id for line in used}) == len(used) == model.background
        assert {line.detail for line in used} == {"provider=scripted model=- input=2000"}
        assert b"nothing that could be read" in [here.where.store().get(line.id).body for line in used]
        assert not list((where.calls / "done").glob("*/*"))
        swap = max(line.end for line in lines if line.event == "SWAP")
        assert json.loads((here.session.path / tally.FILE).read_bytes())["end"] >= swap  # so `usage` reads little
    found = rows(where, "--by", "provider")["provider", "scripted"]
    assert found["calls"] == model.background + 12
    assert found["input"] == 2000 * found["calls"]


def test_by_kind_the_conversation_is_apart_from_the_background(where: Home) -> None:
    told = "provider=local model=m input=100 output=10"
    live(where, ONE, ("REPLY", f"dev finish=stop {told}", BLOB), ("USAGE", told, BLOB), ("USAGE", told, "c" * 32))
    found = rows(where, "--by", "kind")
    assert {name: row["calls"] for (_, name), row in found.items()} == {"conversation": 1, "background": 2}
