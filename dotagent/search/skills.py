"""A search for skills that the agent's prompt has no room to list, by the words of their descriptions. Owns nothing on
disk: their table is made in memory for each search."""

from __future__ import annotations

from dotagent.life.session import Session
from dotagent.search import index
from dotagent.search.table import Table
from dotagent.search.turn import Passage
from dotagent.skills import listing
from dotagent.skills.record import Trusted


def search(session: Session, query: str, k: int) -> list[Trusted]:
    """Return the `k` best skills among the ones missing in the prompt."""
    limit = session.settings.context_limit
    rest = listing.listing(session.home, session.id, session.state.audience, limit).rest
    words = (f"{one.name.replace('-', ' ')}: {one.description}" for one in rest)
    table = Table(None)
    table.add([Passage(at, str(at), str(at), "skill", "", text) for at, text in enumerate(words)], None)
    found = [rest[hit.turn.number] for hit in index.search(table, query, k)]
    table.close()
    return found
