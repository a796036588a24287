"""Compare a summary in a script without capitals with its entries: by pairs and triples of letters, since no blank and
no capital shows where a name is.

A sentence that shares too few of them was made up. If a clause about one speaker is nearly another's words, it gives
someone's words to another. Names and numbers in words are data. Pure; it owns nothing on disk.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from dotagent.store import disk
from dotagent.text import lazy

MADE_UP = 0.4  # a sentence was made up if the entries contain a smaller share of it
SAME = 0.5  # share of a clause that is another's words
OWN = 0.3  # how much more of it is theirs than the named speaker's
MOST = 0.6  # share of the source in a script, for comparison
LEAST = 3  # pieces of a text for comparison

_PAIRED = lazy.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_CLAUSE = lazy.compile(r"[，、；;,،؛।]|(?<=\w) (?:और|و|এবং|மற்றும்) (?=\w)")
_TOKEN = lazy.compile(r"[^\s\d.,:;!?()\[\]।،؛؟«»\"'“”]+")
_HAN = str.maketrans("일이삼사오육칠팔구십백천만억", "一二三四五六七八九十百千万億")
_KOREAN = lazy.compile(
    r"(?:[일이삼사오육칠팔구\d]{0,4}[십백천만억] ?)*[일이삼사오육칠팔구\d]{0,4}[십백천만억][일이삼사오육칠팔구]?"
    r"(?= ?(?:원|명|개|년|월|일|시|분|퍼센트|유로|달러|킬로|미터|장|권|살|대|층|호|번|건|주|인))"
)
_NATIVE = lazy.compile(
    r"(열|스물|스무|서른|마흔|쉰|예순|일흔|여든|아흔)(한|하나|두|둘|세|셋|네|넷|다섯|여섯|일곱|여덟|아홉)?"
    r"(?= ?(?:명|개|시|살|권|대|마리|번|장|병|잔|사람))"
)
_TENS = dict(zip("열 스물 서른 마흔 쉰 예순 일흔 여든 아흔".split(), range(10, 100, 10), strict=True)) | {"스무": 20}
_ONES = {
    one: at
    for at, both in enumerate("한/하나 두/둘 세/셋 네/넷 다섯 여섯 일곱 여덟 아홉".split(), 1)
    for one in both.split("/")
}
_THAI_SIGNS = dict(
    zip(
        "หนึ่ง เอ็ด สอง ยี่ สาม สี่ ห้า หก เจ็ด แปด เก้า สิบ ร้อย พัน หมื่น แสน ล้าน".split(),
        "一 一 二 二 三 四 五 六 七 八 九 十 百 千 万 十万 百万".split(),
        strict=True,
    )
)
_THAI = lazy.compile(f"(?:{'|'.join(_THAI_SIGNS)}){{2,12}}")
_SURNAMES = (
    "王李张刘陈杨赵黄吴徐孙胡朱郭何林罗郑梁宋唐韩冯邓曹彭"
    "萧蔡潘董袁余叶蒋杜魏吕丁沈姚卢傅钟姜崔谭廖汪陆韦贾邹熊孟秦邱侯尹薛闫史陶郝龚邵覃戴莫"
)
_CHINESE = lazy.compile(
    rf"(?:^|(?<=[^\w])|(?<=[和与跟同由给请找叫向对是及让帮]))[小老阿]?[{_SURNAMES}][\u4e00-\u9fff]{{1,2}}?"
    r"(?=\W|$|[和与跟说问想要会将已也在去来把给对是有的]|负责|参加|告诉|建议|希望|同意|决定|表示|认为|审核|一起|打算|准备|提供)"
)
_GIVEN = "민지수영현정은서준희진우경미호석철훈성혜윤아연주하예소나라동재상태기용규환원빈"
_KOREAN_NAME = lazy.compile(
    rf"(?<![\uac00-\ud7af])[김이박최정강조윤장임한오서신권황안송류홍][{_GIVEN}]{{2}}(?=이|가|은|는|을|를|에게|와|과|의|도|께|씨|\W|$)"
)


@lru_cache(maxsize=256)
def pieces(text: str) -> frozenset[str]:
    """Return the pairs of letters in the words of a script without blanks, and the triples in those of another script
    without capitals."""
    found, run = set[str](), ""
    for sign in f"{text} ":
        kind = unicodedata.category(sign)
        if kind == "Lo" or (run and kind[0] == "M"):
            run += sign
        elif run:
            size = 2 if _PAIRED.match(run) else 3
            found |= {run[at : at + size] for at in range(max(1, len(run) - size + 1))}
            run = ""
    return frozenset(found)


def share(text: str, source: str) -> float:
    """Return the share of a text's pieces that the source has, or 0 without any."""
    told = pieces(text)
    return len(told & pieces(source)) / len(told) if told else 0


def is_made_up(sentence: str, source: str) -> bool:
    """Return True if the source, which is mainly in the same script, has too little of a sentence, or not one of its
    names."""
    if len(pieces(sentence)) < LEAST or _script(sentence) != _script(source):
        return False
    return share(sentence, source) < MADE_UP or any(one not in source for one in _names(sentence))


def is_swapped(sentence: str, said: Sequence[tuple[str, str]]) -> bool:
    """Return True if a clause names one speaker, but is another's words, who says nothing about them."""
    who = {name for name, _ in said if name}
    for clause in _CLAUSE.split(sentence):
        named = {one for one in who if one.casefold() in clause.casefold()}
        plain = clause
        for one in named:
            plain = re.sub(re.escape(one), " ", plain, flags=re.IGNORECASE)
        if not named or len(pieces(plain)) < LEAST:
            continue
        shares = [(share(plain, text), name, text) for name, text in said]
        most, speaker, words = max(shares, key=lambda one: one[0])
        about = any(one.casefold() in words.casefold() for one in named)
        theirs = (much for much, name, text in shares if name in named or any(one in text for one in named))
        own = max(theirs, default=0)
        if most >= SAME and speaker not in named and not about and own < most - OWN:
            return True
    return False


def numbers(text: str) -> tuple[set[int], str]:
    """Return the numbers in words, and the text with those of Thai and Korean in Chinese signs."""
    found = {_TENS[one[1]] + _ONES.get(one[2], 0) for one in _NATIVE.finditer(text)}
    text = _KOREAN.sub(lambda one: one[0].replace(" ", "").translate(_HAN), text)
    text = _THAI.sub(lambda one: "".join(_THAI_SIGNS[part] for part in re.findall("|".join(_THAI_SIGNS), one[0])), text)
    total = part = 0
    for word in [*_TOKEN.findall(text), ""]:
        value = _values().get(word) or _values().get(word[1:] if word[:1] in "وו" else "")
        if value is None and word in ("و", "और"):
            continue
        if value is None:
            found |= {total + part} - {0}
            total = part = 0
        elif value >= 1000:
            total, part = total + (part or 1) * value, 0
        else:
            part = (part or 1) * 100 if value == 100 and part < 10 else part + value
    return found, text


def _names(sentence: str) -> list[str]:
    """Return the known names in a sentence, and what has the form of a Chinese or Korean name."""
    spaced, joined = _known_names()
    words = _TOKEN.findall(sentence)
    bare = {*words, *(one[1:] for one in words if one[:1] in "وולב")}
    found = [*(bare & spaced), *(one for one in joined if one in sentence)]
    return [*found, *_CHINESE.findall(sentence), *_KOREAN_NAME.findall(sentence)]


@cache
def _data() -> Mapping[str, Any]:
    """Return the words of the file beside this one."""
    import tomllib  # loaded only for texts in these scripts

    return tomllib.loads(disk.read(Path(__file__).with_name("caseless_words.toml")).decode())


@cache
def _values() -> Mapping[str, int]:
    lines = (line.split() for line in _data()["numbers"].strip().split("\n"))
    return {word: int(value) for value, *words in lines for word in words}


@cache
def _known_names() -> tuple[frozenset[str], frozenset[str]]:
    """Return the names in scripts with blanks between words, and the others."""
    every = frozenset(_data()["names"].split())
    joined = frozenset(one for one in every if _PAIRED.match(one))
    return every - joined, joined


@lru_cache(maxsize=64)
def _script(text: str) -> str:
    """Return the script of most of the text's letters, or "": Chinese and Japanese are one."""
    letters = [sign for sign in text[:20_000] if sign.isalpha()]
    counted = dict[str, int]()
    for sign in set(letters):
        name = unicodedata.name(sign, " ").split()[0] if unicodedata.category(sign) == "Lo" else ""
        name = "CJK" if name in ("HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA") else name
        counted[name] = counted.get(name, 0) + letters.count(sign)
    script = max(counted, key=lambda one: counted[one], default="")
    return script if script and counted[script] >= MOST * len(letters) else ""
