"""Removal by age for files other than rooms, LIFE and blobs: daily notes, proposals and decisions of dreams, input
history, logs, bridges' journals. The caller writes. Owns nothing on disk."""

from __future__ import annotations

import json
import re
from collections.abc import Collection

from dotagent.erasure.ledger import Ages
from dotagent.erasure.removal import JOURNAL, OPEN
from dotagent.store import history
from dotagent.text import passages

DAY = re.compile(r"agents/[^/]+/memory/(\d{4}-\d\d-\d\d)\.md", re.ASCII)
TORN = re.compile(r"agents/[^/]+/LIFE\.torn-(\d{4}-\d\d-\d\d).*", re.ASCII)
PROPOSAL = re.compile(r"agents/[^/]+/memory/working/[^/]+/dreams/[0-9a-f]+\.json")
DECISION = re.compile(r"agents/[^/]+/memory/dreams/[^/]+\.json")
RETIRED = re.compile(r"(?:agents/[^/]+/memory|memory/shared/[^/]+)/semantic/retired/.*")
HISTORY = re.compile(r"history/[^/]+\.txt")
SAID = ("text", "first", "lines", "answers")  # fields of a journal's record with message text
NEAR = 16  # characters that identify the first words of a message
_TITLE = re.compile(r"# (\d{4}-\d\d-\d\d)\n", re.ASCII)


def remaining_text(path: str, text: str, changed: str, ages: Ages, said: Collection[str]) -> str | None:
    """Return the remaining text of a file that was last changed at this time, or None if it must be deleted. `said` are
    messages to remove."""
    day = DAY.fullmatch(path) or TORN.fullmatch(path)
    if day:
        return None if day[1] < ages.episodes[:10] else text
    if PROPOSAL.fullmatch(path):
        return None if _field(text, "until") < ages.episodes else text
    if DECISION.fullmatch(path):
        return passages.parse_bare(text, ("decision", "id")) if _field(text, "at") < ages.audit else text
    if RETIRED.fullmatch(path):
        return None if changed < ages.audit else text
    if HISTORY.fullmatch(path):
        return "".join(row for row in _rows(text) if history.entry(row.rstrip("\n")).strip() not in said)
    if JOURNAL.fullmatch(path):
        known = {one[:NEAR] for one in said}
        return "".join(_record(row, ages.episodes, known) for row in _rows(text))
    return passages.fill(text) if OPEN.fullmatch(path) and changed < ages.episodes else text


def is_old_note(text: str, ages: Ages) -> bool:
    """Return True for the note of a day that is too old."""
    title = _TITLE.match(text)
    return bool(title) and title[1] < ages.episodes[:10] if title else False


def _field(text: str, name: str) -> str:
    """Return a time in a file, or, without one, a value after all times."""
    try:
        return str(json.loads(text)[name])
    except (ValueError, TypeError, KeyError, RecursionError):
        return "~"


def _rows(text: str) -> list[str]:
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _record(row: str, before: str, known: Collection[str]) -> str:
    """Return a journal's record without old text."""
    try:
        told = json.loads(row)
        old = str(told.get("time") or told["at"]) < before
    except (ValueError, KeyError, AttributeError, RecursionError):
        return row
    made = {**told, **{name: "" for name in SAID if old and isinstance(told.get(name), str)}}
    if isinstance(words := told.get("words"), dict):  # in the record of a place
        made["words"] = {id: _first(one, known) for id, one in words.items()}
    if isinstance(passed := told.get("passed"), list):
        made["passed"] = [one for one in passed if not isinstance(one, dict) or str(one.get("at", "~")) >= before]
    return row if made == told else json.dumps(made, ensure_ascii=False) + "\n"


def _first(told: object, known: Collection[str]) -> object:
    """Return a remembered message, without its first words if it is removed."""
    gone = isinstance(told, dict) and str(told.get("first", ""))[:NEAR] in known
    return {**told, "first": ""} if isinstance(told, dict) and gone else told
