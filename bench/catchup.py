"""How long does catching up take before each answer? A life of many turns is indexed for RECALL, then one turn after
the other is heard, and the index catches up with each: the time of these, and of searches. The blobs are few and named
again and again, since what is measured is LIFE and the index. `python bench/catchup.py [--turns N] [--looks N]`.
"""

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from dotagent.life.events import Hear  # noqa: E402
from dotagent.search.feed import Feed  # noqa: E402
from dotagent.store import log, rooms  # noqa: E402
from dotagent.store.blobs import Blobs  # noqa: E402
from dotagent.store.log import Line  # noqa: E402
from dotagent.text import times  # noqa: E402

WORDS = 5000
EACH = 24  # words of a turn
STEP = timedelta(minutes=3)


def texts(count: int) -> list[str]:
    """Messages that have a rare word each and else the same few thousand."""
    return [
        f"turn{number} " + " ".join(f"w{(number * 7919 + at * 104729) % WORDS}" for at in range(EACH))
        for number in range(count)
    ]


def lived(path: Path, store: Blobs, turns: int) -> Line:
    """LIFE of so many messages; its last line."""
    named = [(store.put(rooms.line_of("USER", "ana", times.now(), one), at=times.now(), gist=one, durable=False), one)
             for one in texts(2000)]  # fmt: skip
    begin, line = times.parse("2020-01-01T00:00:00.000000Z"), None
    with (path / "LIFE.md").open("wb") as file:
        for number in range(turns):
            at = (begin + number * STEP).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
            id, gist = named[number % len(named)]
            line = Line(at, Hear.WORD, f"dev {number} 0123456789ab USER:ana", id, gist)
            file.write(log.render(line).encode() + b"\n")
    assert line
    return line


def spread(name: str, found: Sequence[float]) -> None:
    """A line: the middle, and the slowest of a hundred."""
    ranked = sorted(found)
    middle, last = ranked[len(ranked) // 2], ranked[int(len(ranked) * 0.99)]
    print(
        f"{name}: median {middle * 1000:.2f} ms, p99 {last * 1000:.2f} ms, most {ranked[-1] * 1000:.1f} ms", flush=True
    )


def main() -> None:
    """Measure it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=1_000_000)
    parser.add_argument("--looks", type=int, default=2000)
    asked = parser.parse_args()
    base = Path(tempfile.mkdtemp(dir="/dev/shm" if Path("/dev/shm").is_dir() else None))
    try:
        path, store = base / "life", Blobs(base / "blobs")
        path.mkdir()
        store.root.mkdir()
        last, feed = lived(path, store, asked.turns), Feed(path, store, "ana")
        began, used = time.monotonic(), time.process_time()
        feed.catch_up()
        took, cpu = time.monotonic() - began, time.process_time() - used
        print(f"{asked.turns:,} turns indexed in {took:.1f} s ({cpu:.1f} s of processor time), "
              f"{feed.index.path.stat().st_size / 1e6:,.0f} MB")  # fmt: skip
        idle, caught, asks = list[float](), list[float](), list[float]()
        life = log.Log(path / "LIFE.md")
        for number in range(asked.looks):
            began = time.thread_time()
            feed.catch_up()
            idle.append(time.thread_time() - began)
            life.append(Hear.WORD, last.detail, last.id, last.gist)
            began = time.thread_time()
            feed.catch_up()
            caught.append(time.thread_time() - began)
            if number % 10 == 0:
                began = time.thread_time()
                feed.search(f"turn{number % 2000} w{number % WORDS}", 8)
                asks.append(time.thread_time() - began)
        spread("nothing new", idle)
        spread("one turn new", caught)
        spread("a search", asks)
        feed.close()
        life.close()
    finally:
        shutil.rmtree(base)


if __name__ == "__main__":
    main()
