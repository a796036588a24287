"""What repeats in a life: what its person says once for all or asks for again, and lines of its daily notes.

Only its person's own words count. Once a life had a stranger's words before it, a line of its notes counts only where
one message of its person has its words: a page, a file or an agent teaches it nothing. What may graduate by itself is
less: what its person wrote by hand, in so many words, and did not take back. Owns nothing on disk.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from pathlib import Path

from dotagent.dreaming import signs, stale
from dotagent.dreaming.proposal import Proposal
from dotagent.dreaming.signs import OFTEN, TWICE, Noted
from dotagent.life import events, origins
from dotagent.life.events import Hear
from dotagent.life.replay import derive
from dotagent.project.episodes import Episode
from dotagent.store import bootstrap, disk, home, log, notes
from dotagent.store.blobs import BlobCorrupt, BlobMissing
from dotagent.store.home import Home
from dotagent.text import said, secrets, standing, times, words

WINDOW = timedelta(days=180)
TOLD, ASKED, NOTED = "decision", "request", "note"
BROUGHT = "brought"  # the tool of what may be somebody else's: forwarded, sent with a file, or as long as a page
LONGEST, LEAST = 300, 3  # characters of what is asked again; its words
BACKED = 0.8  # share of a note's telling words that one message of the person has
MOST = 1 << 20
LASTING = "MEMORY.md"
BLOB = "blob"
_LINE = re.compile(r"[-*] (?:(\d\d:\d\d) )?(\S.*)")
_BEATS = "## Heartbeats"
_OTHERS = re.compile(r"\(forwarded\)|^\s*>|[\"“„‚‘«][^\"”“’»]{12,}[\"”“’»]", re.MULTILINE)  # what a message repeats


def proposals(noted: Sequence[Noted], path: Path) -> Iterator[Proposal]:
    """What was seen often enough; of the notes what MEMORY.md does not say yet."""
    yield from signs.said(noted, frozenset((TOLD,)), TWICE, "rule", "instructions", "{}")
    yield from signs.said(noted, frozenset((ASKED,)), OFTEN, "pattern", "requests", "asked again and again: {}")
    lasting = _text(path / LASTING)
    for one in signs.said(noted, frozenset((NOTED,)), TWICE, "memory", "notes", "{}"):
        if one.title not in lasting:
            yield one


def sure(noted: Sequence[Noted]) -> list[Proposal]:
    """Rules that need nobody's review where settings say so: said by hand on two days, and nothing to the contrary."""
    own = [one for one in noted if one.event.kind == TOLD and one.event.tool != BROUGHT]
    found = signs.said(own, frozenset((TOLD,)), TWICE, "rule", "instructions", "{}")
    return [one for one in found if not any(stale.contrary(one.title, other) for other in noted)]


def history(where: Home, self_id: str) -> list[Noted]:
    """What its person said and what it noted, oldest first. Raises Misuse, OSError."""
    settings = home.settings(where)
    state = derive(where, self_id, settings.context_limit).state
    told = list(_heard(where, self_id, state.audience, home.owner(settings)))
    noted = list(_noted(where.agent(self_id))) if bootstrap.kind(state.audience) == "private" else []
    if origins.foreign(state.heard.origins):
        messages = [set(words.stems(one.event.summary)) for one in told]
        noted = [one for one in noted if _backed(set(words.stems(one.event.summary)), messages)]
    return sorted((*told, *noted), key=lambda one: one.event.ts)


def heard(where: Home, id: str) -> str:
    """The message of this id; nothing where it is gone, of which doctor tells."""
    try:
        return where.store().get(id).body[:MOST].decode("utf-8", "replace")
    except (BlobMissing, BlobCorrupt):
        return ""


def _heard(where: Home, self_id: str, audience: str, owner: str) -> Iterator[Noted]:
    """Each sentence that stands once for all, and each message, of its person."""
    path = where.agent(self_id) / "LIFE.md"
    newest = next((line.at for line in log.backwards(path)), "")
    if not newest:
        return
    begin = (times.parse(newest) - WINDOW).strftime("%Y-%m-%d")
    for line in log.lines(path, log.since(path, begin)):
        event = events.parse(line) if line.event == Hear.WORD else None
        if not isinstance(event, Hear) or not line.id or not origins.is_persons(event, audience):
            continue
        for one in said.messages(line.event, heard(where, line.id), owner):
            at = one.at if times.is_stamp(one.at) else line.at
            firm = standing.standing(one.text)
            brought = bool(event.media) or len(one.text) > LONGEST or bool(_OTHERS.search(one.text))
            for sentence in firm:
                yield _event(f"{BLOB}:{line.id}", at, one.name, TOLD, sentence, BROUGHT if brought else "")
            if not firm and len(one.text) <= LONGEST and len(words.raw(one.text)) >= LEAST:
                yield _event(f"{BLOB}:{line.id}", at, one.name, ASKED, one.text)


def _event(ref: str, at: str, who: str, kind: str, told: str, tool: str = "") -> Noted:
    """A day is a session: what is said twice in a talk is no habit."""
    flat = " ".join(secrets.masked(told).split())
    return Noted(ref, Episode(at, who, at[:10], kind, tool, summary=flat))


def _noted(path: Path) -> Iterator[Noted]:
    """The lines of the daily notes, but for heartbeats."""
    days = sorted(one.stem for one in (path / notes.FOLDER).glob("*.md") if notes.DAY.fullmatch(one.stem))
    begin = (times.parse(f"{days[-1]}T00:00:00Z") - WINDOW).strftime("%Y-%m-%d") if days else ""
    for day in (one for one in days if one >= begin):
        heading = ""
        for number, row in enumerate(_text(notes.path(path, day)).split("\n"), 1):
            heading = row.strip() if row.startswith("#") else heading
            found = _LINE.fullmatch(row.rstrip()) if heading != _BEATS else None
            if found:
                at = f"{day}T{found[1] or '00:00'}:00Z"
                if times.is_stamp(at):
                    yield _event(f"{day}.md:{number}", at, NOTED, NOTED, found[2])


def _backed(mine: set[str], messages: Iterable[set[str]]) -> bool:
    """Whether one message has most of these words."""
    return bool(mine) and any(len(mine & said) >= BACKED * len(mine) for said in messages)


def _text(path: Path) -> str:
    return disk.read(path, MOST, missing=b"").decode("utf-8", "replace")
