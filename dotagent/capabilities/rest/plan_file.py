"""The plan of an agent's next rest: when, and what it saves. Owns `run/rest.json` in the agent's directory."""

from __future__ import annotations

import json
from pathlib import Path

from dotagent.store import disk
from dotagent.text import escape
from dotagent.text.lazy import asdict, dataclass

FILE = "run/rest.json"
MOST = 1e12  # a larger number is not a valid time or size
LATE = 86_400.0  # seconds after the cache has ended; until then, summaries without a model may be made


@dataclass(frozen=True)
class PlannedRest:
    """A planned rest after the request with the id `request`: the times (Unix) at which it begins and at which the
    cache ends, the seconds for which the swap waits after the last reply, the tokens of the prompt before and after,
    and what it saves, in millionths of a US dollar."""

    request: str
    begin: float
    end: float
    lasts: float
    before: int
    after: int
    saves: float
    by_model: bool

    @property
    def over(self) -> float:
        """Return until when the rest is worth it: a request to a model needs the warm cache."""
        return self.end if self.by_model else self.end + LATE

    def write(self, path: Path) -> None:
        """Save the plan in an agent's directory."""
        disk.make_dir(path / "run", durable=False)
        disk.replace(path / FILE, escape.dumps(asdict(self)).encode() + b"\n", durable=False)

    @staticmethod
    def remove(path: Path) -> None:
        """Remove the plan from an agent's directory."""
        disk.remove(path / FILE)


def read(path: Path) -> PlannedRest | None:
    """Return the plan in an agent's directory, or None without a valid plan."""
    try:
        made = PlannedRest(**json.loads(disk.read(path / FILE, 4096)))
    except (OSError, ValueError, TypeError, RecursionError):
        return None
    numbers = (made.begin, made.end, made.lasts, made.before, made.after, made.saves)
    return made if all(type(one) in (int, float) and abs(one) < MOST for one in numbers) else None
