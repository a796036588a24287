"""Which entries no longer hold, by the project's own events since they graduated: contradicted, or not touched upon.

Time is that of the newest event, not the clock's: a project at rest retires nothing. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta

from dotagent.dreaming import proposal, signs
from dotagent.dreaming.entries import Learned
from dotagent.dreaming.proposal import Proposal
from dotagent.dreaming.signs import DECISIONS, OFTEN, TWICE, Noted
from dotagent.text import times, words

UNUSED = timedelta(days=90)
NEAR = 0.5  # share of an entry's telling words that an event of the same matter has
AGAINST = frozenset("not never no dont doesnt stop without instead longer drop abandon avoid forbid except".split())
_NAMES = re.compile(r"`([^`]+)`")


def proposals(noted: Sequence[Noted], learned: Iterable[Learned]) -> Iterator[Proposal]:
    """A proposal for each entry that was contradicted, or that nothing touched upon for long."""
    if not noted:
        return
    newest = max(one.event.ts for one in noted)
    for entry in learned:
        if not times.is_stamp(entry.at):  # somebody wrote it by hand: it is theirs to take back
            continue
        since = [one for one in noted if one.event.ts > entry.at and not one.event.room]
        against = [one for one in since if contrary(entry.title, one)] or _apart(entry, since)
        if against:
            yield _made(entry, "contradicted", against, newest)
        elif times.parse(newest) - times.parse(entry.at) >= UNUSED and not _used(entry, noted, newest):
            yield _made(entry, f"not touched upon for {UNUSED.days} days", [], newest)


def _made(entry: Learned, why: str, seen: Sequence[Noted], newest: str) -> Proposal:
    title = proposal.clean(f"{why}: {entry.title}")
    until = seen[-1].event.ts if seen else newest
    return Proposal("retire", entry.category, title, why, len(seen), until, signs.references(seen), entry.path)


def contrary(title: str, one: Noted) -> bool:
    """Whether this decision is of the same matter as an entry of this title, and says the contrary."""
    if one.event.kind not in DECISIONS:
        return False
    mine, said = set(words.raw(title)), set(words.raw(one.event.summary))
    return bool(mine & AGAINST) != bool(said & AGAINST) and _near(title, one.event.summary)


def _near(title: str, said: str) -> bool:
    telling = set(words.stems(title)) - AGAINST - words.STOP
    return bool(telling) and len(telling & set(words.stems(said))) >= NEAR * len(telling)


def _apart(entry: Learned, since: Sequence[Noted]) -> list[Noted]:
    """Of two files that changed together, the commits of one alone, where they are the most by now."""
    names = set(_NAMES.findall(entry.title))
    if entry.kind != "pattern" or entry.category != "files" or len(names) != TWICE:
        return []
    commits = [one for one in since if one.event.kind == "commit" and names & set(one.event.files)]
    one_alone = [one for one in commits if not names <= set(one.event.files)]
    return one_alone if len(one_alone) >= OFTEN and 2 * len(one_alone) > len(commits) else []


def _used(entry: Learned, noted: Iterable[Noted], newest: str) -> bool:
    """Whether something of the last while was in its files, or of its matter."""
    begin, names = times.of(times.parse(newest) - UNUSED), set(_NAMES.findall(entry.title))
    return any(
        one.event.ts >= begin and (names & set(one.event.files) or _near(entry.title, one.event.summary))
        for one in noted
    )
