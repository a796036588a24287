"""The sets that bench/recall.py judges by, each read from a place of its own and made conversations with questions.

LoCoMo (two people who chat), BEAM (a person asks, an agent answers at length; Tavakoli et al.) and Locomo-Plus (a cue,
and months later words that only mean the same). None of them is part of this project: the bench takes their paths.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from dotagent.search.turn import Passage

KINDS = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}  # 5, adversarial, is not scored
PERSON, AGENT = "ana", "me"  # who speaks in BEAM, as a life files it
GAP = re.compile(r"\b(\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\s+(week|month|year)")
COUNTS = "zero one two three four five six seven eight nine ten eleven twelve".split()
DAYS = {"week": 7, "month": 30, "year": 365}
MARK = re.compile(r"\s*->->\s*[\d,]+\s*\Z")  # BEAM's own note at the end of a message


@dataclass(frozen=True)
class Question:
    text: str
    gold: frozenset[str]
    kind: int


@dataclass(frozen=True)
class Talk:
    name: str
    turns: list[Passage]
    questions: list[Question]


def load(path: Path) -> list[Talk]:
    """The conversations of a file in LoCoMo's format. A unit is one turn with the caption of its image; ids of evidence
    are repaired ("D8:6; D9:17", "D30:05"), those of no turn are dropped, and questions left without any."""
    return [talk(one) for one in json.loads(path.read_text(encoding="utf-8"))]


def talk(one: dict[str, Any]) -> Talk:
    said = one["conversation"]
    turns: list[Passage] = []
    for n in sorted(int(key[8:]) for key in said if re.fullmatch(r"session_\d+", key)):
        at = datetime.strptime(said[f"session_{n}_date_time"], "%I:%M %p on %d %B, %Y").isoformat()
        for turn in said[f"session_{n}"] or []:
            text = turn["text"] + (f" [image: {turn['blip_caption']}]" if turn.get("blip_caption") else "")
            turns.append(Passage(len(turns) + 1, turn["dia_id"], "talk", turn["speaker"].lower(), at, text))
    ids = {turn.id for turn in turns}
    questions: list[Question] = []
    for qa in one["qa"]:
        named = re.findall(r"D:?(\d+):(\d+)", " ".join(qa.get("evidence") or []))
        gold = frozenset(f"D{int(a)}:{int(b)}" for a, b in named) & ids
        if gold and qa["category"] in KINDS:
            questions.append(Question(qa["question"], gold, qa["category"]))
    return Talk(one["sample_id"], turns, questions)


def beam(folder: Path) -> list[Talk]:
    """BEAM's chats (the folder chats/100K), in the order of their numbers, with the questions that name evidence."""
    chats = sorted((one for one in folder.iterdir() if one.name.isdecimal()), key=lambda one: int(one.name))
    return [_chat(one) for one in chats]


def _chat(folder: Path) -> Talk:
    batches = json.loads((folder / "chat.json").read_text(encoding="utf-8"))
    turns: list[Passage] = []
    at = ""
    for said in (said for batch in batches for turn in batch["turns"] for said in turn):
        if said.get("time_anchor"):
            at = datetime.strptime(said["time_anchor"], "%B-%d-%Y").isoformat()
        speaker = PERSON if said["role"] == "user" else AGENT
        text = MARK.sub("", said["content"])
        turns.append(Passage(len(turns) + 1, str(said["id"]), "talk", speaker, at, text))
    ids = {turn.id for turn in turns}
    asked = json.loads((folder / "probing_questions" / "probing_questions.json").read_text(encoding="utf-8"))
    questions: list[Question] = []
    for one in (one for many in asked.values() for one in many):
        gold = frozenset(str(id) for id in _flat(one.get("source_chat_ids"))) & ids
        if gold:
            questions.append(Question(one["question"], gold, 0))
    return Talk(folder.name, turns, questions)


def _flat(value: Any) -> Iterator[Any]:
    """The leaves of lists and objects in each other."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from _flat(one)
    elif value is not None:
        yield value


def exchanges(one: Talk) -> dict[str, str]:
    """The exchange of each turn: the id of the last turn of a person up to it."""
    found: dict[str, str] = {}
    asked = ""
    for turn in one.turns:
        asked = asked if turn.speaker == AGENT and asked else turn.id
        found[turn.id] = asked
    return found


@dataclass(frozen=True)
class Cue:
    """Something said, and what is said much later that refers to it without its words."""

    talk: Talk
    trigger: str
    said: frozenset[str]


def plus(folder: Path) -> list[Cue]:
    """Locomo-Plus: each cue put into one of the conversations, by turns, so long before the end as its gap says."""
    talks = load(folder / "locomo10.json")
    found: list[Cue] = []
    for n, one in enumerate(json.loads((folder / "locomo_plus.json").read_text(encoding="utf-8"))):
        own = talks[n % len(talks)]
        names = dict(zip("AB", dict.fromkeys(turn.speaker for turn in own.turns), strict=False))
        end = datetime.fromisoformat(own.turns[-1].at) + timedelta(days=7)
        at = (end - timedelta(days=_days(one["time_gap"]))).isoformat()
        place = sum(turn.at <= at for turn in own.turns)
        cue = re.findall(r"\b([AB]): (.+?)(?=\s*(?:\\n|\n|\b[AB]: |\Z))", one["cue_dialogue"], re.DOTALL)
        put = [Passage(0, f"C{i}", "talk", names[who], at, text.strip()) for i, (who, text) in enumerate(cue)]
        turns = [*own.turns[:place], *put, *own.turns[place:]]
        turns = [Passage(i + 1, t.id, t.room, t.speaker, t.at, t.text) for i, t in enumerate(turns)]
        trigger = re.sub(r"^A: ", "", one["trigger_query"])
        found.append(Cue(Talk(own.name, turns, []), trigger, frozenset(t.id for t in put)))
    return found


def _days(gap: str) -> int:
    found = GAP.search(gap.lower())
    if not found:
        return 0
    count = int(found[1]) if found[1].isdecimal() else COUNTS.index(found[1]) if found[1] in COUNTS else 1
    return count * DAYS[found[2]]
