"""The rows of bench/compare.py as JSON: CPU times in ms, or what the name of a row says.

The checkout whose bench/ is on the path measures them, so this file may use only what the compared checkouts have in
common. `python rows.py GROUP SCRATCH MESSAGES`
"""

from __future__ import annotations

import io
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import ExitStack, redirect_stdout, suppress
from pathlib import Path
from statistics import median

import common
import forget
import histories

import agent
from dotagent.life import context
from dotagent.life.events import Faded, Hear, Reply, Swap
from dotagent.life.state import change
from dotagent.loop import boot
from dotagent.search.feed import Feed
from dotagent.store import disk, home, queue
from dotagent.store.home import Home
from dotagent.store.log import Line
from dotagent.store.queue import Outcome
from dotagent.text import tag, times

SHORT, STEPS, ROUNDS = 10, 12, 4
LIMITS = (15_000, 16_000, 17_000)  # tokens of a chat's context
EVENTS, ASLEEP, AWAKE, WATCHED = 1_000_000, 200, 10, 5  # of a log; agents; seconds
CALLS = {"READ_FILE": "READ_FILE note.md 1-{}", "RUN": "RUN true {}", "NOTE": "NOTE the seat is {}A"}
Found = dict[str, float]


def ran(*words: str, **more: str) -> float:
    """CPU of a Python process with these arguments and variables, and of all that it waits for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    env = {**os.environ, **more}
    subprocess.run([sys.executable, *words], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def starts(path: Path, messages: int) -> Found:
    """Importing the agent, and creating one that goes to sleep at once."""
    where = common.make_home(path / f"start-{os.getpid()}")
    words = ("agent.py", "--home", str(where.root), "--provider", common.SCRIPTED, "--until-idle")
    return {
        "import agent": ran("-c", "import agent"),
        "start without a key": ran(*words),
        "start with a key": ran(*words, ANTHROPIC_API_KEY="sk-ant-0123456789abcdef"),
    }


def steps(path: Path, messages: int) -> Found:
    """A message, a tool step and a chat turn of a life with a summary, with few and with many messages in context.

    The two lives take turns, so that a busy machine slows down both.
    """
    for name in ("sync", "sync_dir", "sync_file"):  # only the CPU counts
        setattr(disk, name, lambda *given, **named: None)
    counts, lives = (SHORT, messages), list[common.Living]()
    spent: list[defaultdict[str, list[float]]] = [defaultdict(list) for _ in counts]
    with ExitStack() as stack:
        for count in counts:
            where = common.make_home(path / f"steps-{os.getpid()}-{count}")
            stack.callback(shutil.rmtree, where.root)
            lives.append(stack.enter_context(common.living(where, common.born(where))))
            _fill(lives[-1], count)
        for name, call in [*CALLS.items(), *([("", "hello")] * 5)] * ROUNDS:
            for living, found in zip(lives, spent, strict=True):
                one = _turn(living, call, STEPS if name else 0)
                found["a message"].append(one["message"])
                found[name or "a chat turn"].append(one["step"] if name else one["turn"])
    short, long = ({name: median(values) for name, values in found.items()} for found in spent)
    told = {"a chat turn": short["a chat turn"]}
    for name in ("a message", *CALLS):
        told[f"{name}, {messages:,} messages"] = long[name]
        told[f"{name}, long over short"] = long[name] / short[name]
    return told


def _fill(living: common.Living, messages: int) -> None:
    """Let the life have a summary, and then so many messages and answers."""
    session = living.session
    living.turn("I booked seat 14A on the flight to Tokyo in May", "noted")
    first, id = session.entries[-4], session.keep("They talked of the flight to Tokyo.", "the flight")
    detail = Faded(f"{first.number}-{session.entries[-1].number}", 5, id).detail()
    line = Line(first.line.at, Faded.WORD, detail, id, "the flight")
    faded = context.entry(line, first.number, lambda id: session.store.get(id).body, session.share)
    assert faded
    session.swap([*session.entries[:-4], faded], Swap("bench"), change(session.state))
    read = session.state.heard.rooms[common.ROOM]  # these messages were never in the room
    for number in range(messages // 2):
        said = tag.render("USER", "ana", times.now(), f"message {number} about the flight to Tokyo")
        session.record(Hear(common.ROOM, read.offset, read.mark, "", "person", "USER:ana"), said.encode())
        session.record(Reply("dev", {"finish": "stop"}), b"I note it, ana: the flight goes on Monday.")
    living.turn("hello", "hello")
    Feed(session.path, session.store, session.owner).catch_up()


def _turn(living: common.Living, reply: str, count: int) -> Found:
    """The least CPU of the message and of a step of a turn with so many steps, and that of the whole turn."""
    where, spent = living.home, list[float]()
    common.say(where, "which seat did I book to Tokyo?")
    began = time.thread_time()
    for number in range(count + 1):
        spent.append(_spent(lambda: _go(living)))
        call = queue.take(where, common.SCRIPTED)
        assert call
        words = reply.format(number + 1) if number < count or not count else "WAIT"
        queue.answer(where, where.store(), call, words, Outcome(finish="stop", usage={"input": 1000}, model="script"))
    _go(living)
    agent.rest(living.me)
    return {"message": spent[0], "step": min(spent[1:], default=0.0), "turn": 1000 * (time.thread_time() - began)}


def _go(living: common.Living) -> None:
    while agent.step(living.me):
        pass


def _spent(do: Callable[[], object]) -> float:
    began = time.thread_time()
    do()
    return 1000 * (time.thread_time() - began)


def commands(path: Path, messages: int) -> Found:
    """What a person asks about a long life."""
    home = str(path / "long")
    asks = ("forgotten", "usage", "doctor", "status", "forgotten --swaps")
    found = {words: ran("-m", "dotagent", *words.split(), "--home", home) for words in asks}
    for one in Home(path / "long").agents.glob("*/run/usage.json"):
        one.unlink()
    return found | {"usage without its sums": ran("-m", "dotagent", "usage", "--home", home)}


def index(path: Path, messages: int) -> Found:
    """The first search index of a long life."""
    where = Home(path / "long")
    (life,) = where.agents.glob("*/LIFE.md")
    beside = path / f"index-{os.getpid()}"
    beside.mkdir()
    os.link(life, beside / "LIFE.md")
    found = {"first index": _spent(Feed(beside, where.store(), "ana").catch_up)}
    shutil.rmtree(beside)
    return found


def resume(path: Path, messages: int) -> Found:
    """Resuming an agent with a long log and a context of 32,000 tokens."""
    where, self_id = histories.make(path / f"old-{os.getpid()}", EVENTS, 32_000)
    try:
        words = ("agent.py", self_id, "--home", str(where.root), "--provider", common.SCRIPTED, "--until-idle")
        return {f"resume of {EVENTS:,} events": ran(*words)}
    finally:
        shutil.rmtree(where.root)


def many(path: Path, messages: int) -> Found:
    """`up` for agents that sleep, also while one is awake, and agents that have all answered a message."""
    where = Home(path / f"many-{os.getpid()}")
    home.prepare(where)
    (where.root / "dotagent.toml").write_text('provider = "offline"\nlinger = 600\n')
    os.environ.update(common.environment())
    for number in range(ASLEEP):
        words = ["--home", str(where.root), "--provider", "offline", "--new", "--room", f"room{number}"]
        with redirect_stdout(io.StringIO()), boot.life_of(words):
            pass
    found, awake = Found(), [f"room{number}" for number in range(AWAKE)]
    for when in ("first", "later"):
        spoken = awake if when == "later" else awake[:1]
        answers = {room: _answers(where, room) for room in spoken}
        program = [sys.executable, "-m", "dotagent", "up", "--home", str(where.root)]
        with subprocess.Popen(program, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as up:
            assert up.stdout and up.stdout.readline()
            found[f"up for {ASLEEP} asleep, {when}"] = cpu(up.pid)
            for room in spoken:
                common.say(where, "help", room)
            _until(lambda: all(_answers(where, room) > before for room, before in answers.items()))  # noqa: B023
            if when == "first":
                before = cpu(up.pid)
                time.sleep(WATCHED)
                found[f"up for {WATCHED} s, one awake"] = cpu(up.pid) - before
            else:
                found["an awake agent, MB"] = memory(where) / AWAKE
            up.terminate()
    shutil.rmtree(where.root)
    return found


def _answers(where: Home, room: str) -> int:
    return where.room(room).read_bytes().count(b"[AGENT:")


def _until(look: Callable[[], bool]) -> None:
    wait = common.Deadline(120.0)
    while not look():
        wait.nap()


def cpu(pid: int) -> float:
    """The milliseconds of processor time that a process has used, in all its threads."""
    words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return 1000 * (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def memory(where: Home) -> float:
    """The megabytes of all agents, and of the template from which `up` forks them; memory that several share counts
    once."""
    total = 0
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            words = (path / "cmdline").read_bytes()
            if os.fsencode(where.root) in words and (b"agent.py" in words or b"supervisor.template" in words):
                (size,) = re.findall(r"^Pss:\s+(\d+) kB", (path / "smaps_rollup").read_text(), re.MULTILINE)
                total += int(size)
    return total / 1000


def chat(path: Path, messages: int) -> Found:
    """What a chat of 300 turns costs, in thousands of fresh tokens (forget.py): the mean of several limits.

    The times and ids of a run decide how many swaps it has. In a chat of 150 turns, a ninth swap costs 4 %.
    """
    found = list[float]()
    for limit in LIMITS:
        trace, _ = forget.lived_through(path / f"chat-{limit}-{os.getpid()}", limit)
        bill = forget.billed(trace, ["live", "background"])
        found.append(bill.cost(bill.cached) / 1000)
    return {"cost of 300 turns, thousands of tokens": sum(found) / len(found)}


if __name__ == "__main__":
    measure = {"starts": starts, "steps": steps, "commands": commands, "index": index, "resume": resume, "many": many,
               "chat": chat}[sys.argv[1]]  # fmt: skip
    print(json.dumps(measure(Path(sys.argv[2]), int(sys.argv[3]))))
