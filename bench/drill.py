"""A crash drill: real processes, killed at random moments, and everything promised is looked at.

An agent (`agent.py`), its provider's process, a model server and a person who gives orders (`chat.py -m`, or an append
to the room). Each order takes tools with effects: SAY, WRITE_FILE, EDIT_FILE, and a RUN that may start something which
gets away from it. The context is small, so forgetting goes on all the while. SIGKILL strikes the agent, the provider,
both, or the command; the agent is resumed. What is wrong is printed with the seed, and the home is kept: exit status 1.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from argparse import Namespace
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import common
from drill_model import DEADLY, ORDER, Model, tools_of

from dotagent.store import log, process, taken_calls
from dotagent.store.blobs import BlobCorrupt, BlobMissing
from dotagent.store.call import call_in
from dotagent.store.home import Home

TARGETS = {"agent": 50, "provider": 20, "agent and provider": 15, "command": 15}  # of a hundred kills
LIMIT = 7600  # tokens of a prompt
ROUND = 50  # kills, after which all is let come to rest and looked at
OPEN = 6  # orders that wait for an answer, at most
WORDS = "harbour lighthouse seat train kettle paper window garden invoice number server bread letter oven".split()
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


class Drill:
    """A home, the processes that live in it, and what befalls them."""

    def __init__(self, path: Path, seed: int) -> None:
        self.where = common.make_home(path / "home")
        self.errors = path / "stderr"
        self.chance = random.Random(seed)
        self.kills, self.orders, self.talks = Counter[str](), 0, list[subprocess.Popen[bytes]]()
        limits = {"DOTAGENT_CONTEXT_LIMIT": str(LIMIT), "DOTAGENT_PROVIDER": "deepseek"}
        self.environment = {**common.environment(), **limits}
        secrets = self.where.root / ".env"  # a provider that dies takes the keys of an environment with it
        secrets.touch(0o600)
        secrets.write_text(f"DEEPSEEK_API_KEY=sk-0123456789abcdef\nDEEPSEEK_API_BASE={Model().base}\n")
        first = self._start("--until-idle", out=subprocess.PIPE)
        self.self_id = first.communicate(timeout=common.PATIENCE)[0].decode().split("\n")[0]
        self.eye = Eye(self.where, self.self_id)
        (self.eye.files / "list.md").write_text("the end\n")
        self.agent = self._start(self.self_id)

    def _start(self, *words: str, out: int = subprocess.DEVNULL) -> subprocess.Popen[bytes]:
        with self.errors.open("ab") as errors:
            return subprocess.Popen(
                [sys.executable, "agent.py", *words, "--home", str(self.where.root)],
                cwd=common.ROOT,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=errors,
            )

    # --- what happens

    def strike(self) -> None:
        """Give some orders, wait a moment, kill; the agent goes on. Raises Wrong."""
        for _ in range(self.chance.choice((0, 1, 1, 2))):
            self._order()
            self._moment(0.05)
        if self.chance.random() < 0.9:  # else it may not even have begun
            self.eye.waits_for_more(1.0)
        self._moment(self.chance.choice((0.02, 0.2, 0.8)))
        if self.agent.poll() is not None:
            raise Wrong(f"the agent ended by itself with {self.agent.returncode}")
        target = self.chance.choices([*TARGETS], [*TARGETS.values()])[0]
        if target == "command" and not self._kill(self.eye.path / "run" / "now" / "pid"):
            target = "agent"
        if "provider" in target and (self._deadly() or not self._kill(self.where.calls / "deepseek.pid")):
            target = "agent"
        if "agent" in target:
            self.agent.kill()
            self.agent.wait()
            self.eye.grown()
            self.agent = self._start(self.self_id)
        self.kills[target] += 1

    def _deadly(self) -> bool:
        """Whether a call has cost two providers: over the third it is given up, as a call that kills its takers is."""
        for path in [*(self.where.calls / "taken").glob("*"), *(self.where.calls / "new").glob("*/*")]:
            with suppress(FileNotFoundError):  # it moves on meanwhile
                call = call_in(path)
                if call and call.attempt >= taken_calls.TRIES - 1:
                    return True
        return False

    def _order(self) -> None:
        """The person gives the next order, unless too many wait."""
        if self.orders - self.where.room(common.ROOM).read_bytes().count(b"] answer ") >= OPEN:
            return
        self.orders += 1
        text = f"order {self.orders}: {' '.join(self.chance.choices(WORDS, k=self.chance.randint(3, 60)))}"
        if self.chance.random() < 0.8:
            common.say(self.where, text)
            return
        words = [sys.executable, "chat.py", common.ROOM, "-m", text, "--home", str(self.where.root), "--name", "ana"]
        quiet = subprocess.DEVNULL  # it tells when the agent is dead just then
        talk = subprocess.Popen(words, cwd=common.ROOT, env=common.environment(), stdin=quiet, stderr=quiet)
        self.talks.append(talk)

    def _moment(self, most: float) -> None:
        time.sleep(self.chance.uniform(0, most))

    def _kill(self, file: Path) -> bool:
        """Kill the process whose pid and start time begin the file; whether there was one."""
        with suppress(OSError, ValueError):
            pid, started = file.read_text().split()[:2]
            if process.lives(int(pid), started):
                os.kill(int(pid), signal.SIGKILL)
                return True
        return False

    # --- what is looked at

    def rest(self, *deep: str) -> None:
        """Let all come to rest, and look at everything. Raises Wrong."""
        for talk in self.talks:
            if talk.wait(common.PATIENCE) not in (0, 1):  # 1: the agent was dead just then; the message is kept
                raise Wrong(f"chat.py ended with {talk.returncode}")
        self.talks.clear()
        self.agent.terminate()
        if (status := self.agent.wait(common.PATIENCE)) not in (0, -signal.SIGTERM):  # asked before it could hear
            raise Wrong(f"the agent, asked to leave, ended with {status}")
        self.agent = self._start(self.self_id, "--until-idle")
        if status := self.agent.wait(3 * common.PATIENCE):
            raise Wrong(f"the agent, let come to rest, ended with {status}")
        wrong = self.eye.quiet(self.orders) + doctor(self.where, *deep)
        for path in (self.errors, self.where.calls / "deepseek.log"):
            text = path.read_text() if path.exists() else ""
            wrong += [f"{path.name}: {text[-2000:]}"] if "Traceback" in text else []
        if wrong:
            raise Wrong("\n".join(wrong))

    def resume(self) -> None:
        """Go on after a rest."""
        self.agent = self._start(self.self_id)

    def end(self) -> list[str]:
        """End the agent and the provider, however it went; return what is left of it all."""
        self.agent.kill()
        self.agent.wait()
        self._kill(self.where.calls / "deepseek.pid")
        return left(self.where)

    def table(self, seconds: float) -> None:
        """Print what happened."""
        events = self.eye.events
        names = {
            "resumed": "RESUME",
            "asked": "ASK",
            "replied": "REPLY",
            "effects announced": "EFFECT",
            "swaps": "SWAP",
        }
        rows: list[list[object]] = [[f"kills of {target}", self.kills[target]] for target in TARGETS]
        rows += [["orders heard and answered once", self.orders]]
        rows += [[name, events[event]] for name, event in names.items()]
        rows.append(["calls due at two deaths, done when asked for again", self.eye.untried])
        rows += [["events of LIFE", events.total()], ["seconds", f"{seconds:.0f}"]]
        common.table("Killed at random, and nothing lost or done twice", ["", "count"], rows)


def drill(asked: Namespace, path: Path, seed: int) -> None:
    """The whole drill. Raises Wrong."""
    began, one = time.monotonic(), Drill(path, seed)
    try:
        while one.kills.total() < asked.kills and time.monotonic() - began < asked.seconds:
            one.strike()
            if one.kills.total() % ROUND == 0:
                one.rest()
                one.resume()
        one.rest("--deep")
    except subprocess.TimeoutExpired as late:
        raise Wrong(f"it does not come to rest: {late}") from None
    finally:
        left = one.end()
    if left:
        raise Wrong("\n".join(left))
    one.table(time.monotonic() - began)


def main() -> int:
    """Drill, and tell what was wrong."""
    parser = common.arguments(__doc__ or "")
    parser.add_argument("--kills", type=int, default=1000, help="how many kills")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="no kill after so many seconds")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6), help="of what happens when")
    asked = parser.parse_args()
    path = Path(tempfile.mkdtemp(prefix="dotagent-drill-", dir=asked.dir))
    try:
        drill(asked, path, asked.seed)
    except Wrong as wrong:
        print(f"seed {asked.seed}: {wrong}\nthe home is kept: {path}", file=sys.stderr)
        return 1
    shutil.rmtree(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
