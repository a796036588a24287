"""Lines of IDENTITY.md and USER.md as claims: a field, its value, and optional evidence at the end of the line, with
the confidence and the quoted words: `- **Timezone:** Europe/Lisbon (0.9 #12 I live in Lisbon)`. Pure."""

from __future__ import annotations

from dotagent.text import lazy
from dotagent.text.lazy import dataclass

_FIELD = lazy.compile(r"(?P<head>\s*(?:[-*]\s+)?\**(?P<label>[^\W\d_][^:*]{0,40}?)\**:\**)[ \t]*(?P<value>.*)")
_EVIDENCE = lazy.compile(
    r"\s*\((?P<sure>0?\.\d+|1(?:\.0+)?)?[,;\s]*(?:#(?P<entry>\d{1,9}))?[:,;\s]*(?P<words>[^()]*)\)\s*\Z"
)
_QUOTES = " \t\"'“”‘’„«»`"


@dataclass(frozen=True)
class Claim:
    """A line that the agent wants to write: its field ("" without one), its value, and its evidence."""

    head: str
    label: str
    value: str
    sure: float | None = None
    entry: int = 0
    words: str = ""

    @property
    def line(self) -> str:
        """Return the line without the evidence."""
        return f"{self.head} {self.value}" if self.label else self.value

    @property
    def told(self) -> str:
        """Return the claim as text."""
        return f"{self.label}: {self.value}" if self.label else self.value


def read(line: str) -> Claim | None:
    """Parse a line. Return None if it is blank, a heading, or a field without a value."""
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
    """Return the field of the line, or ""."""
    found = _FIELD.fullmatch(line)
    return found["label"].strip().casefold() if found else ""


def normalise(words: str) -> str:
    """Normalise words for comparison."""
    return " ".join(words.split()).casefold().strip(_QUOTES)


def put(text: str, told: str) -> str:
    """Return the file with this line in place of the line of the same field, or at the end."""
    claim = read(told) or Claim("", "", told)
    rows = text.split("\n")
    for number, row in enumerate(rows):
        if claim.label and label(row) == claim.label.casefold():
            found = _FIELD.fullmatch(row)
            rows[number] = f"{found['head'] if found else ''} {claim.value}"
            return "\n".join(rows)
    line = f"- **{claim.label}:** {claim.value}" if claim.label else claim.value
    return text if line in rows else f"{text.rstrip()}\n{line}\n".lstrip("\n")
