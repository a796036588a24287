"""The pages of the documentation, and the commands in them. It writes nothing.

Commands are the lines of code blocks, and code within a sentence, that start a program of dotagent.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_FENCE = re.compile(r"^ {0,3}(```+|~~~+)\s*([\w-]*)")
_STARTS = r"(?:python -m dotagent|dotagent|python (?:agent|chat|clean)\.py)(?![\w./-])"
_LINE = re.compile(rf"^(?:\$ )?(?:\w+=\S* )*({_STARTS}.*)$")
_SPAN = re.compile(rf"`({_STARTS}[^`]*)`")
_STOPS = {"|", "||", "&", "&&", ";", ">", ">>", "<", "<<"}


class CodeBlock(NamedTuple):
    """A code block: the language of its fence ("" for none), the number of its first line, and its lines."""

    language: str
    line: int
    lines: tuple[str, ...]


class ShownCommand(NamedTuple):
    """A command shown on a page: its place, the words after the program's name, and whether it is complete.

    Code within a sentence is not complete: it may omit arguments.
    """

    page: str
    line: int
    words: tuple[str, ...]
    whole: bool


def pages(code: Path) -> list[Path]:
    """Return the pages, with those next to docs/."""
    return [code / "README.md", code / "CONTRIBUTING.md", *sorted((code / "docs").rglob("*.md"))]


def blocks(text: str) -> Iterator[CodeBlock]:
    """Yield the code blocks of a page: fenced ones, and indented ones after a blank line."""
    lines, at = text.split("\n"), 0
    while at < len(lines):
        begun, fence = at, _FENCE.match(lines[at])
        if fence:
            at = next((end for end in range(at + 1, len(lines)) if lines[end].strip() == fence[1]), len(lines))
            yield CodeBlock(fence[2], begun + 2, tuple(lines[begun + 1 : at]))
        elif lines[at].startswith("    ") and (at == 0 or not lines[at - 1].strip()):
            while at < len(lines) and (lines[at].startswith("    ") or not lines[at].strip()):
                at += 1
            yield CodeBlock("", begun + 1, tuple(line[4:] for line in lines[begun:at]))
            at -= 1
        at += 1


def commands(page: str, text: str) -> Iterator[ShownCommand]:
    """Yield the commands of dotagent that a page shows."""
    inside = set[int]()
    for block in blocks(text):
        inside.update(range(block.line - 1, block.line + len(block.lines) + 1))
        if block.language in ("", "sh", "console"):
            for at, line in enumerate(_join_continued(block.lines), block.line):
                if found := _LINE.match(line.strip()):
                    yield ShownCommand(page, at, _words(found[1]), True)
    for at, line in enumerate(text.split("\n"), 1):
        if at not in inside:
            yield from (ShownCommand(page, at, _words(found), False) for found in _SPAN.findall(line))


def _join_continued(lines: tuple[str, ...]) -> list[str]:
    """Return the lines, with backslash continuations joined to the first line; continuation lines become empty."""
    made, open_at = list[str](), -1
    for line in lines:
        if open_at >= 0:
            made[open_at] = f"{made[open_at][:-1].rstrip()} {line.strip()}"
            made.append("")
        else:
            made.append(line)
        last = made[open_at] if open_at >= 0 else line
        open_at = (open_at if open_at >= 0 else len(made) - 1) if last.endswith("\\") else -1
    return made


def _words(line: str) -> tuple[str, ...]:
    """Return the words after the program's name, up to a pipe or redirection; none if a shell could not parse the
    line."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split, lexer.commenters = True, "#"
    try:
        words = [*lexer]
    except ValueError:
        return ()
    end = next((at for at, word in enumerate(words) if word in _STOPS), len(words))
    words = words[:end]
    if words[:1] == ["dotagent"]:
        return tuple(words[1:])
    return tuple(words[3:] if words[1] == "-m" else [words[1].removesuffix(".py"), *words[2:]])
