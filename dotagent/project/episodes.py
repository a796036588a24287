"""What happened in a project: an event a line of `episodic/YYYY/MM/DD/<actor>__<session>.jsonl`, under its lock.

A file belongs to one actor, session and day, so that two people's work never meets in one, and git merges it without
a conflict. Secrets are masked before a line is written. Owns those files.
"""

from __future__ import annotations

import json
import os
import platform
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from dotagent.project.place import Project
from dotagent.store import disk
from dotagent.store import lines as ends
from dotagent.text import escape, secrets, times

LONGEST = 1 << 16  # bytes of a line
FILES, WORDS = 100, 300  # files of an event, characters of its summary
NAME = re.compile(r"[a-z0-9.-]+__[a-z0-9.-]+\.jsonl")
PATTERN = "[0-9][0-9][0-9][0-9]/[0-9][0-9]/[0-9][0-9]/*.jsonl"


@dataclass(frozen=True)
class Episode:
    """One event: when, who, which agent and tool, in which session, where, what, in which files."""

    ts: str
    actor: str
    session: str
    kind: str
    tool: str = ""
    agent: str = ""
    host: str = ""
    repo: str = ""
    branch: str = ""
    room: str = ""
    files: tuple[str, ...] = ()
    diff_sha: str = ""
    summary: str = ""
    ref: str = ""


NAMES = tuple(one.name for one in fields(Episode) if one.name != "files")
PLAIN = 280  # characters of all fields together: of more, each is cut to its own length
_PLAIN = re.compile(r"[ -~\t]*")


def made(told: Mapping[str, object]) -> Episode:
    """The event of these fields, each of its kind, one line, without secrets; what else there is, is left out."""
    given = told.get("files")
    files = [one for one in given[:FILES] if isinstance(one, str)] if isinstance(given, list | tuple) else []
    texts = {name: one if isinstance(one := told.get(name), str) else "" for name in NAMES}
    whole = "\t".join((*texts.values(), *files))
    if len(whole) > PLAIN or not _PLAIN.fullmatch(whole) or secrets.found(whole):
        texts = {name: _text(one) for name, one in texts.items()}
        files = [_text(one) for one in files]
    return Episode(**texts, files=tuple(files))


def _text(value: str) -> str:
    return escape.one_line(secrets.masked(value), WORDS)


def append(project: Project, episode: Episode) -> Path:
    """Append the event to the file of its day, durably; the file. Raises OSError."""
    day = times.parse(episode.ts).strftime("%Y/%m/%d")
    path = project.episodic / day / f"{episode.actor}__{episode.session}.jsonl"
    disk.make_dir(path.parent)
    told = {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(episode).items()}
    line = json.dumps(told, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
    fd = disk.open_file(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        with disk.locked(fd):
            disk.append_line(fd, line, path)
            disk.sync(fd, path)
    finally:
        os.close(fd)
    return path


def listed(project: Project) -> list[Path]:
    """All files of events, oldest first."""
    found = (path for path in project.episodic.glob(PATTERN) if NAME.fullmatch(path.name) and disk.is_file(path))
    return sorted(found)


def read(path: Path, start: int = 0) -> Iterator[tuple[int, Episode]]:
    """The whole events of a file from a byte on, each with the offset behind it; what is none is passed over."""
    with disk.reading(path) as file:
        file.seek(start)
        for _, end, raw in ends.whole(file, LONGEST):
            if one := _event(raw):
                yield end, one


def numbered(path: Path) -> Iterator[tuple[int, Episode]]:
    """The events of a file, each with the number of its line."""
    with disk.reading(path) as file:
        for number, (_, _, raw) in enumerate(ends.whole(file, LONGEST), 1):
            if one := _event(raw):
                yield number, one


def _event(raw: bytes) -> Episode | None:
    try:
        told = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    one = made(told) if isinstance(told, dict) else None
    return one if one and times.is_stamp(one.ts) and one.actor and one.kind else None


def host() -> str:
    """This machine's name."""
    return platform.node()
