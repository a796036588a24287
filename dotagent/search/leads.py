"""Which turns have words of a query, found through FTS5 without reading any: rare words first, since a common one has
too many. Owns nothing on disk."""

from collections.abc import Collection
from itertools import combinations
from typing import NamedTuple

from dotagent.search.query import Query, Term
from dotagent.search.table import Table

ROWS = 1500  # turns that all words of a query may bring up together; the rest is only looked up among these
COMMON = 0.1  # nats: a word less rare than this says nothing


class Lead(NamedTuple):
    """An FTS5 expression, the weight of a turn that matches, and in how many turns its words are."""

    match: str
    weight: float
    turns: int


def of(query: Query, rare: dict[Term, float], counts: dict[str, int]) -> list[Lead]:
    """What to look for, the rarest first; words that are nearly everywhere only if there is nothing else."""
    leads: list[Lead] = []
    for term in query.terms:
        forms = [form for form in term if form in counts]
        match = " OR ".join(f'"{form}"' for form in forms)
        leads.append(Lead(f"({match})", rare[term], sum(counts[form] for form in forms)))
    leads = [lead for lead in leads if lead.weight > COMMON] or leads
    return sorted(leads, key=lambda lead: lead.turns)


def found(table: Table, leads: list[Lead], look: int) -> list[tuple[float, Collection[int]]]:
    """The keys that each lead finds.

    Rare leads find all of theirs, ROWS together at most. A common one is looked up only among what the rare ones found.
    Where that is too little, common ones are looked up in pairs: FTS5 need not walk the whole of either then.
    """
    got: dict[Lead, set[int]] = {}
    left = ROWS
    for lead in leads:
        if lead.turns <= left:
            got[lead] = set(table.keys(lead.match, left))
            left -= lead.turns
    common = [lead for lead in leads if lead not in got]
    if got:
        rare = " OR ".join(lead.match for lead in got)
        for lead in common:
            got[lead] = set(table.keys(f"({rare}) AND {lead.match}", ROWS // 2))
    if common and len(set().union(*got.values())) < look:
        got[common[0]] = got.get(common[0], set()).union(table.keys(common[0].match, ROWS // 4))
        for one, other in combinations(common[:3], 2):
            both = table.keys(f"{one.match} AND {other.match}", ROWS // 4)
            got[one] = got.get(one, set()).union(both)
            got[other] = got.get(other, set()).union(both)
    return [(lead.weight, keys) for lead, keys in got.items()]
