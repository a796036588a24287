"""Parse an OpenAPI 3 document: its operations, and the arguments of each as one JSON schema.

Parameters become arguments with their names, and a request's body the argument `body`. References must be within the
document; referenced schemas are included. Operations that cannot be used like this are left out with a reason. Pure;
owns nothing on disk.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

METHODS = ("get", "put", "post", "delete", "options", "head", "patch")
DRAFT4 = "http://json-schema.org/draft-04/schema#"  # OpenAPI 3.0 schemas follow it, except for `nullable`
DEEP = 64  # nested references, and levels of a schema
IGNORED = ("accept", "content-type", "authorization")  # headers that a call cannot set
JSON, FORM = "application/json", "application/x-www-form-urlencoded"


class Unusable(Exception):
    """Why a part of a document cannot be used."""


@dataclass(frozen=True)
class Parameter:
    """A parameter: the argument's name, its own name, its place, and the encoding of lists and objects."""

    argument: str
    name: str
    where: str
    style: str
    explode: bool


@dataclass(frozen=True)
class Operation:
    """An operation: its name, purpose, method, path and arguments, and the form of its `body`, or ""."""

    name: str
    about: str
    method: str
    path: str
    parameters: tuple[Parameter, ...]
    body: str
    schema: Mapping[str, Any] = field(default_factory=dict)


def server(document: Mapping[str, Any]) -> str:
    """Return the first address in the document, with its variables' default values, or ""."""
    for one in _dicts(document.get("servers")):
        url, variables = str(one.get("url", "")), one.get("variables")
        for name, about in variables.items() if isinstance(variables, dict) else ():
            url = url.replace(f"{{{name}}}", str(about.get("default", "")) if isinstance(about, dict) else "")
        if url.startswith(("http://", "https://")):
            return url
    return ""


def operations(document: Mapping[str, Any]) -> Iterator[Operation | str]:
    """Yield each operation, or why it is left out. Raises Unusable if this is not an OpenAPI 3 document."""
    version = str(document.get("openapi", ""))
    if not version.startswith("3.") or not isinstance(document.get("paths", {}), dict):
        raise Unusable(f"this is not an OpenAPI 3 document ({version or 'the version is missing'})")
    early, taken = version.startswith("3.0"), set[str]()
    for path, item in document.get("paths", {}).items():
        try:
            item = _resolved(document, item)
        except Unusable as why:
            yield f"{path}: {why}"
            continue
        for method in METHODS:
            if isinstance(given := item.get(method), dict):
                name = _name(given, method, path, taken)
                taken.add(name)
                try:
                    yield _operation(document, item, (name, method, str(path), given), early)
                except Unusable as why:
                    yield f"{method.upper()} {path}: {why}"
                except (AttributeError, TypeError, KeyError):  # a text where a table belongs, and the like
                    yield f"{method.upper()} {path}: the description of this operation is not valid"


def _operation(
    document: Mapping[str, Any], item: Mapping[str, Any], named: tuple[str, str, str, dict[str, Any]], early: bool
) -> Operation:
    name, method, path, given = named
    found = dict[tuple[str, str], dict[str, Any]]()
    for one in [*_list(item.get("parameters")), *_list(given.get("parameters"))]:
        one = _resolved(document, one)
        found[str(one.get("name")), str(one.get("in"))] = one
    properties, required, parameters = dict[str, Any](), list[str](), list[Parameter]()
    for (own, where), one in found.items():
        if where == "header" and own.lower() in IGNORED:
            continue
        argument = own if own not in properties and own != "body" else f"{where}_{own}"
        parameters.append(_parameter(argument, own, where, one))
        properties[argument] = _described(one)
        required += [argument] if one.get("required") is True or where == "path" else []
    if odd := set(re.findall(r"\{([^{}]*)\}", path)) - {one.name for one in parameters if one.where == "path"}:
        raise Unusable(f"the path contains the parameter {', '.join(sorted(odd))}, which the document does not define")
    body, form = _resolved(document, given.get("requestBody", {})), ""
    if content := body.get("content"):
        form = next(
            (one for one in content if _media_type(one) in (JSON, FORM) or _media_type(one).endswith("+json")), ""
        )
        if form:
            properties["body"] = content[form].get("schema", {})
            required += ["body"] if body.get("required") is True else []
        elif body.get("required") is True:
            raise Unusable(f"the body has the type {', '.join(content)}, which dotagent does not support")
    schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    told = str(given.get("description") or given.get("summary") or f"{method.upper()} {path}")
    return Operation(
        name, told, method, path, tuple(parameters), _media_type(form), _add_references(document, schema, early)
    )


def _parameter(argument: str, name: str, where: str, one: Mapping[str, Any]) -> Parameter:
    if where not in ("path", "query", "header", "cookie"):
        raise Unusable(f"a parameter belongs to the part `{where}` of the request, which dotagent does not support")
    style = str(one.get("style", "form" if where in ("query", "cookie") else "simple"))
    if style not in ("form", "simple", "deepObject", "pipeDelimited", "spaceDelimited"):
        raise Unusable(f"the parameter {name} has the style {style}, which dotagent does not support")
    explode = one.get("explode")
    return Parameter(argument, name, where, style, explode if isinstance(explode, bool) else style == "form")


def _described(one: Mapping[str, Any]) -> dict[str, Any]:
    """Return a parameter's schema with its description."""
    given = one.get("schema")
    if given is None:
        content = one.get("content")
        first: object = next(iter(content.values()), None) if isinstance(content, dict) else None
        given = first.get("schema", {}) if isinstance(first, dict) else {}
    schema = dict(given) if isinstance(given, dict) else {}
    return {**schema, "description": one["description"]} if one.get("description") and "$ref" not in schema else schema


def _add_references(document: Mapping[str, Any], schema: dict[str, Any], early: bool) -> dict[str, Any]:
    """Return the schema with all referenced schemas of the document."""
    needed, todo = dict[str, Any](), list(_references(schema))
    while todo:
        name = todo.pop()
        if name not in needed:
            needed[name] = _resolve_reference(document, f"#/components/schemas/{name}")
            todo += _references(needed[name])
    whole = {**schema, **({"components": {"schemas": needed}} if needed else {})}
    return {"$schema": DRAFT4, **_nullable(whole)} if early else whole


def _references(given: object, depth: int = 0) -> Iterator[str]:
    """Yield the names of the schemas that a schema refers to. Raises Unusable for a reference elsewhere."""
    if depth > DEEP:
        raise Unusable("the schema has too many levels")
    if isinstance(given, dict):
        for key, value in given.items():
            if key == "$ref" and isinstance(value, str):
                if not re.fullmatch(r"#/components/schemas/[^/]+", value):
                    raise Unusable(f"the schema refers to {value[:100]}, which is not in the document's schemas")
                yield value.rpartition("/")[2].replace("~1", "/").replace("~0", "~")
            else:
                yield from _references(value, depth + 1)
    elif isinstance(given, list):
        for value in given:
            yield from _references(value, depth + 1)


def _nullable(given: Any) -> Any:
    """Convert an OpenAPI 3.0 schema to JSON schema: `nullable` values may be null."""
    if isinstance(given, list):
        return [_nullable(one) for one in given]
    if not isinstance(given, dict):
        return given
    found = {key: _nullable(value) for key, value in given.items() if key != "nullable" or not isinstance(value, bool)}
    if given.get("nullable") is True and isinstance(given.get("type"), str):
        found["type"] = [given["type"], "null"]
        if isinstance(given.get("enum"), list) and None not in given["enum"]:
            found["enum"] = [*given["enum"], None]
    return found


def _resolved(document: Mapping[str, Any], given: object) -> dict[str, Any]:
    """Return a table, following references. Raises Unusable."""
    for _ in range(DEEP):
        if not isinstance(given, dict):
            raise Unusable("a part of the document is not an object, but must be an object")
        if not isinstance(given.get("$ref"), str):
            return given
        given = _resolve_reference(document, given["$ref"])
    raise Unusable("a reference in the document leads back to itself")


def _resolve_reference(document: Mapping[str, Any], reference: str) -> Any:
    """Return the part of the document that a reference names. Raises Unusable."""
    if not reference.startswith("#/"):
        raise Unusable(f"the document refers to {reference[:100]}, which is in another document")
    here: Any = document
    for step in reference[2:].split("/"):
        step = step.replace("~1", "/").replace("~0", "~")
        if not isinstance(here, dict) or step not in here:
            raise Unusable(f"the document refers to {reference[:100]}, which does not exist")
        here = here[step]
    return here


def _name(given: Mapping[str, Any], method: str, path: str, taken: set[str]) -> str:
    plain = re.sub(r"[^A-Za-z0-9-]+", "_", str(given.get("operationId") or f"{method}_{path}")).strip("_")[:100]
    name, number = plain or method, 2
    while name in taken:
        name, number = f"{plain}_{number}", number + 1
    return name


def _media_type(kind: str) -> str:
    return kind.partition(";")[0].strip().lower()


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _dicts(value: object) -> list[dict[str, Any]]:
    return [one for one in _list(value) if isinstance(one, dict)]
