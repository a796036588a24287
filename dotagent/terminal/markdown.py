"""Format an agent's Markdown for a terminal with rich, which is loaded at the first such text.

Only markup that is displayed in another way may disappear: marks of emphasis, code, headings, quotes, bullets and
links, rules, table borders, and the fence of code with its language. If anything else would be lost, the whole text is
shown unchanged. Owns nothing on disk.
"""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterator

from markdown_it.token import Token
from rich import box
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import CodeBlock, Heading, ListElement, ListItem, Markdown, TableElement
from rich.padding import Padding
from rich.segment import Segment
from rich.table import Table
from rich.text import Text
from rich.theme import Theme

from dotagent.text import escape, markdown

_STYLE = re.compile(r"\x1b\[[0-9;]*m")
_LANGUAGE = re.compile(r"([a-zA-Z][\w+#-]*)?")
_TRAILING = re.compile(r"[ \t]+((?:\x1b\[[0-9;]*m)*)$", re.MULTILINE)
_BLANK = re.compile(r"^(?:\x1b\[[0-9;]*m)+$", re.MULTILINE)  # a row of styles without text
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
    """Return the text, which must be harmless already, in rows of at most `columns`, after `name: ` without a style.

    Return "" if a letter or digit of the text would be missing, or all of it.
    """
    vanished = Counter[str]()
    tokens = list(_harmless(markdown.parse(text), vanished))
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
    bare = _STYLE.sub("", rows)
    empty = bool(text.strip()) and not bare.removeprefix(f"{name}:").strip()  # such as “-”
    if empty or _letters(text) - vanished - _letters(bare):
        return ""
    return rows if first else f"{name}:\n{rows}"


def _letters(text: str) -> Counter[str]:
    """Count each letter and digit of the text."""
    return Counter(filter(str.isalnum, text))


def _harmless(tokens: list[Token], vanished: Counter[str]) -> Iterator[Token]:
    """Yield the tokens in displayable form. `vanished` counts the letters that are hidden, or not repeated."""
    plain = _plain_links(tokens)
    for token in tokens:
        if id(token) in plain:
            vanished += _letters(str(token.attrs.get("href", "")))
            continue
        token.content = escape.printable(token.content)
        if token.type == "softbreak":
            token.type = "hardbreak"
        elif token.type == "image":
            token = Token("text", "", 0, content=f"{token.content} ({_address(token, 'src')})")
        elif token.type == "link_open":
            token.attrs["href"] = _address(token, "href")
        elif token.type == "fence" and not _LANGUAGE.fullmatch(token.info.strip()):
            token.content = f"{escape.printable(token.info.strip())}\n{token.content}"
        elif token.type == "fence":
            vanished += _letters(token.info)
        if token.children:
            token.children = list(_harmless(token.children, vanished))
        yield token


def _address(token: Token, name: str) -> str:
    """Return the target of a link or a picture, with its title."""
    title = token.attrs.get("title", "")
    return escape.printable(f'{token.attrs.get(name, "")} "{title}"' if title else str(token.attrs.get(name, "")))


def _plain_links(tokens: list[Token]) -> set[int]:
    """Return the ends of links whose text is their address, so that it is not shown twice."""
    found: set[int] = set()
    for at, token in enumerate(tokens[:-2]):
        told = token.type == "link_open" and "title" not in token.attrs and tokens[at + 2].type == "link_close"
        if told and tokens[at + 1].content == token.attrs.get("href"):
            found |= {id(token), id(tokens[at + 2])}
    return found


class _Headline(Heading):
    """A heading at the beginning of a line, without a box."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        self.text.justify = "left"
        yield self.text


class _Code(CodeBlock):
    """Code exactly as written: without colours by language, and without filling blanks."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Padding(Text(str(self.text).rstrip(), style="markdown.code_block"), (0, 0, 0, 2), expand=False)


class _Item(ListItem):
    """An item of a list, with the number from the text."""

    label = ""

    @classmethod
    def create(cls, markdown: Markdown, token: Token) -> _Item:
        item = cls()
        item.label = f" {token.info}{token.markup} " if token.info else " • "
        return item


class _List(ListElement):
    """A list with the numbers from the text."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        labels = [item.label if isinstance(item, _Item) else "" for item in self.items]
        width = max(map(len, labels))
        for item, label in zip(self.items, labels, strict=True):
            rows = console.render_lines(item.elements, options.update(width=max(1, options.max_width - width)))
            for number, row in enumerate(rows):
                yield Segment((" " if number else label.rstrip()).rjust(width - 1) + " ")
                yield from row
                yield Segment("\n")


class _Table(TableElement):
    """A table. A word that is too long for its column is broken, not cut off."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        table = Table(box=box.SIMPLE, pad_edge=False, style="markdown.table.border", collapse_padding=True)
        for column in self.header.row.cells if self.header and self.header.row else ():
            heading = column.content.copy()
            heading.stylize("markdown.table.header")
            table.add_column(heading, overflow="fold")
        for row in self.body.rows if self.body else ():
            table.add_row(*(element.content for element in row.cells))
        yield table


class _Document(Markdown):
    elements = {  # noqa: RUF012 theirs
        **Markdown.elements,
        "heading_open": _Headline,
        "fence": _Code,
        "code_block": _Code,
        "bullet_list_open": _List,
        "ordered_list_open": _List,
        "list_item_open": _Item,
        "table_open": _Table,
    }
