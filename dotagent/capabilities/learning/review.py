"""Decisions about proposals: a proposal waits until a person graduates it, with a reason, or rejects it permanently.

Nothing graduates without a review, except a person's own instructions if settings allow it. Each decision is a separate
file, named by the hash of its content, so that decisions of several people merge. Owns
`memory/dreams/<decision>-<id>-<hash>.json`.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from dotagent.capabilities.learning import entries, profile, proposal
from dotagent.capabilities.learning.entries import Learned
from dotagent.capabilities.learning.proposal import Memories, Proposal
from dotagent.errors import Misuse, Trouble
from dotagent.life import facts
from dotagent.store import disk
from dotagent.text import escape, secrets, times

AT_ONCE = 20  # proposals of a kind and category
GRADUATED, REJECTED, RETIRED = "graduated", "rejected", "retired"
LASTING = "MEMORY.md"  # an agent's file
_DECISION = re.compile(r"[a-z]+-([0-9a-f]{8})-[0-9a-f]{8}\.json")
_ID = re.compile(r"[0-9a-f]{4,8}")


def decided(where: Memories) -> set[str]:
    """Return the ids of all decisions, by this person and others."""
    found = {match[1] for name in disk.names(where.memory / "dreams") if (match := _DECISION.fullmatch(name))}
    learned = (*entries.list_entries(where), *entries.list_entries(where, retired=True))
    return found | {one.dream for one in learned if one.dream}


def keep(where: Memories, found: Iterable[Proposal]) -> list[Proposal]:
    """Save undecided proposals, and return the new ones. Raises OSError."""
    disk.make_dir(where.dreams)
    with disk.locked_dir(where.dreams):
        done = decided(where)
        for one in proposal.read(where):
            if one.is_in(done) or (one.target and not (where.memory / one.target).exists()):
                proposal.drop(where, one)
        return [
            one for one in _most_frequent(one for one in found if not one.is_in(done)) if proposal.write(where, one)
        ]


def _most_frequent(found: Iterable[Proposal]) -> Iterator[Proposal]:
    """Yield the most frequent of each kind and category, because no one reviews hundreds at once."""
    many = Counter[tuple[str, str]]()
    for one in sorted(found, key=lambda one: (-one.seen, one.title)):
        many[one.kind, one.category] += 1
        if many[one.kind, one.category] <= AT_ONCE:
            yield one


def waiting(where: Memories) -> list[Proposal]:
    """Return the undecided proposals, in the order of a list."""
    done = decided(where)
    return [
        one
        for one in proposal.read(where)
        if not one.is_in(done) and (not one.target or (where.memory / one.target).exists())
    ]


def find_proposal(where: Memories, id: str) -> Proposal:
    """Return the proposal with this id or prefix. Raises Misuse."""
    there = waiting(where)
    found = [one for one in there if _ID.fullmatch(id.lower()) and one.id.startswith(id.lower())]
    if len(found) == 1:
        return found[0]
    what = "matches several proposals" if found else "is not a proposal"
    raise Misuse(f"{escape.one_line(id, 40)!r} {what}; "
                 f"{'`dream list` shows the ids' if there else 'no proposal waits for your decision'}")  # fmt: skip


def graduate(where: Memories, one: Proposal, rationale: str, wide: Memories | None = None) -> str:
    """Graduate a proposal, perhaps a rule or pattern for all who share the memory `wide`. Return the path of its file
    below memory/. Raises Misuse without a rationale, Trouble, OSError."""
    if one.kind == "retire":
        raise Misuse(
            f"{one.id} proposes to withdraw a learned rule: `dream retire {one.id}` withdraws the rule, "
            f"`dream reject {one.id}` keeps the rule"
        )
    if not rationale.strip():
        raise Misuse(f'the reason for your decision is missing; add it: `dream graduate {one.id} --rationale "…"`')
    at = times.now()
    if wide and one.kind not in entries.FOLDERS:
        raise Misuse(f"{one.id} is a {one.kind}, which belongs to one agent; only rules and patterns can be shared")
    if wide:
        path = f"{wide.memory.name}/{entries.write(wide, one, entries.text(one, rationale, where.actor, at))}"
        _decide(where, GRADUATED, one, rationale, at)
    elif one.kind in entries.FOLDERS:
        path = entries.write(where, one, entries.text(one, rationale, where.actor, at))
    elif one.kind == "profile":
        profile.add(where.profile(), one.category, one.title, where.mode)
        path = where.profile().relative_to(where.memory).as_posix()
        _decide(where, GRADUATED, one, rationale, at)
    else:
        _last(where, one, at)
        path = f"../{LASTING}"
        _decide(where, GRADUATED, one, rationale, at)
    proposal.drop(where, one)
    return path


def graduate_sure(where: Memories, sure: Iterable[Proposal]) -> list[Proposal]:
    """Graduate proposals that need no review, unless they were decided. Return them. Raises OSError."""
    done = decided(where)
    found = [one for one in sure if not one.is_in(done)]
    for one in found:
        why = (
            f"a person said this {one.seen} times, most recently on {one.until[:10]}; the agent learned it without "
            f"asking you, because the settings say {entries.ITSELF}"
        )
        entries.write(where, one, entries.text(one, why, entries.ITSELF, times.now()))
        proposal.drop(where, one)
    return found


def reject(where: Memories, one: Proposal, why: str) -> None:
    """Reject a proposal permanently; if it would retire an entry, the entry stays. Raises OSError."""
    _decide(where, REJECTED, one, why, times.now())
    proposal.drop(where, one)


def retire(where: Memories, id: str, why: str) -> Learned:
    """Retire the entry with this id, or the entry that the proposal with this id names, and return it. Raises Misuse,
    OSError."""
    wanted = id.lower()
    asked = [one for one in waiting(where) if one.kind == "retire" and one.id.startswith(wanted)]
    targets = {one.target for one in asked}
    there = [one for one in entries.list_entries(where) if one.path in targets or one.id.startswith(wanted)]
    if not _ID.fullmatch(wanted) or len(there) != 1:
        raise Misuse(f"{escape.one_line(id, 40)!r} is not the id of one proposal, or of one learned rule; "
                     "give the first eight digits of its file name")  # fmt: skip
    (entry,) = there
    said = why or next((one.sign for one in asked), "")
    whole = Proposal("retire", entry.category, entry.title, "by hand", 0, times.now(), (), entry.path)
    for one in asked or [whole]:
        _decide(where, RETIRED, one, said, times.now(), entry.dream)
        proposal.drop(where, one)
    entries.retire(where, entry)
    return entry


def _decide(where: Memories, what: str, one: Proposal, why: str, at: str, id: str = "") -> None:
    """Record the decision under the proposal's id; for a retired entry, under the id of its original proposal."""
    id = id or one.id
    told = {"decision": what, "id": id, "kind": one.kind, "category": one.category, "title": one.title}
    told |= {"by": where.actor, "at": at, "why": escape.one_line(secrets.masked(why), entries.RATIONALE)}
    told |= {"entry": one.target} if one.target else {}
    text = json.dumps(told, ensure_ascii=False, indent=1) + "\n"
    folder = where.memory / "dreams"
    disk.make_dir(folder)
    name = f"{what}-{id}-{proposal.digest(text)}.json"
    disk.replace(folder / name, text.encode("utf-8", "replace"), mode=where.mode)


def _last(where: Memories, one: Proposal, at: str) -> None:
    """Add a line with its date to MEMORY.md, unless it exists. Raises Trouble if there is no room."""
    path: Path = where.memory.parent / LASTING
    before = disk.read(path, missing=b"").decode("utf-8", "replace")
    if f"- {one.title}" in before:
        return
    line = f"- {one.title} (added {times.local_day(at)})\n"
    after = before + ("\n" if before and not before.endswith("\n") else "") + line
    if len(after) > facts.FULL:
        raise Trouble(f"{path} has {len(before):,} of {facts.FULL:,} characters: remove some of its lines first")
    disk.replace(path, after.encode("utf-8", "replace"), keep=True)
