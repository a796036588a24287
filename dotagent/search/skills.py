"""A search for skills that the agent's prompt has no room to list, by the words of their descriptions.

Owns `run/skills.db` in the agent's directory, a cache that is rebuilt when the unlisted skills change.
"""

from __future__ import annotations

import json

from dotagent.life.session import Session
from dotagent.search.index import Index
from dotagent.search.turn import Passage
from dotagent.skills import listing
from dotagent.skills.record import Trusted
from dotagent.store import disk
from dotagent.store.blobs import content_id


def search(session: Session, query: str, k: int) -> list[Trusted]:
    """Return the `k` best skills among the ones missing in the prompt."""
    limit = session.settings.context_limit
    rest = {one.name: one for one in listing.listing(session.home, session.id, session.state.audience, limit).rest}
    if not rest:
        return []
    disk.make_dir(session.path / "run")
    index = Index(session.path / "run" / "skills.db")
    try:
        mark = content_id(json.dumps([[one.name, one.description] for one in rest.values()]).encode())
        if index.mark() != mark:
            index.make_anew()
            index.add([Passage(at, one.name, one.name, "skill", "", _words(one)) for at, one in
                       enumerate(rest.values(), 1)], mark)  # fmt: skip
        return [rest[hit.turn.id] for hit in index.search(query, k) if hit.turn.id in rest]
    finally:
        index.close()


def _words(one: Trusted) -> str:
    return f"{one.name.replace('-', ' ')}: {one.description}"
