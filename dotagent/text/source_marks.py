"""The marks of lines in notes: `[from notes/mail.txt]` before a line says that its words were read there. Pure.

A line without a mark is the person's own. `life/marks.py` decides which line gets a mark; this says where a mark is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dotagent.text import escape, lazy

IMPORT = "import"  # the name of the source of all lines that came from another program
BELOW = f"# [from {IMPORT}] Another program wrote the lines above."
"""The end of an imported document: one mark for all of its lines, since each prompt contains the document."""
LONGEST = 40  # characters of a source's name
YAML = (".yaml", ".yml")
MARK = lazy.compile(r"\[from ([^\[\]\n]{1,120})\] ?")
FENCE = lazy.compile(r"\s*(?:`{3,}|~{3,})\s*[\w+#.-]*\s*")  # a mark before it would open or close no block
_KEY = r"(?:(?:\"[^\"\n]{1,60}\"|'[^'\n]{1,60}'|[^\s:#'\"{\[-][^:\n]{0,60}): +)?"  # the key of a line of YAML
LINE = lazy.compile(
    r"(\s*(?:[-*+•]\s+|\d{1,3}[.)]\s+|#{1,6}\s+|\|\s*)?(?:\d\d:\d\d\s+)?"
    rf"(?:(?:{_KEY}|\w+ = )\"(?=\[from ))?)(.*)",
    re.DOTALL,
)
"""A line of a note: a list's mark, a heading's, a time, or a key of YAML or TOML before a mark, and then its words."""
_VALUE = lazy.compile(rf"(\s*(?:- )?{_KEY})([^\s#].*[^:]|[^\s#:])")  # a line of YAML
_LETTER = lazy.compile(r"[^\W_]")
_SCHEME = lazy.compile(r"https?://(?:www\.)?|\bwww\.")
_EXACT = lazy.compile(r"[\w/:@%+=-]*\w\.\w[\w./:@%+=-]*|\b[0-9a-f]{12}\b")  # a file, a host or an agent in a mark
_ODD = lazy.compile(r"[^\w./:@%+=,-]+")


def clean_name(said: str) -> str:
    """Return a text in the form of a source's name."""
    return escape.one_line(_ODD.sub(" ", said), LONGEST).strip()


def without(line: str) -> str:
    """Return the line without its mark, and with whatever else in it looks like a mark made harmless."""
    found = MARK.match(line)
    return re.sub(r"\[(?=from\b)", "(", line[found.end() :] if found else line, flags=re.IGNORECASE)


def source_of(line: str) -> str:
    """Return the source that the line's mark names, or ""."""
    bare = LINE.fullmatch(line)
    found = MARK.match(bare[2]) if bare else None
    return found[1] if found else ""


def list_marked(text: str) -> Iterator[tuple[str, str]]:
    """Yield the source and the words of each marked line, and of the lines of an imported document."""
    above = f"\n{text}".rpartition(f"\n{BELOW}")[0].split("\n") if BELOW in text else []
    for number, row in enumerate(text.split("\n") if "[from " in text else (), 1):
        name = source_of(row) or (IMPORT if number < len(above) and _LETTER.search(row) else "")
        if name:
            yield name, without(LINE.sub(r"\2", row, count=1))


def names_source(mark: str, asked: str) -> bool:
    """Return True if one of the sources that a mark names is the one asked for: its whole name, or a whole part; or a
    file, host or agent of the mark, if the request has other words beside it, such as `the file mail.txt`."""
    wanted, names = _SCHEME.sub("", asked.casefold()).strip(), mark.casefold()
    if not wanted or re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", names):
        return bool(wanted)
    exact = (re.escape(one) for name in _EXACT.findall(names) for one in (name, name.rpartition("/")[2]) if one)
    return any(re.search(rf"(?<![\w@./-]){one}(?![\w-]|\.\w)", wanted) for one in exact)


def split(text: str, *, yaml: bool) -> Iterator[tuple[str, str, str]]:
    """Yield each line's part before a mark's place, the rest, and the line. In YAML, also at the beginning of a
    Markdown file, a mark's place is inside the quoted value."""
    head_end = found[0].count("\n") if (found := re.match(r"---\n(?:.*\n)*?---\n", text)) else 0
    for number, row in enumerate(text.split("\n")):
        if not (yaml or number < head_end) or source_of(row):
            head, said = LINE.fullmatch(row).groups()  # type: ignore[union-attr]
            yield head, said, row
        elif (value := _VALUE.fullmatch(row)) and not row.startswith("name:"):  # a skill's name must fit its folder
            said = value[2].strip("\"'").replace("\\", "\\\\").replace('"', '\\"')
            yield f'{value[1]}"', f'{said}"', row
        else:
            yield row, "", row


def mark_all(text: str, name: str, *, titles: bool = False, yaml: bool = False) -> str:
    """Return a text from outside with the mark of its source before each line that has words. With `titles`, headings
    get a mark, too."""
    rows = list[str]()
    for head, said, row in split(text, yaml=yaml):
        bare = not _LETTER.search(said) or (head.startswith("#") and not titles) or row.startswith("---")
        rows.append(row if bare or FENCE.fullmatch(row) else f"{head}[from {name}] {without(said)}")
    return "\n".join(rows)
