"""Check a call's arguments against the tool's JSON schema, before anything happens, and its result afterwards.

A schema comes from a stranger, so this runs in the pack's process, and remote references are not fetched. Owns nothing
on disk.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dotagent import packages
from dotagent.capabilities.toolpacks.site import NotDone
from dotagent.text import escape

try:
    import jsonschema
    import referencing
except ImportError as error:
    raise NotDone(f"{packages.lacks(error, 'packs')}; ask the owner to do this") from None


UNREADABLE = (jsonschema.SchemaError, referencing.exceptions.Unresolvable, RecursionError, ValueError, TypeError)


def check(schema: Mapping[str, Any], args: Mapping[str, Any]) -> None:
    """Raise NotDone if the arguments do not fit."""
    try:
        wrong = _wrong(schema, args, "arguments")
    except UNREADABLE as error:
        raise NotDone(f"the schema of this tool cannot be read: {escape.one_line(str(error), 200)}") from None
    if wrong:
        raise NotDone(f"the tool was not called, because the arguments do not match its schema: {wrong}")


def mismatch(schema: Mapping[str, Any], result: Mapping[str, Any]) -> str:
    """Return how a result differs from its schema, or "". A schema that cannot be read says nothing."""
    try:
        return _wrong(schema, result, "result")
    except UNREADABLE:
        return ""


def _wrong(schema: Mapping[str, Any], value: Mapping[str, Any], name: str) -> str:
    kind = jsonschema.validators.validator_for(schema, jsonschema.Draft202012Validator)
    made = kind(dict(schema), registry=referencing.Registry(), format_checker=None)
    wrong = sorted(made.iter_errors(dict(value)), key=lambda one: list(map(str, one.path)))[:3]
    said = "; ".join(f"{'.'.join(map(str, one.path)) or name}: {one.message}" for one in wrong)
    return escape.one_line(said, 600)


def flaw(schema: Mapping[str, Any]) -> str:
    """Return the problem with a schema, or ""."""
    try:
        kind = jsonschema.validators.validator_for(schema, jsonschema.Draft202012Validator)
        kind.check_schema(dict(schema))
    except (jsonschema.SchemaError, RecursionError, TypeError) as error:
        return escape.one_line(getattr(error, "message", str(error)), 200)
    return ""
