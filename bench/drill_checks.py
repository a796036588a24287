"""What the crash drill looks at: after each kill that what was written is still there, and when all is quiet that
everything promised holds."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import common
from drill_model import DEADLY, ORDER, tools_of

from dotagent.store import log
from dotagent.store.blobs import BlobCorrupt, BlobMissing
from dotagent.store.home import Home

SAID = re.compile(rb"(?m)^\[(USER|AGENT):\S+ \S+\] (.*)$")


class Wrong(Exception):
    """A promise was broken."""


class Eye:
    """Looks at a life of a home; what it saw stays with it."""

    def __init__(self, where: Home, self_id: str) -> None:
        self.where, self.path = where, where.agent(self_id)
        self.files = self.path / "files"
        self._seen = dict[Path, bytes]()
        self.events, self.untried = Counter[str](), 0

    def grown(self) -> None:
        """LIFE and the room only grew, and every blob that a new line names is there. Raises Wrong."""
        start = len(self._seen.get(self.path / "LIFE.md", b""))
        for path in (self.path / "LIFE.md", self.where.room(common.ROOM)):
            data = path.read_bytes()
            if not data.startswith(self._seen.get(path, b"")):
                raise Wrong(f"{path.name} lost what it had")
            self._seen[path] = data[: data.rfind(b"\n") + 1]
        new = list(log.lines(self.path / "LIFE.md", start))
        self.events.update(line.event for line in new)
        for line in new:
            if line.id:
                self._body(line)

    def waits_for_more(self, seconds: float) -> None:
        """Wait until LIFE is longer than when it was last looked at, so many seconds at most."""
        path = self.path / "LIFE.md"
        with suppress(common.Stuck):
            wait = common.Deadline(seconds)
            while path.stat().st_size <= len(self._seen.get(path, b"")):
                wait.nap()

    def _body(self, line: log.Line) -> bytes:
        try:
            return self.where.store().get(line.id).body
        except (BlobMissing, BlobCorrupt) as lost:
            raise Wrong(f"{line.event} of {line.at}: {lost}") from None

    def quiet(self, orders: int) -> list[str]:
        """What is wrong when all that was ordered has been done and the agent has left."""
        self.grown()
        lines = list(log.lines(self.path / "LIFE.md"))
        wrong = [f"LIFE's times: {a.at}, then {b.at}" for a, b in pairwise(lines) if a.at >= b.at]
        if len(lines) != (self.path / "LIFE.md").read_bytes().count(b"\n"):
            wrong.append("LIFE has lines that are no events")
        heard = [int(number) for line in lines if line.event == "HEAR" for number in self._orders(line)]
        wrong += each_once("heard", heard, orders)
        said = SAID.findall(self.where.room(common.ROOM).read_bytes())
        answers = [text.decode() for kind, text in said if kind == b"AGENT"]
        numbers = [int(text.removeprefix("answer ")) for text in answers if re.fullmatch(r"answer \d+", text)]
        wrong += each_once("answered", numbers, orders)
        wrong += [f"it said {text!r}" for text in answers if not re.fullmatch(r"answer \d+", text)]
        return wrong + self._effects(lines, orders) + self._left()

    def _orders(self, line: log.Line) -> list[str]:
        return ORDER.findall(self._body(line).decode())

    def _effects(self, lines: Sequence[log.Line], orders: int) -> list[str]:
        """What is wrong with what the tools did."""
        busy = [number for number in range(1, orders + 1) if "RUN" in tools_of(number)]
        listed = [int(number) for number in re.findall(r"(?m)^- (\d+)$", (self.files / "list.md").read_text())]
        wrong = each_once("listed by EDIT_FILE", listed, busy)
        for number in range(1, orders + 1):
            path = self.files / "notes" / f"{number}.md"
            if not path.is_file() or path.read_text() != f"{number}\n":
                wrong.append(f"WRITE_FILE of order {number} left no whole file")
        results = [
            (line, body) for line in lines if line.event == "TOOL" and DEADLY.encode() not in (body := self._body(line))
        ]
        self.untried = sum(line.event == "TOOL" for line in lines) - len(results)
        wrong += [f"{line.detail} of {line.at}: {body[:200]!r}" for line, body in results if "error" in line.detail]
        told = [body for line, body in results if line.detail.startswith("RUN")]
        ran = Counter((self.files / "ran").read_text().split()) if (self.files / "ran").exists() else Counter[str]()
        wrong += [f"the command of order {number} ran {times} times" for number, times in ran.items() if times > 1]
        if len(told) != len(busy):
            wrong.append(f"{len(busy)} commands have {len(told)} results")
        done = [found[1].decode() for text in told if (found := re.search(rb"^done (\d+)$", text, re.MULTILINE))]
        wrong += [f"the command of order {number} did not run and was told to have" for number in {*done} - {*ran}]
        if len(told) - len(done) < len(busy) - len(ran):
            wrong.append("a command was neither run nor said to be interrupted")
        return wrong

    def _left(self) -> list[str]:
        """What is left over: calls in the spool, processes."""
        calls = self.where.calls
        placed = [*calls.glob("new/deepseek/[0-9a-f]*"), *calls.glob("done/*/*"), *calls.glob("taken/[0-9a-f]*")]
        wrong = [f"the spool holds {path}" for path in placed]
        return wrong + left(self.where)


def each_once(what: str, found: Sequence[int], wanted: int | Sequence[int]) -> list[str]:
    """What is wrong with numbers of which each is to be there once."""
    count, numbers = Counter(found), range(1, wanted + 1) if isinstance(wanted, int) else wanted
    wrong = [f"order {number} was {what} {count[number]} times" for number in numbers if count[number] != 1]
    return wrong + [f"order {number} was {what}, which nobody gave" for number in {*count} - {*numbers}]


def left(where: Home) -> list[str]:
    """The processes that are left, after a while in which they may leave."""
    with suppress(common.Stuck):
        wait = common.Deadline(5.0)
        while strangers(where):
            wait.nap()
    return [f"a process is left: {told}" for told in strangers(where)]


def strangers(where: Home) -> list[str]:
    """The processes that have to do with the home, but for the one that serves its provider."""
    with suppress(OSError):
        known = (where.calls / "deepseek.pid").read_text().split()[:1]
        return [told for pid, told in _of(where) if [pid] != known]
    return [told for _, told in _of(where)]


def _of(where: Home) -> Iterator[tuple[str, str]]:
    root = os.fsencode(where.root)
    for path in Path("/proc").glob("[0-9]*"):
        if path.name == str(os.getpid()):
            continue
        words, place = b"", b""
        with suppress(OSError):
            words = (path / "cmdline").read_bytes()
        with suppress(OSError):
            place = os.fsencode(os.readlink(path / "cwd"))
        if root in words or place.startswith(root):
            yield path.name, f"{path.name} {words.replace(bytes(1), b' ').decode('utf-8', 'replace')[:200]}"


def doctor(where: Home, *words: str) -> list[str]:
    """What doctor says is damaged."""
    program = [sys.executable, "-m", "dotagent", "doctor", "--home", str(where.root), *words]
    told = subprocess.run(
        program, cwd=common.ROOT, env=common.environment(), capture_output=True, text=True, check=False
    )
    if not told.returncode:
        return []
    return [f"doctor: {line}" for line in told.stdout.split("\n") if line.startswith("damage")] or [told.stderr]
