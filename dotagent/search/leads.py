"""Find the pieces with words of a query through FTS5, without reading them. Rare words come first, because common words
are in too many pieces.

Owns nothing on disk.
"""

from collections.abc import Collection, Mapping

from dotagent.search.query import Term
from dotagent.search.table import Table

ROWS = 8000  # pieces that all words of a query may find together; fewer would miss turns in a long life


def search_leads(table: Table, of: str, weights: Mapping[Term, float]) -> list[tuple[float, Collection[int]]]:
    """Return the weight of each word and the keys that it finds. `weights` has the rarest first.

    A word that is in too many pieces is left out. If the rarest is, its pieces with the next word are found, otherwise
    its newest pieces.
    """
    matches = [" OR ".join(f'"{form}"' for form in term) for term in weights]
    found, left = list[tuple[float, Collection[int]]](), ROWS
    for at, weight in enumerate(weights.values()):
        keys = table.keys(of, f"({matches[at]})", left + 1)
        if len(keys) > left and at == 0:
            both = table.keys(of, f"({matches[at]}) AND ({matches[at + 1]})", left) if len(matches) > 1 else []
            keys = both or keys[:left]
        if len(keys) <= left:
            found.append((weight, keys))
            left -= len(keys)
    return found
