"""Talk in a room: at a terminal, from a pipe, or with one message given by -m.

A room is a file with one chat. This program adds your messages to the file, and shows the messages that others add. The
agent that answers is another process. While the model writes an answer, this program already shows the beginning.
"""

from __future__ import annotations

import argparse
import os
import select
import sys

from dotagent import errors
from dotagent.arguments import Parser
from dotagent.errors import Misuse, Trouble
from dotagent.installed import PROGRAMS
from dotagent.store import agent_search, home, lives, plugins
from dotagent.store.home import Home
from dotagent.terminal.talk import FAILED, Talk, add_piped, name_of

MOST = 86_400.0  # the longest --wait, in seconds
PATIENCE = 120.0  # seconds that -m at a terminal waits for an answer
LONGEST = 1 << 20  # bytes of a piped message; a room is read in parts of this size
SLOW = 2.0  # seconds of silence after which the program says that it waits for piped input


def parser() -> Parser:
    """Return the argument parser of chat.py."""
    p = Parser("chat", PROGRAMS["chat"])
    p.add_argument("room", nargs="?", help="the room (default: dev; with --start the room of your agent)")
    p.add_argument(
        "--start",
        action="store_true",
        help="if no agent has joined the room, create an agent; with -m, also start a stopped agent",
    )
    p.add_argument("-m", dest="text", metavar="TEXT", help="send TEXT, followed by any piped input, and exit")
    told = f"seconds to wait for an answer; 0: do not wait (default: {PATIENCE:.0f} at a terminal, otherwise 0)"
    p.add_argument("--wait", type=float, metavar="SECONDS", help=told)
    p.add_argument(
        "--plain", action="store_true", help="print line by line, without drawing, colours or formatted Markdown"
    )
    p.add_argument(
        "--name", metavar="NAME", help="your name in the room (default: the setting `owner`, otherwise your login name)"
    )
    return p


def _default_room(where: Home) -> str:
    from dotagent.terminal import presence  # loads what reads the logs of agents

    return presence.default_room(where, home.settings(where))


def main() -> int:
    """Run chat.py."""
    asked = parser().parse_args()
    where = home.find(asked.home)
    if asked.start:
        home.prepare(where)
    home.settings_now(where, home.Settings())  # times are shown in the time zone of the settings
    room = asked.room or (_default_room(where) if asked.start else "dev")
    talk = Talk(where, room, name_of(asked.name, where))
    home.require(talk.home)
    offered(talk)
    text = read_message(asked)
    if text is not None:
        found = find_command(asked, text)
        if found and found[0] != "/file":
            print(command(talk, *found))
            return 0
        return say(talk, text, found, asked.wait, asked.start)
    if sys.stdout.isatty():
        asleep(talk, asked.start)
    if sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb" and not asked.plain:
        from dotagent.terminal import dialogue  # late: a pipe does not need prompt_toolkit and drafts

        dialogue.Terminal(talk).run()
    else:
        from dotagent.terminal import plain

        plain.follow(talk)
    return 0


def offered(talk: Talk) -> None:
    """Load the plug-ins that the owner trusts; at a terminal, ask once about new plug-ins."""
    waiting = plugins.use(talk.home.root)
    if waiting and is_interactive() and sys.stdout.isatty():
        from dotagent.terminal import plugin_questions

        plugin_questions.ask(talk.home.root, waiting)


def asleep(talk: Talk, start: bool, ask: bool = True) -> None:
    """If no agent of the room runs, offer to start one, or start it without asking if `start` is True. If the room has
    no agent, `start` creates one."""
    here = lives.find_agents(talk.home, talk.room)
    if not (ask or start) or not talk.nobody() or lives.awake(talk.home, talk.room):
        return
    from dotagent.terminal import agent_start  # imported late: it can start programs

    if not here and start:
        agent_start.born(talk)
    elif here and ask:
        agent_start.offer(talk, here)
    elif there := agent_search.stopped(talk.home, talk.room):
        agent_start.wake(talk, agent_search.newest(talk.home, there))


def find_command(asked: argparse.Namespace, text: str) -> tuple[str, str] | None:
    """Return the command such as /help and the words after it, or None if the text is a message. A piped file of
    several lines is never a command."""
    from dotagent.terminal import slash

    typed_here = text == asked.text or "\n" not in text
    found = slash.parse(text)
    return found if found and typed_here and not slash.is_said(*found) else None


def command(talk: Talk, name: str, rest: str) -> str:
    """Run a command given by -m or a pipe, and return its answer. Raises Misuse."""
    from dotagent.terminal import slash

    try:
        return slash.do(talk, name, rest)
    except Trouble as wrong:
        raise Misuse(str(wrong)) from None


def read_message(asked: argparse.Namespace) -> str | None:
    """Return the message from -m, a pipe or both, or None if a person will type it. Raises Misuse."""
    if asked.wait is not None and not 0 <= asked.wait <= MOST:
        raise Misuse(f"--wait {asked.wait:g}: give a number of seconds from 0 to {MOST:,.0f}")
    if asked.text is not None and not asked.text.strip():
        raise Misuse("-m: the message is empty; write the text after -m")
    if asked.text is None and is_interactive():
        if asked.wait is not None:
            raise Misuse("--wait works only with -m TEXT or piped input")
        return None
    given = (asked.text or "").encode("utf-8", "surrogateescape").decode("utf-8", "replace")  # any locale
    return add_piped(given.strip("\n"), piped().strip("\n"))


def is_interactive() -> bool:
    """Return True if a person types on standard input."""
    return sys.stdin.isatty()


def piped() -> str:
    """Return all of standard input, or "" if it is a terminal or closed. Raises Misuse for more than LONGEST bytes."""
    if is_interactive():
        return ""
    if not select.select([0], [], [], SLOW)[0]:
        errors.tell("waiting for piped input to end; if you pipe nothing in, add </dev/null")
    data = sys.stdin.buffer.read(LONGEST + 1)
    if len(data) > LONGEST:
        raise Misuse(
            f"the piped input has more than {LONGEST:,} bytes, too much for one message; save it as a file instead"
        )
    return data.decode("utf-8", "replace").replace("\r\n", "\n")


def say(talk: Talk, text: str, file: tuple[str, str] | None, wait: float | None, start: bool) -> int:
    """Send the message, or the file of the command `file`. Wait `wait` seconds for the first answer, and print it.
    Return 1 if no agent can answer, or if the answer is a failure."""
    if not text:
        errors.tell("the piped input is empty, so no message was sent")
        return 0
    asleep(talk, start, ask=False)
    if not talk.path.exists():
        errors.tell(f"created room {talk.room}, private to the owner")
    talk.begin(0)
    ran = bool(lives.awake(talk.home, talk.room))
    command(talk, *file) if file else talk.say(text)
    if why := talk.nobody():
        errors.tell(why)
    absent = bool(why) and not (start or lives.awake(talk.home, talk.room))
    waiting = wait is None and not absent and sys.stdout.isatty()
    wait = PATIENCE if waiting else wait
    if not wait:
        if absent:
            errors.tell("message saved; the next agent that runs in this room will answer it")
        return int(absent)
    try:
        if waiting:
            errors.tell(f"waiting up to {wait:.0f} seconds for an answer; use --wait 0 to skip this")
        answer = talk.answer(talk.mine, wait, ran)
    except KeyboardInterrupt:
        print(end="\n" if sys.stderr.isatty() else "", file=sys.stderr)  # the terminal has shown ^C
        errors.tell(f"your message is saved in room {talk.room}, where the answer will appear")
        return errors.INTERRUPTED
    if answer is None:
        now = talk.nobody()
        late = f" within {wait:g} s" if absent or lives.awake(talk.home, talk.room) else ""
        raise Trouble(
            f"your message is saved in room {talk.room}, but no answer arrived{late}"
            + (f": {now}" if now not in ("", why) else "")
        )
    print(answer)
    return 1 if answer.startswith(FAILED) else 0


if __name__ == "__main__":
    sys.exit(errors.edge(main))
