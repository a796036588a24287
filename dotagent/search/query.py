"""The meaning of a query: its words, and the speakers that it names. Any text is a query, without a syntax. Owns
nothing on disk."""

from collections.abc import Callable, Collection, Mapping

from dotagent.text import lazy
from dotagent.text.lazy import dataclass
from dotagent.text.words import DAYS, MONTHS, STOP, raw, stem

_MONTH = lazy.compile(r"(?<=\w )May\b|(?i:\bmay(?= \d)|(?<=\d )may\b)")  # the month, not the verb


Term = tuple[str, ...]
"""A word of the query in all its index forms: its stem and, for a word like "may" or "2023", the day of a turn."""


@dataclass(frozen=True)
class Query:
    """A parsed query: its words, and the speakers that it names."""

    terms: tuple[Term, ...]
    speakers: frozenset[int]  # that its first name may mean
    unnamed: str  # the text without these names, for a search by meaning


def parse(text: str, find_speakers: Callable[[Collection[str]], Mapping[str, frozenset[int]]]) -> Query:
    """Parse a text. `find_speakers` returns those words that are names, each with its speakers. Names select speakers
    and are not searched as words, unless the query has no other words: a person's turns seldom contain the own name."""
    words = raw(text)
    called = find_speakers(words)
    months = {found[0].lower() for found in _MONTH.finditer(text)}
    asked = [word for word in words if word not in STOP or word in months]
    told = [word for word in asked if word not in called] or asked
    return Query(
        tuple({stem(word): _term(word) for word in told}.values()),
        next((called[word] for word in words if word in called), frozenset()),
        " ".join(part for part in text.split() if called.keys().isdisjoint(raw(part))) or text,
    )


def _term(word: str) -> Term:
    """Return the word with all its index forms."""
    dated = word in MONTHS or word in DAYS or (word.isdigit() and len(word) in (1, 2, 4))
    return (stem(word), "@" + word.lstrip("0")) if dated else (stem(word),)
