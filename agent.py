"""The loop: hear, ask, act, wait. It writes files and waits for files; models and chat are other processes.

Nothing of a life is kept but LIFE and its blobs. Each step looks at what LIFE's end says and does the next thing, and
every thing is announced there before it is done: so living on and resuming after a kill are the same code.
"""

from __future__ import annotations

import sys

from dotagent import errors, tools
from dotagent.errors import Trouble
from dotagent.life.session import Leaving, Session
from dotagent.loop import boot
from dotagent.loop.boot import Agent
from dotagent.search import faint
from dotagent.text import grammar
from dotagent.text.grammar import Call
from dotagent.tools import ToolError

STEPS = 100  # requests in a turn after which the agent stops and says so
FORM = "I could not run anything of your reply. A call is a line of its own, outside fences:\n\n"
BLANK = b"Your reply was empty. Write your answer, or call a tool, or reply WAIT."


def live(me: Agent) -> None:
    """Do what there is to do and sleep until there is more, until told to leave."""
    while not me.session.leaving:
        if not step(me):
            rest(me)
            if me.until_idle and not me.model_calls.waits() and not me.compactor.waits():
                return
            me.watch.wait(me.model_calls.patience())


def step(me: Agent) -> bool:
    """Do the next thing that LIFE's end asks for; False when there is nothing to do but wait."""
    state = me.session.state
    if state.call:
        return me.model_calls.take() or me.compactor.step()
    if state.tell:
        return act(me.session, Call("SAY", state.room, f"(no answer: {state.tell})"))
    todo = plan(me.session)
    if todo:
        return act(me.session, todo[0])
    if me.session.state.again or me.session.state.wake:
        return ask(me)
    return me.compactor.swap() or me.inbox.hear() or me.compactor.step() or me.model_calls.owed()


def ask(me: Agent) -> bool:
    """Ask the model what to do, reminded of what it forgot; unless this turn has asked too often already."""
    session = me.session
    if session.state.steps >= STEPS or session.circles():
        why = (
            f"after {STEPS} steps" if session.state.steps >= STEPS else "since I went in circles, the same thing thrice"
        )
        hint = f"I stopped {why}; say a word and I go on"
        session.record("FAIL", "steps stopped", hint.encode(), gist=hint)
        return True
    if session.state.long:  # the model does not take so long a prompt
        me.compactor.floor(session.limit)
    me.inbox.documents()
    faint.remind(session, me.feed)
    me.model_calls.ask(session.state.wake or session.state.room)
    return True


def plan(session: Session) -> tuple[Call, ...]:
    """The reply's calls that are not done; one without calls is said, one without anything is asked for once more."""
    state = session.state
    if not state.reply:
        return ()
    reading = grammar.read(session.words(state.reply), tools.names(), state.cut)
    if reading.calls:
        return reading.calls[state.done :]
    if reading.lost and not state.corrected:
        session.record("NOTE", f"{state.room} form", (FORM + tools.usage()).encode())
    elif reading.text:
        return (Call("SAY", state.room, reading.text),)[state.done :]
    elif not state.corrected and not state.done:
        session.record("NOTE", f"{state.room} empty", BLANK)
    return ()


def act(session: Session, call: Call) -> bool:
    """Do one call, or find out what became of it when a process died over it; its result is an event."""
    tool = tools.load(call.name)
    try:
        if call.problem:
            raise ToolError(call.problem)
        begun = session.state.announced
        shown = tool.recover(session, call, begun) if begun else tool.act(session, call)
    except Trouble as failure:  # what a tool understood, or a blob that is lost
        session.record("TOOL", f"{call.name} error", str(failure).encode("utf-8", "replace"))
    else:
        session.record("DID" if shown is None else "TOOL", call.name if shown is None else f"{call.name} ok", shown)
    return True


def rest(me: Agent) -> None:
    """Before sleep: what happened becomes durable, and calls that LIFE holds leave the spool."""
    me.session.sync()
    me.model_calls.tidy()


def main() -> int:
    """Boot or resume a life and live it."""
    with boot.life_of(sys.argv[1:]) as me:
        try:
            live(me)
        except Leaving:
            return 0  # in the middle of a command: LIFE has announced it, and the next process settles it
    return 0


if __name__ == "__main__":
    sys.exit(errors.edge(main))
