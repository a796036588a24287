"""The output of `agent.py` at its start: the agent, its provider, how to talk to it, and the others in its room.

Owns nothing on disk.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

from dotagent import contract, extensions, installed
from dotagent.life.session import Session
from dotagent.store import lives, log, provider_status
from dotagent.store.log import Line
from dotagent.text import escape, times
from dotagent.text.reference import short

_COLOURS = {"ERROR": "31", "FAIL": "31", "TORN": "31", "HEAR": "36", "EFFECT": "32", "ASK": "35", "REPLY": "35"}


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
    return " (in a second terminal; this one reads no messages, and Ctrl-C stops the agent)" if typed else ""


def _model(living: Session, model: str) -> str:
    """Return the provider and, if it is known, the model."""
    name = living.provider
    if name == provider_status.LAST:
        alone = f"built-in rules, no model is set up (`{installed.program('providers')}` shows how)"
        return f"{name}: {living.route.unavailable(living.state.turn.provider) or alone}"
    usual = extensions.constants("providers", name).get("MODEL") if name in extensions.names("providers") else ""
    model = (model if name == living.order[0] else "") or str(
        provider_status.published(living.home).get(name, {}).get("model") or usual or ""
    )
    instead = ", ".join(one for one in living.order if one != name)
    return (f"{name}, {model}" if model else name) + (f"; while it is unavailable: {instead}" if instead else "")


def event(line: Line) -> None:
    """Print an event of LIFE. At a terminal it has columns and colours and is cut to fit; otherwise it is unchanged."""
    if not sys.stdout.isatty():
        print(log.render(line), flush=True)
        return
    import shutil

    columns = shutil.get_terminal_size().columns
    rest = escape.one_line(f"{line.detail}  {short(line.id)} {line.gist}".strip(), max(20, columns - 20))
    colour = (
        "" if os.environ.get("NO_COLOR") or os.environ.get("TERM", "dumb") == "dumb" else _COLOURS.get(line.event, "2")
    )
    word = f"\x1b[{colour}m{line.event:<9}\x1b[0m" if colour else f"{line.event:<9}"
    sys.stdout.flush()
    sys.stdout.buffer.write(f"{line.at[11:19]} {word} {rest}\n".encode("utf-8", "replace"))
    sys.stdout.buffer.flush()
