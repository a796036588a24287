"""Convert a page to text: its visible content as Markdown, with complete links, without the parts around it.

Hidden content is left out, because pages give models orders in text that people do not see. Pure.
"""

from __future__ import annotations

import codecs
import re
import warnings
from collections import deque
from contextlib import suppress
from typing import Any
from urllib.parse import urldefrag, urljoin

from bs4 import BeautifulSoup, MarkupResemblesLocatorWarning, Tag, XMLParsedAsHTMLWarning
from bs4.dammit import EncodingDetector
from markdownify import MarkdownConverter

HTML = re.compile(r"(?:text/html|application/xhtml\+xml)\b")
TEXT = re.compile(r"text/|application/(?:[\w.-]+\+)?(?:json|xml|yaml|javascript)\b")
AROUND = ("script", "style", "noscript", "template", "svg", "iframe", "object", "form", "nav", "aside", "dialog")
HIDDEN = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|opacity\s*:\s*0(?:\.0*)?\s*(?:;|$)|font-size\s*:\s*0", re.I
)
ROWS = 1000  # rows or columns that one cell may span
CELLS = 10_000  # cells that may be added to a page
AGAIN = 80  # characters of a spanning cell that are repeated
MATHS = {"mfrac": "/", "msup": "^", "msub": "_"}  # MathML: the text between the parts, or a half would be 12
PARTS = {"details": "div", "summary": "p", "option": "p"}  # browsers show them apart
LEAST = 200  # characters that a page's main part must have to be used alone
BROWSERS = {
    "ascii": "cp1252", "iso8859-1": "cp1252", "iso8859-9": "cp1254", "euc_kr": "cp949", "shift_jis": "cp932",
    "gb2312": "gb18030",
}  # fmt: skip
"""Charsets that browsers read as larger ones, because pages name the smaller one (WHATWG Encoding Standard, 4.2)."""


class _Converter(MarkdownConverter):
    """markdownify, but a list keeps the numbers of its page, and a cell with a `|` stays one cell."""

    def convert_li(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        base: Any = super()  # its types do not name these methods
        made = str(base.convert_li(el, text, parent_tags))
        return re.sub(r"^\d+(?=\. )", str(el["value"]), made) if el.has_attr("value") else made

    def convert_strike(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        base: Any = super()
        return str(base.convert_del(el, text, parent_tags))

    def convert_td(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        base: Any = super()
        return str(base.convert_td(el, text.replace("|", r"\|"), parent_tags))

    def convert_th(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        base: Any = super()
        return str(base.convert_th(el, text.replace("|", r"\|"), parent_tags))


_CONVERTER = _Converter(heading_style="ATX", bullets="-", wrap=False, sup_symbol="^", sub_symbol="~")
"""Without the symbols, 10<sup>3</sup> would be 103, and a price with a footnote another price."""


def text(body: bytes, kind: str, charset: str | None, address: str) -> str | None:
    """Return the page's title and text, or None if it is not text. `kind` is its content type, `address` its URL."""
    if HTML.match(kind):
        return _html(body, charset, address)
    if TEXT.match(kind) or (not kind and b"\0" not in body):
        return body.decode(_find_codec(charset) or "utf-8", "replace")
    return None


def _html(body: bytes, charset: str | None, address: str) -> str:
    with warnings.catch_warnings():
        for kind in (XMLParsedAsHTMLWarning, MarkupResemblesLocatorWarning):  # the second for a text like `notes.txt`
            warnings.simplefilter("ignore", kind)
        told = charset or EncodingDetector.find_declared_encoding(body, is_html=True)
        page = BeautifulSoup(body, "lxml", from_encoding=_find_codec(told))
    title = page.title.get_text(" ", strip=True) if page.title else ""
    for tag in page.find_all(_unseen):
        tag.decompose()
    for link in page.find_all("a", href=True):
        with suppress(ValueError):  # a link without a valid address stays unchanged
            link["href"] = urldefrag(urljoin(address, str(link["href"]))).url
    for picture in page.find_all("img"):
        picture.replace_with(str(picture.get("alt") or ""))
    for tag in reversed(page.find_all(list(MATHS))):  # the inner ones first
        parts = [part.get_text(strip=True) for part in tag.children]
        tag.replace_with(MATHS[tag.name].join(filter(None, parts)))
    for tag in page.find_all(list(PARTS)):
        tag.name = PARTS[tag.name]
    _name_links(page, address)
    _number_lists(page)
    _fill_spans(page)
    main = _main(page)
    try:
        told = str(_CONVERTER.convert_soup(main))
    except RecursionError:  # a page with a thousand nested boxes
        told = main.get_text("\n")
    told = re.sub(r"\n\s*\n\s*", "\n\n", re.sub(r"[ \t\xa0]+\n", "\n", told)).strip()
    return f"{title}\n\n{told}" if title and title not in told[: len(title) + 20] else told


def _name_links(page: BeautifulSoup, address: str) -> None:
    """Give a link that has only an icon a text, because Markdown's links need one."""
    links = [link for link in page.find_all("a", href=True) if link["href"] != urldefrag(address).url]
    named = {link["href"] for link in links if link.get_text(strip=True)}
    for link in links:
        if link["href"] not in named:
            link.append(str(link.get("aria-label") or link.get("title") or link["href"]))


def _number_lists(page: BeautifulSoup) -> None:
    """Write into each item of a numbered list the number that browsers show."""
    for numbered in page.find_all("ol"):
        items = numbered.find_all("li", recursive=False)
        step = -1 if numbered.has_attr("reversed") else 1
        number = _number(numbered.get("start"), len(items) if step < 0 else 1)
        for item in items:
            number = _number(item.get("value"), number)
            item["value"] = str(number)
            number += step


def _fill_spans(page: BeautifulSoup) -> None:
    """Repeat each cell that spans several rows in all of them, because Markdown's tables have no such cells. Without
    this, the cells to the right of it would be in another column."""
    left = CELLS
    for part in page.find_all(["table", "thead", "tbody", "tfoot"]):
        spans = dict[int, tuple[int, Tag]]()  # by column: the rows that the cell still spans, and the cell
        for row in part.find_all("tr", recursive=False):
            cells, column = deque(row.find_all(["td", "th"], recursive=False)), 0
            row.clear()
            while cells or (column in spans and left > 0):
                rows, cell = spans.pop(column, (0, None))
                if cell is None or left <= 0:
                    cell = cells.popleft()
                    rows = max(1, min(ROWS, _number(cell.get("rowspan"), 1)))
                else:
                    left -= 1
                    told = cell.get_text(" ", strip=True)[:AGAIN]
                    cell = page.new_tag(cell.name, attrs={"colspan": str(cell.get("colspan", "1"))}, string=told)
                row.append(cell)
                if rows > 1:
                    spans[column] = rows - 1, cell
                column += max(1, min(ROWS, _number(cell.get("colspan"), 1)))


def _number(text: object, default: int) -> int:
    return int(text) if isinstance(text, str) and re.fullmatch(r"[+-]?\d{1,9}", text.strip(), re.ASCII) else default


def _unseen(tag: Tag) -> bool:
    if tag.name in AROUND or tag.has_attr("hidden") or tag.get("aria-hidden") == "true":
        return True
    return HIDDEN.search(str(tag.get("style") or "")) is not None


def _main(page: BeautifulSoup) -> Tag:
    """Return the page's main part: its `main` or only `article`, if that is long enough, otherwise everything."""
    articles = page.find_all("article")
    for found in (page.find("main"), page.find(None, {"role": "main"}), articles[0] if len(articles) == 1 else None):
        if isinstance(found, Tag) and len(found.get_text(" ", strip=True)) >= LEAST:
            return found
    return page.body or page


def _find_codec(charset: str | None) -> str | None:
    """Return the codec with which browsers read this charset, or None for an unknown charset."""
    try:
        "".encode(charset or "")  # fails also for a codec that is not of text
        name = codecs.lookup(charset or "").name
    except (LookupError, ValueError):
        return None
    return BROWSERS.get(name, name)
