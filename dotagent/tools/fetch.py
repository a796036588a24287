"""FETCH: a page of the web as text, got by a process of its own.

What the agent composes leaves its home by an address, too. So it fetches addresses that others gave it, word for word:
what people said to it, what a page or a search showed; and those of hosts that settings name. Nothing that it makes of
what it knows is among them, whatever a page tells it to do.
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
from collections.abc import Collection, Mapping
from contextlib import suppress
from fnmatch import fnmatchcase
from urllib.parse import urlsplit

from dotagent.life import persons
from dotagent.life.events import Hear, Result
from dotagent.life.policy import Act
from dotagent.life.session import Session
from dotagent.store import credentials, home
from dotagent.text.grammar import ToolCall
from dotagent.tools import ToolError, Whose

FOR = "Read a page of the web, by its address"
USAGE = ("FETCH https://…",)
ORDER = 60
EFFECT = "fetch"
ORIGIN = "web"
SOME = True

LATE = 40.0  # seconds that one request may take in all
LOOK = 0.05  # seconds between two looks at whether we shall end
FOUND = "SEARCH_WEB"
GIVEN = {"FETCH", FOUND}  # tools whose results give addresses: others show what the agent itself may have written


def effect(session: Session, call: ToolCall) -> Act | None:
    """Reaching a host that neither its person nor settings named, nor a search found: a page could be a stranger's sign
    to another. What nobody gave is refused in any case."""
    url = _url(call)
    host = (urlsplit(url).hostname or "").lower()
    said = re.compile(rf"(?<![\w.-]){re.escape(host)}(?![\w-]|\.\w)")
    named = host and any(host in text and said.search(text) for text in persons.of(session).said.texts)
    if named or _named(session, url) or _given(session, url, {FOUND}) or not _given(session, url):
        return None
    return Act(EFFECT, host, (url,))


def _url(call: ToolCall) -> str:
    """The address that the call names."""
    url = call.args.strip().strip("<>")
    return (url if "://" in url else f"https://{url}").partition("#")[0]


def act(session: Session, call: ToolCall) -> bytes:
    """The page's address and its text."""
    permit(session)
    url = _url(call)
    if not call.args.strip() or " " in url:
        raise ToolError("which page? FETCH and its address, e.g. FETCH https://example.org/news")
    if not (_named(session, url) or _given(session, url)):
        raise ToolError(
            f"nobody gave me the address {url}: I fetch what a person, a page or a search showed me, word for word; "
            'SEARCH_WEB finds pages, and [web] hosts = ["…"] in the settings of my home opens a whole host'
        )
    return ask(session, {"url": url, "near": list(_texts(session, "near"))})


def given(life: Whose) -> bool:
    """Whether this life uses the web: it hears its person alone, or settings name it."""
    named = any(life.id.startswith(name) for name in _texts(life, "lives"))
    return named or (life.state.audience.startswith("private") and not life.state.heard.bridged)


def permit(session: Session) -> None:
    """Raise ToolError when this life may not use the web."""
    if not given(session):
        raise ToolError("this life uses no web: it hears others than its person, and [web] lives does not name it")


def ask(session: Session, request: Mapping[str, object]) -> bytes:
    """What the web's process answers to this request. Raises ToolError, and Leaving when the agent shall end."""
    with subprocess.Popen(
        [sys.executable, "-m", "dotagent.web"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True,
        env=credentials.beside(),
    ) as child:  # fmt: skip
        try:
            told = _answer(session, child, json.dumps(request).encode())
        finally:
            with suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
    if told is None:
        raise ToolError(f"nothing came within {LATE:g} s")
    try:
        answer = json.loads(told)
    except ValueError:  # its limits of memory or time ended it
        raise ToolError("it could not be read: it takes too much memory or time") from None
    if "error" in answer:
        raise ToolError(answer["error"])
    return str(answer["shown"]).encode("utf-8", "replace")


def _answer(session: Session, child: subprocess.Popen[bytes], request: bytes) -> bytes | None:
    """What it prints, whole; None when that takes too long."""
    assert child.stdin and child.stdout
    with suppress(BrokenPipeError):
        child.stdin.write(request)
        child.stdin.close()
    end, told = time.monotonic() + LATE, bytearray()
    while time.monotonic() < end:
        if select.select([child.stdout], [], [], LOOK)[0]:
            piece = os.read(child.stdout.fileno(), 1 << 16)
            if not piece:
                return bytes(told)
            told += piece
        session.check_leaving()
    return None


def _named(session: Session, url: str) -> bool:
    """Whether settings open the address's host."""
    host = (urlsplit(url).hostname or "").lower()
    return any(fnmatchcase(host, one.lower()) for one in _texts(session, "hosts"))


def _given(session: Session, url: str, by: Collection[str] = ()) -> bool:
    """Whether the address stands in what is in front of the agent, and others put it there; or `by` these tools."""
    bare = re.sub(r"^\w+://", "", url).rstrip("/")
    for entry in session.entries:
        said = entry.event == Hear.WORD and not by
        shown = entry.event == Result.WORD and entry.detail.partition(" ")[0] in (by or GIVEN)
        there = (said or shown) and entry.content and bare.encode("utf-8", "replace") in entry.content
        text = entry.content.decode("utf-8", "replace") if there and entry.content else ""
        # what a search found is a line of its own: what it quotes of a page is the page's
        if bare in (re.findall(r"^(?:\w+://)?(\S+?)/?$", text, re.MULTILINE) if by else text):
            return True
    return False


def settings(session: Whose) -> Mapping[str, object]:
    """What settings say of the web, as they are now."""
    return home.settings_now(session.home, session.settings).web


def _texts(session: Whose, name: str) -> tuple[str, ...]:
    found = settings(session).get(name, ())
    return tuple(map(str, found)) if isinstance(found, list) else ()
