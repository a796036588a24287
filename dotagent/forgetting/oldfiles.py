"""Files of a home that are neither rooms, LIFE nor blobs, by their age: notes of the day, proposals and decisions of
dreams, what was typed, logs, bridges' journals. Whoever asks writes. Owns nothing on disk.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection

from dotagent.forgetting.ledger import Ages
from dotagent.forgetting.wished import JOURNAL, OPEN
from dotagent.store import history
from dotagent.text import passages

DAY = re.compile(r"agents/[^/]+/memory/(\d{4}-\d\d-\d\d)\.md", re.ASCII)
TORN = re.compile(r"agents/[^/]+/LIFE\.torn-(\d{4}-\d\d-\d\d).*", re.ASCII)
PROPOSAL = re.compile(r"agents/[^/]+/memory/working/[^/]+/dreams/[0-9a-f]+\.json")
DECISION = re.compile(r"agents/[^/]+/memory/dreams/[^/]+\.json")
RETIRED = re.compile(r"(?:agents/[^/]+/memory|memory/shared/[^/]+)/semantic/retired/.*")
HISTORY = re.compile(r"history/[^/]+\.txt")
SAID = ("text", "first", "lines", "answers")  # what a record of a journal says in words
NEAR = 16  # characters by which the first words of a message are known
_TITLE = re.compile(r"# (\d{4}-\d\d-\d\d)\n", re.ASCII)


def left(path: str, text: str, changed: str, ages: Ages, said: Collection[str]) -> str | None:
    """What is left of a file, changed last at this time; None where it shall go. `said` are messages that go."""
    day = DAY.fullmatch(path) or TORN.fullmatch(path)
    if day:
        return None if day[1] < ages.episodes[:10] else text
    if PROPOSAL.fullmatch(path):
        return None if _field(text, "until") < ages.episodes else text
    if DECISION.fullmatch(path):
        return passages.bare(text, ("decision", "id")) if _field(text, "at") < ages.audit else text
    if RETIRED.fullmatch(path):
        return None if changed < ages.audit else text
    if HISTORY.fullmatch(path):
        return "".join(row for row in _rows(text) if history.entry(row.rstrip("\n")).strip() not in said)
    if JOURNAL.fullmatch(path):
        known = {one[:NEAR] for one in said}
        return "".join(_record(row, ages.episodes, known) for row in _rows(text))
    return passages.fill(text) if OPEN.fullmatch(path) and changed < ages.episodes else text


def is_old_note(text: str, ages: Ages) -> bool:
    """Whether this is the note of a day that is too old."""
    title = _TITLE.match(text)
    return bool(title) and title[1] < ages.episodes[:10] if title else False


def _field(text: str, name: str) -> str:
    """A time that a file tells; the end of all times where it tells none."""
    try:
        return str(json.loads(text)[name])
    except (ValueError, TypeError, KeyError, RecursionError):
        return "~"


def _rows(text: str) -> list[str]:
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _record(row: str, before: str, known: Collection[str]) -> str:
    """A record of a journal, without what it says where that is too old."""
    try:
        told = json.loads(row)
        old = str(told.get("time") or told["at"]) < before
    except (ValueError, KeyError, AttributeError, RecursionError):
        return row
    made = {**told, **{name: "" for name in SAID if old and isinstance(told.get(name), str)}}
    if isinstance(words := told.get("words"), dict):  # of a place
        made["words"] = {id: _first(one, known) for id, one in words.items()}
    if isinstance(passed := told.get("passed"), list):
        made["passed"] = [one for one in passed if not isinstance(one, dict) or str(one.get("at", "~")) >= before]
    return row if made == told else json.dumps(made, ensure_ascii=False) + "\n"


def _first(told: object, known: Collection[str]) -> object:
    """What is remembered of a message, without its first words where it goes."""
    gone = isinstance(told, dict) and str(told.get("first", ""))[:NEAR] in known
    return {**told, "first": ""} if isinstance(told, dict) and gone else told
