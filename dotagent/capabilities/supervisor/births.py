"""Agents that settings list: find those not created yet, and link each to its rooms.

A new agent prints its id first, and the id is read from its log. So, if this process crashes during a creation, the
next one finds the agent, and none is created twice. Owns the links from agents to the rooms that settings give them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from dotagent.store import home, lives, named_agents, rooms
from dotagent.store.home import Home, Settings


def unborn(where: Home, agents: named_agents.Tables) -> list[str]:
    """Return the listed names whose agents do not exist yet."""
    return [name for name in agents if named_agents.is_name(name) and not named_agents.life(where.root, name)]


def subscribe(where: Home, settings: Settings, self_id: str) -> None:
    """Link the agent to each room of its audience whose best matching entry in settings is this agent."""
    table = settings.agents.get(self_id, {})
    if not named_agents.rooms(table):
        return
    owner, audience = home.owner(settings), str(table.get("audience", "private"))
    audience = f"private {owner}" if audience == "private" else audience
    subs = where.agent(self_id) / "subs"
    there: Mapping[str, Mapping[str, object]] = settings.agents
    for path in where.rooms():
        link = subs / path.name
        if os.path.lexists(link) or named_agents.find_table(path.stem, there) != self_id:
            continue
        if rooms.audience(path, owner) == audience:
            if not lives.find_agents(where, path.stem):
                rooms.want(path, 0)  # no other agent subscribes to it, so its first message waits for an answer
            lives.join(where, self_id, path)
