"""Fenced blocks of Markdown: which lines are in a fence, so that no line of code is taken for a heading or an item.

Owns nothing on disk.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})(.*)")


def marked(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield each line with the mark that closes its block (also for the block's two marks), or ""."""
    close = ""
    for line in lines:
        found = _FENCE.match(line)
        if close:
            yield line, close
            if found and not found[2].strip() and found[1][0] == close[0] and len(found[1]) >= len(close):
                close = ""
        elif found and "`" not in (found[2] if found[1][0] == "`" else ""):
            close = found[1]
            yield line, close
        else:
            yield line, ""
