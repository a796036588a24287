"""The events of a project, one per line of `episodic/YYYY/MM/DD/<actor>__<session>.jsonl`, written under the file's
lock.

A file belongs to one actor, session and day. So two people never write the same file, and git merges without conflicts.
Secrets are masked before a line is written. Owns these files.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from dotagent.project.place import Project
from dotagent.store import disk, safe_paths
from dotagent.store import lines as ends
from dotagent.text import escape, secrets, times
from dotagent.text.lazy import asdict, dataclass, fields

LONGEST = 1 << 16  # bytes of a line
FILES, WORDS = 100, 300  # files of an event, characters of its summary
NAME = re.compile(r"[a-z0-9.-]+__[a-z0-9.-]+\.jsonl")
PATTERN = "[0-9][0-9][0-9][0-9]/[0-9][0-9]/[0-9][0-9]/*.jsonl"


@dataclass(frozen=True)
class Episode:
    """One event: time, actor, session, kind, tool, agent, machine, repository, branch, room, files, summary and
    more."""

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
PLAIN = 280  # characters of all fields together; if longer, each is cut
_PLAIN = re.compile(r"[ -~\t]*")


def make_episode(told: Mapping[str, object]) -> Episode:
    """Return the event with these fields. Each text becomes one line without secrets. Unknown fields are ignored."""
    given = told.get("files")
    files = [one for one in given[:FILES] if isinstance(one, str)] if isinstance(given, list | tuple) else []
    texts = {name: one if isinstance(one := told.get(name), str) else "" for name in NAMES}
    whole = "\t".join((*texts.values(), *files))
    if len(whole) > PLAIN or not _PLAIN.fullmatch(whole) or secrets.find_secrets(whole):
        texts = {name: _text(one) for name, one in texts.items()}
        files = [_text(one) for one in files]
    return Episode(**texts, files=tuple(files))


def _text(value: str) -> str:
    return escape.one_line(secrets.masked(value), WORDS)


def append(project: Project, episode: Episode) -> Path:
    """Append the event durably to the file of its day, and return the file. Raise OSError."""
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


def list_files(project: Project) -> list[Path]:
    """Return all files of events, oldest first."""
    there = safe_paths.matching(project.agent, f"{project.episodic.relative_to(project.agent).as_posix()}/{PATTERN}")
    return [path for path in there if NAME.fullmatch(path.name) and disk.is_file(path)]


def read(path: Path, start: int = 0) -> Iterator[tuple[int, Episode]]:
    """Yield the complete events of a file from a byte on, each with the offset after it. Invalid lines are skipped."""
    with disk.reading(path) as file:
        file.seek(start)
        for _, end, raw in ends.complete_lines(file, LONGEST):
            if one := _event(raw):
                yield end, one


def numbered(path: Path) -> Iterator[tuple[int, Episode]]:
    """Yield the events of a file, each with its line number."""
    with disk.reading(path) as file:
        for number, (_, _, raw) in enumerate(ends.complete_lines(file, LONGEST), 1):
            if one := _event(raw):
                yield number, one


def _event(raw: bytes) -> Episode | None:
    try:
        told = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    one = make_episode(told) if isinstance(told, dict) else None
    return one if one and times.is_stamp(one.ts) and one.actor and one.kind else None
