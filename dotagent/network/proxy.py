"""The network of a sandboxed command whose settings name hosts: a proxy outside that reaches only these hosts.

It starts bubblewrap and opens a port in the sandbox's otherwise empty network before the command begins. Requests at
this port (CONNECT, or plain http) are forwarded to a named host at a public address. So none of our programs runs
inside, and this port is the only way out. The proxy ends with the command. Owns nothing on disk.
"""

from __future__ import annotations

import ctypes
import fcntl
import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from urllib.parse import urlsplit

from dotagent.network import reach

PORT = 3128
HEAD = 16_384  # bytes of a request's head
LINES = 100  # headers of a request
MANY = 64  # connections at once
CONNECT, IDLE = 15.0, 300.0  # seconds for a host to answer, and of silence in both directions
PORTS = (80, 443)  # allowed if a host is named without a port
NEW_USER, NEW_NET, OWNER = 0x10000000, 0x40000000, 0xB701  # <linux/sched.h>, <linux/nsfs.h>: NS_GET_USERNS
FREEBIND = 15  # <linux/in.h>: an address may be bound before the network is up
_FORM = re.compile(  # RFC 9112, without forms that servers interpret differently: LF alone, folded lines, odd names
    rb"[A-Z]{1,20} [\x21-\x7e]{1,8192} HTTP/1\.[01]"
    rb"(?:\r\n[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}:[\t\x20-\x7e\x80-\xff]*)*"
)
_ODD = re.compile(rb"(?<!\r)\n|\r(?!\n|\Z)|\0")  # in a head
_ONCE = (b"host", b"content-length", b"transfer-encoding")
_NAME = re.compile(r"[a-z0-9_](?:[a-z0-9_.-]{0,251}[a-z0-9_])?")


class Nowhere(Exception):
    """A request that is not forwarded, with the reason."""


def allowed(host: str, port: int, hosts: Sequence[str]) -> bool:
    """Return True if a named host matches: `pypi.org`, `*.example.org`, or with a port `example.org:8443`."""
    for one in hosts:
        name, _, own = one.lower().partition(":")
        if fnmatchcase(host, name) and (port == int(own) if own.isdigit() else port in PORTS):
            return True
    return False


def target(head: bytes) -> tuple[str, int, bytes]:
    """Return a request's host and port, and the bytes to send there (none for CONNECT). Raises Nowhere."""
    if not _FORM.fullmatch(head):
        raise Nowhere("400 the request is not well-formed")
    line, *rest = head.split(b"\r\n")
    names = [one.partition(b":")[0].lower() for one in rest]
    if len(rest) > LINES or any(names.count(one) > 1 for one in _ONCE) or {*_ONCE[1:]} <= {*names}:
        raise Nowhere("400 the request has too many headers, or a header twice that may occur only once")
    method, where, version = line.decode("ascii").split(" ")
    try:
        url = urlsplit(f"//{where}" if method == "CONNECT" else where)
        host, port = (url.hostname or "").rstrip("."), url.port or (443 if method == "CONNECT" else 80)
    except ValueError:
        raise Nowhere("400 not a valid address") from None
    if method != "CONNECT" and url.scheme != "http":
        raise Nowhere("400 this proxy accepts only CONNECT requests and http:// addresses")
    if not _NAME.fullmatch(host):  # no NUL, no space, no address in brackets
        raise Nowhere("400 not a valid host name")
    if method == "CONNECT":
        return host, port, b""
    path = (url.path or "/") + (f"?{url.query}" if url.query else "")
    kept = [one for one, name in zip(rest, names, strict=True) if not _is_proxy_header(name)]
    told = [f"{method} {path} {version}".encode(), f"Host: {url.netloc.rpartition('@')[2]}".encode(), *kept]
    return host, port, b"\r\n".join([*told, b"Connection: close", b"", b""])


def _is_proxy_header(name: bytes) -> bool:
    """Return True if a header is for this proxy and not for the host."""
    return name in (b"host", b"connection", b"keep-alive") or name.startswith(b"proxy-")


def serve(client: socket.socket, hosts: Sequence[str]) -> None:
    """Handle one connection until it ends."""
    with client:
        try:
            client.settimeout(CONNECT)
            head, more = _head(client)
            host, port, said = target(head)
            if not allowed(host, port, hosts):
                raise Nowhere(
                    f"403 {host}:{port} is not allowed; to allow this, the owner sets in dotagent.toml: "
                    f'hosts = ["{host}:{port}"]'
                )
            there = _reach(host, port, [one for one in hosts if ":" in one and "*" not in one])
        except Nowhere as wrong:
            status, _, why = str(wrong).partition(" ")
            with suppress(OSError):
                body = f"dotagent: {why}\n"
                client.sendall(f"HTTP/1.1 {status} Refused\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())
            return
        except OSError:
            return
        with there, suppress(OSError):
            if said:
                there.sendall(said + more)
            else:
                client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
                there.sendall(more)
            _pass(client, there)


def _head(client: socket.socket) -> tuple[bytes, bytes]:
    """Return the head of a request, and the bytes after it. Raises Nowhere."""
    told = b""
    while True:
        piece = client.recv(4096)
        told += piece
        head, ended, more = told.partition(b"\r\n\r\n")
        if _ODD.search(head):  # at once, because a head with LF alone never ends
            raise Nowhere("400 the request is not well-formed")
        if not piece or len(head) > HEAD:
            raise Nowhere("431 the head of the request is too long, or has no end")
        if ended:
            return head, more


def _reach(host: str, port: int, near: Sequence[str]) -> socket.socket:
    """Connect to a public address, or to an address that the settings name with its port (`near`). Raises Nowhere."""
    try:
        found = reach.addresses(host, port, near)
    except reach.NotPublic as error:
        raise Nowhere(
            f'403 {error}; to allow this, the owner sets hosts = ["{error.place}"] in dotagent.toml'
        ) from None
    except (OSError, UnicodeError) as error:
        raise Nowhere(f"502 {host} cannot be looked up: {error}") from None
    why = ""
    for address in found:
        try:
            return socket.create_connection((address, port), CONNECT)
        except OSError as error:
            why = str(error)
    raise Nowhere(f"502 {host}:{port} could not be reached: {why}")


def _pass(one: socket.socket, other: socket.socket) -> None:
    """Forward data in both directions until both sides have ended, or nothing comes."""
    ways, poll = {one.fileno(): (one, other), other.fileno(): (other, one)}, select.poll()
    for fd, (each, _) in ways.items():
        each.settimeout(IDLE)
        poll.register(fd, select.POLLIN)
    while ways:
        ready = poll.poll(1000 * IDLE)
        if not ready:
            return
        for fd, _ in ready:
            sender, receiver = ways[fd]
            if piece := sender.recv(1 << 16):
                receiver.sendall(piece)
            else:
                poll.unregister(fd)
                del ways[fd]
                with suppress(OSError):
                    receiver.shutdown(socket.SHUT_WR)


def open_in(child: int) -> socket.socket:
    """Return a socket that listens at the port in the network of this process. Raises OSError."""
    mine, theirs = socket.socketpair()
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            listener = _enter(child)
            socket.send_fds(theirs, [b"."], [listener.fileno()])
            status = 0
        finally:
            os._exit(status)
    theirs.close()
    with mine:
        _, fds, _, _ = socket.recv_fds(mine, 1, 1)
    os.waitpid(pid, 0)
    if not fds:
        raise OSError("dotagent's proxy could not connect to the sandbox's network")
    return socket.socket(fileno=fds[0])


def _enter(child: int) -> socket.socket:
    """Enter the process's network as the owner of its user namespace, and listen there."""
    libc = ctypes.CDLL(None, use_errno=True)
    with open(f"/proc/{child}/ns/net", "rb") as net:
        owner = fcntl.ioctl(net, OWNER)
        for handle, kind in ((owner, NEW_USER), (net.fileno(), NEW_NET)):
            if libc.setns(handle, kind) < 0:
                raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    listener = socket.socket()
    listener.setsockopt(socket.IPPROTO_IP, FREEBIND, 1)
    listener.bind(("127.0.0.1", PORT))
    listener.listen(MANY)
    return listener


def main() -> int:
    """Run the proxy. The arguments are hosts, `--`, and bubblewrap's; returns bubblewrap's exit status."""
    words = sys.argv[1:]
    at = words.index("--")
    hosts, (program, *rest) = words[:at], words[at + 1 :]
    for signum in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(signum, lambda signum, frame: None)  # this ends with the command
    told, tell = os.pipe()
    hold, go = os.pipe()
    for handle in (tell, hold):
        os.set_inheritable(handle, True)
    child = subprocess.Popen([program, "--info-fd", str(tell), "--block-fd", str(hold), *rest], close_fds=False)
    os.close(tell)
    os.close(hold)
    with open(told, "rb") as info:
        known = info.read()
    try:
        listener = open_in(int(json.loads(known)["child-pid"]))
    except (OSError, ValueError, KeyError) as error:
        child.kill()
        status = child.wait()
        if known:  # otherwise bubblewrap has already reported its error
            print(f"the sandbox's proxy could not be started, so the command did not run: {error}", file=sys.stderr)
        return status if status > 0 else 1
    threading.Thread(target=_accept, args=(listener, hosts), daemon=True).start()
    os.write(go, b".")
    os.close(go)
    return child.wait()


def _accept(listener: socket.socket, hosts: Sequence[str]) -> None:
    room = threading.BoundedSemaphore(MANY)

    def one(client: socket.socket) -> None:
        try:
            serve(client, hosts)
        finally:
            room.release()

    while True:
        room.acquire()
        client, _ = listener.accept()
        threading.Thread(target=one, args=(client,), daemon=True).start()
