"""Starting an agent: read the command line, choose and start the provider, open LIFE, and end cleanly.

An agent has only the permitted part of the environment and never sees `.env`. Owns nothing on disk.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache, partial

from dotagent import contract, errors, extensions, installed, tools
from dotagent.arguments import Parser
from dotagent.compaction.due import LazyCompactor
from dotagent.contract import Living
from dotagent.errors import Misuse, Trouble
from dotagent.life import events, log_repair, replay, window
from dotagent.life.documents import Documents
from dotagent.life.events import Boot, Error, Resume, Sleep, Tell, Torn
from dotagent.life.model_calls import ModelCalls
from dotagent.life.session import Patience, Session
from dotagent.loop import birth, keys, welcome
from dotagent.loop.inbox import Inbox
from dotagent.store import home, lives, provider_status, watch
from dotagent.store.blobs import BlobCorrupt, BlobMissing
from dotagent.store.home import Home, Settings
from dotagent.store.log import Line, Log
from dotagent.text.lazy import dataclass
from dotagent.text.reference import short

BUSY = 0.7  # seconds of the wall clock after a signal to exit


@cache
def parser() -> Parser:
    """Return the parser of agent.py's command line."""
    p = Parser("agent", installed.PROGRAMS["agent"])
    p.epilog = f"`{installed.program()} agent -m TEXT` sends an agent one message and prints the answer."
    told = "the agent to resume: its name, the start of its id, or a room only it has joined (default: a new agent)"
    p.add_argument("hash", nargs="?", metavar="AGENT", help=told)
    p.add_argument("--last", action="store_true", help="resume the most recently active agent (in --room, if given)")
    p.add_argument(
        "--continue", action="store_true", dest="again", help="like --last, but create an agent if none exists"
    )
    p.add_argument("--new", action="store_true", help="create an agent without asking")
    p.add_argument("--room", metavar="ROOM", help="the room a new agent talks in (default: dev)")
    p.add_argument(
        "--audience",
        metavar="private|group",
        help='who talks with a new agent: private (only you, the default), "private NAME" (only NAME) or group',
    )
    p.add_argument("--provider", metavar="P", help="the model provider: " + ", ".join(extensions.names("providers")))
    p.add_argument("--model", metavar="M", help="the model to use (default: the provider's usual model)")
    p.add_argument("--soul", metavar="FILE", help="a file with the character of a new agent (default: SOUL.md)")
    p.add_argument("--verbose", action="store_true", help="print each event of LIFE.md as it happens")
    end = p.add_mutually_exclusive_group()
    end.add_argument("--until-idle", action="store_true", help="exit when there is no work left")
    end.add_argument("--linger", type=float, metavar="S", help="exit after S seconds without work")
    return p


class Idle:
    """The time since the agent had something to do. `most` is the seconds after which an agent without work exits; None
    means that it never exits."""

    def __init__(self, most: float | None) -> None:
        self._most, self._since = most, 0.0

    def over(self, waits: bool, owes: bool) -> bool:
        """Return True if the agent must exit now. `waits` means that a request is pending. `owes` means that a message
        has no answer yet because the provider fails; time then counts on, even while the provider is asked again."""
        if self._most is None or (waits and not owes):
            self._since = 0.0
            return False
        self._since = self._since or time.monotonic()
        return not waits and time.monotonic() - self._since >= self._most

    def sleep(self, seconds: float | None) -> float | None:
        """Return the most seconds to sleep; `seconds` is the limit of the other parts."""
        if self._most is None or not self._since:
            return seconds
        left = max(0.0, self._since + self._most - time.monotonic())
        return left if seconds is None else min(left, seconds)

    def busy(self, owes: bool = False) -> None:
        """Count from zero again, unless the agent only asked a failing provider again."""
        if not owes:
            self._since = 0.0


@dataclass(frozen=True)
class Agent:
    """An agent with all of its parts, in one process."""

    session: Session
    calls: ModelCalls
    documents: Documents
    inbox: Inbox
    compactor: LazyCompactor
    watch: watch.Watcher
    idle: Idle
    parts: tuple[Living, ...]


def choose_arguments(arguments: Sequence[str]) -> list[str]:
    """Return the command line. At a terminal, first ask the person whether to start a stopped agent of the room instead
    of a new one. Raises Misuse and Trouble."""
    asked = parser().parse_args(arguments)
    named = asked.hash or asked.last or asked.again or asked.new or asked.soul or asked.audience
    if named or provider_status.HANDED in os.environ or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return list(arguments)
    from dotagent.loop import stopped_agents  # loaded only at a terminal

    return stopped_agents.ask(asked, arguments)


def _parse_request(arguments: Sequence[str]) -> tuple[argparse.Namespace, Home, Settings, str]:
    """Return the parsed command line, the home, its settings, and the agent's id ("" for a new agent). Raises
    Misuse."""
    asked = parser().parse_args(arguments)
    if asked.new and (asked.hash or asked.last or asked.again):
        raise Misuse("--new creates an agent; leave --new out to resume one")
    wakes = asked.room if asked.hash is None and asked.last else asked.hash
    if (asked.hash or asked.last) and (asked.audience or asked.soul or asked.room not in (None, wakes)):
        raise Misuse("--room, --audience and --soul are for a new agent; leave them out, or leave out the agent's id")
    if asked.linger is not None and not asked.linger >= 0:
        raise Misuse(f"--linger {asked.linger:g}: give a number of seconds, 0 or more")
    where = home.find(asked.home)
    home.prepare(where)
    _extend(where)
    settings = home.settings(where)
    if asked.again and not (asked.hash or asked.last or asked.soul or asked.audience):
        there = lives.find_agents(where, asked.room) if asked.room else home.lives(where)
        asked.last = any(not lives.is_made(where, one) for one in there)
        wakes = asked.room if asked.last else None
    self_id = ""
    if asked.last or asked.hash is not None:
        from dotagent.store import agent_search

        self_id = agent_search.find_agent(where, wakes, asked.last)
    return asked, where, contract.settled(where, settings, self_id), self_id


@contextmanager
def life_of(arguments: Sequence[str], patience: Patience = Patience()) -> Iterator[Agent]:  # noqa: B008 it is frozen
    """Open the agent that the command line asks for, subscribed to its rooms, for the time of the block. Raises Misuse
    and Trouble."""
    asked, where, settings, self_id = _parse_request(arguments)
    request = None if self_id else birth.parse_birth(where, settings, asked)
    for told in settings.idle:
        errors.tell(told)
    wanted, model = _wanted_model(asked, settings, self_id)
    provider = keys.provider(where, settings, wanted, self_id)
    self_id = birth.born(where, request) if request else self_id
    contract.opening(where)
    opened = Log(where.agent(self_id) / "LIFE.md")
    with ExitStack() as ending:
        ending.callback(opened.close)
        log_repair.cut(opened, where.store())
        living = Session(where, self_id, settings, opened)
        ending.callback(living.close)
        living.patience, living.chosen = patience, not asked.provider
        _ordered(living, wanted, model, provider)
        begun = list[Line]()
        living.listen = begun.append
        _begin(living, opened)
        watcher = watch.Watcher()
        ending.callback(watcher.close)
        ending.enter_context(_mind_signals(living, watcher))
        new = any(line.event == Boot.WORD for line in begun)
        parts = contract.living(living, watcher)
        for part in parts:
            ending.callback(part.close)
        lives.sign(where, self_id, os.getpid())
        documents = Documents(living, [part.documents for part in parts], [part.texts for part in parts])
        documents.begin()
        inbox = Inbox(living, watcher, documents, parts)
        documents.here(window.published(living, model)[0])
        held, warn = partial(contract.held, parts), partial(contract.warn, parts)
        calls = ModelCalls(living, model, lambda: tools.describe_tools(living), watcher.names, held, warn)
        inbox.subscribe()
        living.sync()
        print("\n".join(welcome.screen(living, model, new)), flush=True)
        living.listen = contract.listener(parts, _listener(asked.verbose))
        for line in begun:
            living.listen(line)
        compactor = LazyCompactor(living, calls, documents)
        compactor.begin()
        idle = Idle(0.0 if asked.until_idle or living.terms else asked.linger)
        yield Agent(living, calls, documents, inbox, compactor, watcher, idle, parts)
        for part in parts:
            part.end()
        living.record(Sleep())
        living.sync()


def _extend(where: Home) -> None:
    """Make the user's trusted plug-ins available, and remove what an interrupted installation left."""
    if where.skills.is_dir() or where.packs.is_dir():
        from dotagent.store import partial_installs

        partial_installs.swept(where)
    if not any(os.path.lexists(where.root / name) for name in ("plugins.json", *extensions.KINDS)):
        extensions.add({})
        return
    from dotagent.store import plugins

    for one in plugins.use(where.root):
        errors.tell(plugins.waiting_message(one))


def _wanted_model(asked: argparse.Namespace, settings: Settings, self_id: str) -> tuple[str, str]:
    """Return the wanted provider and model, "" for no choice: from the command line, this agent's settings, or all
    agents' settings."""
    own = settings.of_agent(self_id)
    provider, model = (str(own.get(name) or getattr(settings, name) or "") for name in ("provider", "model"))
    return asked.provider or provider, asked.model or model


def _ordered(living: Session, wanted: str, model: str, provider: str) -> None:
    """Set the options that helpers inherit, and the order of the providers to try."""
    given = {"provider": wanted, "model": model}
    living.options = tuple(f"--{name}={said}" for name, said in given.items() if said)
    living.provider, living.order = provider, (provider,)
    living.route = contract.route(living, bool(wanted))


def _listener(verbose: bool) -> Callable[[Line], None]:
    """Return what prints the events: each of them, or only problems and messages."""
    if not verbose:
        return _warn
    from dotagent.loop import event_print

    return event_print.event


def _warn(line: Line) -> None:
    event = events.parse(line)
    if isinstance(event, Error | Tell):
        errors.tell(event.text)
    elif isinstance(event, Torn):
        errors.tell(
            f"the last line of the log LIFE.md was incomplete and is now in {event.file}; you need not do anything"
        )


def _begin(living: Session, opened: Log) -> None:
    """Record the creation or the resumption of the agent, and the damage that was found in LIFE. Raises Trouble if its
    SOUL or all of LIFE is lost."""
    try:
        audience, _ = replay.soul(living.store, living.id)
    except (BlobMissing, BlobCorrupt) as lost:
        from dotagent.loop import damage

        audience = ""
        damage.replace_soul(living, lost)
    if living.unread and not living.entries:
        raise Trouble(f"no line of {opened.path} can be read; restore the file from a backup")
    living.clock()
    if living.state.audience:
        living.record(Resume(living.provider))
    else:
        living.record(Boot(audience), id=living.id, gist="SOUL")
    if opened.torn:
        living.record(Torn(opened.torn.name))
    if living.unread:
        from dotagent.loop import damage

        damage.report_unread(living)
    living.sync()


@contextmanager
def _mind_signals(living: Session, watcher: watch.Watcher) -> Iterator[None]:
    """For the time of the block, SIGINT and SIGTERM wake the agent and end it at its next step.

    A step that continues to compute, or waits for a lock, the disk or the processor, is cut off, as by a kill: LIFE
    shows the next process how far it came.
    """

    def leave() -> None:
        if not living.leaving or living.anew or living.late:
            signal.signal(signal.SIGALRM, lambda signum, frame: os._exit(0))
            signal.setitimer(signal.ITIMER_REAL, BUSY)
        living.leaving, living.anew = True, False  # the next start finishes the deletion

    try:
        with watch.signalled(watcher, leave):
            yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)  # no alarm without its handler while Python ends


def restart(me: Agent, arguments: Sequence[str]) -> list[str] | None:
    """Return the command line of the agent's next start if something must be forgotten: a start removes that, because
    it reads everything from the disk again. Otherwise return None, or end the process if it was asked to exit."""
    session = me.session
    if session.anew:
        os.environ[provider_status.HANDED] = session.order[0]  # the provider that it had
        from dotagent.loop import stopped_agents  # loaded only for such a restart

        return stopped_agents.again(parser().parse_args(arguments), session.id, session.home)
    if session.leaving:
        if sys.stdout.isatty():
            print(
                f"\n{short(session.id)} is stopped; "
                f"`{installed.program('agent')} --last{session.home.flag}` starts it again"
            )
        errors.end()
    return None
