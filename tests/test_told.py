"""bench/told.py: its judge knows false lines and wrong speakers, and its facts can be told apart."""

from __future__ import annotations

import subprocess
import sys

from support import ROOT, environment

JUDGE = """
import told
said = [("ana", "My sister Ingrid makes violins in Cremona."), ("I", "I will look for violins."),
        ("TOOL RUN error", "root: not done: no index")]
for who, text in [("ana", "My sister Ingrid makes violins in Cremona."), ("I", "My sister Ingrid makes violins…"),
                  ("", "Ingrid makes violins in Cremona"), ("ana", "My sister Ingrid makes violins in Oslo."),
                  ("root", "not done: no index"), ("ana", "She makes violins in Cremona, says Ingrid.")]:
    print(told.judged(who, text, said) or "right")
facts = told.facts()
print(len(facts), len({one.text for one in facts}), sum(1 for one in facts for other in facts if one.is_in(other.text)))
print(len(list(told.turns(facts))), sum(text in {one.text for one in facts} for text, _ in told.turns(facts)))
kinds = told.facts("told_kinds")
print(len(kinds), sum(1 for one in kinds for other in kinds if one.is_in(other.text)))
print(sum(any(one.text in text for text, _ in told.turns(kinds)) for one in kinds))
"""


def test_its_judge_knows_false_lines_and_wrong_speakers_and_its_facts_can_be_told_apart() -> None:
    words = [sys.executable, "-c", JUDGE]
    done = subprocess.run(words, cwd=ROOT / "bench", env=environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    *verdicts, facts, turns, kinds, told = done.stdout.split("\n")[:-1]
    assert verdicts == ["right", "wrong", "right", "false", "wrong", "right"]
    assert (facts, turns) == ("20 20 20", "60 20")
    assert (kinds, told) == ("20 20", "20")
