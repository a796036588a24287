"""A question at the terminal: what is typed, and who leaves instead."""

from __future__ import annotations

import pytest

from dotagent.answers import read_answer
from dotagent.arguments import Parser
from dotagent.errors import Misuse, Trouble


def test_what_is_typed_at_a_question_and_who_leaves_instead(capsys: pytest.CaptureFixture[str]) -> None:
    def leave(question: str) -> str:
        raise EOFError

    assert read_answer("why? ", lambda question: f" {question}\n") == "why?"
    with pytest.raises(Trouble, match="no answer, so nothing was changed"):
        read_answer("why? ", leave)
    assert capsys.readouterr().out == "\n"


@pytest.mark.parametrize(("kind", "told"), [(int, "'x' is not a whole number"), (float, "'x' is not a number")])
def test_a_wrong_number_is_told_without_a_word_of_the_code(kind: type, told: str) -> None:
    parser = Parser("standing", "")
    parser.add_argument("--drop", type=kind)
    with pytest.raises(Misuse, match=f"^argument --drop: {told} "):
        parser.parse_args(["--drop", "x"])
