"""What the Discord bridge does and costs: how fast it carries, 100 rooms at once, memory, idle CPU, an outage, a storm.

The bridge is the real program with discord.py, Discord is the loopback server of the tests, the agent of the storm a
loop that echoes. Latencies are taken on one clock: from the moment an event goes out on the gateway's socket until the
room has grown, and from before the append to a room until the REST request is there. Linux only for memory and CPU.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import common

sys.path[:0] = [str(common.ROOT / "tests"), str(common.ROOT / "tests" / "bridges")]

import discord_storm  # type: ignore[import-not-found]  # noqa: E402  the tests' own world
from discord_storm import Bridge, bridge, configure  # noqa: E402
from echo_agent import Echo, plain, say, spoken  # type: ignore[import-not-found]  # noqa: E402
from fake_discord import Discord  # type: ignore[import-not-found]  # noqa: E402

from dotagent.store.home import Home  # noqa: E402

IN_MS, OUT_MS, MEMORY_MB, TICKS = 5.0, 20.0, 120, 1
ROOMS = 100


def main() -> None:
    """Measure and print."""
    parser = common.arguments(__doc__ or "")
    parser.add_argument("--count", type=int, default=200, help="messages each way for the latencies")
    parser.add_argument("--each", type=int, default=10, help="messages in each of the hundred rooms")
    parser.add_argument("--seconds", type=float, default=20.0, help="of idleness")
    parser.add_argument("--storm", type=int, nargs=3, default=(1000, 50, 50), help="messages, kills, drops")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    with common.scratch(asked.dir) as path:
        _carry(common.make_home(path / "one"), asked.count, asked.seconds)
        _crowd(common.make_home(path / "many"), asked.each)
        _outage(common.make_home(path / "outage"), 250)
        _storm(common.make_home(path / "storm"), tuple(asked.storm), asked.seed)


def _carry(where: Home, count: int, seconds: float) -> None:
    """One room: latencies both ways, then idleness."""
    inward, outward = [], []
    disk = common.Disk(where.root)
    with Discord() as discord:
        ana = discord.user("ana")
        direct = discord.direct(ana)
        configure(where)
        with bridge(where, discord) as running:
            room = where.room("discord-ana")
            discord.says(ana, direct, "begin")
            discord.until(room.exists)
            discord.until(lambda: spoken(where, "discord-ana"))
            for number in range(count):
                inward.append(_hear(discord, ana, direct, room, number))
                outward.append(_send(discord, room, number))
                if number % 20 == 0:
                    disk.measure()
            rows = [["gateway event → room", *common.ms(inward)], ["room → REST request", *common.ms(outward)]]
            heads = [f"{count} messages each way", "median ms", "p90 ms"]
            common.table("Carrying", heads, [*rows, *disk.rows()])
            print(f"\n  event → room, p90: {common.verdict(common.p90(inward) * 1000, IN_MS, ' ms')}")
            print(f"  room → REST, p90: {common.verdict(common.p90(outward) * 1000, OUT_MS, ' ms')}")
            _idle(running, seconds)


def _hear(discord: Discord, who: int, channel: int, room: Path, number: int) -> float:
    size = room.stat().st_size
    id = discord.says(who, channel, f"message {number}, of the length that such messages have")
    spin(lambda: room.stat().st_size > size)
    return time.monotonic() - float(discord.gateway.times[str(id)])


def _send(discord: Discord, room: Path, number: int) -> float:
    before = len(discord.rest.asked)
    begun = time.monotonic()
    say(room, f"answer {number}, of the length that such answers have")
    spin(lambda: len(discord.rest.asked) > before)
    asked = discord.rest.asked[before]
    channel = int(asked.path.split("/")[2])
    discord.until(lambda: discord.said(channel)[-1:] and discord.said(channel)[-1].startswith(f"answer {number},"))
    time.sleep(0.01)  # the next one finds the bridge asleep
    return float(asked.at) - begun


def spin(look: Callable[[], bool]) -> None:
    """Wait for it without sleeping long. Raises Stuck."""
    end = time.monotonic() + common.PATIENCE
    while not look():
        if time.monotonic() > end:
            raise common.Stuck("nothing came")
        time.sleep(0.0002)


def _idle(running: Bridge, seconds: float) -> None:
    pid = running.process.pid
    time.sleep(2.0)
    before, woken = _ticks(pid), common.status(pid, "voluntary_ctxt_switches")
    time.sleep(seconds)
    ticks, wakes = _ticks(pid) - before, common.status(pid, "voluntary_ctxt_switches") - woken
    print(f"  idle for {seconds:g} s: {common.verdict(ticks, TICKS, ' ticks')}, {wakes} wake-ups")
    print(f"  memory: {common.verdict(common.status(pid, 'VmHWM') / 1024, MEMORY_MB, ' MB')}")


def _ticks(pid: int) -> int:
    """Ticks of CPU of the whole process, its threads too."""
    stat = Path(f"/proc/{pid}/stat").read_bytes()
    fields = stat[stat.rindex(b")") + 2 :].split()
    return int(fields[11]) + int(fields[12])


def _crowd(where: Home, each: int) -> None:
    """A hundred rooms in which everybody talks at once."""
    with Discord() as discord, Echo(where, lambda text: plain(discord_storm.number(text))):
        people = [discord.user(f"person{n}") for n in range(ROOMS // 2)]
        server = discord.server("home", *people)
        channels = [discord.channel(server, f"channel{n}") for n in range(ROOMS - len(people))]
        places = [*map(discord.direct, people), *channels]
        configure(where, users=", ".join(f'"{one}"' for one in people))
        with bridge(where, discord) as running:
            begun = time.monotonic()
            for number in range(each):
                for at, place in enumerate(places):
                    discord.says(people[at % len(people)], place, f"<@{discord.world.me}> m{number}")
            wanted = [f"heard: m{number}" for number in range(each)]
            discord.until(lambda: all(len(discord.said(place)) >= each for place in places), 120)
            seconds = time.monotonic() - begun
            wrong = [place for place in places if discord.said(place) != wanted]
            memory = common.status(running.process.pid, "VmHWM") / 1024
            cpu = _ticks(running.process.pid) / os.sysconf("SC_CLK_TCK")
    total = ROOMS * each
    row = [f"{total}", f"{seconds:.1f}", f"{total / seconds:.0f}", f"{cpu / total * 1000:.1f}", len(wrong)]
    heads = [f"{ROOMS} rooms at once", "messages", "seconds", "a second", "CPU ms each", "rooms not in order"]
    common.table("A crowd", heads, [["heard and answered", *row]])
    print(f"\n  memory: {common.verdict(memory, MEMORY_MB, ' MB')}")


def _outage(where: Home, missed: int) -> None:
    """The gateway is away and forgets the session: discord.py waits five seconds before it identifies anew."""
    with Discord() as discord, Echo(where, lambda text: plain(discord_storm.number(text))):
        ana, ben = discord.user("ana"), discord.user("ben")
        known, new = discord.direct(ana), discord.direct(ben)
        configure(where, users=f'"{ana}", "{ben}"')
        with bridge(where, discord):
            discord.says(ana, known, "m0")
            discord.until(lambda: discord.said(known))
            discord.outage()
            for number in range(1, missed):
                discord.says(ana, known, f"m{number}")
            discord.says(ben, new, "m0")
            begun = time.monotonic()
            discord.back()
            discord.until(lambda: len(discord.said(known)) >= missed and discord.said(new), 120)
            seconds = time.monotonic() - begun
            right = discord.said(known) == [f"heard: m{number}" for number in range(missed)]
    heads = ["An outage", "missed", "seconds until all are answered", "once and in order"]
    common.table("An outage", heads, [["a room, and a person who was new", missed, f"{seconds:.1f}", right]])


def _storm(where: Home, what: tuple[int, int, int], seed: int) -> None:
    """Kills and drops."""
    after = discord_storm.blow(where, *what, seed=seed)
    said = sum(map(len, after.said.values()))
    row = [
        f"{said}",
        f"{len(after.said)}",
        f"{after.kills}",
        f"{after.drops}",
        f"{after.seconds:.0f}",
        len(after.wrong),
    ]
    heads = ["20 people", "messages", "places", "kills", "drops", "seconds", "not once and in order"]
    common.table("A storm", heads, [["heard and answered", *row]])
    for wrong in after.wrong[:5]:
        print(f"\n{wrong}")


if __name__ == "__main__":
    main()
