"""A person's answers at the terminal. Owns nothing on disk."""

from __future__ import annotations

import sys
from collections.abc import Callable

from dotagent.errors import Misuse, Trouble


def agreed(question: str, otherwise: str, seen: bool = True) -> bool:
    """Return True if the person says yes. Raise Misuse(`otherwise`) without a terminal, or if the subject is unseen."""
    if not (seen and sys.stdin.isatty()):
        raise Misuse(otherwise)
    try:
        return input(f"{question} [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        print()
        return False


def read_answer(question: str, ask: Callable[[str], str] = input) -> str:
    """Return the person's answer to this question. Raise Trouble at the end of the input (^D)."""
    try:
        return ask(question).strip()
    except EOFError:
        print()
        raise Trouble("no answer, so nothing was changed") from None
