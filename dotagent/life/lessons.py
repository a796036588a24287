"""The lessons of an agent as its prompt shows them: rules and patterns, its own and shared ones of its audience, and
the profile of its person.

Each has a share of the context. They are entries, repeated only when they change or after a swap, so that the prompt
before them stays unchanged. Reads `memory/semantic/` and `memory/personal/` of the agent, and
`memory/shared/<audience>/` of the home.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from dotagent.life.context import PROFILE, RULES
from dotagent.store import bootstrap, disk, half_saved, notes, room_copies
from dotagent.store.blobs import content_id
from dotagent.store.home import Home
from dotagent.text import encoding, escape, names, secrets, tokens

SHARES = {RULES: 0.02, PROFILE: 0.01}  # share of the context's limit
KINDS = ("rules", "patterns")
SHARED = "shared"
LONGEST, MOST = 300, 1 << 16  # characters of a line; bytes read from a file
HEADS = {
    RULES: "Learned rules that are in effect (a search finds the reasons):",
    PROFILE: "The profile of my person:",
}


def shared_folder(where: Home, audience: str) -> Path:
    """Return the folder of the memory that agents of this audience share. A hash keeps similar names apart."""
    return where.root / notes.FOLDER / SHARED / f"{names.slug(audience, 40)}-{content_id(audience.encode())[:8]}"


def watched(where: Home, self_id: str, audience: str) -> list[Path]:
    """Return the folders and files whose change means that the texts may differ."""
    if bootstrap.kind(audience) == "helper":
        return []
    found = [_profile(where, self_id, audience)] if bootstrap.kind(audience) == "private" else []
    for memory in (where.agent(self_id) / notes.FOLDER, shared_folder(where, audience)):
        for kind in KINDS:
            top = memory / "semantic" / kind
            found += [top, *(path for one in _inside(top) for path in (one, *_inside(one)))]
    return found


def texts(where: Home, self_id: str, audience: str, limit: int) -> dict[str, str]:
    """Return the text of RULES and PROFILE, "" for no text, for a context of `limit` tokens. Raises OSError."""
    if bootstrap.kind(audience) == "helper":
        return {RULES: "", PROFILE: ""}
    memories = (where.agent(self_id) / notes.FOLDER, shared_folder(where, audience))
    rows = [row for _, row in sorted(one for memory in memories for one in _titles(memory))]
    private = bootstrap.kind(audience) == "private"
    person = list(_lines(_profile(where, self_id, audience))) if private else []
    return {
        RULES: _fitted(HEADS[RULES], list(dict.fromkeys(rows)), int(SHARES[RULES] * limit), last=True),
        PROFILE: _fitted(HEADS[PROFILE], person, int(SHARES[PROFILE] * limit), last=False),
    }


def _profile(where: Home, self_id: str, audience: str) -> Path:
    """Return the path of the profile of the agent's person."""
    person = names.folder(audience.partition(" ")[2])
    return where.agent(self_id) / notes.FOLDER / "personal" / person / "profile.yaml"


def _inside(folder: Path) -> list[Path]:
    return [folder / name for name in disk.names(folder) if not (folder / name).is_symlink()]


def _titles(memory: Path) -> Iterator[tuple[float, str]]:
    """Yield the time and the first line of each entry's file."""
    for kind in KINDS:
        for folder in _inside(memory / "semantic" / kind):
            for path in room_copies.without(_inside(folder)):
                first = next(_lines(path), "") if path.suffix == ".md" and disk.is_file(path) else ""
                if title := first.lstrip("# "):
                    yield path.stat().st_mtime, f"- {title}"


def _lines(path: Path) -> Iterator[str]:
    """Yield the lines of a file without comments and blank lines, with secrets masked."""
    try:
        data = disk.read(path, MOST)
        if not data.endswith(b"\n"):
            data = half_saved.settled(path, lambda: disk.read(path, MOST), lambda data: data.endswith(b"\n"))
        text = encoding.utf8(data).decode("utf-8", "replace")
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
    """Return the head and as many rows as fit into `room` tokens: the last or the first ones."""
    left, kept = room - tokens.estimate(head) - 12, list[str]()
    for row in reversed(rows) if last else rows:
        left -= tokens.estimate(row) + 1
        if left < 0:
            break
        kept.append(row)
    more = [f"({len(rows) - len(kept):,} more did not fit here)"] if len(kept) < len(rows) else []
    return "\n".join([head, *(reversed(kept) if last else kept), *more]) if kept else ""
