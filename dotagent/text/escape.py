"""The door: text from people, tools, files and models is made harmless here, once, where it enters a prompt or a
terminal. Outside text cannot forge a reference (◱ ◲ are replaced), a line of ours (it is indented) or a terminal's
escape sequence (control characters are shown as pictures). Blobs keep the original bytes."""

from __future__ import annotations

INDENT = "  "

# C0 controls but tab and LF have pictures at U+2400; C1 controls and the Unicode line ends have none.
_TABLE: dict[int, str] = {c: chr(0x2400 + c) for c in range(0x20) if c not in (0x09, 0x0A)}
_TABLE |= dict.fromkeys(range(127, 160), "�") | {0x2028: "\ufffd", 0x2029: "\ufffd"}
_TABLE |= dict.fromkeys(range(0xD800, 0xE000), "�")  # halves of characters, which JSON may bring and UTF-8 can not hold
_CLEAN = dict(_TABLE)
_TABLE |= {ord("◱"): "⟪", ord("◲"): "⟫"}
_BIDI = dict.fromkeys((*range(8234, 8239), *range(8294, 8298)), "�")
_LINE = _TABLE | _BIDI


def outside(body: bytes) -> str:
    """Bytes from outside as text for a prompt: invalid UTF-8 and controls replaced, no reference left in it."""
    return body.decode("utf-8", "replace").replace("\r\n", "\n").translate(_TABLE)


def printable(text: str) -> str:
    """Text for a person's terminal: no control or direction-changing character reaches it (tab and LF do)."""
    return text.replace("\r\n", "\n").translate(_CLEAN).translate(_BIDI)


def indent(text: str) -> str:
    """Every line of the text indented by two spaces, so that none of them can stand where a heading stands."""
    return INDENT + text.replace("\n", "\n" + INDENT)


def unindent(text: str) -> str:
    """The text as it was before `indent`; a line that is not indented stays as it is."""
    return text.removeprefix(INDENT).replace("\n" + INDENT, "\n")


def one_line(text: str, most: int = 80) -> str:
    """The text as one clean line of at most `most` characters, for gists and details."""
    plain = text.isascii() and text.isprintable()  # as most are: nothing to replace
    clean = " ".join((text if plain else text.translate(_LINE)).split())
    return clean if len(clean) <= most else clean[: most - 1].rstrip() + "…"


def head_and_tail(text: str, most: int, note: str) -> str:
    """At most `most` characters of the text: its first two thirds and its last third, with the note between."""
    if len(text) <= most:
        return text
    head, tail = most * 2 // 3, most // 3
    return f"{text[:head].rstrip()}\n{note}\n{text[-tail:].lstrip() if tail else ''}"
