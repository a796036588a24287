"""Time zones of machines that do not name one: TZ has a rule, or /etc/localtime is a copy. Reads no settings."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from datetime import tzinfo
from pathlib import Path

_RULES = (
    b"TZif2" + bytes(15) + b"\0\0\0\0" * 4 + b"\0\0\0\1\0\0\0\4",
    bytes(6) + b"UTC\0",
)  # a file without changes of the clock
_CHANGES = ",M3.2.0,M11.1.0"


def from_rule(rule: str) -> tzinfo:
    """Return the zone of a POSIX rule, like `CET-1CEST,M3.5.0,M10.5.0/3`. Raises ValueError.

    Without the days on which the clocks change, they are those of the United States, as in the C library.
    """
    from io import BytesIO
    from zoneinfo import ZoneInfo

    head, body = _RULES
    days = _CHANGES if re.search(r"\d[A-Za-z<][^,]*$", rule) else ""
    return ZoneInfo.from_file(BytesIO((head + body) * 2 + b"\n" + (rule + days).encode() + b"\n"), key=rule)


def find_same(place: str, folders: Iterable[Path]) -> str:
    """Return the name of the zone whose copy is this file, in one of the folders of the table, or ""."""
    try:
        rules = Path(place).read_bytes()
    except OSError:
        return ""
    for folder in folders:
        try:
            listed = (folder / "zone.tab").read_text("utf-8", "replace")
        except OSError:
            continue
        names = ["Etc/UTC", *(line.split("\t")[2].strip() for line in listed.split("\n") if line.count("\t") > 1)]
        for name in (one for one in names if not one.startswith("#")):
            try:
                if os.path.getsize(folder / name) == len(rules) and (folder / name).read_bytes() == rules:
                    return name
            except OSError:
                continue
    return ""
