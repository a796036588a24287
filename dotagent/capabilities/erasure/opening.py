"""Finish a permanent deletion that a crash interrupted, before an agent or a command reads its files. Owns nothing on
disk."""

from __future__ import annotations

from contextlib import suppress

from dotagent.store import disk
from dotagent.store.home import Home


def finish(where: Home) -> None:
    """Do what the announcement says, if there is one. Raises Trouble if another agent still runs."""
    folder = where.root / "forgotten"
    if (folder / "announced.json").exists():
        from dotagent.erasure import sweep

        sweep.finish(where)
    else:
        with suppress(FileNotFoundError):  # nothing was ever deleted
            disk.sync_dir(folder)  # a process that removed the announcement may have been killed before it synced that
