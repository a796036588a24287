"""Job runs for an agent: one file each in `agents/<self>/due/`, written by the scheduler and taken by the agent.

`<job>@<time>.json` is created atomically, and removed once LIFE contains the run. The name identifies the run
permanently. LIFE records it, so a run that is delivered twice happens once.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from itertools import takewhile
from pathlib import Path

from dotagent.capabilities.scheduler.record import Wake
from dotagent.life import events
from dotagent.store import disk, log
from dotagent.store.home import Home
from dotagent.text import escape, lazy, names, times
from dotagent.text.lazy import asdict, dataclass, fields

LATE = 60.0  # seconds after which a run counts as late
_NAME = lazy.compile(rf"({names.FILE})@(\d{{8}}T\d{{6}}Z)\.json")


@dataclass(frozen=True)
class Due:
    """A run of a job: when it was due, its room, the time in words, and its task.

    `how` is empty, `late`, `missed` (too late to be made up) or `asked` (started by a person).
    """

    job: str
    at: str
    room: str
    how: str
    when: str
    text: str

    @property
    def key(self) -> str:
        """Return the name that permanently identifies the run."""
        return f"{self.job}@{self.at}"


def hand(home: Home, self_id: str, one: Due) -> bool:
    """Hand a run to an agent, durably. Return False if the same run is waiting already."""
    folder = home.agent(self_id) / "due"
    disk.make_dir(folder)
    data = escape.dumps(asdict(one)).encode("utf-8", "replace") + b"\n"
    return disk.create(folder / f"{one.job}@{times.compact(one.at)}.json", data)


def is_waiting(home: Home, self_id: str, job: str) -> bool:
    """Return True if a run of this job is waiting for the agent."""
    return bool(times_waiting(home, self_id, job))


def times_waiting(home: Home, self_id: str, job: str) -> list[datetime]:
    """Return the times of the runs of this job that wait for the agent. Invalid times are skipped."""
    found = list[datetime]()
    for name in disk.names(home.agent(self_id) / "due"):
        if (match := _NAME.fullmatch(name)) and match[1] == job:
            with suppress(ValueError):
                found.append(datetime.fromisoformat(match[2]))
    return found


def times_taken(home: Home, self_id: str, job: str, since: datetime) -> Iterator[datetime]:
    """Yield the times of the runs of this job that the agent's log has since then, last first. Damaged lines are
    skipped."""
    begin = times.make_stamp(since).removesuffix("Z")
    for line in takewhile(lambda line: line.at >= begin, log.backwards(home.agent(self_id) / "LIFE.md")):
        event = events.parse(line) if line.event == Wake.WORD else None
        if isinstance(event, Wake) and event.job == job:
            with suppress(ValueError):
                yield times.parse(event.due)


def waiting(folder: Path) -> Iterator[Path]:
    """Return the runs in an agent's folder, earliest first."""
    found = [(match[2], match[1], name) for name in disk.names(folder) if (match := _NAME.fullmatch(name))]
    return (folder / name for _, _, name in sorted(found))


def read(path: Path) -> Due:
    """Parse the file of a run. Raises OSError, and ValueError if it is invalid."""
    told = json.loads(disk.read(path, 1 << 16))
    wanted = {one.name for one in fields(Due)}
    if not isinstance(told, dict) or told.keys() != wanted or not all(isinstance(told[one], str) for one in wanted):
        raise ValueError("the file does not describe a run of a job")
    made = Due(**told)
    times.parse(made.at)
    if not names.ROOM.fullmatch(made.room) or path.name != f"{made.job}@{times.compact(made.at)}.json":
        raise ValueError("the content does not match the file's name")
    return made
