"""The sets that bench/recall.py judges by, made conversations with questions, and the rankings that it compares:
RECALL's, the same with meaning, plain FTS5.

LoCoMo (two people who chat), BEAM (a person asks, an agent answers at length; Tavakoli et al.) and Memora (a person
mentions facts in long talks about other things, and takes some back; Uddin et al.) are not part of this project: the
bench takes their paths.
"""

from __future__ import annotations

import json
import math
import re
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import common

from dotagent import embedding
from dotagent.embedding import __main__ as embedding_process
from dotagent.embedding import local
from dotagent.search import results
from dotagent.search.index import Index, Like
from dotagent.search.table import Table
from dotagent.search.turn import Passage
from dotagent.store.home import Home, Settings
from dotagent.text.words import STOP

SCORED = {1, 2, 3, 4}  # LoCoMo's kinds of questions; the fifth, adversarial, has no evidence
PERSON, AGENT = "ana", "me"  # who speaks in BEAM and Memora, as a life files it
MARK = re.compile(r"\s*->->\s*[\d,]+\s*\Z")  # BEAM's own note at the end of a message
DEPTH = 9  # turns that are asked for, as the RECALL tool asks
LIKE, SHOWN = "RECALL and meaning", "RECALL, as shown"

Rank = Callable[[str, int], list[str]]


@dataclass(frozen=True)
class Question:
    """A question, and the places of its evidence: see `Talk.place`."""

    text: str
    gold: frozenset[str]


@dataclass(frozen=True)
class Talk:
    """A conversation with questions. `place` returns the place of evidence of a turn's id: the turn or its session."""

    name: str
    turns: list[Passage]
    questions: list[Question]
    place: Callable[[str], str] = str


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
        if gold and qa["category"] in SCORED:
            questions.append(Question(qa["question"], gold))
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
            questions.append(Question(one["question"], gold))
    return Talk(folder.name, turns, questions)


def memora(folder: Path) -> list[Talk]:
    """Memora's persons of one period (such as the folder data/weekly), with the questions that name sessions."""
    return [_sessions(one) for one in sorted(folder.iterdir()) if one.is_dir()]


def _sessions(folder: Path) -> Talk:
    turns: list[Passage] = []
    for path in sorted(folder.glob("conversations/session_*.json")):
        one = json.loads(path.read_text(encoding="utf-8"))
        for said in one["conversation"]:
            speaker = PERSON if said["speaker"].startswith("user") else AGENT
            id = f"{one['session_id']}:{said['turn']}"
            turns.append(Passage(len(turns) + 1, id, "talk", speaker, f"{one['date']}T12:00:00", said["message"]))
    asked = json.loads((folder / f"evaluation_questions_{folder.name}.json").read_text(encoding="utf-8"))["questions"]
    named = [(one["question"], frozenset(map(str, _evidence(one["memory_evidence"]))))
             for many in asked.values() for one in many]  # fmt: skip
    return Talk(folder.name, turns, [Question(text, gold) for text, gold in named if gold], _session)


def _session(id: str) -> str:
    return id.partition(":")[0]


def _evidence(value: Any) -> Iterator[int]:
    """The sessions that objects in each other name."""
    if isinstance(value, dict):
        if "session_id" in value:
            yield value["session_id"]
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from _evidence(one)


def _flat(value: Any) -> Iterator[Any]:
    """The leaves of lists and objects in each other."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from _flat(one)
    elif value is not None:
        yield value


def plain(turns: Sequence[Passage]) -> Rank:
    """FTS5 as it comes: porter stems, the question's words but the too common ones, OR, ORDER BY bm25."""
    db = sqlite3.connect(":memory:")
    db.execute("CREATE VIRTUAL TABLE turn USING fts5 (text, tokenize='porter unicode61')")
    db.executemany("INSERT INTO turn (rowid, text) VALUES (?,?)", [(turn.number, turn.text) for turn in turns])
    ids = {turn.number: turn.id for turn in turns}

    def rank(query: str, k: int) -> list[str]:
        match = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", query.lower()) if word not in STOP)
        found = db.execute("SELECT rowid FROM turn WHERE turn MATCH ? ORDER BY bm25(turn) LIMIT ?", (match, k))
        return [ids[number] for (number,) in found]

    return rank


def ours(index: Index, like: Like | None = None) -> Rank:
    return lambda query, k: [hit.turn.id for hit in index.search(query, k, like)]


def shown(index: Index) -> Rank:
    """As the RECALL tool shows a page: messages about one matter together, and the agent's echoes last."""
    return lambda query, k: [hit.turn.id for hit in results.ranked(index.search(query, k), query)]


class Meaning:
    """How like a query the passages of an index are, as the process tells it that searches beside RECALL, but asked
    here: the model is loaded once."""

    def __init__(self) -> None:
        where = Home(common.ROOT)
        self._model = local.load(embedding.folders(where, Settings()))

    def of(self, index: Index) -> Like:
        """Turns get their vectors; what comes is asked for each query."""
        table = Table(index.path)
        while embedding_process.file(table, self._model):
            pass
        return lambda query, keys: dict(embedding_process.like(table, self._model, query, list(keys)))


def measures(ranking: Sequence[str], gold: frozenset[str]) -> list[float]:
    """Whether any evidence is among the first, the first five and the first ten, whether all is among the ten, and the
    reciprocal rank. With DEPTH results, the first ten are these nine."""
    places = [ranking.index(one) + 1 if one in ranking else math.inf for one in gold]
    first, last = min(places), max(places)
    return [*(float(first <= k) for k in (1, 5, 10)), float(last <= 10), 1 / first]


def mean(rows: Sequence[Sequence[float]]) -> list[float]:
    return [100 * sum(column) / len(rows) for column in zip(*rows, strict=True)]


def timed(ask: Callable[..., object], *values: object, **options: object) -> float:
    """Milliseconds."""
    start = time.perf_counter()
    ask(*values, **options)
    return 1000 * (time.perf_counter() - start)
