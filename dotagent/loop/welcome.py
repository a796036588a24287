"""What `agent.py` shows to whoever started it: whose life this is, who answers, how to talk, who else is in its room.

Owns nothing on disk.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator

from dotagent import extensions, installed
from dotagent.life import other_provider
from dotagent.life.session import Session
from dotagent.store import face, launch, lives, log
from dotagent.store.log import Line
from dotagent.text import escape
from dotagent.text.reference import short

_COLOURS = {"ERROR": "31", "FAIL": "31", "TORN": "31", "HEAR": "36", "EFFECT": "32", "ASK": "35", "REPLY": "35"}


def screen(living: Session, model: str, new: bool) -> Iterator[str]:
    """A line for the program that reads, the id, and some for a person."""
    where, mine = living.home, face.shown(living.home, living.settings, living.id)
    yield living.id
    yield f"  agent  {mine}, {'born now' if new else 'awake again'}, {living.state.audience}"
    yield f"  model  {_model(living, model)}"
    for room in sorted(living.state.heard.rooms):
        yield f"  room   {room}"
        yield f"  talk   {installed.typed('chat')}{'' if room == 'dev' else f' {room}'}{where.flag}"
        awake = lives.awake(where, room)
        if len(awake) > 1:
            yield f"  awake  {', '.join(map(short, awake))} are all in {room}: {lives.RULE}"
        for one in lives.of(where, room) if new else ():
            if one not in awake:
                wake = f"{installed.typed('agent')} {short(one)}{where.flag} wakes it"
                yield f"  asleep {short(one)}, in {room} too, since {lives.last(where, one)[:16]}: {wake}"


def _model(living: Session, model: str) -> str:
    """Who answers, and by which model, as far as that is known."""
    name = living.provider
    if name == launch.LAST:
        alone = f"rules alone, no model is set up (`{installed.typed('providers')}` tells how)"
        return f"{name}: {other_provider.fallen(living, living.state.turn.provider) or alone}"
    usual = extensions.constants("providers", name).get("MODEL") if name in extensions.names("providers") else ""
    model = (model if name == living.order[0] else "") or str(
        launch.published(living.home).get(name, {}).get("model") or usual or ""
    )
    instead = ", ".join(one for one in living.order if one != name)
    return (f"{name}, {model}" if model else name) + (f"; while it is away {instead}" if instead else "")


def event(line: Line) -> None:
    """Print an event of LIFE: as it stands there, or for a person at a terminal in columns and colours, cut to fit."""
    if not sys.stdout.isatty():
        print(log.render(line), flush=True)
        return
    columns = shutil.get_terminal_size().columns
    rest = escape.one_line(f"{line.detail}  {short(line.id)} {line.gist}".strip(), max(20, columns - 20))
    colour = (
        "" if os.environ.get("NO_COLOR") or os.environ.get("TERM", "dumb") == "dumb" else _COLOURS.get(line.event, "2")
    )
    word = f"\x1b[{colour}m{line.event:<9}\x1b[0m" if colour else f"{line.event:<9}"
    sys.stdout.flush()
    sys.stdout.buffer.write(f"{line.at[11:19]} {word} {rest}\n".encode("utf-8", "replace"))
    sys.stdout.buffer.flush()
