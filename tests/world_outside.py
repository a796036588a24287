"""A world outside for a tool's effects: a server on loopback that does what it is asked, one half of it by idempotency
keys (as payment services do: a request of a known key is answered and not done again), one half without."""

from __future__ import annotations

import http.client
import pickle
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from support import PATIENCE

port = 0
"""Where the server listens; whoever is forked off knows it."""
tick: Callable[[], object] = lambda: None  # noqa: E731
"""Called before and after each request: a process may die there."""


class Server(ThreadingHTTPServer):
    """What was done: `keyed` and `blind`, word by word."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.done: list[tuple[str, str]] = []
        self.keys: dict[str, bytes] = {}
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()


class Handler(BaseHTTPRequestHandler):
    """One request: its path says which half, its body the word."""

    def do_POST(self) -> None:
        server, key = self.server, self.headers.get("Idempotency-Key", "")
        assert isinstance(server, Server)
        word = self.rfile.read(int(self.headers["Content-Length"]))
        if not key or key not in server.keys:
            server.done.append((self.path.strip("/"), word.decode()))
            server.keys[key] = b"done: " + word
        self.send_response(200)
        self.send_header("Content-Length", str(len(word) + 6))
        self.end_headers()
        self.wfile.write(b"done: " + word)

    def do_GET(self) -> None:
        server = self.server
        assert isinstance(server, Server)
        state = pickle.dumps((server.done, server.keys))
        self.send_response(200)
        self.send_header("Content-Length", str(len(state)))
        self.end_headers()
        self.wfile.write(state)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def known() -> object:
    """What was done, and which keys are known."""
    return pickle.loads(_asked("GET", "/", None, {}))


def post(half: str, word: str, key: str) -> bytes:
    """Ask the world to do something."""
    tick()
    answer = _asked("POST", f"/{half}", word.encode(), {"Idempotency-Key": key} if key else {})
    tick()
    return answer


def _asked(method: str, path: str, body: bytes | None, headers: dict[str, str]) -> bytes:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    connection.request(method, path, body, headers)
    answer = connection.getresponse().read()
    connection.close()
    return answer
