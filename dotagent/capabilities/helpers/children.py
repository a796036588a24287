"""Creating helpers, and running their processes.

The task, parent and limits are in the birth blob, so a helper that was announced by its id is never created twice. Owns
`agents/<self>/run/rested`: how the helper finished last, and how many messages of other agents it had read by then.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from dotagent.life.background_events import Spawned
from dotagent.life.background_events import works as works_of
from dotagent.life.session import Session
from dotagent.store import bootstrap, disk, helpers, launch, lives, room_completion, rooms
from dotagent.store.blobs import Blobs
from dotagent.store.helpers import Terms
from dotagent.store.home import Home
from dotagent.text import times
from dotagent.text.lazy import asdict
from dotagent.text.reference import short

if TYPE_CHECKING:
    import subprocess

_begun: dict[str, subprocess.Popen[bytes]] = {}  # helpers' processes that this process started


def birth(store: Blobs, terms: Terms, audience: str) -> str:
    """Store the birth blob of a helper. Its id is the helper's id."""
    rows = "".join(f"\n{name}: {value}" for name, value in asdict(terms).items())
    body = f"audience: {audience}{rows}\n\n{bootstrap.SPAWNED_SOUL}"
    return store.put(body.encode(), at=times.now(), gist=f"SOUL of a life, {audience}", agent=terms.parent)


def place(where: Home, parent: str) -> str:
    """Return a free room name for this agent's next helper. It is also the name of the audience."""
    begun = f"helper-{short(parent)}-"
    used = [path.stem.removeprefix(begun) for path in where.chats.glob(f"{begun}*.md")]
    return f"{begun}{max((int(one) for one in used if one.isdecimal()), default=0) + 1}"


def make(where: Home, self_id: str, terms: Terms, task: bytes) -> None:
    """Create the missing parts of a helper: its room with the task, and its directory. LIFE.md comes last."""
    room, path = where.room(terms.room), where.agent(self_id)
    if disk.is_file(path / "LIFE.md"):
        return
    rooms.create(room, helpers.audience(terms.room))
    rooms.want(room, 0)  # the helper must read the room from its beginning
    room_completion.complete(room, task)
    disk.make_dir(path)
    for name in bootstrap.visible_files(helpers.audience(terms.room)):  # its parent's rules, if the parent has any
        with suppress(OSError):
            disk.create(path / name, disk.read(where.agent(terms.parent) / name))
    lives.furnish(where, self_id, room, helpers.audience(terms.room), bootstrap.SPAWNED_SOUL)


def work(session: Session, self_id: str, words: int = 0) -> None:
    """Make sure that a process runs the helper, after LIFE records the number of messages sent to it."""
    known, turn = works_of(session.state.heard).get(self_id), session.state.turn
    if words > (known.words if known else 0):
        room = turn.room or next(iter(sorted(session.state.heard.rooms)), "dev")
        session.record(Spawned(self_id, room, words))
        session.sync()
    if not works(session.home, self_id):
        with suppress(OSError):  # too many processes, or a full disk: tried again later
            start(session.home, self_id, session.options, session.order[0])


def start(where: Home, self_id: str, words: Sequence[str], provider: str) -> None:
    """Start the helper's process, which exits when it has finished. `words` are its parent's arguments of agent.py."""
    child = launch.agent(
        where, [self_id, *words, "--until-idle"], where.agent(self_id) / "agent.log",
        {**os.environ, launch.HANDED: provider},
    )  # fmt: skip
    lives.sign(where, self_id, child.pid)
    for one in [one for one, before in _begun.items() if before.poll() is not None]:
        del _begun[one]
    _begun[self_id] = child


def works(where: Home, self_id: str) -> bool:
    """Return True if the helper's process runs or was just started."""
    child = _begun.get(self_id)
    return bool(child and child.poll() is None) or lives.runs(where, self_id)


def end(where: Home, ids: Iterable[str]) -> None:
    """Ask the processes of these helpers to exit."""
    for one in ids:
        if number := lives.pid(where, one):
            with suppress(ProcessLookupError):
                os.kill(number, signal.SIGTERM)


def rest(where: Home, self_id: str, heard: int, how: str) -> None:
    """Record that the helper has finished: how, and how many messages of other agents it had read."""
    disk.make_dir(where.agent(self_id) / "run")
    disk.replace(where.agent(self_id) / "run" / "rested", f"{heard} {how}\n".encode(), durable=False)
