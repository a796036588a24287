"""Parse a SKILL.md of the open format: a YAML frontmatter that describes the skill, then instructions.

A skill needs a name and a description, and nothing else: published skills have fields of many programs. Every other
violation of the format is a flaw, which `validate` reports. Every value is a text, a list or a mapping, and nothing is
built from a tag. PyYAML parses the frontmatter, and is loaded only for a person's commands, because agents rely on the
record of trusted skills. Owns nothing on disk.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any

from dotagent import packages
from dotagent.errors import Misuse
from dotagent.skills.folder import FILES, NAME, Folder
from dotagent.text import encoding, escape
from dotagent.text.encoding import NotText
from dotagent.text.lazy import dataclass

LONGEST = 1 << 20  # bytes of SKILL.md
HEAD = 1 << 16  # characters of the frontmatter
DESCRIPTION, COMPATIBILITY = 1024, 500  # characters
DEEP = 8  # nested lists and mappings
NAMES = "use 1 to 64 of a-z, 0-9 and single hyphens inside"
FIELDS = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")
_FENCE = re.compile(r"^---[ \t]*$", re.MULTILINE)
_END = re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.MULTILINE)
_ABOVE = re.compile(r"(?:\s*\n|<!--(?:(?!-->).)*-->[ \t]*\n)+", re.DOTALL)  # empty lines and comments, as for a license
_COMMENTED = re.compile(r"description:[ \t]+[^\s\"'|>#&*!{\[].*\s#\S")  # for a value without quotes
_FIELD = re.compile(r"([A-Za-z][\w-]*)[ \t]*:(?:[ \t]+(.*))?")


@dataclass(frozen=True)
class Form:
    """The parts of a SKILL.md, its flaws, and those of them without whose repair it cannot be used."""

    fields: Mapping[str, object]
    body: str
    flaws: tuple[str, ...]
    lacks: tuple[str, ...] = ()

    @property
    def description(self) -> str:
        """Return what it does and when to use it, on one line."""
        return " ".join(str(self.fields.get("description", "")).split())


def read(folder: Folder) -> Form:
    """Parse the folder's SKILL.md. Raises Misuse if PyYAML is not installed."""
    if not folder.main:
        return _useless("", f"{FILES[0]} is missing or empty")
    if len(folder.main) > LONGEST:
        return _useless("", f"{FILES[0]} has {len(folder.main):,} bytes; the limit is {LONGEST:,}")
    try:
        text = "".join(f"{line}\n" for line in encoding.lines(encoding.decode(folder.main)[0]))
    except NotText as why:
        return _useless("", f"{FILES[0]} {why}")
    head, body = cut(text)
    if head is None:
        return _useless(text, "SKILL.md must begin with a frontmatter: a line ---, the fields, a line ---")
    if len(head) > HEAD:
        return _useless(body, f"the frontmatter has {len(head):,} characters; the limit is {HEAD:,}")
    fields, odd = _yaml(head)
    odd += [] if _FENCE.match(text) else ["the frontmatter must begin on the first line of SKILL.md"]
    odd += [
        f"line {number}: in YAML, “ #” begins a comment, so the description ends there; put the description in quotes"
        for number, line in enumerate(head.split("\n"), 2)
        if _COMMENTED.match(line)
    ]
    lacks = tuple(_lacks(fields))
    return Form(fields, body, (*odd, *lacks, *_flaws(fields, folder.name)), (*odd, *lacks) if lacks else ())


def _useless(body: str, why: str) -> Form:
    return Form({}, body, (why,), (why,))


def cut(text: str) -> tuple[str | None, str]:
    """Return a SKILL.md's frontmatter, or None, and the text after it."""
    above = _ABOVE.match(text)
    first = _FENCE.match(text, above.end() if above else 0)
    last = _END.search(text, first.end()) if first else None
    return (text[first.end() + 1 : last.start()], text[last.end() :].strip()) if first and last else (None, text)


def _yaml(head: str) -> tuple[dict[str, object], list[str]]:
    """Return the fields of a frontmatter, and the problems with its YAML. Raises Misuse without PyYAML."""
    try:
        import yaml  # type: ignore[import-untyped,unused-ignore]  # nothing else of an agent needs it
    except ImportError as missing:
        raise Misuse(packages.lacks(missing)) from None
    try:
        events = [one for one in yaml.parse(head, Loader=yaml.BaseLoader) if not isinstance(one, yaml.StreamEndEvent)]
    except yaml.YAMLError as wrong:
        mark = getattr(wrong, "problem_mark", None)
        place = f", line {mark.line + 2}" if mark else ""
        why = escape.one_line(getattr(wrong, "problem", "") or str(wrong))
        return _plain(head), [f"the frontmatter is not valid YAML{place}: {why}"]
    if len(events) < 3 or not isinstance(events[2], yaml.MappingStartEvent):
        return {}, ["the frontmatter must contain fields, one on each line: `name: …`"]
    odd = ["the frontmatter contains more than one document"] * any(
        isinstance(one, yaml.DocumentStartEvent) for one in events[2:]
    )
    found = _value(yaml, deque(events[2:]), odd)
    return found if isinstance(found, dict) else {}, list(dict.fromkeys(odd))


def _plain(head: str) -> dict[str, object]:
    """Return the fields of a frontmatter that is not YAML: the text behind each name, with the indented lines below."""
    fields, name = dict[str, list[str]](), ""
    for line in head.split("\n"):
        if found := _FIELD.fullmatch(line.rstrip()):
            name = found[1]
            fields[name] = [text for text in [(found[2] or "").strip()] if text not in ("|", ">", "|-", ">-")]
        elif name and line[:1].isspace():
            fields[name].append(line.strip())
    return {name: _unquoted(" ".join(lines).strip()) for name, lines in fields.items()}


def _unquoted(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text


def _value(yaml: Any, events: deque[Any], odd: list[str], depth: int = 0) -> object:
    """Return the value that begins with the next event: a text, a list or a mapping. Add its problems to `odd`."""
    one = events.popleft()
    line = one.start_mark.line + 2
    if isinstance(one, yaml.AliasEvent) or one.anchor or one.tag not in (None, "!"):
        odd.append(f"line {line}: a frontmatter cannot contain anchors, aliases or tags")
    if isinstance(one, yaml.AliasEvent):
        return ""
    if isinstance(one, yaml.ScalarEvent):
        return str(one.value)
    if one.flow_style:
        odd.append(f"line {line}: write each value on a separate line, without braces or brackets")
    if depth > DEEP:
        odd.append(f"line {line}: too deeply nested")
        _skip(yaml, events)
        return ""
    parts = list[object]()
    while not isinstance(events[0], yaml.CollectionEndEvent):
        parts.append(_value(yaml, events, odd, depth + 1))
    events.popleft()
    if isinstance(one, yaml.SequenceStartEvent):
        return parts
    names = [part if isinstance(part, str) else "" for part in parts[::2]]
    if len(set(names)) < len(names) or not all(names):
        odd.append(f"line {line}: a field has no name, or two fields have the same name")
    return dict(zip(names, parts[1::2], strict=True))


def _skip(yaml: Any, events: deque[Any]) -> None:
    """Take the rest of the list or mapping that has begun."""
    left = 1
    while left:
        one = events.popleft()
        left += isinstance(one, yaml.CollectionStartEvent) - isinstance(one, yaml.CollectionEndEvent)


def _lacks(fields: Mapping[str, object]) -> Iterator[str]:
    """Yield what a skill cannot be used without."""
    said = fields.get("name")
    if not isinstance(said, str) or not said.strip():
        yield "the skill has no name"
    text = fields.get("description")
    if text is None:
        yield "the skill has no description"
    elif not isinstance(text, str):
        yield "the field description must be text"
    elif not text.strip():
        yield "the description of the skill is empty"


def _flaws(fields: Mapping[str, object], name: str) -> Iterator[str]:
    """Yield the other violations of the format."""
    for odd in sorted(fields.keys() - set(FIELDS)):
        known = ", ".join(FIELDS)
        yield f"the frontmatter has an unknown field {escape.one_line(odd)}; use {known}, and put others below metadata"
    said = fields.get("name")
    if isinstance(said, str) and said.strip():
        if not NAME.fullmatch(said.strip()):
            yield f"{escape.one_line(said)} cannot be a skill's name; {NAMES}"
        elif said.strip() != name:
            yield f"the name {said.strip()} differs from the folder's name, {escape.one_line(name)}"
    for field, most in (("description", DESCRIPTION), ("compatibility", COMPATIBILITY)):
        text = fields.get(field)
        if isinstance(text, str) and len(text) > most:
            yield f"the field {field} has {len(text):,} characters; the limit is {most:,}"
        elif text is not None and not isinstance(text, str) and field == "compatibility":
            yield f"the field {field} must be text"
    more = fields.get("metadata", {})
    if isinstance(more, dict) and not all(isinstance(one, str) for one in more.values()):
        yield "the metadata must be texts, e.g. `author: Ana`"
