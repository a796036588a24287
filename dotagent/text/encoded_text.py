"""Find text inside other text that is written in another form: base64, base32, base85, hex, rot13, or with escapes.

A run is replaced as a whole. In rot13 and between escapes, each character has its own place. Pure.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from urllib.parse import unquote_to_bytes

LEAST = 8  # characters of the shortest run
JOINERS = "\u00ad\u034f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\ufffd"
"""Characters within a word that a reader does not see, such as a soft hyphen, and the sign that LIFE.md has instead,
for a pattern set."""

_RUN = re.compile(rf"(?:[A-Za-z0-9+/_-]{{60,}}\s{{1,4}})*[A-Za-z0-9+/_-]{{{LEAST},}}={{0,2}}")
_PART = re.compile(rf"[A-Za-z0-9]{{{LEAST},}}={{0,2}}")  # without characters that also separate words
_HEX = re.compile(r"(?:[0-9A-Fa-f]{2}[ :]?){8,}")
_BASE32 = re.compile(  # neither an id in hex nor a word in small letters
    r"(?<![A-Za-z0-9])(?![0-9a-f]+(?![A-Za-z0-9]))"
    r"(?:(?:[A-Z0-9]{60,}\s{1,4})*[A-Z0-9]{12,}|(?=[a-z]*[0-9])(?:[a-z0-9]{60,}\s{1,4})*[a-z0-9]{12,})={0,6}"
)
_BASE85 = re.compile(r"(?:[!-~]{20,}\n)*[!-~]{10,}(?:\n[!-~]+)?")
_HEX32 = str.maketrans("0123456789ABCDEFGHIJKLMNOPQRSTUV", "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
_Z85 = str.maketrans(
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#",
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~",
)
_ESCAPE = re.compile(  # each match is one character
    rf"(?:[{JOINERS}]+|\\ud[89ab][0-9a-f]{{2}}\\ud[c-f][0-9a-f]{{2}}"
    r"|%[0-7][0-9a-f]|%[c-f][0-9a-f](?:%[89ab][0-9a-f])+|=[2-7][0-9A-F]|\\x[0-7][0-9a-f]"
    r"|\\x[c-f][0-9a-f](?:\\x[89ab][0-9a-f])+|\\[01][0-7]{2}|\\3[0-7]{2}(?:\\2[0-7]{2})+|\\u(?:[0-9a-f]{4}|\{[0-9a-f]{1,6}\})"
    r"|&#x[0-9a-f]{1,6};|&#[0-9]{1,7};|&[a-z]{2,8};)",
    re.IGNORECASE,
)
_BREAK = re.compile(  # signs within a word that a reader does not see: of mail, calendars, web pages and printed lines
    r"(?<=[^\W_])(?:=\r?\n|-\r?\n|\r\n[ \t]"
    r"|(?:</?(?:b|i|u|s|a|em|strong|span|font|mark|small|sub|sup|wbr)\b[^<>\n]{0,200}>)+)(?=[^\W_])",
    re.IGNORECASE,
)
_JOINER = re.compile(f"[{JOINERS}]+")
_END = re.compile(r"(?<=[.!?。！？])\s+|\n\s*\n")
_TAGS = re.compile(r"<[^<>]{1,200}>")
_PLAIN = re.compile(r"(?:[\s\x21-\x7e\u2010-\u2027]|[^\W_\x00-\x7f])+")  # no character fits both

Run = tuple[int, int, bytes]


def runs(text: str) -> Iterator[Run]:
    """Yield the start and end of each run, and the decoded bytes."""
    for form, read in ((_RUN, _base64), (_PART, _base64), (_HEX, _hex), (_BASE32, _base32), (_BASE32, _base32hex)):
        for found in form.finditer(text):
            if raw := read(found[0]):
                yield found.start(), found.end(), raw


def texts(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the runs that decode to text, with the text."""
    for begin, end, raw in runs(text):
        if told := words(raw):
            yield begin, end, told


def words(raw: bytes) -> str:
    """Decode the bytes as UTF-8 or UTF-16 text. Return "" if they are not text."""
    try:
        told = raw.decode("utf-16-le" if raw[1:2] == b"\0" else "utf-16-be" if raw[:1] == b"\0" else "utf-8")
    except UnicodeDecodeError:
        return ""
    return told if _PLAIN.fullmatch(told) else ""


def _base64(run: str) -> bytes:
    packed = re.sub(r"[\s=]", "", run).translate({ord("-"): "+", ord("_"): "/"})
    if len(packed) % 4 == 1:
        return b""
    return base64.b64decode(packed + "=" * (-len(packed) % 4))


def _hex(run: str) -> bytes:
    try:
        return binascii.unhexlify(re.sub(r"[ :]", "", run))
    except binascii.Error:
        return b""


def _base32(run: str) -> bytes:
    packed = re.sub(r"[\s=]", "", run).upper()
    try:
        return base64.b32decode(packed + "=" * (-len(packed) % 8))
    except binascii.Error:
        return b""


def _base32hex(run: str) -> bytes:
    return _base32(run.upper().translate(_HEX32))


def base85(text: str) -> Iterator[str]:
    """Yield the texts of runs in base85: as Ascii85, as Python and git write it, and as Z85."""
    for found in _BASE85.finditer(text):
        lines = found[0].split("\n")
        runs_of = dict.fromkeys(["".join(lines), "".join(lines[:-1]), *lines])  # the last line may not belong to it
        yield from filter(
            None, (_read_base85(one, read) for one in runs_of for read in (_ascii85, base64.b85decode, _z85))
        )


def _read_base85(run: str, read: Callable[[str], bytes]) -> str:
    try:
        return words(read(run))
    except ValueError:
        return ""


def _ascii85(run: str) -> bytes:
    return base64.a85decode(run.removeprefix("<~").removesuffix("~>"))


def _z85(run: str) -> bytes:
    return base64.b85decode(run.translate(_Z85))


def unbroken(text: str, *, packed: bool = False) -> Iterator[str]:
    """Yield each passage in which a word is broken, with whole words. In a `packed` document, any tag can break one."""
    whole = joined(text) if packed else text
    if packed and _TAGS.search(text):
        yield _TAGS.sub("", whole)
    elif _BREAK.search(text) or whole != text:
        yield from (_BREAK.sub("", one) for one in _END.split(whole) if _BREAK.search(one) or whole != text)


def rot13(text: str) -> str:
    """Return the text with each Latin letter 13 places further."""
    return codecs.encode(text, "rot13")


def unescaped(text: str) -> tuple[str, Callable[[int, int], tuple[int, int]]] | None:
    """Return the text with characters instead of their escapes (JSON, C, HTML, addresses, mail), and a function from a
    span of it to the span in the given text. JOINERS are left out. Return None if there are none, and only signs of
    ASCII are written as escapes."""
    parts, begins, places = list[str](), [0], [0]
    at, size, worded = 0, 0, False
    for found in _ESCAPE.finditer(text):
        if (sign := _sign(found[0])) is not None:
            worded = worded or sign.isalnum() or not (sign and sign.isascii())
            parts += text[at : found.start()], sign
            begin = size + found.start() - at
            size, at = begin + len(sign), found.end()
            begins += begin, size
            places += found.start(), at

    def place(number: int) -> int:
        """Return the place in the given text of a character of the result, counted from the last escape."""
        last = bisect_right(begins, number) - 1
        return places[last] + number - begins[last]

    return ("".join([*parts, text[at:]]), lambda begin, end: (place(begin), place(end))) if worded else None


def joined(text: str) -> str:
    """Return the text without JOINERS."""
    return text if text.isascii() else _JOINER.sub("", text)


def _sign(escape: str) -> str | None:
    """Return the one character of an escape, "" for JOINERS, or None if the text is not an escape."""
    try:
        if not escape[0].isascii():
            return ""
        if escape[0] == "&":
            import html  # its table of names takes longer to load than most processes take here

            told = html.unescape(escape)
        elif len(escape) == len(r"\ud83d\ude00") and escape[:3].lower() == r"\ud":
            told = bytes.fromhex(escape[2:6] + escape[8:]).decode("utf-16-be")
        elif escape[:2] in ("\\u", "\\U"):
            told = chr(int(escape[2:].strip("{}"), 16))
        elif escape[0] in "%=":
            told = unquote_to_bytes(escape.replace("=", "%")).decode()
        else:
            parts = escape.split("\\")[1:]
            told = bytes(int(one[1:], 16) if one[0] in "xX" else int(one, 8) for one in parts).decode()
    except ValueError:
        return None
    if len(told) != 1 or "\ud800" <= told <= "\udfff":
        return None
    return "" if _JOINER.match(told) else told
