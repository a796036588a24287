"""Parse the Markdown of an answer conservatively: anything that is not certainly markup stays text.

Emphasis inside a word (`2*3*4`) or that touches only signs inside (`**/*.py`, `/* x */ and /* y */`), a name between
underscores (`__init__`), backslashes, entities, tags, footnotes and link definitions stay text. A pipe in code does not
end a table cell, and surplus cells are joined to the last one. markdown-it parses the rest. Owns nothing on disk.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, table
from markdown_it.rules_inline import StateInline, emphasis, strikethrough
from markdown_it.token import Token

_PIECE = re.compile(r"\\.|(`+)(?:.*?[^`])??\1(?!`)|\|")
_NAME = re.compile(r"\w+")
_SIGNS = r"[!-/:-@\[-`{-~]+"
_MARKS = re.compile(rf"(?s){_SIGNS}(?:\s(?:.*\s)?{_SIGNS})?")


def parse(text: str) -> list[Token]:
    """Return the tokens of the text."""
    return _PARSER.parse(text)


def _is_unspaced(letter: str) -> bool:
    """Return whether this is a letter or a mark of a script that has no blanks between words."""
    return letter > "\u2e80" and letter.lower() == letter.upper()


def _in_word(letter: str) -> bool:
    """Return whether emphasis touching this letter may be inside a word, code or a formula. In scripts without capitals
    there are no blanks between words, so a letter proves nothing."""
    return letter.isdecimal() or letter.lower() != letter.upper() or letter in "_*/\\=+-<>&%$@#|~^`"


def _emphasis(state: StateInline, silent: bool) -> bool:
    return _doubted(state, silent, emphasis)


def _strikethrough(state: StateInline, silent: bool) -> bool:
    return _doubted(state, silent, strikethrough)


def _doubted(state: StateInline, silent: bool, module: object) -> bool:
    """Let markdown-it parse a run of markers, but prevent it from opening or closing where it touches a word outside.
    Chinese and Japanese have no blanks between words, so a double mark needs no blank beside it: `**注意：**请`. A
    single mark does, because it may refer to a note: `带*号的为必填项，*为选填`."""
    begin, known = state.pos, len(state.delimiters)
    if not module.tokenize(state, silent):  # type: ignore[attr-defined]
        return False
    before, after = state.src[begin - 1 : begin], state.src[state.pos : state.pos + 1]
    for mark in state.delimiters[known:]:
        if state.pos - begin > 1 and (_is_unspaced(before) or _is_unspaced(after)):
            mark.open, mark.close = bool(after.strip()), bool(before.strip())
        mark.open = mark.open and not (before and _in_word(before))
        mark.close = mark.close and not (after and _in_word(after))
    return True


def _names(state: StateInline) -> None:
    """Treat underscores around a single name as text, and marks that touch only signs inside."""
    for lists in (state.delimiters, *(meta["delimiters"] for meta in state.tokens_meta if meta)):
        for mark in lists:
            if mark.end >= 0:
                inside = "".join(one.content for one in state.tokens[mark.token + 1 : lists[mark.end].token])
                if _MARKS.fullmatch(inside) or (mark.marker == ord("_") and _NAME.fullmatch(inside)):
                    mark.end = -1


def _backslash(state: StateInline, silent: bool) -> bool:
    """Keep a backslash and the mark that it protects as text."""
    if state.src[state.pos] != "\\":
        return False
    size = 1 if state.src[state.pos + 1 : state.pos + 2] in ("", "\n") else 2
    if not silent:
        state.pending += state.src[state.pos : state.pos + size]
    state.pos += size
    return True


def _rows(state: StateBlock, begin: int, end: int, silent: bool) -> bool:
    """Parse a table and keep surplus cells of a row."""
    known = len(state.tokens)
    if not table(state, begin, end, silent):
        return False
    row: list[Token] = []
    line = begin
    for token in state.tokens[known:]:
        if token.type == "tr_open":
            row, line = [], token.map[0] if token.map else line
        elif token.type == "inline":
            row.append(token)
        elif token.type == "tr_close":
            source = state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]
            for cell, words in zip(row, _cells(source, len(row)), strict=False):
                cell.content = words
    return True


def _cells(line: str, count: int) -> Sequence[str]:
    """Return the cells of a row; `\\|` is a pipe, also in code."""
    line = line.strip()
    cuts = [0 if line.startswith("|") else -1]
    cuts += [one.start() for one in _PIECE.finditer(line, cuts[0] + 1) if one[0] == "|"]
    if cuts[-1] == len(line) - 1 and len(cuts) > 1:
        line, cuts = line[:-1], cuts[:-1]
    cuts = [*cuts[:count], len(line)]
    cells = [line[a + 1 : b].replace("\\|", "|").strip() for a, b in pairwise(cuts)]
    return [*cells, *[""] * (count - len(cells))]


def _make_parser() -> MarkdownIt:
    made = MarkdownIt("commonmark", {"html": False, "maxNesting": 20}).enable(["table", "strikethrough"])
    made.disable(["entity", "autolink", "reference", "lheading", "html_block", "html_inline"])
    made.inline.ruler.at("emphasis", _emphasis)
    made.inline.ruler.at("strikethrough", _strikethrough)
    made.inline.ruler.at("escape", _backslash)
    made.inline.ruler2.before("emphasis", "names", _names)
    made.block.ruler.at("table", _rows, {"alt": ["paragraph", "reference"]})
    made.normalizeLink = lambda url: url  # type: ignore[method-assign]  # an address stays as it is written
    return made


_PARSER = _make_parser()
