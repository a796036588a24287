"""What becomes of proposals: kept until a person graduates them, with a rationale, or rejects them, which stays so.

Nothing graduates by itself, but a person's own instructions where settings say so. A decision is a file of its own,
named by the hash of what it says, so that decisions merge. Owns `memory/dreams/<decision>-<id>-<hash>.json`.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from dotagent.dreaming import entries, profile, proposal
from dotagent.dreaming.entries import Learned
from dotagent.dreaming.proposal import Memories, Proposal
from dotagent.errors import Misuse, Trouble
from dotagent.store import disk
from dotagent.text import escape, secrets, times

AT_ONCE = 20  # proposals of a kind and category
GRADUATED, REJECTED, RETIRED = "graduated", "rejected", "retired"
LASTING, FULL = "MEMORY.md", 4000  # a life's, and how many characters it has
_DECISION = re.compile(r"[a-z]+-([0-9a-f]{8})-[0-9a-f]{8}\.json")
_ID = re.compile(r"[0-9a-f]{4,8}")


def decided(where: Memories) -> set[str]:
    """The ids of all that was decided, here or by others."""
    try:
        names = os.listdir(where.memory / "dreams")
    except FileNotFoundError:
        names = []
    found = {match[1] for name in names if (match := _DECISION.fullmatch(name))}
    learned = (*entries.listed(where), *entries.listed(where, retired=True))
    return found | {one.dream for one in learned if one.dream}


def keep(where: Memories, found: Iterable[Proposal]) -> list[Proposal]:
    """Keep what is not decided yet; those that are new. Raises OSError."""
    disk.make_dir(where.dreams)
    with disk.locked_dir(where.dreams):
        done = decided(where)
        for one in proposal.read(where):
            if one.is_in(done) or (one.target and not (where.memory / one.target).exists()):
                proposal.drop(where, one)
        return [one for one in _telling(one for one in found if not one.is_in(done)) if proposal.write(where, one)]


def _telling(found: Iterable[Proposal]) -> Iterator[Proposal]:
    """Of each kind and category those seen most often: nobody reviews hundreds at once."""
    many = Counter[tuple[str, str]]()
    for one in sorted(found, key=lambda one: (-one.seen, one.title)):
        many[one.kind, one.category] += 1
        if many[one.kind, one.category] <= AT_ONCE:
            yield one


def waiting(where: Memories) -> list[Proposal]:
    """What nobody decided yet, in the order of a list."""
    done = decided(where)
    return [
        one
        for one in proposal.read(where)
        if not one.is_in(done) and (not one.target or (where.memory / one.target).exists())
    ]


def named(where: Memories, id: str) -> Proposal:
    """The proposal of this id, or of these first digits. Raises Misuse."""
    there = waiting(where)
    found = [one for one in there if _ID.fullmatch(id.lower()) and one.id.startswith(id.lower())]
    if len(found) == 1:
        return found[0]
    what = "names several" if found else "is none"
    raise Misuse(f"{escape.one_line(id, 40)!r} {what} of the proposals: `dream list` shows "
                 f"{'them, by eight digits' if there else 'that there is none'}")  # fmt: skip


def graduate(where: Memories, one: Proposal, rationale: str, wide: Memories | None = None) -> str:
    """Let it be learned, a rule or a pattern perhaps by all whose memory is `wide`; the file that says so, below
    memory/. Raises Misuse without a rationale, Trouble, OSError."""
    if one.kind == "retire":
        raise Misuse(f"{one.id} asks to retire an entry: `dream retire {one.id}`, or `dream reject {one.id}` keeps it")
    if not rationale.strip():
        raise Misuse(f'why does it hold? `dream graduate {one.id} --rationale "…"`')
    at = times.now()
    if wide and one.kind not in entries.FOLDERS:
        raise Misuse(f"{one.id} is a line of a {one.kind}, which is one life's: only rules and patterns are shared")
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


def by_itself(where: Memories, sure: Iterable[Proposal]) -> list[Proposal]:
    """Let be learned what needs nobody's review, unless that was decided; which. Raises OSError."""
    done = decided(where)
    found = [one for one in sure if not one.is_in(done)]
    for one in found:
        why = f"said {one.seen} times by hand, until {one.until[:10]}; by itself, since settings say {entries.ITSELF}"
        entries.write(where, one, entries.text(one, why, entries.ITSELF, times.now()))
        proposal.drop(where, one)
    return found


def reject(where: Memories, one: Proposal, why: str) -> None:
    """Let it not be proposed again; of an entry that was to be retired: it stays. Raises OSError."""
    _decide(where, REJECTED, one, why, times.now())
    proposal.drop(where, one)


def retire(where: Memories, id: str, why: str) -> Learned:
    """Retire the entry that the proposal of this id is about, or that has this id; which. Raises Misuse, OSError."""
    wanted = id.lower()
    asked = [one for one in waiting(where) if one.kind == "retire" and one.id.startswith(wanted)]
    targets = {one.target for one in asked}
    there = [one for one in entries.listed(where) if one.path in targets or one.id.startswith(wanted)]
    if not _ID.fullmatch(wanted) or len(there) != 1:
        raise Misuse(f"{escape.one_line(id, 40)!r} is no one entry: name the first eight digits of its file's name, or "
                     "of a proposal to retire it")  # fmt: skip
    (entry,) = there
    said = why or next((one.sign for one in asked), "")
    whole = Proposal("retire", entry.category, entry.title, "by hand", 0, times.now(), (), entry.path)
    for one in asked or [whole]:
        _decide(where, RETIRED, one, said, times.now(), entry.dream)
        proposal.drop(where, one)
    entries.retire(where, entry)
    return entry


def _decide(where: Memories, what: str, one: Proposal, why: str, at: str, id: str = "") -> None:
    """Write the decision down, under the proposal's id, or, of what is retired, that of the one it was learned by."""
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
    """A line of MEMORY.md, with its date, unless it is there. Raises Trouble where it has no room."""
    path: Path = where.memory.parent / LASTING
    before = disk.read(path, missing=b"").decode("utf-8", "replace")
    if f"- {one.title}" in before:
        return
    line = f"- {one.title} (added {times.local_day(at)})\n"
    after = before + ("\n" if before and not before.endswith("\n") else "") + line
    if len(after) > FULL:
        raise Trouble(f"{path} has {len(before):,} of {FULL:,} characters: drop some lines of it first")
    disk.replace(path, after.encode("utf-8", "replace"), keep=True)
