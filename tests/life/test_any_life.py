"""What holds of the state after every event of a life of any kind, and that no line stumbles it."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from folding import MARK, folded, kept
from hypothesis import given, settings
from hypothesis import strategies as st

from dotagent.life import fold
from dotagent.life.event import EVENTS, FORMER
from dotagent.life.fold import apply
from dotagent.life.state import State, change
from dotagent.store import log
from dotagent.store.log import Line, Log

ROOMS = ("dev", "0123456789ab", "a_b-c")
SPEAKERS = ("USER:ana", "OWNER", "USER:discord/eve", "AGENT:9f8e7d6c5b4a", "AGENT:0123456789ab", "USER:山田\u3000太郎")


class Harness:
    """What a life can do next, by its state alone: the loop of agent.py, with a chance in place of the world."""

    def __init__(self, seed: int, path: Path) -> None:
        self.chance = random.Random(seed)
        self.log = Log(path)
        self.state = State()
        self.lines: list[Line] = []
        self.left = 0  # calls of the present reply that are not done
        self.record("BOOT", self.chance.choice(["private ana", "group", "helper"]))
        for name in ("MEMORY.md", "SEGMENT.md", "SUMMARISE.md"):
            self.record("PAPER", name, "p")
        self.record("JOIN", f"dev 14 {MARK}")

    def record(self, event: str, detail: str = "", id: str = "", gist: str = "") -> None:
        full = f"{self.chance.getrandbits(128):032x}" if id else ""
        line = self.log.append(event, detail, full, gist)
        self.lines.append(line)
        self.state = apply(self.state, line)

    def step(self) -> None:
        now = self.state
        if self.chance.random() < 0.1:
            self.restarted()
        elif now.turn.call:
            self.answered()
        elif now.turn.effect:
            self.finished(now.turn.effect.tool)
        elif now.turn.untold:
            self.record("EFFECT", f"SAY {now.turn.room} 120 2026-11-21T20:17:24.123456Z")
        elif now.turn.reply and self.left:
            self.called()
        elif now.turn.reply and not now.turn.corrected and self.chance.random() < 0.2:
            self.record("NOTE", f"{now.turn.room} {self.chance.choice(['form', 'empty'])}", "n")
        elif now.turn.unread or now.turn.wake:
            self.asked()
        else:
            self.quiet()

    def restarted(self) -> None:
        if self.chance.random() < 0.5:
            self.record("SLEEP")
        self.record("RESUME", "offline")
        if self.chance.random() < 0.1:
            self.record("TORN", "LIFE.torn-2026-11-21T201720.123456Z")
        if self.chance.random() < 0.3:  # somebody changed subs/ meanwhile
            self.moved()

    def moved(self) -> None:
        there = sorted(self.state.heard.rooms)
        gone = sorted(set(ROOMS) - set(there))
        if there and self.chance.random() < 0.5:
            self.record("LEAVE", self.chance.choice(there))
        elif gone:
            mark = self.chance.choice(["0 -", f"812 {MARK}", f"812 {MARK} bridged"])
            self.record("JOIN", f"{self.chance.choice(gone)} {mark}")

    def answered(self) -> None:
        what = self.chance.random()
        if what < 0.15:
            kind = self.chance.choice(["rate_limit final", "server retryable", "lost retryable"])
            self.record("FAIL", kind, "f", self.chance.choice(["", "wait a while", "◱ no ◲"]))
        elif what < 0.2:
            call = self.state.turn.call if self.chance.random() < 0.8 else "0" * 32  # or one beside the conversation
            self.record("AWAY", f"{self.chance.choice(['deepseek', 'openai'])} network {call} it is not reached")
        elif what < 0.25:
            self.record("LONG", f"{self.chance.choice([0, 70_000])} 64000")
        else:
            self.left = self.chance.randrange(4)
            end = self.chance.choice(["stop", "length"])
            usage = self.chance.choice(["", "input=12 output=3", "input=9000", "input=x"])
            self.record("REPLY", f"{self.state.turn.room} finish={end} model=some model {usage}", "r", "Hello")

    def called(self) -> None:
        tool = self.chance.choice(["SAY", "RUN", "EDIT_FILE", "READ_FILE", "WAIT", "KEEP"])
        if tool == "SAY":
            self.record("EFFECT", f"SAY {self.chance.choice(ROOMS)} 120 2026-11-21T20:17:24.123456Z")
        elif tool == "RUN":
            self.record("EFFECT", f"RUN {self.chance.choice(['ls -la', '', 'a  b c ◱'])}")
        elif tool == "EDIT_FILE":
            what = f"- {'0' * 32} notes/some plan.md"  # an older version named no tool
            self.record(*self.chance.choice([("EDIT", what), ("EFFECT", f"EDIT_FILE {what}")]))
        elif tool == "KEEP":
            self.record("KEEP", str(self.chance.randrange(1, 500)))
            self.finished("KEEP")
        else:
            self.finished(tool)

    def finished(self, announced: str) -> None:
        if not self.state.turn.untold:
            self.left -= 1
        tool = "EDIT_FILE" if announced == "EDIT" else announced
        quiet = tool in ("SAY", "WAIT", "KEEP") and self.chance.random() < 0.8
        if quiet:
            self.record("DID", tool)
        else:
            self.record("TOOL", f"{tool} {self.chance.choice(['ok', 'error'])}", "t")

    def asked(self) -> None:
        if self.state.turn.steps >= 100:
            self.record("FAIL", "steps final", "f", "I stopped")
            return
        if self.chance.random() < 0.2:
            self.record("PAPER", self.chance.choice(["MEMORY.md", "dotagent.toml", "SEGMENT.md"]), "p")
        self.left = 0
        self.record("ASK", f"offline {self.state.turn.wake or self.state.turn.room} 1200", "q", "12 entries")

    def quiet(self) -> None:
        what = self.chance.random()
        there = sorted(self.state.heard.rooms)
        if what < 0.6 and there:
            for _ in range(self.chance.randrange(1, 4)):
                who = self.chance.choice(SPEAKERS)
                self.record(
                    "HEAR", f"{self.chance.choice(there)} {self.chance.randrange(9999)} {MARK} {who}", "h", "hi"
                )
                if self.state.turn.wake:
                    break
        elif what < 0.7:
            self.moved()
        elif what < 0.8 and self.state.turn.unanswered:
            self.record("NOTE", f"{self.state.turn.unanswered[0]} owed", "n")
        elif what < 0.9:
            self.faded()
        else:
            self.record("ERROR", "subs/x.md is not heard: it is not a link")

    def faded(self) -> None:
        fading = self.state.forgetting.compaction
        if fading is None or fading.call:
            if fading:
                self.record("CHUNKS", "3 model", "c", "3 chunks")
            else:
                self.record("SEGMENT", "1 40 1", "q", "SEGMENT the entries")
        elif fading.out:
            span = self.chance.choice(sorted(fading.out.values()))
            self.record("SUMMARY", f"{span} {'1' * 32} 7", "s", "a gist")
        else:
            self.record("SUMMARISE", self.chance.choice(["1-9 1", "10-20 2"]), "q", "SUMMARISE")


@pytest.mark.night
@given(st.integers(0, 2**32), st.integers(0, 120))
@settings(max_examples=60)
def test_a_life_of_any_kind(tmp_path: Path, seed: int, steps: int) -> None:
    """What holds after every event of a life, and that the file says the same as the process that wrote it."""
    path = tmp_path / "LIFE.md"
    path.unlink(missing_ok=True)
    harness = Harness(seed, path)
    try:
        for _ in range(steps):
            harness.step()
            holds(harness.state)
    finally:
        harness.log.close()
    folded = quick = State()
    for line in log.lines(path):
        folded, quick = apply(folded, line), fold.sized(quick, line)
        assert (quick.model.ratio, quick.model.most) == (folded.model.ratio, folded.model.most), line
    assert folded == harness.state
    assert list(log.lines(path)) == harness.lines


def holds(now: State) -> None:
    assert now.turn.wake == "" or now.turn.wake in now.heard.rooms
    assert set(now.turn.unanswered) <= set(now.heard.rooms)
    assert len(set(now.turn.unanswered)) == len(now.turn.unanswered)
    assert not (now.turn.call and (now.turn.reply or now.turn.wake or now.turn.unread))
    assert not now.turn.untold or (not now.turn.call and (now.turn.room in now.turn.unanswered or now.turn.effect))
    assert all(0 <= woken <= fold.WAKES for woken in now.heard.wakes.values())
    assert 0.4 <= now.model.ratio <= 3.0
    assert now.turn.done <= 1000
    assert kept(now) == change(now, turn=change(now.turn, effect=None))


@pytest.mark.slow
@given(
    st.sampled_from([*EVENTS, *FORMER]),
    st.text()
    | st.lists(st.sampled_from(["dev", "1", "-", "x", "1-9", "²", "-1", "USER:a", "=", "input="])).map(" ".join),
    st.integers(0, 2**32),
)
@settings(max_examples=300)
def test_no_line_whatever_it_says_stops_a_life(tmp_path: Path, event: str, detail: str, seed: int) -> None:
    """A person may have edited LIFE: a line that says nothing sensible changes nothing, and is no end."""
    now = folded(LIVED[seed % len(LIVED)])
    told = apply(now, Line("2026-01-01T00:00:00.000000Z", event, detail, "", ""))
    assert kept(told) == change(told, turn=change(told.turn, effect=None))


LIVED = [
    [],
    [("BOOT", "private ana"), ("JOIN", "dev 0 -"), ("HEAR", "dev 5 x OWNER"), ("ASK", "p dev 5")],
    [("JOIN", "dev 0 -"), ("HEAR", "dev 5 x OWNER"), ("ASK", "p dev 5"), ("REPLY", "dev finish=stop model=m input=9")],
    [("JOIN", "dev 0 -"), ("HEAR", "dev 5 x OWNER"), ("ASK", "p dev 5"), ("FAIL", "x final"), ("SEGMENT", "1 2 3")],
]
