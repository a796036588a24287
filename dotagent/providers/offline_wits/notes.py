"""MEMORY.md as the offline provider keeps it: a line a thing, and the smallest edit that changes it.

An edit names what it replaces, so a change that a person made meanwhile fails it and is never written over. It owns
nothing on disk; the tools write.
"""

from __future__ import annotations

from collections.abc import Sequence

from dotagent.providers.offline_wits.prompt import Entry, Said
from dotagent.providers.offline_wits.words import FIRST, content, tokens

PAPER = "MEMORY.md"
MOST = 4000  # characters of MEMORY.md
_MARKS = ("<<<<<", "=====", ">>>>>")  # lines of an edit that must not stand in its texts


def lines(view: Sequence[Entry]) -> list[str]:
    """The newest MEMORY.md in the context, line by line; without one, none."""
    found = next((entry for entry in reversed(view) if entry.event == "PAPER" and entry.detail == PAPER), None)
    return found.body.split("\n") if found and found.body else []


def line_of(text: str, said: Said) -> str:
    """The line that keeps what somebody said; whose "my" it is belongs to it."""
    mine = f" (said by {said.who})" if FIRST & set(tokens(text)) else ""
    return f"- {' '.join(text.split())}{mine}"


def matching(kept: Sequence[str], text: str) -> list[str]:
    """The lines with all the words of the text that carry meaning; `everything` matches every note."""
    wanted = set(content(text))
    if set(tokens(text)) <= {"everything", "all", "of", "it", "your", "the", "notes", "memory", "you", "know"}:
        return [line for line in kept if line.startswith("- ")]
    if not wanted:
        return []
    return [line for line in kept if line.strip() and not line.startswith("#") and wanted <= set(content(line))]


def size(kept: Sequence[str]) -> int:
    """Characters of the file that these lines make."""
    return sum(len(line) + 1 for line in kept)


def edit(before: Sequence[str], after: Sequence[str]) -> tuple[str, str]:
    """The tool, and its argument with its here-document's text, that make MEMORY.md's lines `after` of `before`."""
    shorter = min(len(before), len(after))
    start = next((at for at in range(shorter) if before[at] != after[at]), shorter)
    most = shorter - start
    end = next((at for at in range(most) if before[-1 - at] != after[-1 - at]), most)
    whole = "".join(f"{line}\n" for line in before)
    while True:
        search = "".join(f"{line}\n" for line in before[start : len(before) - end])
        if search.strip() and whole.find(search) == whole.rfind(search):  # count() would miss what overlaps
            replaced = "".join(f"{line}\n" for line in after[start : len(after) - end])
            if any(line.startswith(_MARKS) for line in (search + replaced).split("\n")):
                break
            return "EDIT_FILE", f"<<<<<<< SEARCH\n{search}=======\n{replaced}>>>>>>> REPLACE\n"
        if start == 0 and end == 0:
            break
        start, end = (start - 1, end) if start > 0 else (start, end - 1)
    return "WRITE_FILE", "".join(f"{line}\n" for line in after)
