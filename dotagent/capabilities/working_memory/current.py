"""The present work of an agent as `memory/working/<owner>/current.json`, in the form of a project's working memory: for
people and other tools.

The agent's own context contains the same. The file is made from the end of LIFE whenever no work is left, and may be
deleted. Owns that file.
"""

from __future__ import annotations

import json
from collections import deque
from typing import Any, NamedTuple

from dotagent import errors
from dotagent.life import events
from dotagent.life.events import Boot, Effect, Error, Hear, Reply, Result, Resume
from dotagent.life.session import Session
from dotagent.store import log, log_search, notes, safe_paths
from dotagent.store.log import Line
from dotagent.text import escape, names, secrets, times
from dotagent.text.reference import short

RECENT = 20  # events, and files, that are listed
BACK = 100  # events of LIFE that are read
FILE = "_FILE"  # the ending of the names of tools that write a file
LONGEST = 120  # characters of a summary
_ENCODED = json.JSONEncoder(ensure_ascii=False).encode
_LIST = "[\n    {}\n  ]"


class Current:
    """The working memory of one agent."""

    def __init__(self, session: Session) -> None:
        self._session, self._told, self._size, self._wrong = session, "", 0, ""
        self._begun = times.now()
        self._seen = deque[_Seen](maxlen=BACK)

    def write(self) -> None:
        """Write the file, unless nothing has changed."""
        session = self._session
        if session.terms is not None:  # a helper has no memory but its context
            return
        life = session.path / "LIFE.md"
        if life.stat().st_size == self._size:
            return
        self._seen.extend(map(_read_line, log.lines(life, self._size or log_search.lately(life, BACK))))
        self._size = life.stat().st_size
        at = next((one.line.at for one in reversed(self._seen) if one.told), "")
        if at == self._told:
            return
        self._told = at
        owner = names.folder(session.owner)
        name = f"{notes.FOLDER}/working/{owner}/current.json"
        told = _encoded(self._now(owner, at))
        try:
            safe_paths.replace(session.path, name, told.encode("utf-8", "replace"), durable=False)
        except OSError as error:
            why = f"could not write {name}: {errors.line(error)}"
            if why != self._wrong:
                session.record(Error(why))
            self._wrong = why

    def _now(self, owner: str, at: str) -> dict[str, Any]:
        newest = list(reversed(self._seen))
        told = [one.told for one in newest if one.told]
        begun = (one.line.at for one in newest if one.line.event in (Boot.WORD, Resume.WORD))
        return {
            "actor": owner,
            "session": short(self._session.id),
            "tool": "dotagent",
            "branch": "",
            "started_at": next(begun, self._begun),
            "updated_at": at,
            "task": next((one["summary"] for one in told if one["kind"] == "message"), ""),
            "recent_files": list(dict.fromkeys(one.file for one in newest if one.file))[:RECENT],
            "recent_events": told[:RECENT],
        }


def _encoded(told: dict[str, Any]) -> str:
    """Return the text of the file, with a line for each event, because `indent` of Python's json is slow."""
    rows = {name: [_ENCODED(one) for one in value] for name, value in told.items() if isinstance(value, list)}
    lines = {name: _LIST.format(",\n    ".join(row)) if row else "[]" for name, row in rows.items()}
    each = (f"  {_ENCODED(name)}: {lines.get(name) or _ENCODED(value)}" for name, value in told.items())
    return "{{\n{}\n}}\n".format(",\n".join(each))


class _Seen(NamedTuple):
    """An event that was read: its line, its entry ({}: no entry), and the file that it wrote."""

    line: Line
    told: dict[str, str]
    file: str


def _read_line(line: Line) -> _Seen:
    event = events.parse(line)
    wrote = isinstance(event, Effect) and event.tool.endswith(FILE)
    return _Seen(line, _event(line), _written_file(event.what) if isinstance(event, Effect) and wrote else "")


def _event(line: Line) -> dict[str, str]:
    """Return the entry of an event, or {} if it is not listed."""
    match events.parse(line):
        case Hear():
            return _make_row(line.at, "message", "", line.gist)
        case Reply():
            return _make_row(line.at, "answer", "", line.gist)
        case Result(tool=name):
            return _make_row(line.at, "result", name, line.gist)
        case Effect(tool=name, what=what) if name.endswith(FILE):
            return _make_row(line.at, "edit", name, _written_file(what))
    return {}


def _written_file(what: str) -> str:
    """Return the file that an EFFECT names, after the hashes of its old and new content."""
    return (*what.split(" ", 2), "", "")[2]


def _make_row(at: str, kind: str, tool: str, words: str) -> dict[str, str]:
    return {"ts": at, "kind": kind, "tool": tool, "summary": escape.one_line(secrets.masked(words), LONGEST)}
