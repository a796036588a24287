"""Forgetting for good in generated lives: no trace in any byte, the promise of forgetting holds, life goes on."""

from __future__ import annotations

import os
import random
import shutil

import pytest
from crash import BASE
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from lives import good, prose, setting, watched
from unforgotten import forget, traces

from dotagent.store.queue import Call
from dotagent.store.requests import ChatMessage

SECRET = "The vault of Ludmilla opens with 7 turns of the copper key"
TWIN = "The vault of Ambrose opens with 3 turns of the iron key"
LIMIT = setting(1200)


class Model:
    """It repeats what it hears: in answers, reasoning, tools, gists and summaries."""

    def __init__(self, seed: int) -> None:
        self.chance, self.steps = random.Random(seed), 0

    def __call__(self, messages: list[ChatMessage], call: Call) -> str:
        chance, secret = self.chance, self.chance.choice([SECRET, TWIN])
        known = any(secret in one["content"] for one in messages)
        if call.kind != "live":
            text = good(messages, call)
            told = f" {secret}. " if known and chance.random() < 0.7 else " "
            return f"{text}{told}{prose(chance, 6)}" if "SUMMARISE" in messages[-1]["content"] else text
        self.steps = (self.steps + 1) % 3
        if self.steps == 1:
            return chance.choice([
                f"<reasoning>\nI know: {secret.lower()}.\n</reasoning>\n\nRECALL vault opens turns",
                "RECALL vault Ludmilla copper", f"REMEMBER {secret}", f"NOTE {secret}; {prose(chance, 4)}",
                f"WRITE_FILE keys.md <<END\n# Keys\n{secret}.\n{TWIN}.\nEND", "UNCOMPACT 5",
            ]) if known else "RECALL vault"  # fmt: skip
        return f"Noted. {secret}! {prose(chance, 5)}" if known else prose(chance, 12)


@pytest.mark.night
@given(seed=st.integers(0, 10**6), long=st.booleans(), wrapped=st.booleans())
@settings(max_examples=4, phases=[Phase.generate])
def test_no_trace_is_left_in_a_life_that_also_faded(seed: int, long: bool, wrapped: bool) -> None:
    path, chance = BASE / f"dotagent-forgetting-{os.getpid()}", random.Random(seed)
    shutil.rmtree(path, ignore_errors=True)
    secret = SECRET.replace(" turns ", "\nturns ") if wrapped else SECRET
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DOTAGENT_CONTEXT_LIMIT", str(LIMIT))
        with watched(path, Model(seed)) as eye:
            for turn in range(14):
                told = secret if turn in (1, 8) else TWIN if turn in (2, 9) else prose(chance, 30)
                eye.lived.say(f"{prose(chance, 200 if long else 5)} {told}. {prose(chance, 6)}")
                eye.lived.run()
            where = eye.lived.where
        forget(where, f"forget that {SECRET}")
        assert not traces(path, SECRET)
        assert not traces(path, "7 turns of the copper")
        assert traces(path, TWIN)
        with watched(path, Model(seed + 1)) as again:
            for what in ("How does the vault of Ludmilla open?", "RECALL vault", prose(chance, 20)):
                again.lived.say(what)
                again.lived.run()
            again.whole()
        assert not traces(path, SECRET)
    shutil.rmtree(path)
