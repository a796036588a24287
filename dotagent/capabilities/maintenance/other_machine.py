"""One agent on two machines: a program that syncs files shares its directory, or both mount the same folder.

A lock holds on one machine only. So at a start, this module compares the machine with the one of the last start. While
the agent runs, it looks whether LIFE is still the file that this process writes. If it is not, the agent says so in its
room and exits, because nothing that it records from then on would stay. Owns `run/machine` in the agent's directory.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress

from dotagent import installed
from dotagent.capabilities.maintenance import tidy
from dotagent.errors import Trouble
from dotagent.life.events import Resume, Sleep
from dotagent.life.session import Session
from dotagent.store import disk, log, rooms
from dotagent.store.log import Line
from dotagent.text import escape, times
from dotagent.text.reference import short

MACHINE = "run/machine"


class Elsewhere:
    """Checks whether another machine changes the log of an agent that runs here."""

    def __init__(self, session: Session) -> None:
        self._session, self._path, self._end = session, session.path / "LIFE.md", 0
        self._file = os.stat(self._path)

    def begin(self) -> None:
        """Tell the room if the agent last ran on another machine and did not stop there. Note this machine."""
        path, here, before = self._session.path / MACHINE, _machine(), ""
        with suppress(OSError):
            before = disk.read(path, 1000).decode("utf-8", "replace").strip()
        if before == here:
            return
        if before and not self._slept():
            name = escape.one_line(before.rpartition(" ")[0], 100) or "another machine"
            tidy.tell(
                self._session,
                f"(this agent last ran on {name} and did not stop there. If it still runs there, stop it there now: on "
                "two machines, an agent answers each message twice and loses notes)",
            )
        with suppress(OSError):  # the next start compares again
            disk.make_dir(path.parent)
            disk.replace(path, here.encode())  # a name that a power cut tore would be another machine's

    def heard(self, line: Line) -> None:
        """Note how far this process has written."""
        self._end = line.end

    def look(self) -> bool:
        """Return False. Raises Trouble if LIFE is not what this process wrote."""
        try:
            now = os.stat(self._path)
        except FileNotFoundError:
            now = None
        if now and os.path.samestat(now, self._file) and (not self._end or now.st_size == self._end):
            return False
        session = self._session
        again = f"{installed.program('agent')} {short(session.id)}"
        why = "another machine or program moved, replaced or changed its log LIFE.md while it ran"
        if room := tidy.room(session):
            text = "(I stop here, because another machine or program changed my log LIFE.md while I ran, and what I "
            text += f"note would be lost. Run me on one machine only; `{again}` starts me again)"
            line = rooms.line_of("AGENT", short(session.id), times.now(), text)
            with suppress(FileNotFoundError):  # someone moved the whole home
                rooms.append(session.home.room(room), line)
        raise Trouble(f"agent {short(session.id)} stopped: {why}; run it on one machine only, then start `{again}`")

    def _slept(self) -> bool:
        """Return True if the process before this one ended in order."""
        begun = False
        for line in log.backwards(self._path):
            if begun:
                return line.event == Sleep.WORD
            begun = line.event == Resume.WORD
        return True


def _machine() -> str:
    """Return the machine's name, and a hash of its id, because copies of a machine can have the same name."""
    found = b""
    with suppress(OSError):
        found = disk.read("/etc/machine-id", 1000, follow=True).strip()
    return f"{os.uname().nodename} {hashlib.sha256(found).hexdigest()[:12]}"
