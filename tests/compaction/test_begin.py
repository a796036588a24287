"""When forgetting begins: near the limit in real tokens, whatever people write, with and without a server's counts."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest
from lives import lines, talking
from support import ROOT
from world import world

from dotagent.store.requests import ChatMessage
from dotagent.text import tokens

SETTING = 16_000  # tokens of the whole prompt
KINDS = json.loads((ROOT / "tests/text/token_kinds.json").read_text("utf-8"))
EXTREMES = {  # tokens in the vocabularies with the fewest and the most, as parts of the mean of twelve
    "Thai": (0.43, 1.49), "Hindi": (0.5, 1.7), "Tamil": (0.31, 1.84), "Russian": (0.81, 1.35), "Chinese": (0.68, 1.5),
    "English": (0.95, 1.34), "log lines": (0.85, 1.24), "base64 in lines": (0.92, 1.28),
}  # fmt: skip
OWN = {"log lines": re.compile(r"[^\n]*WARN[^\n]*"), "base64 in lines": re.compile(r"[A-Za-z0-9+/=]{60,}")}


class Server:
    """Counts by a vocabulary for which the kind of text has its own price, and all else the estimate."""

    def __init__(self, kind: str, factor: float, tells: bool) -> None:
        self.own, self.tells, self.sizes = OWN.get(kind, re.compile(r"[^\x00-\x7f]+")), tells, list[int]()
        found = self.own.findall(text := KINDS[kind]["text"]) if kind != "English" else []
        rest = tokens.estimate(self.own.sub("", text)) if found else 0
        self.price = (factor * KINDS[kind]["mean"] - rest) / sum(map(len, found)) if found else 0.0
        self.factor, self.begun = factor if kind == "English" else 1.0, False

    def count(self, messages: list[ChatMessage]) -> int:
        """The tokens of a prompt; none are told to a life whose server does not count."""
        told, begins = 0.0, "SEGMENT the entries" in messages[-1]["content"]
        for text in (message["content"] for message in messages[: -1 if begins else None]):
            told += self.price * sum(map(len, self.own.findall(text)))
            told += self.factor * tokens.estimate(self.own.sub("", text) if self.price else text)
        if not self.begun:
            self.sizes.append(int(told))
        self.begun = self.begun or begins
        return int(told) if self.tells else 0


def begins(path: Path, kind: str, server: Server, long: int) -> float:
    """The part of the limit that the entries had in the prompt with which forgetting began, in messages so long."""
    chance, words = random.Random(1), re.findall(r"\S+\s*", KINDS[kind]["text"])
    if kind == "Chinese":
        words = list(KINDS[kind]["text"])
    size = sum(map(len, words))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DOTAGENT_CONTEXT_LIMIT", str(SETTING))
        with world(path, talking()) as lived:
            lived.tokens = server.count
            lived.say("hello")
            lived.run()
            for _ in range(200):
                many = max(1, len(words) * long // size)
                lived.say("".join(chance.choices(words, k=many)))
                lived.run()
                if lines(lived, "SEGMENT"):
                    break
    fixed = server.sizes[0]
    return (server.sizes[-1] - fixed) / ((SETTING - fixed) / tokens.OVERFULL)


@pytest.mark.night
@pytest.mark.parametrize("kind", EXTREMES)
def test_without_counts_forgetting_begins_near_the_limit(tmp_path: Path, kind: str) -> None:
    """A bit before it, because the estimate of an entry counts a longer head than a prompt has."""
    assert 0.75 < begins(tmp_path, kind, Server(kind, 1.0, tells=False), 1200) < 1.1


@pytest.mark.night
@pytest.mark.parametrize("which", [0, 1], ids=["fewest", "most"])
@pytest.mark.parametrize("kind", EXTREMES)
def test_with_counts_it_begins_near_the_limit_of_any_vocabulary(tmp_path: Path, kind: str, which: int) -> None:
    assert 0.85 < begins(tmp_path, kind, Server(kind, EXTREMES[kind][which], tells=True), 600) < 1.1
