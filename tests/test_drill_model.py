"""bench/drill_model.py: it does again what was not tried, also when a prompt shows only a part of the reply."""

from __future__ import annotations

import subprocess
import sys

from support import ROOT, environment

EACH_LOST = """
import drill_model
from dotagent.life import context
from dotagent.life.state import Turn
from dotagent.loop import bounds
made = [(tool, number) for number in range(1, 7) for tool in drill_model.tools_of(number)]
said = "\\n".join(drill_model.call(*one) for one in made)
shown = context.cut(said.encode(), 250, "0123456789ab").decode()
assert len(shown) < len(said)
dead = f" error: {bounds.deadly(Turn(deaths=bounds.DEATHS))}"
for lost in made:
    told = [f"#{at} {one[0]}{dead if one == lost else ': ok'}" for at, one in enumerate(made, 3) if one[0] != "SAY"]
    heard = "#1 2026-11-29 06:34 dev ana: order 1: seat"
    prompt = [("user", heard), ("assistant", shown), ("user", "\\n\\n".join(told))]
    again = drill_model.reply([{"role": role, "content": text} for role, text in prompt], ["WAIT", said, "WAIT"])
    print(again == (drill_model.call(*lost) if lost[0] != "SAY" else "WAIT"))
"""


def test_it_does_again_each_call_that_was_not_tried_also_of_a_reply_that_is_shown_in_part() -> None:
    words = [sys.executable, "-c", EACH_LOST]
    done = subprocess.run(words, cwd=ROOT / "bench", env=environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["True"] * 20
