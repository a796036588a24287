"""Where somebody says that an address is to be found: `her e-mail is on www.dora.example`, `all links in 'notes.md'`.

The place must be named as nothing else is, by an address, a path or in quotes, in the same sentence as what is sought
there. English and German. Owns nothing on disk.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dotagent.text import quoted

_ENDS = re.compile(r"(?<=[.!?])\s+|\n+")
_SOUGHT = {
    "mail": re.compile(r"\be-?mails?\b|\bmail(?:adresse|-adresse)?\b", re.IGNORECASE),
    "web": re.compile(r"\b(?:links?|urls?|(?:web|home)?(?:sites?|pages?|seiten?)|articles?|artikel)\b", re.IGNORECASE),
}
_ALL = re.compile(r"\b(?:all|every|each|alle|allen|jede[nrs]?)\b", re.IGNORECASE)
_OPEN, _CLOSE = "'\"`‘“«„", "'\"`’”»"
_QUOTED = re.compile(rf"(?<!\w)[{_OPEN}][^{_CLOSE}\n]{{1,200}}[{_CLOSE}](?!\w)")
_NAMED = re.compile(r"\w[./@]\w")
SENTENCE = 1000  # characters: what is longer is no sentence
LONGEST = 2000  # characters of an address


def kind(value: str) -> str:
    """What kind of address a value is, `mail` or `web`; empty where it is something else."""
    value = value.strip()
    if not value or len(value) > LONGEST or next(quoted.addresses(value), "") != value:
        return ""
    return "mail" if "@" in value and "/" not in value else "web"


def sentences(text: str) -> Iterator[str]:
    """Its sentences and lines."""
    return filter(None, _ENDS.split(text))


def sought(sentence: str) -> Iterator[str]:
    """Of which kinds of addresses a sentence says where they are: any of mail, of the web only all."""
    words = _QUOTED.sub(" ", sentence).split() if len(sentence) <= SENTENCE else []
    own = " ".join(word for word in words if not _NAMED.search(word))  # the place `mail.txt` seeks no mail
    if _SOUGHT["mail"].search(own):
        yield "mail"
    elif _SOUGHT["web"].search(own) and _ALL.search(own):
        yield "web"


def names(sentence: str, place: str) -> bool:
    """Whether it names the place by what is no word of a language: an address, a path, or in quotes."""
    bare = place.strip()
    if re.search(r"\w[./]\w", bare):
        return quoted.plain(bare) in quoted.plain(sentence)
    sought, there, at = bare.casefold(), sentence.casefold(), -1
    while sought and (at := there.find(sought, at + 1)) >= 0:
        before, behind = there[at - 1 : at], there[at + len(sought) :][:1]
        if before and behind and before in _OPEN and behind in _CLOSE:
            return True
    return False


def addresses(text: str, which: str) -> set[str]:
    """The addresses of this kind that stand in a text, as `bare` has them."""
    return {bare(one) for one in quoted.addresses(text) if kind(one) == which}


def bare(address: str) -> str:
    """An address as it is compared: without its scheme."""
    return re.sub(r"^\w+://", "", address.strip()).rstrip("/").casefold()
