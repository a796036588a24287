"""The hooks of a life: how each command that settings name ended last."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from dotagent.doctor import Finding, ok, warning
from dotagent.store import hooked, hooks
from dotagent.store.home import Settings
from dotagent.text import escape

WELL = "exit status 0"


def ended(folder: Path, place: str, settings: Settings) -> Iterator[Finding]:
    """A command that did not end well is named with what it printed."""
    last = {str(one.get("hook")): one for one in hooked.noted(folder)}
    well = 0
    for hook in hooks.commands(settings.hooks):
        if one := last.get(hook.name):
            how, printed = (escape.one_line(str(one.get(name, "")), 200) for name in ("how", "printed"))
            well += how == WELL
            if how != WELL:
                at, do = str(one.get("at", ""))[:16], f"mend its run, or set enabled = false in [hooks.{hook.name}]"
                why = f"the hook {hook.name} ended at {at}: {how}; it printed {printed or 'nothing'}"
                yield warning(why, f"{place}/run/hooks/log", do)
    if well:
        yield ok(f"hooks that ended well: {well}", f"{place}/run/hooks/log")
