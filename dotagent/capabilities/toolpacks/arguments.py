"""Check a call's arguments against the tool's JSON schema, before anything happens, and its result afterwards.

A schema comes from a stranger, so this runs in the pack's process, and remote references are not fetched. Owns nothing
on disk.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import cache
from typing import Any

from dotagent import packages
from dotagent.capabilities.toolpacks.site import NotDone
from dotagent.text import escape

try:
    import jsonschema
    import referencing
except ImportError as error:
    raise NotDone(f"{packages.lacks(error, 'packs')}; ask the owner to do this") from None


Rule = Callable[[Any, Any, Any, Any], Iterator[jsonschema.ValidationError] | None]
UNREADABLE = (jsonschema.SchemaError, referencing.exceptions.Unresolvable, RecursionError, ValueError, TypeError)

_ECMA = re.compile(r"(?<!\\)((?:\\\\)*)(?:\\[pP]\{[^{}]*\}|\\u\{[0-9a-fA-F]+\}|\\c[a-zA-Z]|\(\?<(?=[a-zA-Z_$])[^<>]*>)")
"""The parts of JavaScript's regular expressions, which JSON Schema uses, that Python's do not have."""
_FORMATS = jsonschema.FormatChecker(["regex"])


def _is_pattern(text: object) -> bool:
    return not isinstance(text, str) or _readable(_ECMA.sub(_stand_in, text))


_FORMATS.checks("regex")(_is_pattern)


def _stand_in(found: re.Match[str]) -> str:
    """Return what Python reads instead of the part, so that an error elsewhere in the pattern is found."""
    return found[1] + ("(" if found[0].endswith(">") else "x")


def _readable(text: str) -> bool:
    try:
        re.compile(text)
    except (re.error, OverflowError, RecursionError):
        return False
    return True


def _pattern(validator: Any, pattern: str, value: object, schema: object) -> Iterator[jsonschema.ValidationError]:
    """Check a text, unless only JavaScript can read the pattern: then the pack checks it itself."""
    if isinstance(value, str) and _readable(pattern) and not re.search(pattern, value):
        yield jsonschema.ValidationError(f"{value!r} does not match {pattern!r}")


def _multiple(validator: Any, step: float, value: object, schema: object) -> Iterator[jsonschema.ValidationError]:
    """Check a number by its decimal digits: jsonschema divides, and 19.99 / 0.01 is not exactly 1999."""
    if validator.is_type(value, "number") and (Fraction(repr(value)) / Fraction(repr(step))).denominator != 1:
        yield jsonschema.ValidationError(f"{value!r} is not a multiple of {step}")


def _if_readable(rule: Rule) -> Rule:
    """Return a rule for the names of properties that is left out if only JavaScript can read their patterns."""

    def checked(validator: Any, wanted: Any, value: Any, schema: Any) -> Iterator[jsonschema.ValidationError]:
        if all(map(_readable, schema.get("patternProperties", {}))):
            yield from rule(validator, wanted, value, schema) or ()

    return checked


@cache
def _adapted(kind: Any) -> Any:
    """Return jsonschema's class for a draft with the rules of this module."""
    names = ("patternProperties", "additionalProperties", "unevaluatedProperties")
    rules = {name: _if_readable(kind.VALIDATORS[name]) for name in names if name in kind.VALIDATORS}
    return jsonschema.validators.extend(kind, {**rules, "pattern": _pattern, "multipleOf": _multiple})


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
    made = _adapted(kind)(dict(schema), registry=referencing.Registry(), format_checker=None)
    wrong = sorted(made.iter_errors(dict(value)), key=lambda one: list(map(str, one.path)))[:3]
    said = "; ".join(f"{'.'.join(map(str, one.path)) or name}: {one.message}" for one in wrong)
    return escape.one_line(said, 600)


def flaw(schema: Mapping[str, Any]) -> str:
    """Return the problem with a schema, or ""."""
    try:
        kind = jsonschema.validators.validator_for(schema, jsonschema.Draft202012Validator)
        kind.check_schema(dict(schema), format_checker=_FORMATS)
    except (jsonschema.SchemaError, RecursionError, TypeError) as error:
        return escape.one_line(getattr(error, "message", str(error)), 200)
    return ""
