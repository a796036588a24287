"""Add a line to a person's `profile.yaml`, leaving everything else unchanged, including comments and order.

The new text is parsed before it is saved: it must contain the old values and this line. Owns the file's next version.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from dotagent.errors import Trouble
from dotagent.project.profile import read
from dotagent.store import disk
from dotagent.text import encoding, escape
from dotagent.text.encoding import NotText

MOST = 1 << 18
LIST = "preferences"
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9 _/.+'-]*[A-Za-z0-9+]|[A-Za-z]")
_WORD = re.compile(r"(?i)y|n|yes|no|on|off|true|false|null")


def add(path: Path, key: str, words: str, mode: int) -> bool:
    """Add the value to the profile. Return False if it exists. Raises Trouble if the file's form prevents an automatic
    change, or the key has another value, and OSError."""
    disk.make_dir(path.parent)
    with disk.locked_dir(path.parent):
        try:
            text, form = encoding.decode(disk.read(path, MOST, missing=b""))
        except NotText as why:
            raise Trouble(f"{path} {why}; save the file as UTF-8") from None
        before = text.replace("\r\n", "\n")
        known = read(path, before)
        wanted = _intended_values(path, known, key, words)
        if wanted == known:
            return False
        after = _insert_line(before, key, words)
        if read(path, after) != wanted:
            raise Trouble(
                f"cannot add {key} to {path} automatically, because of the file's form; add it by hand: {words}"
            )
        try:
            disk.replace(path, encoding.encode(form.ended(after), form), mode=mode, keep=True)
        except NotText as why:
            raise Trouble(f"{path} {why}; save the file as UTF-8") from None
    return True


def _intended_values(path: Path, known: dict[str, Any], key: str, words: str) -> dict[str, Any]:
    """Return the intended values of the profile."""
    if key != LIST:
        if known.get(key) not in (None, words):
            now = escape.one_line(str(known[key]), 40)
            raise Trouble(f"{path} already has {key}: {now}; change the file by hand, or `dream reject` this proposal")
        return {**known, key: words}
    listed = known.get(LIST) or []
    if not isinstance(listed, list):
        raise Trouble(f"{path}: {LIST} is not a list; correct it by hand")
    return {**known, LIST: [*listed, *([] if words in listed else [words])]}


def _insert_line(before: str, key: str, words: str) -> str:
    """Return the text with the line: after the last item of a list, otherwise at the end."""
    value = words if _PLAIN.fullmatch(words) and not _WORD.fullmatch(words) else json.dumps(words, ensure_ascii=False)
    rows = before.rstrip("\n").split("\n") if before.strip() else []
    if key != LIST:
        return "\n".join([*rows, f"{key}: {value}", ""])
    at = next((number for number, row in enumerate(rows) if re.fullmatch(rf"{LIST}:\s*(#.*)?", row)), None)
    if at is None:
        return "\n".join([*rows, f"{LIST}:", f"  - {value}", ""])
    last, indent = at, "  "
    for number in range(at + 1, len(rows)):
        if found := re.match(r"(\s*)- ", rows[number]):
            last, indent = number, found[1]
        elif rows[number].strip() and not rows[number].startswith((" ", "#")):
            break
    return "\n".join([*rows[: last + 1], f"{indent}- {value}", *rows[last + 1 :], ""])
