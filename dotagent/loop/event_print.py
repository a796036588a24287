"""The output of `agent.py --verbose`: each event of the agent's log. Owns nothing on disk."""

from __future__ import annotations

import os
import shutil
import sys

from dotagent.store import log
from dotagent.store.log import Line
from dotagent.text import escape
from dotagent.text.reference import short

_COLOURS = {"ERROR": "31", "FAIL": "31", "TORN": "31", "HEAR": "36", "EFFECT": "32", "ASK": "35", "REPLY": "35"}


def event(line: Line) -> None:
    """Print an event of LIFE. At a terminal it has columns and colours and is cut to fit; otherwise it is unchanged."""
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
