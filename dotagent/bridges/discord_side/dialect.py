"""Convert an answer in Markdown to Discord's Markdown.

Discord has no tables, images and rules, no headings below the third level, no tilde fences, and no indented code. It
reads `||` as a spoiler, `__x__` as underlined, and a star inside a word as emphasis. Text that it would misread gets
backslashes; addresses and code do not. Pure.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from markdown_it.token import Token

from dotagent.bridges.pattern import columns
from dotagent.text import markdown

STYLES = {"em": "*", "strong": "**", "s": "~~"}
DEEPEST = 3  # levels of headings that Discord shows
RULE = "———"
NAMED = re.compile(r"(?<![\w@<`])@([\w./-]{2,60})")
"""A name that may become a mention."""
_LINKED = re.compile(r"https?://[^\s()<>]+")
_SPECIAL = re.compile(  # first parts to keep (an address, an escape), then parts that Discord would read as markup
    r"(?P<kept>https?://[^\s<>]+|\\[^\w\s])|(?P<marked>\*+|`+|~{2,}|\|{2,}|_{2,}|(?<![^\W_])_|_(?![^\W_])"
    r"|<(?=[@#]|a?:\w|t:|id:|/\w)|^-(?=# ))",
    re.MULTILINE,
)


def render(text: str, people: Mapping[str, str]) -> str:
    """Return the text of a message with mentions for the names of these people (ids by name).

    If a letter would be lost, return the original Markdown with mentions.
    """
    shown = _Page({}).page(text)
    if not shown or _letters(text) - _letters(shown):
        return mentions(text, people)
    return _Page(people).page(text)


def mentions(said: str, people: Mapping[str, str]) -> str:
    """Return the text with mentions for `@ana` and `@discord/ana`, where `people` has ids by name. Code is
    unchanged."""
    pieces = re.split(r"(```.*?```|`[^`\n]*`)", said, flags=re.DOTALL)
    return "".join(
        piece if number % 2 else NAMED.sub(lambda found: mention(found, people), piece)
        for number, piece in enumerate(pieces)
    )


def mention(found: re.Match[str], people: Mapping[str, str]) -> str:
    """Return the mention for a name matched by NAMED, or the name if no one here has it."""
    name = found[1].rstrip("./-")
    id = people.get(name.removeprefix("discord/").casefold())
    return f"<@{id}>{found[1][len(name) :]}" if id else found[0]


def _letters(text: str) -> Counter[str]:
    return Counter(filter(str.isalnum, text))


def _escaped(text: str) -> str:
    """Return text with a backslash before each character that Discord would read as markup."""
    return _SPECIAL.sub(lambda found: found[0] if found["kept"] else re.sub(r"(.)", r"\\\1", found[0]), text)


def _fenced(code: str, language: str) -> str:
    """Return code as a block. A fence inside would end the block, so an invisible character separates its marks."""
    info = language if re.fullmatch(r"[a-zA-Z][\w+#-]*", language) else ""
    above = f"{language}\n" if language and not info else ""
    body = f"{above}{code}".rstrip("\n").replace("```", "`\u200b`\u200b`")
    return f"```{info}\n{body}\n```"


class _Page:
    """The conversion of one text."""

    def __init__(self, people: Mapping[str, str]) -> None:
        self._people, self._lines = people, list[str]()

    def page(self, text: str) -> str:
        """Return the whole text."""
        self._lines = re.split("\r\n?|\n", text)
        return self._blocks(markdown.parse(text))

    def _blocks(self, tokens: Sequence[Token], tight: bool = False) -> str:
        """Return these blocks, separated by an empty line where the source has one, unless `tight`."""
        text, at = "", 0
        while at < len(tokens):
            end = at
            if tokens[at].nesting == 1:
                end = next(n for n in range(at, len(tokens)) if tokens[n].level == tokens[at].level and n > at)
            begin = (tokens[at].map or [0])[0]
            near = tight or bool(self._lines[begin - 1].strip("> \t"))
            if made := self._block(tokens[at], tokens[at + 1 : end]):
                text += ("\n" if near else "\n\n") * bool(text) + made
            at = end + 1
        return text

    def _block(self, token: Token, inner: Sequence[Token]) -> str:
        match token.type:
            case "fence" | "code_block":
                return _fenced(token.content, token.info.strip())
            case "hr":
                return RULE
            case "heading_open":
                words = self._inline(inner[0].children or (), bold=len(token.markup) > DEEPEST)
                return words if len(token.markup) > DEEPEST else f"{token.markup} {words}" if words else ""
            case "blockquote_open":
                quoted = self._blocks(inner).split("\n")
                return "\n".join(f"> {line.removeprefix('> ')}" for line in quoted)
            case "bullet_list_open" | "ordered_list_open":
                return self._blocks(inner, tight=True)
            case "list_item_open":
                mark = f"{token.info}{token.markup} " if token.info else "- "
                return mark + self._blocks(inner, tight=True).replace("\n", "\n" + " " * len(mark))
            case "table_open":
                return _fenced(columns.aligned(_rows(inner)), "")
            case "inline":
                return self._inline(token.children or ())
            case _:
                return self._blocks(inner)

    def _inline(self, tokens: Sequence[Token], bold: bool = False) -> str:
        """Return the text of a line, all bold if `bold`."""
        parts, addresses = list[str](), list[str]()
        for token in tokens:
            name = token.type.removesuffix("_open").removesuffix("_close")
            if name in STYLES:
                parts.append("" if bold and name == "strong" else STYLES[name])
            elif token.type == "link_open":
                addresses.append(str(token.attrs.get("href", "")))
                parts.append("[" if _LINKED.fullmatch(addresses[-1]) else "")
            elif token.type == "link_close":
                address = addresses.pop()
                parts.append(f"]({address})" if _LINKED.fullmatch(address) else f" ({_escaped(address)})")
            elif token.type == "code_inline":
                gap = " " if "`" in (token.content[:1], token.content[-1:]) else ""
                parts.append(f"{token.markup}{gap}{token.content}{gap}{token.markup}")
            elif token.type in ("softbreak", "hardbreak"):
                parts.append("\n")
            else:
                parts.append(self._text(_text_of(token)))
        words = "".join(parts)
        return f"**{words}**" if bold and words else words

    def _text(self, text: str) -> str:
        """Return text, escaped, with mentions."""
        found, at = list[str](), 0
        for one in NAMED.finditer(text):
            called = mention(one, self._people)
            if called != one[0]:
                found += [_escaped(text[at : one.start()]), called]
                at = one.end()
        return "".join([*found, _escaped(text[at:])])


def _text_of(token: Token) -> str:
    """Return a token's text without markup, a picture with its address."""
    return f"{token.content} ({token.attrs.get('src', '')})" if token.type == "image" else token.content


def _rows(tokens: Sequence[Token]) -> list[list[str]]:
    """Return the cells of a table as plain text, a link with its address after it."""
    rows: list[list[str]] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            children = token.children or ()
            links = [f"({one.attrs.get('href', '')})" for one in children if one.type == "link_open"]
            rows[-1].append(" ".join(["".join(map(_text_of, children)), *links]))
    return rows
