"""Repetitions in an agent's history: its owner's standing instructions and requests, and lines of its daily notes.

Only the owner's own words count. If a stranger's words have been in the context, a line of the notes counts only if one
message of the owner has its words, so that a page, a file or an agent cannot teach the agent anything. Even less can be
learned without a review: text that the owner typed, literally, without a later contradiction. Owns nothing on disk.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from pathlib import Path

from dotagent.capabilities.learning import signs, stale
from dotagent.capabilities.learning.proposal import Proposal
from dotagent.capabilities.learning.signs import OFTEN, TWICE, Noted
from dotagent.life import events, origins
from dotagent.life.events import Hear
from dotagent.life.replay import derive
from dotagent.project.episodes import Episode
from dotagent.store import bootstrap, disk, home, log, log_search, notes
from dotagent.store.blobs import BlobCorrupt, BlobMissing
from dotagent.store.home import Home
from dotagent.text import secrets, source_marks, speakers, standing_instructions, times, words

WINDOW = timedelta(days=180)
TOLD, ASKED, NOTED = "decision", "request", "note"
BROUGHT = "brought"  # the tool of text that may be another's: forwarded, sent with a file, or as long as a page
LONGEST, LEAST = 300, 3  # characters and words of a repeated request
BACKED = 0.8  # share of a note's informative words that one message of the person must contain
MOST = 1 << 20
LASTING = "MEMORY.md"
BLOB = "blob"
_LINE = re.compile(r"[-*] (?:(\d\d:\d\d) )?(\S.*)")
_BEATS = "## Heartbeats"
_OTHERS = re.compile(r"[\"“„‚‘«][^\"”“’»]{12,}[\"”“’»]")  # text in quotation marks


def proposals(noted: Sequence[Noted], path: Path) -> Iterator[Proposal]:
    """Yield frequent repetitions; a repeated note counts only if MEMORY.md lacks it."""
    yield from signs.repeated_texts(noted, frozenset((TOLD,)), TWICE, "rule", "instructions", "{}")
    yield from signs.repeated_texts(
        noted, frozenset((ASKED,)), OFTEN, "pattern", "requests", "asked again and again: {}"
    )
    lasting = _text(path / LASTING)
    for one in signs.repeated_texts(noted, frozenset((NOTED,)), TWICE, "memory", "notes", "{}"):
        if one.title not in lasting:
            yield one


def propose_sure(noted: Sequence[Noted]) -> list[Proposal]:
    """Return rules that need no review if settings allow that: typed on two days, without a contradiction."""
    own = [one for one in noted if one.event.kind == TOLD and one.event.tool != BROUGHT]
    found = signs.repeated_texts(own, frozenset((TOLD,)), TWICE, "rule", "instructions", "{}")
    return [one for one in found if not any(stale.contrary(one.title, other) for other in noted)]


def history(where: Home, self_id: str) -> list[Noted]:
    """Return the owner's messages and the agent's notes, oldest first. Raises Misuse, OSError."""
    settings = home.settings(where)
    state = derive(where, self_id, settings.context_limit).state
    told = list(_owner_messages(where, self_id, state.audience, home.owner(settings), settings.admission))
    noted = list(_note_lines(where.agent(self_id))) if bootstrap.kind(state.audience) == "private" else []
    if origins.foreign(state.heard.origins):
        messages = [set(words.stems(one.event.summary)) for one in told]
        noted = [one for one in noted if _backed(set(words.stems(one.event.summary)), messages)]
    return sorted((*told, *noted), key=lambda one: one.event.ts)


def message_text(where: Home, id: str) -> str:
    """Return the message with this id, or "" if it is lost, which doctor reports."""
    try:
        return where.store().get(id).body[:MOST].decode("utf-8", "replace")
    except (BlobMissing, BlobCorrupt):
        return ""


def _owner_messages(
    where: Home, self_id: str, audience: str, owner: str, rules: Mapping[str, Sequence[str]]
) -> Iterator[Noted]:
    """Yield each standing instruction and each message of the owner, except what the setting `admission` keeps out."""
    path = where.agent(self_id) / "LIFE.md"
    newest = next((line.at for line in log.backwards(path)), "")
    if not newest:
        return
    begin = (times.parse(newest) - WINDOW).strftime("%Y-%m-%d")
    for line in log.lines(path, log_search.offset_of_day(path, begin)):
        event = events.parse(line) if line.event == Hear.WORD else None
        if not isinstance(event, Hear) or not line.id or not origins.is_persons(event, audience):
            continue
        if event.room in rules.get("rooms", ()):
            continue
        parts = speakers.messages(line.event, message_text(where, line.id), owner)
        for one in (part for part in parts if part.person and part.name not in rules.get("senders", ())):
            at = one.at if times.is_stamp(one.at) else line.at
            firm = standing_instructions.standing(one.text)
            brought = bool(event.media) or len(parts) > 1 or len(one.text) > LONGEST or bool(_OTHERS.search(one.text))
            for sentence in firm:
                yield _event(f"{BLOB}:{line.id}", at, one.name, TOLD, sentence, BROUGHT if brought else "")
            if not firm and len(one.text) <= LONGEST and len(words.raw(one.text)) >= LEAST:
                yield _event(f"{BLOB}:{line.id}", at, one.name, ASKED, one.text)


def _event(ref: str, at: str, who: str, kind: str, told: str, tool: str = "") -> Noted:
    """Return an event whose session is the day, because repetition within a talk is not a habit."""
    flat = " ".join(secrets.masked(told).split())
    return Noted(ref, Episode(at, who, at[:10], kind, tool, summary=flat))


def _note_lines(path: Path) -> Iterator[Noted]:
    """Yield the lines of the daily notes, without heartbeats and without lines that rest on others' words."""
    days = [one[:-3] for one in disk.names(path / notes.FOLDER, ".md") if notes.DAY.fullmatch(one[:-3])]
    begin = (times.parse(f"{days[-1]}T00:00:00Z") - WINDOW).strftime("%Y-%m-%d") if days else ""
    for day in (one for one in days if one >= begin):
        heading = ""
        for number, row in enumerate(_text(notes.path(path, day)).split("\n"), 1):
            heading = row.strip() if row.startswith("#") else heading
            found = _LINE.fullmatch(row.rstrip()) if heading != _BEATS else None
            if found and not source_marks.source_of(row):
                at = f"{day}T{found[1] or '00:00'}:00Z"
                if times.is_stamp(at):
                    yield _event(f"{day}.md:{number}", at, NOTED, NOTED, found[2])


def _backed(mine: set[str], messages: Iterable[set[str]]) -> bool:
    """Return True if one message contains most of these words."""
    return bool(mine) and any(len(mine & said) >= BACKED * len(mine) for said in messages)


def _text(path: Path) -> str:
    return disk.read(path, MOST, missing=b"").decode("utf-8", "replace")
