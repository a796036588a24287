"""A dream's proposals: a rule, a pattern, a line of a profile or of MEMORY.md, or the retirement of an entry, each with
references to its evidence. A proposal is named by the hash of its content, so repeated dreams propose nothing twice.

Proposals belong to one reviewer on this machine; the same files give the same proposals to all. Owns
`memory/working/<actor>/dreams/<id>.json`.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from hashlib import sha1
from pathlib import Path

from dotagent.life import lessons
from dotagent.store import disk
from dotagent.store.home import Home
from dotagent.text import escape, secrets

KINDS = ("rule", "pattern", "profile", "memory", "retire")
EVIDENCE = 20  # references kept, the last ones
LONGEST = 300  # characters of a proposal
MOST = 1 << 17  # bytes of a file
SHORT = 8  # digits of an id
_CODE = re.compile(r"(`[^`]*`)")
_LOOKS = str.maketrans("АВЕКМНОРСТУХІЈЅаеорсухіјѕԁһΑΒΕΗΙΚΜΝΟΡΤΥΧονα", "ABEKMHOPCTYXIJSaeopcyxijsdhABEHIKMNOPTYXova")
"""Letters of other alphabets, and the Latin letters that look the same."""


@dataclass(frozen=True)
class Memories:
    """A `memory/` folder, its reviewer, and whether a team shares it."""

    memory: Path
    actor: str
    shared: bool = False

    @property
    def mode(self) -> int:
        """Return the mode of new files there."""
        return 0o644 if self.shared else 0o600

    @property
    def dreams(self) -> Path:
        """Return the folder of this reviewer's proposals."""
        return self.memory / "working" / self.actor / "dreams"

    @property
    def semantic(self) -> Path:
        """Return the folder of graduated entries."""
        return self.memory / "semantic"

    def profile(self) -> Path:
        """Return the file of the reviewer's preferences."""
        return self.memory / "personal" / self.actor / "profile.yaml"


def shared_memory(where: Home, audience: str, actor: str) -> Memories:
    """Return the memory shared by all agents of an audience, as this person reviews it."""
    return Memories(lessons.shared_folder(where, audience), actor)


@dataclass(frozen=True)
class Proposal:
    """A proposal: its text, the sign that led to it, how often and until when that was seen, and references to it."""

    kind: str
    category: str
    title: str
    sign: str
    seen: int
    until: str
    evidence: tuple[str, ...]
    target: str = ""

    @property
    def id(self) -> str:
        """Return eight digits of the hash of its content in normalised spelling, so that a rejection covers each
        spelling."""
        return digest("\n".join((self.kind, self.category, normalise(self.title), self.target)))

    def is_in(self, done: Collection[str]) -> bool:
        """Return True if it was decided. An earlier version hashed the title as written."""
        return self.id in done or digest("\n".join((self.kind, self.category, self.title, self.target))) in done


def normalise(text: str) -> str:
    """Normalise a line for comparison: lower case, one alphabet, without blanks, invisible characters and a final
    point. Text in `code` keeps its case."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).translate(_LOOKS)
        text = "".join(one for one in text if unicodedata.category(one) != "Cf" and one != "\ufffd")
    parts = _CODE.split(text)
    return "".join("".join(one if at % 2 else one.casefold() for at, one in enumerate(parts)).split()).rstrip(".!")


def digest(text: str) -> str:
    """Return the first digits of the text's SHA-1, for file names and not for security."""
    return sha1(text.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()[:SHORT]


def clean(text: str) -> str:
    """Return a title: one line, without secrets."""
    return escape.one_line(secrets.masked(text), LONGEST)


def read(where: Memories) -> list[Proposal]:
    """Return all proposals, most frequent first. Invalid files are skipped."""
    found = [one for name in disk.names(where.dreams, ".json") if (one := _read(where.dreams / name))]
    return sorted(found, key=lambda one: (KINDS.index(one.kind), -one.seen, one.category, one.title))


def _read(path: Path) -> Proposal | None:
    try:
        told = json.loads(disk.read(path, MOST))
    except (OSError, ValueError, RecursionError):
        return None
    one = _parse_fields(told) if isinstance(told, dict) else None
    return one if one and path.stem == one.id else None


def _parse_fields(told: Mapping[str, object]) -> Proposal | None:
    """Build a proposal from these fields, or return None if they have wrong types."""
    texts = {name: told.get(name) for name in ("kind", "category", "title", "sign", "until", "target")}
    seen, evidence = told.get("seen"), told.get("evidence")
    plain = {name: one for name, one in texts.items() if isinstance(one, str)}
    if len(plain) < len(texts) or not isinstance(seen, int) or not isinstance(evidence, list):
        return None
    if plain["kind"] not in KINDS:
        return None
    return Proposal(**plain, seen=seen, evidence=tuple(map(str, evidence)))


def write(where: Memories, one: Proposal) -> bool:
    """Save a proposal with its newest evidence. Return whether it is new. Raises OSError."""
    disk.make_dir(where.dreams)
    path = where.dreams / f"{one.id}.json"
    data = (json.dumps({**asdict(one), "evidence": list(one.evidence)}, ensure_ascii=False, indent=1) + "\n").encode()
    new = not disk.is_file(path)
    if new or disk.read(path, MOST) != data:
        disk.replace(path, data)
    return new


def drop(where: Memories, one: Proposal) -> None:
    """Remove a proposal after its decision."""
    disk.remove(where.dreams / f"{one.id}.json")
