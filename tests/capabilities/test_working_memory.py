"""What a life does now stands in a file beside its notes, made of LIFE's end."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from lives import living
from world import World

from dotagent.life.events import Daily, Recent
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
        lines = (lived.session.path / "memory/working/ana/current.json").read_text().split("\n")
        assert sum(line.startswith('    {"ts": ') for line in lines) == 20
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


@pytest.mark.wide
@pytest.mark.slow
@pytest.mark.parametrize("limit", [8000, 16_000, 32_000, 64_000, 128_000])
def test_what_is_told_of_it_in_the_prompt_is_little(tmp_path: Path, limit: int) -> None:
    """LIFE's last lines, which a swap restates, and what is told of a day's note, take at most 3 % of the context."""
    today = datetime.now().astimezone().strftime("%Y-%m-%d")
    words = "word " * (limit // 80)
    with living(tmp_path, lambda messages, call: words if call.kind == "live" else None, limit) as lived:
        for number in range(30):
            lived.say(words, "ana")
            lived.run()
            if number == 10:
                many = [f"- 10:{at % 60:02} number {at} of what happened today" for at in range(limit // 8)]
                path = lived.session.path / f"memory/{today}.md"
                path.parent.mkdir(exist_ok=True)
                path.write_text(f"# {today}\n\n## Notes\n" + "\n".join(many) + "\n")
        lived.me.compactor.force(limit // 2)
        for _ in range(4):
            lived.say("And?", "ana")
            lived.run()
        told = {
            word: [entry.tokens for entry in lived.session.entries if entry.event == word]
            for word in (Recent.WORD, Daily.WORD)
        }
        assert all(told.values()), told
        assert sum(told[Recent.WORD]) <= 0.03 * limit
        assert max(told[Daily.WORD]) <= 0.03 * limit and len(told[Daily.WORD]) == 1
