"""A person's profile.yaml as a dict. PyYAML is loaded only if there is such a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dotagent import packages
from dotagent.errors import Misuse, Trouble
from dotagent.text import escape


def read(path: Path, text: str) -> dict[str, Any]:
    """Return the keys and values in the text of this file, {} for an empty text. Raise Trouble."""
    try:
        from dotagent.text import yaml_values  # nothing else needs it
    except ImportError as missing:
        raise Misuse(packages.lacks(missing)) from None
    try:
        told = yaml_values.read(text)
    except ValueError as error:
        raise Trouble(f"{path}: {escape.one_line(str(error), 200)}; correct it") from None
    if told is not None and not isinstance(told, dict):
        raise Trouble(f"{path} must contain keys and values such as `editor: vim`; correct it")
    return told or {}
