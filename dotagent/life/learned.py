"""What a life has learned, as its prompt shows it: the rules and patterns that hold, its own and those that all lives
of its audience share, and its person's profile; each within its share of the context.

They are entries that are said once, and again when they change or after a swap, so that the prompt before them stays
the same bytes. Reads `memory/semantic/` and `memory/personal/` of a life, `memory/shared/<audience>/` of the home.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from dotagent.life.context import PROFILE, RULES
from dotagent.store import bootstrap, disk, notes
from dotagent.store.blobs import content_id
from dotagent.store.home import Home
from dotagent.text import escape, names, secrets, tokens

SHARES = {RULES: 0.02, PROFILE: 0.01}  # of the context's limit
KINDS = ("rules", "patterns")
SHARED = "shared"
LONGEST, MOST = 300, 1 << 16  # characters of a line, bytes that are read of a file
HEADS = {
    RULES: "What was learned and holds (a search finds why):",
    PROFILE: "What my person is like, in their profile:",
}


def shared(where: Home, audience: str) -> Path:
    """The memory that all lives of this audience share, by the audience's name; a hash keeps two names apart."""
    return where.root / notes.FOLDER / SHARED / f"{names.slug(audience, 40)}-{content_id(audience.encode())[:8]}"


def watched(where: Home, self_id: str, audience: str) -> list[Path]:
    """What has to be looked at to know whether it is what it was: folders, for what comes and goes, and files."""
    if bootstrap.kind(audience) == "helper":
        return []
    found = [_profile(where, self_id, audience)] if bootstrap.kind(audience) == "private" else []
    for memory in (where.agent(self_id) / notes.FOLDER, shared(where, audience)):
        for kind in KINDS:
            top = memory / "semantic" / kind
            found += [top, *(path for one in _inside(top) for path in (one, *_inside(one)))]
    return found


def texts(where: Home, self_id: str, audience: str, limit: int) -> dict[str, str]:
    """What is told of each, "" for nothing, in a context of so many tokens. Raises OSError."""
    if bootstrap.kind(audience) == "helper":
        return {RULES: "", PROFILE: ""}
    memories = (where.agent(self_id) / notes.FOLDER, shared(where, audience))
    rows = [row for _, row in sorted(one for memory in memories for one in _titles(memory))]
    private = bootstrap.kind(audience) == "private"
    person = list(_lines(_profile(where, self_id, audience))) if private else []
    return {
        RULES: _fitted(HEADS[RULES], list(dict.fromkeys(rows)), int(SHARES[RULES] * limit), last=True),
        PROFILE: _fitted(HEADS[PROFILE], person, int(SHARES[PROFILE] * limit), last=False),
    }


def _profile(where: Home, self_id: str, audience: str) -> Path:
    """The profile of the person whose life it is."""
    person = names.folder(audience.partition(" ")[2])
    return where.agent(self_id) / notes.FOLDER / "personal" / person / "profile.yaml"


def _inside(folder: Path) -> list[Path]:
    try:
        return sorted(Path(one) for one in os.scandir(folder) if not one.is_symlink())
    except OSError:
        return []


def _titles(memory: Path) -> Iterator[tuple[float, str]]:
    """The first line of each entry, and when its file was made."""
    for kind in KINDS:
        for folder in _inside(memory / "semantic" / kind):
            for path in _inside(folder):
                first = next(_lines(path), "") if path.suffix == ".md" and disk.is_file(path) else ""
                if title := first.lstrip("# "):
                    yield path.stat().st_mtime, f"- {title}"


def _lines(path: Path) -> Iterator[str]:
    """The lines of a file that say something, without secrets."""
    try:
        text = disk.read(path, MOST).decode("utf-8", "replace")
    except OSError:
        return
    for row in secrets.masked(text).split("\n"):
        if row.strip() and not (row.lstrip().startswith("#") and path.suffix != ".md"):
            yield (
                escape.one_line(row.rstrip(), LONGEST)
                if not row.startswith(" ")
                else f"  {escape.one_line(row, LONGEST)}"
            )


def _fitted(head: str, rows: list[str], room: int, *, last: bool) -> str:
    """As many rows as have room, the last or the first of them."""
    left, kept = room - tokens.estimate(head) - 12, list[str]()
    for row in reversed(rows) if last else rows:
        left -= tokens.estimate(row) + 1
        if left < 0:
            break
        kept.append(row)
    more = [f"({len(rows) - len(kept):,} more found no room here)"] if len(kept) < len(rows) else []
    return "\n".join([head, *(reversed(kept) if last else kept), *more]) if kept else ""
