"""The addition of hooks: an agent's events become files for the process that runs the hooks. Owns nothing on disk."""

from __future__ import annotations

from dotagent.contract import Capability, Check, Living
from dotagent.life.session import Session
from dotagent.store.watch import Watcher


def _live(session: Session, watch: Watcher) -> Living:
    if not session.settings.hooks:
        return Living()
    from dotagent.capabilities.hooks.listener import HookListener

    hooks = HookListener(session)
    return Living(heard=hooks.hear, rest=hooks.rest)


def _checks() -> tuple[Check, ...]:
    from dotagent.capabilities.hooks import checks

    return (checks.hooks,)


CAPABILITY = Capability(live=_live, checks=_checks)
