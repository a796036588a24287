"""The status that providers' processes publish: whether one runs, and its entry in `calls/providers.json`.

Agents read this; only `launch.py` starts and stops these processes. Owns nothing on disk.
"""

from __future__ import annotations

import json

from dotagent.store import disk
from dotagent.store.home import Home
from dotagent.text import names

OWN = ("ollama", "local")
"""These need no credentials; they are chosen if their address or key is set."""
LAST = "offline"
HANDED = "DOTAGENT_HANDED"  # names the provider that received its credentials before the agent started


def served(home: Home, provider: str) -> bool:
    """Return True if a process serves the provider."""
    return bool(names.ROOM.fullmatch(provider)) and disk.is_locked(home.calls / f"{provider}.pid")


def published(home: Home) -> dict[str, dict[str, object]]:
    """Return each provider's entry in `calls/providers.json`, a cache, or {} if it is unreadable."""
    try:
        found = json.loads(disk.read(home.calls / "providers.json"))
    except (OSError, ValueError, RecursionError):
        return {}
    return {name: told for name, told in found.items() if isinstance(told, dict)} if isinstance(found, dict) else {}
