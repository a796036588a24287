"""The agent's loop: read messages, ask the model, act, wait. The agent only writes files and waits for files, because
models and chats are separate processes.

The agent's state is in LIFE and its blobs, and nowhere else. Each step reads the end of LIFE and does the next thing.
Every action is announced in LIFE before it happens, so normal operation and a resume after a kill run the same code.
"""

from __future__ import annotations

import sys

from dotagent.store import variables

if __name__ == "__main__":
    variables.shed()  # before the imports below, which take the most time of a start

from contextlib import suppress

from dotagent import contract, errors, extensions, tools
from dotagent.errors import Trouble
from dotagent.life import origins, tool_results
from dotagent.life.events import Result
from dotagent.life.session import Leaving, Session
from dotagent.loop import boot, bounds
from dotagent.loop.boot import Agent
from dotagent.text import grammar
from dotagent.text.grammar import ToolCall
from dotagent.tools import ToolError


def live(me: Agent) -> None:
    """Work until there is nothing to do, sleep until there is more, and return when the session is leaving."""
    while not me.session.leaving:
        if step(me):
            me.idle.busy(owes(me))
            continue
        rest(me)
        if me.idle.over(me.calls.waits() or me.inbox.waits(), owes(me)):
            return
        me.watch.wait(me.idle.sleep(me.inbox.sleep(me.compactor.sleep(me.calls.sleep()))))


def owes(me: Agent) -> bool:
    """Return True if a message is unanswered because the provider fails, and no newer message came."""
    turn = me.session.state.turn
    return bool(turn.unanswered) and not turn.wake


def step(me: Agent) -> bool:
    """Take one step, and shrink the context if it became too full. Return False if there was nothing to do."""
    done = bounds.heed(me) or go_on(me)
    if me.session.overfull:
        me.compactor.force()
    return done


def go_on(me: Agent) -> bool:
    """Do the next action that LIFE requires. Return False if the agent can only wait."""
    turn = me.session.state.turn
    if turn.call or turn.look:
        return me.calls.take() or me.compactor.step()
    if turn.untold:
        return act(me.session, extensions.tools().say(turn.room, bounds.fate(turn.untold)))
    if todo := tools.allowed(me.session) or plan(me.session):
        call = tools.instead(me.session) or contract.instead(me.parts, me.compactor.silent(todo[0]))
        if tools.needs_look(me.session, call):
            return me.calls.look()
        return act(me.session, call)
    if me.session.state.turn.waits:  # plan() may have recorded a note
        return ask(me)
    return me.compactor.swap() or me.inbox.hear() or me.compactor.step() or me.calls.unanswered()


def ask(me: Agent) -> bool:
    """Ask the model for its next reply. First read new messages, and recall related faded entries. Stop a turn that has
    asked too often."""
    session, turn = me.session, me.session.state.turn
    if me.inbox.heed():
        return True
    if bounds.stop(session):
        return True
    if turn.long:  # the model refused the prompt as too long
        me.compactor.force(session.limit)
    me.documents.read()
    for part in me.parts:
        part.ask()
    me.calls.fit()
    if session.overfull:  # calls.fit() may have learned a smaller limit
        me.compactor.force()
    me.calls.ask(turn.wake or turn.room)
    return True


def plan(session: Session) -> tuple[ToolCall, ...]:
    """Return the calls of the reply that are not done yet; plain text becomes a message to the room.

    If the reply is empty, or only resembles calls, record a note so that the model is asked once more.
    """
    turn = session.state.turn
    if not turn.reply:
        return ()
    reading = grammar.read(session.words(turn.reply), extensions.tools(), turn.cut)
    if reading.calls:
        return reading.due[turn.done :]
    if turn.effect and not extensions.tools().speaks(begun := ToolCall(turn.effect.tool, "", None)):
        return (begun,)  # an earlier version read calls in this reply
    if reading.text and (turn.corrected or turn.done or not reading.lost):
        return (extensions.tools().say(turn.room, reading.text),)[turn.done :]
    if not turn.done:
        from dotagent.loop import corrections  # loaded only for a reply that cannot be used

        corrections.request(session, reading.lost)
    return ()


def act(session: Session, call: ToolCall) -> bool:
    """Run one call and record its result. If a process crashed during the call, find out the result instead."""
    begun = session.state.turn.effect
    try:
        if why := call.problem or bounds.deadly(session.state.turn):
            raise ToolError(why)
        shown = tools.recover(session, call, begun) if begun else tools.act(session, call)
    except (Trouble, OSError) as failure:  # the tool's refusal, a lost blob, or an operating system error
        by = origins.failure_origin(call.name, failure)
        session.record(Result(call.name, "error", by=by), bounds.error_text(failure).encode("utf-8", "replace"))
    else:
        tool_results.record(session, call.name, shown)
    return True


def rest(me: Agent) -> None:
    """Before sleeping, sync LIFE, and remove from the queue the calls that LIFE contains."""
    me.session.sync()
    me.calls.tidy()
    for part in me.parts:
        part.rest()


def main() -> int:
    """Create or resume an agent and run it, again if it restarts to forget something."""
    words: list[str] | None = boot.choose_arguments(sys.argv[1:])
    while words is not None:
        with boot.life_of(words) as me, suppress(Leaving):  # the next process recovers a command in progress
            live(me)
        words = boot.restart(me, words)
    return 0


if __name__ == "__main__":
    sys.exit(errors.edge(main))
