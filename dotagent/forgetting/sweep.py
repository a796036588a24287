"""Removing passages from a home: announced first, then one form after the other, each so that it may be done again.

The announcement, `forgotten/announced.json`, has what a process that goes on needs: the passages, and what the marks
of a room's lines become, since readers find their places by these. Whoever does it holds its flock, and every life's
LIFE, so none lives meanwhile. A blob gets a tombstone with what is left of it, so that its id and all that names it
stay; a room and LIFE are written anew, byte for byte as long, and renamed. Last comes the record,
`forgotten/record.jsonl`; then the announcement goes.
"""

from __future__ import annotations

import errno
import json
import os
import re
import stat
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from dotagent.errors import Trouble
from dotagent.forgetting import finding, ledger, summaries, versions
from dotagent.life.events import Forgot
from dotagent.store import blobs, disk, home, lives, log, queue, rooms
from dotagent.store.blobs import Blob, BlobCorrupt, BlobMissing, Blobs
from dotagent.store.home import Home
from dotagent.store.log import Log
from dotagent.text import passages, tag, times
from dotagent.text.passages import Passages
from dotagent.text.reference import short

PATIENT, LOOK = 60.0, 0.05  # seconds
ANEW = "run/anew"  # in an agent's directory: the wish that it begin anew
PROMISE = "forgotten/announced.json"
MOST = 1 << 30  # bytes of a room, or of what an agent made
CACHES = re.compile(
    r"agents/[^/]+/(?:run/)?(?:recall|notes)\.db(?:-wal|-shm)?|agents/[^/]+/context\.md|calls/stream/.*"
)
OPEN = re.compile(
    r"agents/[^/]+/processes/.*|(?:calls|up)/[^/]+\.log(?:\.1)?|bridges/[^/]+/agents\.log|history/[^/]+\.txt"
)
JOURNAL = re.compile(r"bridges/[^/]+/[^/]+\.jsonl")
KNOWN = re.compile(r"chats/[^/]+\.md|agents/[0-9a-f]{32}/LIFE\.md|forgotten/.*")
ROWS = re.compile(r"(?:\{.*\n)?\d{1,18} (?:(?:live|bare) )?\d{4}-\d\d-\d\dT\S+Z [A-Z]+ ")


@dataclass(frozen=True)
class Promise:
    """What shall be forgotten: an id, since when, who wished it, the passages, how many items that is, and what marks
    of rooms' lines become."""

    id: str
    at: str
    by: str
    passages: tuple[str, ...]
    marks: Mapping[str, str]


def announce(where: Home, wished: Sequence[str], by: str) -> None:
    """Announce durably that these sentences shall be gone. Raises Trouble where that is announced already."""
    at = times.now()
    told = Passages(wished)
    marks = {mark: new for path in where.chats.glob("*.md") for mark, new in _marks(path, told)}
    made = {"id": blobs.content_id(at.encode())[:12], "at": at, "by": by, "passages": list(wished), "marks": marks}
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
        return Promise(told["id"], told["at"], told["by"], tuple(told["passages"]), dict(told["marks"]))
    except (ValueError, KeyError, TypeError):
        raise Trouble(f"{path}: it does not say what shall be forgotten: move it away, then ask again") from None


def hindrance(where: Home) -> str:
    """Why nothing can be forgotten now; "" when nothing hinders."""
    bridges = [path.parent.name for path in where.bridges.glob("*/pid") if disk.is_locked(path)]
    return f"the bridge {bridges[0]} runs, and holds what it carried: end it first" if bridges else ""


def finish(where: Home, wait: float = PATIENT) -> ledger.Done | None:
    """Do what is announced, from its beginning or from where a process died over it; None when nothing is. A life that
    runs is asked to begin anew, for so many seconds. Raises Trouble when one runs then."""
    try:
        with disk.opened(where.root / PROMISE) as fd, disk.locked(fd), ExitStack() as held:
            if not due(where):
                return None  # who had it has done it
            promise = read(where)
            if why := hindrance(where):
                raise Trouble(f"{why}, then do this again")
            end = time.monotonic() + wait
            opened = {one: _opened(where, one, held, end) for one in home.lives(where)}
            return _do(where, promise, opened)
    except FileNotFoundError:
        if due(where):
            raise
        return None


def _opened(where: Home, self_id: str, held: ExitStack, end: float) -> Log:
    """The life, held open once nobody lives it."""
    wish = where.agent(self_id) / ANEW
    while lives.runs(where, self_id):
        if time.monotonic() >= end:
            disk.remove(wish)
            raise Trouble(
                f"agent {short(self_id)} runs: end it, then do this again; or it is done when one starts again"
            )
        if not wish.exists():
            disk.make_dir(wish.parent)
            disk.replace(wish, b"")
        time.sleep(LOOK)
    opened = Log(where.agent(self_id) / "LIFE.md")
    held.callback(opened.close)
    disk.remove(wish)
    return opened


def _do(where: Home, promise: Promise, opened: Mapping[str, Log]) -> ledger.Done:
    told, store, summed = Passages(promise.passages), where.store(), dict[str, str]()
    for one in opened:
        summed.update(summaries.known(log.lines(where.agent(one) / "LIFE.md")))
    for _, call in list(queue.out(where)):  # whoever answers them has it in mind
        queue.cancel(where, call, "forgotten", "what it tells of is being forgotten")
    late = {mark: new for room in where.chats.glob("*.md") for mark, new in _marks(room, told)}
    promise = replace(promise, marks={**promise.marks, **late})  # what was said since it was announced
    for room in where.chats.glob("*.md"):
        _room(room, told)
    gone = [id for id in finding.ids(where) if id not in summed and _blob(store, id, told, promise)]
    gone += [
        id for id, covers in summed.items() if _blob(store, id, told, promise, covers)
    ]  # what they tell is gone now
    for aside in where.blobs.glob(".new-*"):
        if told.tell(disk.read(aside, blobs.MOST).decode("utf-8", "replace")):
            disk.remove(aside)
    others = [path for path in finding.files(where.root) if not KNOWN.fullmatch(path)]
    left = [path for path in others if not _looked(where.root / path, path, told, promise.marks)]
    for folder in {store.path(id).parent for id in gone} | {(where.root / path).parent for path in others}:
        disk.sync_dir(folder)
    if gone:
        disk.sync_dir(where.blobs)
    versions.rewrite(where.root, lambda data: _version(store, data, told))
    for one, life in opened.items():
        _life(where.agent(one) / "LIFE.md", told, promise, life)
    done = ledger.Done(promise.id, promise.at, promise.by, len(promise.passages), tuple(gone), left=tuple(left))
    ledger.add(where.root, done, promise.passages)
    for aside in (where.root / PROMISE).parent.glob(".new-*"):
        disk.remove(aside)
    disk.remove(where.root / PROMISE)
    disk.sync_dir(where.root / "forgotten")
    return done


def _marks(path: Path, told: Passages) -> Iterator[tuple[str, str]]:
    """What the marks of a room's lines are, and become."""
    before = disk.read(path, MOST)
    after = _filled(before, told)
    if after != before:
        for old, new in zip(before.split(b"\n"), after.split(b"\n"), strict=True):
            if old != new:
                yield rooms.mark(old), rooms.mark(new)


def _filled(data: bytes, told: Passages) -> bytes:
    """The bytes without the passages, as many as before."""
    return told.filled(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")


def _room(path: Path, told: Passages) -> None:
    """Write a room anew, under its lock."""
    with disk.opened(path, os.O_RDWR) as fd, disk.locked(fd):
        before = disk.read(path, MOST)
        after = _filled(before, told)
        if after != before:
            disk.replace(path, after, mode=stat.S_IMODE(os.fstat(fd).st_mode))


def _blob(store: Blobs, id: str, told: Passages, promise: Promise, covers: str | None = None) -> bool:
    """Put a tombstone in a blob's place if it tells of it; whether it has one now. Of a summary `covers` is the tree of
    what it sums up."""
    try:
        data = store.raw(id)
        blob = blobs.decode(id, data)
    except (BlobMissing, BlobCorrupt):
        return False
    text = blob.body.decode("utf-8", "surrogateescape")
    if ROWS.match(text):  # a tree or a swap: its lines stay those that LIFE has
        body = "\n".join(map(told.filled, text.split("\n")))
    else:
        body = told.gone(text) if covers is None else summaries.without(store, blob, covers, told)
    body, gist = _marked(body, promise.marks), told.gone(blob.gist)
    if (body, gist) == (text, blob.gist):
        return blobs.is_tombstone(data) and promise.at in data[:60].decode("utf-8", "replace")
    store.forget(id, promise.at, _left(blob, body, gist))
    return True


def _version(store: Blobs, data: bytes, told: Passages) -> bytes:
    """What a version of a file that `backup --git` kept is to be: of a blob what stands in its place now."""
    id = blobs.content_id(data) if data.startswith(b"---\nat: ") else ""
    if id and store.path(id).exists():
        return store.raw(id)
    return _filled(data, told)


def _left(blob: Blob, body: str, gist: str) -> bytes:
    """What is left of a blob's file; nothing where only the tag of a message would be."""
    if not passages.words(tag.TEXT.sub("", body).replace(passages.MARK, "")):
        return b""
    made = body.encode("utf-8", "surrogateescape")
    return blobs.encode(made, at=blob.at, gist=gist, parent=blob.parent, agent=blob.agent)


def _marked(text: str, marks: Mapping[str, str]) -> str:
    """The text with the marks of lines as they are now."""
    if not marks or not any(mark in text for mark in marks):
        return text
    return re.sub(rf"\b(?:{'|'.join(marks)})\b", lambda found: marks[found[0]], text)


def _looked(place: Path, path: str, told: Passages, marks: Mapping[str, str]) -> bool:
    """Remove the passages from any other file; False where it is too large, or cannot be read or written."""
    try:
        _file(place, path, told, marks)
    except FileNotFoundError:
        return True  # it went meanwhile
    except OSError:
        return False
    return True


def _file(place: Path, path: str, told: Passages, marks: Mapping[str, str]) -> None:
    """Remove the passages from any other file; a cache goes whole, what a process may have open keeps its inode."""
    if CACHES.fullmatch(path):
        disk.remove(place)
        return
    with disk.opened(place) as fd:
        if os.fstat(fd).st_size > MOST:
            raise OSError(errno.EFBIG, "too large to be looked through", str(place))
        mode = stat.S_IMODE(os.fstat(fd).st_mode)
    before = disk.read(place, MOST)
    text = before.decode("utf-8", "surrogateescape")
    same = OPEN.fullmatch(path) or JOURNAL.fullmatch(path)
    made = told.filled(text) if same else told.gone(text)
    if JOURNAL.fullmatch(path):
        made = _marked(made, marks)
    if made == text:
        return
    after = made.encode("utf-8", "surrogateescape")
    if OPEN.fullmatch(path):
        with disk.opened(place, os.O_RDWR) as fd:
            disk.append(fd, after, place)  # from its beginning on, as many bytes
            disk.sync(fd, place)
    else:
        disk.replace(place, after, mode=mode)


def _life(path: Path, told: Passages, promise: Promise, life: Log) -> None:
    """Write LIFE anew, line by line as long, and with it that something was forgotten; once."""
    done = Forgot(promise.id, len(promise.passages), promise.by)
    if any(line.event == Forgot.WORD and line.detail == done.detail() for line in log.tail(path, 1)):
        return
    aside = path.with_name(".new-forgetting")
    fd = disk.open_file(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    try:
        with disk.reading(path) as file:
            for raw in file:
                text = raw.decode("utf-8", "surrogateescape")
                made = _marked(told.filled(text.removesuffix("\n")), promise.marks) + "\n"
                disk.append(fd, made.encode("utf-8", "surrogateescape"), aside)
        line = log.Line(life.next(), Forgot.WORD, done.detail(), "", "")
        disk.append(fd, log.render(line).encode() + b"\n", aside)
        disk.sync(fd, aside)
    finally:
        os.close(fd)
    disk.move(aside, path)
    disk.sync_dir(path.parent)
