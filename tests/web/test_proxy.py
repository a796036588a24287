"""The proxy of sandboxed commands: which request goes where, and that none can be smuggled past it."""

from __future__ import annotations

import socket
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import PATIENCE

from dotagent.network import proxy


@pytest.mark.parametrize(
    ("host", "port", "named"),
    [
        ("pypi.org", 443, True),
        ("pypi.org", 80, True),
        ("pypi.org", 22, False),
        ("files.pypi.org", 443, False),
        ("a.example.org", 443, True),
        ("a.b.example.org", 443, True),
        ("example.org", 443, False),
        ("badexample.org", 443, False),
        ("own.test", 8443, True),
        ("own.test", 443, False),
    ],
)
def test_only_what_is_named(host: str, port: int, named: bool) -> None:
    assert proxy.allowed(host, port, ["PyPI.org", "*.example.org", "own.test:8443"]) is named


def test_a_plain_request_goes_on_without_what_is_the_proxys() -> None:
    head = b"GET http://Example.org/a?b HTTP/1.1\r\nHost: other.test\r\nProxy-Authorization: x\r\nAccept: */*"
    host, port, told = proxy.target(head)
    assert (host, port) == ("example.org", 80)
    assert told == b"GET /a?b HTTP/1.1\r\nHost: Example.org\r\nAccept: */*\r\nConnection: close\r\n\r\n"


@pytest.mark.parametrize(
    "head",
    [
        b"CONNECT pypi.org\0.evil.test:443 HTTP/1.1",
        b"CONNECT [::1]:443 HTTP/1.1",
        b"CONNECT :443 HTTP/1.1",
        b"CONNECT pypi.org:99999 HTTP/1.1",
        b"CONNECT evil@pypi.org:443@x HTTP/1.1 more",
        "CONNECT pypı.org:443 HTTP/1.1".encode(),
        b"GET /etc/passwd HTTP/1.1",
        b"GET https://pypi.org/ HTTP/1.1",
        b"GET file:///etc/passwd HTTP/1.1",
        b"",
        b"GET http://pypi.org/\nHost: evil.test HTTP/1.1",
        b"GET http://pypi.org/ HTTP/1.1\nX: y",
        b"GET http://pypi.org/ HTTP/1.1\r\nX: y\nHost: evil.test",
        b"GET http://pypi.org/ HTTP/1.1\r\nX: y\rHost: evil.test",
        b"GET http://pypi.org/ HTTP/1.1\r\nX: y\0",
        b"GET http://pypi.org/ HTTP/1.1\r\nX: y\r\n folded: line",
        b"GET http://pypi.org/ HTTP/1.1\r\nX: y\r\n\tfolded: line",
        b"GET http://pypi.org/ HTTP/1.1\r\nHost : evil.test",
        b"GET http://pypi.org/ HTTP/1.1\r\nno header",
        b"GET http://pypi.org/ HTTP/1.1\r\n: empty",
        b"GET http://pypi.org/ HTTP/1.1\r\nHost: pypi.org\r\nhost: evil.test",
        b"POST http://pypi.org/ HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2",
        b"POST http://pypi.org/ HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked",
        b"POST http://pypi.org/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: x",
        b"CONNECT pypi.org:443 HTTP/1.1\r\nHost: pypi.org\r\nHost: evil.test",
        b"GET\thttp://pypi.org/\tHTTP/1.1",
        b"GET  http://pypi.org/ HTTP/1.1",
        b"GET http://pypi.org/ HTTP/2.0",
        b"GET http://pypi.org/ HTTP/1.1 ",
        b"GET http://pypi.org/ \xff/1.1",
        b"G\x0bT http://pypi.org/ HTTP/1.1",
        b"GET http://pypi.org/" + b"a" * 9000 + b" HTTP/1.1",
        b"GET http://pypi.org/ HTTP/1.1" + b"\r\nX: y" * 101,
    ],
)
def test_what_is_no_request_for_a_host_goes_nowhere(head: bytes) -> None:
    with pytest.raises(proxy.Nowhere, match=r"^400 "):
        proxy.target(head)


@given(st.binary(max_size=80) | st.builds(lambda host: b"CONNECT " + host + b":443 HTTP/1.1", st.binary(max_size=30)))
def test_whatever_comes_is_a_name_or_is_refused(head: bytes) -> None:
    try:
        host, port, told = proxy.target(head)
    except proxy.Nowhere:
        return
    assert host.isascii() and not set(host) & set("\0\r\n /:@[]") and 0 <= port < 65536
    assert told.count(b"\r\n\r\n") <= 1


def answer(request: bytes) -> bytes:
    """What the proxy, which knows the host pypi.org, answers to these bytes over a real socket."""
    ours, theirs = socket.socketpair()
    served = threading.Thread(target=proxy.serve, args=(theirs, ["pypi.org"]))
    served.start()
    with ours:
        ours.settimeout(PATIENCE)
        ours.sendall(request)
        told = b"".join(iter(lambda: ours.recv(4096), b""))
    served.join()
    return told


@pytest.mark.parametrize(
    "request_",
    [
        b"GET http://pypi.org/ HTTP/1.1\nHost: pypi.org\n\n",
        b"\nGET http://pypi.org/ HTTP/1.1\r\n",
        b"GET http://pypi.org/ HTTP/1.1\rHost: pypi.org\r\r",
        b"CONNECT pypi.org:443 HTTP/1.1\r\nX: y\n\r\n",
        b"CONNECT pypi.org:443\0 HTTP/1.1\r\n",
    ],
)
def test_a_head_without_proper_line_ends_is_refused_at_once(request_: bytes) -> None:
    """The sender still waits for more: no end of the head comes."""
    assert answer(request_).startswith(b"HTTP/1.1 400 ")


def test_a_head_without_an_end_is_refused_at_its_limit() -> None:
    assert answer(b"GET http://pypi.org/ HTTP/1.1\r\nX: " + b"y" * proxy.HEAD).startswith(b"HTTP/1.1 431 ")
