"""Starting a life: what the command line asks for, which provider answers, a birth or a resumption, a clean end.

An agent has no more of the environment than it may have, and never sees `.env`: what looks at both and starts the
provider's process becomes the agent by running this program anew, since a process's memory and first environment can
be read. Owns the making of an agent's directory.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from dotagent import errors, extensions, tools
from dotagent.arguments import Parser
from dotagent.compaction.compactor import Compactor
from dotagent.errors import Misuse, Trouble
from dotagent.life import events, replay, session, unsynced
from dotagent.life.documents import Documents
from dotagent.life.events import Boot, Error, Resume, Sleep, Tell, Torn
from dotagent.life.model_calls import ModelCalls
from dotagent.life.patience import Patience
from dotagent.life.session import Session
from dotagent.loop import welcome
from dotagent.loop.inbox import Inbox
from dotagent.search.feed import Feed
from dotagent.store import credentials, disk, home, launch, lives, rooms, watch
from dotagent.store.blobs import BlobCorrupt, BlobMissing
from dotagent.store.home import Home, Settings
from dotagent.store.log import Line, Log
from dotagent.text import names
from dotagent.text.reference import short
from dotagent.text.sizes import plural


def parser() -> Parser:
    """What `python agent.py` understands."""
    p = Parser(prog="python agent.py", description="Boot a new agent, or resume one by its hash.", allow_abbrev=False)
    told = "resume this agent: 8 or more digits of its id, or a room that only it is in; without it one is born"
    p.add_argument("hash", nargs="?", help=told)
    p.add_argument("--last", action="store_true", help="resume the agent that lived last, in --room if that is given")
    p.add_argument("--home", metavar="DIR", help="the directory everything lives in (default: where agent.py is)")
    p.add_argument("--room", metavar="ROOM", help="the room a new agent talks in (default: dev)")
    p.add_argument("--audience", metavar="private|group", help="whom a new agent hears (default: private, its owner)")
    p.add_argument("--provider", metavar="P", help="who answers: " + ", ".join(extensions.names("providers")))
    p.add_argument("--model", metavar="M", help="which of the provider's models")
    p.add_argument("--soul", metavar="FILE", help="the SOUL of a new agent (default: SOUL.md of the home)")
    p.add_argument("--verbose", action="store_true", help="print LIFE as it happens")
    p.add_argument("--until-idle", action="store_true", help="leave when nothing is left to do")
    return p


@dataclass(frozen=True)
class Birth:
    """What a new self is made from: its audience, its room's name and heading, its SOUL's text."""

    audience: str
    room: str
    heading: str
    soul: str


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
    until_idle: bool


def alone(arguments: Sequence[str]) -> None:
    """See to the provider, then go on as a program with nothing in it but what an agent may have. Raises Misuse."""
    asked, where, settings, _ = _asked(arguments)
    known = os.environ.get(launch.HANDED, "")
    provider = known or _provider(where, settings, asked.provider or settings.provider)
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
    where = home.find(asked.home)
    home.prepare(where)
    settings = home.settings(where)
    resumes = asked.last or asked.hash is not None
    born = lives.meant(where, wakes, asked.last) if resumes else _wanted(where, settings, asked)
    return asked, where, settings, born


@contextmanager
def life_of(arguments: Sequence[str], patience: Patience = Patience()) -> Iterator[Agent]:  # noqa: B008 it is frozen
    """The life that the command line asks for, hearing, for the time of the block. Raises Misuse and Trouble."""
    asked, where, settings, born = _asked(arguments)
    provider = os.environ.pop(launch.HANDED, "") or _provider(where, settings, asked.provider or settings.provider)
    self_id = born if isinstance(born, str) else _birth(where, born)
    opened = Log(where.agent(self_id) / "LIFE.md")
    with ExitStack() as ending:
        ending.callback(opened.close)
        unsynced.cut(opened, where.store())
        living = Session(where, self_id, settings, opened)
        living.provider, living.patience, living.chosen = provider, patience, not asked.provider
        begun = list[Line]()
        living.listen = begun.append
        _begin(living, opened)
        watcher = watch.Watcher()
        ending.callback(watcher.close)
        _mind_signals(living, watcher, ending)
        documents = Documents(living)
        documents.read()
        inbox = Inbox(living, watcher, documents)
        calls = ModelCalls(living, asked.model or settings.model or "", tools.usage(), watcher.names)
        inbox.subscribe()
        living.sync()
        new = any(line.event == Boot.WORD for line in begun)
        print("\n".join(welcome.screen(living, asked.model or settings.model or "", new)), flush=True)
        living.listen = welcome.event if asked.verbose else _warn
        for line in begun:
            living.listen(line)
        compactor = Compactor(living, calls, documents)
        if living.overfull:  # the limit is another than when this life last ran
            compactor.force()
        feed = Feed(living.path, living.store, living.owner)
        ending.callback(feed.close)
        yield Agent(living, calls, documents, inbox, compactor, feed, watcher, asked.until_idle)
        living.record(Sleep())
        living.sync()


def _warn(line: Line) -> None:
    event = events.parse(line)
    if isinstance(event, Error | Tell):
        errors.tell(event.text)
    elif isinstance(event, Torn):
        errors.tell(f"the end of LIFE.md was torn; it is kept in {event.file}")


def _provider(where: Home, settings: Settings, wanted: str | None) -> str:
    """Choose the provider, be it a server that answers nearby, and see to it that it is served, with its keys."""
    known = {**credentials.env_file(where), **os.environ}
    set_there = {credentials.variable(name, "API_BASE"): str(settings.providers.get(name, {}).get("base") or "")
                 for name in launch.OWN}  # fmt: skip
    provider = launch.choose(where, wanted, {**set_there, **known})
    near = launch.nearby(settings.nearby) if provider == launch.LAST and not wanted else None
    if near:
        provider, base = near
        os.environ[credentials.variable(provider, "API_BASE")] = base  # for whoever starts it again
    launch.ensure(where, provider, {**known, **os.environ})
    return provider


def _wanted(where: Home, settings: Settings, asked: argparse.Namespace) -> Birth:
    """What the new self is to be made from, before anything is made of it. Raises Misuse."""
    owner = home.owner(settings)
    audience = asked.audience or "private"
    if not names.AUDIENCE.fullmatch(audience):
        raise Misuse(f"--audience {audience!r}: it is private, private NAME, or group")
    if audience == "private":
        audience = f"private {owner}"
    name = asked.room or "dev"
    room = where.room(name)
    if os.path.lexists(room) and (theirs := rooms.audience(room, owner)) != audience:
        raise Misuse(f"room {name} is for another audience ({theirs}): name another --room, or that --audience")
    soul = Path(asked.soul) if asked.soul else where.root / "SOUL.md"
    try:
        text = disk.read(soul, follow=bool(asked.soul)).decode("utf-8", "replace")
    except FileNotFoundError:
        raise Misuse(f"{soul}: there is no such SOUL") from None
    return Birth(audience, name, "private" if audience == f"private {owner}" else audience, text)


def _birth(where: Home, wanted: Birth) -> str:
    """Make a new self: its room, its birth blob, its directory. LIFE.md comes last."""
    room = where.room(wanted.room)
    rooms.create(room, wanted.heading)
    self_id = session.birth(where.store(), wanted.soul, wanted.audience)
    path = where.agent(self_id)
    disk.make_dir(path / "subs")
    disk.replace(path / "MEMORY.md", b"")
    os.symlink(os.path.relpath(room, path / "subs"), path / "subs" / room.name)
    disk.sync_dir(path / "subs")
    os.close(disk.open_append(path / "LIFE.md"))
    disk.sync_dir(path)
    return self_id


def _begin(living: Session, opened: Log) -> None:
    """Write down that the life begins, or goes on, and what was found torn."""
    try:
        audience, _ = replay.soul(living.store, living.id)
    except (BlobMissing, BlobCorrupt) as lost:
        raise Trouble(f"the SOUL of agent {short(living.id)} is lost: {lost}: bring it back from a backup") from None
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
        living.record(Error(f"{more}: kept and passed over; `python -m dotagent doctor` names each"))
    living.sync()


def _mind_signals(living: Session, watcher: watch.Watcher, ending: ExitStack) -> None:
    """SIGINT and SIGTERM end the life at its next step, and wake it for that, until the end."""
    read, write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC) if hasattr(os, "pipe2") else os.pipe()
    ending.callback(os.close, read)
    ending.callback(os.close, write)
    os.set_blocking(write, False)
    signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    ending.callback(signal.set_wakeup_fd, -1)
    watcher.also(read)

    def leave(signum: int, frame: object) -> None:
        living.leaving = True

    signal.signal(signal.SIGINT, leave)
    signal.signal(signal.SIGTERM, leave)
