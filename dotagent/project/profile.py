"""A person's profile.yaml, read: a table of keys and what each says. PyYAML is loaded only where there is one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dotagent.errors import Trouble
from dotagent.text import escape


def read(path: Path, text: str) -> dict[str, Any]:
    """What the text of this file says; nothing where it is empty. Raises Trouble."""
    try:
        import yaml  # type: ignore[import-untyped,unused-ignore]  # nothing else needs it
    except ImportError:
        raise Trouble("a profile.yaml is read by PyYAML, which is not installed: pip install pyyaml") from None
    try:
        told = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise Trouble(f"{path}: {escape.one_line(str(error), 200)}: mend it") from None
    if told is not None and not isinstance(told, dict):
        raise Trouble(f"{path}: it is no table of keys, e.g. `editor: vim`: mend it")
    return told or {}
