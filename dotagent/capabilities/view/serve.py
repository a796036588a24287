"""The process of the page: it listens, prints the link that opens the page, and serves until SIGINT or SIGTERM.

A home has one. Owns `view/pid`, its lock, `view/address`, where it is reached, and `view/open.html`, which leads this
machine's browser to the page without showing the link's secret to other users in the list of processes.
"""

from __future__ import annotations

import gc
import html
import ipaddress
import os
import signal
import socket
import ssl
import webbrowser
from dataclasses import dataclass
from pathlib import Path

import uvicorn

from dotagent.capabilities.view import outbox
from dotagent.capabilities.view.app import make_app
from dotagent.capabilities.view.guard import Desk
from dotagent.capabilities.view.keys import Keys
from dotagent.errors import Misuse, Trouble
from dotagent.store import disk, home, launch
from dotagent.store.home import Home
from dotagent.terminal.talk import name_of

PORT, LOOPBACK = 7373, "127.0.0.1"
GRACE = 1  # seconds that streams have to end
MANY = 100_000  # new objects after which Python looks for circles: a scene has thousands, and none in a circle


@dataclass(frozen=True)
class Serving:
    """The person's options for serving the page."""

    port: int | None
    name: str | None
    hosts: tuple[str, ...] = ()
    listen: str | None = None
    cert: str | None = None
    key: str | None = None


def run(where: Home, wanted: Serving, show: bool) -> int:
    """Serve the page, or print a new link to a page that is already served. With `show`, open it in a browser."""
    folder = where.root / "view"
    disk.make_dir(folder)
    if disk.is_locked(folder / "pid"):
        if wanted != Serving(None, None):
            raise Trouble(
                "another process already serves the page; stop that process first, or give only the option --open"
            )
        _tell(folder, disk.read(folder / "address").decode("utf-8", "replace"), show)
        return 0
    secure = _checked(wanted)
    person = name_of(wanted.name, where)
    home.settings(where)
    lock = launch.alone(folder / "pid", "another process already serves the page: process {}")
    listener = _listen(wanted.listen or LOOPBACK, PORT if wanted.port is None else wanted.port)
    port, desk_keys = listener.getsockname()[1], Keys(folder)
    desk_keys.close_links()
    outbox.tidy(folder / "sent")
    own = [_bracketed(wanted.listen)] if wanted.listen else [LOOPBACK, "localhost"]
    origins = {f"http{'s' if secure else ''}://{one}:{port}" for one in own}
    origins |= {f"https://{one}{end}" for one in wanted.hosts for end in ("", f":{port}")}
    desk = Desk(where, person, desk_keys, port, frozenset(origins))
    first = wanted.hosts[0] if wanted.hosts else own[0]
    address = f"https://{first}" if wanted.hosts and not secure else f"http{'s' if secure else ''}://{first}:{port}"
    disk.replace(folder / "address", address.encode())
    config = uvicorn.Config(
        make_app(desk), log_level="critical", access_log=False, server_header=False, date_header=False, ws="none",
        http="h11", loop="asyncio", lifespan="off", proxy_headers=False, timeout_graceful_shutdown=GRACE,
        ssl_certfile=wanted.cert, ssl_keyfile=wanted.key,
    )  # fmt: skip
    try:
        config.load()  # so that a wrong certificate is reported before the link
    except ssl.SSLError as error:
        raise Misuse(
            f"{wanted.cert} and {wanted.key} are not a certificate and its private key in PEM format ({error})"
        ) from None
    _tell(folder, address, show)
    gc.freeze()
    gc.set_threshold(MANY)
    for one in (signal.SIGINT, signal.SIGTERM):  # uvicorn raises the signal again when it has ended
        signal.signal(one, lambda signum, frame: None)
    uvicorn.Server(config).run([listener])
    os.close(lock)
    return 0


def _tell(folder: Path, address: str, show: bool) -> None:
    """Print a new link, and open it with `show`."""
    link = f"{address}/#open={Keys(folder).link()}"
    print(f"open {link} (the link works once, within 10 minutes)", flush=True)
    if show:
        page = folder / "open.html"
        disk.replace(page, f'<meta http-equiv="refresh" content="0; url={html.escape(link)}">'.encode())
        if not webbrowser.open(page.as_uri()):
            raise Trouble("no browser was found on this machine; open the link yourself")


def _checked(wanted: Serving) -> bool:
    """Return whether the page is served with HTTPS. Raises Misuse for options that do not fit together."""
    secure = bool(wanted.cert and wanted.key)
    if bool(wanted.cert) != bool(wanted.key):
        raise Misuse("--cert and --key belong together: give both files")
    if wanted.listen and not secure:
        raise Misuse("--listen needs --cert FILE and --key FILE, because others could read the page otherwise")
    if secure and not wanted.listen:
        raise Misuse("--cert and --key are for --listen ADDRESS; on this machine alone the page needs no certificate")
    for path in filter(None, (wanted.cert, wanted.key)):
        if not Path(path).is_file():
            raise Misuse(f"{path}: there is no such file")
        if not os.access(path, os.R_OK):
            raise Misuse(f"{path}: you have no permission to read this file")
    return secure


def _bracketed(address: str) -> str:
    """Return an address as it is written in a link."""
    return f"[{address}]" if ":" in address else address


def _listen(address: str, port: int) -> socket.socket:
    """Return the listening socket. Raises Misuse."""
    try:
        version = ipaddress.ip_address(address).version
    except ValueError:
        raise Misuse(f"--listen {address}: give an IP address of this machine, such as 192.168.1.5") from None
    try:
        found = socket.create_server((address, port), family=socket.AF_INET6 if version == 6 else socket.AF_INET)
        found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # else a browser may get an answer 40 ms later
        return found
    except OSError as error:
        raise Misuse(f"{address} port {port}: {error.strerror}; choose another port with --port") from None
