"""A pack's process."""

from __future__ import annotations

import fcntl
import threading
from pathlib import Path

from support import make_home

from dotagent.capabilities.toolpacks import pack_calls, serve
from dotagent.store import disk


def test_who_only_looks_whether_it_runs_keeps_it_from_nothing(tmp_path: Path) -> None:
    where = make_home(tmp_path / "home")
    there = pack_calls.folder(where.agent("1" * 32), "marks")
    pack_calls.put(there, pack_calls.Use("a", "mark", {}, "", "private ana", False))
    with open(there / "pid", "wb") as look:
        fcntl.flock(look, fcntl.LOCK_SH)  # as packed.is_served does, for a moment
        threading.Timer(0.05, look.close).start()
        serve.serve(where, "1" * 32, "marks", 0.1)
    said = pack_calls.find_result(there, "a")
    assert said and said.sure and "no tool pack 'marks'" in said.text  # it is not installed, so nothing happened
    assert not disk.is_locked(there / "pid") and not pack_calls.waiting(there)
