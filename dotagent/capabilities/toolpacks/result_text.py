"""What an MCP tool's result shows: the text of its content, what the content links to, the structure that the text
lacks, and its pictures, PDFs and sounds.

Owns nothing on disk.
"""

from __future__ import annotations

import json
import re
from base64 import b64decode
from collections.abc import Iterator, Mapping
from typing import Any

from mcp.types import CallToolResult, ReadResourceResult

from dotagent.capabilities.toolpacks import arguments
from dotagent.capabilities.toolpacks.site import SHOWN
from dotagent.text import escape
from dotagent.text import media as kinds

LINKED = 10_000  # characters of a linked resource that are shown
LARGE = 10_000_000  # characters of all media of a result, in base64


def links(done: CallToolResult) -> list[str]:
    """Return the addresses of the resources that a result links to, each once."""
    return list(dict.fromkeys(str(one.uri) for one in done.content if one.type == "resource_link"))


def text(done: CallToolResult, linked: Mapping[str, str]) -> str:
    """Return a result as text. `linked` has the texts of the linked resources that were read, by address."""
    told, read = list[str](), dict(linked)
    for one in done.content:
        if one.type == "text":
            told.append(one.text)
        elif one.type in ("image", "audio"):
            told.append(_bytes(one.mime_type, one.data))
        elif one.type == "resource_link":
            told.append(f"[{escape.one_line(one.name, 200)}: {one.uri}]")
            told += [read.pop(str(one.uri))] if str(one.uri) in read else []
        elif one.type == "resource":
            words = getattr(one.resource, "text", None)
            told.append(words if isinstance(words, str) else f"[{one.resource.uri}]")
    if done.structured_content is not None and not _holds("\n".join(told), done.structured_content):
        told.append(json.dumps(done.structured_content, ensure_ascii=False))
    return "\n".join(told)[:SHOWN]


def media(done: CallToolResult) -> tuple[str, ...]:
    """Return the pictures, PDFs and sounds of a result in base64. Anything else, and what is too large, remains a line
    of the text."""
    found, size = list[str](), 0
    for one in done.content:
        held = one.resource if one.type == "resource" else one
        data = str(getattr(held, "data", "") or getattr(held, "blob", ""))
        if data and size + len(data) <= LARGE and len(found) < kinds.MOST and _is_media(data):
            found.append(data)
            size += len(data)
    return tuple(found)


def _is_media(data: str) -> bool:
    try:
        return kinds.recognise(b64decode(data)) is not None
    except ValueError:
        return False


def mismatch(done: CallToolResult, schema: Mapping[str, Any] | None) -> str:
    """Return a line on a result that differs from what its tool declares, or ""."""
    if schema is None or done.is_error:
        return ""
    if done.structured_content is None:
        return "\n[the tool declares a structure for its results, but this result has none]"
    wrong = arguments.mismatch(schema, done.structured_content)
    return f"\n[this result does not match the structure that the tool declares: {wrong}]" if wrong else ""


def resource(found: ReadResourceResult) -> str:
    """Return the content of a resource as text."""
    told = [str(getattr(one, "text", "")) or _bytes(one.mime_type or "data", getattr(one, "blob", ""))
            for one in found.contents]  # fmt: skip
    whole = "\n".join(told)
    return whole if len(whole) <= LINKED else f"{whole[:LINKED]}\n[{len(whole) - LINKED:,} more characters]"


def _bytes(kind: str, data: str) -> str:
    return f"[{escape.one_line(kind, 100)}, {len(data) * 3 // 4:,} bytes]"


def _holds(told: str, structure: object) -> bool:
    """Return True if the text has each value of the structure as a separate word, and the values of each row (list in a
    list) in one line. Python's MCP SDK gives each value a separate text, so rows are lost."""
    if not told or not all(_has(told, one) for one in _values(structure)):
        return False
    lines, at = told.split("\n"), 0
    for row in _rows(structure):
        at = next((n for n in range(at, len(lines)) if all(_has(lines[n], one) for one in row)), -1)
        if at < 0:
            return _json(told) == structure
    return True


def _json(text: str) -> object:
    """Return the value of the text as JSON, or None if the text is not JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _has(told: str, value: str) -> bool:
    return bool(re.search(rf"(?<!\w){re.escape(value)}(?!\w)", told))


def _rows(structure: object) -> Iterator[list[str]]:
    """Yield the values of each list that is in a list."""
    parts = structure.values() if isinstance(structure, Mapping) else structure if isinstance(structure, list) else ()
    for one in parts:
        if isinstance(structure, list) and isinstance(one, list):
            yield list(_values(one))
        yield from _rows(one)


def _values(structure: object) -> Iterator[str]:
    if isinstance(structure, Mapping):
        for one in structure.values():
            yield from _values(one)
    elif isinstance(structure, list):
        for one in structure:
            yield from _values(one)
    elif isinstance(structure, str):
        yield structure.strip()
    else:
        yield json.dumps(structure)
