"""What is due for an agent: a file each in `agents/<self>/due/`, made by the clock, taken by the agent.

`<job>@<time>.json` is made at once and whole, or not at all; it goes when LIFE holds it. Its name is the run's for
ever: LIFE knows it, so that a run which is handed over twice happens once.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from dotagent.store import disk
from dotagent.store.home import Home
from dotagent.text import escape, names, times

LATE = 60.0  # seconds after its time at which a run is a late one
_NAME = re.compile(rf"({names.FILE})@(\d{{8}}T\d{{6}}Z)\.json")


@dataclass(frozen=True)
class Due:
    """One run of a job: when it was due, in which room, `how` (empty, `late`, `missed`: too late to be made up,
    `asked`: by a person, at once), the time in words, and what it is about."""

    job: str
    at: str
    room: str
    how: str
    when: str
    text: str

    @property
    def key(self) -> str:
        """Its name for ever."""
        return f"{self.job}@{self.at}"


def hand(home: Home, self_id: str, one: Due) -> bool:
    """Hand a run over to an agent, durably; False when it was already and waits there."""
    folder = home.agent(self_id) / "due"
    disk.make_dir(folder)
    data = escape.dumps(asdict(one)).encode("utf-8", "replace") + b"\n"
    return disk.create(folder / f"{one.job}@{times.compact(one.at)}.json", data, folder)


def waits(home: Home, self_id: str, job: str) -> bool:
    """Whether a run of this job waits for the agent."""
    return any((home.agent(self_id) / "due").glob(f"{job}@*.json"))


def waiting(folder: Path) -> Iterator[Path]:
    """The runs in an agent's folder, the first one first."""
    found = [(match[2], match[1], path) for path in folder.glob("*.json") if (match := _NAME.fullmatch(path.name))]
    return (path for _, _, path in sorted(found))


def read(path: Path) -> Due:
    """The run in a file. Raises OSError, and ValueError for what is none."""
    told = json.loads(disk.read(path, 1 << 16))
    fields = Due.__dataclass_fields__
    if (
        not isinstance(told, dict)
        or told.keys() != fields.keys()
        or not all(isinstance(told[one], str) for one in fields)
    ):
        raise ValueError("it is no run of a job")
    made = Due(**told)
    times.parse(made.at)
    if not names.ROOM.fullmatch(made.room) or path.name != f"{made.job}@{times.compact(made.at)}.json":
        raise ValueError("it is not the run that its name tells")
    return made
