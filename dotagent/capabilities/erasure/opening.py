"""Finish a permanent deletion that a crash interrupted, before an agent reads its files. Owns nothing on disk."""

from __future__ import annotations

from dotagent.store.home import Home


def finish(where: Home) -> None:
    """Do what the announcement says, if there is one. Raises Trouble if another agent still runs."""
    if (where.root / "forgotten" / "announced.json").exists():
        from dotagent.erasure import sweep

        sweep.finish(where)
