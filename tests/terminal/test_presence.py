"""Who is in a room, and by which model an agent answers that has not been asked yet."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from world import world

from dotagent.life.events import Resume
from dotagent.terminal import presence


@pytest.mark.parametrize(
    ("settings", "shown"),
    [
        ("", "local, usual by default"),
        ('model = "chosen"', "local, chosen"),
        ('provider = "local"\nmodel = "chosen"', "local, chosen"),
        ('provider = "deepseek"\nmodel = "chosen"', "local, usual by default"),
        ('model = "chosen"\n[agents.SELF]\nmodel = "own"', "local, own"),
    ],
)
def test_a_model_that_settings_choose_is_shown_before_its_first_answer(
    tmp_path: Path, settings: str, shown: str
) -> None:
    with world(tmp_path, lambda messages, call: "All right.") as one:
        one.session.record(Resume("local"))
        (one.where.calls / "providers.json").write_text(json.dumps({"local": {"model": "usual"}}))
        (one.where.root / "dotagent.toml").write_text(settings.replace("SELF", one.session.id[:12]))
        assert presence.present(one.where, one.session.id).by == shown


@pytest.mark.parametrize(
    ("days", "chosen", "warned"), [(59, "", True), (-1, "", True), (62, "", False), (59, 'model = "other"', False)]
)
def test_a_chat_begins_with_a_line_about_a_model_that_ends_soon(
    tmp_path: Path, days: int, chosen: str, warned: bool
) -> None:
    day = (datetime.now(UTC) + timedelta(days)).date()
    with world(tmp_path, lambda messages, call: "All right.") as one:
        one.session.record(Resume("local"))
        told = {"local": {"model": "usual", "ends": {"usual": str(day)}}}
        (one.where.calls / "providers.json").write_text(json.dumps(told))
        (one.where.root / "dotagent.toml").write_text(chosen)
        said = presence.find_model_ends(one.where, "dev")
    assert len(said) == warned and (not warned or f"the model usual off on {day}" in said[0])
