"""A shell's line, as far as a reply's grammar must know it: its here-documents, and whether it goes on."""

from __future__ import annotations

import re

_CODE = re.compile(
    r"""\\(?:.|(?P<more>\Z)) | (?P<quote>['"`]) | (?P<sum>\$?\(\() | (?P<sub>\() | (?P<end>\))
    | (?P<note>(?<![^\s;&|(])\#.*) | <<<
    | <<(?P<tabs>-?)[ \t]*(?P<word>(?:'[^']*'|"[^"]*"|\\.|[^\s;&|<>()'"\\`])+)""",
    re.VERBOSE | re.DOTALL,
)
_QUOTED = re.compile(r"""\\(?:.|(?P<more>\Z))|(?P<quote>["`])|(?P<sum>\$\(\()|(?P<sub>\$\()""", re.DOTALL)
_SINGLE = re.compile(r"(?P<quote>')")


def documents(line: str, inside: list[str]) -> tuple[list[tuple[str, bool]], bool]:
    """A shell line's here-documents (closing word, whether tabs may stand before it), and whether it goes on.

    `inside` holds the quotes and brackets that are open before the line, and after it is changed to those after.
    """
    found: list[tuple[str, bool]] = []
    at = 0
    while True:
        top = inside[-1] if inside else ""
        token = {'"': _QUOTED, "'": _SINGLE}.get(top, _CODE).search(line, at)
        if token is None or token.lastgroup == "more":
            return found, token is not None
        at = token.end()
        match token.lastgroup:
            case "quote" if token[0] == top:
                inside.pop()
            case "quote":
                inside.append(token[0])
            case "sum":
                inside += ["((", "(("]  # arithmetic: << is a shift there
            case "sub":
                inside.append("((" if top == "((" else "(")
            case "end" if top in ("(", "(("):
                inside.pop()
            case "word" if top != "((":
                found.append((re.sub(r"['\"\\]", "", token["word"]), bool(token["tabs"])))
