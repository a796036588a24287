"""What a sandboxed command tries with system calls: each attempt by its name, and the error that it met, as JSON.

It is run inside, as a file of the agent's own. Words: the pid of a process outside, a port, a path of a socket, the
name of an abstract one, perhaps a path at which a daemon listens and, with `.grams`, takes datagrams.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import json
import os
import signal
import socket
import struct
import sys
from collections.abc import Callable
from contextlib import suppress

FAR = (("192.0.2.1", 80), ("2001:db8::1", 80))
LIBC = ctypes.CDLL(None, use_errno=True)
ARM = os.uname().machine == "aarch64"


def call(*words: object) -> None:
    """A system call by its number, which must not succeed."""
    known = [ctypes.c_long(word) if isinstance(word, int) else word for word in words]
    if LIBC.syscall(*known) < 0:
        raise OSError(ctypes.get_errno(), "")


def connect(family: int, address: object, kind: int = socket.SOCK_STREAM) -> None:
    """Reach somebody. Nobody is far away: what is on its way there was not refused."""
    with socket.socket(family, kind) as one:
        one.setblocking(address not in FAR)
        with suppress(BlockingIOError):
            one.connect(address)  # type: ignore[arg-type]


def bad(number: int) -> None:
    """What was tried did not succeed."""
    raise OSError(number, "")


def capable() -> bool:
    """Whether any right of root's is left."""
    found = (ctypes.c_uint32 * 6)()
    call(90 if ARM else 125, struct.pack("Ii", 0x20080522, 0), ctypes.byref(found))
    return any(found[one] for one in (0, 1, 3, 4))


def attempts(pid: int, port: int, path: str, abstract: str, daemon: str = "") -> dict[str, Callable[[], object]]:
    """What is tried."""
    return {**on_another(pid), **by_sockets(port, path, abstract, daemon), **on_the_kernel()}


def on_another(pid: int) -> dict[str, Callable[[], object]]:
    """What is tried on a process outside."""
    return {
        "a signal": lambda: os.kill(pid, signal.SIGTERM),
        "a signal by its descriptor": lambda: signal.pidfd_send_signal(os.pidfd_open(pid), signal.SIGTERM),
        "a queued signal": lambda: call(138 if ARM else 129, pid, 15, bytes(128)),
        "trace it": lambda: call(117 if ARM else 101, 16, pid, 0, 0),
        "seize it": lambda: call(117 if ARM else 101, 0x4206, pid, 0, 0),
        "read its memory": lambda: call(270 if ARM else 310, pid, bytes(16), 1, bytes(16), 1, 0),
        "its environment": lambda: open(f"/proc/{pid}/environ").read() or 1,
        "its words": lambda: open(f"/proc/{pid}/cmdline").read() or 1,
        "its descriptors": lambda: os.listdir(f"/proc/{pid}/fd"),
        "its root": lambda: os.listdir(f"/proc/{pid}/root/"),
        "its limits": lambda: call(261 if ARM else 302, pid, 7, bytes(16), None),
    }


def by_sockets(port: int, path: str, abstract: str, daemon: str) -> dict[str, Callable[[], object]]:
    """Whom it tries to reach."""
    return {
        "tcp": lambda: connect(socket.AF_INET, ("127.0.0.1", port)),
        "a socket in a root": lambda: connect(socket.AF_UNIX, path),
        "an abstract socket": lambda: connect(socket.AF_UNIX, "\0" + abstract),
        "vsock": lambda: socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM),
        "packets": lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW),
        "udp": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("192.0.2.1", 53)),
        "ping": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM, 1).sendto(
            b"\x08" + bytes(7), ("192.0.2.1", 0)
        ),
        "tcp to another": lambda: connect(socket.AF_INET, FAR[0]),
        "tcp by six": lambda: connect(socket.AF_INET6, FAR[1]),
        "a daemon's socket": lambda: connect(socket.AF_UNIX, daemon),
        "a daemon's datagrams": lambda: connect(socket.AF_UNIX, f"{daemon}.grams", socket.SOCK_DGRAM),
    }


def on_the_kernel() -> dict[str, Callable[[], object]]:
    """What it tries to get of the kernel."""
    return {
        "kernel's crypto": lambda: socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET),
        "io_uring": lambda: call(425, 4, bytes(200)),
        "type into a terminal": lambda: fcntl.ioctl(0, 0x5412, b"x"),
        "the same with high bits": lambda: call(29 if ARM else 16, 0, 0x100005412, b"x"),
        "paste into a console": lambda: fcntl.ioctl(0, 0x541C, b"\3"),
        "a namespace": lambda: call(97 if ARM else 272, 0x10000000),
        "a namespace by clone": lambda: call(220 if ARM else 56, 0x10000000 | 17, 0, 0, 0, 0),
        "a namespace by clone3": lambda: call(435, bytes(88), 88),
        "join one": lambda: call(268 if ARM else 308, 0, 0),
        "mount": lambda: call(40 if ARM else 165, b"none\0", b"/tmp\0", b"tmpfs\0", 0, 0),
        "unmount": lambda: call(39 if ARM else 166, b"/\0", 2),
        "another root": lambda: os.chroot("/"),
        "by another table of calls": lambda: call(0x40000000 | 39),
        "by a handle": lambda: call(265 if ARM else 304, 3, bytes(16), 0),
        "the kernel's keys": lambda: call(219 if ARM else 250, 0, -3, 0),
        "bpf": lambda: call(280 if ARM else 321, 0, bytes(100), 100),
        "a device": lambda: os.mknod("device", 0o020600, os.makedev(1, 1)),
        "be another": lambda: os.setuid(12345),
        "a right that is left": lambda: capable() or bad(errno.EPERM),
        "set-user-id": lambda: os.chmod("own", 0o4755),
        "set-group-id by its descriptor": lambda: os.fchmod(os.open("own", os.O_RDWR), 0o2755),
        "set-user-id at its making": lambda: os.open("made", os.O_CREAT | os.O_WRONLY, 0o4755),
        "the same without a name": lambda: os.open(".", os.O_TMPFILE | os.O_WRONLY, 0o4755),
        "the same by mknod": lambda: os.mknod("node", 0o104755),
        "the same by the newer call": lambda: call(437, -100, b"newer\0", struct.pack("QQQ", 0o101, 0o4755, 0), 24),
    }


def main() -> None:
    """Try all; a name with an empty word is one that succeeded."""
    pid, port, path, abstract, *daemon = sys.argv[1:]
    inherited = [number for number in range(3, 1024) if valid(number)]
    found = {}
    for name, attempt in attempts(int(pid), int(port), path, abstract, *daemon).items():
        try:
            attempt()
            found[name] = ""
        except OSError as error:
            found[name] = errno.errorcode.get(error.errno or 0, str(error))
    print(json.dumps({"errors": found, "inherited": inherited, "no_new_privileges": LIBC.prctl(39, 0, 0, 0, 0)}))


def valid(number: int) -> bool:
    """Whether there is such a descriptor."""
    try:
        fcntl.fcntl(number, fcntl.F_GETFD)
    except OSError:
        return False
    return True


if __name__ == "__main__":
    main()
