"""SKILL.md as the open format means it: a frontmatter of YAML that says what the skill is, then instructions.

Of YAML the format's own reader takes plain mappings, lists and texts; so do we, and every value is a text. PyYAML reads
it, and only what a person asks for loads that: agents go by what the person trusted. Owns nothing on disk.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from dotagent.errors import Trouble
from dotagent.skills.folder import FILES, NAME, Folder
from dotagent.text import escape

LONGEST = 1 << 18  # bytes of SKILL.md
DESCRIPTION, COMPATIBILITY = 1024, 500  # characters
DEEP = 4  # lists and mappings within each other
FIELDS = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")
_FENCE = re.compile(r"^---[ \t]*$", re.MULTILINE)


@dataclass(frozen=True)
class Form:
    """What a SKILL.md says, and every flaw of it; one that has a flaw is no skill."""

    fields: Mapping[str, object]
    body: str
    flaws: tuple[str, ...]

    @property
    def description(self) -> str:
        """What it does and when to use it, on one line."""
        return " ".join(str(self.fields.get("description", "")).split())


def read(folder: Folder) -> Form:
    """What the folder's SKILL.md says. Raises Trouble where there is nothing to read YAML by."""
    if not folder.main:
        return Form({}, "", (f"there is no {FILES[0]}, or it is empty",))
    if len(folder.main) > LONGEST:
        return Form({}, "", (f"{FILES[0]} has {len(folder.main):,} bytes, and at most {LONGEST:,} are read",))
    try:
        text = folder.main.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        return Form({}, "", (f"{FILES[0]} is not UTF-8: {error.reason} at byte {error.start:,}",))
    head, body = cut(text)
    if head is None:
        return Form({}, text, ("it must begin with a frontmatter: a line ---, its fields, a line ---",))
    fields, wrong = _yaml(head)
    return Form(fields, body, (wrong,) if wrong else tuple(_flaws(fields, folder.name)))


def cut(text: str) -> tuple[str | None, str]:
    """A SKILL.md's frontmatter, None without one, and what stands below it."""
    first = _FENCE.match(text)
    last = _FENCE.search(text, first.end()) if first else None
    return (text[first.end() + 1 : last.start()], text[last.end() :].strip()) if first and last else (None, text)


def _yaml(head: str) -> tuple[dict[str, object], str]:
    """The fields of a frontmatter, and what is wrong with its YAML, or "". Raises Trouble without PyYAML."""
    try:
        import yaml  # type: ignore[import-untyped,unused-ignore]  # nothing else of an agent needs it
    except ImportError:
        raise Trouble("a SKILL.md is read by PyYAML, which is not installed: pip install pyyaml") from None
    try:
        events = [one for one in yaml.parse(head, Loader=yaml.BaseLoader) if not isinstance(one, yaml.StreamEndEvent)]
        if len(events) < 3 or not isinstance(events[2], yaml.MappingStartEvent):
            return {}, "its frontmatter must be fields, one a line: `name: …`"
        if any(isinstance(one, yaml.DocumentStartEvent) for one in events[2:]):
            return {}, "its frontmatter is more than one document"
        found = _value(yaml, deque(events[2:]))
        return found if isinstance(found, dict) else {}, ""
    except yaml.YAMLError as wrong:
        mark = getattr(wrong, "problem_mark", None)
        place = f", line {mark.line + 2}" if mark else ""
        return {}, f"its frontmatter is no YAML{place}: {escape.one_line(getattr(wrong, 'problem', '') or str(wrong))}"
    except ValueError as wrong:
        return {}, str(wrong)


def _value(yaml: Any, events: deque[Any], depth: int = 0) -> object:
    """The value that begins with the next event: a text, a list or a mapping. Raises ValueError."""
    one = events.popleft()
    line = one.start_mark.line + 2
    if isinstance(one, yaml.AliasEvent) or one.anchor or one.tag not in (None, "!"):
        raise ValueError(f"line {line}: anchors, aliases and tags have no place in a frontmatter")
    if isinstance(one, yaml.ScalarEvent):
        return str(one.value)
    if one.flow_style:
        raise ValueError(f"line {line}: write a line for each, without braces and brackets")
    if depth > DEEP:
        raise ValueError(f"line {line}: what stands there lies too deep")
    parts = list[object]()
    while not isinstance(events[0], yaml.CollectionEndEvent):
        parts.append(_value(yaml, events, depth + 1))
    events.popleft()
    if isinstance(one, yaml.SequenceStartEvent):
        return parts
    names = [part if isinstance(part, str) else "" for part in parts[::2]]
    if len(set(names)) < len(names) or not all(names):
        raise ValueError(f"line {line}: a field has no name, or the name of another")
    return dict(zip(names, parts[1::2], strict=True))


def _flaws(fields: Mapping[str, object], name: str) -> Iterator[str]:
    """What the format forbids."""
    for odd in sorted(fields.keys() - set(FIELDS)):
        yield f"it has a field {escape.one_line(odd)}: there are {', '.join(FIELDS)}; others belong below metadata"
    said = fields.get("name")
    if not isinstance(said, str) or not said.strip():
        yield "it has no name"
    elif not NAME.fullmatch(said.strip()):
        yield f"{escape.one_line(said)} cannot be its name: 1 to 64 of a-z, 0-9 and single hyphens, none at the ends"
    elif said.strip() != name:
        yield f"its name {said.strip()} is not that of its folder, {escape.one_line(name)}"
    for field, most in (("description", DESCRIPTION), ("compatibility", COMPATIBILITY)):
        text = fields.get(field)
        if text is None and field == "description":
            yield "it has no description"
        elif text is not None and not isinstance(text, str):
            yield f"its {field} must be a text"
        elif text is not None and not text.strip() and field == "description":
            yield "its description is empty"
        elif isinstance(text, str) and len(text) > most:
            yield f"its {field} has {len(text):,} characters, and at most {most:,} fit"
    more = fields.get("metadata", {})
    if isinstance(more, dict) and not all(isinstance(one, str) for one in more.values()):
        yield "its metadata must be texts: `author: somebody`"
