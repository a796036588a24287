"""The meaning of a query: its words, and the speakers that it names. Any text is a query, without a syntax.

Owns nothing on disk.
"""

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
    speakers: tuple[frozenset[int], ...]  # the possible speakers of each name, in the order of the query
    unnamed: str  # the text without these names, for a search by meaning


def parse(text: str, words: list[str], called: dict[str, frozenset[int]]) -> Query:
    """Parse a text and its words (words.raw). `called` maps a word to the speakers with that name. Names select
    speakers and are not searched as words, unless the query has no other words: the turns of a person seldom contain
    the person's name."""
    months = {found[0].lower() for found in _MONTH.finditer(text)}
    asked = [word for word in words if word not in STOP or word in months]
    told = [word for word in asked if word not in called] or asked
    return Query(
        tuple({stem(word): _term(word) for word in told}.values()),
        tuple(_people([called[word] for word in words if word in called])),
        " ".join(part for part in text.split() if called.keys().isdisjoint(raw(part))) or text,
    )


def _people(names: list[frozenset[int]]) -> list[frozenset[int]]:
    """Return a set of speakers for each person. Names that can mean the same person, such as a first name and a
    surname, narrow each other."""
    found: list[frozenset[int]] = []
    for name in names:
        for i, other in enumerate(found):
            if name & other:
                found[i] = name & other
                break
        else:
            found.append(name)
    return found


def _term(word: str) -> Term:
    """Return the word with all its index forms."""
    dated = word in MONTHS or word in DAYS or (word.isdigit() and len(word) in (1, 2, 4))
    return (stem(word), "@" + word.lstrip("0")) if dated else (stem(word),)
