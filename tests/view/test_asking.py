"""The open questions of all agents."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from world import world

from dotagent.capabilities.view import asking


def test_an_agent_that_is_removed_meanwhile_has_no_questions_and_the_others_are_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DOTAGENT_SANDBOX", raising=False)
    (tmp_path / "dotagent.toml").write_text('network = "on"\n')  # so that a command is an effect
    answers = iter(["RUN echo strange", "RUN echo hi > new.md"])
    with world(tmp_path, lambda messages, call: next(answers, "WAIT")) as here:
        here.say("begin")
        here.run()
        other = here.where.agent("f" * len(here.session.id))  # the last in the list
        shutil.copytree(here.session.path, other, symlinks=True)
        assert [self_id for self_id, _ in asking.find_questions(here.where)] == [here.session.id, other.name]
        found = asking.find_questions(here.where)
        assert next(found)[1].number == 10
        shutil.rmtree(other)
        assert not list(found)
        here.say("yes 10")
        here.run()
        assert not list(asking.find_questions(here.where))
