"""Parse the request in `forget …`: informative words, quoted words, or everything about a named person.

A name means all of its words: a request about Professor Smith does not mean Professor Jones. A name in two forms,
`Maria (Μαρία)`, is searched in both. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from dotagent.erasure import people as persons
from dotagent.erasure import spellings
from dotagent.text import borders, encoded_text, passages, quotes
from dotagent.text import words as compared
from dotagent.text.lazy import dataclass, field

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
_FROM = re.compile(
    rf"(?:{_EVERY.partition(r'(?i:about')[0]}(?:that came )?(?i:from|von|aus)"
    r"|(?i:\b(?:todo|tout|tutto|tudo)\b.{0,12} (?:(?:pro)?(?:viene|venga|vient|vem)|desde) ?(?:d[aeiou]{1,2}\b)?))"
    r"\s+(?i:(?:the|der|die|das|dem|den) )?(\S.*)"
    r"|(?:来自|來自|从|從)\s*(\S.*?)\s*(?:(?:得知|读到|看到|讀到|来|來)?的(?:一切|所有|全部).*)"
)
_TO_ME = (
    r"(?:(?:(?:to|a|à|an)\s)?(?:me|us|you|mir|uns|dir|mich|m[íi]|moi|nous|nos|te|toi|ti)"
    r"|m['’]a|a|has|have|had|hat|habe|haben|ha|he)"
)
_SAID = re.compile(  # `everything that Eve wrote to me`, not `… about tea`, which means less than all from Eve
    r"(?i:\b(?:everything|anything|all|alles|todo|tout|tutto|tudo)\b|كل),?\s+"
    r"(?i:(?:that|what|was|das|the|(?:lo |ce )?que|ما)\s+|(?:ce )?qu['’])?"
    rf"(?:(?P<who>\S.{{0,40}}?)\s(?i:{_TO_ME}\s){{0,2}}?"
    rf"(?i:(?P<passed>{quotes.FORWARDED}|pasted|passed on)|{quotes.SAYING})(?i:\s{_TO_ME}){{0,2}}"
    rf"|(?i:{quotes.SAYING})\s(?P<name>\S.{{0,40}}))"
    r"|(?:忘[掉记記])?(?P<zh>\w{1,20}?)(?:[对對跟向给給和]我)?"
    rf"(?:(?P<zh_passed>{quotes.FORWARDED})|{quotes.SAYING})[过過]?的.{{0,2}}(?:一切|所有|全部|内容)"
)
_SIGNS = " .!?。！？\"'“”„"  # around the name of a source
_ME = re.compile(rf"{quotes.MINE}|我|he\b|you\b", re.IGNORECASE)
_OF = re.compile(_EVERY + r"(\S.*)")
_QUOTED = re.compile(r"\s*[\"“„](.+)[\"”“]\s*", re.DOTALL)
_ALSO = re.compile(
    r"\s+(?:aka|a\.k\.a\.|alias|also known as|alias|auch bekannt als|/)\s+|\s*\(([^()]+)\)\s*", re.IGNORECASE
)
_LETTERS = "A-Za-zÀ-ɏḀ-ỿ"
_LATIN = re.compile(f"[{_LETTERS}]")
_BESIDE = re.compile(
    rf"([\W\d_{_LETTERS}]*\b[A-ZÀ-ÞḀ-Ỿ][{_LETTERS}]*) ([^{_LETTERS}]*[^\W\d_{_LETTERS}][^{_LETTERS}]*)( [a-z].*)?",
    re.DOTALL,
)
"""A name in Latin letters, followed by the same name in other letters."""
_NAME = re.compile(rf"\W*{_CAPITAL}", re.DOTALL)
_PART = re.compile(rf"{_CAPITAL}[\w-]+")
_NUMBER = re.compile(r"(?<!\d)\d{3,40}(?!\d)")
TITLES = frozenset("dr mr mrs ms prof professor sir herr frau doktor".split())


@dataclass(frozen=True)
class Search:
    """The request: its informative words, or, if quoted, all words in order."""

    stems: tuple[str, ...]
    exact: tuple[str, ...] = ()
    named: frozenset[str] = frozenset()
    """Unique names in it, such as codes, numbers and addresses. If a sentence has one, others do not match."""
    whole: frozenset[str] = frozenset()
    """The names of a person, if the request covers everything about this person."""
    same: Mapping[str, str] = field(default_factory=dict)
    """Equivalent stems, for the other names of the person."""
    framed: bool = False
    """Whether the framing words are known: for English, whose stop words are left out."""
    proper: frozenset[str] = frozenset()
    """Stems of words written like names, which decide between equal matches."""
    marked: Mapping[str, str] = field(default_factory=dict)
    """The stems with their accents and vowel signs, by the stem without."""
    said: str = ""
    """The request in its own words, which a text may contain across a line break."""

    def named_in(self, text: str) -> bool:
        """Return True if the text names a person of `whole`: by the whole name, or by a part without another name next
        to it."""
        written = (re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) for name in self.whole)
        return any(written) or any(own for name in self.whole for own in _parts(name, text))

    def others(self, text: str) -> bool:
        """Return True if the text contains a part of such a name only within another person's name."""
        return not self.named_in(text) and any(list(_parts(name, text)) for name in self.whole)


def parse_wording(asked: str, people: Sequence[frozenset[str]] = ()) -> Search:
    """Parse one wording of `forget that …`. `people` have several names."""
    bare = _strip_request(asked)
    quoted = _QUOTED.fullmatch(bare)
    exact = tuple(passages.words(quoted[1])) if quoted else ()
    while exact and borders.is_stop(exact[-1]):  # for Khmer or Burmese, where each character is a word
        exact = exact[:-1]
    told = tuple(dict.fromkeys(stems(bare)))
    proper = frozenset(stem for name in _PART.findall(bare) for stem in stems(name))
    framed = not compared.STOP.isdisjoint(compared.raw(bare))
    return Search(
        told,
        exact,
        spellings.names(bare),
        _names_of_person(bare, people),
        persons.map_stems(people, told),
        framed,
        proper,
        {one: two for word in bare.split() for one, two in zip(stems(word), stems(word, marks=True), strict=False)},
        bare,
    )


def source(asked: str) -> str:
    """Return the source in a request for everything from it, or "": `everything from notes/mail.txt`, `everything that
    Eve said`, `everything I forwarded`."""
    bare = _strip_request(asked).strip(_SIGNS)
    name = (found[1] or found[2]).strip(_SIGNS) if (found := _FROM.search(bare)) else ""
    if not (found := _SAID.fullmatch(f"all {name}" if name else bare)):
        return name
    who = found["who"] or found["name"] or found["zh"]
    passed = "passed on" if found["passed"] or found["zh_passed"] else ""
    return passed if _ME.match(who) else f"what {who} {passed}" if passed else who


def ways(asked: str) -> list[str]:
    """Return one request for each given name: `Maria (Μαρία)`, `Ana / Аня`, `Ahmed aka أحمد`."""
    bare = _strip_request(asked)
    if _QUOTED.fullmatch(bare):
        return [asked]
    first, *more = (part.strip() for part in _ALSO.split(bare) if part and part.strip())
    if more and all(_NAME.match(one) or not _LATIN.search(one) for one in more):
        return [first, *more]
    beside = _BESIDE.fullmatch(bare)
    plain = beside and not any(sign.isdigit() for sign in beside[2])
    return [beside[1] + (beside[3] or ""), beside[2]] if beside and plain else [asked]


def in_their_digits(asked: str, texts: Iterable[str]) -> list[str]:
    """Return the request as it is, or, if these texts have its number in digits of other scripts, such as `៦៦៣១` for
    6631, once for each form there."""
    numbers = {(int(one), len(one)): one for one in _NUMBER.findall(asked)}
    found = {one for text in texts for one in _NUMBER.findall(text)} if numbers else set[str]()
    same = {one: numbers[int(one), len(one)] for one in sorted(found) if (int(one), len(one)) in numbers}
    return list(dict.fromkeys(asked.replace(number, one) for one, number in same.items())) or [asked]


def stems(text: str, *, filed: bool = False, marks: bool = False, also: Collection[str] = ()) -> list[str]:
    """Return the stems of a text's informative words, or of all words if none is informative, as words.raw gives
    them. `also` are other words to return, such as those of a request without informative words: without its accent, a
    word may look like a stop word of another language."""
    words = compared.raw(encoded_text.joined(text), filed=filed, marks=marks)
    found = compared.distinctive_stems(words) or words
    return [*found, *(one for one in words if one in also and one not in found)]


def _strip_request(asked: str) -> str:
    return _ASKED.sub("", asked, count=1) if _ASKED.match(asked) else asked


def _names_of_person(bare: str, people: Sequence[frozenset[str]]) -> frozenset[str]:
    """Return the names of the person in a request for everything: a known person, or anything written like a name."""
    if (asked := _OF.search(bare)) and (names := persons.find_names(people, asked[1].strip(" .!?\"'"))):
        return names
    named = _ALL.search(bare)
    return frozenset((named[1],)) | persons.find_names(people, named[1]) if named else frozenset()


def _parts(name: str, text: str) -> list[bool]:
    """Return, for each place with a part of a name of several words, whether no other name is next to it."""
    words = name.split()
    if len(words) < 2:
        return []
    found = list[bool]()
    for part in (word.rstrip(".") for word in words if _PART.fullmatch(word.rstrip("."))):
        for at in re.finditer(rf"(?:(\S+) )?(?<!\w){re.escape(part)}(?!\w)(?:['’]s)?\.?(?: (\S+))?", text):
            before = at[1] if at[1] and at[1][-1].isalnum() else ""  # a comma or a title's dot ends a name
            after = (at[2] or "").strip(".,;:!?()")
            strange = [one for one in (before, after) if one[:1].isupper() or one[:1].isdigit()]
            strange = [one for one in strange if one not in words]
            found.append(not strange and part.lower() not in TITLES)
    return found
