"""What a dream proposes: a rule, a pattern, a line of a profile or of MEMORY.md, or that an entry is retired, each with
the references of its evidence. It is named by the hash of what it says, so that dreaming again proposes nothing twice.

Proposals are one reviewer's, on this machine: the same files give the same ones to everybody. Owns
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

from dotagent.life import learned
from dotagent.store import disk
from dotagent.store.home import Home
from dotagent.text import escape, secrets

KINDS = ("rule", "pattern", "profile", "memory", "retire")
EVIDENCE = 20  # references that are kept, the last ones
LONGEST = 300  # characters of what is proposed
MOST = 1 << 17  # bytes of a file
SHORT = 8  # digits of an id
_CODE = re.compile(r"(`[^`]*`)")
_LOOKS = str.maketrans("АВЕКМНОРСТУХІЈЅаеорсухіјѕԁһΑΒΕΗΙΚΜΝΟΡΤΥΧονα", "ABEKMHOPCTYXIJSaeopcyxijsdhABEHIKMNOPTYXova")
"""Letters of other alphabets, and Latin ones that look the same."""


@dataclass(frozen=True)
class Memories:
    """A `memory/` folder, who reviews it, and whether it is a team's."""

    memory: Path
    actor: str
    shared: bool = False

    @property
    def mode(self) -> int:
        """That of the files that are written there."""
        return 0o644 if self.shared else 0o600

    @property
    def dreams(self) -> Path:
        """What is proposed to this reviewer."""
        return self.memory / "working" / self.actor / "dreams"

    @property
    def semantic(self) -> Path:
        """What has graduated."""
        return self.memory / "semantic"

    def profile(self) -> Path:
        """What the reviewer likes."""
        return self.memory / "personal" / self.actor / "profile.yaml"


def of_all(where: Home, audience: str, actor: str) -> Memories:
    """What all lives of an audience share, as this person decides about it."""
    return Memories(learned.shared(where, audience), actor)


@dataclass(frozen=True)
class Proposal:
    """One: what it says, by which sign, how often that was seen, until when, and where (references, no copies)."""

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
        """Eight digits of the hash of what it says, however that is written: who rejects it rejects each spelling."""
        return digest("\n".join((self.kind, self.category, plain(self.title), self.target)))

    def is_in(self, done: Collection[str]) -> bool:
        """Whether it was decided; an earlier version hashed the title as it is written."""
        return self.id in done or digest("\n".join((self.kind, self.category, self.title, self.target))) in done


def plain(text: str) -> str:
    """How a line is compared: in small letters of one alphabet, without blanks, invisible signs and a last point; what
    stands in `code` in its own letters."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).translate(_LOOKS)
        text = "".join(one for one in text if unicodedata.category(one) != "Cf" and one != "\ufffd")
    parts = _CODE.split(text)
    return "".join("".join(one if at % 2 else one.casefold() for at, one in enumerate(parts)).split()).rstrip(".!")


def digest(text: str) -> str:
    """The first digits of the text's SHA-1: names of files, not a seal."""
    return sha1(text.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()[:SHORT]


def clean(text: str) -> str:
    """A title: one line, without secrets."""
    return escape.one_line(secrets.masked(text), LONGEST)


def read(where: Memories) -> list[Proposal]:
    """All that are there, those seen most often first; what is none is passed over."""
    try:
        names = sorted(where.dreams.glob("*.json"))
    except OSError:
        names = []
    found = [one for path in names if (one := _read(path))]
    return sorted(found, key=lambda one: (KINDS.index(one.kind), -one.seen, one.category, one.title))


def _read(path: Path) -> Proposal | None:
    try:
        told = json.loads(disk.read(path, MOST))
    except (OSError, ValueError, RecursionError):
        return None
    one = _made(told) if isinstance(told, dict) else None
    return one if one and path.stem == one.id else None


def _made(told: Mapping[str, object]) -> Proposal | None:
    """The proposal of these fields; None where they are of other kinds."""
    texts = {name: told.get(name) for name in ("kind", "category", "title", "sign", "until", "target")}
    seen, evidence = told.get("seen"), told.get("evidence")
    plain = {name: one for name, one in texts.items() if isinstance(one, str)}
    if len(plain) < len(texts) or not isinstance(seen, int) or not isinstance(evidence, list):
        return None
    if plain["kind"] not in KINDS:
        return None
    return Proposal(**plain, seen=seen, evidence=tuple(map(str, evidence)))


def write(where: Memories, one: Proposal) -> bool:
    """Keep it, with what is new of its evidence; whether it was not there. Raises OSError."""
    disk.make_dir(where.dreams)
    path = where.dreams / f"{one.id}.json"
    data = (json.dumps({**asdict(one), "evidence": list(one.evidence)}, ensure_ascii=False, indent=1) + "\n").encode()
    new = not disk.is_file(path)
    if new or disk.read(path, MOST) != data:
        disk.replace(path, data)
    return new


def drop(where: Memories, one: Proposal) -> None:
    """It is decided."""
    disk.remove(where.dreams / f"{one.id}.json")
