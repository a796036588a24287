"""What the simulation looks at when a world has come to rest: everything that dotagent promises."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout, suppress
from datetime import UTC, datetime, timedelta
from io import StringIO
from itertools import pairwise
from pathlib import Path

import simulate_people
from simulate_people import tools_of
from simulate_world import World

from dotagent import commands
from dotagent.capabilities.scheduler import jobs
from dotagent.compaction import check
from dotagent.erasure import ledger
from dotagent.life import questions, replay
from dotagent.store import log, zstd
from dotagent.store.blobs import BlobCorrupt, BlobForgotten, BlobMissing
from dotagent.text import schedule, times

SAID = re.compile(r"(?m)^\[AGENT:(\S+) \S+\] (.*)$")
TAG = re.compile(r"\[AGENT:[0-9a-f]{12} \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{6})?Z\] ")
USUAL = re.compile(r"\[\d+\] Before I do this.*|answer \d+\.|reported \d+\.|rung (?:job \w+|reminder \d+), .*\.")
ORDER = re.compile(rb"\border (\d+)\.")
ERRAND = re.compile(r"\berrand (\d+)\.")
HEARD_SOON = 10.0  # seconds in a world without faults


def quiet(world: World) -> bool:
    """Whether the people have what they wait for. It is a first look: `wrong` says what is right."""
    if world.done < len(world.plan.items) or world.wishes:
        return False
    for room in world.plan.rooms:
        text = world.where.room(room).read_bytes()
        missing = {number for number, its in world.said.items()
                   if its == room and number in world.sure and b"answer %d." % number not in text}  # fmt: skip
        if missing and missing - _refused_orders(world, room):
            return False
    if any(f"reported {number}." not in world.where.room(room).read_text() for number, room in world.tasks.items()):
        return False
    for number, (answer, _) in world.mails.items():
        there = [text for text, _ in _questions(world, "dev") if number in simulate_people.errands(text).values()]
        if not there or (
            answer == "yes" and not ran(world, log.lines(world.where.agent(world.lives["dev"]) / "LIFE.md"))[number]
        ):
            return False
    if any(spooled(world)):
        return False
    if any(world.where.jobs.glob("remind-*.toml")):
        return False
    return not any(world.where.agents.glob("*/due/*.json"))


def _refused_orders(world: World, room: str) -> set[int]:
    """The orders in a room that get no answer, because the model refused its prompt."""
    lines, bodies = list(log.lines(world.where.agent(world.lives[room]) / "LIFE.md")), dict[int, bytes]()
    for at, line in enumerate(lines):
        if line.event == "HEAR":
            with suppress(BlobMissing, BlobCorrupt):  # told elsewhere
                bodies[at] = world.where.store().get(line.id).body
    return given_up(lines, bodies)


def spooled(world: World) -> Iterator[Path]:
    """What the spool holds. A power cut may bring back an outcome that LIFE has: its agent removes it at its next
    start, and is not started for that."""
    calls, cut = world.where.calls, any(one.startswith("power cut") for one in world.kernel.faults)
    yield from (*calls.glob("new/*/[0-9a-f]*"), *calls.glob("taken/[0-9a-f]*"))
    for path in calls.glob("done/*/*"):
        if not (cut and path.name in (world.where.agent(path.parent.name) / "LIFE.md").read_text()):
            yield path


def _questions(world: World, room: str) -> list[tuple[str, str]]:
    """The questions in a room, with their numbers."""
    return simulate_people.QUESTION.findall(world.where.room(room).read_text())


def ran(world: World, lines: Iterable[log.Line]) -> Counter[int]:
    """How often the reminder of each errand came."""
    store, found = world.where.store(), Counter[int]()
    for line in lines:
        if line.event == "WAKE":
            with suppress(BlobMissing, BlobCorrupt):  # told elsewhere
                found.update(map(int, ERRAND.findall(store.get(line.id).body.decode())))
    return found


def _errands(world: World, room: str, lines: Sequence[log.Line]) -> Iterator[str]:
    """What is wrong with what a stranger's mails asked for: it is done once after a yes in time, else never."""
    made, yes, late = ran(world, lines), set[int](), dict[str, str]()
    for line in lines:
        if line.event == "EFFECT" and (one := questions.read(line.detail.partition(" ")[2])):
            late[str(one.number)] = one.until
    heard = {line.gist.partition(": ")[2]: line.at for line in reversed(lines) if line.event == "HEAR"}
    for text, asked_as in _questions(world, room):
        said = world.answered.get((room, asked_as), "")
        if said.startswith("yes") and heard.get(said, "9") <= late.get(asked_as, ""):
            yes |= {done for call, done in simulate_people.errands(text).items() if str(call) in said.split()[2:]}
    for number, count in made.items():
        if count > 1 or number not in yes:
            yield f"errand {number} was done {count} times, and people said yes to {sorted(yes)}"
    asked = Counter(one for text, _ in _questions(world, room) for one in simulate_people.errands(text).values())
    yield from (f"errand {number} was asked about {count} times" for number, count in asked.items() if count > 1)
    if not any(line.event == "TOOL" and line.detail.startswith("REMIND error") for line in lines):
        yield from (f"errand {number} was not done after a yes" for number in sorted(yes - set(made)))


def _tasks(world: World, room: str, lines: Sequence[log.Line], said: Sequence[str]) -> Iterator[str]:
    """What is wrong with what helpers did: each task is done by one helper, and its result is told once."""
    mine = {number for number, its in world.tasks.items() if its == room}
    told = Counter(int(found[1]) for text in said if (found := re.fullmatch(r"reported (\d+)\.", text)))
    made = [line.detail.split()[0] for line in lines if line.event == "SPAWNED"]
    back = Counter(line.detail.split()[0] for line in lines if line.event == "RETURNED")
    yield from (f"helper {one[:12]} returned {back[one]} times" for one in made if back[one] != 1)
    failed = any(line.event in ("FAIL", "RETURNED", "TOOL") and re.search(r" (final|failed|died|error)\b", line.detail)
                 for line in lines)  # fmt: skip
    yield from _each("task", "reported", told, set() if failed else mine, mine)
    if len(set(made)) != len(mine) and not failed:
        yield f"{len(mine)} tasks were given to {len(set(made))} helpers"


def derived(world: World) -> Iterator[str]:
    """What a resume would derive otherwise than what the living process holds."""
    for one in world.kernel.processes.values():
        if one.me is None or one.dead:
            continue
        session = one.me.session
        view = replay.derive(world.where, session.id, session.settings.context_limit)
        if view.state != session.state:
            names = [name for name in vars(view.state) if getattr(view.state, name) != getattr(session.state, name)]
            yield f"a resume would derive another state: {names}"
        if [entry.line for entry in view.entries] != [entry.line for entry in session.entries]:
            yield "a resume would derive other entries"
        elif [entry.content for entry in view.entries] != [entry.content for entry in session.entries]:
            yield "a resume would derive entries with another content"


def erased(world: World) -> Iterator[str]:
    """What was forgotten and stands somewhere, or would after a power cut."""
    for number, words in sorted(world.gone.items()):
        word = words.encode()
        files = [path for path in world.where.root.rglob("*") if path.is_file() and not path.is_symlink()]
        found = [str(path.relative_to(world.where.root)) for path in sorted(files) if word in _content(path)]
        if found:
            yield f"locker {number} was forgotten, and stands in {', '.join(found)}"
        elif world.kernel.disk and (durable := list(world.kernel.disk.holding(word))):
            yield f"locker {number} was forgotten, and after a power cut stands in {', '.join(durable)}"


def _content(path: Path) -> bytes:
    """What a file says, also if it is compressed."""
    data = path.read_bytes()
    if data[:4] == b"\x28\xb5\x2f\xfd":
        data += zstd.load().decompress(data)
    return data


def wrong(world: World) -> Iterator[str]:
    """What is wrong with a home that came to rest."""
    for room, self_id in world.lives.items():
        yield from _life(world, room, self_id)
    yield from _jobs(world)
    yield from erased(world)
    if ledger.is_unfinished(world.where):
        yield "a permanent deletion is not complete"
    yield from (f"the spool holds {path.relative_to(world.where.root)}" for path in spooled(world))
    yield from _doctor(world)
    helpers = {line.detail.split()[0] for self_id in world.lives.values()
               for line in log.lines(world.where.agent(self_id) / "LIFE.md") if line.event == "SPAWNED"}  # fmt: skip
    born = {path.parent.name for path in world.where.agents.glob("*/LIFE.md")} - set(world.lives.values())
    if born != helpers:
        yield f"the helpers {sorted(born)} were born, and {sorted(helpers)} were asked for"


def _life(world: World, room: str, self_id: str) -> Iterator[str]:
    """What is wrong with one agent."""
    path, store = world.where.agent(self_id), world.where.store()
    lines = list(log.lines(path / "LIFE.md"))
    yield from (f"LIFE's times: {a.at}, then {b.at}" for a, b in pairwise(lines) if a.at >= b.at)
    if len(lines) != (path / "LIFE.md").read_bytes().count(b"\n"):
        yield "LIFE has lines that are no events"
    bodies = dict[int, bytes]()
    for at, line in enumerate(lines):
        if not line.id or line.event in ("ASK", "LOOK", "SUMMARISE", "SEGMENT"):
            continue
        try:
            bodies[at] = store.get(line.id).body
        except BlobForgotten:
            continue
        except (BlobMissing, BlobCorrupt) as lost:
            yield f"{line.event} of {line.at}: {lost}"
    mine = {number for number, its in world.said.items() if its == room}
    heard = Counter(int(number) for at, line in enumerate(lines) if line.event == "HEAR" and at in bodies
                    for number in ORDER.findall(bodies[at]))  # fmt: skip
    yield from _each("order", "heard", heard, mine & world.sure, mine)
    text = world.where.room(room).read_text()
    torn = [line for line in text.split("\n") if line.startswith("[AGENT:") and not TAG.match(line)]
    yield from (f"a message in {room} has a damaged tag: {line}" for line in torn)
    tags = Counter(re.findall(rf"(?m)^\[AGENT:{self_id[:12]} (\S+)\] ", text))
    yield from (f"{count} messages in {room} have the time {at}" for at, count in tags.items() if count > 1)
    said = [text for _, text in SAID.findall(text)]
    tried = set(heard) - given_up(lines, bodies)
    answers = Counter(int(found[1]) for text in said if (found := re.fullmatch(r"answer (\d+)\.", text)))
    yield from _each("order", "answered", answers, tried, set(heard))
    yield from _errands(world, room, lines)
    yield from _tasks(world, room, lines, said)
    told = [text for text in said if not USUAL.fullmatch(text)]
    most = sum(line.event in ("FAIL", "TELL", "TOOL", "AWAY") for line in lines)
    if len(told) > most:
        yield f"it told {told}"
    noted = Counter(int(one.stem) for one in (path / "files" / "notes").glob("*.md")
                    if one.read_text() == f"{one.stem}\n")  # fmt: skip
    wanted = {tool: {number for number in heard if tool in tools_of(number)}
              for tool in ("WRITE_FILE", "EDIT_FILE", "REMIND")}  # fmt: skip
    yield from _each("note", "written", noted, wanted["WRITE_FILE"] & tried, wanted["WRITE_FILE"])
    listed = Counter(map(int, re.findall(r"(?m)^- (\d+)$", (path / "files" / "list.md").read_text())))
    yield from _each("order", "listed by EDIT_FILE", listed, wanted["EDIT_FILE"] & tried, wanted["EDIT_FILE"])
    yield from _wakes(room, lines, bodies, said, (wanted["REMIND"] & tried, wanted["REMIND"]))
    view = replay.derive(world.where, self_id, world.plan.limit)
    yield from (f"{problem} ({room})" for problem in check.reach(store, view).problems)
    yield from _slow(world, lines) if not world.kernel.faults else ()
    slow = [number for number in heard if _delay(world, lines, bodies, number) > HEARD_SOON]
    if slow and not world.kernel.faults:
        yield f"orders {slow} were heard more than {HEARD_SOON:g} s after they were written, and nothing was in the way"


def _wakes(room: str, lines: Sequence[log.Line], bodies: Mapping[int, bytes], said: Sequence[str],
           wanted: tuple[set[int], set[int]]) -> Iterator[str]:  # fmt: skip
    """What is wrong with the reminders and jobs that were due."""
    wakes = [(line.detail.split()[0], line.detail.split()[2], bodies.get(at, b"").decode()) for at, line
             in enumerate(lines) if line.event == "WAKE"]  # fmt: skip
    yield from (f"WAKE {key} {count} times" for key, count in Counter(one[:2] for one in wakes).items() if count > 1)
    reminded = Counter(int(found[1]) for _, _, text in wakes if (found := re.search(r"reminder (\d+)\.", text)))
    yield from _each("reminder", "due", reminded, *wanted)
    rung = Counter(text for text in said if text.startswith("rung "))
    yield from (f"it said {text!r} {count} times" for text, count in rung.items() if count > 1)
    wakes = [one for one in wakes if not ERRAND.search(one[2])]
    refused, alone = _refused(lines)
    if not len(wakes) - refused <= rung.total() <= len(wakes):
        yield f"{len(wakes)} runs were due in {room}, and it spoke of {rung.total()}: {[one[:2] for one in wakes][:5]}"
    if alone and not any("; this was due: " in text for text in said):
        yield f"the model refused {alone} runs, and the room {room} does not name them"


def _refused(lines: Sequence[log.Line]) -> tuple[int, int]:
    """The runs for which the model refused its prompt, and those among them after which no message had come."""
    waiting = alone = found = named = 0
    for line in lines:
        if line.event == "WAKE":
            waiting, alone = waiting + 1, alone + 1
        elif line.event == "HEAR":
            alone = 0
        elif line.event == "REPLY":
            waiting = alone = 0
        elif line.event == "FAIL" and line.detail.split()[1:2] == ["final"]:
            found, named, waiting, alone = found + waiting, named + alone, 0, 0
    return found, named


def given_up(lines: Sequence[log.Line], bodies: Mapping[int, bytes]) -> set[int]:
    """The orders for which the model refused its prompt: the agent told that there is no answer."""
    waiting, found = set[int](), set[int]()
    for at, line in enumerate(lines):
        if line.event == "HEAR" and at in bodies:
            waiting |= {int(number) for number in ORDER.findall(bodies[at])}
        elif line.event == "FAIL" and line.detail.split()[1:2] == ["final"]:
            found |= waiting
        elif line.event == "REPLY":
            waiting.clear()
    return found


def _slow(world: World, lines: Sequence[log.Line]) -> Iterator[str]:
    """Answers that took long, though nothing was in the way: a model thinks for 4 s at most."""
    asked = ""
    for line in lines:
        asked = line.at if line.event == "ASK" else asked
        if line.event == "REPLY" and (took := (times.parse(line.at) - times.parse(asked)).total_seconds()) > HEARD_SOON:
            yield f"an answer took {took:.0f} s, and nothing was in the way"


def _delay(world: World, lines: Sequence[log.Line], bodies: dict[int, bytes], number: int) -> float:
    """How long an order waited until it was heard, in seconds of the clock that runs evenly."""
    at = next(line.at for at, line in enumerate(lines) if line.event == "HEAR" and at in bodies
              and str(number).encode() in ORDER.findall(bodies[at]))  # fmt: skip
    heard = times.parse(at).timestamp() - (world.kernel.offset / 1e9)
    return heard - world.at[number] if number in world.at else 0.0


def _each(what: str, how: str, found: Counter[int], least: set[int], most: set[int]) -> Iterator[str]:
    """What is wrong with numbers of which each is to be there once."""
    yield from (f"{what} {number} was {how} {found[number]} times" for number in sorted(least) if found[number] != 1)
    for number in sorted(set(found) - least):
        if found[number] > 1 or number not in most:
            yield f"{what} {number} was {how} {found[number]} times, and not for sure asked for"


def _jobs(world: World) -> Iterator[str]:
    """What is wrong with the jobs: each time at which one was due was handed over, or counted as missed."""
    for name, begun in world.jobs.items():
        job = jobs.read(world.where, name, world.plan.zone)
        known = jobs.ran(world.where, name)
        handed = [line.detail.split()[2] for self_id in world.lives.values()
                  for line in log.lines(world.where.agent(self_id) / "LIFE.md")
                  if line.event == "WAKE" and line.detail.split()[0] == name]  # fmt: skip
        if "clock set back" in world.kernel.faults:
            continue  # the times at which it was due are no longer those that the clock saw
        at, count = datetime.fromtimestamp(int(begun), UTC), 0
        until = times.parse(known.at) if known.at else at
        while (soon := schedule.next_time(job.schedule, at)) and soon <= until:
            at, count = soon, count + 1
        if len(handed) + known.missed != count:
            yield f"job {name} was due {count} times, handed over at {handed}, and missed {known.missed} times"
        if datetime.fromtimestamp(world.kernel.now() / 1e9, UTC) - (schedule.next_time(job.schedule, until) or
                datetime.max.replace(tzinfo=UTC)) > timedelta(minutes=5):  # fmt: skip
            yield f"job {name} is late: it was last handed over for {known.at}"


def _doctor(world: World) -> Iterator[str]:
    """What doctor calls damage."""
    with redirect_stdout(StringIO()) as out:
        commands.run("doctor", ["--home", str(world.where.root), "--json"])
    for line in out.getvalue().split("\n")[:-1]:
        if (one := json.loads(line))["level"] == "damage":
            yield f"doctor calls it damage: {one['what']} ({one['where']})"
