"""What an agent wrote in Markdown, for a terminal: rich lays it out, and it is loaded when the first such text comes.

Nothing is hidden by being Markdown: HTML, pictures and the addresses of links are shown as text, single line ends stay,
and what entities spell passes the door again (text.escape). Owns nothing on disk.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator

from markdown_it import MarkdownIt
from markdown_it.token import Token
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import CodeBlock, Heading, Markdown
from rich.padding import Padding
from rich.text import Text
from rich.theme import Theme

from dotagent.text import escape

_PARSER = MarkdownIt("commonmark", {"html": False, "maxNesting": 20}).enable(["table", "strikethrough"])
_TRAILING = re.compile(r"[ \t]+((?:\x1b\[[0-9;]*m)*)$", re.MULTILINE)
_BLANK = re.compile(r"^(?:\x1b\[[0-9;]*m)+$", re.MULTILINE)  # a row of styles and nothing
_STYLES = {
    "markdown.code": "cyan",
    "markdown.code_block": "cyan",
    "markdown.h1": "bold underline",
    "markdown.h2": "bold",
    "markdown.h3": "bold",
    "markdown.link": "none",
    "markdown.link_url": "underline",
    "markdown.block_quote": "dim",
    "markdown.hr": "dim",
    "markdown.table.border": "dim",
    "markdown.table.header": "bold",
    "markdown.item.bullet": "none",
    "markdown.item.number": "none",
}  # fmt: skip


def render(name: str, text: str, columns: int, colour: bool) -> str:
    """The text, which is harmless already, in rows of at most so many columns, after `name: `, which is not styled."""
    tokens = list(_harmless(_PARSER.parse(text)))
    first = next((one for one in tokens[1:2] if tokens[0].type == "paragraph_open"), None)
    if first:
        first.children = [Token("text", "", 0, content=f"{name}: "), *(first.children or [])]
    document = _Document("", hyperlinks=False)
    document.parsed = tokens
    told = io.StringIO()
    console = Console(
        file=told,
        width=columns,
        force_terminal=True,
        color_system="standard",
        no_color=not colour,
        legacy_windows=False,
        theme=Theme(_STYLES),
        _environ={},
    )
    console.print(document)
    rows = _BLANK.sub("", _TRAILING.sub(r"\1", told.getvalue())).strip("\n")
    return rows if first else f"{name}:\n{rows}"


def _harmless(tokens: list[Token]) -> Iterator[Token]:
    """The tokens as they may be shown."""
    plain = _plain_links(tokens)
    for token in tokens:
        if id(token) in plain:
            continue
        token.content = escape.printable(token.content)
        if token.type == "softbreak":
            token.type = "hardbreak"
        elif token.type == "image":
            source = escape.printable(str(token.attrs.get("src", "")))
            token = Token("text", "", 0, content=f"{token.content} ({source})")
        elif token.type == "link_open":
            token.attrs["href"] = escape.printable(str(token.attrs.get("href", "")))
        if token.children:
            token.children = list(_harmless(token.children))
        yield token


def _plain_links(tokens: list[Token]) -> set[int]:
    """The ends of the links whose words are their address: it is not shown twice."""
    found: set[int] = set()
    for at, token in enumerate(tokens[:-2]):
        if token.type == "link_open" and tokens[at + 1].content == token.attrs.get("href"):
            found |= {id(token), id(tokens[at + 2])}
    return found


class _Headline(Heading):
    """A heading where a line begins, and no box."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        self.text.justify = "left"
        yield self.text


class _Code(CodeBlock):
    """Code as it is written: no colours of a language are guessed, nothing is filled up with blanks."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Padding(Text(str(self.text).rstrip(), style="markdown.code_block"), (0, 0, 0, 2), expand=False)


class _Document(Markdown):
    elements = {**Markdown.elements, "heading_open": _Headline, "fence": _Code, "code_block": _Code}  # noqa: RUF012 theirs
