"""What a life does now, `memory/working/<owner>/current.json`, in the form of a project's: for people and other tools.

Its own prompt holds the same already, as its context. The file is made of LIFE's end whenever nothing is left to do,
and may be deleted. Owns that file.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from dotagent.life import events
from dotagent.life.events import Boot, Effect, Hear, Reply, Result, Resume
from dotagent.life.session import Session
from dotagent.store import disk, log, notes
from dotagent.store.log import Line
from dotagent.text import escape, names, secrets, times
from dotagent.text.reference import short

RECENT = 20  # events, and files, that are told
BACK = 100  # events of LIFE that are looked at
FILE = "_FILE"  # how the names of tools end that write one
LONGEST = 120  # characters of what is told of one


class Working:
    """The working memory of one life."""

    def __init__(self, session: Session) -> None:
        self._session, self._told, self._size = session, "", 0
        self._begun = times.now()

    def tell(self) -> None:
        """Write what is so now, unless that stands there."""
        session = self._session
        if session.terms is not None:  # a helper has no memory but its context
            return
        life = session.path / "LIFE.md"
        if life.stat().st_size == self._size:
            return
        self._size = life.stat().st_size
        lines = log.tail(life, BACK)
        at = next((line.at for line in reversed(lines) if _event(line)), "")
        if at == self._told:
            return
        self._told = at
        owner = names.folder(session.owner)
        path = session.path / notes.FOLDER / "working" / owner / "current.json"
        told = json.dumps(self._now(owner, at, lines), ensure_ascii=False, indent=2) + "\n"
        disk.make_dir(path.parent)
        disk.replace(path, told.encode("utf-8", "replace"), durable=False)

    def _now(self, owner: str, at: str, lines: list[Line]) -> dict[str, Any]:
        told = [one for line in reversed(lines) if (one := _event(line))]
        begun = (line.at for line in reversed(lines) if line.event in (Boot.WORD, Resume.WORD))
        return {
            "actor": owner,
            "session": short(self._session.id),
            "tool": "dotagent",
            "branch": "",
            "started_at": next(begun, self._begun),
            "updated_at": at,
            "task": next((str(one["summary"]) for one in told if one["kind"] == "message"), ""),
            "recent_files": list(dict.fromkeys(_files(lines)))[:RECENT],
            "recent_events": told[:RECENT],
        }


def _event(line: Line) -> dict[str, str]:
    """One event as it is told; {} for what tells nobody anything."""
    match events.parse(line):
        case Hear():
            return _told(line.at, "message", "", line.gist)
        case Reply():
            return _told(line.at, "answer", "", line.gist)
        case Result(tool=name):
            return _told(line.at, "result", name, line.gist)
        case Effect(tool=name, what=what) if name.endswith(FILE):
            return _told(line.at, "edit", name, _written(what))
    return {}


def _written(what: str) -> str:
    """The file that the announcement of a change names, behind what it was and what it becomes."""
    return (*what.split(" ", 2), "", "")[2]


def _told(at: str, kind: str, tool: str, words: str) -> dict[str, str]:
    return {"ts": at, "kind": kind, "tool": tool, "summary": escape.one_line(secrets.masked(words), LONGEST)}


def _files(lines: list[Line]) -> Iterator[str]:
    """The files that were written, the last first."""
    for line in reversed(lines):
        event = events.parse(line)
        if isinstance(event, Effect) and event.tool.endswith(FILE):
            yield _written(event.what)
