"""Parse a SKILL.md of the open format: a YAML frontmatter that describes the skill, then instructions.

The format allows plain mappings, lists and texts, so every value is a text. PyYAML parses it, and is loaded only for a
person's commands, because agents rely on the record of trusted skills. Owns nothing on disk.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any

from dotagent import installed
from dotagent.errors import Misuse
from dotagent.skills.folder import FILES, NAME, Folder
from dotagent.text import encoding, escape
from dotagent.text.encoding import NotText
from dotagent.text.lazy import dataclass

LONGEST = 1 << 18  # bytes of SKILL.md
DESCRIPTION, COMPATIBILITY = 1024, 500  # characters
DEEP = 4  # nested lists and mappings
FIELDS = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")
_FENCE = re.compile(r"^---[ \t]*$", re.MULTILINE)


@dataclass(frozen=True)
class Form:
    """The parts of a SKILL.md, and its flaws. A file with a flaw is not a skill."""

    fields: Mapping[str, object]
    body: str
    flaws: tuple[str, ...]

    @property
    def description(self) -> str:
        """Return what it does and when to use it, on one line."""
        return " ".join(str(self.fields.get("description", "")).split())


def read(folder: Folder) -> Form:
    """Parse the folder's SKILL.md. Raises Misuse if PyYAML is not installed."""
    if not folder.main:
        return Form({}, "", (f"{FILES[0]} is missing or empty",))
    if len(folder.main) > LONGEST:
        return Form({}, "", (f"{FILES[0]} has {len(folder.main):,} bytes; the limit is {LONGEST:,}",))
    try:
        text = "".join(f"{line}\n" for line in encoding.lines(encoding.decode(folder.main)[0]))
    except NotText as why:
        return Form({}, "", (f"{FILES[0]} {why}",))
    head, body = cut(text)
    if head is None:
        return Form({}, text, ("SKILL.md must begin with a frontmatter: a line ---, the fields, a line ---",))
    fields, wrong = _yaml(head)
    return Form(fields, body, (wrong,) if wrong else tuple(_flaws(fields, folder.name)))


def cut(text: str) -> tuple[str | None, str]:
    """Return a SKILL.md's frontmatter, or None, and the text after it."""
    first = _FENCE.match(text)
    last = _FENCE.search(text, first.end()) if first else None
    return (text[first.end() + 1 : last.start()], text[last.end() :].strip()) if first and last else (None, text)


def _yaml(head: str) -> tuple[dict[str, object], str]:
    """Return the fields of a frontmatter, and the problem with its YAML, or "". Raises Misuse without PyYAML."""
    try:
        import yaml  # type: ignore[import-untyped,unused-ignore]  # nothing else of an agent needs it
    except ImportError as missing:
        raise Misuse(installed.lacks(missing)) from None
    try:
        events = [one for one in yaml.parse(head, Loader=yaml.BaseLoader) if not isinstance(one, yaml.StreamEndEvent)]
        if len(events) < 3 or not isinstance(events[2], yaml.MappingStartEvent):
            return {}, "the frontmatter must contain fields, one on each line: `name: …`"
        if any(isinstance(one, yaml.DocumentStartEvent) for one in events[2:]):
            return {}, "the frontmatter contains more than one document"
        found = _value(yaml, deque(events[2:]))
        return found if isinstance(found, dict) else {}, ""
    except yaml.YAMLError as wrong:
        mark = getattr(wrong, "problem_mark", None)
        place = f", line {mark.line + 2}" if mark else ""
        return (
            {},
            f"the frontmatter is not valid YAML{place}: {escape.one_line(getattr(wrong, 'problem', '') or str(wrong))}",
        )
    except ValueError as wrong:
        return {}, str(wrong)


def _value(yaml: Any, events: deque[Any], depth: int = 0) -> object:
    """Return the value that begins with the next event: a text, a list or a mapping. Raises ValueError."""
    one = events.popleft()
    line = one.start_mark.line + 2
    if isinstance(one, yaml.AliasEvent) or one.anchor or one.tag not in (None, "!"):
        raise ValueError(f"line {line}: a frontmatter cannot contain anchors, aliases or tags")
    if isinstance(one, yaml.ScalarEvent):
        return str(one.value)
    if one.flow_style:
        raise ValueError(f"line {line}: write each value on a separate line, without braces or brackets")
    if depth > DEEP:
        raise ValueError(f"line {line}: too deeply nested")
    parts = list[object]()
    while not isinstance(events[0], yaml.CollectionEndEvent):
        parts.append(_value(yaml, events, depth + 1))
    events.popleft()
    if isinstance(one, yaml.SequenceStartEvent):
        return parts
    names = [part if isinstance(part, str) else "" for part in parts[::2]]
    if len(set(names)) < len(names) or not all(names):
        raise ValueError(f"line {line}: a field has no name, or two fields have the same name")
    return dict(zip(names, parts[1::2], strict=True))


def _flaws(fields: Mapping[str, object], name: str) -> Iterator[str]:
    """Yield the violations of the format."""
    for odd in sorted(fields.keys() - set(FIELDS)):
        known = ", ".join(FIELDS)
        yield f"the frontmatter has an unknown field {escape.one_line(odd)}; use {known}, and put others below metadata"
    said = fields.get("name")
    if not isinstance(said, str) or not said.strip():
        yield "the skill has no name"
    elif not NAME.fullmatch(said.strip()):
        yield f"{escape.one_line(said)} cannot be a skill's name; use 1 to 64 of a-z, 0-9 and single hyphens inside"
    elif said.strip() != name:
        yield f"the name {said.strip()} differs from the folder's name, {escape.one_line(name)}"
    for field, most in (("description", DESCRIPTION), ("compatibility", COMPATIBILITY)):
        text = fields.get(field)
        if text is None and field == "description":
            yield "the skill has no description"
        elif text is not None and not isinstance(text, str):
            yield f"the field {field} must be text"
        elif text is not None and not text.strip() and field == "description":
            yield "the description of the skill is empty"
        elif isinstance(text, str) and len(text) > most:
            yield f"the field {field} has {len(text):,} characters; the limit is {most:,}"
    more = fields.get("metadata", {})
    if isinstance(more, dict) and not all(isinstance(one, str) for one in more.values()):
        yield "the metadata must be texts, e.g. `author: Ana`"
