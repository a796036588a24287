"""EDIT_FILE: replace passages of a file. The agent quotes each passage exactly as in the file; the quoted text must
occur exactly once in the file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from dotagent.life.session import Session
from dotagent.text import encoding
from dotagent.text.encoding import TextForm
from dotagent.text.grammar import ToolCall
from dotagent.text.sizes import plural
from dotagent.tools import ToolError, files

FOR = "Change lines of a file; READ_FILE it first"
USAGE = (
    "EDIT_FILE path <<END",
    "<<<<<<< SEARCH",
    "old lines, exactly as in the file",
    "=======",
    "new text",
    ">>>>>>> REPLACE",
    "END",
)
ORDER = 13
EFFECT = "write"
ORIGIN = "own"
SOME = "changes"
effect = files.effect

_SEARCH, _DIVIDE, _REPLACE = (
    re.compile(one) for one in (r"(<{5,9}) SEARCH[ \r]*", r"(={5,9})[ \r]*", r"(>{5,9}) REPLACE[ \r]*")
)
_Block = tuple[int, list[str]]  # the size of its marks, and the lines between the first and the last mark
_TRIES = 1000  # replacements tried before an edit counts as ambiguous
AMBIGUOUS = "the edit is ambiguous, so nothing was changed; write each of its three marks with nine characters"


def act(session: Session, call: ToolCall) -> bytes:
    """Make all of the call's replacements, or none."""
    _blocks(call.body or "")
    name = files.command_name(session, call.args)
    more = files.change(session, call, lambda before: edited(name, before, call.body or ""))
    return _report(session, call) + more


def recover(session: Session, call: ToolCall, what: str) -> bytes:
    """Complete an interrupted edit, unless it has happened."""
    return files.recover(session, call, what, lambda: act(session, call), lambda _: _report(session, call))


def edited(name: str, before: bytes | None, body: str) -> bytes:
    """Return the file with the replacements made, in its own form. Raises ToolError.

    If a block has several dividing lines, each is tried; exactly one way of reading the edit must fit the file.
    """
    text, form = files.text(name, before or b"")
    blocks, tried = _blocks(body), list[str]()
    if before is None and all(old.strip() for old, _ in map(next, map(_divided, blocks))):
        raise ToolError(f"there is no file {name}; WRITE_FILE creates it")
    ways = [list(_divided(block)) for block in blocks]
    if text.strip() and any(len(way) > 1 and not way[0][0] for way in ways):  # adding lines always fits
        raise ToolError(AMBIGUOUS)
    found = set(islice(_results(name, text, blocks, form, tried), 2))
    if len(found) > 1 or len(tried) > _TRIES:
        raise ToolError(AMBIGUOUS)
    if not found:
        raise ToolError(next(filter(None, tried)))
    return files.encoded(name, found.pop(), form)


def _results(name: str, text: str, blocks: Sequence[_Block], form: TextForm, tried: list[str]) -> Iterator[str]:
    """Yield the text after all replacements, for each fitting way to divide the blocks.

    `tried` gets a line for each replacement: why it failed, or nothing.
    """
    if not blocks:
        yield text
        return
    for old, new in _divided(blocks[0]):
        if len(tried) > _TRIES:
            return
        after, why = _replaced(name, text, old, new, form)
        tried.append(why)
        if not why:
            yield from _results(name, after, blocks[1:], form, tried)


def _blocks(body: str) -> list[_Block]:
    """Return the blocks of an edit. Raises ToolError if its form is wrong, or a block contains a mark."""
    lines, found, at = body.split("\n"), list[_Block](), 0
    while at < len(lines):
        if not lines[at].strip():
            at += 1
            continue
        first = _SEARCH.fullmatch(lines[at])
        size = len(first[1]) if first else 0
        ends = _marks(_REPLACE, lines[at:], size)
        inner = lines[at + 1 : at + ends[0]] if first and ends else []
        if not _marks(_DIVIDE, inner, size):
            raise ToolError("the form of an edit is:\n" + "\n".join(USAGE))
        if any(mark and len(mark[1]) == size for mark in map(_SEARCH.fullmatch, inner)):
            raise ToolError(AMBIGUOUS)
        found.append((size, inner))
        at += ends[0] + 1
    if not found:
        raise ToolError("the form of an edit is:\n" + "\n".join(USAGE))
    return found


def _divided(block: _Block) -> Iterator[tuple[str, str]]:
    """Yield the old and the new text of a block, for each line that may divide them."""
    size, lines = block
    for at in _marks(_DIVIDE, lines, size):
        yield "".join(f"{line}\n" for line in lines[:at]), "".join(f"{line}\n" for line in lines[at + 1 :])


def _marks(form: re.Pattern[str], lines: list[str], size: int) -> list[int]:
    """Return the numbers of the lines that are such a mark, of this size if there are any."""
    found = [(number, mark) for number, line in enumerate(lines) if (mark := form.fullmatch(line))]
    return [number for number, mark in found if len(mark[1]) == size] or [number for number, _ in found]


def _replaced(name: str, text: str, old: str, new: str, form: TextForm) -> tuple[str, str]:
    """Return the text with `old` replaced by `new`, and "" or why that failed. An empty `old` adds lines."""
    if not old or not (old.strip() or text.strip()):
        ended = text + form.end * (not text.endswith(("\n", "\r"))) if text.strip() else ""
        return ended + form.ended(new.replace("\r\n", "\n")), ""
    sought = encoding.NEWLINE.join(re.escape(line.removesuffix("\r")) for line in old[:-1].split("\n"))
    end = encoding.NEWLINE if not sought else rf"(?:{encoding.NEWLINE}|\Z)"
    whole = rf"(?=(?:\A|(?<=\n)|(?<=\r)(?!\n))({sought}{end}))"
    found = list(islice(re.finditer(whole, text), 2))
    if not found and sought:  # a passage within a line
        found, new = list(islice(re.finditer(f"(?=({sought}))", text), 2)), new.removesuffix("\n")
    elif found and not found[0][1].endswith(("\n", "\r")):  # the last line of the file has no end
        new = new.removesuffix("\n")
    if len(found) != 1:
        where = "occurs more than once" if found else "was not found"
        told = f"{name}: the text to replace {where}; nothing was changed:\n{old.rstrip()}"
        return text, told if found else f"{told}\nTo see the lines that are there:\nREAD_FILE {name}"
    start, stop = found[0].span(1)
    return text[:start] + _ended(text[start:stop], new.replace("\r\n", "\n"), form) + text[stop:], ""


def _ended(old: str, new: str, form: TextForm) -> str:
    """Return the new lines with the line ends of the old lines: equal first lines keep theirs, and the others have
    those of the last lines."""
    ends, lines = re.findall(encoding.NEWLINE, old) or [form.end], new.split("\n")
    pairs = zip(re.split(encoding.NEWLINE, old), lines, strict=False)
    same = next((at for at, (was, line) in enumerate(pairs) if was != line), len(ends))
    first, after = min(same, len(ends) - 1), len(ends) - len(lines) + 1
    ended = [line + ends[at if at < same else max(first, at + after)] for at, line in enumerate(lines[:-1])]
    return "".join(ended) + lines[-1]


def _report(session: Session, call: ToolCall) -> bytes:
    made = plural(len(_blocks(call.body or "")), "replacement")
    return f"edited {files.command_name(session, call.args)}: {made}".encode()
