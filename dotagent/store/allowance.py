"""The settings of single agents, which are in `[agents.9f8e7d6c]`, named by the agent's id, the beginning of its id, or
its name (store/named_agents.py). Their rules are in agent_tables.py. Owns nothing on disk.
"""

from __future__ import annotations

from collections.abc import Mapping

Own = Mapping[str, Mapping[str, object]]
"""The settings of single agents, keyed by id or the beginning of an id."""


def fallback(shared: tuple[str, ...], agents: Own, life: str) -> tuple[str, ...]:
    """Return the providers that answer for an agent while its own is unavailable, in order: its own list, or the
    home's."""
    own = own_settings(agents, life).get("fallback")
    return tuple(map(str, own)) if isinstance(own, list) else shared


def own_settings(agents: Own, life: str) -> Mapping[str, object]:
    """Return an agent's own settings. If several tables name the agent, the table with the longest name wins."""
    mine = sorted((id for id in agents if life.startswith(id)), key=len)
    return {name: value for id in mine for name, value in agents[id].items()}
