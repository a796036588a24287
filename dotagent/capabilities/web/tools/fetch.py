"""FETCH: return a web page as text. The agent's own process does not load the page: a separate process does.

An address could carry the agent's data out of the home. So the agent fetches only addresses that others gave it, word
for word (a person, a page or a search), and hosts named in settings. It cannot fetch an address that it composed,
whatever a page tells it to do.
"""

from __future__ import annotations

import json
import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from fnmatch import fnmatchcase
from urllib.parse import urlsplit

from dotagent.life.events import Hear, Result
from dotagent.life.policy import Act
from dotagent.life.session import Session
from dotagent.store import credentials, home
from dotagent.text.grammar import ToolCall
from dotagent.tools import ToolError, Whose

FOR = "Read a page of the web by its address"
USAGE = ("FETCH https://…",)
ORDER = 60
EFFECT = "fetch"
ORIGIN = "web"
SOME = True

LATE = 40.0  # seconds: the longest that a request may take
LOOK = 0.05  # seconds between two checks for leaving
GIVEN = {"FETCH", "SEARCH_WEB"}  # tools whose results give addresses; other tools may show the agent's own text


def effect(session: Session, call: ToolCall) -> Act | None:
    """Return the access to a host that settings do not open. An address that no one gave is refused by `act`."""
    url = _url(call)
    if _is_allowed_host(session, url) or not _is_in_context(session, url):
        return None
    return Act(EFFECT, _host(url))


def _url(call: ToolCall) -> str:
    url = call.args.strip().strip("<>")
    return (url if "://" in url else f"https://{url}").partition("#")[0]


def act(session: Session, call: ToolCall) -> bytes:
    """Return the page's address and its text."""
    permit(session)
    url = _url(call)
    if not call.args.strip() or " " in url:
        raise ToolError(
            "the address of the page is missing: FETCH and the address, e.g. FETCH https://example.org/news"
        )
    if not (_is_allowed_host(session, url) or _is_in_context(session, url)):
        raise ToolError(
            f"no one gave me the address {url}. I only fetch addresses that a person, a page or a search gave me. "
            'SEARCH_WEB finds pages. To open a whole host, my owner sets [web] hosts = ["…"] in dotagent.toml'
        )
    return ask(session, {"url": url, "near": list(_texts(session, "near"))})


def given(life: Whose) -> bool:
    """Return True if the agent may use the web: it is private and without a bridge, or settings name it."""
    named = any(life.id.startswith(name) for name in _texts(life, "lives"))
    return named or (life.state.audience.startswith("private") and not life.state.heard.bridged)


def permit(session: Session) -> None:
    """Raise ToolError if the agent may not use the web."""
    if not given(session):
        raise ToolError(
            "this agent may not use the web, because people other than its owner write to it; to allow it, the owner "
            "adds its id to `lives` in [web] of dotagent.toml"
        )


def ask(session: Session, request: Mapping[str, object]) -> bytes:
    """Return the web process's answer to this request. Raises ToolError, and Leaving if the agent must exit."""
    with subprocess.Popen(
        [sys.executable, "-m", "dotagent.capabilities.web"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True,
        env=credentials.child_environment(),
    ) as child:  # fmt: skip
        try:
            told = _answer(session, child, json.dumps(request).encode())
        finally:
            with suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
    if told is None:
        raise ToolError(f"the page did not arrive within {LATE:g} s")
    try:
        answer = json.loads(told)
    except ValueError:  # it reached its memory or time limit
        raise ToolError("the page could not be read, because it needs too much memory or time") from None
    if "error" in answer:
        raise ToolError(answer["error"], ORIGIN if answer.get("quoted") else "")
    return str(answer["shown"]).encode("utf-8", "replace")


def _answer(session: Session, child: subprocess.Popen[bytes], request: bytes) -> bytes | None:
    """Return its complete output, or None if it takes too long."""
    assert child.stdin and child.stdout
    with suppress(BrokenPipeError):
        child.stdin.write(request)
        child.stdin.close()
    end, told, poll = time.monotonic() + LATE, bytearray(), select.poll()
    poll.register(child.stdout, select.POLLIN)
    while time.monotonic() < end:
        if poll.poll(1000 * LOOK):
            piece = os.read(child.stdout.fileno(), 1 << 16)
            if not piece:
                return bytes(told)
            told += piece
        session.check_leaving()
    return None


def _is_allowed_host(session: Session, url: str) -> bool:
    """Return True if settings open the address's host."""
    host = _host(url)
    return any(fnmatchcase(host, one.lower()) for one in _texts(session, "hosts"))


def _host(url: str) -> str:
    """Return the host of an address. Raises ToolError."""
    try:
        return (urlsplit(url).hostname or "").lower()
    except ValueError:
        raise ToolError(
            f"{url[:200]!r} is not the address of a page; it needs a host, such as https://example.org/news"
        ) from None


def _is_in_context(session: Session, url: str) -> bool:
    """Return True if others put the address into the agent's context."""
    bare = re.sub(r"^\w+://", "", url).rstrip("/")
    sought = bare.encode("utf-8", "replace")
    return any(
        sought in (entry.content or b"")
        for entry in session.entries
        if entry.event == Hear.WORD or (entry.event == Result.WORD and entry.detail.partition(" ")[0] in GIVEN)
    )


def settings(session: Whose) -> Mapping[str, object]:
    """Return the current web settings."""
    return home.settings_now(session.home, session.settings).tables.get("web", {})


def _texts(session: Whose, name: str) -> tuple[str, ...]:
    found = settings(session).get(name, ())
    return tuple(map(str, found)) if isinstance(found, list) else ()
