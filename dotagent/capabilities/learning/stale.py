"""Entries that no longer apply, by the project's later events: contradicted, or unused.

Time is that of the newest event, not the clock's, so an idle project retires nothing. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta

from dotagent.capabilities.learning import proposal, signs
from dotagent.capabilities.learning.entries import Learned
from dotagent.capabilities.learning.proposal import Proposal
from dotagent.capabilities.learning.signs import DECISIONS, OFTEN, TWICE, Noted
from dotagent.text import times, words

UNUSED = timedelta(days=90)
NEAR = 0.5  # share of an entry's informative words in an event of the same topic
AGAINST = frozenset("not never no dont doesnt stop without instead longer drop abandon avoid forbid except".split())
_NAMES = re.compile(r"`([^`]+)`")


def proposals(noted: Sequence[Noted], learned: Iterable[Learned]) -> Iterator[Proposal]:
    """Yield a proposal for each entry that was contradicted, or unused for long."""
    if not noted:
        return
    newest = max(one.event.ts for one in noted)
    for entry in learned:
        if not times.is_stamp(entry.at):  # written by hand, so only its author withdraws it
            continue
        since = [one for one in noted if one.event.ts > entry.at and not one.event.room]
        against = [one for one in since if contrary(entry.title, one)] or _separate_commits(entry, since)
        if against:
            yield _propose(entry, "contradicted", against, newest)
        elif times.parse(newest) - times.parse(entry.at) >= UNUSED and not _is_used(entry, noted, newest):
            yield _propose(entry, f"no message about it for {UNUSED.days} days", [], newest)


def _propose(entry: Learned, why: str, seen: Sequence[Noted], newest: str) -> Proposal:
    title = proposal.clean(f"{why}: {entry.title}")
    until = seen[-1].event.ts if seen else newest
    return Proposal("retire", entry.category, title, why, len(seen), until, signs.references(seen), entry.path)


def contrary(title: str, one: Noted) -> bool:
    """Return True if this decision has the topic of an entry with this title, and says the contrary."""
    if one.event.kind not in DECISIONS:
        return False
    mine, said = set(words.raw(title)), set(words.raw(one.event.summary))
    return bool(mine & AGAINST) != bool(said & AGAINST) and _shares_topic(title, one.event.summary)


def _shares_topic(title: str, said: str) -> bool:
    telling = set(words.stems(title)) - AGAINST - words.STOP
    return bool(telling) and len(telling & set(words.stems(said))) >= NEAR * len(telling)


def _separate_commits(entry: Learned, since: Sequence[Noted]) -> list[Noted]:
    """Return the commits of only one of two files that used to change together, if these are now the majority."""
    names = set(_NAMES.findall(entry.title))
    if entry.kind != "pattern" or entry.category != "files" or len(names) != TWICE:
        return []
    commits = [one for one in since if one.event.kind == "commit" and names & set(one.event.files)]
    one_alone = [one for one in commits if not names <= set(one.event.files)]
    return one_alone if len(one_alone) >= OFTEN and 2 * len(one_alone) > len(commits) else []


def _is_used(entry: Learned, noted: Iterable[Noted], newest: str) -> bool:
    """Return True if a recent event concerned the entry's files or topic."""
    begin, names = times.make_stamp(times.parse(newest) - UNUSED), set(_NAMES.findall(entry.title))
    return any(
        one.event.ts >= begin and (names & set(one.event.files) or _shares_topic(entry.title, one.event.summary))
        for one in noted
    )
