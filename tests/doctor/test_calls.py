"""The queue: what is left over in it is named, and nothing is moved."""

from __future__ import annotations

from a_lived_home import look

from dotagent.store import disk, home, queue
from dotagent.store.home import Home
from dotagent.store.queue import Call


def test_the_spool(where: Home) -> None:
    agent = home.lives(where)[0]
    for id in ("a" * 32, "b" * 32):
        queue.place(where, Call(id, agent, "own", "live", "dev"))
    queue.take(where, "own", taker=(1, "another start time"))
    taken = where.calls / "taken" / ("a" * 32)
    (where.calls / "new" / "own" / ("c" * 32)).write_text("{")
    (where.calls / "new" / "own" / ("c" * 32)).chmod(0o600)
    queue.stream(where, "d" * 32)
    disk.make_dir(where.calls / "done" / agent)
    (where.calls / "done" / agent / ("e" * 32)).write_text("[]")
    status, found = look(where)
    named = {one["where"]: one["what"] for one in found}
    assert status == 0 and named[f"calls/new/own/{'c' * 32}"] == "this model request is unreadable"
    assert (
        named[f"calls/stream/{'d' * 32}.1"]
        == "this file contains an unfinished answer, but no model request waits for it"
    )
    assert named[f"calls/done/{agent}/{'e' * 32}"] == "the file is not a valid answer of a provider"
    assert taken.exists() and (where.calls / "new" / "own" / ("c" * 32)).exists()
