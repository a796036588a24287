"""A hand-written page of a project as `render` tells it: unchanged, with headings a level lower.

Structure is meaning: an item below "Never do" is not a rule without its heading. Frontmatter and comments are for those
who edit the page, so they are left out. Owns nothing on disk.
"""

from __future__ import annotations

import re

from dotagent.text import escape, fences

LINES, LINE = 300, 400  # the most lines of a page, and characters of a line, that are read
_FRONT = re.compile(  # a first line `---`, then a field, perhaps below comments; other pages begin with a rule
    r"\A[\ufeff\s]*---[ \t]*\n(?=(?:#[^\n]*\n)*[^\s:#][^\s:]*[ \t]*:\s).*?\n---[ \t]*(?:\n|\Z)", re.DOTALL
)
_COMMENT = re.compile(r"(?<!`)(`+)(?!`)[^\n]*?(?<!`)\1(?!`)|<!--.*?(?:-->|\Z)", re.DOTALL)  # or code, which stays
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*)")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*")
_BLOCK = re.compile(r"\s*(?:[-*+>|#]|\d{1,9}[.)]\s|$)")


def told(text: str) -> list[str]:
    """Return the page's lines, without blank ones at both ends. A block that its end would cut is closed."""
    rows = list(fences.marked(_commentless(_FRONT.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))).split("\n")))
    titles = sum(not fence and re.match(r" {0,3}#[ \t]", line) is not None for line, fence in _headed(rows))
    found, inside, first = list[str](), "", True
    for line, fence in _headed(rows):
        heading = None if fence else _HEADING.fullmatch(line)
        if heading and heading[1] == "#" and titles == 1 and first:
            continue  # the page's title: its section here has another
        first = first and not line.strip()
        if not line.strip() and not fence and not (found and found[-1]):
            continue
        if len(found) == LINES:
            found += [inside] if inside else []
            found += ["", f"({len(rows) - LINES:,} more lines)"]
            break
        found.append(_cut(f"{'#' * min(6, len(heading[1]) + 1 + (titles > 1))} {heading[2]}" if heading else line))
        inside = fence
    else:
        found += [inside] if inside and found[-1].strip() != inside else []
    while found and not found[-1].strip():
        found.pop()
    return found


def _commentless(text: str) -> str:
    """Return the text without comments outside of code."""
    parts, held, code = list[str](), list[str](), False
    for line, fence in fences.marked(text.split("\n")):
        if bool(fence) != code:
            parts.append("\n".join(held) if code else _COMMENT.sub(_code, "\n".join(held)))
            held, code = [], bool(fence)
        held.append(line)
    return "\n".join([*parts, "\n".join(held) if code else _COMMENT.sub(_code, "\n".join(held))])


def _code(found: re.Match[str]) -> str:
    return found[0] if found[1] else ""


def _headed(rows: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the lines with each underlined heading as one of `#`."""
    found = list[tuple[str, str]]()
    for line, fence in rows:
        above = found[-1][0] if found and not found[-1][1] else ""
        if not fence and (mark := _UNDERLINE.fullmatch(line)) and above.strip() and not _BLOCK.match(above):
            found[-1] = (f"{'#' if mark[1][0] == '=' else '##'} {above.strip()}", "")
        else:
            found.append((line, fence))
    return found


def _cut(line: str) -> str:
    line = escape.printable(line.rstrip())
    return line if len(line) <= LINE else line[: LINE - 1].rstrip() + "…"
