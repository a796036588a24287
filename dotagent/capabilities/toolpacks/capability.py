"""The additions of tool packs to the output of `doctor` and `status`. Owns nothing on disk."""

from __future__ import annotations

from dotagent.contract import Capability, Check, Rows
from dotagent.store.home import Home, Settings


def _checks() -> tuple[Check, ...]:
    from dotagent.capabilities.toolpacks import checks

    return (checks.toolpacks,)


def _status(where: Home, settings: Settings) -> Rows | None:
    from dotagent.capabilities.toolpacks import packs
    from dotagent.capabilities.toolpacks.commands import toolpacks

    if not packs.list_ids(where):
        return None
    rows = ((told, tuple(cells)) for told, cells in toolpacks.rows(where))
    return Rows("toolpack", "pack kind state tools", rows)


CAPABILITY = Capability(checks=_checks, status=_status)
