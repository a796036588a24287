"""The arguments of a call, held against the JSON schema that the tool told: before anything happens.

A schema is a stranger's, so this runs in the pack's process, and nothing that a schema names is fetched. Owns nothing
on disk.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dotagent.packs.site import NotDone
from dotagent.text import escape

try:
    import jsonschema
    import referencing
except ImportError as error:
    raise NotDone(f"{error.name} is missing here: my person gets it by pip install 'dotagent[packs]'") from None


def check(schema: Mapping[str, Any], args: Mapping[str, Any]) -> None:
    """Raise NotDone for arguments that do not fit."""
    kind = jsonschema.validators.validator_for(schema, jsonschema.Draft202012Validator)
    try:
        made = kind(dict(schema), registry=referencing.Registry(), format_checker=None)
        wrong = sorted(made.iter_errors(dict(args)), key=lambda one: list(map(str, one.path)))[:3]
    except (
        jsonschema.SchemaError,
        referencing.exceptions.Unresolvable,
        RecursionError,
        ValueError,
        TypeError,
    ) as error:
        raise NotDone(f"its schema cannot be read: {escape.one_line(str(error), 200)}") from None
    if wrong:
        said = "; ".join(f"{'.'.join(map(str, one.path)) or 'arguments'}: {one.message}" for one in wrong)
        raise NotDone(f"not called, the arguments do not fit: {escape.one_line(said, 600)}")


def flaw(schema: Mapping[str, Any]) -> str:
    """What is wrong with a schema; "" for a good one."""
    kind = jsonschema.validators.validator_for(schema, jsonschema.Draft202012Validator)
    try:
        kind.check_schema(dict(schema))
    except (jsonschema.SchemaError, RecursionError) as error:
        return escape.one_line(getattr(error, "message", str(error)), 200)
    return ""
