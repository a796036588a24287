"""How soon another provider takes a call that the first one does not answer: refused, cut off, out of credit, busy.

`python bench/fallback.py` tells, for each way to fail, how long after a message was said LIFE has the AWAY, and the
room the answer of the next in `fallback`. The agent and both providers' processes are the real ones, a life a row and
run; the first provider asks a server of this process, which fails so, the second is that of rules.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import common

from dotagent.store import home, watch
from dotagent.store.home import Home

REFUSED_S = 1.0  # seconds until a refused connection is decided
FIRST = """
provider = "first"
fallback = ["offline"]
[providers.first]
like = "deepseek"
base = "http://127.0.0.1:{port}"
key = "FIRST_KEY"
model = "m"
window = 100_000
"""


def main() -> None:
    """Measure and print."""
    parser = common.arguments(__doc__ or "")
    parser.add_argument("--runs", type=int, default=5, help="lives a way to fail")
    asked = parser.parse_args()
    ways: dict[str, Callable[[], AbstractContextManager[int]]] = {
        "connection refused": refusing,
        "accepted, then closed": closing,
        **{f"status {one}": partial(answering, one) for one in (401, 402, 429, 503)},
    }
    rows, worst = [], 0.0
    with common.scratch(asked.dir) as path:
        for number, (name, serve) in enumerate(ways.items()):
            found = [fallen(path / f"{number}-{run}", serve) for run in range(asked.runs)]
            away, answered = zip(*found, strict=True)
            rows.append([name, *common.ms(away), *common.ms(answered)])
            worst = worst or max(away)
    common.table("Said to, ms", ["", "AWAY", "p90", "answered", "p90"], rows)
    print(f"\n  refused, the slowest: {common.verdict(worst, REFUSED_S, ' s')}")


def fallen(path: Path, serve: Callable[[], AbstractContextManager[int]]) -> tuple[float, float]:
    """Seconds from a message to its AWAY in LIFE, and to the answer in the room."""
    where = Home(path)
    home.prepare(where)
    with serve() as port:
        (where.root / "dotagent.toml").write_text(FIRST.format(port=port))
        keys = where.root / ".env"
        keys.touch(0o600)
        keys.write_text("FIRST_KEY=" + "k" * 24 + "\n")
        agent = common.Running(where)
        try:
            return _timed(where, agent.self_id)
        finally:
            agent.stop()


def _timed(where: Home, self_id: str) -> tuple[float, float]:
    life, room = where.agent(self_id) / "LIFE.md", where.room(common.ROOM)
    began, seen = time.perf_counter(), list[float]()
    common.say(where, "hello")
    for path, mark in ((life, b" AWAY "), (room, b"[AGENT:")):
        watcher, end = watch.Watcher(), began + common.PATIENCE
        watcher.content(path)
        while mark not in path.read_bytes():
            if time.perf_counter() > end:
                raise common.Stuck(f"{path.name} has no {mark.decode().strip()}")
            watcher.wait(1.0)
        seen.append(time.perf_counter() - began)
        watcher.close()
    return seen[0], seen[1]


@contextmanager
def refusing() -> Iterator[int]:
    """A port where nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        yield probe.getsockname()[1]


@contextmanager
def closing() -> Iterator[int]:
    """A port whose connections are closed at once."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            while True:
                try:
                    listener.accept()[0].close()
                except OSError:  # the listener is closed
                    return

        threading.Thread(target=serve, daemon=True).start()
        yield listener.getsockname()[1]


@contextmanager
def answering(status: int) -> Iterator[int]:
    """A port where every request is refused with this status."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.do_GET()

        def do_GET(self) -> None:
            self.send_error(status)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()


if __name__ == "__main__":
    main()
