"""The loop: hear, ask, act, wait. It writes files and waits for files; models and chat are other processes.

Nothing of a life is kept but LIFE and its blobs. Each step looks at what LIFE's end says and does the next thing, and
every thing is announced there before it is done: so living on and resuming after a kill are the same code.
"""

from __future__ import annotations

import sys
from contextlib import suppress

from dotagent import errors, extensions, tools
from dotagent.errors import Trouble
from dotagent.life import asking, showing
from dotagent.life.events import Fail, Note, Result
from dotagent.life.session import Leaving, Session
from dotagent.loop import anew, boot, bounds, heartbeat
from dotagent.loop.boot import Agent
from dotagent.search import faint
from dotagent.text import grammar
from dotagent.text.grammar import ToolCall
from dotagent.tools import ToolError

FORM = "I could not run anything of your reply. A call is a line of its own, outside fences:\n\n"
BLANK = f"Your reply was empty. Write your answer, or call a tool, or reply {extensions.tools().silence}."


def live(me: Agent) -> None:
    """Do what there is to do and sleep until there is more, until told to leave."""
    while not me.session.leaving:
        if step(me):
            me.idle.busy()
            continue
        rest(me)
        if me.idle.over(me.calls.waits() or me.inbox.waits(), bool(me.session.state.turn.unanswered)):
            return
        me.watch.wait(me.idle.sleep(me.inbox.sleep(me.compactor.sleep(me.calls.sleep()))))


def step(me: Agent) -> bool:
    """Take one step; where it has made the context too full, the oldest fade at once. False: there is nothing to do."""
    done = go_on(me)
    if me.session.overfull:
        me.compactor.force()
    return done


def go_on(me: Agent) -> bool:
    """Do the next thing that LIFE's end asks for; False when there is nothing to do but wait."""
    turn = me.session.state.turn
    if turn.call:
        return me.calls.take() or me.compactor.step()
    if turn.untold:
        return act(me.session, extensions.tools().say(turn.room, bounds.fate(turn.untold)))
    if todo := asking.allowed(me.session) or plan(me.session):
        return act(me.session, heartbeat.judged(me.session, todo[0]))
    if me.session.state.turn.waits:  # the plan may have noted something
        return ask(me)
    return me.compactor.swap() or me.inbox.hear() or me.compactor.step() or me.calls.unanswered()


def ask(me: Agent) -> bool:
    """Ask the model what to do, reminded of what it forgot; unless this turn has asked too often already."""
    session, turn = me.session, me.session.state.turn
    if bounds.stop(session):
        return True
    if turn.long:  # the model does not take so long a prompt
        me.compactor.force(session.limit)
    me.documents.read()
    faint.remind(session, me.feed)
    me.calls.fit()
    if session.overfull:  # the model takes less than was known
        me.compactor.force()
    me.calls.ask(turn.wake or turn.room)
    return True


def plan(session: Session) -> tuple[ToolCall, ...]:
    """The reply's calls that are not done; one without calls is said, one without anything is asked for once more."""
    turn = session.state.turn
    if not turn.reply:
        return ()
    reading = grammar.read(session.words(turn.reply), extensions.tools(), turn.cut)
    if reading.calls:
        return reading.due[turn.done :]
    if reading.lost and not turn.corrected:
        session.record(Note(turn.room, "form"), (FORM + tools.usage(tools.given(session))).encode())
    elif reading.text:
        return (extensions.tools().say(turn.room, reading.text),)[turn.done :]
    elif not turn.done:
        what = Fail("empty", "stopped") if turn.corrected else Note(turn.room, "empty")
        session.record(what, BLANK.encode(), gist="the model's reply was empty, twice")
    return ()


def act(session: Session, call: ToolCall) -> bool:
    """Do one call, or find out what became of it when a process died over it; its result is an event."""
    begun = session.state.turn.effect
    try:
        if why := call.problem or bounds.deadly(session.state.turn):
            raise ToolError(why)
        shown = tools.recover(session, call, begun) if begun else tools.act(session, call)
    except (Trouble, OSError) as failure:  # what a tool understood, a blob that is lost, what it met in the world
        session.record(Result(call.name, "error"), bounds.told(failure).encode("utf-8", "replace"))
    else:
        showing.record(session, call.name, shown)
    return True


def rest(me: Agent) -> None:
    """Before sleep: what happened becomes durable, is filed to be found, and calls that LIFE holds leave the spool."""
    me.session.sync()
    faint.keep_up(me.session, me.feed)
    me.calls.tidy()
    me.working.tell()
    me.hooks.over()


def main() -> int:
    """Boot or resume a life and live it."""
    boot.alone(sys.argv[1:])
    for life in anew.lives(sys.argv[1:]):
        with life as me, suppress(Leaving):  # from within a command: LIFE has announced it, the next process finds out
            live(me)
    return 0


if __name__ == "__main__":
    sys.exit(errors.edge(main))
