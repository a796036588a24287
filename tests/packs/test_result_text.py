"""What an agent reads of an MCP tool's result: each part once, with the structure that the text lacks."""

from __future__ import annotations

from typing import Any

import pytest

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
