"""Passages that shall be gone: found in any text, whatever stands between their words, also where a text was cut.

Between two words may stand what is no word: blanks, line ends, indentation, marks, JSON's escapes. Small and capital
letters are the same, composed and decomposed ones too. A text that was cut (…) may end, or begin, within a passage.
Pure.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

MARK = "[forgotten]"
SHORT = 3  # words: a passage of fewer is only meant where it is a sentence of its own, and fewer of one tell nothing
LEAST = 8  # characters of a passage by which a cut text tells of it

_WORD = re.compile(r"[^\W_](?:[^\W_]|[\u0300-\u036f])*")
_TOKEN = re.compile(rf'\\[nrtbf"/\\]|({_WORD.pattern})')  # in JSON what stands behind a backslash is no word
_BETWEEN = r'(?:\\[nrtbf"/\\]|\\u[0-9a-fA-F]{4}|[\W_]){1,24}?'
_BEGIN = r"(?:(?<![^\W_])|(?<=\\[nrt]))"
_END = r"(?![^\W_])"
_ALONE = (
    r"(?:(?<![^\n])|(?<=[\n.!?:;>\]\"])|(?<=[.!?:;>\]\"#-] )|(?<=\n  )|(?<=\\n)|(?<=\\n  ))",
    r"(?=[ \t]*(?:[.!?…\n\"◲]|\\n|\Z))",
)
_CUT = re.compile(r"…|\.\.\.")
_FAR = 12  # characters between a cut and the word before or behind it

Span = tuple[int, int]
Token = tuple[int, int, str]
Words = tuple[str, ...]


def words(text: str) -> list[str]:
    """The words of a text, as they are compared here."""
    return [_folded(word) for word in _WORD.findall(text)]


def tokens(text: str, *, escaped: bool = False) -> list[Token]:
    """The same with where each begins and ends; where it is `escaped`, as in JSON, `\\n` is no word."""
    if not escaped:
        return [(one.start(), one.end(), _folded(one[0])) for one in _WORD.finditer(text)]
    return [(one.start(), one.end(), _folded(one[1])) for one in _TOKEN.finditer(text) if one[1]]


def _folded(word: str) -> str:
    return unicodedata.normalize("NFC", word).lower()


def is_gone(text: str) -> bool:
    """Whether nothing is left of a text but that it was forgotten."""
    return text.startswith(MARK[:-1]) and not set(text[len(MARK) - 1 :]) - {"-", "]"}


class Passages:
    """Passages that are looked for together."""

    def __init__(self, texts: Iterable[str]) -> None:
        found = sorted(filter(None, {tuple(words(text)) for text in texts}), key=lambda one: (-len(one), one))
        self._longest = max(map(len, found), default=0)
        self._forms = [(_telling(one), re.compile(_pattern(one), re.IGNORECASE)) for one in found]
        self._by_first, self._by_last, self._by_word = _by(found, 0), _by(found, -1), dict[str, list[Words]]()
        for one in found:
            for word in set(one):
                self._by_word.setdefault(word, []).append(one)

    def spans(self, text: str) -> list[Span]:
        """Where a passage stands, or what is left of one where the text was cut; in order, none within another."""
        small, found = text.lower(), list[Span]()
        for telling, form in self._forms:  # most texts have none, and looking for a word is quick
            if telling in small:
                found += [one.span() for one in form.finditer(text)]
        if "…" in text or "..." in text:
            found += self._fragments(text)
        return _joined(found)

    def tell(self, text: str) -> bool:
        """Whether the text has one of them."""
        return bool(self.spans(text))

    def gone(self, text: str) -> str:
        """The text without them."""
        return _replaced(text, self.spans(text), lambda _: MARK)

    def filled(self, text: str) -> str:
        """The same, as many bytes long, line by line: whoever knows a place in it finds it again."""
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
        """The beginning of a passage that stands right before a cut."""
        if not before or cut - before[-1][1] > _FAR:
            return
        for at, (begin, _, word) in enumerate(before[: 1 - SHORT]):
            for passage in self._by_first.get(word, ()):
                last = [one[2] for one in before[at:]]
                if len(last) <= len(passage) and _begins(passage, last) and len("".join(last)) >= LEAST:
                    yield begin, before[-1][1]

    def _since(self, behind: Sequence[Token], cut: int) -> Iterator[Span]:
        """The end of a passage that stands right behind a cut."""
        if not behind or behind[0][0] - cut > _FAR:
            return
        for at, (_, end, word) in enumerate(behind[SHORT - 1 :], SHORT - 1):
            for passage in self._by_last.get(word, ()):
                first = [one[2] for one in behind[: at + 1]]
                if len(first) <= len(passage) and _ends(passage, first) and len("".join(first)) >= LEAST:
                    yield behind[0][0], end

    def _inner(self, between: Sequence[Token], behind: int, cut: int) -> Iterator[Span]:
        """What of a passage's middle is all that stands between two cuts."""
        near = between and between[0][0] - behind <= _FAR and cut - between[-1][1] <= _FAR
        inner = [one[2] for one in between]
        if not near or len(inner) < SHORT or len("".join(inner)) < LEAST:
            return
        for passage in self._by_word.get(inner[1], ()):
            if _has(passage, inner):
                yield between[0][0], between[-1][1]
                return


def _by(found: Sequence[Words], which: int) -> dict[str, list[Words]]:
    """The passages by their first, or last, word."""
    made = dict[str, list[Words]]()
    for one in found:
        made.setdefault(one[which], []).append(one)
    return made


def _telling(passage: Words) -> str:
    """A word that every text with the passage has, as it stands there; "" where that may be spelled in several ways."""
    return max((word for word in passage if word.isascii()), key=len, default="")


def _begins(passage: Sequence[str], last: Sequence[str]) -> bool:
    """Whether a passage begins with these words, of which the last may be cut."""
    upto = len(last) - 1
    return tuple(last[:upto]) == tuple(passage[:upto]) and passage[upto].startswith(last[upto])


def _ends(passage: Sequence[str], first: Sequence[str]) -> bool:
    """Whether it ends with these, of which the first may be cut."""
    tail = passage[-len(first) :]
    return tuple(first[1:]) == tuple(tail[1:]) and tail[0].endswith(first[0])


def _has(passage: Sequence[str], inner: Sequence[str]) -> bool:
    """Whether it has these words, of which the first and the last may be cut."""
    for at in range(len(passage) - len(inner) + 1):
        part = passage[at : at + len(inner)]
        whole = tuple(part[1:-1]) == tuple(inner[1:-1])
        if whole and part[0].endswith(inner[0]) and part[-1].startswith(inner[-1]):
            return True
    return False


def _pattern(passage: Sequence[str]) -> str:
    begin, end = (_BEGIN, _END) if len(passage) >= SHORT or len("".join(passage)) > 16 else _ALONE
    return begin + _BETWEEN.join(map(_spelled, passage)) + end


def _spelled(word: str) -> str:
    """A word in all the ways in which a file has it."""
    if word.isascii():
        return re.escape(word)
    ways = {way for one in (word, word.upper(), word.capitalize()) for way in _forms(one)}
    return f"(?:{'|'.join(map(re.escape, sorted(ways)))})"


def _forms(word: str) -> Iterator[str]:
    for form in ("NFC", "NFD"):
        yield (told := unicodedata.normalize(form, word))
        yield json.dumps(told)[1:-1]


def _joined(spans: Sequence[Span]) -> list[Span]:
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
    """As many bytes that say nothing, with the line ends and the indentation where they were."""
    rows = part.split("\n")
    return "\n".join(_row(row, first=not at) for at, row in enumerate(rows))


def _row(row: str, first: bool) -> str:
    blank = "" if first else row[: len(row) - len(row.lstrip(" "))]
    size = len(row.encode("utf-8", "surrogateescape")) - len(blank)
    return blank + (f"[forgotten{'-' * (size - len(MARK))}]" if first and size >= len(MARK) else "-" * size)


def bare(text: str, names: Collection[str]) -> str:
    """A JSON object with these names alone: of a decision that it was one, without its words."""
    told = json.loads(text)
    return json.dumps({name: told[name] for name in names if name in told}) + "\n"
