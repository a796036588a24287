"""Read OpenClaw's conversations and jobs from its SQLite files, and jobs of other programs from JSON.

Nothing there is changed: a file is opened as immutable, or, if its last changes are still in another file, a copy of
both. Messages come in pieces, so that long conversations need little memory. Owns nothing on disk.
"""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec

from dotagent.errors import Trouble
from dotagent.store import directories, disk, zstd
from dotagent.text import escape, schedule, times
from dotagent.text.lazy import dataclass

MAIN = "main"  # the agent of the folder `workspace`
JOBS = "state/openclaw.sqlite"
LISTS = ("cron/jobs.json", "cron/action.jsonl")  # a file of jobs, in JSON
FOLDER = "memory/talk"
PIECE = 600_000  # bytes of a file without marks: the search reads at most a megabyte of each
LONGEST = 4 << 20  # bytes of one event, OpenClaw's own limit
SPOKEN = {"user": "person", "assistant": "agent"}


@dataclass(frozen=True)
class TalkPart:
    """A part of a conversation: its file's path in the agent's directory, its text, and the number of its messages."""

    path: str
    text: str
    messages: int


def talks(beside: Path) -> tuple[list[Path], list[Path]]:
    """Return the files with the conversations of the workspace's agent, and those of other agents."""
    folders = [beside / "agents" / name / "agent" for name in directories.names(beside / "agents")]
    found = [one / name for one in folders for name in directories.names(one) if name.endswith(".sqlite")]
    mine = [path for path in found if path.parts[-3] == MAIN] or (found if len(found) == 1 else [])
    return mine, [path for path in found if path not in mine]


def read(path: Path) -> Iterator[TalkPart]:
    """Yield the conversations, each in parts. Raise Trouble for a file of another form."""
    with _opened(path) as db:
        used = dict[str, int]()
        for key, sessions in _conversations(db):
            name = re.sub(r"[^\w.-]+", "-", key).strip("-.")[:80] or "talk"
            lines, size = list[str](), 0
            for line in _messages(db, sessions):
                lines.append(line)
                size += len(line.encode("utf-8", "replace"))
                if size >= PIECE:
                    yield _part(name, used, key, lines)
                    lines, size = [], 0
            if lines:
                yield _part(name, used, key, lines)


def _part(name: str, used: dict[str, int], key: str, lines: list[str]) -> TalkPart:
    number = used[name] = used.get(name, 0) + 1
    path = f"{FOLDER}/{name}{f'-{number}' if number > 1 else ''}.md"
    return TalkPart(path, f"# Conversation {escape.one_line(key, 200)}\n\n{''.join(lines)}", len(lines))


def _conversations(db: sqlite3.Connection) -> Iterator[tuple[str, list[str]]]:
    """Yield the key of each conversation, and its sessions in the order of their beginning."""
    begun = dict[str, list[str]]()
    windows = {"session_id", "session_key", "created_at"} <= _columns(db, "session_windows")
    keys = (
        dict(db.execute("SELECT session_id, session_key FROM session_windows ORDER BY created_at")) if windows else {}
    )
    there = [str(row[0]) for row in db.execute("SELECT DISTINCT session_id FROM transcript_events")]
    order = {id: number for number, id in enumerate(keys)}
    for id in sorted(there, key=lambda id: (order.get(id, len(order)), id)):
        begun.setdefault(str(keys.get(id, id)), []).append(id)
    yield from begun.items()


def _messages(db: sqlite3.Connection, sessions: list[str]) -> Iterator[str]:
    """Yield what person and agent said, each as a list item with its time and speaker."""
    columns = _columns(db, "transcript_events")
    packed = "event_zstd" if "event_zstd" in columns else "NULL"
    at = "created_at" if "created_at" in columns else "NULL"
    sql = f"SELECT event_json, {packed}, {at} FROM transcript_events WHERE session_id = ? ORDER BY seq"
    for id in sessions:
        for plain, compressed, made in db.execute(sql, (id,)):
            event = _event(plain, compressed)
            message = event.get("message") if event.get("type") == "message" else None
            if not isinstance(message, dict) or message.get("role") not in SPOKEN:
                continue
            text = _text(message.get("content"))
            if text.strip():
                words = escape.indent(escape.printable(text).strip()).lstrip()
                yield f"- {_time(event.get('timestamp'), made)}{SPOKEN[message['role']]}: {words}\n"


def _event(plain: object, compressed: object) -> dict[str, Any]:
    """Return an event, or {} if it is damaged."""
    if isinstance(compressed, bytes):
        plain = _unpacked(compressed)
    try:
        told = msgspec.json.decode(plain) if isinstance(plain, str) else {}
    except (msgspec.DecodeError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}


def _unpacked(data: bytes) -> str:
    module = zstd.load()
    try:
        unpacked: bytes = module.ZstdDecompressor().decompress(data, max_length=LONGEST)
    except (module.ZstdError, EOFError):
        return ""
    return unpacked.decode("utf-8", "replace")


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(str(one["text"]) for one in parts
                     if isinstance(one, dict) and one.get("type") == "text" and one.get("text"))  # fmt: skip


def _time(told: object, made: object) -> str:
    """Return the time for a message's line, in the person's zone, or "" if it is unknown."""
    if isinstance(told, str) and told.endswith("Z"):
        told = f"{told[:16]}Z"  # the same for many messages
    return _minute(told if isinstance(told, str | int | float) else made if isinstance(made, int) else None)


@lru_cache(1000)
def _minute(told: str | float | None) -> str:
    try:
        if isinstance(told, str):
            at = times.make_stamp(datetime.fromisoformat(told))
        else:
            at = times.make_stamp(datetime.fromtimestamp(told / 1000, UTC)) if told else ""
    except (ValueError, OverflowError, OSError):
        return ""
    return f"{times.format_stamp(at).replace('T', ' ')} " if at else ""


def jobs(path: Path) -> list[str]:
    """Return each job of OpenClaw as a line for a person: its name, times and text. Raise Trouble."""
    with _opened(path) as db:
        if "job_json" not in _columns(db, "cron_jobs"):
            return []
        return [_job(_event(told, None)) for (told,) in db.execute("SELECT job_json FROM cron_jobs")]


def instructions(path: Path) -> list[str]:
    """Return what OpenClaw's heartbeats and jobs are told, each as a line for a person. Raise Trouble."""
    with _opened(path) as db:
        rows = db.execute("SELECT * FROM cron_job_scratch") if _columns(db, "cron_job_scratch") else ()
        texts = (max((one for one in row if isinstance(one, str)), key=len, default="") for row in rows)
        return [escape.one_line(one, 300) for one in texts if one.strip()]


def listed(path: Path) -> list[str]:
    """Return each job of a JSON file of OpenClaw, Hermes or nanobot, or of nanobot's list of changes, as a line for a
    person. Raise Trouble."""
    try:
        data = disk.read(path, LONGEST)
        lines = [data] if path.suffix == ".json" else data.split(b"\n")
        told = [json.loads(one) for one in lines if one.strip()]
    except (OSError, ValueError, RecursionError) as error:
        raise Trouble(f"{path} is not a readable list of jobs ({escape.one_line(str(error), 100)})") from None
    found = [one.get("jobs", one.get("params")) if isinstance(one, dict) else one for one in told]
    each = (job for one in found for job in (one if isinstance(one, list) else [one]))
    return [_job(job) for job in each if isinstance(job, dict)]


def _job(job: dict[str, Any]) -> str:
    when, what = (one if isinstance(one, dict) else {} for one in (job.get("schedule"), job.get("payload")))
    found = {**job, **when}
    every = [(found.get("everyMs"), 0.001), (found.get("every_ms"), 0.001), (found.get("minutes"), 60)]
    spans = (schedule.compact(round(one * size)) for one, size in every if isinstance(one, int | float))
    words = [found.get(name) for name in ("expr", "cron", "at", "run_at", "schedule")]
    named = [next((f"every {one}" for one in spans), ""), *words, _time(found.get("atMs"), None)]
    at = [*[one for one in named if isinstance(one, str) and one][:1], found.get("tz")]
    texts = (one.get(name) for one in (what, job) for name in ("text", "message", "prompt"))
    text, due = next(filter(None, texts), ""), " ".join(str(one) for one in at if one).strip()
    return escape.one_line(f"“{job.get('name') or 'without a name'}” ({due or 'at no time'}): {text}", 300)


def _columns(db: sqlite3.Connection, table: str) -> set[str]:
    return {str(row[1]) for row in db.execute(f"PRAGMA table_info({table})")}


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a file without changing it or anything next to it. Raise Trouble."""
    with tempfile.TemporaryDirectory(prefix="dotagent-import-") as copy:
        waiting = path.with_name(f"{path.name}-wal")
        try:
            if waiting.exists() and waiting.stat().st_size:
                for one in (path, waiting):
                    with one.open("rb") as old, Path(copy, one.name).open("wb") as new:
                        shutil.copyfileobj(old, new)
                address = f"file:{quote(str(Path(copy, path.name)))}"
            else:
                address = f"file:{quote(str(path))}?mode=ro&immutable=1"
            with closing(sqlite3.connect(address, uri=True)) as db:
                db.execute("PRAGMA cache_size = -4000")
                yield db
        except sqlite3.Error as error:
            raise Trouble(f"{path} is not a readable database ({error})") from None
