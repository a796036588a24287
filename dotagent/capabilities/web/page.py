"""Convert a page to text: its visible content as Markdown, with complete links, without the parts around it.

Hidden content is left out, because pages give models orders in text that people do not see. Pure.
"""

from __future__ import annotations

import re
import warnings
from contextlib import suppress
from urllib.parse import urldefrag, urljoin

from bs4 import BeautifulSoup, Tag, XMLParsedAsHTMLWarning
from markdownify import MarkdownConverter

HTML = re.compile(r"(?:text/html|application/xhtml\+xml)\b")
TEXT = re.compile(r"text/|application/(?:[\w.-]+\+)?(?:json|xml|yaml|javascript)\b")
AROUND = ("script", "style", "noscript", "template", "svg", "iframe", "object", "form", "nav", "aside", "dialog")
HIDDEN = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|opacity\s*:\s*0(?:\.0*)?\s*(?:;|$)|font-size\s*:\s*0", re.I
)
_CONVERTER = MarkdownConverter(heading_style="ATX", bullets="-", wrap=False, sup_symbol="^", sub_symbol="~")
"""Without the symbols, 10<sup>3</sup> would be 103, and a price with a footnote another price."""
LEAST = 200  # characters that a page's main part must have to be used alone


def text(body: bytes, kind: str, charset: str | None, address: str) -> str | None:
    """Return the page's title and text, or None if it is not text. `kind` is its content type, `address` its URL."""
    if HTML.match(kind):
        return _html(body, charset, address)
    if TEXT.match(kind) or (not kind and b"\0" not in body):
        return body.decode(_usable_charset(charset), "replace")
    return None


def _html(body: bytes, charset: str | None, address: str) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", XMLParsedAsHTMLWarning)
        page = BeautifulSoup(body, "lxml", from_encoding=charset)
    title = page.title.get_text(" ", strip=True) if page.title else ""
    for tag in page.find_all(_unseen):
        tag.decompose()
    for link in page.find_all("a", href=True):
        with suppress(ValueError):  # a link without a valid address stays unchanged
            link["href"] = urldefrag(urljoin(address, str(link["href"]))).url
    for picture in page.find_all("img"):
        picture.replace_with(str(picture.get("alt") or ""))
    main = _main(page)
    try:
        told = str(_CONVERTER.convert_soup(main))
    except RecursionError:  # a page with a thousand nested boxes
        told = main.get_text("\n")
    told = re.sub(r"\n\s*\n\s*", "\n\n", re.sub(r"[ \t\xa0]+\n", "\n", told)).strip()
    return f"{title}\n\n{told}" if title and title not in told[: len(title) + 20] else told


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


def _usable_charset(charset: str | None) -> str:
    try:
        "".encode(charset or "utf-8")
    except LookupError:
        return "utf-8"
    return charset or "utf-8"
