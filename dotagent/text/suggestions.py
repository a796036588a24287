"""Error messages for unknown words and invalid tables, with suggestions. Owns nothing on disk."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

Rule = tuple[Callable[[Any], bool], str]
"""A test for a value, and the message if it fails."""
TEXT: Rule = (lambda value: isinstance(value, str), "must be a text")
TRUTH: Rule = (lambda value: isinstance(value, bool), "must be true or false")


def hint(word: str, known: Iterable[str]) -> str:
    """Return `: did you mean status?` for the nearest known word, or "." if none is near."""
    import difflib  # takes longer to load than many a command takes

    bare = {one.strip("-"): one for one in known}  # the dashes of options are no likeness
    found = difflib.get_close_matches(word.strip("-"), list(bare), 1)
    return f": did you mean {bare[found[0]]}?" if found else "."


def suggest_all(word: str, known: Iterable[str]) -> str:
    """Return the same, followed by all known words."""
    there = list(known)
    return f"{hint(word, there)} Possible names: {', '.join(there) or 'none'}"


def flaw(table: Mapping[str, Any], rules: Mapping[str, Rule], unknown: str) -> str:
    """Return the first problem: a name without a rule, which the message calls `unknown`, or a bad value; or ""."""
    for name, value in table.items():
        if name not in rules:
            return f"{unknown} {name[:40]!r}{suggest_all(name, rules)}"
        holds, wanted = rules[name]
        if not holds(value):
            return f"{name} {wanted}"
    return ""
