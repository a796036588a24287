"""The final appearance of a command's output on a terminal: a progress bar becomes its last frame. Pure."""

from __future__ import annotations

from dotagent.text import lazy

_PIECE = lazy.compile(r"\r|\x08|\x1b\[([0-9;?]*)([A-Za-z])|[^\r\x08\x1b]+|\x1b")


def last(output: bytes) -> bytes:
    """Return the output with carriage returns, backspaces and erase sequences applied to each line."""
    if b"\r" not in output and b"\x08" not in output:
        return output
    lines = output.decode("utf-8", "surrogateescape").split("\n")
    return "\n".join(map(_line, lines)).encode("utf-8", "surrogateescape")


def _line(line: str) -> str:
    line = line.rstrip("\r")
    if "\r" not in line and "\x08" not in line:
        return line
    cells, at = list[str](), 0
    for piece in _PIECE.finditer(line):
        text = piece[0]
        if text == "\r":
            at = 0
        elif text == "\x08":
            at = max(0, at - 1)
        elif piece[2] == "K":
            cells = cells[:at] if piece[1] in ("", "0") else [" "] * at + (cells[at:] if piece[1] == "1" else [])
        elif not text.startswith("\x1b"):
            cells[at : at + len(text)] = text
            at += len(text)
    return "".join(cells).rstrip(" ")
