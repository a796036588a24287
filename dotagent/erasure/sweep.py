"""Remove requested or old content from a home: announced first, then form by form, repeatable after a crash.

The announcement, `forgotten/announced.json`, contains everything that a process needs to continue: the passages or
times, and the new marks of rooms' lines, because readers use marks to find their places. The process has its flock and
that of every LIFE, so no agent runs meanwhile. A blob is replaced by a tombstone with the rest of its content, so that
its id and references stay valid, and a pack that had it is rewritten. A room and LIFE are rewritten with the same
length and renamed. At the end comes the record, `forgotten/record.jsonl`, and the announcement is removed.
"""

from __future__ import annotations

import errno
import json
import os
import re
import stat
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

from dotagent.erasure import file_text, ledger, matches, summaries, unwritable, verification, versions
from dotagent.erasure.age import Aged
from dotagent.erasure.ledger import NEVER, PROMISE, Ages, is_unfinished
from dotagent.erasure.removal import CACHES, JOURNAL, OPEN, Wished
from dotagent.errors import Trouble
from dotagent.life.events import Forgot
from dotagent.store import blobs, disk, home, lives, log, log_search, pack_writer, queue, rooms, taken_calls
from dotagent.store.blobs import Blob, BlobCorrupt, BlobForgotten, BlobMissing, Blobs
from dotagent.store.home import Home
from dotagent.store.log import Log
from dotagent.text import passages, tag, times
from dotagent.text.lazy import dataclass, replace
from dotagent.text.reference import short

PATIENT, LOOK = 60.0, 0.05  # seconds
ANEW = f"run/{lives.ANEW}"  # in an agent's directory: a request to restart
MOST = 1 << 30  # bytes of a room, or of a file made by an agent
KNOWN = re.compile(r"chats/[^/]+\.md|agents/[0-9a-f]{32}/LIFE\.md|forgotten/.*")
_MARK = re.compile(r"\b[0-9a-f]{12}\b")
Going = Wished | Aged  # the content to remove


@dataclass(frozen=True)
class Promise:
    """An announced deletion: its id, time and person, the passages (or times for a removal by age), the number of
    items, the new marks of rooms' lines, and the files and folders to delete."""

    id: str
    at: str
    by: str
    passages: tuple[str, ...]
    items: int
    marks: Mapping[str, str]
    ages: Ages = NEVER
    things: tuple[str, ...] = ()


def announce(where: Home, wished: Sequence[str], by: str, things: Sequence[str] = ()) -> str:
    """Announce durably that these sentences must be removed, and these things deleted that contain one and cannot be
    rewritten. Return the id for the record. Raises Trouble if a deletion is announced already."""
    told = {"by": by, "passages": list(wished), "items": len(wished), "things": list(things)}
    return _announce(where, told, Wished(where.store(), wished, {}))


def announce_aged(where: Home, ages: Ages, items: int, by: str) -> None:
    """Announce durably that everything older must be removed. Raises Trouble if a deletion is announced already."""
    made = {"by": by, "passages": [], "items": items, "ages": [ages.episodes, ages.audit]}
    _announce(where, made, Aged(where, ages))


def _announce(where: Home, told: Mapping[str, object], going: Going) -> str:
    at = times.now()
    marks = {mark: new for path in _room_files(where) for mark, new in _marks(path, going.room)}
    made = {"id": (id := blobs.content_id(at.encode())[:12]), "at": at, **told, "marks": marks}
    path = where.root / PROMISE
    disk.make_dir(path.parent)
    if not disk.create(path, json.dumps(made).encode()):
        raise Trouble("another permanent deletion is running; try again in a minute")
    return id


def read(where: Home) -> Promise:
    """Read the announcement. Raises Trouble if it is unreadable, FileNotFoundError if it is missing."""
    path = where.root / PROMISE
    try:
        told = json.loads(disk.read(path))
        said = tuple(told["passages"])
        ages, items = Ages(*told.get("ages", ())), told.get("items", len(said))
        things = tuple(map(str, told.get("things", ())))
        return Promise(told["id"], told["at"], told["by"], said, items, dict(told["marks"]), ages, things)
    except (ValueError, KeyError, TypeError):
        raise Trouble(f"{path} is damaged; move it away, then repeat `forget`") from None


def finish(where: Home, wait: float = PATIENT) -> ledger.Done | None:
    """Do the announced deletion, from its beginning or where a process crashed. Return None if nothing is announced,
    once this is durable. Running agents and bridges are asked to restart, for `wait` seconds. Raises Trouble if one
    still runs then."""
    try:
        with disk.open_regular(where.root / PROMISE) as fd, disk.locked(fd), ExitStack() as held:
            if not is_unfinished(where):
                return None  # another process has done it
            promise = read(where)
            end = time.monotonic() + wait
            for bridge in sorted(where.bridges.glob("*/pid")):
                _lock_bridge(bridge, held, end)
            opened = {one: _open_log(where, one, held, end) for one in home.lives(where)}
            held.enter_context(disk.locked_dir(where.blobs))  # nothing is packed meanwhile
            return _do(where, promise, opened)
    except FileNotFoundError:
        if is_unfinished(where):
            raise
        with suppress(FileNotFoundError):  # nothing was ever deleted
            disk.sync_dir((where.root / PROMISE).parent)  # a killed process may have removed the announcement unsynced
        return None


def _lock_bridge(pid: Path, held: ExitStack, end: float) -> None:
    """Take a bridge's lock once no process runs it."""
    fd = disk.open_file(pid, os.O_RDWR)
    held.callback(os.close, fd)
    _wait(pid.with_name(lives.ANEW), lambda: not disk.try_lock(fd), end, f"the bridge {pid.parent.name}")


def _open_log(where: Home, self_id: str, held: ExitStack, end: float) -> Log:
    """Open the agent's LIFE once no process runs it."""
    wish = where.agent(self_id) / ANEW
    _wait(wish, lambda: lives.runs(where, self_id), end, f"agent {short(self_id)}", keep=True)
    opened = Log(where.agent(self_id) / "LIFE.md")
    held.callback(opened.close)
    disk.remove(wish)
    return opened


def _wait(wish: Path, runs: Callable[[], bool], end: float, who: str, *, keep: bool = False) -> None:
    """Wait until it no longer runs, and ask it to restart meanwhile. Raises Trouble if it still runs at the end."""
    while runs():
        if time.monotonic() >= end:
            disk.remove(wish)
            raise Trouble(
                f"{who} is still running. Stop this process and repeat `forget`; otherwise the rest is deleted "
                f"when an agent starts again"
            )
        if not wish.exists():
            disk.make_dir(wish.parent)
            disk.replace(wish, b"")
        time.sleep(LOOK)
    if not keep:
        disk.remove(wish)


def _do(where: Home, promise: Promise, opened: Mapping[str, Log]) -> ledger.Done:
    store = where.store()
    with taken_calls.lock_taken(
        where
    ):  # processes that answer them have the content in memory, and store no reply later
        for _, call in list(queue.out(where)):
            queue.cancel(where, call, "forgotten", "dotagent is permanently deleting the text of this request")
    going = _going(where, promise, opened)
    rooms_there = _room_files(where)
    late = {mark: new for room in rooms_there for mark, new in _marks(room, going.room)}
    promise = replace(promise, marks={**promise.marks, **late})  # messages since the announcement
    changed = sum([_room(room, going.room) for room in rooms_there])
    deleted = [path for path in promise.things if not path.startswith("blobs/")]
    for path in deleted:
        unwritable.delete(where.root, path)
    given, files = matches.list_given(where), list(matches.files(where.root))
    kept = [path for path in files if matches.is_given(where.root / path, given)]
    others = [path for path in files if not KNOWN.fullmatch(path) and path not in kept]
    looked = {path: _looked(where.root / path, path, going, promise.marks) for path in others}
    changed += sum(one or False for one in looked.values())
    left = [path for path, one in looked.items() if one is None]
    gone = [id for id in going.order(list(matches.ids(where))) if _blob(store, id, going, promise)]
    for aside in where.blobs.glob(".new-*"):
        if going.aside(disk.read(aside, blobs.MOST).decode("utf-8", "replace")):
            disk.remove(aside)
    shards = {store.path(id).parent for id in gone}
    for folder in {*shards, *matches.folders(where.root), where.blobs}:  # also if its last file was removed before
        with suppress(FileNotFoundError, PermissionError):
            disk.sync_dir(folder)
    tombstones = {id for pack in store.packs() for id in pack.ids() if store.forgotten(id)}  # also by a crashed process
    pack_writer.drop(where.blobs, tombstones)
    versions.rewrite(where.root, going.version, deleted)
    changed += sum([_life(where.agent(one) / "LIFE.md", going, promise, life) for one, life in opened.items()])
    told = (promise.id, promise.at, promise.by, promise.items, tuple(gone))
    remains = [path for path in verification.list_left(where.root, store, promise.passages) if path not in kept]
    given_too = tuple(verification.list_containing(where.root, kept, promise.passages))
    done = ledger.Done(*told, left=tuple(left), deleted=len(promise.things), changed=changed, remains=tuple(remains),
                       ages=promise.ages, given=given_too)  # fmt: skip
    ledger.add(where.root, done, promise.passages)
    for aside in (where.root / PROMISE).parent.glob(".new-*"):
        disk.remove(aside)
    disk.remove(where.root / PROMISE)
    disk.sync_dir(where.root / "forgotten")
    return done


def _going(where: Home, promise: Promise, opened: Mapping[str, Log]) -> Going:
    """Return the content to remove, with the facts needed before any change."""
    if promise.ages != NEVER:
        return Aged(where, promise.ages, looked=True)
    summed = dict[str, str]()
    for one in opened:
        summed.update(summaries.find_summaries(log_search.picked(where.agent(one) / "LIFE.md", summaries.WORDS)))
    return Wished(where.store(), promise.passages, summed, promise.things)


def _marks(path: Path, without: Callable[[str], str]) -> Iterator[tuple[str, str]]:
    """Yield the old and new marks of a room's changed lines."""
    before = disk.read(path, MOST)
    after = _remove_from(before, without)
    if after != before:
        for old, new in zip(before.split(b"\n"), after.split(b"\n"), strict=True):
            if old != new:
                yield rooms.mark(old), rooms.mark(new)


def _room_files(where: Home) -> list[Path]:
    """Return the rooms, and the copies of rooms that sync programs leave next to them."""
    return [path for path in sorted(where.chats.glob("*.md")) if disk.is_file(path)]


def _remove_from(data: bytes, without: Callable[[str], str]) -> bytes:
    """Return the bytes after removal, with the same length."""
    return without(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")


def _room(path: Path, without: Callable[[str], str]) -> bool:
    """Rewrite a room under its lock. Return whether it changed."""
    with disk.open_regular(path, os.O_RDWR) as fd, disk.briefly_locked(fd, path, rooms.WRITING):
        before = disk.read(path, MOST)
        after = _remove_from(before, without)
        if after != before:
            disk.replace(path, after, keep=True)
        return after != before


def _blob(store: Blobs, id: str, going: Going, promise: Promise) -> bool:
    """Replace a blob by a tombstone if it matches. Return whether it has one of this deletion now."""
    try:
        data = store.raw(id)
        before = blobs.is_tombstone(data) and promise.at.encode() in data[:60]  # by a process that crashed
        blob = blobs.decode(id, data)
    except BlobForgotten:
        return before
    except (BlobMissing, BlobCorrupt):
        return False
    text = blob.body.decode("utf-8", "surrogateescape")
    body, gist = going.blob(blob, text)
    body = _marked(body, promise.marks)
    if (body, gist) == (text, blob.gist):
        return before
    store.forget(id, promise.at, _rest_of_blob(blob, body, gist))
    return True


def _rest_of_blob(blob: Blob, body: str, gist: str) -> bytes:
    """Return the rest of a blob's file, or b"" if only a message's tag would be left."""
    if not passages.words(tag.TEXT.sub("", body).replace(passages.MARK, "")):
        return b""
    made = body.encode("utf-8", "surrogateescape")
    return blobs.encode(made, at=blob.at, gist=gist, parent=blob.parent, agent=blob.agent)


def _marked(text: str, marks: Mapping[str, str]) -> str:
    """Return the text with the new marks of lines."""
    return _MARK.sub(lambda found: marks.get(found[0], found[0]), text) if marks else text


def _looked(place: Path, path: str, going: Going, marks: Mapping[str, str]) -> bool | None:
    """Clean any other file. Return whether it changed, or None if it is too large or cannot be read or written."""
    try:
        return _file(place, path, going, marks)
    except FileNotFoundError:
        return False  # it went meanwhile
    except OSError:
        return None


def _file(place: Path, path: str, going: Going, marks: Mapping[str, str]) -> bool:
    """Clean any other file. Return whether it matched. A cache is deleted, which does not count. A file that a process
    may have open keeps its inode.

    A binary file stays, because a change would break it; it is deleted only at the person's request.
    """
    if CACHES.fullmatch(path):
        disk.remove(place)
        return False
    with disk.open_regular(place) as fd:
        seen, first = os.fstat(fd), os.read(fd, file_text.FIRST)
        if seen.st_size > MOST:
            raise OSError(errno.EFBIG, "too large to be searched", str(place))
    if file_text.kind(first) and not OPEN.fullmatch(path):
        if going.file(path, "", seen.st_mtime) is not None:
            return False
        disk.remove(place)
        return True
    before = after = disk.read(place, MOST)
    for coding, errors in (("utf-8", "surrogateescape"), *((("latin-1", "strict"),) if not _is_utf8(before) else ())):
        made = going.file(path, after.decode(coding, errors), seen.st_mtime)
        if made is None:
            disk.remove(place)
            return True
        if JOURNAL.fullmatch(path):
            made = _marked(made, marks)
        after = made.encode(coding, errors)
    if after == before or (file_text.kind(before) and not OPEN.fullmatch(path)):
        return False
    if OPEN.fullmatch(path) and len(after) == len(before):
        with disk.open_regular(place, os.O_RDWR) as fd:
            disk.append(fd, after, place)  # from its beginning on, as many bytes
            disk.sync(fd, place)
    else:
        disk.replace(place, after, mode=stat.S_IMODE(seen.st_mode))
    return True


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _life(path: Path, going: Going, promise: Promise, life: Log) -> bool:
    """Rewrite LIFE, line by line with the same length, and append the deletion, once. Return whether another line
    changed."""
    done, changed = Forgot(promise.id, promise.items, promise.by), False
    if any(line.event == Forgot.WORD and line.detail == done.detail() for line in log.tail(path, 1)):
        return False
    aside = path.with_name(".new-forgetting")
    fd = disk.open_file(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    try:
        with disk.reading(path) as file:
            for raw in file:
                before = raw.decode("utf-8", "surrogateescape").removesuffix("\n")
                text = going.row(path.parent.name, before)
                changed |= text != before
                disk.append(fd, f"{_marked(text, promise.marks)}\n".encode("utf-8", "surrogateescape"), aside)
        line = log.Line(life.next(), Forgot.WORD, done.detail(), "", "")
        disk.append(fd, log.render(line).encode() + b"\n", aside)
        disk.sync(fd, aside)
    finally:
        os.close(fd)
    disk.move(aside, path)
    disk.sync_dir(path.parent)
    return changed
