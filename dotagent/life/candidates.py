"""Candidates: lines that an agent wants to write about itself or its owner (life/identity_edits.py), and a person's
decisions.

LIFE is their only record. Owns `run/persona` in the agent's directory: decisions that the agent has not read yet.
"""

from __future__ import annotations

import json
from pathlib import Path

from dotagent.errors import Misuse
from dotagent.life import events
from dotagent.life.event import Event, event, named_field, rest
from dotagent.life.session import Session
from dotagent.store import disk, log_search
from dotagent.store.home import Home
from dotagent.text import claims, escape
from dotagent.text.lazy import dataclass, replace

STATUSES = ("pending", "applied", "rejected")
POLICY = "policy"  # decides if no person did


@event("CANDIDATE")
class Candidate(Event):
    """The agent wants to write a line about itself or about the person for whom it works into the file `file`. `number`
    is the number of this proposed line. `sure` says how sure the agent is that the line is true, from 0 to 100. `entry`
    is the number of the entry in the context with the person's words that prove the line (0: no such entry). `how` is
    `applied` if dotagent wrote the proposed line into the file, and `pending` if a person must first accept or reject
    the line. `by=hand` means that a person edited the file. The stored file (blob) contains the person's message, and
    the gist (a short text in the event's line) contains the words that the agent quotes from the message."""

    number: int
    file: str
    sure: int
    entry: int
    how: str
    by: str = named_field("")
    told: str = rest()


@event("DECIDED")
class Decided(Event):
    """Someone accepted or rejected a line that the agent wants to write into a file (the event CANDIDATE). `number` is
    the number of this proposed line, `how` is `applied` or `rejected`, and `by` says who accepted or rejected the
    line."""

    number: int
    how: str
    by: str = rest()


@dataclass(frozen=True)
class Known:
    """A candidate as LIFE records it; `by` is who decided, a person or `policy`."""

    number: int
    at: str
    file: str
    told: str
    sure: float
    entry: int
    id: str
    words: str
    status: str
    by: str

    def __str__(self) -> str:
        said = f"“{self.words}” in #{self.entry}" if self.entry else "no message of a person says this"
        became = f"{self.status} by {self.by}" if self.by else self.status
        return f"{self.number:>4}  {became}  {self.file}: {self.told} ({self.sure:.2f}; {said})"


def find_all(path: Path) -> list[Known]:
    """Return every candidate in the LIFE of this agent's directory, oldest first, with its present status."""
    found = dict[int, Known]()
    for line in log_search.picked(path / "LIFE.md", (Candidate.WORD, Decided.WORD)):
        match events.parse(line):
            case Candidate() as one:
                made = (one.number, line.at, one.file, one.told, one.sure / 100, one.entry, line.id, line.gist)
                found[one.number] = Known(*made, one.how, "" if one.how == "pending" else one.by or POLICY)
            case Decided() as one if one.number in found:
                found[one.number] = replace(found[one.number], status=one.how, by=one.by)
    return list(found.values())


def decide(path: Path, told: dict[str, object]) -> None:
    """Write a decision for the agent of this directory: `{"apply": 3}` or `{"reject": 3}`."""
    disk.make_dir(path / "run")
    wish = path / "run" / "persona"
    before = disk.read(wish) if disk.is_file(wish) else b""
    disk.replace(wish, before + json.dumps(told).encode() + b"\n")


def list_candidates(where: Home, self_id: str, status: str = "") -> list[Known]:
    """Return all candidates, or those with this status, newest first. Raises Misuse for an unknown status."""
    if status and status not in STATUSES:
        raise Misuse(f"{status!r} is not a status of a proposal; the statuses are {', '.join(STATUSES)}")
    found = [one for one in find_all(where.agent(self_id)) if status in ("", one.status)]
    return sorted(found, key=lambda one: -one.number)


def find_candidate(where: Home, self_id: str, number: str) -> Known:
    """Return the candidate with this number. Raises Misuse."""
    found = {str(one.number): one for one in find_all(where.agent(self_id))}
    if number not in found:
        there = ", ".join(one for one, each in found.items() if each.status == "pending") or "none"
        raise Misuse(f"there is no proposal {number or '?'}; waiting proposals: {there}")
    return found[number]


def leave(where: Home, self_id: str, verb: str, number: str) -> str:
    """Write a person's decision, `apply` or `reject`, for the agent. Return the confirmation. Raises Misuse."""
    one = find_candidate(where, self_id, number)
    decide(where.agent(self_id), {verb: one.number})
    when = "" if disk.is_locked(where.agent(self_id) / "LIFE.md") else ", as soon as the agent runs"
    return f"{one.told}, in {one.file}: {'applied' if verb == 'apply' else 'rejected'}{when}"


def grant(session: Session) -> bool:
    """Carry out the waiting decisions. Return False if there were none."""
    wish = session.path / "run" / "persona"
    if not disk.is_file(wish):
        return False
    there = {one.number: one for one in find_all(session.path)}
    for row in disk.read(wish).decode("utf-8", "replace").split("\n"):
        try:
            told = json.loads(row)
        except (ValueError, RecursionError):
            continue
        for verb, status in (("apply", "applied"), ("reject", "rejected")):
            number = told.get(verb) if isinstance(told, dict) else None
            if isinstance(number, int) and (one := there.get(number)):
                _settle(session, one, status, escape.one_line(str(told.get("by") or session.owner), 60))
    disk.remove(wish)
    return True


def _settle(session: Session, one: Known, status: str, by: str) -> None:
    """Record a decision, then write the field. After a crash between the two, the decision is still in the file."""
    if one.status != status:
        session.record(Decided(one.number, status, by))
    session.sync()
    path = session.path / one.file
    if status == "applied":
        before = disk.read(path).decode("utf-8", "replace") if disk.is_file(path) else ""
        disk.replace(path, claims.put(before, one.told).encode("utf-8", "replace"))
