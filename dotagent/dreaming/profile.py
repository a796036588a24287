"""A person's `profile.yaml`, to which a line is added; all else in it, comments and order, stays as its owner wrote it.

The new text is read before it is kept: it says what the old one said and this line, or it is not written. Owns the
file's next version.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from dotagent.errors import Trouble
from dotagent.project.profile import read
from dotagent.store import disk
from dotagent.text import escape

MOST = 1 << 18
LIST = "preferences"
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9 _/.+'-]*[A-Za-z0-9+]|[A-Za-z]")
_WORD = re.compile(r"(?i)y|n|yes|no|on|off|true|false|null")


def add(path: Path, key: str, words: str, mode: int) -> bool:
    """Let the profile say so; False where it does already. Raises Trouble where it is so written that it cannot be
    changed by itself, or says something else under this key, and OSError."""
    disk.make_dir(path.parent)
    with disk.locked_dir(path.parent):
        try:
            before = disk.read(path, MOST, missing=b"").decode()
        except UnicodeDecodeError:
            raise Trouble(f"{path} is no UTF-8 text: mend it") from None
        known = read(path, before)
        wanted = _wanted(path, known, key, words)
        if wanted == known:
            return False
        after = _after(before, key, words)
        if read(path, after) != wanted:
            raise Trouble(f"{path} is so written that {key} cannot be added by itself: add it by hand: {words}")
        disk.replace(path, after.encode(), mode=mode, keep=True)
    return True


def _wanted(path: Path, known: dict[str, Any], key: str, words: str) -> dict[str, Any]:
    """What the profile is to say."""
    if key != LIST:
        if known.get(key) not in (None, words):
            now = escape.one_line(str(known[key]), 40)
            raise Trouble(f"{path} says {key}: {now} already: change it by hand, or `dream reject` this")
        return {**known, key: words}
    listed = known.get(LIST) or []
    if not isinstance(listed, list):
        raise Trouble(f"{path}: {LIST} is no list: mend it by hand")
    return {**known, LIST: [*listed, *([] if words in listed else [words])]}


def _after(before: str, key: str, words: str) -> str:
    """The text with the line: of a list behind its last item, else at the end."""
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
