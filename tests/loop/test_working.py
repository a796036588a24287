"""What a life does now stands in a file beside its notes, made of LIFE's end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from lives import living
from world import World

from dotagent.life.events import Recent
from dotagent.life.replay import size
from dotagent.store.queue import Call
from dotagent.store.requests import ChatMessage

KEY = "ghp_" + "a1B2c3D4" * 4 + "e5F6"


def current(lived: World) -> dict[str, Any]:
    found = json.loads((lived.session.path / "memory/working/ana/current.json").read_text())
    assert isinstance(found, dict)
    return found


def test_the_task_the_last_events_and_files(tmp_path: Path) -> None:
    replies = ["WRITE_FILE plan.md <<END\n- tickets\nEND", "It is written.", "Good morning."]

    def model(messages: list[ChatMessage], call: Call) -> str:
        return replies.pop(0) if replies else "Yes."

    with living(tmp_path, model, 8000) as lived:
        lived.say(f"Plan the journey, my key is {KEY}.", "ana")
        lived.run()
        told = current(lived)
        assert told["actor"] == "ana"
        assert told["session"] == lived.session.id[:12]
        assert told["task"].startswith("ana: Plan the journey, my key is ")
        assert KEY not in json.dumps(told)
        assert told["recent_files"] == ["plan.md"]
        kinds = [(one["kind"], one["tool"]) for one in told["recent_events"]]
        assert kinds == [
            ("answer", ""),
            ("result", "WRITE_FILE"),
            ("edit", "WRITE_FILE"),
            ("answer", ""),
            ("message", ""),
        ]
        for _ in range(30):
            lived.say("And?", "ana")
            lived.run()
        assert len(current(lived)["recent_events"]) == 20
        begun = current(lived)["started_at"]
        file = lived.session.path / "memory/working/ana/current.json"
        before = file.stat().st_mtime_ns
        lived.run()
        assert file.stat().st_mtime_ns == before
    file.unlink()
    with living(tmp_path, model, 8000) as lived:
        lived.run()
        assert current(lived)["task"] == "ana: And?"
        assert current(lived)["started_at"] > begun


def test_what_is_told_of_it_in_the_prompt_is_little(tmp_path: Path) -> None:
    """LIFE's last lines, which a swap restates, take at most 3 % of a context of the usual size."""
    with living(tmp_path, lambda messages, call: "word " * 300 if call.kind == "live" else None, 64_000) as lived:
        for _ in range(60):
            lived.say("word " * 800, "ana")
            lived.run()
        lived.me.compactor.force(32_000)
        lived.say("And?", "ana")
        lived.run()
        told = [entry for entry in lived.session.entries if entry.event == Recent.WORD]
        assert told
        assert sum(map(size, told)) <= 0.03 * 64_000
