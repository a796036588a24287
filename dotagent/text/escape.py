"""Make text from people, tools, files and models harmless, once, where it enters a prompt or a terminal.

Outside text cannot forge a reference (◱ ◲ are replaced), a line of dotagent (it is indented) or a terminal escape
sequence (control characters are replaced by pictures), and cannot hide anything. Blobs keep the original bytes.
Controls, format characters and everything that Unicode calls default-ignorable (UTS #39) become �. Joiners and
variation selectors stay where they are part of the writing: one after a letter of a joining script (UAX #31, A1 to B),
within an emoji sequence (UTS #51), or after an ideograph. Pure.
"""

from __future__ import annotations

import json
import re

from dotagent.text import lazy

INDENT = "  "

_CONTROLS = "\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff"  # \u2028: line ends; \ud800: halves of characters
_TAGS = "\U000e0000-\U000e007f"  # ASCII that models read and people do not see
_UNSEEN = (
    "\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff"
    "\uffa0\ufff0-\ufffb\U00013430-\U0001345f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_JOINING = "[\u0600-\u0dff\u0f00-\u109f\u1780-\u18af\ua840-\ua87f\ufb50-\ufdff\ufe70-\ufefc\U00011000-\U00011fff]"
_EMOJI = (
    "[\xa9\xae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u2460-\u24ff\u25a0-\u27bf\u2900-\u297f\u2b00-\u2bff"
    "\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
)
_IDEOGRAPH = "[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"

_PICTURES = {c: chr(0x2400 + c) for c in range(0x20) if c not in (0x09, 0x0A)} | {0x7F: "�"}  # ASCII control characters
_FOREIGN = lazy.compile(f"[{_CONTROLS}{_TAGS}]")
_HIDDEN = lazy.compile(f"[{_CONTROLS}{_UNSEEN}]")
_SHOWN = lazy.compile(
    f"({_HIDDEN.pattern})|{_JOINING}[\u200c\u200d\u180b-\u180f]|{_EMOJI}[\ufe0e\ufe0f]?(?:\u200d(?={_EMOJI}))?"
    f"|[0-9#*][\ufe0e\ufe0f]|{_IDEOGRAPH}[\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)


def outside(body: bytes) -> str:
    """Convert bytes from outside into text for a prompt: replace invalid UTF-8, controls and reference marks."""
    text = body.decode("utf-8", "replace").replace("\r\n", "\n")
    return text.translate(_PICTURES) if text.isascii() else _unmarked(_FOREIGN.sub(_picture, text))


def printable(text: str) -> str:
    """Return the text without characters that a terminal would obey or hide, except tab and LF."""
    text = text.replace("\r\n", "\n")
    if text.isascii():
        return text.translate(_PICTURES)
    return _SHOWN.sub(lambda m: _picture(m) if m[1] else m[0], text) if _HIDDEN.search(text) else text


def row(text: str) -> str:
    """Return the same on one line, so that a name cannot fake a row of a list."""
    return printable(text).replace("\n", "␊").replace("\t", "␉")


def dumps(value: object) -> str:
    """Return the value as a line of JSON that is safe for a terminal; unsafe characters are escaped as JSON allows."""
    text = json.dumps(value, ensure_ascii=False)
    return _SHOWN.sub(lambda m: json.dumps(m[1])[1:-1] if m[1] else m[0], text)


def _picture(found: re.Match[str]) -> str:
    return _PICTURES.get(ord(found[0]), "�")


def _unmarked(text: str) -> str:
    return text.replace("◱", "⟪").replace("◲", "⟫")


def indent(text: str) -> str:
    """Indent every line by two spaces, so that none of them can look like a heading."""
    return INDENT + text.replace("\n", "\n" + INDENT)


def unindent(text: str) -> str:
    """Undo `indent`. Lines that are not indented stay unchanged."""
    return text.removeprefix(INDENT).replace("\n" + INDENT, "\n")


def one_line(text: str, most: int = 80) -> str:
    """Return the text as one clean line of at most `most` characters, for gists and details."""
    plain = text.isascii() and text.isprintable()  # most texts need no replacement
    clean = " ".join((text if plain else _unmarked(printable(text))).split())
    if len(clean) <= most:
        return clean
    return clean[: most - 1].rstrip() + "…" if most > 0 else ""


def head_and_tail(text: str, most: int, note: str) -> str:
    """Return at most `most` characters: the first two thirds, the note, and the last third."""
    if len(text) <= most:
        return text
    head, tail = most * 2 // 3, most // 3
    return f"{text[:head].rstrip()}\n{note}\n{text[-tail:].lstrip() if tail else ''}"
