"""A site on loopback that says what a test lets it say, and remembers what it was asked."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True)
class Page:
    """What one address answers."""

    body: bytes | str = ""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass
class Site:
    """Its pages by their paths with queries, its port, and what it was asked: each path with its headers."""

    pages: dict[str, Page]
    port: int = 0
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    @property
    def place(self) -> str:
        """`host:port`, as settings name it."""
        return f"127.0.0.1:{self.port}"

    @property
    def base(self) -> str:
        """Its address."""
        return f"http://{self.place}"


@contextmanager
def site(pages: Mapping[str, Page | str]) -> Iterator[Site]:
    """Serve these pages while the block runs."""
    here = Site({path: one if isinstance(one, Page) else Page(one) for path, one in pages.items()})

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:  # the name is http.server's
            here.asked.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
            page = here.pages.get(self.path, Page("nothing is here", 404))
            body = page.body.encode() if isinstance(page.body, str) else page.body
            self.send_response(page.status)
            sent = {"Content-Type": "text/html; charset=utf-8", "Content-Length": str(len(body)), **page.headers}
            for name, value in sent.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """It keeps quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    here.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield here
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
