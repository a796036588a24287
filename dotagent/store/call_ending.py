"""Give a request to a model its outcome: an answer, a failure, or the end that an agent or a person wants.

placed_calls.py has the agent's usual work with the queue, and queue.py describes the files in `calls/`.
"""

from __future__ import annotations

import json

from dotagent.errors import Trouble
from dotagent.store import disk
from dotagent.store.call import Call, Outcome
from dotagent.store.home import Home
from dotagent.store.placed_calls import done, streams
from dotagent.text import escape, tokens
from dotagent.text.lazy import replace


def fail(home: Home, call: Call, kind: str, hint: str, *, retryable: bool = False, size: int | None = None) -> bool:
    """Fail a call with a hint for a person. Return False if the call already had an answer."""
    return failed(home, call, Outcome(kind=kind, hint=hint, retryable=retryable, size=size))


def failed(home: Home, call: Call, outcome: Outcome) -> bool:
    """Fail a call with this outcome. Return False if the call already had an answer.

    If the call was cancelled, the tokens of its lost attempts replace those in its outcome, because the canceller only
    estimated them.
    """
    if finish(home, call, replace(outcome, hint=escape.one_line(outcome.hint, 400))):
        return True
    there = done(home, call.agent, call.id) if outcome.lost else None
    if there and not there.reply:
        more = replace(there, lost=outcome.lost, model=outcome.model)
        disk.replace(home.calls / "done" / call.agent / call.id, _encoded(call, more))
    return False


def cancel(home: Home, call: Call, kind: str = "cancelled", hint: str = "the request was cancelled") -> bool:
    """Cancel a call by recording a failed outcome, with about what had come of its answer. A worker that has taken it
    stops when it sees the outcome. Return False if the call already had an answer."""
    outcome = Outcome(kind=kind, hint=hint, retryable=kind != "cancelled")
    stopped = failed(home, call, _with_lost(home, call.id, outcome))
    withdraw(home, call.id)
    return stopped


def _with_lost(home: Home, id: str, outcome: Outcome) -> Outcome:
    """Return the outcome with the estimated usage of the attempts that had brought a part of an answer. The agent may
    take the outcome before the worker, which knows the usage better, has added it."""
    came = [text for path in streams(home, id) if (text := disk.read(path, missing=b""))]
    if not came:
        return outcome
    from dotagent.store.request_rebuilding import Rebuilder  # loaded only when an answer is stopped in its midst

    try:
        asked = Rebuilder(home.store()).request(id)
    except Trouble:  # a lost blob: only the answer's tokens count
        return replace(outcome, lost={"output": sum(map(tokens.estimate, came)), "estimated": 1})
    used = {"input": asked.tokens * len(came), "output": sum(map(tokens.estimate, came)), "estimated": 1}
    return replace(outcome, lost=used, model=asked.model)


def withdraw(home: Home, id: str) -> None:
    """Remove a waiting call from every provider's queue."""
    for path in (home.calls / "new").glob(f"*/{id}"):
        disk.remove(path)


def finish(home: Home, call: Call, outcome: Outcome) -> bool:
    """Record the outcome durably. Return False if the call already had one."""
    directory = f"{home.calls}/done/{call.agent}"
    disk.make_dir(directory)
    aside = disk.write_aside(home.calls, _encoded(call, outcome), durable=True)  # not there, where it would wake agents
    made = disk.link(aside, f"{directory}/{call.id}")
    disk.sync_dir(directory)
    if made:
        disk.remove(f"{home.calls}/taken/{call.id}")
    return made


def _encoded(call: Call, outcome: Outcome) -> bytes:
    outcome = replace(outcome, provider=call.provider, background=call.kind != "live")
    return json.dumps(vars(outcome), ensure_ascii=False).encode("utf-8", "replace") + b"\n"
