"""People who talk on a fake Discord while the bridge is killed and its connection breaks: was each heard once, each
answer seen once, in order?"""

from __future__ import annotations

import random
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from echo_agent import Echo, plain, spoken
from fake_discord import CUT_AFTER, CUT_BEFORE, Discord
from support import PATIENCE, spawn

from dotagent.store.home import Home

SETTINGS = """owner = "olga"
[bridges.discord]
users = [{users}]
channels = ["*"]
agents = "none"
owners = [{owners}]
{more}
"""
_NUMBER = re.compile(r"m\d+\b")


@dataclass
class Bridge:
    """The bridge's process, which can be killed and started again."""

    where: Home
    discord: Discord
    process: subprocess.Popen[str]
    output: list[str] = field(default_factory=list)

    def kill(self) -> None:
        """Kill -9."""
        self.end(signal.SIGKILL)

    def end(self, signum: int = signal.SIGTERM) -> int:
        """End it by a signal; its exit status."""
        self.process.send_signal(signum)
        out, err = self.process.communicate(timeout=PATIENCE)
        self.output.append(out + err)
        return self.process.returncode

    def start(self) -> None:
        """Start it anew."""
        self.process = _start(self.where, self.discord)

    def connects(self, times: int = 1) -> None:
        """Wait until it is connected."""
        self.discord.until(lambda: self.discord.connected(times) or self.process.poll() is not None)
        assert self.process.poll() is None, self.process.communicate()


def _start(where: Home, discord: Discord) -> subprocess.Popen[str]:
    named = {"DISCORD_BOT_TOKEN": discord.token, "DISCORD_API_BASE": discord.base, "DOTAGENT_NEARBY": ""}
    return spawn(where, "-m", "dotagent", "discord", env=named)


def configure(where: Home, users: str = '"*"', owners: str = "", more: str = "") -> None:
    """Write the settings: whom it lets in, who owns it, and more lines."""
    (where.root / "dotagent.toml").write_text(SETTINGS.format(users=users, owners=owners, more=more))


@contextmanager
def bridge(where: Home, discord: Discord) -> Iterator[Bridge]:
    """The bridge, connected; it is gone when the block ends."""
    made = Bridge(where, discord, _start(where, discord))
    try:
        made.connects()
        yield made
    finally:
        if made.process.poll() is None:
            made.end()


@dataclass
class Storm:
    """What the storm was and how it went."""

    said: dict[int, list[str]] = field(default_factory=dict)
    """By channel: the words of people, in order."""
    last: dict[int, int] = field(default_factory=dict)
    """By channel: who spoke last."""
    kills: int = 0
    drops: int = 0
    seconds: float = 0.0
    wrong: list[str] = field(default_factory=list)
    """What was not heard or answered exactly once and in order."""


def blow(where: Home, messages: int, kills: int, drops: int, seed: int = 1) -> Storm:
    """Let 20 people say so many messages, in their direct messages and four channels, while the bridge is killed and
    the gateway drops it so many times. No nonce is remembered: only the own messages there tell what was sent."""
    chance, storm, begun = random.Random(seed), Storm(), time.monotonic()
    with Discord() as discord, Echo(where, lambda text: plain(number(text))):
        discord.world.nonce_seconds = 0.0
        people = [discord.user(f"person{n}") for n in range(20)]
        server = discord.server("home", *people)
        channels = [discord.channel(server, f"channel{n}") for n in range(4)]
        configure(where, users=", ".join(f'"{one}"' for one in people))
        troubles = ["kill"] * kills + ["drop"] * drops
        chance.shuffle(troubles)
        with bridge(where, discord) as running:
            _speak(discord, storm, chance, people, channels)
            discord.until(lambda: any(discord.said(channel) for channel in storm.said))
            for number_of, trouble in enumerate(troubles, 1):
                while _count(storm) < messages * number_of / (len(troubles) + 1):
                    _speak(discord, storm, chance, people, channels)
                    _answers(discord, storm, chance)
                _strike(trouble, discord, running, storm, chance)
            while _count(storm) < messages:
                _speak(discord, storm, chance, people, channels)
            running.connects()
            _settles(discord, storm)
        storm.seconds = time.monotonic() - begun
        storm.wrong += _faults(where, discord, storm)
    return storm


def _speak(discord: Discord, storm: Storm, chance: random.Random, people: list[int], channels: list[int]) -> None:
    person = chance.choice(people)
    _say(discord, storm, person, discord.direct(person) if chance.random() < 0.5 else chance.choice(channels))


def _say(discord: Discord, storm: Storm, person: int, channel: int) -> None:
    words = f"m{_count(storm)}"
    storm.said.setdefault(channel, []).append(words)
    storm.last[channel] = person
    discord.says(person, channel, words if channel == discord.direct(person) else f"<@{discord.world.me}> {words}")


def _strike(trouble: str, discord: Discord, running: Bridge, storm: Storm, chance: random.Random) -> None:
    if trouble == "kill":
        storm.kills += 1
        running.kill()
        running.start()
        if chance.random() < 0.8:  # else it is struck again while it starts
            running.connects()
            _answers(discord, storm, chance)
        return
    storm.drops += 1
    if chance.random() < 0.5:  # and a request breaks off, done or not
        discord.rest.fail("POST", "/messages$", chance.choice((CUT_BEFORE, CUT_AFTER)))
    ways: list[Callable[[], None]] = [
        lambda: discord.drop(),
        lambda: discord.drop(4000),
        lambda: discord.do(discord.gateway.reconnect),
        lambda: discord.do(discord.gateway.invalidate, True),
    ]
    chance.choice(ways)()
    _answers(discord, storm, chance)


def _count(storm: Storm) -> int:
    return sum(map(len, storm.said.values()))


def number(text: str) -> str:
    """The part of a text that names the message."""
    found = _NUMBER.search(text)
    return found[0] if found else ""


def _answered(discord: Discord, storm: Storm) -> int:
    return sum(len(discord.said(channel)) for channel in list(storm.said))


def _answers(discord: Discord, storm: Storm, chance: random.Random) -> None:
    """Wait until some of what is not answered yet is: none, or a few, so that it is struck at any moment."""
    wanted = chance.randint(0, 4) + _answered(discord, storm)
    discord.until(lambda: _answered(discord, storm) >= min(wanted, _count(storm)))


def _settles(discord: Discord, storm: Storm) -> None:
    """Wait until as many answers are there as there must be. What would be too much is there before the answer to a
    channel's last word, so there is one."""
    wanted = _count(storm)
    try:
        discord.until(lambda: _answered(discord, storm) >= wanted)
        for channel, person in storm.last.items():
            _say(discord, storm, person, channel)
        discord.until(lambda: _answered(discord, storm) >= wanted + len(storm.last))
    except AssertionError as late:
        storm.wrong.append(str(late))


def _faults(where: Home, discord: Discord, storm: Storm) -> list[str]:
    """What was not heard or answered once and in order."""
    wrong = []
    heard = {path.stem: [number(text) for text in spoken(where, path.stem)] for path in where.chats.glob("*.md")}
    rooms = {tuple(words): room for room, words in heard.items()}
    for channel, said in storm.said.items():
        if tuple(said) not in rooms:
            near = max(heard.values(), key=lambda words: len(set(words) & set(said)), default=[])
            wrong.append(f"said {said}\nheard {near}")
        answers = [number(text) for text in discord.said(channel)]
        if answers != said:
            wrong.append(f"said {said}\nanswered {answers}")
    return wrong
