"""Words that can be compared: folded, without endings, and without those that every sentence has. English, and good
enough: `booked`, `booking` and `book` are one word. It owns nothing on disk."""

from __future__ import annotations

import re
from functools import lru_cache

_WORD = re.compile(r"[^\W_]+(?:[-'’.:/@][^\W_]+)*")
FIRST = frozenset("i i'm i've i'll i'd my me mine myself we our us ours".split())
_STOP = frozenset(
    """a an the and or but if then so as of at by for from in into on onto to up with without within about over under
    is are was were be been being am do does did done have has had having will would can could should shall may might
    must it its it's this that these those there here he she they them his her hers their theirs him you your yours
    what who whom whose which when where why how know tell remember recall remind say said says please me my i mine we
    our us not no yes any some anything something everything all more much many very just also again ever still now
    what's who's where's when's how's that's there's let's don't doesn't didn't isn't aren't wasn't think idea mean
    i'm i've i'll i'd called call name""".split()  # a question that asks for a name gives the one it asks about
)


def tokens(text: str) -> list[str]:
    """Every word as it is compared with names: lower case, without an owner's ending."""
    return [re.sub(r"['’]s\Z", "", word) for word in _WORD.findall(text.replace("’", "'").casefold())]


def content(text: str) -> list[str]:
    """The words that carry the meaning, without their endings."""
    return [_stem(word) for word in tokens(text) if word not in _STOP]


@lru_cache(maxsize=1 << 14)
def _stem(word: str) -> str:
    if not word.isalpha() or len(word) < 4:
        return word
    for ending, instead, least in (("ies", "y", 2), ("ing", "", 3), ("ed", "", 3), ("es", "", 3), ("s", "", 3)):
        if word.endswith(ending) and not word.endswith("ss") and len(word) - len(ending) >= least:
            word = word.removesuffix(ending) + instead
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiouls":
        word = word[:-1]  # stopped, stop
    return word.removesuffix("e") if len(word) > 3 else word
