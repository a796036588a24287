"""The table of web access in the settings, `[web]`: addresses that agents may read, and the search engine. Owns nothing
on disk."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from dotagent.store.setting import Rule
from dotagent.text import lazy

_PLACE = lazy.compile(r"(?:\[[0-9a-f:.]+\]|[^\s/\[\]:*]+):\d{1,5}", re.IGNORECASE | re.ASCII)  # a host and its port


def _is_valid(value: object) -> bool:
    if not isinstance(value, dict) or value.keys() - {"near", "hosts", "lives", "search", "base"}:
        return False
    lists = all(_is_texts(value[name]) for name in ("near", "hosts", "lives") if name in value)
    engine = value.get("search", "brave")
    lists = lists and all(_PLACE.fullmatch(one) for one in value.get("near", ()))
    told = "base" not in value or _is_address(value["base"])
    return lists and told and engine in ("brave", "searxng") and (engine != "searxng" or "base" in value)


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _is_address(value: object) -> bool:
    """Return True if this is the address of a web server."""
    try:
        parts = urlsplit(value) if isinstance(value, str) else None
        return bool(parts and parts.scheme in ("http", "https") and parts.hostname and parts.port != 0)
    except ValueError:
        return False


RULES: Mapping[str, Rule] = {
    "web": (
        _is_valid,
        'must be a table: [web] near = ["host:port"], hosts = ["…"], lives = ["…"], search = "brave" or "searxng", '
        'and for searxng its address, base = "https://…"',
    ),
}
