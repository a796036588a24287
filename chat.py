"""Talk in a room: at a terminal, from a pipe, or one message with -m.

A room is a file, and this only appends to it and shows what others append; whoever answers is another process. An
answer is shown as it is written, from the spool, until the message itself is in the room.
"""

from __future__ import annotations

import argparse
import os
import select
import sys

from dotagent import errors
from dotagent.arguments import Parser
from dotagent.chatting.talk import FAILED, Talk
from dotagent.errors import Misuse, Trouble
from dotagent.installed import PROGRAMS
from dotagent.store import home, lives, plugins
from dotagent.text import names

MOST = 86_400.0  # seconds that --wait takes
LONGEST = 1 << 20  # bytes of a message from a pipe: what is read of a room at once
SLOW = 2.0  # seconds after which a pipe that says nothing is told of


def parser() -> Parser:
    """What chat.py understands."""
    p = Parser("chat", PROGRAMS["chat"])
    p.add_argument("room", nargs="?", default="dev", help="the room (default: dev)")
    p.add_argument(
        "--start", action="store_true", help="where nobody was ever born, let an agent be born, in the background"
    )
    p.add_argument("-m", dest="text", metavar="TEXT", help="say this, with what is piped in below it, and leave")
    p.add_argument("--wait", type=float, metavar="SECONDS", help="then wait for an answer and print it")
    p.add_argument("--plain", action="store_true", help="print line by line: no drawing, no colours, Markdown as it is")
    p.add_argument("--name", metavar="NAME", help="who is talking (default: the login user)")
    return p


def main() -> int:
    """Talk."""
    asked = parser().parse_args()
    talk = Talk(home.find(asked.home), asked.room, name_of(asked.name))
    if asked.start:
        home.prepare(talk.home)
    home.require(talk.home)
    offered(talk)
    text = told(asked)
    if text is not None:
        return say(talk, text, asked.wait, asked.start)
    if sys.stdout.isatty():
        asleep(talk, asked.start)
    if sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb" and not asked.plain:
        from dotagent.chatting import terminal  # with prompt_toolkit, drafts and history, which a pipe has no use for

        terminal.Terminal(talk).run()
    else:
        from dotagent.chatting import plain

        plain.follow(talk)
    return 0


def offered(talk: Talk) -> None:
    """Load what its person trusts of their own; at a terminal ask once about what is new."""
    waiting = plugins.use(talk.home.root)
    if waiting and typed() and sys.stdout.isatty():
        from dotagent.chatting import plugging

        plugging.ask(talk.home.root, waiting)


def asleep(talk: Talk, start: bool, ask: bool = True) -> None:
    """Where nobody is awake but somebody sleeps, offer to wake it; where nobody was born, `start` lets one be born."""
    if not (here := lives.of(talk.home, talk.room)) and start:
        from dotagent.chatting import waking  # which can start programs

        waking.born(talk)
    elif here and ask and not lives.awake(talk.home, talk.room) and not lives.kept(talk.home):
        from dotagent.chatting import waking

        waking.offer(talk, here)


def told(asked: argparse.Namespace) -> str | None:
    """The message that the command line, a pipe or both hold; None when a person is to type. Raises Misuse."""
    if asked.wait is not None and not 0 < asked.wait <= MOST:
        raise Misuse(f"--wait {asked.wait:g}: seconds, more than 0 and at most {MOST:,.0f}")
    if asked.text is not None and not asked.text.strip():
        raise Misuse("-m: there is nothing to say")
    if asked.text is None and typed():
        if asked.wait is not None:
            raise Misuse("--wait goes with -m TEXT, or with a pipe")
        return None
    given = (asked.text or "").encode("utf-8", "surrogateescape").decode("utf-8", "replace")  # any locale's
    return "\n\n".join(part.strip("\n") for part in (given, piped()) if part.strip())


def typed() -> bool:
    """Whether a person types on standard input."""
    return sys.stdin.isatty()


def piped() -> str:
    """All that stands on standard input, unless that is a terminal or was closed. Raises Misuse when it is too much."""
    if typed():
        return ""
    if not select.select([0], [], [], SLOW)[0]:
        errors.tell("waits for the end of what is piped in (where that never comes: </dev/null)")
    data = sys.stdin.buffer.read(LONGEST + 1)
    if len(data) > LONGEST:
        raise Misuse(f"more than {LONGEST:,} bytes are piped in: too much for one message; say where the file is")
    return data.decode("utf-8", "replace").replace("\r\n", "\n")


def name_of(asked: str | None) -> str:
    """The person's name. Raises Misuse for one that a room's tags cannot hold."""
    name = asked or home.user()
    if not name:
        raise Misuse("who are you? this user has no name here: --name NAME")
    if not names.PERSON.fullmatch(name) or names.is_bridged(name) or not name.isprintable():
        raise Misuse(f"{name[:100]!r} cannot be your name in a room: one word without : [ ] and / (--name NAME)")
    return name


def say(talk: Talk, text: str, wait: float | None, start: bool) -> int:
    """Say this; with `wait`, print the first answer to it. The status is 1 when nobody is there to answer, or has."""
    if not text:
        errors.tell("nothing was piped in, so nothing is said")
        return 0
    asleep(talk, start, ask=False)
    if not talk.path.exists():
        errors.tell(f"there was no room {talk.room}: made it, private to the owner")
    talk.begin(0)
    mine = talk.say(text)
    if why := talk.nobody():
        errors.tell(why)
    if wait is None:
        if absent := bool(why) and not (start or lives.awake(talk.home, talk.room)):
            errors.tell("what you said is kept, and answered when an agent is there")
        return int(absent)
    answer = talk.answer(mine, wait)
    if answer is None:
        raise Trouble(f"no answer in {talk.room} within {wait:g} s")
    print(answer)
    return 1 if answer.startswith(FAILED) else 0


if __name__ == "__main__":
    sys.exit(errors.edge(main))
