"""SEARCH_WEB: ask the search engine that the settings name. Each result is a web page: its title, its
address and a line of its text."""

from __future__ import annotations

from urllib.parse import urlsplit

from dotagent.capabilities.web.tools import fetch
from dotagent.life.policy import Act
from dotagent.life.session import Session
from dotagent.text.grammar import ToolCall
from dotagent.tools import ToolError

FOR = "Search the web"
USAGE = ("SEARCH_WEB words",)
ORDER = 61
EFFECT = "search"
ORIGIN = "web"
SOME = True

given, permit = fetch.given, fetch.permit


def effect(session: Session, call: ToolCall) -> Act:
    """Return the search, because its words go to the owner's engine outside the home."""
    return Act(EFFECT, str(fetch.settings(session).get("search", "")))


def act(session: Session, call: ToolCall) -> bytes:
    """Return the results, best first."""
    permit(session)
    if not call.args.strip():
        raise ToolError("say what to search for: SEARCH_WEB followed by some words")
    web = fetch.settings(session)
    engine, base, near = web.get("search"), str(web.get("base", "")), web.get("near", [])
    if not engine:
        raise ToolError(
            'no search engine is set up: my owner can put [web] search = "brave" (and BRAVE_API_KEY into .env), or '
            'search = "searxng" and base = "https://…", into dotagent.toml'
        )
    place = urlsplit(base)
    port = place.port or (443 if place.scheme == "https" else 80)
    own = [f"{place.hostname}:{port}"] if base else []  # a person's own engine may have a local address
    asked = {"words": call.args.strip(), "engine": engine, "base": base, "home": str(session.home.root)}
    return fetch.ask(session, {**asked, "near": [*(near if isinstance(near, list) else ()), *own]})
