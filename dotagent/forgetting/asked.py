"""What `forget …` asks for: the words of it that tell something, or quoted words, or all about somebody who is named.

A name is all of its words: who asks for everything about Professor Smith does not mean Professor Jones. A name that is
told in two ways, `Maria (Μαρία)`, is one, and is looked for in each. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from dotagent.forgetting import people as persons
from dotagent.text import passages, spelled
from dotagent.text import words as compared

_ASKED = re.compile(
    r"\s*(?:please\s+)?(?:(?:vergiss|vergesst)(?:\s+bitte)?,?\s+(?:dass\s+)?|forget\s+(?:that\s+|about\s+|what\s+(?:i|you)\s+said\s+about\s+)?)",
    re.IGNORECASE,
)
_EVERY = r"\b(?i:everything|anything|all|alles|information(?:en)?|details|angaben)\s+(?i:about|on|of|über|von|zu)\s+"
_CAPITAL = r"[^\W\d_a-zß-ÿ]"
_ALL = re.compile(
    rf"{_EVERY}((?!(?i:the|my|our|der|die|das)\b){_CAPITAL}\w+"
    rf"(?:\.? (?:(?:van|von|de|der|den|di|da|del|la|le) )*(?:{_CAPITAL}[\w-]*|\d[\w-]*)\b)*)"
)
_OF = re.compile(_EVERY + r"(\S.*)")
_QUOTED = re.compile(r"\s*[\"“„](.+)[\"”“]\s*", re.DOTALL)
_ALSO = re.compile(
    r"\s+(?:aka|a\.k\.a\.|alias|also known as|alias|auch bekannt als|/)\s+|\s*\(([^()]+)\)\s*", re.IGNORECASE
)
_LATIN = re.compile(r"[A-Za-zÀ-ɏ]")
_BESIDE = re.compile(rf"(.*\b{_CAPITAL}\w*) ([^A-Za-zÀ-ɏ]*[^\W\d_A-Za-zÀ-ɏ][^A-Za-zÀ-ɏ]*)( [a-z].*)?", re.DOTALL)
_NAME = re.compile(rf"\W*{_CAPITAL}", re.DOTALL)
_PART = re.compile(rf"{_CAPITAL}[\w-]+")
TITLES = frozenset("dr mr mrs ms prof professor sir herr frau doktor".split())


@dataclass(frozen=True)
class Search:
    """What is asked for: its words that tell something, or, of quoted words, all of them in their order."""

    stems: tuple[str, ...]
    exact: tuple[str, ...] = ()
    named: frozenset[str] = frozenset()
    """What names one thing, as a code, a number or an address does: where a sentence has it, others are not meant."""
    whole: frozenset[str] = frozenset()
    """The names of somebody of whom everything is meant."""
    same: Mapping[str, str] = field(default_factory=dict)
    """Stems that count as another: of the other names of who is named."""
    proper: frozenset[str] = frozenset()
    """Stems of what is written like a name: of two that fit as well it decides."""

    def named_in(self, text: str) -> bool:
        """Whether somebody of whom everything is meant is named: by the whole name or, where no other name stands
        beside it, by a part of it."""
        return any(_found(name, text) or any(own for own in _parts(name, text)) for name in self.whole)

    def others(self, text: str) -> bool:
        """Whether a part of such a name is a part of another's there, and nobody is named who is meant."""
        return not self.named_in(text) and any(list(_parts(name, text)) for name in self.whole)


def wanted(asked: str, people: Sequence[frozenset[str]] = ()) -> Search:
    """What one way of saying `forget that …` means, of people who have several names."""
    bare = _bare(asked)
    quoted = _QUOTED.fullmatch(bare)
    exact = tuple(passages.words(quoted[1])) if quoted else ()
    told = tuple(dict.fromkeys(stems(bare)))
    proper = frozenset(stem for name in _PART.findall(bare) for stem in stems(name))
    return Search(told, exact, spelled.names(bare), _whole(bare, people), persons.same(people, told), proper)


def ways(asked: str) -> list[str]:
    """What is asked for by each of the names that are given it: `Maria (Μαρία)`, `Ana / Аня`, `Ahmed aka أحمد`."""
    bare = _bare(asked)
    if _QUOTED.fullmatch(bare):
        return [asked]
    first, *more = (part.strip() for part in _ALSO.split(bare) if part and part.strip())
    if more and all(_NAME.match(one) or not _LATIN.search(one) for one in more):
        return [first, *more]
    beside = _BESIDE.fullmatch(bare)
    plain = beside and not any(sign.isdigit() for sign in beside[2])
    return [beside[1] + (beside[3] or ""), beside[2]] if beside and plain else [asked]


def stems(text: str) -> list[str]:
    """The words of a text that tell something, or all of one where none does."""
    return compared.stems(text) or compared.raw(text)


def _bare(asked: str) -> str:
    return _ASKED.sub("", asked, count=1) if _ASKED.match(asked) else asked


def _whole(bare: str, people: Sequence[frozenset[str]]) -> frozenset[str]:
    """The names of who is meant wholly: somebody known, or whatever is written like a name."""
    if (asked := _OF.search(bare)) and (names := persons.of(people, asked[1].strip(" .!?\"'"))):
        return names
    named = _ALL.search(bare)
    return frozenset((named[1],)) | persons.of(people, named[1]) if named else frozenset()


def _found(name: str, text: str) -> bool:
    return bool(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text))


def _parts(name: str, text: str) -> list[bool]:
    """For each place where a part of a name of several words stands alone: whether no other name is beside it."""
    words = name.split()
    if len(words) < 2:
        return []
    found = list[bool]()
    for part in (word.rstrip(".") for word in words if _PART.fullmatch(word.rstrip("."))):
        for at in re.finditer(rf"(?:(\S+) )?(?<!\w){re.escape(part)}(?!\w)(?:['’]s)?\.?(?: (\S+))?", text):
            before = at[1] if at[1] and at[1][-1].isalnum() else ""  # no name goes on behind a comma or a title's dot
            after = (at[2] or "").strip(".,;:!?()")
            strange = [one for one in (before, after) if one[:1].isupper() or one[:1].isdigit()]
            strange = [one for one in strange if one not in words]
            found.append(not strange and part.lower() not in TITLES)
    return found
