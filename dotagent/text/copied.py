"""Rows of a table, and messages that were copied from a chat, inside a text: people do not type these forms as prose.
Pure.

The cells of a table's rows are apart by the same sign, and the rows have the same number of cells. Above or before a
message of a chat is a line with only a name and a time, in any order and language.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

from dotagent.text import lazy
from dotagent.text.lazy import dataclass

CLOCK = r"(?<!\d)\d{1,2}[:：h]\d\d(?:[:：]\d\d)?(?!\d)"
_PART = r"(?:[ap]\.?m\.?(?!\w)|Uhr|[上下中]午|晚上|早上|凌晨|午[前後]|오[전후])"  # of the day
_TIME = lazy.compile(rf"{_PART}?[^\S\n]?{CLOCK}(?:[^\S\n]?{_PART})?", re.IGNORECASE)
_DAY = lazy.compile(
    r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}|\d\d?[./]\d\d?\b\.?|\d+[年月日]|today|yesterday|heute|gestern|hoy"
    r"|ayer|hier|aujourd['’]hui|[今昨前]天|昨日|今日|어제|오늘|اليوم|أمس|\([^()]*\)",
    re.IGNORECASE,
)
_ROUND = re.compile(r"\D*\d+\D\d[05](?![:：\d])")  # a minute at which people meet; a program notes any other, too
_EXACT = re.compile(r"\D*\d+[:：]\d\d[:：]\d\d")  # a time with seconds, which only programs note
_SIGNS = " \t[](){}<>（）【】·•|,，、;@*_-–—+~&%"  # around a name and a time
_SAYS = re.compile(r"[:：|](?!\d\d)")  # between them and the message
_TO = re.compile(r"\s*(?:(?:to|an|à|para|إلى)\b|收件人|发送至|宛先)", re.IGNORECASE)  # below the head of a mail
_NUMBER = re.compile(r"(?<!\d)(?!(?:19|20)\d\d(?!\d))\d{3}")  # it tells as much as some words, and is no year
_END = re.compile(r"[.?!。？！…]$")
_WORD = lazy.compile(r"[\u3040-\u9fff]{1,2}|[^\W\d_]+")  # two characters of a script without spaces are a word
_TAB, _COMMA, _BLANK = lazy.compile(r"\t+"), lazy.compile(r",(?=\S)"), lazy.compile(r", ?")
_TYPED = (_COMMA, _BLANK)  # people type these, too
_CELLS = (  # the signs between cells
    _TAB,
    lazy.compile(r"[^\S\n]*[|│¦][^\S\n]*|(?<=[-=])\+(?=[-=])"),
    lazy.compile(r"(?<=[^\s;]);(?=[^\s;])"),
    lazy.compile(r"(?<=[^\s.?!:;。？！：])[ \u00a0]{2,}(?=\S)"),
    *_TYPED,
)
_BORDERS = " \t|│+"  # around a row
_QUOTED = re.compile(r'"[^"\n]*"')  # a cell may have the sign inside quotation marks
FEW, MANY = 2, 4  # words of a column's name at most; of a message at least
LONGEST = 80  # characters of a head


@dataclass(frozen=True)
class _Head:
    """The head of a message: its first and last row, the text behind it, whether a name is no single word, and whether
    people do not type such a head, so that one message alone is enough."""

    first: int
    last: int
    text: str
    is_full: bool
    is_sure: bool


def spans(text: str) -> list[tuple[int, int]]:
    """Return the begin and end of each table and copied chat in a text, in order."""
    rows, begins = text.split("\n"), [0]
    for row in rows:
        begins.append(begins[-1] + len(row) + 1)
    return sorted((begins[first], begins[last + 1] - 1) for first, last in (*_tables(rows), *_chats(rows)))


def _tables(rows: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last row of each table. It begins with rows of as many cells, and continues as long as
    rows have several cells."""
    for sign in _CELLS:
        cells = [sign.split(_QUOTED.sub(_as_word, row).strip(_BORDERS)) for row in rows]
        end = stop = 0
        for many, group in groupby(cells, len):
            same = list(group)
            first, end = end, end + len(same)
            several = many > 1 and (len(same) > 1 or sign is _TAB)
            if several and first >= stop and (sign not in _TYPED or _has_columns(same, sign)):
                stop = next((at for at in range(end, len(rows)) if len(cells[at]) < 2), len(rows))
                yield first, stop - 1


def _as_word(quoted: re.Match[str]) -> str:
    """Return a quoted cell without signs."""
    return re.sub(r"\W", "_", quoted[0])


def _has_columns(rows: Sequence[Sequence[str]], sign: object) -> bool:
    """Return True if rows with commas are no lists that a person typed: the first has short names of columns, and each
    other one a number or some words. People type a blank behind a comma, so such rows must be more, and a column have
    only numbers."""
    names, *more = rows
    if all(one[-1:].isdigit() and two[:1].isdigit() for one, two in pairwise(names)):  # a number such as 1,50
        return False
    if any(len(_WORD.findall(one)) > FEW for one in names):
        return False
    if sign is _COMMA:
        return all(any(_has_digit(one) or len(_WORD.findall(one)) > FEW for one in row) for row in more)
    numbers = [at for at, name in enumerate(names) if not _has_digit(name) and all(_has_digit(one[at]) for one in more)]
    return bool(numbers) and len(names) > 2 and len(more) > 1


def _has_digit(cell: str) -> bool:
    return any(map(str.isdigit, cell))


def _chats(rows: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last row of the messages that were copied from a chat. One alone counts only below its
    head, and if people would not meet at its minute."""
    heads = [found for at in range(len(rows)) if (found := _head(rows, at))]
    begins = {one.first for one in heads}
    said = list[tuple[int, int, bool, bool]]()
    for head in heads:
        end, is_mail = head.last + 1, False
        while end < len(rows) and (rows[end].strip() or is_mail) and end not in begins:
            is_mail = is_mail or (end == head.last + 1 and bool(_TO.match(rows[end])))
            end += 1
        text = "\n".join([head.text, *rows[head.last + 1 : end]])
        long = len(_WORD.findall(text)) >= MANY or (head.is_full and bool(_NUMBER.search(text)))
        if text.strip():
            said.append((head.first, end - 1, long, head.is_sure))
    if any(long for _, _, long, _ in said) and (len(said) > 1 or said[0][3]):
        yield said[0][0], said[-1][1]


def _head(rows: Sequence[str], at: int) -> _Head | None:
    """Return the head of a message that has its time in this row, None for another row. A name may be above its time,
    also with a row between that has only signs."""
    row, text = rows[at], ""
    if colon := _SAYS.search(row, 0, LONGEST):
        row, text = row[: colon.start()], row[colon.end() :]
    times = [*_TIME.finditer(row)] if len(row) < LONGEST else []
    if len(times) != 1 or (colon and not text.strip()):
        return None
    before, behind = (_DAY.sub("", one).strip(_SIGNS) for one in (row[: times[0].start()], row[times[0].end() :]))
    if before and behind:
        return None
    name, first, is_exact = before or behind, at, bool(_EXACT.match(times[0][0])) and not before
    if not name and not colon:
        above = (one for one in range(at - 1, max(-1, at - 4), -1) if rows[one].strip(_SIGNS))
        first = next(above, at)
        name = rows[first].strip(_SIGNS) if first < at else ""
    is_nick = is_exact and bool(name) and " " not in name
    is_sure = is_exact or not (_ROUND.match(times[0][0]) or text.strip())
    return _Head(first, at, text, is_exact or _is_full(name), is_sure) if is_nick or _is_name(name) else None


def _is_full(name: str) -> bool:
    """Return True if a name is no single word, such as “Train”, or in a script without capital letters."""
    return not _has_digit(name) and (" " in name or name.lower() == name.upper())


def _is_name(text: str) -> bool:
    """Return True if a text can be a person's name, with an address or not: some words, none in small letters."""
    words = [one for one in text.split() if "@" not in one]
    return 0 < len(words) <= 4 and len(text) <= 60 and not _END.search(text) and not any(map(str.islower, words))
