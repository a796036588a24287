"""Removing from a home what is wished or too old: announced first, then one form after the other, to be done again.

The announcement, `forgotten/announced.json`, has what a process that goes on needs: the passages, or before when, and
what the marks of a room's lines become, since readers find their places by these. Whoever does it holds its flock, and
every life's LIFE, so none lives meanwhile. A blob gets a tombstone with what is left of it, so that its id and all that
names it stay; a room and LIFE are written anew, byte for byte as long, and renamed. Last comes the record,
`forgotten/record.jsonl`; then the announcement goes.
"""

from __future__ import annotations

import errno
import json
import os
import re
import stat
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from dotagent.errors import Trouble
from dotagent.forgetting import finding, ledger, summaries, versions
from dotagent.forgetting.aged import Aged
from dotagent.forgetting.ledger import NEVER, Ages
from dotagent.forgetting.wished import CACHES, JOURNAL, OPEN, Wished
from dotagent.life.events import Forgot
from dotagent.store import blobs, disk, home, lives, log, queue, rooms
from dotagent.store.blobs import Blob, BlobCorrupt, BlobMissing, Blobs
from dotagent.store.home import Home
from dotagent.store.log import Log
from dotagent.text import passages, tag, times
from dotagent.text.reference import short

PATIENT, LOOK = 60.0, 0.05  # seconds
ANEW = f"run/{lives.ANEW}"  # in an agent's directory: the wish that it begin anew
PROMISE = "forgotten/announced.json"
MOST = 1 << 30  # bytes of a room, or of what an agent made
KNOWN = re.compile(r"chats/[^/]+\.md|agents/[0-9a-f]{32}/LIFE\.md|forgotten/.*")
_MARK = re.compile(r"\b[0-9a-f]{12}\b")
Going = Wished | Aged  # what shall be gone, form by form


@dataclass(frozen=True)
class Promise:
    """What shall be forgotten: an id, since when, who wished it, the passages (or before when things go by their age),
    how many items that is, and what marks of rooms' lines become."""

    id: str
    at: str
    by: str
    passages: tuple[str, ...]
    items: int
    marks: Mapping[str, str]
    ages: Ages = NEVER


def announce(where: Home, wished: Sequence[str], by: str) -> None:
    """Announce durably that these sentences shall be gone. Raises Trouble where that is announced already."""
    _announce(where, {"by": by, "passages": list(wished), "items": len(wished)}, Wished(where.store(), wished, {}))


def announce_aged(where: Home, ages: Ages, items: int, by: str) -> None:
    """Announce durably that what is older shall be gone. Raises Trouble where something is announced already."""
    made = {"by": by, "passages": [], "items": items, "ages": [ages.episodes, ages.audit]}
    _announce(where, made, Aged(where, ages))


def _announce(where: Home, told: Mapping[str, object], going: Going) -> None:
    at = times.now()
    marks = {mark: new for path in where.chats.glob("*.md") for mark, new in _marks(path, going.room)}
    made = {"id": blobs.content_id(at.encode())[:12], "at": at, **told, "marks": marks}
    path = where.root / PROMISE
    disk.make_dir(path.parent)
    if not disk.create(path, json.dumps(made).encode(), path.parent):
        raise Trouble("something else is being forgotten just now: try again when that is done")


def due(where: Home) -> bool:
    """Whether something shall be forgotten that is not gone yet."""
    return (where.root / PROMISE).exists()


def read(where: Home) -> Promise:
    """The announcement. Raises Trouble when it cannot be read, FileNotFoundError when there is none."""
    path = where.root / PROMISE
    try:
        told = json.loads(disk.read(path))
        said = tuple(told["passages"])
        ages, items = Ages(*told.get("ages", ())), told.get("items", len(said))
        return Promise(told["id"], told["at"], told["by"], said, items, dict(told["marks"]), ages)
    except (ValueError, KeyError, TypeError):
        raise Trouble(f"{path}: it does not say what shall be forgotten: move it away, then ask again") from None


def finish(where: Home, wait: float = PATIENT) -> ledger.Done | None:
    """Do what is announced, from its beginning or from where a process died over it; None when nothing is. A life or a
    bridge that runs is asked to begin anew, for so many seconds. Raises Trouble when one runs then."""
    try:
        with disk.opened(where.root / PROMISE) as fd, disk.locked(fd), ExitStack() as held:
            if not due(where):
                return None  # who had it has done it
            promise = read(where)
            end = time.monotonic() + wait
            for bridge in sorted(where.bridges.glob("*/pid")):
                _held(bridge, held, end)
            opened = {one: _opened(where, one, held, end) for one in home.lives(where)}
            return _do(where, promise, opened)
    except FileNotFoundError:
        if due(where):
            raise
        return None


def _held(pid: Path, held: ExitStack, end: float) -> None:
    """Hold a bridge's lock, once nobody runs it."""
    fd = disk.open_file(pid, os.O_RDWR)
    held.callback(os.close, fd)
    _wait(pid.with_name(lives.ANEW), lambda: not disk.try_lock(fd), end, f"the bridge {pid.parent.name}")


def _opened(where: Home, self_id: str, held: ExitStack, end: float) -> Log:
    """The life, held open once nobody lives it."""
    wish = where.agent(self_id) / ANEW
    _wait(wish, lambda: lives.runs(where, self_id), end, f"agent {short(self_id)}", keep=True)
    opened = Log(where.agent(self_id) / "LIFE.md")
    held.callback(opened.close)
    disk.remove(wish)
    return opened


def _wait(wish: Path, runs: Callable[[], bool], end: float, who: str, *, keep: bool = False) -> None:
    """Wait until it runs no more, and wish that it begin anew meanwhile. Raises Trouble when it runs at the end."""
    while runs():
        if time.monotonic() >= end:
            disk.remove(wish)
            raise Trouble(f"{who} runs: end it, then do this again; or it is done when one starts again")
        if not wish.exists():
            disk.make_dir(wish.parent)
            disk.replace(wish, b"")
        time.sleep(LOOK)
    if not keep:
        disk.remove(wish)


def _do(where: Home, promise: Promise, opened: Mapping[str, Log]) -> ledger.Done:
    store = where.store()
    for _, call in list(queue.out(where)):  # whoever answers them has it in mind
        queue.cancel(where, call, "forgotten", "what it tells of is being forgotten")
    going = _going(where, promise, opened)
    rooms_there = list(where.chats.glob("*.md"))
    late = {mark: new for room in rooms_there for mark, new in _marks(room, going.room)}
    promise = replace(promise, marks={**promise.marks, **late})  # what was said since it was announced
    for room in rooms_there:
        _room(room, going.room)
    others = [path for path in finding.files(where.root) if not KNOWN.fullmatch(path)]
    left = [path for path in others if not _looked(where.root / path, path, going, promise.marks)]
    gone = [id for id in going.order(list(finding.ids(where))) if _blob(store, id, going, promise)]
    for aside in where.blobs.glob(".new-*"):
        if going.aside(disk.read(aside, blobs.MOST).decode("utf-8", "replace")):
            disk.remove(aside)
    shards = {store.path(id).parent for id in gone}
    for folder in {*shards, *((where.root / path).parent for path in others), where.blobs}:
        disk.sync_dir(folder)
    versions.rewrite(where.root, going.version)
    for one, life in opened.items():
        _life(where.agent(one) / "LIFE.md", going, promise, life)
    told = (promise.id, promise.at, promise.by, promise.items, tuple(gone))
    done = ledger.Done(*told, left=tuple(left), ages=promise.ages)
    ledger.add(where.root, done, promise.passages)
    for aside in (where.root / PROMISE).parent.glob(".new-*"):
        disk.remove(aside)
    disk.remove(where.root / PROMISE)
    disk.sync_dir(where.root / "forgotten")
    return done


def _going(where: Home, promise: Promise, opened: Mapping[str, Log]) -> Going:
    """What shall be gone, as far as it must be known beforehand."""
    if promise.ages != NEVER:
        return Aged(where, promise.ages, looked=True)
    summed = dict[str, str]()
    for one in opened:
        summed.update(summaries.known(log.lines(where.agent(one) / "LIFE.md")))
    return Wished(where.store(), promise.passages, summed)


def _marks(path: Path, without: Callable[[str], str]) -> Iterator[tuple[str, str]]:
    """What the marks of a room's lines are, and become."""
    before = disk.read(path, MOST)
    after = _made(before, without)
    if after != before:
        for old, new in zip(before.split(b"\n"), after.split(b"\n"), strict=True):
            if old != new:
                yield rooms.mark(old), rooms.mark(new)


def _made(data: bytes, without: Callable[[str], str]) -> bytes:
    """The bytes without it, as many as before."""
    return without(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")


def _room(path: Path, without: Callable[[str], str]) -> None:
    """Write a room anew, under its lock."""
    with disk.opened(path, os.O_RDWR) as fd, disk.locked(fd):
        before = disk.read(path, MOST)
        after = _made(before, without)
        if after != before:
            disk.replace(path, after, keep=True)


def _blob(store: Blobs, id: str, going: Going, promise: Promise) -> bool:
    """Put a tombstone in a blob's place if it tells of it; whether it has one now."""
    try:
        data = store.raw(id)
        blob = blobs.decode(id, data)
    except (BlobMissing, BlobCorrupt):
        return False
    text = blob.body.decode("utf-8", "surrogateescape")
    body, gist = going.blob(blob, text)
    body = _marked(body, promise.marks)
    if (body, gist) == (text, blob.gist):
        return blobs.is_tombstone(data) and promise.at in data[:60].decode("utf-8", "replace")
    store.forget(id, promise.at, _left(blob, body, gist))
    return True


def _left(blob: Blob, body: str, gist: str) -> bytes:
    """What is left of a blob's file; nothing where only the tag of a message would be."""
    if not passages.words(tag.TEXT.sub("", body).replace(passages.MARK, "")):
        return b""
    made = body.encode("utf-8", "surrogateescape")
    return blobs.encode(made, at=blob.at, gist=gist, parent=blob.parent, agent=blob.agent)


def _marked(text: str, marks: Mapping[str, str]) -> str:
    """The text with the marks of lines as they are now."""
    return _MARK.sub(lambda found: marks.get(found[0], found[0]), text) if marks else text


def _looked(place: Path, path: str, going: Going, marks: Mapping[str, str]) -> bool:
    """Remove it from any other file; False where it is too large, or cannot be read or written."""
    try:
        _file(place, path, going, marks)
    except FileNotFoundError:
        return True  # it went meanwhile
    except OSError:
        return False
    return True


def _file(place: Path, path: str, going: Going, marks: Mapping[str, str]) -> None:
    """Remove it from any other file; a cache goes whole, what a process may have open keeps its inode."""
    if CACHES.fullmatch(path):
        disk.remove(place)
        return
    with disk.opened(place) as fd:
        seen = os.fstat(fd)
        if seen.st_size > MOST:
            raise OSError(errno.EFBIG, "too large to be looked through", str(place))
    before = disk.read(place, MOST)
    text = before.decode("utf-8", "surrogateescape")
    made = going.file(path, text, seen.st_mtime)
    if made is None:
        disk.remove(place)
        return
    if JOURNAL.fullmatch(path):
        made = _marked(made, marks)
    if made == text:
        return
    after = made.encode("utf-8", "surrogateescape")
    if OPEN.fullmatch(path) and len(after) == len(before):
        with disk.opened(place, os.O_RDWR) as fd:
            disk.append(fd, after, place)  # from its beginning on, as many bytes
            disk.sync(fd, place)
    else:
        disk.replace(place, after, mode=stat.S_IMODE(seen.st_mode))


def _life(path: Path, going: Going, promise: Promise, life: Log) -> None:
    """Write LIFE anew, line by line as long, and with it that something was forgotten; once."""
    done = Forgot(promise.id, promise.items, promise.by)
    if any(line.event == Forgot.WORD and line.detail == done.detail() for line in log.tail(path, 1)):
        return
    aside = path.with_name(".new-forgetting")
    fd = disk.open_file(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    try:
        with disk.reading(path) as file:
            for raw in file:
                text = going.row(path.parent.name, raw.decode("utf-8", "surrogateescape").removesuffix("\n"))
                disk.append(fd, f"{_marked(text, promise.marks)}\n".encode("utf-8", "surrogateescape"), aside)
        line = log.Line(life.next(), Forgot.WORD, done.detail(), "", "")
        disk.append(fd, log.render(line).encode() + b"\n", aside)
        disk.sync(fd, aside)
    finally:
        os.close(fd)
    disk.move(aside, path)
    disk.sync_dir(path.parent)
