"""Long lives for the benches: a life that was really booted, talked and swapped, with any number of events in its past.

The past is put as bytes, in the real format, between the birth and the talk before the last swap, which covers it: so
LIFE is as long as one likes within seconds, and all that the life still looks at is real. Blobs of such a past are
named and are not there; nothing but `doctor` and RECALL would ask for them. `long` makes a life whose messages and
answers are there, under trees of summaries: it takes longer.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import common

from dotagent.compaction import tree
from dotagent.compaction.tree import Member
from dotagent.life import context, tally
from dotagent.life.compaction_events import Fade
from dotagent.life.events import Faded, Hear, Reply, Swap
from dotagent.life.state import State, change
from dotagent.providers.server import cost
from dotagent.store import disk, log
from dotagent.store.blobs import Blobs, content_id, encode
from dotagent.store.home import Home
from dotagent.store.log import Line
from dotagent.text import tag, times

EVERY = timedelta(seconds=5)  # an event
GIST = "ana: which seat did I book on the flight to Tokyo in May, and is it a window"
TEXT = "The quick brown fox jumps over the lazy dog, and then it goes on to the next hill. " * 6  # about 140 tokens


def make(path: Path, events: int, tokens: int) -> tuple[Home, str]:
    """A sleeping life of about so many events and, since its last swap, a context of about so many tokens."""
    where = common.make_home(path)
    self_id = common.born(where)
    path = where.agent(self_id) / "LIFE.md"
    age(path, EVERY * events)
    with common.living(where, self_id) as living:
        session = living.session
        living.turn("hello", "hello")
        session.swap(session.entries, Swap("bench"), _restating(session.state))
        while session.tokens < tokens:
            living.turn(TEXT, TEXT)
    there = path.read_bytes().count(b"\n")
    _bury(path, max(0, events - there))
    return where, self_id


YEARS = timedelta(days=4 * 365)
WORDS = [f"word{number}" for number in range(3000)]


def long(path: Path, turns: int) -> tuple[Home, str]:
    """A sleeping life of so many turns in four years, most of which faded into trees of summaries."""
    where = common.make_home(path)
    self_id = common.born(where)
    life, store = where.agent(self_id) / "LIFE.md", where.store()
    age(life, YEARS)
    born = life.read_bytes()
    members, lines = list[Member](), list[Line]()
    for number in range(turns):
        turn = list(
            _turn(store, self_id, number, datetime.now(UTC) - YEARS * (1 - number / turns) - timedelta(hours=1))
        )
        members += [Member(len(members) + 9 + at, one) for at, one in enumerate((turn[0], turn[2]))]
        lines += turn
    with common.living(where, self_id) as living:
        session = living.session
        faded = []
        for start in range(0, len(members), max(1, len(members) // 8)):  # a node of leaves for each half a year
            run = members[start : start + max(1, len(members) // 8)]
            entries = [context.Entry(one.number, one.line, one.line.detail, None) for one in run]
            id, words = tree.keep(store, self_id, entries, "half a year"), session.keep(_words(60), "half a year")
            span = f"{run[0].number}-{run[-1].number}"
            detail = Faded(span, 5, words).detail()
            faded.append(Line(run[0].line.at, Faded.WORD, detail, id, "half a year"))
            later = stamp(times.parse(lines[-1].at) + timedelta(microseconds=1))
            told = Fade(span, "limit", 5, "9000->120").detail()
            lines.append(Line(later, Fade.WORD, told, id, "half a year"))
        shown = [context.entry(one, members[0].number, lambda id: store.get(id).body, session.share) for one in faded]
        used = change(session.state.used, day=times.local_day(times.now()))  # as at a swap after an answer
        state = change(session.state, number=members[-1].number, used=used)
        session.swap([one for one in shown if one], Swap("bench"), _restating(state))
    past = "".join(f"{log.render(one)}\n" for one in lines).encode()
    life.write_bytes(born + past + life.read_bytes()[len(born) :])
    while tally.extend(life.parent, partial(cost.usage_of_answer, prices={}), {}):  # as an agent does at its swaps
        pass
    with common.living(where, self_id) as living:
        for _ in range(20):
            living.turn(TEXT, TEXT)
    return where, self_id


def _turn(store: Blobs, self_id: str, number: int, at: datetime) -> Iterator[Line]:
    """A message, the request, the answer, and its saying."""
    said, answer = tag.render("USER", "ana", stamp(at), _words(20)), _words(50)
    told = {"finish": "stop", "provider": common.SCRIPTED, "model": "script", "input": str(9000 + number % 9000)}
    told["output"] = "60"
    asked = content_id(b"a request")
    of = [
        ("HEAR", Hear("dev", number, "0123456789ab", "", "person", "USER:ana").detail(), said),
        ("ASK", "scripted dev 9000", None),
        ("REPLY", Reply("dev", told).detail(), answer),
        ("EFFECT", f"SAY dev {number} {stamp(at)}", ""),
        ("DID", "SAY", ""),
    ]
    for step, (event, detail, text) in enumerate(of):
        then = stamp(at + timedelta(milliseconds=step))
        id = put(store, self_id, text, then) if text else asked if text is None else ""
        yield Line(then, event, detail, id, (text or "a request")[:60].strip() if id else "")


def put(store: Blobs, self_id: str, text: str, at: str, parent: str = "") -> str:
    """Store a blob as `Blobs.put` does, without a temporary file: there are many."""
    data = encode(text.encode(), at=at, gist=text[:60].strip(), parent=parent, agent=self_id)
    path = store.path(id := content_id(data))
    disk.make_dir(path.parent, durable=False)
    path.write_bytes(data)
    return id


def _words(count: int) -> str:
    return " ".join(random.choices(WORDS, k=count))


def _restating(state: State) -> State:
    return change(state, forgetting=change(state.forgetting, restate=True))


def age(path: Path, by: timedelta) -> None:
    """Move the events of a sleeping life into the past."""
    with open(path, "r+b") as file:
        old = [log.parse(line) for line in file.read().split(b"\n")[:-1]]
        file.seek(0)
        for line in old:
            assert line
            at = stamp(times.parse(line.at) - by - timedelta(days=1))
            file.write(log.render(replace(line, at=at)).encode() + b"\n")


def _bury(log: Path, events: int) -> None:
    """Put so many events behind a life's first sleep."""
    data = log.read_bytes()
    cut = data.index(b"\n", data.index(b" SLEEP")) + 1
    first = times.parse(data[:cut].split(b"\n")[-2][:27].decode())
    step = (datetime.now(UTC) - timedelta(minutes=10) - first) / (events + 1)
    with open(log, "wb") as file:
        file.write(data[:cut])
        for number, event in zip(range(1, events + 1), _past(), strict=False):
            file.write(f"{stamp(first + step * number)} {event}\n".encode())
        file.write(data[cut:])


def stamp(at: datetime) -> str:
    return at.isoformat(timespec="microseconds")[:26] + "Z"


def _past() -> Iterator[str]:
    """Turns of a message, a tool and an answer."""
    chance, offset = random.Random(2), 0

    def named() -> str:
        return f"◱hash={chance.getrandbits(128):032x} gist={GIST}◲"

    while True:
        offset += chance.randrange(40, 400)
        used = f"finish=stop model=script input={offset % 60000} output=40"
        yield f"HEAR dev {offset} {chance.getrandbits(48):012x} USER:ana {named()}"
        yield f"ASK scripted dev {named()}"
        yield f"REPLY dev {used} {named()}"
        yield f"TOOL READ_FILE ok {named()}"
        yield f"ASK scripted dev {named()}"
        yield f"REPLY dev {used} {named()}"
        yield f"SAY dev {offset} 2026-11-21T20:17:24.123456Z"
        yield "DID SAY"
