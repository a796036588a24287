"""Find passages to erase in any text, whatever is between their words, even if the text was truncated.

Between two words there may be blanks, line ends, indentation, marks or JSON escapes. In a script without spaces each
character is a word. Case and the composition of accents do not matter. A truncated text (…) may begin or end within a
passage. Pure.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from urllib.parse import quote

from dotagent.text import borders, encoded_text, lazy
from dotagent.text.words import MARKS, UNSPACED

MARK = "[forgotten]"
SHORT = 3  # words: a shorter passage matches only as a whole sentence, and a shorter fragment does not match;
# two characters of a script without spaces count as a word
TURNED = 8  # characters of a word that no other word has in rot13
LEAST = 8  # characters of a fragment that identify its passage in a truncated text

_LETTER = rf"[^\W_{UNSPACED}]"
_WORD = lazy.compile(
    rf"[{UNSPACED}][\u3099\u309a]*|{_LETTER}(?:{_LETTER}|[{MARKS}]|[{encoded_text.JOINERS}]+(?=\w|[{MARKS}]))*"
)
_SIGN = lazy.compile(f"[{UNSPACED}]")
_TOKEN = lazy.compile(rf'\\[nrtbf"/\\]|({_WORD.pattern})')  # in JSON, a letter after a backslash is not a word
_BETWEEN = r'(?:\\[nrtbf"/\\]|\\u[0-9a-fA-F]{4}|[%=][0-9a-fA-F]{2}|&#?\w{1,8};|[^\w' + MARKS + "]|_)"
_BEGIN = rf"(?:(?<![^\W_{UNSPACED}]|[{MARKS}])|(?<=\\[nrt])|(?<=[%=][0-9a-fA-F]{{2}}))"
_END = rf"(?!{_LETTER}|[{MARKS}])"
_STOP = rf".!?{borders.STOPS}"
NOTED = r"(?:said by [^()\n]{1,100}|added \d{4}-\d\d-\d\d)\)"  # after "(", behind a line of notes
_SIGN_BESIDE = rf"(?:[^\w\n{MARKS}]|_)*"  # as in “(tulip bulbs)”, “**tulip bulbs**” or “tulip bulbs :)”
_BEFORE = lazy.compile(
    rf"(?:\A|\\n|[\n⏎>\]\"「『“«„¿¡:;：；…{_STOP}]|[”»#—–-] |[\u0f40-\u0fbc] |[*+-] \d\d:\d\d ){_SIGN_BESIDE}\Z"
)
_AFTER = lazy.compile(rf"{_SIGN_BESIDE}(?:[…~～\n⏎\"◲」』”»{_STOP}]|{borders.TYPED}|\\[n\"]|`(?!\w)|(?<=\(){NOTED}|\Z)")
_CLAUSE = 4  # characters of a clause between blanks or pictures, in a script without spaces
_CLOSED = lazy.compile("[）」』”]")
_BESIDE = lazy.compile("[ \u3000）」』”\u2600-\u27bf\U0001f300-\U0001faff]")
_NEAR = 64  # characters before a short passage that decide
_CUT = re.compile(r"…|\.\.\.")
_FAR = 12  # characters between a cut and the nearest word

Span = tuple[int, int]
Token = tuple[int, int, str]
Words = tuple[str, ...]


def words(text: str) -> list[str]:
    """Return the words of a text in the form compared here."""
    return [_folded(word) for word in _WORD.findall(text)]


def tokens(text: str, *, escaped: bool = False) -> list[Token]:
    """Return the words with their start and end. If `escaped`, as in JSON, `\\n` is not a word."""
    if not escaped:
        return [(one.start(), one.end(), _folded(one[0])) for one in _WORD.finditer(text)]
    return [(one.start(), one.end(), _folded(one[1])) for one in _TOKEN.finditer(text) if one[1]]


def runs(found: Iterable[Token]) -> list[Token]:
    """Return the words, with each run of a script without spaces as one word."""
    made = list[Token]()
    for begin, end, word in found:
        if made and made[-1][1] == begin:
            made[-1] = made[-1][0], end, made[-1][2] + word
        else:
            made.append((begin, end, word))
    return made


def _folded(word: str) -> str:
    return unicodedata.normalize("NFC", encoded_text.joined(word)).lower()


def is_gone(text: str) -> bool:
    """Return True if the text is only the mark of an erased passage."""
    return text.startswith(MARK[:-1]) and not set(text[len(MARK) - 1 :]) - {"-", "]"}


class Passages:
    """A set of passages to search for. If `inside`, short ones match also within a sentence."""

    def __init__(self, texts: Iterable[str], *, inside: bool = False) -> None:
        found = sorted(filter(None, {tuple(words(text)) for text in texts}), key=lambda one: (-len(one), one))
        self._longest = max(map(len, found), default=0)
        self._forms = [(_certain_word(one), _form(one, inside)) for one in found]
        self._by_first, self._by_last, self._by_word = (
            _index_by(found, 0),
            _index_by(found, -1),
            dict[str, list[Words]](),
        )
        for one in found:
            for word in set(one):
                self._by_word.setdefault(word, []).append(one)

    def spans(self, text: str) -> list[Span]:
        """Return the spans of passages, and of their fragments in a truncated text, sorted and without overlaps."""
        small, found = text.lower(), list[Span]()
        for telling, form in self._forms:  # searching for a word first is fast, and most texts contain none
            if telling in small:
                found += form.spans(text)
        if "…" in text or "..." in text:
            found += self._fragments(text)
        found += ((begin, end) for begin, end, told in encoded_text.texts(text) if self._stand(told))
        found += self._turned_spans(encoded_text.rot13(text))
        if escaped := encoded_text.unescaped(text):
            plain, place = escaped
            found += (place(*one) for _, form in self._forms for one in form.spans(plain))
        return _join_spans(found)

    def _turned_spans(self, text: str) -> Iterator[Span]:
        """Yield the spans in a text in rot13. A shorter word may have its letters by chance."""
        small = text.lower()
        for telling, form in self._forms:
            if len(telling) >= TURNED and telling in small:
                yield from form.spans(text)

    def _stand(self, text: str) -> bool:
        return any(True for _, form in self._forms for _ in form.spans(text))

    def tell(self, text: str) -> bool:
        """Return True if the text contains a passage."""
        return bool(self.spans(text))

    def gone(self, text: str) -> str:
        """Return the text with each passage replaced by MARK."""
        return _replaced(text, self.spans(text), lambda _: MARK)

    def filled(self, text: str) -> str:
        """Return the text with each passage overwritten by as many bytes, line by line, so that offsets stay valid."""
        return _replaced(text, self.spans(text), fill)

    def _fragments(self, text: str) -> Iterator[Span]:
        found = tokens(text, escaped=True)
        known, behind = 0, -1
        for cut in _CUT.finditer(text):
            last = known
            while known < len(found) and found[known][0] < cut.start():
                known += 1
            yield from self._upto(found[max(last, known - self._longest) : known], cut.start())
            if behind >= 0 and known - last <= self._longest:
                yield from self._inner(found[last:known], behind, cut.start())
            yield from self._since(found[known : known + self._longest], cut.end())
            behind = cut.end()

    def _upto(self, before: Sequence[Token], cut: int) -> Iterator[Span]:
        """Yield the span of a passage's beginning just before a cut."""
        if not before or cut - before[-1][1] > _FAR:
            return
        for at, (begin, _, word) in enumerate(before[: 1 - SHORT]):
            for passage in self._by_first.get(word, ()):
                last = [one[2] for one in before[at:]]
                if len(last) <= len(passage) and _is_beginning(passage, last) and len("".join(last)) >= LEAST:
                    yield begin, before[-1][1]

    def _since(self, behind: Sequence[Token], cut: int) -> Iterator[Span]:
        """Yield the span of a passage's end just after a cut."""
        if not behind or behind[0][0] - cut > _FAR:
            return
        for at, (_, end, word) in enumerate(behind[SHORT - 1 :], SHORT - 1):
            for passage in self._by_last.get(word, ()):
                first = [one[2] for one in behind[: at + 1]]
                if len(first) <= len(passage) and _is_end(passage, first) and len("".join(first)) >= LEAST:
                    yield behind[0][0], end

    def _inner(self, between: Sequence[Token], behind: int, cut: int) -> Iterator[Span]:
        """Yield the span between two cuts if all of it is from the middle of a passage."""
        near = between and between[0][0] - behind <= _FAR and cut - between[-1][1] <= _FAR
        inner = [one[2] for one in between]
        if not near or len(inner) < SHORT or len("".join(inner)) < LEAST:
            return
        for passage in self._by_word.get(inner[1], ()):
            if _has(passage, inner):
                yield between[0][0], between[-1][1]
                return


class Beginnings:
    """Passages by their first words, to find the few of many that a text may contain."""

    def __init__(self) -> None:
        self._sizes, self._wholes = dict[str, set[int]](), dict[Words, str]()
        self._pairs = dict[Words, list[str]]()

    def add(self, text: str) -> None:
        """Add a passage."""
        said = tuple(words(text))
        for first in said[:1]:
            self._sizes.setdefault(first, set()).add(len(said))
            self._wholes[said] = text
        for pair in set(pairwise(said)):
            self._pairs.setdefault(pair, []).append(text)

    def near(self, text: str) -> list[str]:
        """Return the passages whose words the text contains in a row, and those with the two words next to a cut (…)
        of the text, which may end there."""
        found = tokens(text)
        said = tuple(word for _, _, word in found)
        near = [
            self._wholes[whole]
            for at, word in enumerate(said)
            for size in self._sizes.get(word, ())
            if (whole := said[at : at + size]) in self._wholes
        ]
        for cut in _CUT.finditer(text):
            behind = sum(begin < cut.start() for begin, _, _ in found)
            for pair in (said[max(0, behind - 3) : behind - 1], said[behind + 1 : behind + 3]):
                near += self._pairs.get(pair, ())
        return near


def _index_by(found: Sequence[Words], which: int) -> dict[str, list[Words]]:
    """Index the passages by their first or last word."""
    made = dict[str, list[Words]]()
    for one in found:
        made.setdefault(one[which], []).append(one)
    return made


def _certain_word(passage: Words) -> str:
    """Return a word that every text with the passage contains literally, or "" if its spelling can vary."""
    return max((word for word in passage if word.isascii()), key=len, default="")


def _is_beginning(passage: Sequence[str], last: Sequence[str]) -> bool:
    """Return True if a passage begins with these words. The last word may be cut off."""
    upto = len(last) - 1
    return tuple(last[:upto]) == tuple(passage[:upto]) and passage[upto].startswith(last[upto])


def _is_end(passage: Sequence[str], first: Sequence[str]) -> bool:
    """Return True if a passage ends with these words. The first word may be cut off."""
    tail = passage[-len(first) :]
    return tuple(first[1:]) == tuple(tail[1:]) and tail[0].endswith(first[0])


def _has(passage: Sequence[str], inner: Sequence[str]) -> bool:
    """Return True if a passage contains these words. The first and the last word may be cut off."""
    for at in range(len(passage) - len(inner) + 1):
        part = passage[at : at + len(inner)]
        whole = tuple(part[1:-1]) == tuple(inner[1:-1])
        if whole and part[0].endswith(inner[0]) and part[-1].startswith(inner[-1]):
            return True
    return False


def is_long(passage: Sequence[str]) -> bool:
    """Return True if a passage with these words matches anywhere, and not only as a whole sentence."""
    return sum(0.5 if _is_unspaced(word) else 1 for word in passage) >= SHORT or len("".join(passage)) > 16


class _Form:
    """The pattern of a passage, and whether it matches only as a whole sentence."""

    def __init__(self, passage: Words, whole: bool) -> None:
        self._pattern, self._whole = re.compile(_pattern(passage), re.IGNORECASE), whole
        clause = len(passage) >= _CLAUSE
        self._before = (_BESIDE if clause else _CLOSED) if _is_unspaced(passage[0]) else None
        self._after = _BESIDE if clause and _is_unspaced(passage[-1]) else None

    def spans(self, text: str) -> Iterator[Span]:
        """Yield the spans of the passage in a text."""
        for one in self._pattern.finditer(text):
            if not self._whole or (self._begins(text, one.start()) and self._ends(text, one.end())):
                yield one.span()

    def _begins(self, text: str, at: int) -> bool:
        beside = self._before is not None and at > 0 and self._before.match(text, at - 1)
        return bool(beside or _BEFORE.search(text, max(0, at - _NEAR), at))

    def _ends(self, text: str, at: int) -> bool:
        return bool((self._after is not None and self._after.match(text, at)) or _AFTER.match(text, at))


@lru_cache(maxsize=256)
def _form(passage: Words, inside: bool) -> _Form:
    """Return the compiled form of a passage. Compilation takes milliseconds a word."""
    return _Form(passage, not inside and not is_long(passage))


def _pattern(passage: Sequence[str]) -> str:
    """Return the pattern of a passage. In a script without spaces, every character ends a word."""
    parts = ["" if _is_unspaced(passage[0]) else _BEGIN, _spelled(passage[0])]
    for one, two in pairwise(passage):
        least = 0 if _is_unspaced(one) or _is_unspaced(two) else 1
        parts += [f"{_BETWEEN}{{{least},24}}?", _spelled(two)]
    return "".join([*parts, "" if _is_unspaced(passage[-1]) else _END])


def _is_unspaced(word: str) -> bool:
    return bool(_SIGN.match(word))


def _spelled(word: str) -> str:
    """Return a pattern for a word in every spelling that a file may use."""
    if word.isascii():
        return re.escape(word)
    ways = {way for one in (word, word.upper(), word.capitalize()) for way in _forms(one)}
    return f"(?:{'|'.join(map(re.escape, sorted(ways)))})"


def _forms(word: str) -> Iterator[str]:
    for form in ("NFC", "NFD"):
        yield (told := unicodedata.normalize(form, word))
        yield json.dumps(told)[1:-1]
        yield (escaped := quote(told))  # in addresses, mails and HTML
        yield escaped.replace("%", "=")
        yield told.encode("ascii", "xmlcharrefreplace").decode()


def _join_spans(spans: Sequence[Span]) -> list[Span]:
    made = list[Span]()
    for begin, end in sorted(set(spans)):
        if made and begin < made[-1][1]:
            made[-1] = made[-1][0], max(end, made[-1][1])
        else:
            made.append((begin, end))
    return made


def _replaced(text: str, spans: Sequence[Span], by: Callable[[str], str]) -> str:
    parts, at = list[str](), 0
    for begin, end in spans:
        parts += [text[at:begin], by(text[begin:end])]
        at = end
    return "".join([*parts, text[at:]])


def fill(part: str) -> str:
    """Return as many neutral bytes, with the line ends and the indentation unchanged."""
    rows = part.split("\n")
    return "\n".join(_row(row, first=not at) for at, row in enumerate(rows))


def _row(row: str, first: bool) -> str:
    blank = "" if first else row[: len(row) - len(row.lstrip(" "))]
    size = len(row.encode("utf-8", "surrogateescape")) - len(blank)
    return blank + (f"[forgotten{'-' * (size - len(MARK))}]" if first and size >= len(MARK) else "-" * size)


def parse_bare(text: str, names: Collection[str]) -> str:
    """Return a JSON object with only these keys: the fact of a decision, without its words."""
    told = json.loads(text)
    return json.dumps({name: told[name] for name in names if name in told}) + "\n"
