"""The network of a sandboxed command whose settings name hosts: a proxy outside that knows these hosts and no other.

It starts bubblewrap, and before the command begins it opens a port in the sandbox's own network, where there is nothing
else; what the command sends there it sends on to a named host (CONNECT, or a plain http request), at a public address.
So no program of ours runs inside, and nothing leads out but this port. It ends as the command ends. Owns nothing on
disk.
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

from dotagent.web import reach

PORT = 3128
HEAD = 16_384  # bytes of a request's first lines
MANY = 64  # connections at once
CONNECT, IDLE = 15.0, 300.0  # seconds until a host must answer, and without a byte either way
PORTS = (80, 443)  # of a host that is named without one
NEW_USER, NEW_NET, OWNER = 0x10000000, 0x40000000, 0xB701  # <linux/sched.h>, <linux/nsfs.h>: NS_GET_USERNS
FREEBIND = 15  # <linux/in.h>: an address may be taken before the network is up
_NAME = re.compile(r"[a-z0-9_](?:[a-z0-9_.-]{0,251}[a-z0-9_])?")


class Nowhere(Exception):
    """A request that goes nowhere, and why."""


def allowed(host: str, port: int, hosts: Sequence[str]) -> bool:
    """Whether one of the named hosts is this one: `pypi.org`, `*.example.org`, or with a port `example.org:8443`."""
    for one in hosts:
        name, _, own = one.lower().partition(":")
        if fnmatchcase(host, name) and (port == int(own) if own.isdigit() else port in PORTS):
            return True
    return False


def target(head: bytes) -> tuple[str, int, bytes]:
    """Where a request wants to go, and what of it is sent there (nothing for CONNECT). Raises Nowhere."""
    line, _, rest = head.partition(b"\r\n")
    words = line.decode("ascii", "replace").split(" ")
    if len(words) != 3 or "�" in line.decode("ascii", "replace"):
        raise Nowhere("400 that is no request")
    method, where, version = words
    try:
        url = urlsplit(f"//{where}" if method == "CONNECT" else where)
        host, port = (url.hostname or "").rstrip("."), url.port or (443 if method == "CONNECT" else 80)
    except ValueError:
        raise Nowhere("400 that is no address") from None
    if method != "CONNECT" and url.scheme != "http":
        raise Nowhere("400 a proxy is asked by CONNECT, or for an http:// address")
    if not _NAME.fullmatch(host):  # no NUL, no space, no address within brackets
        raise Nowhere("400 that is no host's name")
    if method == "CONNECT":
        return host, port, b""
    path = (url.path or "/") + (f"?{url.query}" if url.query else "")
    kept = [one for one in rest.split(b"\r\n") if one and not _own(one)]
    told = [f"{method} {path} {version}".encode(), f"Host: {url.netloc.rpartition('@')[2]}".encode(), *kept]
    return host, port, b"\r\n".join([*told, b"Connection: close", b"", b""])


def _own(line: bytes) -> bool:
    name = line.partition(b":")[0].strip().lower()
    return name in (b"host", b"connection", b"keep-alive") or name.startswith(b"proxy-")


def serve(client: socket.socket, hosts: Sequence[str]) -> None:
    """Answer one connection, to its end."""
    with client:
        try:
            client.settimeout(CONNECT)
            head, more = _head(client)
            host, port, said = target(head)
            if not allowed(host, port, hosts):
                raise Nowhere(f"403 {host}:{port} is none of the hosts that the settings name")
            there = _reach(host, port, [one.lower() for one in hosts if ":" in one and "*" not in one])
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
    """A request's first lines, and what came after them."""
    told = b""
    while b"\r\n\r\n" not in told:
        piece = client.recv(4096)
        told += piece
        if not piece or len(told) > HEAD:
            raise Nowhere("431 the request has no end")
    head, _, more = told.partition(b"\r\n\r\n")
    return head, more


def _reach(host: str, port: int, near: Sequence[str]) -> socket.socket:
    """A connection to a public address, or to one that is named with its port (`near`). Raises Nowhere."""
    try:
        found = reach.addresses(host, port, near)
    except reach.NotPublic as error:
        raise Nowhere(f"403 {error}") from None
    except (OSError, UnicodeError) as error:
        raise Nowhere(f"502 {host} cannot be looked up: {error}") from None
    why = ""
    for address in found:
        try:
            return socket.create_connection((address, port), CONNECT)
        except OSError as error:
            why = str(error)
    raise Nowhere(f"502 {host}:{port} was not reached: {why}")


def _pass(one: socket.socket, other: socket.socket) -> None:
    """What either sends goes to the other, until both have ended or nothing comes."""
    ways = {one: other, other: one}
    for each in ways:
        each.settimeout(IDLE)
    while ways:
        ready, _, _ = select.select(list(ways), [], [], IDLE)
        if not ready:
            return
        for each in ready:
            piece = each.recv(1 << 16)
            if piece:
                ways[each].sendall(piece)
            else:
                with suppress(OSError):
                    ways.pop(each).shutdown(socket.SHUT_WR)


def opened(child: int) -> socket.socket:
    """A listening socket at the port, in the network of this process. Raises OSError."""
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
        raise OSError("the sandbox's network could not be entered")
    return socket.socket(fileno=fds[0])


def _enter(child: int) -> socket.socket:
    """Go into the process's network, as whom its user namespace belongs to, and listen there."""
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
    """The words are hosts, `--`, and bubblewrap's; the status with which it ended."""
    words = sys.argv[1:]
    at = words.index("--")
    hosts, (program, *rest) = words[:at], words[at + 1 :]
    for signum in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(signum, lambda signum, frame: None)  # what is inside is asked; this ends with it
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
        listener = opened(int(json.loads(known)["child-pid"]))
    except (OSError, ValueError, KeyError) as error:
        child.kill()
        status = child.wait()
        if known:  # else it has said itself why it could not begin
            print(f"no host can be reached, nothing was run: {error}", file=sys.stderr)
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
