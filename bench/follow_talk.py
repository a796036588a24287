"""Plain talk for bench/follow.py: what people of a conversation say to each other, said to the agent instead.

Nothing is wanted of it but an answer in words; a note for itself is right beside that. A file in the form of LoCoMo
gives the words: this folder's own `data/talk.json`, or one whose words nobody here wrote.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from follow_tasks import Got, Task

OWN = Path(__file__).parent / "data/talk.json"
EACH = 3  # tasks that a session gives at most
FEW = 4  # words that a message has at least


def tasks(path: Path) -> list[Task]:
    """The tasks that this file gives: of three lines in a row the first is said, the second is the agent's answer to
    it, and the third is what the model answers."""
    made = list[Task]()
    for sample in json.loads(path.read_text("utf-8")):
        for name, lines in sample["conversation"].items():
            if re.fullmatch(r"session_\d+", name):
                texts = [" ".join(line.get("text", "").split()) for line in lines]
                made += [
                    Task("talk", "talk", [(f"ana: {first}", second), (f"ana: {third}",)], talks)
                    for first, second, third in list(zip(texts[::3], texts[1::3], texts[2::3], strict=False))[:EACH]
                    if first and second and len(third.split()) >= FEW
                ]
    return made


def talks(got: Got) -> str:
    """Something is said in words, and nothing done but perhaps noted."""
    others = [call.name for call in got.reading.calls if call.name not in ("NOTE", "REMEMBER")]
    if others:
        return f"calls {' '.join(others)}"
    return "" if got.said.get("dev") else "says nothing"
