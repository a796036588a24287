"""The table of helpers in the settings, `[spawn]`: how many an agent may create, and how much each may use.

Owns nothing on disk.
"""

from __future__ import annotations

from collections.abc import Mapping

from dotagent.store.setting import Rule

WAYS = ("rw", "ro", "none")
"""The access of helpers to their directories, most first."""
USUAL: Mapping[str, object] = {
    "most": 50,
    "depth": 1,
    "turns": 40,
    "tokens": 400_000,
    "seconds": 900,
    "workspace": "rw",
}
"""The defaults."""


def _is_valid(value: object) -> bool:
    if not isinstance(value, dict) or value.keys() - USUAL.keys():
        return False
    rest = [one for name, one in value.items() if name != "workspace"]
    return all(type(one) is int and 0 <= one < 10**9 for one in rest) and value.get("workspace", "rw") in WAYS


RULES: Mapping[str, Rule] = {
    "spawn": (
        _is_valid,
        "must be a table, e.g. [spawn] most = 50, depth = 1, turns = 40. The fields `most` (helpers at the same time), "
        '`depth`, `turns`, `tokens` and `seconds` are whole numbers, and `workspace` is "rw", "ro" or "none"',
    ),
}
