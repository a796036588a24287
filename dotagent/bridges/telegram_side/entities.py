"""Convert an answer in Markdown to Telegram's form: a text, and entities that mark bold, code and links.

Telegram counts in UTF-16 units, and allows no other entity in code and no quote in a quote. It has no entities for
lists, rules and tables: these become plain characters, and a table is code in aligned columns. Pure.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from markdown_it.token import Token

from dotagent.bridges.pattern import columns
from dotagent.bridges.pattern.split import utf16
from dotagent.text import markdown

STYLES = {"strong": "bold", "em": "italic", "s": "strikethrough", "link": "text_link"}
LINKED = re.compile(r"(?:https?://|tg://|mailto:)\S+")
RULE = "———"


def render(text: str, most: int) -> tuple[str, list[dict[str, Any]]]:
    """Return the text of a message and its entities, or the original Markdown if a letter would be lost or the result
    has more than `most` units."""
    page = _Page()
    page.blocks(markdown.parse(text))
    shown = "".join(page.parts).rstrip()
    told = [shown, *(str(one.get("url", "")) + str(one.get("language", "")) for one in page.entities)]
    if not shown or utf16(shown) > most or _letters(text) - _letters("".join(told)):
        return text, []
    end = utf16(shown)
    clipped = [(one, min(one["length"], end - one["offset"])) for one in page.entities]
    return shown, [{**one, "length": length} for one, length in clipped if length > 0]


def _letters(text: str) -> Counter[str]:
    return Counter(filter(str.isalnum, text))


class _Page:
    """The text and entities so far."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.entities: list[dict[str, Any]] = []
        self._size = 0
        self._lists: list[Token] = []
        self._quotes: list[int] = []
        self._styles: list[tuple[str, str]] = []
        self._bold = False

    def blocks(self, tokens: Sequence[Token]) -> None:
        """Write tokens of blocks."""
        at = 0
        while at < len(tokens):
            token = tokens[at]
            if token.type == "table_open":
                end = next(n for n in range(at, len(tokens)) if tokens[n].type == "table_close")
                self._table(tokens[at:end])
                at = end
            else:
                self._block(token)
            at += 1

    def _block(self, token: Token) -> None:
        match token.type:
            case "paragraph_open" if not token.hidden:
                self._gap()
            case "heading_open" | "heading_close":
                self._gap()
                self._bold = token.type == "heading_open"
            case "inline":
                self._inline(token.children or ())
            case "fence" | "code_block":
                self._gap()
                language = token.info.strip()
                more = {"language": language} if re.fullmatch(r"[a-zA-Z][\w+#-]*", language) else {}
                above = f"{language}\n" if language and not more else ""
                self._write(above + token.content.rstrip("\n"), ("pre", more))
            case "hr":
                self._gap()
                self._write(RULE)
            case "blockquote_open":
                self._gap()
                self._quotes.append(self._size)
            case "blockquote_close":
                begin = self._quotes.pop()
                if not self._quotes and self._size > begin:
                    self._add("blockquote", begin, {})
            case "bullet_list_open" | "ordered_list_open":
                self._gap()
                self._lists.append(token)
            case "bullet_list_close" | "ordered_list_close":
                self._lists.pop()
            case "list_item_open":
                self._gap(1)
                mark = f"{token.info}{token.markup} " if token.info else "• "
                self._write("    " * (len(self._lists) - 1) + mark)

    def _gap(self, lines: int = 0) -> None:
        """Begin a new line, after an empty one outside of lists. Text follows a list's mark directly."""
        text = "".join(self.parts[-2:])
        if not text or re.search(r"(?:• |\d[.)] )\Z", text) or (self._quotes and self._size == self._quotes[-1]):
            return
        want = lines or (1 if self._lists else 2)
        self._write("\n" * max(0, want - (len(text) - len(text.rstrip("\n")))))

    def _inline(self, tokens: Sequence[Token]) -> None:
        for token in tokens:
            name = token.type.removesuffix("_open").removesuffix("_close")
            if name in STYLES and token.type.endswith("_open"):
                self._styles.append((STYLES[name], str(token.attrs.get("href", ""))))
            elif name in STYLES:
                _, address = self._styles.pop()
                if name == "link" and not LINKED.fullmatch(address):
                    self._write(f" ({address})")
            elif token.type == "image":
                self._write(f"{token.content} ({token.attrs.get('src', '')})")
            elif token.type == "code_inline":
                self._write(token.content, ("code", {}))
            else:
                self._write("\n" if token.type in ("softbreak", "hardbreak") else token.content, styled=True)

    def _write(self, text: str, kind: tuple[str, dict[str, str]] | None = None, styled: bool = False) -> None:
        begin = self._size
        self.parts.append(text)
        self._size += utf16(text)
        if kind and text:
            self._add(kind[0], begin, kind[1])
        elif styled and text:
            if self._bold and "bold" not in [name for name, _ in self._styles]:
                self._add("bold", begin, {})
            for name, address in dict.fromkeys(self._styles):
                if name != "text_link" or LINKED.fullmatch(address):
                    self._add(name, begin, {"url": address} if name == "text_link" else {})

    def _add(self, kind: str, begin: int, more: dict[str, str]) -> None:
        """Mark the text since `begin`, or extend an entity of the same kind that ends there."""
        for one in reversed(self.entities[-4:]):
            same = {key: value for key, value in one.items() if key not in ("offset", "length")} == {
                "type": kind
            } | more
            if same and one["offset"] + one["length"] == begin and kind not in ("pre", "code", "blockquote"):
                one["length"] = self._size - one["offset"]
                return
        self.entities.append({"type": kind, "offset": begin, "length": self._size - begin, **more})

    def _table(self, tokens: Sequence[Token]) -> None:
        rows: list[list[str]] = []
        for token in tokens:
            if token.type == "tr_open":
                rows.append([])
            elif token.type == "inline":
                cell = _Page()
                cell._inline(token.children or ())
                links = [str(one["url"]) for one in cell.entities if "url" in one]
                rows[-1].append(" ".join(["".join(cell.parts), *(f"({url})" for url in links)]))
        self._gap()
        self._write(columns.aligned(rows), ("pre", {}))
