"""A model's reasoning: how a reply stores it, and how to remove it.

A reply's blob and an answer's stream begin with the reasoning, in tags. Many servers leave reasoning in the text, in
the tags of their model's template, some without the opening tag. Owns nothing on disk.
"""

from __future__ import annotations

import re

from dotagent.text import lazy

OPEN, CLOSE = "<reasoning>\n", "\n</reasoning>\n\n"
_FORM = r"\A\s*<reasoning>.*?</reasoning>\s*"
_TEXT, _BYTES = lazy.compile(_FORM, re.DOTALL), lazy.compile(_FORM.encode(), re.DOTALL)
_USED = r"(?<![`'\"\\])"  # after a quote, a tag is only mentioned
_NAME = r"\w*(?i:think|thought|reason)\w*"
_TAG = rf"{_USED}(?:<(?P<end>/?)(?P<name>{_NAME})>|(?P<tag>\[/?THINK\]|◁/?think▷))"
_FENCE = r"^ {0,3}(?P<fence>`{3,}(?=[^`\n]*$)|~{3,})[^\n]*$"
_MARK = lazy.compile(f"{_FENCE}|{_TAG}", re.MULTILINE)
_SIGNS = ("<", "[", "◁", "```", "~~~")  # a text without these has no tag and no fence
_PART = lazy.compile(rf"{_USED}(?:</?\w*|\[/?[A-Z]*|◁/?\w*)\Z")  # the beginning of a possible tag


def wrap(reasoning: str, text: str) -> str:
    """Return a whole reply: the reasoning in its block, if any, and the text after it.

    Reasoning at the beginning of the text joins the block.
    """
    if reasoning and text.startswith(OPEN):
        return f"{OPEN}{reasoning}\n\n{text.removeprefix(OPEN)}"
    return f"{OPEN}{reasoning}{CLOSE}{text}" if reasoning else text


def strip(reply: str) -> str:
    """Return the reply without its leading block; an unclosed block does not count."""
    return _TEXT.sub("", reply)


def remove_bytes(reply: bytes) -> bytes:
    """Do the same for bytes, which need not be text."""
    return _BYTES.sub(b"", reply)


def text_after(reply: str) -> str:
    """Return the text after the reply's leading blocks, or "" if the last of them is never closed."""
    while not is_plain(reply) and (close := closing_tag(reply.lstrip())):
        _, closed, reply = reply.partition(close)
        if not closed:
            return ""
    return reply


def is_closing(line: str) -> bool:
    """Return whether the line closes reasoning that it does not open."""
    first = _MARK.search(line)
    return bool(first and not first["fence"] and not _closing(first))


def tagged(line: str) -> bool:
    """Return whether the line has a reasoning tag."""
    return bool(re.search(_TAG, line))


def closing_tag(line: str) -> str:
    """Return the closing tag of the reasoning at the beginning of the line, or ""."""
    first = _MARK.match(line)
    return _closing(first) if first else ""


def split(text: str, growing: bool = False) -> tuple[str, int]:
    """Return the text without the reasoning at its beginning, and the end of its last closing tag without an opening
    one, or 0.

    Blocks behind words, and fenced tags, are content. An unclosed block at the beginning of a line extends to the end.
    If the text is `growing`, a possibly unfinished tag is withheld.
    """
    if is_plain(text):
        return text, 0
    kept, copied, at, alone, never = list[str](), 0, 0, 0, set[str]()
    while mark := _MARK.search(text, at):
        at, close = mark.end(), _closing(mark)
        if not (mark["fence"] or close):
            alone = at
            continue
        end = -1 if {close, mark["fence"]} & never else _end(text, mark)
        if end < 0 and mark["fence"]:
            never.add(mark["fence"])
            if growing:  # whether a tag after the fence is content is known once the fence is closed
                tag = re.search(_TAG, text[at:])
                if tag:
                    text, growing = text[: at + tag.start()], False
                break
        elif mark["fence"]:
            at = end
        elif end >= 0 or growing or text[mark.start() - 1 : mark.start()] in ("", "\n"):
            at = end if end >= 0 else len(text)
            if not text[copied : mark.start()].strip() and not "".join(kept).strip():
                kept.append(text[copied : mark.start()])
                copied = at
        else:
            never.add(close)
    part = _PART.search(text, copied) if growing else None
    kept.append(text[copied : part.start() if part else len(text)])
    return "".join(kept), alone


def is_plain(text: str) -> bool:
    """Return True if the text has no tag and no fence."""
    return not [1 for sign in _SIGNS if sign in text]  # most replies, so it must be fast


def _closing(mark: re.Match[str]) -> str:
    """Return the closing tag for this opening tag, or "" for a fence or a closing tag."""
    if mark["tag"]:
        return "" if "/" in mark["tag"] else f"{mark['tag'][0]}/{mark['tag'][1:]}"
    return f"</{mark['name']}>" if mark["name"] and not mark["end"] else ""


def _end(text: str, mark: re.Match[str]) -> int:
    """Return the end of the block or fence that begins at this mark, or -1 if it is never closed."""
    if not mark["fence"]:
        close = _closing(mark)
        at = text.find(close, mark.end())
        return at + len(close) if at >= 0 else -1
    core = f"{re.escape(mark['fence'][0])}{{{len(mark['fence'])},}}"
    found = re.compile(rf"^ {{0,3}}{core}[ \t\r]*$", re.MULTILINE).search(text, mark.end())
    return found.end() if found else -1
