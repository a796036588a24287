"""The page's server as a real process, and a browser's side of it without a browser."""

from __future__ import annotations

import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import httpx
from support import PATIENCE, ready, spawn

from dotagent.capabilities.view.keys import Keys
from dotagent.store.home import Home


@dataclass
class Served:
    """A running server: its process, the link that it printed, and its address."""

    where: Home
    process: subprocess.Popen[str]
    link: str

    @property
    def address(self) -> str:
        return self.link.partition("/#")[0]

    def fresh(self) -> str:
        """Another link to the page, as the command prints it when it runs again."""
        return f"{self.address}/#open={Keys(self.where.root / 'view').link()}"

    @contextmanager
    def opened(self) -> Iterator[httpx.Client]:
        """A client that has opened the page and sends what the page sends."""
        with httpx.Client(base_url=self.address, headers={"origin": self.address}, timeout=PATIENCE) as client:
            answer = client.post("/api/open", content=self.fresh().partition("=")[2])
            assert answer.status_code == 200, answer.text
            client.headers["x-dotagent-token"] = client.get("/api/hello").json()["token"]
            yield client

    def end(self) -> tuple[int, str, str]:
        self.process.send_signal(signal.SIGTERM)
        out, err = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, out, err


def link_of(line: str) -> str:
    """The link in the line that the command prints."""
    found = re.fullmatch(r"open (https?://\S+/#open=[\w-]{43}) \(the link works once, within 10 minutes\)\n", line)
    assert found, line
    return found[1]


@contextmanager
def served(where: Home, *words: str) -> Iterator[Served]:
    """The server of this home."""
    port = () if "--port" in words else ("--port", "0")
    process = spawn(where, "-m", "dotagent", "view", *port, *words)
    try:
        assert process.stdout
        assert ready(process.stdout.fileno())
        line = process.stdout.readline()
        assert line, process.communicate(timeout=PATIENCE)
        yield Served(where, process, link_of(line))
    finally:
        process.kill()
        process.communicate(timeout=PATIENCE)
