"""Stopping: a person's request (life/stops.py) ends the present turn of a room (stopped_turn.py). Owns nothing
on disk.
"""

from __future__ import annotations

from dotagent.life import stops
from dotagent.loop.boot import Agent


def stop(me: Agent) -> bool:
    """Stop the work that a person asked to stop. Return False if no one asked, or if another step must come first."""
    turn, wish = me.session.state.turn, stops.read(me.session.path)
    if wish is None or turn.effect or turn.untold:
        return False
    from dotagent.loop import stopped_turn  # loaded only after such a request

    return stopped_turn.end(me, wish)
