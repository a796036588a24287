"""Talk line by line, for an output without drawing: typed lines are sent, and others' messages are printed.

A line typed at a terminal is visible already, so it is not printed again. Owns nothing on disk.
"""

from __future__ import annotations

import select
import sys

from dotagent import errors
from dotagent.errors import Trouble
from dotagent.store import watch
from dotagent.terminal import presence, progress, slash
from dotagent.terminal.talk import Talk, format_message, words

AGAIN = 1.0  # seconds between two checks whether an agent that owes an answer still runs
BACKGROUND = 10  # messages shown at the beginning


def follow(talk: Talk) -> None:
    """Talk until the input ends, or /quit."""
    watcher, mine = watch.Watcher(), list[bytes]()
    watcher.also(0)
    owed, doing = False, progress.Work(talk.home, talk.room)
    if sys.stdout.isatty():
        _enter(talk)
    else:
        talk.begin(0)
        _tell(talk.nobody())
    told = talk.nobody()
    while True:
        talk.watch(watcher)
        doing.watch(watcher)
        for message in talk.news():
            owed = owed and message.kind != "AGENT"
            if message.raw in mine:
                mine.remove(message.raw)
            else:
                print(format_message(talk.who(message), words(message)), flush=True)
        doing.look()
        for text in doing.wrong():
            _tell(text)
        if owed and (why := talk.nobody()) != told:
            told = why
            _tell(why)
        watcher.wait(AGAIN if owed or talk.unsettled else None)
        if not select.select([0], [], [], 0)[0]:
            continue
        line = sys.stdin.buffer.readline()
        text = line.decode("utf-8", "replace").rstrip("\r\n")
        if not line or text.strip() == "/quit":
            return
        if command := slash.parse(text):
            talk = _command(talk, *command)
            doing = progress.Work(talk.home, talk.room)
        elif text.strip():
            mine.append(talk.say(text))
            owed = True


def _enter(talk: Talk) -> None:
    said = talk.begin(BACKGROUND)
    print(f"{talk.room}: {presence.describe_agents(talk.home, talk.room)}; you are {talk.name}; /help", flush=True)
    for told in presence.find_model_ends(talk.home, talk.room):
        _tell(told)
    for message in said:
        print(format_message(talk.who(message), words(message)), flush=True)
    _tell(talk.nobody())


def _command(talk: Talk, name: str, rest: str) -> Talk:
    """Run a command. Return the talk of the room that is open afterwards."""
    try:
        if name == "/room" and rest:
            talk = Talk(talk.home, rest, talk.name)
            _enter(talk)
        else:
            _tell(slash.do(talk, name, rest))
    except (Trouble, OSError) as error:
        _tell(errors.line(error) if isinstance(error, OSError) else str(error))
    return talk


def _tell(text: str) -> None:
    if text:
        print("\n".join(f"-- {line}" for line in text.split("\n")), flush=True)
