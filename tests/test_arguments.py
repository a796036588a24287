"""A question at the terminal: what is typed, and who leaves instead."""

from __future__ import annotations

import pytest

from dotagent.arguments import read_answer
from dotagent.errors import Trouble


def test_what_is_typed_at_a_question_and_who_leaves_instead(capsys: pytest.CaptureFixture[str]) -> None:
    def leave(question: str) -> str:
        raise EOFError

    assert read_answer("why? ", lambda question: f" {question}\n") == "why?"
    with pytest.raises(Trouble, match="no answer, so nothing was changed"):
        read_answer("why? ", leave)
    assert capsys.readouterr().out == "\n"
