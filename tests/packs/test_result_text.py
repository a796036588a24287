"""What an agent reads of an MCP tool's result: each part once, with the structure that the text lacks."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import pytest
from exhibited import png

types = pytest.importorskip("mcp.types")

from dotagent.capabilities.toolpacks import result_text  # noqa: E402  # it needs the extra


def result(words: str, structure: dict[str, Any] | None = None) -> Any:
    return types.CallToolResult(content=[types.TextContent(type="text", text=words)], structured_content=structure)


@pytest.mark.parametrize(
    ("words", "structure"),
    [
        ("the bell rang", {"fruit": ["apple", "quince"]}),
        ("13 of them", {"count": 3}),
        ("apple", {"fruit": ["apple", "quince"]}),
        ("it worked", {"done": True}),
        ("a\nb\nc", {"result": [["a", "b"], ["c"]]}),  # as the mcp package flattens it
        ("1\n2\n3", {"table": {"rows": [[[1], 2], [3]]}}),
    ],
)
def test_a_structure_that_the_text_lacks_is_shown_behind_it(words: str, structure: dict[str, Any]) -> None:
    shown = result_text.text(result(words, structure), {})
    assert shown.startswith(f"{words}\n{{") and shown.endswith("}")


@pytest.mark.parametrize(
    ("words", "structure"),
    [
        ("42", {"result": "42"}),
        ('{"fruit": ["apple"], "count": 3, "done": true}', {"fruit": ["apple"], "count": 3, "done": True}),
        ("an apple, a quince", {"fruit": ["quince", "apple"]}),
        ("nothing more", {}),
        ("| a | b |\n| c | d |", {"rows": [["a", "b"], ["c", "d"]]}),
        ('{"rows": [\n["a",\n"b"]]}', {"rows": [["a", "b"]]}),
        ("nothing at all", None),
    ],
)
def test_a_structure_that_the_text_has_is_not_repeated(words: str, structure: dict[str, Any] | None) -> None:
    assert result_text.text(result(words, structure), {}) == words


def test_a_structure_alone_is_shown() -> None:
    assert result_text.text(types.CallToolResult(content=[], structured_content={"a": 1}), {}) == '{"a": 1}'


def test_a_linked_text_stands_below_its_link() -> None:
    link = types.ResourceLink(type="resource_link", name="notes", uri="demo://notes/1")
    done = types.CallToolResult(content=[link, link])
    assert result_text.links(done) == ["demo://notes/1"]
    read = types.ReadResourceResult(contents=[types.TextResourceContents(uri=link.uri, text="n" * 20_000)])
    shown = result_text.text(done, {"demo://notes/1": result_text.resource(read)})
    assert shown.startswith("[notes: demo://notes/1]\nnnn") and "[10,000 more characters]" in shown
    assert result_text.text(done, {}) == "[notes: demo://notes/1]\n[notes: demo://notes/1]"


ROW = {"type": "object", "properties": {"n": {"type": "integer"}}}
FIELDS = {"count": {"type": "integer"}, "fruit": {}, "rows": {"type": "array", "items": {"$ref": "#/$defs/row"}}}
SCHEMA = {"type": "object", "properties": FIELDS, "required": ["count"], "$defs": {"row": ROW},
          "additionalProperties": False}  # fmt: skip


@pytest.mark.parametrize(
    ("structure", "says"),
    [
        ({"count": 3}, ""),
        ({"count": "three"}, "count: 'three' is not of type 'integer'"),
        ({"fruit": 3}, "'count' is a required property"),
        (None, "this result has none"),
        ({"count": 3, "rows": [{"n": 1}, {"n": "x"}]}, "rows.1.n: 'x' is not of type 'integer'"),
        ({"count": 3, "more": 1}, "('more' was unexpected)"),
    ],
)
def test_a_result_that_differs_from_what_its_tool_declares_is_shown_with_a_word(
    structure: dict[str, Any] | None, says: str
) -> None:
    told = result_text.mismatch(result("three", structure), SCHEMA)
    assert says in told and bool(says) == bool(told)


def test_a_word_is_missing_where_nothing_is_declared_or_an_error_is_told() -> None:
    assert result_text.mismatch(result("three"), None) == ""
    failed = types.CallToolResult(content=[types.TextContent(type="text", text="no")], is_error=True)
    assert result_text.mismatch(failed, SCHEMA) == ""


def test_pictures_and_files_are_shown_and_what_is_none_is_not() -> None:
    cat = b64encode(png(30, 40)).decode()
    picture = types.ImageContent(type="image", data=cat, mime_type="image/png")
    held = types.BlobResourceContents(uri="file:///cat.png", blob=cat, mime_type="image/png")
    content = [
        types.TextContent(type="text", text="two cats"),
        picture,
        types.EmbeddedResource(type="resource", resource=held),
        types.ImageContent(type="image", data="bm9uZQ==", mime_type="image/png"),
        types.ImageContent(type="image", data="not base64", mime_type="image/png"),
    ]
    assert result_text.media(types.CallToolResult(content=content)) == (cat, cat)
    many = types.CallToolResult(content=[picture] * 40)
    assert len(result_text.media(many)) == 16
