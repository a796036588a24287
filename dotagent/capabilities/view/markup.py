"""A message's text as HTML for the page. Whatever the text contains, only the tags that Markdown makes are in it.

HTML stays text, a picture becomes its address, and a link shows its address, so that no message can load anything or
hide where it leads. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from markdown_it import MarkdownIt
from markdown_it.token import Token

from dotagent.text import markdown

_ADDRESS = re.compile(r"(?:https?://|mailto:)[^\s\\]+", re.IGNORECASE)
_RENDERER = MarkdownIt("commonmark", {"html": False, "breaks": True, "xhtmlOut": False})
_ALIGNED = {"text-align:right": "right", "text-align:center": "centre"}


def html(text: str) -> str:
    """Return the HTML of a text that is printable already."""
    tokens = markdown.parse(text)
    for token in tokens:
        align = _ALIGNED.get(str(token.attrs.pop("style", "")))
        if align:
            token.attrs["class"] = align  # the page's policy forbids styles in attributes
        if token.children:
            token.children = list(_show_addresses(token.children))
    return str(_RENDERER.renderer.render(tokens, _RENDERER.options, {}))


def _show_addresses(tokens: list[Token]) -> Iterator[Token]:
    """Yield the tokens of a line with each address in sight."""
    address, is_link, shown = "", False, ""  # for the link that is open now, because links do not nest
    for token in tokens:
        if token.type == "image":
            yield _text(f"{token.content} ({token.attrs.get('src', '')})")
        elif token.type == "link_open":
            address, shown = str(token.attrs.get("href", "")), ""
            is_link = bool(_ADDRESS.fullmatch(address))
            if is_link:
                token.attrs = {"href": address, "target": "_blank", "rel": "noopener noreferrer nofollow"}
                yield token
        elif token.type == "link_close":
            if is_link:
                yield token
            if shown != address:
                yield _text(f" ({address})")
        else:
            shown += token.content
            yield token


def _text(words: str) -> Token:
    return Token("text", "", 0, content=words)
