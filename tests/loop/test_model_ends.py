"""An agent says at its start that its provider switches its model off soon."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from world import world

from dotagent.store import home, model_end


@pytest.mark.parametrize(("options", "model"), [((), "usual"), (("--model", "other"), "other")])
def test_a_start_says_which_model_ends_soon(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], options: tuple[str, ...], model: str
) -> None:
    soon = str((datetime.now(UTC) + timedelta(30)).date())
    with world(tmp_path, lambda messages, call: "All right."):
        pass
    assert "switches the model" not in capfd.readouterr().err
    told = {"scripted": {"model": "usual", "ends": {"usual": soon, "other": soon}}}
    (tmp_path / "calls" / "providers.json").write_text(json.dumps(told))
    with world(tmp_path, lambda messages, call: "All right.", *options):
        pass
    said = capfd.readouterr().err
    assert said.count("switches the model") == 1 and f"scripted: the provider switches the model {model} off" in said


def test_what_a_provider_says_only_after_the_start_is_printed_once(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    soon = str((datetime.now(UTC) + timedelta(30)).date())
    told = json.dumps({"scripted": {"model": "usual", "ends": {"usual": soon}}})
    with world(tmp_path, lambda messages, call: "All right.") as one:
        (tmp_path / "calls" / "providers.json").write_text(told)
        for _ in range(2):
            one.say("hello")
            one.run()
    assert capfd.readouterr().err.count("scripted: the provider switches the model usual off") == 1


def test_only_of_running_providers_and_chosen_models(tmp_path: Path) -> None:
    home.prepare(where := home.Home(tmp_path))
    (where.calls / "providers.json").write_text(json.dumps({"local": {"model": "m", "ends": {"m": "2026-01-01"}}}))
    assert list(model_end.of_running(where, home.Settings())) == []
