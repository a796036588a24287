"""Find the turns with words of a query through FTS5, without reading them. Rare words come first, because common words
are in too many turns.

Owns nothing on disk.
"""

from collections.abc import Collection
from itertools import combinations
from typing import NamedTuple

from dotagent.search.query import Query, Term
from dotagent.search.table import EVERY, Ranges, Table

ROWS = 1500  # turns that all words of a query may find together; other words are only looked up among these
COMMON = 0.1  # nats; commoner words do not help


class Lead(NamedTuple):
    """An FTS5 expression, the weight of a matching turn, and the number of turns with its words."""

    match: str
    weight: float
    turns: int


def make_leads(query: Query, rare: dict[Term, float], counts: dict[str, int]) -> list[Lead]:
    """Return the expressions to search for, rarest first. Very common words are used only if the query has no
    others."""
    leads: list[Lead] = []
    for term in query.terms:
        forms = [form for form in term if form in counts]
        match = " OR ".join(f'"{form}"' for form in forms)
        leads.append(Lead(f"({match})", rare[term], sum(counts[form] for form in forms)))
    leads = [lead for lead in leads if lead.weight > COMMON] or leads
    return sorted(leads, key=lambda lead: lead.turns)


def search_leads(
    table: Table, of: str, leads: list[Lead], look: int, ranges: Ranges = EVERY
) -> list[tuple[float, Collection[int]]]:
    """Return each lead's weight and the keys that it finds in these ranges.

    Rare leads find all their turns, together at most ROWS. Common leads are searched only among these. If that finds
    too few, common leads are searched in pairs, because FTS5 then need not read all turns of either.
    """

    def search(match: str, most: int) -> set[int]:
        return set(table.keys(of, match, most, ranges))

    got: dict[Lead, set[int]] = {}
    left = ROWS
    for lead in leads:
        if lead.turns <= left:
            got[lead] = search(lead.match, left)
            left -= lead.turns
    common = [lead for lead in leads if lead not in got]
    if got:
        rare = " OR ".join(lead.match for lead in got)
        for lead in common:
            got[lead] = search(f"({rare}) AND {lead.match}", ROWS // 2)
    if common and len(set().union(*got.values())) < look:
        got[common[0]] = got.get(common[0], set()) | search(common[0].match, ROWS // 4)
        for one, other in combinations(common[:3], 2):
            both = search(f"{one.match} AND {other.match}", ROWS // 4)
            got[one] = got.get(one, set()) | both
            got[other] = got.get(other, set()) | both
    return [(lead.weight, keys) for lead, keys in got.items()]
