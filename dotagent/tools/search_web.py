"""SEARCH_WEB: what the search engine of the settings finds: titles, addresses and a line of each."""

from __future__ import annotations

from urllib.parse import urlsplit

from dotagent.life.session import Session
from dotagent.text.grammar import ToolCall
from dotagent.tools import ToolError, Whose, fetch

FOR = "Search the web"
USAGE = ("SEARCH_WEB words",)
ORDER = 61
EFFECT = "search"
ORIGIN = "web"
SOME = True


def given(life: Whose) -> bool:
    """Whether this life has it: as FETCH."""
    return fetch.given(life)


def permit(session: Session) -> None:
    """Raise ToolError when this life may not use the web."""
    fetch.permit(session)


def act(session: Session, call: ToolCall) -> bytes:
    """What is found, the best first."""
    permit(session)
    if not call.args.strip():
        raise ToolError("search for what? SEARCH_WEB and some words")
    web = fetch.settings(session)
    engine, base, near = web.get("search"), str(web.get("base", "")), web.get("near", [])
    if not engine:
        raise ToolError(
            'no search engine is set up: my person puts [web] search = "brave" (and BRAVE_API_KEY into .env), or '
            'search = "searxng" and base = "https://…", into the settings of my home'
        )
    place = urlsplit(base)
    port = place.port or (443 if place.scheme == "https" else 80)
    own = [f"{place.hostname}:{port}"] if base else []  # a person's own engine may be near
    asked = {"words": call.args.strip(), "engine": engine, "base": base, "home": str(session.home.root)}
    return fetch.ask(session, {**asked, "near": [*(near if isinstance(near, list) else ()), *own]})
