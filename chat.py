"""Talk in a room: at a terminal, from a pipe, or one message with -m.

A room is a file, and this only appends to it and shows what others append; whoever answers is another process. An
answer is shown as it is written, from the spool, until the message itself is in the room.
"""

from __future__ import annotations

import argparse
import os
import select
import sys
from collections.abc import Iterable, Iterator

from dotagent import errors
from dotagent.arguments import Parser
from dotagent.chatting.talk import FAILED, Talk, shown, who, words
from dotagent.errors import Misuse, Trouble
from dotagent.store import home, lives, watch
from dotagent.text import names

MOST = 86_400.0  # seconds that --wait takes


def parser() -> Parser:
    """What `python chat.py` understands."""
    p = Parser(prog="python chat.py", description="Talk in a room.", allow_abbrev=False)
    p.add_argument("room", nargs="?", default="dev", help="the room (default: dev)")
    p.add_argument("--home", metavar="DIR", help="the directory everything lives in (default: where chat.py is)")
    p.add_argument("-m", dest="text", metavar="TEXT", help="say this and leave")
    p.add_argument("--wait", type=float, metavar="SECONDS", help="then wait for an answer and print it")
    p.add_argument("--name", metavar="NAME", help="who is talking (default: the login user)")
    return p


def main() -> int:
    """Talk."""
    asked = parser().parse_args()
    talk = Talk(home.find(asked.home), asked.room, name_of(asked.name))
    home.require(talk.home)
    texts = told(asked)
    if texts is not None:
        return say(talk, texts, asked.wait)
    if sys.stdout.isatty():
        asleep(talk)
    if sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb" and not os.environ.get("NO_COLOR"):
        from dotagent.chatting import terminal  # with prompt_toolkit, drafts and history, which a pipe has no use for

        terminal.Terminal(talk).run()
    else:
        follow(talk)
    return 0


def asleep(talk: Talk) -> None:
    """Where nobody is awake but somebody sleeps, offer to wake it."""
    if (here := lives.of(talk.home, talk.room)) and not lives.awake(talk.home, talk.room):
        from dotagent.chatting import waking  # which can start programs

        waking.offer(talk, here)


def told(asked: argparse.Namespace) -> Iterable[str] | None:
    """The messages that the command line or a pipe holds; None when a person is to type them. Raises Misuse."""
    if asked.wait is not None and not 0 < asked.wait <= MOST:
        raise Misuse(f"--wait {asked.wait:g}: seconds, more than 0 and at most {MOST:,.0f}")
    if asked.text is not None:
        if not asked.text.strip():
            raise Misuse("-m: there is nothing to say")
        return [asked.text.strip("\n")]
    if not sys.stdin.isatty():
        return piped()
    if asked.wait is not None:
        raise Misuse("--wait goes with -m TEXT, or with a pipe")
    return None


def piped() -> Iterator[str]:
    """The lines of standard input, as they come."""
    for line in sys.stdin.buffer:
        yield line.decode("utf-8", "replace").rstrip("\r\n")


def name_of(asked: str | None) -> str:
    """The person's name. Raises Misuse for one that a room's tags cannot hold."""
    name = asked or home.user()
    if not name:
        raise Misuse("who are you? this user has no name here: --name NAME")
    if not names.PERSON.fullmatch(name) or names.is_bridged(name) or not name.isprintable():
        raise Misuse(f"{name[:100]!r} cannot be your name in a room: one word without : [ ] and / (--name NAME)")
    return name


def say(talk: Talk, texts: Iterable[str], wait: float | None) -> int:
    """Say these messages; with `wait`, print the first answer to the last of them."""
    mine = b""
    for text in filter(str.strip, texts):
        if not talk.path.exists():
            errors.tell(f"there was no room {talk.room}: made it, private to the owner")
        if not mine and (why := talk.nobody()):
            errors.tell(why)
        talk.begin(0)
        mine = talk.say(text)
    if wait is None or not mine:
        return 0
    answer = talk.answer(mine, wait)
    if answer is None:
        raise Trouble(f"no answer in {talk.room} within {wait:g} s")
    print(answer)
    return 1 if answer.startswith(FAILED) else 0


def follow(talk: Talk) -> None:
    """Say what is typed, line by line, and print what others say: for an output that cannot be drawn on."""
    talk.begin(0)
    watcher = watch.Watcher()
    watcher.also(0)
    if why := talk.nobody():
        errors.tell(why)
    while True:
        talk.watch(watcher)
        for message in talk.news():
            print(shown(who(message), words(message)), flush=True)
        watcher.wait(None)
        if select.select([0], [], [], 0)[0]:
            line = sys.stdin.buffer.readline()
            if not line:
                return
            if line.strip():
                talk.say(line.decode("utf-8", "replace").rstrip("\r\n"))


if __name__ == "__main__":
    sys.exit(errors.edge(main))
