"""Hosts by name: a command in bubblewrap reaches those that settings name, through a proxy outside, and no other."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from cages import caged
from hands import Hands
from support import PATIENCE

from dotagent import sandbox
from dotagent.store import setting_rules

ASK = f"import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1], timeout={PATIENCE}).read().decode())"


class Page(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(f"{self.path} for {self.headers['Host']}".encode())

    def log_message(self, format: str, *args: object) -> None:
        """It says nothing."""


@contextmanager
def a_server() -> Iterator[int]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


def run(hands: Hands, command: str) -> str:
    return hands.shows(f"RUN {command}")


def asked(hands: Hands, url: str) -> str:
    return run(hands, f"{sys.executable} -c '{ASK}' {url} 2>&1 | tail -n 1")


@pytest.mark.slow
def test_a_named_host_is_reached_and_no_other(tmp_path: Path) -> None:
    with (
        a_server() as port,
        a_server() as other,
        caged(tmp_path, "bubblewrap", hosts=(f"localhost:{port}", "*.example.org")) as hands,
    ):
        assert f"/a?b=1 for localhost:{port}" in asked(hands, f"http://localhost:{port}/a?b=1")
        for url in (f"http://localhost:{other}/", f"http://127.0.0.1:{port}/", "http://example.org.evil.test/"):
            assert "HTTP Error 403" in asked(hands, url), url
        assert "HTTP Error 400" in asked(hands, "http://[::1]/")
        past = f'import socket; socket.create_connection(("127.0.0.1", {port}), 5)'
        assert "refused" in run(hands, f"{sys.executable} -c '{past}'").lower()  # its own network has only the proxy
        told = sandbox.describe_reach(hands.session.settings)
        assert f"network access only to localhost:{port}, *.example.org" in told
        assert run(hands, "exit 3").startswith("exit status 3")
        assert run(hands, "kill -9 $$").startswith("killed by signal 9")
        assert run(hands, "ls /proc/self/fd | wc -l").split("\n")[1] == "4"  # in, out, err, and ls's own


def test_a_name_that_leads_to_this_machine_is_refused_unless_its_port_is_named(tmp_path: Path) -> None:
    with a_server() as port, caged(tmp_path, "bubblewrap", hosts=("localhost",)) as hands:
        assert "HTTP Error 403" in asked(hands, f"http://localhost:{port}/")  # another port than those of the web
        shown = run(hands, "printf 'CONNECT localhost:443 HTTP/1.1\\r\\n\\r\\n' >/tmp/ask; "
                    f"{sys.executable} -c 'import socket; s = socket.create_connection((\"127.0.0.1\", 3128)); "
                    "s.sendall(open(\"/tmp/ask\", \"rb\").read()); print(s.recv(999).decode())'")  # fmt: skip
        assert "403" in shown and "its local network" in shown


def test_with_landlock_there_is_none_and_it_is_told(tmp_path: Path) -> None:
    with a_server() as port, caged(tmp_path, "landlock", hosts=(f"localhost:{port}",)) as hands:
        assert f"for localhost:{port}" not in asked(hands, f"http://localhost:{port}/")
        assert "no network (the setting hosts needs bubblewrap)" in sandbox.describe_reach(hands.session.settings)


@pytest.mark.parametrize("value", [["a b"], ["http://x"], ["x\0y"], ["*"], "pypi.org", [""], ["x:port"], ["*.*.org"]])
def test_what_is_no_host_is_refused(value: object) -> None:
    assert not setting_rules.rules()["hosts"][0](value)


def test_hosts_are_names() -> None:
    assert setting_rules.rules()["hosts"][0](["pypi.org", "*.example.org", "wiki.home:8080", "127.0.0.1:9"])
