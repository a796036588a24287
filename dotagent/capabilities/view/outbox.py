"""Send a message of the page once, and run a command of it once, however often the page sends it.

The page gives each message an id, and sends it again until it gets an answer; two tabs may also send it both. Before
the first attempt, the size of the room and the time of the message are noted under the id. So a later attempt, even
after a crash, finds the message, or completes it. Owns `view/sent/`: these notes, for a week, without the text.
"""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

from dotagent.errors import Misuse
from dotagent.store import disk
from dotagent.terminal.talk import Talk
from dotagent.text import times

_ID = re.compile("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
WEEK = timedelta(days=7).total_seconds()


def once(talk: Talk, id: str, text: str) -> None:
    """Send the message of this id, unless it is in the room. Raises Misuse."""
    is_new(talk, id)
    since, at = disk.read(_folder(talk) / id, 100).decode("ascii", "replace").split(" ")
    talk.say(text, at, int(since))


def is_new(talk: Talk, id: str) -> bool:
    """Note this id, and return True if it was not noted before. Raises Misuse."""
    if not _ID.fullmatch(id):
        raise Misuse("the page sent the message without an id; reload the page")
    folder = _folder(talk)
    disk.make_dir(folder)
    size = talk.path.stat().st_size if talk.path.exists() else 0
    return disk.create(folder / id, f"{size} {times.now()}".encode())  # an earlier note stays


def tidy(folder: Path) -> None:
    """Remove the notes that are older than a week."""
    for name in disk.names(folder):
        at = disk.read(folder / name, 100, missing=b"").decode("ascii", "replace").partition(" ")[2]
        if not times.is_stamp(at) or times.ahead(at) < -WEEK:
            disk.remove(folder / name)


def _folder(talk: Talk) -> Path:
    return talk.home.root / "view" / "sent"
