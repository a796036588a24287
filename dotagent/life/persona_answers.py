"""The answers to `/persona revisions`, `diff`, `rollback`, `candidates`, `apply` and `reject`, in a room and in the
chat.

Owns nothing on disk, because `revisions` and `candidates` write all changes.
"""

from __future__ import annotations

from collections.abc import Iterator

from dotagent.life import candidates, revisions
from dotagent.store.home import Home
from dotagent.text import times

MANY = 10**6  # listed revisions, or candidates, without a limit
USAGE = "/persona show, revisions, diff N, rollback [N], candidates [STATUS], apply N, reject N"


def lines(where: Home, self_id: str, what: str, which: str, most: int = MANY) -> Iterator[str]:
    """Yield the answer's lines, with at most `most` of the newest revisions or candidates. Raises Trouble."""
    if what == "revisions":
        for one, size in revisions.list_revisions(where, self_id)[-most:]:
            yield f"{one.number}: {one.name}, {times.format_stamp(one.at)}, {size:,} characters"
    elif what == "diff" and which.isdecimal():
        yield from revisions.diff(where, self_id, revisions.find_revision(where, self_id, int(which)))
    elif what == "rollback" and (which.isdecimal() or not which):
        back = revisions.roll_back(where, self_id, int(which) if which else None)
        yield f"restored {back.name} from revision {back.number}; it takes effect at the agent's next turn"
    elif what == "candidates":
        found = candidates.list_candidates(where, self_id, which)
        yield from map(str, found[:most])
        if not found:
            yield "no proposals have this status" if which else "no proposals"
    elif what in ("apply", "reject"):
        yield candidates.leave(where, self_id, what, which)
    else:
        yield USAGE
