"""Find out whether a message calls a participant by name. Pure.

A message calls a name that follows an @, that punctuation sets apart, or with which a question begins or ends.
Beside the name, a greeting of two words or a title of one word is possible (`Good morning Bea!`, `さくらさん、…`).
In a name that is set apart, the last letter may differ, because many languages change it in a call (`Kasiu, …`).
Accents and capital letters do not count.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection

from dotagent.text.standing_instructions import asks, sentences

TITLE = 3  # letters that may be written together with a name, where a script has no capital letters
CHANGES = 4  # letters of the shortest name whose last letter may differ
_APART = re.compile(r",|[。।۔\n]|[-.](?!\S)")


def is_called(name: str, text: str, there: Collection[str]) -> bool:
    """Return True if a message calls a participant of this name. `there` are the names of all participants: what is one
    of them is no form of another."""
    if not (named := _plain(name)):
        return False
    said, cased = _set_apart(_plain(text)), named[-1].lower() != named[-1].upper()
    end = r"(?![\w'’-]|\.\w)" if cased else ""
    others = "".join(f"(?!{re.escape(one)}{end})" for one in map(_plain, there) if one != named)
    begin = others + (r"(?<![\w.-])" if cased else "")
    this = begin + re.escape(named) + end
    form = rf"{begin}{re.escape(named[:-1])}\w{{0,2}}{end}" if cased and len(named) >= CHANGES else this
    title = "" if cased else rf"[^\s,]{{1,{TITLE}}}"
    before, after = rf"(?:(?:[^\s,]+ +){{1,2}}|{title})", rf"(?: +[^\s,]+|{title})?"
    alone = re.compile(f"{before}{form}|{form}{after}" if "," in said else form)
    asked = re.compile(rf"\W*{before}?{this}|.*{this}(?:{title})?\W*\Z")
    return (
        bool(re.search(rf"(?<!\w)@{this}", _plain(text)))
        or any(alone.fullmatch(one.strip()) for one in _APART.split(said))
        or any(asked.match(_plain(one)) for one in sentences(text) if asks(one))
    )


def _plain(text: str) -> str:
    """Return a text in small letters without accents and emphasis."""
    apart = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text).casefold())
    kept = "".join(one for one in apart if not "\u0300" <= one <= "\u036f" and one not in "*\ufe0f\u200d")
    return unicodedata.normalize("NFC", kept).replace("ı", "i").strip()


def _set_apart(text: str) -> str:
    """Return a text with a comma for each sign of punctuation and each picture that can stand between words, but
    not for a full stop."""
    return "".join("," if unicodedata.category(one)[0] in "PS" and one not in "'’.-_@。।۔" else one for one in text)
