"""Who said what in an entry of the context: the words without tags, heads, calls and the harness's own lines, for
methods that work on what was said. A summary counts as the lines it holds, so that nothing is ever quoted twice over.
"""

from __future__ import annotations

import re

STANDING = "Standing instructions:"
"""The line of a summary below which people's standing instructions follow, word for word."""
ME = "I"

_TAG = re.compile(r"\[(?:USER|AGENT):([^\s\]]+) [^\]]*\] ?")
_REASONING = re.compile(r"<(think|reasoning)>.*?(?:</\1>|\Z)\s*", re.DOTALL)
_SAY = re.compile(r"^SAY [a-z0-9_-]+ ?(?:<<(?P<word>\w+)\n(?P<here>.*?)\n?^(?P=word)$|(?P<line>.*)$)", re.M | re.S)
_CALL = re.compile(r"^[A-Z_]{3,}(?: |$)")
_LINE = re.compile(r"(?:- )?([^\s:]{1,60}): (.+)")
_SILENT = ("LIFE", "FAINT", "NOTE", "WARN", "PAPER", "BOOT", "RESUME", "TORN", "FAIL", "LEAVE")


def words(event: str, detail: str, text: str, owner: str = "owner") -> list[tuple[str, str]]:
    """The (speaker, words) pairs in an entry, in order; the harness's own entries hold none.

    `text` is the entry's content; `owner` is whose the untagged lines are.
    """
    if event in _SILENT:
        return []
    if event in ("HEAR", "JOIN"):
        return _messages(text, owner)
    if event in ("REPLY", "ANSWER"):
        return [(ME, said) for said in _mine(text)]
    if event == "FADED":
        lines = text.partition(STANDING)[0].split("\n")
        return [_line(line.strip()) for line in lines if line.strip()]
    return [(f"{event} {detail}".strip(), text.strip())] if text.strip() else []


def _messages(text: str, owner: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for line in text.split("\n"):
        tag = _TAG.match(line)
        if tag:
            found.append((tag[1], line[tag.end() :]))
        elif found:
            found[-1] = (found[-1][0], f"{found[-1][1]}\n{line.removeprefix('  ')}")
        elif line.strip():
            found.append((owner, line))
    return [(who, said.strip()) for who, said in found if said.strip()]


def _mine(text: str) -> list[str]:
    text = _REASONING.sub("", text).strip()
    says = [(found["here"] or found["line"] or "").strip() for found in _SAY.finditer(text)]
    if says:
        return [said for said in says if said]
    plain = [line for line in text.split("\n") if line.strip()]
    return [] if not plain or any(_CALL.match(line) for line in plain[:1]) else [text]


def _line(line: str) -> tuple[str, str]:
    found = _LINE.fullmatch(line)
    return (found[1], found[2]) if found else (ME, line)
