"""The check of `doctor` for hooks: how the last run of each command in the settings ended. Owns nothing on disk."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from dotagent.capabilities.hooks import event_queue
from dotagent.doctor import Finding, ok, warning
from dotagent.store import home
from dotagent.store.home import Home, Settings
from dotagent.store.hooks import commands
from dotagent.text import escape, times
from dotagent.text.reference import short

WELL = "exit status 0"


def hooks(where: Home) -> Iterator[Finding]:
    """Warn about each command whose last run failed, with its output."""
    settings = home.settings_now(where, Settings())
    if not settings.hooks:
        return
    for self_id in home.lives(where):
        yield from _agent(where.agent(self_id), f"agents/{short(self_id)}/run/hooks/log", settings)


def _agent(folder: Path, log: str, settings: Settings) -> Iterator[Finding]:
    last = {str(one.get("hook")): one for one in event_queue.read_log(folder)}
    well = 0
    for hook in commands(settings.hooks):
        if one := last.get(hook.name):
            how, printed = (escape.one_line(str(one.get(name, "")), 200) for name in ("how", "printed"))
            well += how == WELL
            if how != WELL:
                at = times.format_stamp(str(one.get("at", "")))
                why = f"the hook {hook.name} ended at {at}: {how}; it printed {printed or 'nothing'}"
                yield warning(why, log, f"correct its `run`, or set enabled = false in [hooks.{hook.name}]")
    if well:
        yield ok(f"these hooks succeeded: {well}", log)
