"""Talking line by line, for an output that cannot be drawn on: what is typed is said, what others say is printed.

What a person typed at a terminal stands there already, so it is not printed again. Owns nothing on disk.
"""

from __future__ import annotations

import select
import sys

from dotagent import errors
from dotagent.chatting import here, slash
from dotagent.chatting.talk import Talk, shown, words
from dotagent.errors import Trouble
from dotagent.store import watch

BACKGROUND = 10  # messages that a person is shown first


def follow(talk: Talk) -> None:
    """Talk until the input ends, or /quit."""
    watcher, mine = watch.Watcher(), list[bytes]()
    watcher.also(0)
    if sys.stdout.isatty():
        _enter(talk)
    else:
        talk.begin(0)
        _tell(talk.nobody())
    while True:
        talk.watch(watcher)
        for message in talk.news():
            if message.raw in mine:
                mine.remove(message.raw)
            else:
                print(shown(talk.who(message), words(message)), flush=True)
        watcher.wait(None)
        if not select.select([0], [], [], 0)[0]:
            continue
        line = sys.stdin.buffer.readline()
        text = line.decode("utf-8", "replace").rstrip("\r\n")
        if not line or text.strip() == "/quit":
            return
        if slash.is_one(text):
            talk = _command(talk, text)
        elif text.strip():
            mine.append(talk.say(text))


def _enter(talk: Talk) -> None:
    """Who is there, and the last messages."""
    said = talk.begin(BACKGROUND)
    print(f"{talk.room}: {here.there(talk.home, talk.room)}; you are {talk.name}; /help", flush=True)
    for message in said:
        print(shown(talk.who(message), words(message)), flush=True)
    _tell(talk.nobody())


def _command(talk: Talk, text: str) -> Talk:
    """Do a command; the room in which one talks then."""
    name, _, rest = text.strip().partition(" ")
    try:
        if name.lower() == "/room" and rest.strip():
            talk = Talk(talk.home, rest.strip(), talk.name)
            _enter(talk)
        else:
            _tell(slash.do(talk, name.lower(), rest.strip()))
    except (Trouble, OSError) as error:
        _tell(errors.line(error) if isinstance(error, OSError) else str(error))
    return talk


def _tell(text: str) -> None:
    """Say something of our own."""
    if text:
        print("\n".join(f"-- {line}" for line in text.split("\n")), flush=True)
