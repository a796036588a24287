"""The lines of IDENTITY.md and USER.md as claims: a field and its value, and at the line's end, where an agent says so,
how sure it is and in which words of whom: `- **Timezone:** Europe/Lisbon (0.9 #12 I live in Lisbon)`. Pure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_FIELD = re.compile(r"(?P<head>\s*(?:[-*]\s+)?\**(?P<label>[^\W\d_][^:*]{0,40}?)\**:\**)[ \t]*(?P<value>.*)")
_EVIDENCE = re.compile(
    r"\s*\((?P<sure>0?\.\d+|1(?:\.0+)?)?[,;\s]*(?:#(?P<entry>\d{1,9}))?[:,;\s]*(?P<words>[^()]*)\)\s*\Z"
)
_QUOTES = " \t\"'“”‘’„«»`"


@dataclass(frozen=True)
class Claim:
    """A line that the agent would write: its field ("" for a line of no field) and value, and the evidence it names."""

    head: str
    label: str
    value: str
    sure: float | None = None
    entry: int = 0
    words: str = ""

    @property
    def line(self) -> str:
        """The line without the evidence."""
        return f"{self.head} {self.value}" if self.label else self.value

    @property
    def told(self) -> str:
        """The claim in words."""
        return f"{self.label}: {self.value}" if self.label else self.value


def read(line: str) -> Claim | None:
    """The claim of a line; None for one that says nothing: it is blank, a heading, or a field without a value."""
    if not line.strip() or line.lstrip().startswith("#"):
        return None
    found = _FIELD.fullmatch(line)
    head, label, value = (found["head"], found["label"].strip(), found["value"]) if found else ("", "", line)
    named = _EVIDENCE.search(value)
    if not named or not (named["sure"] or named["entry"]):
        return Claim(head, label, value.rstrip()) if value.strip() else None
    value = value[: named.start()].rstrip()
    sure = float(named["sure"]) if named["sure"] else None
    return Claim(head, label, value, sure, int(named["entry"] or 0), named["words"].strip(_QUOTES)) if value else None


def label(line: str) -> str:
    """The field that the line is of; "" for none."""
    found = _FIELD.fullmatch(line)
    return found["label"].strip().casefold() if found else ""


def plain(words: str) -> str:
    """The words, however they are written: what is compared."""
    return " ".join(words.split()).casefold().strip(_QUOTES)


def put(text: str, told: str) -> str:
    """The file with this line in it: in place of its field, else below all."""
    claim = read(told) or Claim("", "", told)
    rows = text.split("\n")
    for number, row in enumerate(rows):
        if claim.label and label(row) == claim.label.casefold():
            found = _FIELD.fullmatch(row)
            rows[number] = f"{found['head'] if found else ''} {claim.value}"
            return "\n".join(rows)
    line = f"- **{claim.label}:** {claim.value}" if claim.label else claim.value
    return text if line in rows else f"{text.rstrip()}\n{line}\n".lstrip("\n")
