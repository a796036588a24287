"""The output of `agent.py` at its start: the agent, its provider, how to talk to it, and the others in its room.

Owns nothing on disk.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from dotagent import contract, extensions, installed
from dotagent.life import window
from dotagent.life.session import Session
from dotagent.store import lives, provider_status
from dotagent.text import times
from dotagent.text.reference import short


def screen(living: Session, model: str, new: bool) -> Iterator[str]:
    """Yield the id as a line for programs, then some lines for a person."""
    where, mine = living.home, contract.label(living.home, living.settings, living.id)
    yield living.id
    yield f"  agent  {mine}, {'new' if new else 'running again'}, {living.state.audience}"
    yield f"  model  {_model(living, model)}"
    if not living.state.heard.rooms or any(one.lost for one in living.entries):
        from dotagent.life import unlinked

        yield from unlinked.report(living)
    for room in sorted(living.state.heard.rooms):
        yield f"  room   {room}"
        yield f"  talk   {installed.program('chat')}{'' if room == 'dev' else f' {room}'}{where.flag}{_elsewhere()}"
        awake = lives.awake(where, room)
        if len(awake) > 1:
            yield f"  also   agents {', '.join(map(short, awake))} are running in room {room}: {lives.RULE}"
        for one in lives.find_agents(where, room) if new else ():
            if one not in awake:
                wake = f"{installed.program('agent')} {short(one)}{where.flag} starts it"
                since = times.format_stamp(lives.last(where, one))
                yield f"  idle   agent {short(one)} of room {room} has been stopped since {since}: {wake}"


def _elsewhere() -> str:
    """Return, for a person who could type here, that this terminal reads no messages."""
    typed = sys.stdin is not None and sys.stdin.isatty()
    return " (in a second terminal; this terminal reads no messages, and Ctrl-C stops the agent)" if typed else ""


def _model(living: Session, model: str) -> str:
    """Return the provider and, if it is known, the model."""
    name = living.provider
    if name == provider_status.LAST:
        alone = f"built-in rules answer, no model is set up (`{installed.program('providers')}` shows how to set it up)"
        return f"{name}: {living.route.unavailable(living.state.turn.provider) or alone}"
    usual = extensions.constants("providers", name).get("MODEL") if name in extensions.names("providers") else ""
    model = (model if name == living.order[0] else "") or window.usual(living, name) or str(usual or "")
    instead = ", ".join(one for one in living.order if one != name)
    return (f"{name}, {model}" if model else name) + (f"; while it is unavailable: {instead}" if instead else "")
