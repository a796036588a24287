"""The state of a fork, an agent that continues the log of another: it remembers everything, and repeats nothing.

The other agent still has its rooms, questions, helpers, calls and commands, and finishes them itself. Permissions were
given to the other one. Owns nothing on disk.
"""

from __future__ import annotations

from dotagent.life.state import State, Turn, Used, change


def continued(state: State) -> State:
    """Return the state at the beginning of such an agent, from the other's state at that moment."""
    heard = change(
        state.heard,
        rooms={},
        wakes={},
        ended=(),
        ends=0,
        spawned={},
        made=0,
        agents=0,
        questions={},
        allowed="",
        always=(),
    )
    model = change(state.model, sent=0, away={}, by={})
    forgetting = change(state.forgetting, compaction=None, unsaid="")
    return change(state, heard=heard, turn=Turn(slept=True), model=model, forgetting=forgetting, used=Used())
