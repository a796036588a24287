"""Starting a life: what the command line asks for, which provider answers, a birth or a resumption, a clean end.

Secrets in the environment go to the provider's process and nowhere else: this one then runs itself again without
them, since a process's first environment stays readable in /proc. Owns the making of an agent's directory.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from dotagent import errors, extensions, tools
from dotagent.arguments import Parser
from dotagent.compaction.compactor import Compactor
from dotagent.errors import Misuse, Trouble
from dotagent.life import events, replay, session
from dotagent.life.documents import Documents
from dotagent.life.events import Boot, Error, Resume, Sleep, Torn
from dotagent.life.model_calls import ModelCalls
from dotagent.life.patience import Patience
from dotagent.life.session import Session
from dotagent.loop.inbox import Inbox
from dotagent.search.feed import Feed
from dotagent.store import credentials, disk, home, launch, log, rooms, watch
from dotagent.store.blobs import BlobCorrupt, BlobMissing
from dotagent.store.home import Home, Settings
from dotagent.store.log import Line, Log
from dotagent.text import escape, names
from dotagent.text.reference import short
from dotagent.text.sizes import plural


def parser() -> Parser:
    """What `python agent.py` understands."""
    p = Parser(prog="python agent.py", description="Boot a new agent, or resume one by its hash.", allow_abbrev=False)
    p.add_argument("hash", nargs="?", help="resume this agent (8 or more digits of its id); without it one is born")
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


@contextmanager
def life_of(arguments: Sequence[str], patience: Patience = Patience()) -> Iterator[Agent]:  # noqa: B008 it is frozen
    """The life that the command line asks for, hearing, for the time of the block. Raises Misuse and Trouble."""
    asked = parser().parse_args(arguments)
    if asked.hash and (asked.room or asked.audience or asked.soul):
        raise Misuse("--room, --audience and --soul are for a new agent: leave them out, or leave out the hash")
    where = home.find(asked.home)
    home.prepare(where)
    settings = home.settings(where)
    born = _wanted(where, settings, asked) if asked.hash is None else home.find_life(where, asked.hash.lower())
    provider = _provider(where, settings, asked.provider or settings.provider)
    self_id = born if isinstance(born, str) else _birth(where, born)
    opened = Log(where.agent(self_id) / "LIFE.md")
    closing: list[Callable[[], object]] = [opened.close]
    try:
        living = Session(where, self_id, settings, opened)
        living.provider, living.patience = provider, patience
        begun = list[Line]()
        living.listen = begun.append
        _begin(living, opened)
        watcher = watch.Watcher()
        closing.append(watcher.close)
        closing += _mind_signals(living, watcher)
        inbox, documents = Inbox(living, watcher), Documents(living)
        documents.read()
        calls = ModelCalls(living, asked.model or settings.model or "", tools.usage(), watcher.names)
        inbox.subscribe()
        living.sync()
        print(self_id, flush=True)
        living.listen = _print if asked.verbose else _warn
        for line in begun:
            living.listen(line)
        compactor = Compactor(living, calls, documents)
        if living.overfull:  # the limit is another than when this life last ran
            compactor.force()
        feed = Feed(living.path, living.store, living.owner)
        closing.append(feed.close)
        yield Agent(living, calls, documents, inbox, compactor, feed, watcher, asked.until_idle)
        living.record(Sleep())
        living.sync()
    finally:
        for end in closing:
            end()


def _print(line: Line) -> None:
    print(escape.printable(log.render(line)), flush=True)


def _warn(line: Line) -> None:
    event = events.parse(line)
    if isinstance(event, Error):
        errors.tell(event.text)
    elif isinstance(event, Torn):
        errors.tell(f"the end of LIFE.md was torn; it is kept in {event.file}")


def _provider(where: Home, settings: Settings, wanted: str | None) -> str:
    """Choose the provider, be it a server that answers nearby; when the environment holds secrets, hand them over and
    run this program anew without."""
    handed = os.environ.pop(launch.HANDED, "")
    if handed:  # this is that program
        return handed
    known = {**credentials.env_file(where), **os.environ}
    set_there = {credentials.variable(name, "API_BASE"): str(settings.providers.get(name, {}).get("base") or "")
                 for name in launch.OWN}  # fmt: skip
    provider = launch.choose(where, wanted, {**set_there, **known})
    near = launch.nearby(settings.nearby) if provider == launch.LAST and not wanted else None
    if near:
        provider, base = near
        os.environ[credentials.variable(provider, "API_BASE")] = base  # for whoever starts it again
    clean, secrets = credentials.split_secrets(os.environ)
    launch.ensure(where, provider, {**known, **os.environ})
    if secrets:
        sys.stdout.flush()
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], {**clean, launch.HANDED: provider})
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


def _mind_signals(living: Session, watcher: watch.Watcher) -> list[Callable[[], object]]:
    """SIGINT and SIGTERM end the life at its next step, and wake it for that. Returns what undoes it."""
    read, write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC) if hasattr(os, "pipe2") else os.pipe()
    os.set_blocking(write, False)
    signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    watcher.also(read)

    def leave(signum: int, frame: object) -> None:
        living.leaving = True

    signal.signal(signal.SIGINT, leave)
    signal.signal(signal.SIGTERM, leave)
    return [lambda: signal.set_wakeup_fd(-1), lambda: os.close(read), lambda: os.close(write)]
