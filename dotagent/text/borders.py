"""Find where sentences end, in any script, by Unicode's lists and categories.

Finding, erasing and summaries share these borders. The rules are about the form of the text around a stop. A sign that
may but need not end a sentence, such as the point of an initial, is not a border. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from unicodedata import category, normalize

from dotagent.text import lazy, lexicon
from dotagent.text.words import STOP

STOPS = (
    "\u037e\u0589\u061d-\u061f\u06d4\u0700-\u0702\u07f9\u0837\u0839\u083d\u083e\u0964\u0965\u0f0d-\u0f12\u104b\u1362"
    "\u1367\u1368\u166e\u1735\u1736\u17d4\u17d5\u1803\u1809\u1944\u1945\u1aa8-\u1aab\u1b5a\u1b5b\u1b5e\u1b5f"
    "\u1b7d\u1b7e\u1c3b\u1c3c\u1c7e\u1c7f\u203c\u203d\u2047-\u2049\u2e2e\u2e3c\u2e53\u2e54\u3002\ua4ff\ua60e\ua60f"
    "\ua6f3\ua6f7\ua876\ua877\ua8ce\ua8cf\ua92f\ua9c8\ua9c9\uaa5d-\uaa5f\uaaf0\uaaf1\uabeb\ufe56\ufe57\uff01\uff1f"
    "\uff61\U00010a56\U00010a57\U00010f55-\U00010f59\U00010f86-\U00010f89\U00011047\U00011048\U000110be-\U000110c1"
    "\U00011141-\U00011143\U000111c5\U000111c6\U000111cd\U000111de\U000111df\U00011238\U00011239\U0001123b\U0001123c"
    "\U000112a9\U0001144b\U0001144c\U000115c2\U000115c3\U000115c9-\U000115d7\U00011641\U00011642\U0001173c-\U0001173e"
    "\U00011944\U00011946\U00011a42\U00011a43\U00011a9b\U00011a9c\U00011c41\U00011c42\U00011ef7\U00011ef8"
    "\U00016a6e\U00016a6f\U00016af5\U00016b37\U00016b38\U00016b44\U00016e98\U0001bc9f\U0001da88"
)
"""Unicode's Sentence_Terminal beyond ASCII, for a pattern set; without the Burmese comma, and with the Tibetan shads
and the Greek question mark."""
PLAIN = ".!?…．"  # these end a sentence before a blank, or between letters of a script without case
TYPED = (
    r"\u1361\u1361"
    r"|(?<=[\u0370-\u03ff\u1f00-\u1fff]);(?=\s|\Z)"  # the Greek question mark, as keyboards type it
    r"|(?<=[\u0531-\u0587]):(?=\s|\Z)"  # the Armenian full stop, so
    r"|(?<=[\u0900-\u0dff]) ?\|{1,2}(?=\s|\Z)"  # the danda, so
    r"|(?<=[\u0f40-\u0fbc]) (?=[\u0f40-\u0f6c])"  # a blank without tsheg: after some letters, Tibetan omits the shad
)
"""Stops as people type them with other signs."""
_RUN = lazy.compile(
    rf"(?<!\u0f0b)(?<!\u17d4\u179b)(?!\u17d4\u179b\u17d4)[{STOPS}][{STOPS}{PLAIN}]*|[{PLAIN}][{STOPS}{PLAIN}]*|{TYPED}"
    "|(?<=[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff])[\u2600-\u27bf\U0001f300-\U0001faff]+"
    "(?=[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff])"  # a picture between sentences that are written without blanks
)
_POINTS = lazy.compile("[.!?]+")  # in a line of ASCII
_OPENS = frozenset('“「『«"（(')
_QUOTED = lazy.compile(
    '“[^“”]{1,40}”|「[^「」]{1,40}」|『[^『』]{1,40}』|«[^«»]{1,40}»|"[^"]{1,40}"|（[^（）]{1,40}）|\\([^()]{1,40}\\)'
)
_WORD, _PIECE = lazy.compile(r"\S+"), lazy.compile(r"[^\s\"“”„«»()（）「」/—–-]*\Z")
_DAY = lazy.compile(rf"\b\d\d?\. (?i:{'|'.join(lexicon.GERMAN_MONTHS.split())})\b")  # in a German date: “am 5. Mai”
_ROMAN = lazy.compile(r"[IVXLC]+\Z")
_SHORTENED = lazy.compile(rf"(?:{'|'.join(lexicon.SHORTENED.split())})\Z")
_VOWEL = lazy.compile("[aeiouyıæøœαεηιουωаеёиоуыэюяієї]")
_CASED = lazy.compile("[a-z\u00df-\u024f\u0370-\u052f]{1,4}\\Z")
_HAN, _THAI = lazy.compile("[\u3005-\u3007\u3040-\u30ff\u3400-\u9fff]"), lazy.compile("[\u0e00-\u0eff\u1780-\u17ff]")
_INITIAL, _DANDA = lazy.compile(r"\w[^\w\s.]*\."), lazy.compile("[\u0964\u0965]")
_FOREIGN, _DASHES, _MARKUP = "\u0945\u0949\u0ac5\u0ac9", "—–-", "\"'*_`"
_NEAR, _FAR = 64, 256  # characters around a stop that decide; a danda there shows how the writer ends sentences
_CLAUSE = {_HAN: 4, _THAI: 6}  # letters on both sides of a blank that people type instead of a full stop


def ends(line: str) -> list[int]:
    """Return the offsets in a line at which a sentence ends and another follows. Linear time."""
    found, start, whole, ascii = list[int](), 0, len(line.rstrip()), line.isascii()
    quotes: list[tuple[int, int]] | None = None
    for run in (_POINTS if ascii else _RUN).finditer(line):
        if run.start() < start or run.end() == whole:
            continue
        if run[0] == "." and line[run.end()].isalnum() and line[run.end()].isascii():
            continue  # within a number or an address
        if quotes is None:
            quotes = [one.span() for one in _QUOTED.finditer(line)] if not _OPENS.isdisjoint(line) else []
            quotes.reverse()
        while quotes and quotes[-1][1] <= run.start():
            quotes.pop()
        if (end := _after_closers(line, start, run.end())) < whole:
            inside = quotes[-1] if quotes and quotes[-1][0] < run.start() else None
            if _is_border(line, start, run, end, inside):
                found.append(end)
                start = end
    return found if ascii or not any(one.search(line) for one in _CLAUSE) else sorted({*found, *_gaps(line)})


def is_stop(sign: str) -> bool:
    """Return True if this character ends sentences."""
    return bool(_RUN.match(sign))


def _after_closers(line: str, start: int, at: int) -> int:
    """Return the offset after the closing marks behind a stop. An opening mark closes if no word follows: „…“ »…«"""
    size = len(line)
    while at < size:
        sign = line[at]
        word = at + 1 < size and line[at + 1].isalnum()
        closes = category(sign) in ("Pe", "Pf") or sign in _MARKUP or (category(sign) == "Pi" and not word)
        if sign == '"' and word and line.count('"', start, at) % 2 == 0:
            return at  # the next sentence begins with it
        if sign in " \u00a0\u202f" and line[at + 1 : at + 2] == "»" and not line[at + 2 : at + 3].isalnum():
            at += 1  # French marks have blanks inside
        elif not closes and not (at > start and is_stop(sign) and category(line[at - 1]) in ("Pe", "Pf")):
            return at
        at += 1
    return at


def _is_border(line: str, start: int, run: re.Match[str], end: int, inside: tuple[int, int] | None) -> bool:
    """Return True if a sentence ends here: `inside` is a short quotation with this stop."""
    signs, stop, after = run[0], run.start(), line[end : end + _NEAR].lstrip()
    if stop - start < _NEAR and line[start:stop].strip().isdigit():
        return False  # a list's number
    if set(signs) <= set(PLAIN) and not line[end].isspace():
        between = _is_caseless(after[:1]) and (signs != "." or _is_caseless(line[stop - 1 : stop]))
        if not between or signs == "…":
            return False
    small = after[:1].islower()
    if inside and (before := line[max(start, inside[0] - 2) : inside[0]].strip()):  # it is a part of the sentence
        return inside[1] <= end and (after[:1].isupper() or (category(before[-1]) == "Po" and not small))
    if signs[-1] in "?!？！" and (end > run.end() or after[:1] in _DASHES):  # “Really?” she asked
        goes_on = small or (after[:1] in _DASHES and after.lstrip(f"{_DASHES} ")[:1].islower())
        return not (goes_on or (inside and _is_caseless(after[:1])))
    if signs != ".":
        return True
    if small and not _begins_small(line[start : start + _NEAR]):
        return len(word := _piece(line, max(start, stop - 24), stop)) > 2 and word in STOP  # “it is out. see below”
    return not _is_short(line, start, stop, after)


def _is_short(line: str, start: int, stop: int, after: str) -> bool:
    """Return True if the point shortens the word before it, or belongs to a number."""
    piece = _piece(line, max(start, stop - 24), stop)
    if piece.isdigit() and _DAY.search(line, max(start, stop - 3), stop + 14):
        return True
    if _ROMAN.match(piece) and piece == line[start:stop].strip():
        return True
    word = piece.rpartition(".")[2]
    while word and _is_caseless(word[0]) and word[-1].lower() != word[-1].upper():
        word = word[1:]  # Chinese before a Latin initial
    many = _letters(word)
    if not many or not _ends_in_word(word) or (many > 1 and word != piece and piece.endswith("." + word)):
        return False  # also the end of a web address
    if many == 1 and category(word[-1])[0] == "M" and _is_caseless(word[0]):
        return _is_short_syllable(line, start, stop - len(word), after)
    if many == 1 and word not in ("I", "i") and not word.isdigit():
        dotted = line[max(start, stop - 4) : stop - len(word)].rstrip().endswith(".")
        return not (dotted and word.islower() and not after[:1].islower())
    if many <= 3 and after[:1].isdigit() and not any(map(str.isdigit, word)):
        return True
    if len(word) == 2 and _THAI.match(word):
        return True
    unit = line[start : stop - len(word)].rstrip()[-1:].isdigit() and after[:1].isupper()
    vowels = _VOWEL.search(normalize("NFD", word.lower()))
    consonants = _CASED.match(word.lower()) and not vowels and not word.isupper() and not unit
    return bool(consonants or _SHORTENED.match(word))


def _is_short_syllable(line: str, start: int, at: int, after: str) -> bool:
    """Return True if this letter with a vowel sign, before a point, is an initial or an abbreviation: at the beginning,
    beside another one, with a sign for foreign vowels, or if the writer ends sentences with a danda. Otherwise it is a
    word, such as “है”, with which most sentences in Hindi end."""
    before = line[max(start, at - _NEAR) : at].rstrip()
    beside = not before or before.endswith(".") or _INITIAL.match(after)
    return bool(beside or line[at + 1] in _FOREIGN or _DANDA.search(line, max(0, at - _FAR), at + _FAR))


def _piece(line: str, start: int, stop: int) -> str:
    found = _PIECE.search(line[start:stop])
    return found[0] if found else ""


def _letters(text: str) -> int:
    """Return the number of letters and digits, each with its marks."""
    return sum(sign.isalnum() for sign in text)


def _is_caseless(sign: str) -> bool:
    return bool(sign) and category(sign) == "Lo"


def _begins_small(text: str) -> bool:
    """Return True for a writer who begins sentences with a small letter."""
    return text.lstrip("\"'“‘(*_` ")[:1].islower()


def _gaps(line: str) -> Iterator[int]:
    """Yield the ends of blanks that stand for a stop between two clauses in a script without blanks between words."""
    words = [(one.start(), one[0]) for one in _WORD.finditer(line)]
    for script, least in _CLAUSE.items():
        for (_, first), (at, second), (later, third) in zip(words, words[1:], [*words[2:], (0, "")], strict=False):
            if script.match(second) and _of(script, first) >= least <= _of(script, second) and _ends_in_word(first):
                yield at
            if second.isdigit() and script.match(third) and _of(script, first) >= least <= _of(script, third):
                yield later


def _of(script: re.Pattern[str], word: str) -> int:
    return sum(map(str.isalnum, script.findall(word)))


def _ends_in_word(text: str) -> bool:
    return text[-1].isalnum() or category(text[-1])[0] == "M"
