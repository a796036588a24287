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
_APART = re.compile(r",|[。।۔\n]|[-.]+(?!\S)")


def is_called(name: str, text: str, there: Collection[str]) -> bool:
    """Return True if a message calls a participant of this name. `there` are the names of all participants: a form
    of a name is not a call if it is another participant's name."""
    whole = _plain(name)
    if not (named := _word(whole)):
        return False
    said = _plain(text).replace(whole, named)
    apart, cased = _set_apart(said), named.upper() != named
    end = r"(?![\w'’-]|\.\w)" if cased else ""
    forms = {_word(_plain(one)) for one in there} - {named, ""}
    others = "".join(f"(?!{re.escape(one)}{end})" for one in sorted(forms))
    begin = others + (r"(?<![\w.-])" if cased else "")
    this = begin + re.escape(named) + end
    form = rf"{begin}{re.escape(named[:-1])}\w{{0,2}}{end}" if cased and len(named) >= CHANGES else this
    title = "" if cased else rf"[^\s,]{{1,{TITLE}}}"
    before, after = rf"(?:(?:[^\s,]+ +){{1,2}}|{title})", rf"(?: +[^\s,]+|{title})?"
    alone = re.compile(f"{before}{form}|{form}{after}" if "," in apart else form)
    asked = re.compile(rf"\W*{before}?{this}|.*{this}(?:{title})?\W*\Z")
    return (
        bool(re.search(rf"(?<!\w)@{this}", said))
        or any(alone.fullmatch(one.strip()) for one in _APART.split(apart))
        or any(asked.match(_plain(one).replace(whole, named)) for one in sentences(text) if asks(one))
    )


def _plain(text: str) -> str:
    """Return a text in small letters without accents and emphasis."""
    apart = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text).casefold())
    kept = "".join(one for one in apart if not "\u0300" <= one <= "\u036f" and one not in "*\ufe0f\u200d")
    return unicodedata.normalize("NFC", kept).replace("ı", "i").strip()


def _word(name: str) -> str:
    """Return a name without signs that would set its parts apart (`Dr. Who`), or a stand-in if it has only these."""
    plain = "".join(one for one in name if one != "." and not _is_apart(one))
    return " ".join(plain.split()) or (name and "\ue000")


def _set_apart(text: str) -> str:
    """Return a text with a comma for each sign of punctuation and each picture that can stand between words, but
    not for a full stop."""
    return "".join("," if _is_apart(one) else one for one in text)


def _is_apart(sign: str) -> bool:
    return unicodedata.category(sign)[0] in "PS" and sign not in "'’.-_@。।۔"
