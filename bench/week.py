"""What a week costs when a person pauses and caches go cold: real loop, virtual clock, scripted model, made persons.

`python bench/week.py [--limits 20000 84000] [--persons 0 1 2] [--rest off priced]`: each person writes 262 messages
in a week, in bursts, with as many pauses over five minutes, half an hour, an hour and four hours as three people who
were counted (SNAP CollegeMsg), and tells facts, gives files to read, and asks about what was. The agent is the
product, its clock is replaced; the model is scripted and finds a fact only where its prompt shows it, else it looks
it up. The bill: a token of a prompt costs 1 when fresh (and what writing it into the cache costs), less when the
cache has it, as long as that price's cache keeps a prompt after its last use. Printed, for each price: the cost
beside `off`, what cold starts cost, the share of told facts that stand in the prompt, look-ups, rests, and messages
that waited for a summary.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

import common
import forget_lives as lives
from forget import shared
from forget_lives import PARTS, ROOM
from forget_model import ASKED, SHOWN
from world import World  # type: ignore[import-not-found]

import agent
from dotagent.providers.offline_rules.view import entries
from dotagent.store import queue, requests
from dotagent.store.queue import Call, Outcome
from dotagent.store.requests import ChatMessage
from dotagent.text import times, tokens

START = times.parse("2026-11-23T08:00:00.000000Z").timestamp()
BUCKETS = ((300, 1800), (1800, 3600), (3600, 14_400), (14_400, 80_000), (86_400, 100_000))
PERSONS = ((55, 39, 32, 13, 0), (48, 20, 14, 9, 1), (78, 21, 13, 8, 1))  # pauses longer than each bucket's beginning
MESSAGES, FACTS, JOBS = 262, 20, 49
LOOKS = (43, 46, 35)  # questions that look back
SPEED, BEGIN = 60.0, 2.0  # tokens of an answer a second, and seconds until it begins
BEHIND = 20.0  # seconds that a request outside the conversation takes
FACT = re.compile(r"My [^.]* of \d+ is [a-z ]+\.")
ASKS_FACTS = "facts about themselves"  # how SUMMARISE.md asks for a person's facts
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


@dataclass(frozen=True)
class Said:
    """A message: when, what, the fact it tells or asks for (its word), the file it concerns."""

    at: float
    text: str
    kind: str
    word: str = ""
    files: tuple[str, ...] = ()


def made(person: int) -> tuple[list[Said], dict[str, str]]:
    """The person's week, and the files."""
    draw = random.Random(100 + person)
    over = (*PERSONS[person], 0)
    pauses = [draw.uniform(low, high) for at, (low, high) in enumerate(BUCKETS) for _ in range(over[at] - over[at + 1])]
    gaps = pauses + [draw.uniform(15, 240) for _ in range(MESSAGES - len(pauses))]
    draw.shuffle(gaps)
    kinds = ["fact"] * FACTS + ["job"] * JOBS + ["ask"] * LOOKS[person]
    kinds += ["chat"] * (MESSAGES - len(kinds))
    draw.shuffle(kinds)
    words = [f"{one} {other}" for one, other in product(LOOKS_LIKE, WHAT)]  # ordinary ones, but each only once
    draw.shuffle(words)
    files, told, said, at = dict[str, str](), list[Said](), list[Said](), START
    for number, (gap, kind) in enumerate(zip(gaps, kinds, strict=True)):
        at += gap
        if kind == "ask" and not told:
            kind = "chat"
        one = Said(at, f"{prose(draw.choice((12, 25, 60)), draw)} What do you think?", "chat")
        if kind == "fact":
            what, word = draw.choice(THINGS), words.pop()
            one = Said(at, f"{prose(20, draw)} My {what} of {number} is {word}. {prose(15, draw)}", "fact", word)
        elif kind == "job":
            names = tuple(f"part-{number}-{each}.txt" for each in range(draw.choice((1, 2, 2, 2))))
            for name in names:
                seal = words.pop()
                body = prose(draw.randrange(250, 2200), draw)
                files[name] = f"The seal of {name} is {seal}.\n{body}\n"
            seal = files[names[0]].split(" is ")[1].split(".\n")[0]
            one = Said(at, f"Please read {' and '.join(names)} and tell me what matters.", "job", seal, names)
        elif kind == "ask":
            about = draw.choice(told[-30:])
            what = (
                about.text.split(" My ")[-1].split(" is ")[0] if about.kind == "fact" else f"seal of {about.files[0]}"
            )
            one = Said(at, f"What was the {what} again?", "ask", about.word, about.files)
        said.append(one)
        told += [one] if one.kind in ("fact", "job") else []
    return said, files


def prose(size: int, draw: random.Random) -> str:
    """Sentences of about so many tokens."""
    told = [f"{' '.join(map(draw.choice, PARTS))}.".capitalize() for _ in range(max(1, round(size / SENTENCE)))]
    return " ".join(told)


SENTENCE = 13  # tokens of one, about
THINGS = "locker number,dentist,sister's street,bank advisor,tax number,landlord,allergy,train,doctor,hotel".split(",")
LOOKS_LIKE = "amber,bitter,copper,dusty,eager,faded,gentle,hollow,ivory,jagged,kindly,lunar,mossy,narrow".split(",")
WHAT = "anvil,bonnet,candle,dahlia,easel,flagon,goblet,hatbox,inkpot,jigsaw,ladle,mitten,napkin,oboe".split(",")


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

    def answer(self, messages: list[ChatMessage], call: Call) -> tuple[str, dict[str, int]]:
        """The answer and its usage."""
        text = "".join(f"<|{one['role']}|>\n{one['content']}" for one in messages)
        words = self._live(text) if call.kind == "live" else _compacted(messages)
        return words, self._bill(text.encode(), tokens.estimate(words), call.kind)

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
        return usage


def _compacted(messages: Sequence[ChatMessage]) -> str:
    """Parts with summaries in as many words as asked for, and what stands of the person."""
    asked = messages[-1]["content"]
    first, last = (int(one) for one in [*ASKED.finditer(asked)][-1].groups()[1:])
    most = int([*re.finditer(r"at most (\d+) words", asked)][-1][1])
    said = [(int(number), body) for number, _, body in entries(messages) if number and first <= int(number) <= last]
    shown = [(int(a), int(b), f"{a}-{b} {rank} {what}") for a, b, rank, what in SHOWN.findall(asked)]
    if not shown:
        return f"relevance: 5\ngist: a talk\n\n{_part([body for _, body in said], most, ASKS_FACTS in asked)}"
    rows = list[str]()
    for a, b, line in shown:
        own = [body for number, body in said if a <= number <= b]
        rows.append(f"{line}\n{_part(own, most // len(shown), ASKS_FACTS in asked)}")
    return "\n\n".join(rows)


def _part(bodies: Sequence[str], words: int, facts: bool) -> str:
    """Every so many-th sentence, so that a summary keeps a fact by chance only; and the facts, if the request asks for
    them."""
    told = [one for body in bodies for one in FACT.findall(body)]
    stands = [f"standing: {one}" for one in dict.fromkeys(told)] if facts else []
    sentences = [one for body in bodies for one in re.findall(r"[A-Z][^.:]{10,160}\.", body)]
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


def lived(path: Path, person: int, limit: int, rest: str, tier: str) -> Row:
    """A week, lived."""
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
            return Row(model.bills, sum(model.sights) / len(model.sights), model.lookups, model.missed, rests,
                       lives.count(here, "SWAP"), week.waited, model.largest)  # fmt: skip
    finally:
        time.time = real


def _job(given: tuple[Path, int, int, str, str]) -> Row:
    path, person, limit, rest, tier = given
    found = lived(path / f"{person}-{limit}-{rest}-{tier.replace(' ', '-')}", *given[1:])
    print(*given[1:], found, file=sys.stderr, flush=True)
    return found


def main() -> None:
    """Live the weeks, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limits", type=int, nargs="+", default=[20_000, 84_000])
    parser.add_argument("--persons", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--rest", nargs="+", default=["off", "priced"])
    parser.add_argument("--prices", nargs="+", default=[*TIERS])
    parser.add_argument("--jobs", type=int, default=2, help="weeks at once")
    asked = parser.parse_args()
    first = asked.prices[0]
    kinds = [(limit, rest, tier) for limit, rest, tier in product(asked.limits, asked.rest, asked.prices)
             if rest != "off" or tier == first]  # fmt: skip
    with common.scratch(lives.MEMORY if lives.MEMORY.is_dir() else None) as scratch:
        given = [(scratch, person, *kind) for kind in kinds for person in asked.persons]
        with ProcessPoolExecutor(asked.jobs) as pool:
            found = dict(zip([one[1:] for one in given], pool.map(_job, given), strict=True))
    for limit in asked.limits:
        rows = list[list[str]]()
        for rest, tier in product(asked.rest, asked.prices):
            own = [found[person, limit, rest, tier if rest != "off" else first] for person in asked.persons]
            base = [found[person, limit, "off", first] for person in asked.persons] if "off" in asked.rest else own
            rows.append(row(rest, tier, own, base))
        heads = ("rest", "price", "cost, thousands", "beside off", "cold starts, %", "requests beside, %",
                 "facts in sight, %", "look-ups", "missed", "rests", "swaps", "waited", "largest")  # fmt: skip
        print(f"\nlimit {limit:,}, {len(asked.persons)} persons\n")
        common.markdown(heads, rows)


def row(rest: str, tier: str, own: Sequence[Row], base: Sequence[Row]) -> list[str]:
    """A line of the table: means of the persons."""
    count, cost = len(own), sum(one.costs[tier].cost for one in own)
    cold, beside = (sum(getattr(one.costs[tier], what) for one in own) / cost for what in ("cold", "beside"))
    ratio = sum(one.costs[tier].cost / other.costs[tier].cost for one, other in zip(own, base, strict=True)) / count
    means = [f"{sum(getattr(one, what) for one in own) / count:.1f}" for what in
             ("lookups", "missed", "rests", "swaps", "waited")]  # fmt: skip
    sight, largest = sum(one.sight for one in own) / count, max(one.largest for one in own)
    return [rest, tier, f"{cost / count / 1000:,.0f}", f"{ratio:.2f}", f"{100 * cold:.0f}", f"{100 * beside:.0f}",
            f"{100 * sight:.0f}", *means, f"{largest:,}"]  # fmt: skip


if __name__ == "__main__":
    main()
