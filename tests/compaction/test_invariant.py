"""The promise of forgetting, on generated lives: nothing is lost, counted twice or renumbered, whatever models do."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lives import ASKED, WAYS, Eye, bad, good, prose, setting, watched
from world import Failure

from dotagent.compaction import receipt
from dotagent.life.session import Patience
from dotagent.store.queue import Call
from dotagent.store.requests import ChatMessage

SAID = ("short", "short", "short", "long", "standing", "digits", "wide", "burst", "nothing")
DONE = ("answer", "answer", "think", "read", "uncompact", "uncompact full", "keep", "recall", "say", "steps", "fail")
LIMIT = setting(1200)


class Someone:
    """A model that does what the life's plan says next."""

    def __init__(self, seed: int, ways: list[str], done: list[str]) -> None:
        self.chance = random.Random(seed)
        self.ways, self.done, self.turn, self.steps = ways, done, 0, 0
        self.eye: Eye | None = None

    def __call__(self, messages: list[ChatMessage], call: Call) -> str | None:
        if call.kind == "live":
            return self._live(messages)
        asked = list(ASKED.finditer(messages[-1]["content"]))[-1]
        way = self.ways[(int(asked[2]) + self.turn) % len(self.ways)]
        return good(messages, call) if way == "good" else bad(way, messages, call, self.chance)

    def _live(self, messages: list[ChatMessage]) -> str:
        what = self.done[self.turn % len(self.done)] if self.steps == 0 else "answer"
        chance = self.chance
        if what == "fail" and chance.random() < 0.7:
            size = chance.choice([None, sum(len(one["content"]) for one in messages) // 3])
            raise Failure(chance.choice(["too_long", "too_long", "server"]), chance.random() < 0.5, size)
        if what == "steps" or (self.steps and self.steps < 6 and chance.random() < 0.3):
            self.steps += 1
            return f"<reasoning>\n{prose(chance, 30)}\n</reasoning>\n\nREAD_FILE big.txt"
        if what in ("read", "uncompact", "uncompact full", "keep", "recall"):
            self.steps += 1
            return self._call(what)
        self.steps = 0
        if what == "think":
            return f"<reasoning>\n{prose(chance, 40)}\n</reasoning>\n\n{prose(chance, 8)}"
        return f"SAY dev {prose(chance, 5)}\nSAY dev and that" if what == "say" else prose(chance, 12)

    def _call(self, what: str) -> str:
        assert self.eye
        entries = self.eye.lived.session.entries
        faded = [entry.id for entry in entries if entry.event == "FADED"] or ["0123456789ab"]
        if what.startswith("uncompact"):
            return f"UNCOMPACT {self.chance.choice(faded)}{what.removeprefix('uncompact')}"
        if what == "keep":
            return f"KEEP {self.chance.choice(entries).number}"
        return f"RECALL {prose(self.chance, 3)}" if what == "recall" else "READ_FILE big.txt"


def tell(eye: Eye, what: str, chance: random.Random) -> None:
    """Let people say something."""
    said = {
        "short": lambda: prose(chance, 8),
        "long": lambda: prose(chance, 220),
        "standing": lambda: f"{prose(chance, 9)} You must never call me before {chance.randint(1, 99)}.",
        "digits": lambda: " ".join(str(chance.randint(0, 10**9)) for _ in range(60)),
        "wide": lambda: "我们应该预订五月三日飞往东京的航班。" * chance.randint(1, 20),
    }
    for _ in range(chance.randint(5, 20) if what == "burst" else 0 if what == "nothing" else 1):
        eye.lived.say(said.get(what, said["short"])(), chance.choice(["ana", "discord/bob"]))


def live(path: Path, seed: int, ways: list[str], said: list[str], done: list[str]) -> Eye:
    """One life, that sleeps and wakes again in between."""
    chance, model = random.Random(seed), Someone(seed, ways, done)
    model.eye = eye = None
    stops = {len(said) // 2, len(said) - 2}
    for half in range(3):
        with watched(path, model, eye) as eye:
            model.eye = eye
            if seed % 3:  # the provider counts otherwise than we do
                eye.lived.tokens = lambda messages: seed % 3 * sum(len(one["content"]) for one in messages) // 5
            (eye.lived.session.path / "big.txt").write_text(prose(random.Random(1), 150))
            begin, end = [(0, min(stops)), (min(stops), max(stops)), (max(stops), len(said))][half]
            for at in range(begin, end):
                model.turn, model.steps = at, 0
                tell(eye, said[at], chance)
                if chance.random() < 0.05:
                    eye.lived.me.compactor.whole.wish.write_bytes(b"")
                known = [line.id for line, _ in receipt.swaps(eye.lived.where, eye.lived.session.id)]
                if known and chance.random() < 0.15:
                    eye.lived.me.compactor.whole.regret.write_text(chance.choice(known[-3:]))
                eye.lived.run()
                if chance.random() < 0.3:
                    eye.lived.session.patience = Patience(
                        look=0.0, stalled=0.0
                    )  # who did not answer until now never will
                    eye.lived.run()
                    eye.lived.session.patience = Patience()
            eye.whole()
            eye.prompts()
            eye.receipts()
    assert eye
    return eye


@pytest.mark.slow
@given(
    st.integers(0, 2**32),
    st.lists(st.sampled_from(WAYS), min_size=1, max_size=5),
    st.lists(st.sampled_from(SAID), min_size=25, max_size=40),
    st.lists(st.sampled_from(DONE), min_size=1, max_size=12),
)
@settings(max_examples=max(2, settings().max_examples // 100))  # each takes seconds
def test_every_event_is_visible_or_covered_by_exactly_one_summary(
    tmp_path: Path, seed: int, ways: list[str], said: list[str], done: list[str]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DOTAGENT_CONTEXT_LIMIT", str(LIMIT))
        home = tmp_path / "home"
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir()
        live(home, seed, ways, said, done)
