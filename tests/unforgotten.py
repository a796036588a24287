"""What tests of forgetting for good share: to forget, to look for a trace in every byte of a home, to die over it."""

from __future__ import annotations

import re
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import deaths
from a_lived_home import look
from deaths import Death
from support import files
from world import offline, world

from dotagent.erasure import ledger, matches, sweep
from dotagent.store import home, log, zstd
from dotagent.store.home import Home


def forget(where: Home, asked: str) -> list[str]:
    """Forget all that tells of it; the sentences."""
    found = [one.words for one in matches.find(where, asked)]
    sweep.announce(where, found, "ana")
    assert sweep.finish(where)
    return found


def traces(root: Path, words: str) -> list[str]:
    """The files below the root in which these words stand, whatever stands between them, also in what is packed.

    Words that a digest, a time or a process id can hold by chance are refused: such a test would fail now and then.
    These have no letter, of whatever script, but A to F.
    """
    letter = re.search(r"[^\W0-9a-f_]", words, re.IGNORECASE)
    assert letter, f"{words!r} can stand in a file by chance: name a longer secret"
    between = rb"(?:[^\w]|_|\\n)+"
    form = re.compile(between.join(re.escape(word.encode()) for word in words.split()), re.IGNORECASE)
    return sorted({str(path.relative_to(root)) for path, data in _contents(root) if form.search(data)})


def resume(where: Home) -> None:
    """Take the life up again, which does what is announced."""
    with world(where.root, offline) as it:
        it.say("Where is the oil?")
        it.run()


def wrong(death: Death, where: Home, gone: str, stays: str) -> list[str]:
    """What is wrong after a death over it, once the life was taken up again."""
    death.tree.write(where.root)
    promised = ledger.is_unfinished(where) or bool(ledger.read(where.root))
    if deaths.child(lambda: resume(where)):
        return ["resuming failed"]
    found = traces(where.root, gone)
    if not promised:
        return [] if found else ["it is gone, and was not announced"]
    problems = [f"it still stands in {', '.join(found)}"] if found else []
    lines = list(log.lines(where.agent(home.lives(where)[0]) / "LIFE.md"))
    if [line.event for line in lines].count("FORGOT") != 1 or len(ledger.read(where.root)) != 1:
        problems.append("it is not told of once")
    if not traces(where.root, stays):
        problems.append("what was not meant is gone")
    if ledger.is_unfinished(where):
        problems.append("it is still announced")
    return problems + [one["what"] for one in look(where, "--deep")[1] if one["level"] == "damage"]


def _rows(path: Path) -> bytes:
    """What the tables of an index hold."""
    told = list[object]()
    with closing(sqlite3.connect(path)) as base:
        for (table,) in base.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            with suppress(sqlite3.OperationalError):  # a virtual table's rows stand in those behind it
                told += base.execute(f'SELECT * FROM "{table}"').fetchall()
    return repr(told).encode("utf-8", "replace")


def _contents(root: Path) -> Iterator[tuple[Path, bytes]]:
    for path, data in files(root):
        if path.is_symlink():
            continue
        yield path, data
        if data.startswith(b"SQLite format 3"):
            yield path, _rows(path)
        elif data[:1] == b"x":  # git's objects
            with suppress(zlib.error):
                yield path, zlib.decompress(data)
        elif data[:4] == b"\x28\xb5\x2f\xfd":
            yield path, zstd.load().decompress(data)
