"""Starting a life: what the command line asks for, which provider answers, what is begun with it, a clean end.

An agent has no more of the environment than it may have, and never sees `.env`: what looks at both and starts the
provider's process becomes the agent by running this program anew, since a process's memory and first environment can
be read. Owns nothing on disk.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from dotagent import errors, extensions, installed, tools
from dotagent.arguments import Parser
from dotagent.compaction.compactor import Compactor
from dotagent.errors import Misuse, Trouble
from dotagent.forgetting import sweep
from dotagent.life import events, other_provider, replay, unsynced, window
from dotagent.life.documents import Documents
from dotagent.life.events import Boot, Error, Resume, Sleep, Tell, Torn
from dotagent.life.model_calls import ModelCalls
from dotagent.life.patience import Patience
from dotagent.life.session import Session
from dotagent.loop import birth, spawned, welcome
from dotagent.loop.birth import Birth
from dotagent.loop.hooks import Hooks
from dotagent.loop.idle import Idle
from dotagent.loop.inbox import Inbox
from dotagent.loop.working import Working
from dotagent.search.feed import Feed
from dotagent.store import allowance, bootstrap, credentials, disk, home, launch, leftover, lives, plugins, rooms, watch
from dotagent.store.blobs import BlobCorrupt, BlobMissing
from dotagent.store.home import Home, Settings
from dotagent.store.log import Line, Log
from dotagent.text import names
from dotagent.text.reference import short
from dotagent.text.sizes import plural


def parser() -> Parser:
    """What agent.py understands."""
    p = Parser("agent", installed.PROGRAMS["agent"])
    told = "resume this agent: 8 or more digits of its id, its name, or a room only it is in; without it one is born"
    p.add_argument("hash", nargs="?", help=told)
    p.add_argument("--last", action="store_true", help="resume the agent that lived last, in --room if that is given")
    p.add_argument("--room", metavar="ROOM", help="the room a new agent talks in (default: dev)")
    p.add_argument("--audience", metavar="private|group", help="whom a new agent hears (default: private, its owner)")
    p.add_argument("--provider", metavar="P", help="who answers: " + ", ".join(extensions.names("providers")))
    p.add_argument("--model", metavar="M", help="which of the provider's models")
    p.add_argument("--soul", metavar="FILE", help="the SOUL of a new agent (default: SOUL.md of the home)")
    p.add_argument("--verbose", action="store_true", help="print LIFE as it happens")
    p.add_argument("--until-idle", action="store_true", help="leave when nothing is left to do")
    p.add_argument("--linger", type=float, metavar="S", help="leave when nothing was to do for so many seconds")
    return p


@dataclass(frozen=True)
class Agent:
    """A life with all that it lives by, in one process."""

    session: Session
    calls: ModelCalls
    documents: Documents
    inbox: Inbox
    compactor: Compactor
    feed: Feed
    watch: watch.Watcher
    idle: Idle
    hooks: Hooks
    working: Working


def alone(arguments: Sequence[str]) -> None:
    """See to the provider, then go on as a program with nothing in it but what an agent may have. Raises Misuse."""
    asked, where, settings, born = _asked(arguments)
    known = os.environ.get(launch.HANDED, "")
    provider = known or _provider(where, settings, _asked_of(asked, settings, born)[0], born)
    clean, rest = credentials.split(os.environ, settings.environment)
    if rest or (not known and credentials.env_file(where)):
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], {**clean, launch.HANDED: provider})
    os.environ[launch.HANDED] = provider


def _asked(arguments: Sequence[str]) -> tuple[argparse.Namespace, Home, Settings, str | Birth]:
    """What the command line asks for, where, under which settings; whose life, or what is to be born. Raises Misuse."""
    asked = parser().parse_args(arguments)
    wakes = asked.room if asked.hash is None and asked.last else asked.hash
    if (asked.hash or asked.last) and (asked.audience or asked.soul or asked.room not in (None, wakes)):
        raise Misuse("--room, --audience and --soul are for a new agent: leave them out, or leave out the hash")
    if asked.linger is not None and not asked.linger >= 0:
        raise Misuse(f"--linger {asked.linger:g}: seconds, 0 or more")
    where = home.find(asked.home)
    home.prepare(where)
    leftover.swept(where)
    for one in plugins.use(where.root):
        errors.tell(plugins.waits(one))
    settings = home.settings(where)
    resumes = asked.last or asked.hash is not None
    born = lives.meant(where, wakes, asked.last) if resumes else birth.wanted(where, settings, asked)
    return asked, where, settings, born


@contextmanager
def life_of(arguments: Sequence[str], patience: Patience = Patience()) -> Iterator[Agent]:  # noqa: B008 it is frozen
    """The life that the command line asks for, hearing, for the time of the block. Raises Misuse and Trouble."""
    asked, where, settings, born = _asked(arguments)
    wanted, model = _asked_of(asked, settings, born)
    provider = os.environ.pop(launch.HANDED, "") or _provider(where, settings, wanted, born)
    self_id = born if isinstance(born, str) else birth.born(where, born)
    sweep.finish(where)
    opened = Log(where.agent(self_id) / "LIFE.md")
    with ExitStack() as ending:
        ending.callback(opened.close)
        unsynced.cut(opened, where.store())
        living = Session(where, self_id, settings, opened)
        living.patience, living.chosen = patience, not asked.provider
        _ordered(living, wanted, model, provider)
        begun = list[Line]()
        living.listen = begun.append
        _begin(living, opened)
        watcher = watch.Watcher()
        ending.callback(watcher.close)
        ending.enter_context(_mind_signals(living, watcher))
        documents = Documents(living)
        new = any(line.event == Boot.WORD for line in begun)
        documents.begin(new)
        inbox = Inbox(living, watcher, documents)
        documents.here(window.published(living, model)[0])
        calls = ModelCalls(living, model, lambda: tools.told(living), watcher.names)
        inbox.subscribe()
        living.sync()
        print("\n".join(welcome.screen(living, model, new)), flush=True)
        hooks = Hooks(living)
        living.listen = hooks.beside(welcome.event if asked.verbose else _warn)
        for line in begun:
            living.listen(line)
        compactor = Compactor(living, calls, documents)
        compactor.begin()
        feed = Feed(living.path, living.store, living.owner)
        ending.callback(feed.close)
        spawned.begin(living)
        idle = Idle(0.0 if asked.until_idle or living.terms else asked.linger)
        yield Agent(living, calls, documents, inbox, compactor, feed, watcher, idle, hooks, Working(living))
        spawned.ended(living)
        living.record(Sleep())
        living.sync()


def _asked_of(asked: argparse.Namespace, settings: Settings, born: str | Birth) -> tuple[str, str]:
    """Who shall answer, and by which model, as far as somebody says: here and now, of this life, or of all."""
    own = allowance.of(settings.agents, born) if isinstance(born, str) else {}
    provider, model = (str(own.get(name) or getattr(settings, name) or "") for name in ("provider", "model"))
    return asked.provider or provider, asked.model or model


def _ordered(living: Session, wanted: str, model: str, provider: str) -> None:
    """What of the command line holds for its helpers, too, and which providers answer it, one after the other."""
    given = {"provider": wanted, "model": model}
    living.options = tuple(f"--{name}={said}" for name, said in given.items() if said)
    instead = allowance.fallback(living.settings.fallback, living.settings.agents, living.id)
    living.order = other_provider.order(provider, not wanted, instead)
    living.provider = other_provider.choose(living)


def _warn(line: Line) -> None:
    event = events.parse(line)
    if isinstance(event, Error | Tell):
        errors.tell(event.text)
    elif isinstance(event, Torn):
        errors.tell(f"the end of LIFE.md was torn; it is kept in {event.file}")


def _provider(where: Home, settings: Settings, wanted: str | None, born: str | Birth) -> str:
    """Choose the provider, be it a server that answers nearby, and see to it that it is served, with its keys, and so
    are those that answer while it is away."""
    known = {**credentials.env_file(where), **os.environ}
    set_there = {credentials.variable(name, "API_BASE"): str(settings.providers.get(name, {}).get("base") or "")
                 for name in launch.OWN}  # fmt: skip
    provider = launch.choose(where, wanted, {**set_there, **known})
    near = launch.nearby(settings.nearby) if provider == launch.LAST and not wanted else None
    if near:
        provider, base = near
        os.environ[credentials.variable(provider, "API_BASE")] = base  # for whoever starts it again
    life = born if isinstance(born, str) else ""
    instead = allowance.fallback(settings.fallback, settings.agents, life)
    beside = str(settings.background.get("provider") or provider)
    for name in dict.fromkeys((provider, *(launch.choose(where, one, {}) for one in (*instead, beside)))):
        launch.ensure(where, name, {**known, **os.environ})
    return provider


def _begin(living: Session, opened: Log) -> None:
    """Write down that the life begins, or goes on, and what was found torn."""
    try:
        audience, _ = replay.soul(living.store, living.id)
    except (BlobMissing, BlobCorrupt) as lost:
        audience = ""
        if not (living.state.audience and _soul_file(living.path)):
            why = f"the SOUL of agent {short(living.id)} is lost: {lost}: bring it back from a backup"
            raise Trouble(why) from None
        living.record(Error(f"{lost}: SOUL.md, in this agent's directory, holds instead"))
        _rooms_anew(living)
    living.clock()
    if living.state.audience:
        living.record(Resume(living.provider))
    else:
        living.record(Boot(audience), id=living.id, gist="SOUL")
    if opened.torn:
        living.record(Torn(opened.torn.name))
    if living.unread:
        first = living.unread[0]
        what = f"the line at byte {first:,}" if isinstance(first, int) else f"{first.event} of {first.at}"
        more = f"{plural(len(living.unread), 'line')} of LIFE.md cannot be read, the first is {what}"
        living.record(Error(f"{more}: kept and passed over; `{installed.typed('doctor')}` names each"))
    living.sync()


def _soul_file(path: Path) -> bool:
    """Whether the agent's own directory says who it is: it was copied to a home without its blobs."""
    try:
        return bool(disk.read(path / bootstrap.SOUL).strip())
    except OSError:
        return False


def _rooms_anew(living: Session) -> None:
    """Make the rooms that its links name and this home lacks, so that it is heard there from the first word on."""
    audience = living.state.audience
    for link in (living.path / "subs").glob("*.md"):
        if names.ROOM.fullmatch(link.stem) and link.is_symlink():
            heading = "private" if audience == f"private {living.owner}" else audience
            rooms.create(living.home.room(link.stem), heading)


def _mind_signals(living: Session, watcher: watch.Watcher) -> AbstractContextManager[int]:
    """For the time of the block SIGINT and SIGTERM end the life at its next step, and wake it for that."""

    def leave() -> None:
        living.leaving = True

    return watch.signalled(watcher, leave)
