"""A real HTTP server on 127.0.0.1 that speaks chat completions as DeepSeek documents them, after a script.

`with Server(answer, ...) as server` gives the answers in their order (the last one for ever) and keeps what was asked
in `server.received`; `server.base` is the address for <NAME>_API_BASE. An answer is bytes in pieces, each sent
by itself, so borders lie where the test puts them; CUT breaks the connection off, STALL goes silent until the client
hangs up (then `server.hung_up` is set) or the server ends.

`Server(..., pages={"/v1/models": {...}})` is what the server tells of itself: a path in `pages` is answered with its
page (JSON, or an Answer), whatever the method, and the request is kept in `server.looked`; any other GET is a 404.
"""

from __future__ import annotations

import json
import secrets
import socket
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType

CUT, STALL = "cut", "stall"
KEEP_ALIVE = b": keep-alive\n\n"
DONE = b"data: [DONE]\n\n"
USAGE = {
    "prompt_tokens": 100,
    "prompt_cache_hit_tokens": 64,
    "prompt_cache_miss_tokens": 36,
    "completion_tokens": 9,
    "completion_tokens_details": {"reasoning_tokens": 4},
    "total_tokens": 109,
}


@dataclass(frozen=True)
class Received:
    """One request: its path, its headers (names in lower case) and its JSON body ({} where it has none)."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, object]


@dataclass(frozen=True)
class Answer:
    """One response; without a `content-type` among the headers it is an event stream."""

    pieces: tuple[bytes | str, ...]
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


def event(delta: Mapping[str, object], finish: str | None = None) -> bytes:
    """One chunk of a stream."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
    return data({"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]})


def data(value: object) -> bytes:
    """One event with this value as JSON."""
    return f"data: {json.dumps(value, ensure_ascii=False)}\n\n".encode()


def stream(*texts: str, reasoning: tuple[str, ...] = (), finish: str = "stop") -> Answer:
    """A whole stream: reasoning, texts, the reason to finish, usage, [DONE]."""
    return Answer(
        (
            event({"role": "assistant", "content": ""}),
            *(event({"reasoning_content": text, "content": None}) for text in reasoning),
            *(event({"content": text}) for text in texts),
            event({"content": ""}, finish),
            data(
                {
                    "id": "1",
                    "object": "chat.completion.chunk",
                    "created": 1,
                    "model": "m",
                    "choices": [],
                    "usage": USAGE,
                }
            ),
            DONE,
        )
    )


def whole(text: str, reasoning: str = "", finish: str = "stop") -> Answer:
    """An answer that is not streamed."""
    message = {"role": "assistant", "content": text, "reasoning_content": reasoning}
    choice = {"index": 0, "message": message, "finish_reason": finish}
    body = {"id": "1", "object": "chat.completion", "model": "m", "choices": [choice], "usage": USAGE}
    return Answer((json.dumps(body).encode(),), headers={"content-type": "application/json"})


def refusal(status: int, message: str, *, headers: Mapping[str, str] | None = None, **more: object) -> Answer:
    """An error with DeepSeek's body; `more` joins or replaces what its error says."""
    error = {"message": message, "type": "invalid_request_error", "param": None, "code": "invalid_request_error"}
    body = json.dumps({"error": error | more}).encode()
    return Answer((body,), status, {"content-type": "application/json", **(headers or {})})


def page(value: object) -> Answer:
    """What a server tells of itself: JSON, whole."""
    return Answer((json.dumps(value).encode(),), headers={"content-type": "application/json"})


def closed_port() -> int:
    """A port of 127.0.0.1 on which nobody listens, nor soon will: systems give higher ones to who asks for any."""
    while True:
        port = 10_000 + secrets.randbelow(20_000)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


class Server:
    """The server, listening while its `with` block runs."""

    def __init__(
        self,
        *script: Answer | Callable[[Received], Answer],
        pages: Mapping[str, object] | None = None,
        port: int = 0,
    ) -> None:
        self.script, self.received = script, list[Received]()
        self.pages, self.looked = pages or {}, list[Received]()
        self.hung_up = threading.Event()
        self.open: set[socket.socket] = set()
        self.connections = 0  # that there were, open or not
        self.lock = threading.Lock()
        self._listener = _Listener(self, port)
        self._thread = threading.Thread(target=self._listener.serve_forever, args=(0.01,), daemon=True)
        self.base = f"http://127.0.0.1:{self._listener.server_port}"

    def __enter__(self) -> Server:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._listener.shutdown()
        self._listener.server_close()
        self._thread.join()
        with self.lock:
            for connection in self.open:
                with suppress(OSError):  # the client has hung up already
                    connection.shutdown(socket.SHUT_RDWR)

    def answer(self, received: Received) -> Answer:
        """The next answer of the script."""
        with self.lock:
            self.received.append(received)
            given = self.script[min(len(self.received), len(self.script)) - 1]
        return given if isinstance(given, Answer) else given(received)

    def told(self, received: Received) -> Answer:
        """The page of this path, or a 404."""
        with self.lock:
            self.looked.append(received)
        found = self.pages.get(received.path, refusal(404, "Not Found"))
        return found if isinstance(found, Answer) else page(found)


class _Listener(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, owner: Server, port: int) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.owner = owner


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Listener

    def setup(self) -> None:
        super().setup()
        with self.server.owner.lock:
            self.server.owner.open.add(self.connection)
            self.server.owner.connections += 1

    def finish(self) -> None:
        with self.server.owner.lock:
            self.server.owner.open.discard(self.connection)
        super().finish()

    def handle(self) -> None:
        try:
            super().handle()
        except ConnectionError:
            self.close_connection = True  # the client left

    def do_GET(self) -> None:
        self._send(self.server.owner.told(self._received({})))

    def do_POST(self) -> None:
        owner = self.server.owner
        received = self._received(json.loads(self.rfile.read(int(self.headers.get("content-length", 0)))))
        self._send(owner.told(received) if self.path in owner.pages else owner.answer(received))

    def _received(self, body: dict[str, object]) -> Received:
        return Received(self.path, {name.lower(): value for name, value in self.headers.items()}, body)

    def _send(self, answer: Answer) -> None:
        self.send_response(answer.status)
        for name, value in {"content-type": "text/event-stream", **answer.headers}.items():
            self.send_header(name, value)
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for piece in answer.pieces:
            if isinstance(piece, str):
                self.close_connection = True
                if piece == STALL:
                    with suppress(ConnectionError):  # it hung up with something unread
                        self.connection.recv(1)
                    self.server.owner.hung_up.set()
                return
            if piece:
                try:
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                except ConnectionError:
                    self.server.owner.hung_up.set()
                    raise
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, format: str, *args: object) -> None:
        """Tests read `received`."""
