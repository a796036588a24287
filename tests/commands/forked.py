"""Forks for tests: to make one by the command, to take it up, and the next prompt of an agent."""

from __future__ import annotations

import json
from pathlib import Path

from looking import printed

from dotagent import tools
from dotagent.life import context, persona, prompt
from dotagent.life.replay import View, derive
from dotagent.store import home, requests
from dotagent.store.home import Home
from dotagent.text.reference import short


def fork(where: Home, of: str, *words: str) -> str:
    """The id of a new fork."""
    return str(json.loads(printed(where, "fork", of[:12], "--json", *words))["agent"])


def view(where: Home, self_id: str, until: int | None = None) -> View:
    """The state and the context of an agent, now or at a byte of its LIFE."""
    return derive(where, self_id, home.settings(where).context_limit, until=until)


def prompted(where: Home, self_id: str, until: int | None = None) -> str:
    """The prompt that the agent would send, now or at a byte of its LIFE, with its id left out."""
    settings, seen = home.settings(where), view(where, self_id, until)
    life = tools.make_life(where, self_id, settings, seen.state)
    head = persona.head(where, self_id, seen.state, tools.facts(life), life.settings)
    parts = [*head, *prompt.parts(context.in_prompt_order(seen.entries))]
    return requests.as_text(parts).decode().replace(short(self_id), "SELF")


def life(where: Home, self_id: str) -> Path:
    """The LIFE.md of an agent."""
    return where.agent(self_id) / "LIFE.md"
