"""Hooks as doctor sees them: one that ended badly last is named, with what it printed."""

from __future__ import annotations

from pathlib import Path

from a_lived_home import look
from world import world

from dotagent.capabilities.hooks import event_queue


def test_a_hook_that_ended_badly_last_is_named(tmp_path: Path) -> None:
    with world(tmp_path / "home", lambda messages, call: "WAIT") as here:
        folder, where = here.session.path, here.where
        here.say("hello")
        here.run()
    (where.root / "dotagent.toml").write_text(
        '[hooks.mine]\non = "turn"\nrun = "x"\n[hooks.other]\non="turn"\nrun="y"\n'
    )
    (event_queue.folder(folder)).mkdir(parents=True)
    bad = {"at": "2026-11-22T20:17:20Z", "hook": "mine", "how": "exit status 1", "printed": "x: not found\x1b[2J"}
    event_queue.note(folder, bad)
    (one,) = look(where)[1]
    assert "the hook mine ended at 2026-11-22T20:17: exit status 1" in one["what"] and "\x1b" not in one["what"]
    assert "x: not found" in one["what"] and "enabled = false" in one["do"]
    event_queue.note(folder, {**bad, "how": "exit status 0"})
    assert look(where)[1] == []
