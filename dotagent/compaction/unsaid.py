"""Find names and numbers in a summary that its entries do not contain, in any language and script.

Numbers are compared by value: 4,200 is 4.200, and 三百四十 is 340. A name in another script is compared by the sound of
its consonants, as Unicode names the letters. Chinese letters have no such names, so a name in Latin letters counts as
not said there. Pure; it owns nothing on disk.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache

from dotagent.compaction import caseless
from dotagent.text import languages, lazy, words

NOUNS = 0.12  # a language with a larger share of capitals inside sentences capitalises all nouns
TITLES = frozenset("mr mrs ms miss dr prof herr frau madame monsieur senor senora signor signora".split())
PREFIX = 4  # two names with the same first letters are forms of one name

_DIGITS = lazy.compile(r"\d+(?:[.,'’\u00a0\u202f\u066b\u066c]\d+)*")
_HAN = {
    sign: at for at, signs in enumerate("零〇 一壹 二贰两 三叁 四肆 五伍 六陆 七柒 八捌 九玖".split()) for sign in signs
}
_SMALL = {"十": 10, "百": 100, "千": 1000}
_LARGE = {"万": 10**4, "萬": 10**4, "億": 10**8, "亿": 10**8}
_HAN_NUMBER = lazy.compile(f"[{''.join([*_HAN, *_SMALL, *_LARGE])}0-9]{{1,40}}")
_WORD = lazy.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_LATIN = lazy.compile(r"[A-Za-z\u00c0-\u024f'’-]+|[^A-Za-z\u00c0-\u024f'’-]+")  # apart within a word of two scripts
_VERB = lazy.compile(r"['’]s\b|\s+(?:had|will|would|must|can|may|should|[a-z]+(?:s|ed)|\w{2,}(?:t|te))\b")
_TITLED = lazy.compile(r"(.{1,2})[ \t]?(?:さん|様|氏|先生|女士|小姐|太太|씨|님)")
_TITLE = lazy.compile(
    r"(?<!\S)(?:श्री|श्रीमती|सुश्री|डॉ\.?|শ্রী|জনাব|السيدة?|الدكتورة?|جناب|מר|גברת|ד[״\"]ר)[ \t]+([^\s.,:;।،؛؟!?]+)"
)  # in letters without capitals only a title shows a name
_VOWELS = {
    "a": "HE ALEF AYIN HEH YEH MARBUTA MAKSURA",
    "e": "HE HEH YOD YEH",
    "i": "YOD YEH MAKSURA",
    "o": "HE HEH VAV WAW",
    "u": "VAV WAW",
    "y": "YOD YEH",
}  # a vowel at the end of a name, and the Hebrew and Arabic letters for it; other vowels are often not written
_CODES = {sign: str(at) for at, signs in enumerate(("ckgqx", "sz", "bp", "vfw", "dt", "lr", "m", "n", "j")) for sign in
          signs}  # fmt: skip
_SOUND = lazy.compile(r"(?:LETTER|SYLLABLE|VOWEL SIGN|CHARACTER)(?: SMALL| CAPITAL| FINAL| SHORT)* (\w+)")


@cache
def _large_numbers() -> dict[str, int]:
    """Return the larger numbers in words; `languages.py` has those up to 59."""
    tens = ("sixty sechzig", "seventy siebzig", "eighty achtzig", "ninety neunzig")
    found = {word: ten for ten, both in zip(range(60, 100, 10), tens, strict=True) for word in both.split()}
    return found | {"hundred": 100, "hundert": 100, "thousand": 1000, "tausend": 1000}


@lru_cache(maxsize=64)
def numbers(text: str) -> frozenset[str]:
    """Return the numbers in a text by value, however they are written, without those of one digit: they may count."""
    flat = "".join(str(unicodedata.decimal(one, one)) for one in unicodedata.normalize("NFKC", text))
    told = set[int]()
    if not flat.isascii():
        told, flat = caseless.numbers(flat)
    found = {re.sub(r"\D", "", re.sub(r"[.,]00?\Z", "", one)) for one in _DIGITS.findall(flat)}
    found |= {str(_han(one)) for one in _HAN_NUMBER.findall(flat) if not one.isdecimal()}
    found |= {str(one) for one in told} | {str(one) for one in _worded(_WORD.findall(flat.lower()))}
    return frozenset(one.lstrip("0") for one in found if len(one.lstrip("0")) > 1)


def _han(text: str) -> int:
    """Return the value of a Chinese number: 三百四十, 3万."""
    total = part = last = 0
    for digits, sign in re.findall(r"(\d+)|(\D)", text):
        if digits or sign in _HAN:
            last = int(digits) if digits else _HAN[sign]
        elif sign in _SMALL:
            part, last = part + (last or 1) * _SMALL[sign], 0
        else:
            total, part, last = (total + part + last or 1) * _LARGE[sign], 0, 0
    return total + part + last


def _worded(told: list[str]) -> Iterator[int]:
    """Yield the numbers in words, which may be composed: three hundred and forty."""
    total, open_ = 0, False
    for word in [part for one in told for part in one.split("-")] + [""]:
        value = _large_numbers().get(word) or languages.number(word)
        if value is None:
            if open_ and word != "and":
                yield total
                total, open_ = 0, False
        elif value >= 100:
            total, open_ = (total or 1) * value, True
        else:
            total, open_ = total + value, True


def _names(sentence: str) -> list[str]:
    """Return the names in a sentence: words with a capital, but the first word only before a verb, or in a script
    without capitals."""
    found = list[str]()
    for at in _WORD.finditer(sentence):
        for part in _LATIN.findall(at[0]):
            first = not sentence[: at.start()].strip(" \t-*•_`\"'“„«(#")
            plain = part.removesuffix("’s").removesuffix("'s")
            named = len(plain) > 1 and plain[0].isupper() and not plain.isupper()
            if named and (not first or part != at[0] or _VERB.match(sentence, at.end())):
                found.append(plain)
    return found


def is_unsaid(sentence: str, source: str, known: frozenset[str]) -> bool:
    """Return True if a sentence has a number or a name that the source does not. `known` are more words of it."""
    values = {one.lstrip("0") for one in known if one.isdecimal()}
    if not numbers(sentence) <= numbers(source) | values:
        return True
    if any(one[1].strip() not in source for one in _TITLED.finditer(sentence)) and _has_no_case(source):
        return True
    if any(one not in source and not _is_said(_bare(one), source, known) for one in _TITLE.findall(sentence)):
        return True
    if not sentence.isascii() and caseless.is_made_up(sentence, source):
        return True
    named = _names(sentence)
    if named and _has_noun_capitals(sentence) and _has_noun_capitals(source):
        named = [one for one in named if sentence.lstrip().startswith(one)]
    return any(not _is_said(one, source, known) for one in named)


def _has_noun_capitals(text: str) -> bool:
    """Return True if many words inside sentences have a capital, so that the language capitalises all nouns."""
    inside = re.findall(r"(?<=[^\W\d_] )[A-Za-z\u00c0-\u024f]{2,}", text[:20_000])  # in Greek or Cyrillic none does
    return len(inside) > 3 and sum(one[0].isupper() for one in inside) > NOUNS * len(inside)


def _has_no_case(text: str) -> bool:
    """Return True if a text has letters of a script without capitals."""
    return any(one.isalpha() and not one.islower() and not one.isupper() for one in text)


def _is_said(name: str, source: str, known: frozenset[str]) -> bool:
    plain = words.fold(name)
    if plain in known or words.stem(plain) in known or plain in words.STOP or plain in languages.forms("MWbDg"):
        return True
    if plain in TITLES:
        return True
    said = _words_of(source)
    if len(plain) >= PREFIX and any(one[:PREFIX] == plain[:PREFIX] for one in said):
        return True
    code, ascii_ = _code(plain), plain.isascii()
    heard = [one for one in said if one.isascii() != ascii_ and (len(code) > 2 or _ends_alike(plain, one))]
    sounds = {_code(one) for one in heard} if code else set[str]()
    if len(code) > 3 and code[:-1] in sounds:
        return True  # another case of the name: Παπαδόπουλο is Papadopoulos
    return any(code in one if len(code) > 2 else one.startswith(code) and len(one) < len(code) + 3 for one in sounds)


def _ends_alike(name: str, word: str) -> bool:
    """Return False if a name ends in a vowel, and a Hebrew or Arabic word does not."""
    letter = unicodedata.name(word[-1], "").split()
    letters = _VOWELS.get(name[-1], "").split()
    return not letters or letter[:1] not in (["HEBREW"], ["ARABIC"]) or bool({*letters} & {*letter})


def _bare(text: str) -> str:
    """Return the text without vowel signs, which end words of the pattern."""
    return "".join(sign for sign in text if not unicodedata.category(sign).startswith("M"))


@lru_cache(maxsize=8)
def _words_of(source: str) -> frozenset[str]:
    joined = _bare(source)
    return frozenset(words.fold(part) for one in _WORD.findall(joined) for part in _LATIN.findall(one))


@lru_cache(maxsize=4096)
def _code(word: str) -> str:
    """Return the consonants of a word by how they sound, in any script whose letters have names: the Soundex code
    without a limit."""
    heard = [_CODES[one] for sign in word for one in _sound(sign) if one in _CODES]
    return "".join(one for at, one in enumerate(heard) if not at or heard[at - 1] != one)


def _sound(sign: str) -> str:
    """Return a letter's sound in Latin letters: a syllable's whole name, and a consonant of another letter's name."""
    told = unicodedata.name(sign, "")
    found = _SOUND.search(told)
    if sign.isascii() or not found:
        return sign
    plain = found[1].lower()
    if told.startswith(("HANGUL", "HIRAGANA", "KATAKANA", "LATIN")):
        return plain
    return next((one for one in plain if one in _CODES), "") if told.startswith("CYRILLIC") else plain[:1]
