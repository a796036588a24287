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
from dotagent.text.lazy import dataclass, replace

_CLOCK = r"(?<!\d)\d{1,2}[:：h]\d\d(?:[:：]\d\d)?(?!\d)"
_PART = r"(?:[ap]\.?m\.?(?!\w)|Uhr|[上下中]午|晚上|早上|凌晨|午[前後]|오[전후])"  # a part of the day
_TIME = lazy.compile(rf"{_PART}?[^\S\n]?{_CLOCK}(?:[^\S\n]?{_PART})?", re.IGNORECASE)
_PAST = (
    r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}|\b(?:yesterday|gestern|ayer|hier)\b|[昨前]天|昨日|어제|أمس"  # no day of a plan
)
_DATED = lazy.compile(_PAST, re.IGNORECASE)
_ANY = rf"(?:{_PAST}|\d\d?[./]\d\d?\b\.?|\d+[年月日]|\b(?:today|heute|hoy|aujourd['’]hui)\b|今[天日]|오늘|اليوم)"
_DAY = lazy.compile(rf"{_ANY}(?: (?:at|um|a las|à))?|\([^()]*\)", re.IGNORECASE)
_ROUND = re.compile(r"\D*\d+\D\d[05](?![:：\d])")  # a minute at which people meet; a program notes any other, too
_EXACT = re.compile(r"\D*\d\d[:：]\d\d[:：]\d\d")  # a time with seconds, which only programs note
_BRACKETS = lazy.compile(rf"\[([^\[\]]{{0,40}}{_CLOCK}[^\[\]]{{0,40}})\]")  # around a time
_APART = lazy.compile(rf"[·•]|\S[ \u00a0]{{2,}}\S| — {_ANY}", re.IGNORECASE)  # people do not type it
_DASH = lazy.compile(r"\W*[-–]")
_EMOJI = lazy.compile(r":[a-z][\w+-]*:")
_SIGNS = " \t[](){}<>（）【】·•|,，、;@*_-–—+~&%:"  # around a name and a time
_SAYS = re.compile(r"[:：|](?!\d\d)")  # between them and the message
_TO = re.compile(r"\s*(?:(?:to|an|à|para|إلى)\b|收件人|发送至|宛先)", re.IGNORECASE)  # below the head of a mail
_NUMBER = re.compile(r"(?<!\d)(?!(?:19|20)\d\d(?!\d))\d{3}")  # a number counts like some words, but a year does not
_END = re.compile(r"[.?!。？！…]$")
_WORD = lazy.compile(r"[\u3040-\u9fff]{1,2}|[^\W\d_]+")  # two characters of a script without spaces are a word
_LETTER = lazy.compile(r"\w")
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
FEW, MANY = 2, 4  # at most words of a column's name; at least words of a message
LONGEST = 80  # characters of a head
NEAR = 10  # minutes from a message to its answer


@dataclass(frozen=True)
class _Head:
    """The head of a message: its first and last row, its name, the minute of its day, the text behind it or above its
    time, whether people do not type such a head, and whether they do not meet at its minute."""

    first: int
    last: int
    name: str
    minute: int
    text: str
    is_sure: bool
    is_odd: bool


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
    """Yield the first and the last row of the messages that were copied from a chat. A person's own plan has rows with
    a time, too. So a message counts only if people do not type its head; if it is a sentence, and people would not meet
    at its minute; or if the next message is near, or has the same name."""
    rows = [_EMOJI.sub("", row) for row in rows]
    heads = [found for at in range(len(rows)) if (found := _head(rows, at))]
    begins, said, is_long, is_sure = {one.first for one in heads}, list[_Head](), False, False
    for head in heads:
        end, is_mail, is_inline = head.last + 1, False, head.first == head.last and bool(head.text)
        while (is_inline or not head.text) and end < len(rows) and (rows[end].strip() or is_mail) and end not in begins:
            is_mail = is_mail or (end == head.last + 1 and bool(_TO.match(rows[end])))
            end += 1
        text = "\n".join([head.text, *rows[head.last + 1 : end]]).strip()
        if text:
            said.append(replace(head, last=end - 1))
            has_number = (head.is_sure or _is_full(head.name)) and bool(_NUMBER.search(text))
            is_long |= has_number or len(_WORD.findall(text)) >= MANY
            is_sentence = bool(_END.search(text)) and not (text[0].islower() or is_inline)
            is_sure |= head.is_sure or (head.is_odd and is_sentence)
    for one, two in pairwise(said):
        is_sure |= 0 <= two.minute - one.minute <= NEAR or (one.name == two.name and (one.is_odd or two.is_odd))
    if is_long and is_sure:
        yield said[0].first, said[-1].last


def _head(rows: Sequence[str], at: int) -> _Head | None:
    """Return the head of a message that has its time in this row, None for another row. A name may be above its time,
    also with a row between that has only signs, or above its message, if the time is below."""
    bare, text, first = _BRACKETS.sub(r" \1 ", rows[at]), "", at
    is_sure = bare != rows[at]
    if colon := _SAYS.search(bare, 0, LONGEST):
        bare, text = bare[: colon.start()], bare[colon.end() :].strip()
    times = [*_TIME.finditer(bare)] if len(bare) < LONGEST else []
    if len(times) != 1 or (colon and not (text or is_sure)):
        return None
    before, behind = (_DAY.sub("", one).strip(_SIGNS) for one in (bare[: times[0].start()], bare[times[0].end() :]))
    if before and behind:
        return None
    time, name = times[0][0], before or behind
    is_odd, is_alone = not _ROUND.match(time), not (name or text)
    if is_alone:
        above = [one for one in range(max(0, at - 3), at) if _LETTER.search(rows[one])]
        first = above[-1] if above else at
        name = rows[first].strip(_SIGNS) if above else ""
        if above and not _is_name(name):  # the time may be below the message
            ends = (one for one in range(at - 1, -1, -1) if not _DAY.sub("", _TIME.sub("", rows[one])).strip(_SIGNS))
            first = next(ends, -1) + 1
            name, text = rows[first].strip(_SIGNS), "\n".join(rows[first + 1 : at])
    is_heads = is_alone or (is_odd and bool(before)) or bool(text and _DASH.match(bare, times[0].end()))  # not a plan's
    is_sure |= bool(_EXACT.match(time)) or (is_heads and bool(_DATED.search(bare)))
    is_sure |= not text and bool(_APART.search(bare))
    if is_alone and not text:  # the name is above, perhaps with its address, or with a row of signs below it
        is_sure |= (
            bare[0].isspace() or (is_odd and _is_full(name)) or "@" in name or any(map(str.strip, rows[first + 1 : at]))
        )
    if not (_is_name(name) or (is_sure and is_odd and name and " " not in name)):
        return None
    hour, minute = map(int, re.findall(r"\d+", time)[:2])
    return _Head(first, at, name, 60 * hour + minute, text, is_sure, is_odd)


def _is_full(name: str) -> bool:
    """Return True if a name is no single word, such as “Train”, or in a script without capital letters."""
    return " " in name or name.lower() == name.upper()


def _is_name(text: str) -> bool:
    """Return True if a text can be a person's name, with an address or not: some words, none in small letters."""
    words = [one for one in text.split() if "@" not in one]
    is_short = 0 < len(words) <= 4 and len(text) <= 60
    return is_short and not (_END.search(text) or _has_digit(text) or any(map(str.islower, words)))
