"""OpenAPI documents, read: what each says of arguments, and that nothing one says does more than leave itself out."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dotagent.capabilities.toolpacks import document
from dotagent.capabilities.toolpacks.document import Operation, Unusable


def read(paths: dict[str, Any], version: str = "3.1.0", **more: Any) -> list[Operation | str]:
    return list(document.operations({"openapi": version, "paths": paths, **more}))


def one(paths: dict[str, Any], version: str = "3.1.0", **more: Any) -> Operation:
    (found,) = read(paths, version, **more)
    assert isinstance(found, Operation), found
    return found


def test_parameters_of_path_and_operation_are_one() -> None:
    shared = [{"name": "id", "in": "path", "required": True, "schema": {"type": "string"}},
              {"name": "lang", "in": "query", "schema": {"type": "string"}}]  # fmt: skip
    own = [{"name": "lang", "in": "query", "required": True, "schema": {"enum": ["de"]}, "description": "which"}]
    found = one({"/x/{id}": {"parameters": shared, "get": {"parameters": own, "summary": "Look"}}})
    assert (found.name, found.about, found.schema["required"]) == ("get_x_id", "Look", ["id", "lang"])
    assert found.schema["properties"]["lang"] == {"enum": ["de"], "description": "which"}


def test_schemas_that_refer_to_themselves_are_told_with_what_they_need() -> None:
    tree = {"type": "object", "properties": {"of": {"type": "array", "items": {"$ref": "#/components/schemas/Tree"}}}}
    body = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Tree"}}}, "required": True}
    more = {"components": {"schemas": {"Tree": tree, "Other": {}}}}
    found = one({"/t": {"post": {"requestBody": body}}}, **more)
    assert found.schema["components"] == {"schemas": {"Tree": tree}} and found.schema["required"] == ["body"]


def test_what_is_nullable_in_3_0_may_be_null() -> None:
    given = {"name": "a", "in": "query", "schema": {"type": "string", "nullable": True, "enum": ["x"]}}
    found = one({"/t": {"get": {"parameters": [given]}}}, "3.0.3")
    assert found.schema["properties"]["a"] == {"type": ["string", "null"], "enum": ["x", None]}
    assert found.schema["$schema"] == document.DRAFT4


@pytest.mark.parametrize(
    ("item", "why"),
    [
        ({"$ref": "other.yaml#/x"}, "in another document"),
        ({"$ref": "#/nowhere"}, "does not exist"),
        ({"get": {"requestBody": {"content": ["application/json"]}}}, "is not valid"),
        ({"get": {"requestBody": {"content": {"application/json": "x"}}}}, "is not valid"),
        ({"get": {"parameters": [{"$ref": "https://example.org/p.json"}]}}, "in another document"),
        (
            {"get": {"parameters": [{"name": "a", "in": "query", "schema": {"$ref": "file:///etc/passwd"}}]}},
            "not in the document's schemas",
        ),
        ({"get": {"parameters": [{"name": "a", "in": "query", "style": "matrix"}]}}, "dotagent does not support"),
        (
            {"post": {"requestBody": {"required": True, "content": {"multipart/form-data": {}}}}},
            "dotagent does not support",
        ),
    ],
)
def test_what_cannot_be_asked_for_is_left_out_and_told(item: dict[str, Any], why: str) -> None:
    (told,) = read({"/x": item})
    assert isinstance(told, str) and why in told
    (told,) = read({"/x/{id}": {"get": {}}})
    assert isinstance(told, str) and "the path contains the parameter id" in told


def test_what_is_no_such_document_is_told() -> None:
    for wrong in ({}, {"swagger": "2.0", "paths": {}}, {"openapi": "3.1.0", "paths": []}):
        with pytest.raises(Unusable, match="not an OpenAPI 3 document"):
            list(document.operations(wrong))


KEYS = st.sampled_from(
    "openapi paths get post parameters name in schema $ref requestBody content required type properties servers url "
    "variables default application/json components schemas style explode nullable operationId summary".split()
)
WORDS = st.sampled_from(
    ["3.0.1", "3.1.0", "query", "path", "#/components/schemas/a", "#/paths", "{a}", "", "a", "deepObject"]
)
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS | WORDS, inner, max_size=4),
    max_leaves=25,
)


@given(ANYTHING, ANYTHING)
def test_any_document_gives_operations_or_words(paths: Any, schemas: Any) -> None:
    said = {"openapi": "3.0.1", "paths": paths if isinstance(paths, dict) else {"/a": paths}, "components": schemas}
    try:
        found = list(document.operations(said))
    except Unusable:
        return
    document.server({"servers": paths})
    names = [each.name for each in found if isinstance(each, Operation)]
    assert len(names) == len(set(names))
