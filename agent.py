"""The loop: hear, ask, act, wait. It writes files and waits for files; models and chat are other processes.

Nothing of a life is kept but LIFE and its blobs. Each step looks at what LIFE's end says and does the next thing, and
every thing is announced there before it is done: so living on and resuming after a kill are the same code.
"""

from __future__ import annotations

import sys

from dotagent import errors, start, tools
from dotagent.asking import Asking
from dotagent.ears import Ears
from dotagent.forgetting.fading import Fader
from dotagent.mind import Leaving, Mind
from dotagent.text import grammar
from dotagent.text.grammar import Call
from dotagent.tools import ToolError
from dotagent.watch import Watcher

STEPS = 100  # requests in a turn after which the agent stops and says so
FORM = "I could not run anything of your reply. A call is a line of its own, outside fences:\n\n"
BLANK = b"Your reply was empty. Write your answer, or call a tool, or reply WAIT."


def live(mind: Mind, asking: Asking, ears: Ears, fader: Fader, watch: Watcher, until_idle: bool = False) -> None:
    """Do what there is to do and sleep until there is more, until told to leave."""
    while not mind.leaving:
        if not step(mind, asking, ears, fader):
            if until_idle and not mind.state.call and not fader.waits():
                return
            rest(mind, asking)
            watch.wait(asking.patience())


def step(mind: Mind, asking: Asking, ears: Ears, fader: Fader) -> bool:
    """Do the next thing that LIFE's end asks for; False when there is nothing to do but wait."""
    state = mind.state
    if state.call:
        return asking.take() or fader.step()
    if state.tell:
        return act(mind, Call("SAY", state.room, f"(no answer: {state.tell})"))
    todo = plan(mind)
    if todo:
        return act(mind, todo[0])
    if mind.state.again or mind.state.wake:
        return ask(mind, asking, ears, fader)
    return fader.swap() or ears.hear() or fader.step() or asking.owed()


def ask(mind: Mind, asking: Asking, ears: Ears, fader: Fader) -> bool:
    """Ask the model what to do, unless this turn has asked too often already."""
    if mind.state.steps >= STEPS:
        hint = f"I stopped after {STEPS} steps without an end; say a word and I go on"
        mind.record("FAIL", "steps final", hint.encode(), gist=hint)
        return True
    ears.papers()
    if mind.state.long:  # the model does not take so long a prompt
        fader.floor(mind.limit)
    asking.ask(mind.state.wake or mind.state.room)
    return True


def plan(mind: Mind) -> tuple[Call, ...]:
    """The reply's calls that are not done; one without calls is said, one without anything is asked for once more."""
    state = mind.state
    if not state.reply:
        return ()
    reading = grammar.read(mind.words(state.reply), tools.names(), state.cut)
    if reading.calls:
        return reading.calls[state.done :]
    if reading.lost and not state.corrected:
        mind.record("NOTE", f"{state.room} form", (FORM + tools.usage()).encode())
    elif reading.text:
        return (Call("SAY", state.room, reading.text),)[state.done :]
    elif not state.corrected:
        mind.record("NOTE", f"{state.room} empty", BLANK)
    return ()


def act(mind: Mind, call: Call) -> bool:
    """Do one call, or find out what became of it when a process died over it; its result is an event."""
    tool = tools.load(call.name)
    try:
        if call.problem:
            raise ToolError(call.problem)
        begun = mind.state.announced
        shown = tool.settle(mind, call, begun) if begun else tool.act(mind, call)
    except ToolError as failure:
        mind.record("TOOL", f"{call.name} error", str(failure).encode("utf-8", "replace"))
    else:
        mind.record("DID" if shown is None else "TOOL", call.name if shown is None else f"{call.name} ok", shown)
    return True


def rest(mind: Mind, asking: Asking) -> None:
    """Before sleep: what happened becomes durable, and calls that LIFE holds leave the spool."""
    mind.barrier()
    asking.tidy()


def main() -> int:
    """Boot or resume a life and live it."""
    with start.life_of(sys.argv[1:]) as (mind, asking, ears, fader, watch, until_idle):
        try:
            live(mind, asking, ears, fader, watch, until_idle)
        except Leaving:
            return 0  # in the middle of a command: LIFE has announced it, and the next process settles it
    return 0


if __name__ == "__main__":
    sys.exit(errors.edge(main))
