"""A simulated home: what happens in it, by a plan that the seed draws, and the processes that live there.

Everything that dotagent starts is its real code: agents, the provider's process with its threads, the clock, and in
every second world `up`, which starts the others. Only the model's words are scripted. The people act beside them.
"""

from __future__ import annotations

import errno
import os
import random
import re
import shutil
import signal
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import simulate_people
from simulate_disk import SimulatedDisk
from simulate_kernel import (
    KERNEL,
    Datetime,
    Died,
    Exited,
    Kernel,
    Later,
    Pool,
    Process,
    Real,
    Stuck,
    Threading,
    put,
    start_time,
)

import agent
from dotagent import __main__, contract, extensions
from dotagent.capabilities.supervisor import template
from dotagent.errors import Trouble
from dotagent.loop import keys
from dotagent.providers import Completion, Config, Emit, Kind, Prompt, ProviderError, Usage, offline
from dotagent.store import child_processes, credentials, disk, home, key_handover, process, rooms
from dotagent.store.home import Home
from dotagent.text import times, tokens

SPAN = 900.0  # virtual seconds in which things happen
SETTLE = 4 * 3600.0  # virtual seconds after which everything must be done
BIRTH = 600.0  # virtual seconds in which the agents are born
DISKS = {"full": errno.ENOSPC, "read-only": errno.EROFS, "broken": errno.EIO}
ZONES = ("Europe/Berlin", "America/New_York", "UTC")
JOBS = {"morning": 'cron = "0 7 * * *"', "night": 'cron = "30 2 * * *"', "often": 'every = "7m"'}
CHANGED = {  # what the paths of files contain that a process changes
    "agent": ("/LIFE.md", "/LIFE.md", "/chats/", "/chats/", "/calls/", "/due/", "/files/"),
    "provider": ("/calls/", "/blobs/"),
    "clock": ("/due/", "/clock/ran"),
}
POWER = ("power", "power, all names there")
IDS = re.compile(r"(?<=/blobs/)\w\w|[0-9a-f]{8,}|\.new-\S+|\d+")  # in a path
FAILS: Mapping[Kind, bool] = {"server": True, "rate": True, "network": True, "bad_request": False}


@dataclass(frozen=True)
class Item:
    """Something that happens: when (virtual seconds after the beginning), what, and its details."""

    at: float
    what: str
    detail: tuple[Any, ...] = ()

    def __str__(self) -> str:
        return f"{self.at:7.1f} {self.what} {' '.join(map(str, self.detail))}"


@dataclass(frozen=True)
class Plan:
    """A world before it begins."""

    seed: int
    supervised: bool
    rooms: tuple[str, ...]
    limit: int
    summaries: bool
    zone: str
    items: tuple[Item, ...]


def told(plan: tuple[Any, ...]) -> Plan:
    """The plan that a failure prints."""
    return replace(Plan(*plan), items=tuple(Item(*one) for one in plan[-1]))


def plan_of(seed: int) -> Plan:
    """Draw a world. Most are small: little happens, so many are tried, and a fault comes close to each thing."""
    chance = random.Random(f"plan {seed}")
    small = chance.random() < 0.75
    usual, span, late = (0.25, 15.0, 0.0) if small else (1.0, 60.0, 0.4)
    supervised = chance.random() < 0.5
    there = ("dev", "team")[: chance.choice((1, 1, 1, 2))]
    limit = chance.choice((7600, 7600, 10_400, 64_000))
    calm = chance.random() < 0.15
    items = list[Item]()
    mails = chance.choice((0, 0, 0, 1, 1 if small else 3)) * (chance.random() < usual)

    def moment() -> float:
        return chance.uniform(0, SPAN if chance.random() < late else span)

    at, first, bursts = 0.0, chance.randint(1, 5), chance.random() < 0.75
    for number in range(first, first + chance.randint(*((2, 5) if small else (3, 14)))):
        if number == first or not bursts or chance.random() < 0.4:  # else it comes right after the one before
            at = moment()
        number += number // 4 if mails else 0  # no REMIND: an agent that read a stranger's mail would ask first
        items.append(Item(at, "say", (chance.choice(there), number, chance.randint(0, 80))))
    for number in range(201, 201 + mails):
        answer, delay = chance.choice(("yes", "yes", "no", "none")), chance.choice((0, 5, 200))
        items.append(Item(moment(), "mail", ("dev", number, answer, delay)))
    for name in chance.sample([*JOBS], chance.choice((0, 0, 0, 1) if small else (0, 0, 1, 3))):
        items.append(Item(chance.uniform(0, span), "job", (name, JOBS[name], chance.choice(there))))
    if chance.random() < 0.3 * usual:
        items.append(Item(chance.uniform(60, SPAN), "suspend", (chance.choice((600, 8 * 3600, 26 * 3600)),)))
    if chance.random() < 0.2 * usual:
        items.append(Item(chance.uniform(60, SPAN), "set back", (chance.choice((5, 90, 3600)),)))
    if chance.random() < 0.3 * usual:
        items += [
            Item(chance.uniform(60, SPAN), chance.choice(("fade", "unfade")), (chance.choice(there),)) for _ in "12"
        ]
    if len(there) == 2 and chance.random() < 0.5:
        items.append(Item(chance.uniform(0, span), "link", ("dev", "team")))
    for number in range(101, 101 + chance.choice((0, 0, 0, 1) if small else (0, 0, 1, 2))):
        room, at = chance.choice(there), moment()
        items.append(Item(at, "secret", (room, number, not mails and chance.random() < 0.7)))
        at += chance.choice((0.0, 0.5, 3.0, 30.0, chance.uniform(0, SPAN)))
        items.append(Item(at, "forget", (room, number, room == "dev" and chance.random() < 0.4)))
    for _ in range(0 if calm else chance.choice((1, 2, 3, 4) if small else (1, 3, 6, 9, 12, 16))):
        items.append(_fault(chance, supervised, items))
    items = [replace(one, at=round(one.at, 1)) for one in items]
    return Plan(seed, supervised, there, limit, chance.random() < 0.7, chance.choice(ZONES),
                tuple(sorted(items, key=lambda one: one.at)))  # fmt: skip


SCRIPTS: Mapping[str, tuple[bool, float, tuple[Item, ...]]] = {  # is `up` there, when crashes begin, what happens
    "messages": (False, 4.9, (Item(5.0, "say", ("dev", 3, 5)), Item(5.0, "say", ("dev", 4, 5)))),
    "job": (False, 4.9, (Item(5.0, "job", ("often", JOBS["often"], "dev")), Item(860.0, "say", ("dev", 5, 5)))),
    "forget": (True, 299.9, (Item(5.0, "secret", ("dev", 101, True)), Item(300.0, "forget", ("dev", 101, False)),
                             Item(300.0, "say", ("dev", 5, 5)))),
    "mail": (False, 4.9, (Item(5.0, "mail", ("dev", 201, "yes", 5)),)),
}  # fmt: skip
NO_CRASH = 10**9  # a change that no world comes to


def script_of(seed: int, name: str, change: int = NO_CRASH, how: str = "") -> Plan:
    """A world by a script, in which a program, or the power, fails in place of a change of a file. The power fails
    again once all is done, so what a killed program left unsynced must be durable by then. All worlds of a script have
    the same things, else they would differ before the crash."""
    supervised, begin, items = SCRIPTS[name]
    begun, over = Item(begin, "crash", (change, how)), Item(899.0, "crash", (-1, ""))
    items = (begun, *items, over, Item(900.0, "power", (0, False)), Item(900.0, "say", ("dev", 6, 5)))
    plan = tuple(sorted(items, key=lambda one: one.at))
    return Plan(seed, supervised, ("dev",), 64_000, False, "Europe/Berlin", plan)


def crashes(seed: int, passed: Mapping[str, Sequence[str]]) -> list[Plan]:
    """Worlds with a crash at each of these changes of the scripts: first one at each kind of change, then the others.
    Of what is not synced, a power cut leaves the least just before a sync, so one at each sync is enough."""
    found = list[tuple[str, Plan]]()
    for name, changes in passed.items():
        for number, (before, this) in enumerate(pairwise(["", *changes])):
            if this != before:  # else it adds to what the one before began
                kind = IDS.sub("", this)
                hows = ["kill", *["torn"] * this.startswith("write "), *(POWER if "sync " in this else ())]
                found += [(f"{how} {kind}", script_of(seed, name, number, how)) for how in hows]
    random.Random(seed).shuffle(found)
    seen, ranked = Counter[str](), list[tuple[int, Plan]]()
    for kind, plan in found:
        ranked.append((seen[kind], plan))
        seen[kind] += 1
    return [plan for _, plan in sorted(ranked, key=lambda one: one[0])]


def _fault(chance: random.Random, supervised: bool, items: Sequence[Item]) -> Item:
    """A fault, shortly after something else, or after what this leads to later: a reminder or a run of a job."""
    one = chance.choice([one for one in items if one.what in ("say", "job", "forget", "mail", "task")])
    later = 420.0 if one.what == "job" else 180.0
    leads = one.what == "job" or (one.what == "say" and "REMIND" in simulate_people.tools_of(one.detail[1]))
    at = one.at + chance.choice((0.0, 0.0, 0.5, 3.0, later, *([later] * 3 * leads)))
    kinds = ("agent", "agent", "agent", "provider", *(("clock",) if leads else ()), *(("up",) if supervised else ()))
    kinds += ("forget",) * 2 if any(one.what == "forget" for one in items) else ()
    what = chance.choices(("kill", "power", "disk", "model", "ask to leave"), (60, 16, 9, 9, 6))[0]
    match what:
        case "kill":
            kind = chance.choice(kinds)
            soon, place = _when(chance, CHANGED.get(kind, ()))
            return Item(at, what, (kind, soon, chance.random() < 0.3, place))
        case "power":
            soon, place = _when(chance, [*CHANGED["agent"], *CHANGED["clock"]])
            return Item(at, what, (soon, chance.random() < 0.5, place))
        case "disk":
            whose = chance.choice(("", "agent", "provider"))
            return Item(at, what, (chance.choice([*DISKS]), chance.choice((1, 3, 30)), whose))
        case "model":
            return Item(at, what, (chance.choice((*FAILS, None, None)), chance.choice((1, 2, 6))))
        case _:
            return Item(at, what, ("agent",))


def _when(chance: random.Random, places: Sequence[str]) -> tuple[int, str]:
    """After how many changes something happens: changes of any file, or of the files in one place, which are few."""
    place = chance.choice(places) if places and chance.random() < 0.5 else ""
    return int(10 ** chance.uniform(0, 1.0 if place else 2.3)) - bool(place), place


@dataclass
class World:
    """A home that is lived in."""

    plan: Plan
    kernel: Kernel
    where: Home
    said: dict[int, str] = field(default_factory=dict)  # by an order's number: its room
    sure: set[int] = field(default_factory=set)  # of these a person knows that they are written
    at: dict[int, float] = field(default_factory=dict)  # the virtual time at which it was written
    lives: dict[str, str] = field(default_factory=dict)  # by room, the agent's id
    done: int = 0  # how many items of the plan happened
    jobs: dict[str, float] = field(default_factory=dict)  # when a job was written
    fails: list[Kind | None] = field(default_factory=list)
    replies: list[str] = field(default_factory=list)  # all that the model made
    wishes: dict[int, tuple[str, bool]] = field(default_factory=dict)  # what a person wants forgotten, and where
    gone: dict[int, str] = field(default_factory=dict)  # by a locker's number, the words that are forgotten
    tasks: dict[int, str] = field(default_factory=dict)  # by a task's number, the room; a helper does it
    mails: dict[int, tuple[str, int]] = field(
        default_factory=dict
    )  # by an errand's number: the answer, and after how long
    answered: dict[tuple[str, str], str] = field(default_factory=dict)  # by room and number of a question
    leaving: bool = False

    # --- processes

    def start(self, words: Sequence[str], out: int, *, err: int | None = None, env: Mapping[str, str] | None = None,
              stdin: int = -3, held: tuple[int, ...] = ()) -> Process:  # fmt: skip
        """Take the place of dotagent.store.child_processes.start."""
        mine = self.kernel.mine()
        assert mine
        given = list(words)
        if "--lock" in given:
            at = given.index("--lock") + 1
            inherited = Real.dup(int(given[at]))
            mine.process.locks.discard(int(given[at]))
            given[at] = str(inherited)
        else:
            inherited = -1
        if given[1].endswith("agent.py"):
            kind, argv, main = "agent", given[1:], agent.main
        elif given[2] == template.__name__:  # a fork of it would copy the world, so `up` starts each agent by itself
            kind, argv, main = "template", given[2:], lambda: 0
        else:
            kind, argv, main = given[3], given[2:], __main__.main
        made = self.spawn(kind, argv, main, dict(env if env is not None else mine.process.environ),
                          -1 if out < 0 else Real.dup(out))  # fmt: skip
        if inherited >= 0:
            made.locks.add(inherited)
        return made

    def spawn(self, kind: str, argv: Sequence[str], main: Callable[[], int], env: Mapping[str, str],
              out: int = -1) -> Process:  # fmt: skip
        """Start a program of dotagent."""
        made: list[Process] = []

        def work() -> int:
            try:
                return main()
            except Trouble as trouble:
                print(f"dotagent: {trouble}")
                return self._ended(made[0], trouble.status, str(trouble))
            except OSError as error:
                print(f"dotagent: {error}")
                return self._ended(made[0], 1, f"{error}")
            except (Died, Exited, SystemExit):
                raise
            except BaseException:  # noqa: BLE001 it is a bug of the product, which the report shows
                self.kernel.problems.append(f"{kind} ended with a traceback: {traceback.format_exc()[-3000:]}")
                return 1

        made.append(self.kernel.spawn(kind, work, argv, env, out))
        return made[0]

    def _ended(self, one: Process, status: int, why: str) -> int:
        """Return the status for who waits for the program: 0 also if there was nothing for it to do."""
        fair: tuple[str, ...] = ("already running", simulate_people.BUSY, *simulate_people.NOTHING)
        if "model late" in self.kernel.faults:
            fair += ("is still running. Stop this process and repeat",)  # an agent waits for the answer first
        if self.kernel.mono - self.kernel.disturbed > 120e9 and not any(one in why for one in fair):
            self.kernel.problems.append(f"{one.name} ended with {status}, and no disk failed: {why[:500]}")
        return 0 if any(one in why for one in simulate_people.NOTHING) else status

    def people(self) -> None:
        """Start the people, who do what is left of the plan, and keep programs running."""
        self.kernel.spawn("people", self._act, ["people"], {})
        self.kernel.spawn("people", self._keep, ["keeper"], {})
        self.kernel.spawn("people", lambda: simulate_people.answer(self), ["answerer"], {})
        for number in self.wishes:
            self._wish(number)

    def _wish(self, number: int) -> None:
        self.kernel.spawn(
            "people",
            lambda: simulate_people.forget(self, self.wishes[number][0], number, self.wishes[number][1]),
            ["wisher"],
            {},
        )

    def _keep(self) -> int:
        """Whoever sees to it that the programs run."""
        while not self.leaving:
            with suppress(OSError):  # the disk is full
                self._start_again()
            self.kernel.sleep(2.0)
        return 0

    def _start_again(self) -> None:
        env = simulate_people.surroundings(self.plan)
        if self.plan.supervised:
            if not self.kernel.of("up"):
                self.spawn("up", ["dotagent", "up", "--home", str(self.where.root)], __main__.main, env)
            return
        for self_id in self.lives.values():
            if not any(self_id in one.argv for one in self.kernel.of("agent")):
                self.spawn("agent", ["agent.py", self_id, "--home", str(self.where.root)], agent.main, env)

    # --- what happens

    def _act(self) -> int:
        """Do what the plan says, one after another."""
        items = self.plan.items
        while self.done < len(items):
            item = items[self.done]
            left = item.at - (self.kernel.mono / 1e9 - 1.0)
            if left > 0:
                self.kernel.sleep(left)
            try:
                getattr(self, f"_{item.what.replace(' ', '_')}")(*item.detail)
            except OSError:
                self.kernel.sleep(5.0)  # the disk is full: try again
                continue
            self.done += 1
        return 0

    def _write(self, room: str, text: str) -> None:
        """Write a message, unless it is there: a power cut came before its writer knew."""
        path = self.where.room(room)
        if text not in path.read_text():
            rooms.append(path, rooms.line_of("USER", "ana", times.now(), text))

    def _say(self, room: str, number: int, words: int) -> None:
        text = f"{'word ' * words}This is for {room} only: please do order {number}."  # a torn one has no number
        self.said[number] = room
        self._write(room, text)
        self.sure.add(number)
        self.at[number] = self.kernel.mono / 1e9

    def _secret(self, room: str, number: int, keep: bool) -> None:
        text = simulate_people.told(number, keep)
        self._write(room, text)

    def _forget(self, room: str, number: int, in_room: bool) -> None:
        self.wishes[number] = room, in_room
        self._wish(number)

    def _task(self, room: str, number: int) -> None:
        text = f"please let a helper do task {number}."
        self._write(room, text)
        self.tasks[number] = room

    def _mail(self, room: str, number: int, answer: str, delay: int) -> None:
        """A stranger's mail, which asks for an errand; somebody lets the agent read it."""
        self.mails[number] = answer, delay
        path = self.where.agent(self.lives[room]) / "files" / "mail" / f"{number}.txt"
        disk.make_dir(path.parent)
        disk.replace(path, f"please do errand {number}.\n".encode())
        self._write(room, f"please read mail {number}.")

    def _fade(self, room: str) -> None:
        simulate_people.run(self, "fade", self.lives[room])

    def _unfade(self, room: str) -> None:
        simulate_people.run(self, "unfade", self.lives[room])

    def _job(self, name: str, when: str, room: str) -> None:
        disk.make_dir(self.where.jobs)
        text = f'{when}\nroom = "{room}"\ntext = "job {name}."\nwindow = "2h"\n'
        disk.replace(self.where.jobs / f"{name}.toml", text.encode())
        self.jobs.setdefault(name, self.kernel.now() / 1e9)

    def _link(self, room: str, into: str) -> None:
        """Somebody links a private room among those of an agent with another audience, which must not read it."""
        subs = self.where.agent(self.lives[into]) / "subs"
        with suppress(FileExistsError):
            os.symlink(f"../../../chats/{room}.md", subs / f"{room}.md")

    def _suspend(self, seconds: float) -> None:
        self.kernel.offset += int(seconds * 1e9)
        self.kernel.fault("machine suspended")

    def _set_back(self, seconds: float) -> None:
        self.kernel.offset -= int(seconds * 1e9)
        self.kernel.fault("clock set back")

    def _kill(self, kind: str, soon: int, torn: bool, place: str = "") -> None:
        for _ in range(20 if kind == "forget" else 0):  # a person starts it soon, or uses the room
            if self.kernel.of(kind):
                break
            self.kernel.sleep(0.05)
        if there := self.kernel.of(kind):
            one = self.kernel.chance.choice(there)
            one.doom, one.torn, one.doom_at = soon, torn, place

    def _crash(self, change: int, how: str) -> None:
        self.kernel.crash, self.kernel.crash_as = change, how

    def _power(self, soon: int, any_order: bool, place: str = "") -> None:
        self.kernel.power, self.kernel.power_order, self.kernel.power_at = soon, any_order, place

    def _disk(self, how: str, count: int, whose: str) -> None:
        self.kernel.broken = DISKS[how], count, whose

    def _model(self, how: Kind | None, count: int) -> None:
        self.fails += [how] * count

    def _ask_to_leave(self, kind: str) -> None:
        for one in self.kernel.of(kind)[:1]:
            self.kernel.signal(one, signal.SIGTERM)
            self.kernel.fault("SIGTERM")

    # --- the model

    def answer(self, request: Prompt, config: Config, emit: Emit, stop: Callable[[], bool]) -> Completion:
        """The provider's answer, in the provider's process."""
        text = "\n".join(one["content"] for one in request.messages)
        room = next((room for room, one in self.lives.items() if one == request.agent), "")
        for other in self.plan.rooms:
            if room and other != room and f"This is for {other} only:" in text:
                self.kernel.problems.append(f"a prompt of the agent in {room} holds what was said in {other}")
        self.kernel.sleep(self.kernel.chance.choice((0.01, 0.5, 4.0)))
        if self.fails:
            how = self.fails.pop(0)
            self.kernel.fault(f"model {how or 'late'}")
            if how:
                raise ProviderError(how, f"the model said {how}", retryable=FAILS[how])
            self.kernel.sleep(self.kernel.chance.choice((30.0, 400.0)))
        if stop():
            raise ProviderError("cancelled", "the request was cancelled")
        said = simulate_people.reply(request.messages, self.replies)
        self.replies.append(said)
        half = len(said) // 2
        emit("text", said[:half])
        self.kernel.sleep(0.05)
        emit("text", said[half:])
        return Completion(said, usage=Usage(input=tokens.estimate(text), output=tokens.estimate(said)))


def loaded() -> None:
    """Import everything, so that nothing is imported while a world lives, and let all modules see the kernel's clock
    and threads."""
    for kind in ("tools", "providers", "commands"):
        for name in extensions.names(kind):
            with suppress(ImportError):
                extensions.load(kind, name)
    contract.find_all()
    from dotagent.capabilities.scheduler import serve as _clock  # noqa: F401
    from dotagent.capabilities.supervisor import serve as _up  # noqa: F401
    from dotagent.erasure import ledger, sweep, versions  # noqa: F401
    from dotagent.providers.server import catalogue, health, worker

    put(worker, {"ThreadPoolExecutor": Pool, "Future": Later})
    for module in (worker, health, catalogue):
        put(module, {"threading": Threading})
    own = {"start_time": start_time, "own": lambda: (os.getpid(), start_time(os.getpid())), "boot": boot}
    put(process, own)
    put(key_handover, {"take_over": lambda where, on_stdin: {}})
    put(keys, {"_run_in_child": lambda task, pipe: task()})  # a fork would copy the world
    put(credentials, {"close": lambda: None})
    for name, module in list(sys.modules.items()):
        if name.startswith("dotagent") and getattr(module, "datetime", None) is Real.datetime:
            put(module, {"datetime": Datetime})


def boot() -> str:
    """Return what identifies this start of the machine."""
    return f"boot {KERNEL.here.boots}" if KERNEL.here else "boot"


def made(plan: Plan, root: Path) -> World:
    """A home with its agents, before anything happens."""
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    kernel = Kernel(plan.seed, str(root))
    KERNEL.here = kernel
    random.seed(plan.seed)
    where = Home(root)
    home.prepare(where)
    (root / "dotagent.toml").write_text(
        f'owner = "ana"\nzone = "{plan.zone}"\nprovider = "offline"\nlinger = 30\ncontext_limit = {plan.limit}\n'
        'sandbox = "off"\nnearby = []\n'
    )
    world = World(plan, kernel, where)
    put(child_processes, {"start": world.start})
    put(offline, {"answer": world.answer})
    constants = extensions.constants
    more = {"COMPACTS": plan.summaries}
    put(extensions, {"constants": lambda kind, name: {**constants(kind, name), **more}})
    env = simulate_people.surroundings(plan)
    for room in plan.rooms:
        words = ["agent.py", "--new", "--room", room, "--until-idle", "--home", str(root)]
        before = set(home.lives(where))
        words += ["--audience", "group"] if room == "team" else []
        world.spawn("agent", words, agent.main, env)
        born_by(kernel, lambda: not kernel.of("agent"))
        self_id = next(iter(set(home.lives(where)) - before))
        world.lives[room] = self_id
        (where.agent(self_id) / "files" / "list.md").write_text("the end\n")
    for one in kernel.processes.values():
        kernel.signal(one, signal.SIGTERM)
    born_by(kernel, lambda: not kernel.processes)
    kernel.disk = SimulatedDisk(root)
    put(kernel, {"on_boot": world.people})
    kernel.mono = 1_000_000_000
    for path in root.rglob("*"):  # settings of the machine's own time would be newer than all that happens
        Real.utime(path, ns=(kernel.now(), kernel.now()), follow_symlinks=False)
    hooked(world)
    return world


def born_by(kernel: Kernel, over: Callable[[], bool]) -> None:
    """Let time pass until it is over. Raises Stuck if that takes too long."""
    end = kernel.mono + int(BIRTH * 1e9)
    while not over():
        if kernel.mono > end:
            raise Stuck(f"an agent is not born within {BIRTH:g} s: {[one.name for one in kernel.processes.values()]}")
        kernel.step(exact=True)  # the first provider's sleep must not delay the second agent


def hooked(world: World) -> None:
    """Know the agents that live, to compare them with what a resume would derive."""
    real = agent.live

    def live(me: Any) -> None:
        task = world.kernel.mine()
        assert task
        task.process.me = me
        real(me)

    put(agent, {"live": live})
