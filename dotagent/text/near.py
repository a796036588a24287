"""What is wrong with a word that is nothing here, or with a table of a person's; and what they may have meant. Owns
nothing on disk."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

Rule = tuple[Callable[[Any], bool], str]
"""Whether a value is what it must be, and the words for what that is."""
TEXT: Rule = (lambda value: isinstance(value, str), "must be a text")
TRUTH: Rule = (lambda value: isinstance(value, bool), "must be true or false")


def hint(word: str, known: Iterable[str]) -> str:
    """`: did you mean status?` for the word that is nearest, "." when none is near."""
    import difflib  # takes longer to load than many a command takes

    found = difflib.get_close_matches(word, list(known), 1)
    return f": did you mean {found[0]}?" if found else "."


def among(word: str, known: Iterable[str]) -> str:
    """The same, and all that there is."""
    there = list(known)
    return f"{hint(word, there)} There are {', '.join(there) or 'none'}"


def flaw(table: Mapping[str, Any], rules: Mapping[str, Rule], unknown: str) -> str:
    """What is wrong with the table, "" for nothing: a name without a rule, which is `unknown`, or a value that breaks
    its own."""
    for name, value in table.items():
        if name not in rules:
            return f"{unknown} {name[:40]!r}{among(name, rules)}"
        holds, wanted = rules[name]
        if not holds(value):
            return f"{name} {wanted}"
    return ""
