"""Find out whether a message calls a participant by name. Pure."""

from __future__ import annotations

import re
import unicodedata

_GREETED = r"(?:good|guten|buenos|buenas|hi|hey|hello|ok|okay)"  # and another word
_ASKED = r"(?:(?:can|could|would|will) you|please|what|when|where|who|why|how|tell|remind|bitte|kannst du)\b"


def is_called(name: str, text: str) -> bool:
    """Return True if a message calls a participant of this name: `Bea, …`, `Bea can you …`, `Hi Bea! …`, `… @Bea …`,
    `…, Bea, …`, `…, Bea?`, or `Bea，…`. `Bea-Marie, …` and `Bea.md` are other names."""
    named, said = (unicodedata.normalize("NFKC", one.casefold()).strip() for one in (name, text))
    this = re.escape(named)
    first = rf"(?:(?:{_GREETED} )?\w+ )?@?{this}(?: *(?:[,:;!?、。–—]|$)| +-|\.(?!\w))"
    begins = rf"[¡¿]?{first}|(?:(?:hi|hey|hello) )?{this} {_ASKED}"
    ends = r"(?!\w)" if this.isascii() else ""  # scripts without spaces continue at once
    inside = rf"(?<!\w)@{this}{ends}|[,、–—] *{this} *(?:[,、:!?–—]|[.。]*$)"
    return bool(named) and bool(re.match(begins, said) or re.search(inside, said))
