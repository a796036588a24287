"""The agents of a room with their providers and models, from the ends of their LIFEs, for a person.

Owns nothing on disk, and changes nothing.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from pathlib import Path

from dotagent.life import events
from dotagent.life.events import Ask, Boot, Reply, Resume
from dotagent.store import agent_search, display, home, launch, lives, log, named_agents
from dotagent.store.home import Home, Settings
from dotagent.text import times
from dotagent.text.reference import short

FAR = 500  # the most events searched for an agent's model
USUAL = " by default"  # follows a model that no setting chose


@dataclass(frozen=True)
class Present:
    """An agent: whether it runs, and its provider and model, "" if unknown."""

    id: str
    awake: bool
    provider: str
    model: str
    name: str = ""

    def __str__(self) -> str:
        state = "running" if self.awake else "stopped"
        return f"{self.name or short(self.id)} {state}" + (f", {self.by}" if self.by else "")

    @property
    def by(self) -> str:
        """Return the provider and model in words."""
        if self.provider == launch.LAST:
            return f"{self.provider}: built-in rules answer, no model is set up"
        return ", ".join(filter(None, (self.provider, self.model)))


def find_present(where: Home, room: str) -> list[Present]:
    """Return the agents in the room: running ones first, then by age."""
    found = [present(where, one) for one in lives.find_agents(where, room)]
    return sorted(found, key=lambda one: not one.awake)


def describe_agents(where: Home, room: str) -> str:
    """Return a line with the agents in the room."""
    return "; ".join(map(str, find_present(where, room))) or "no agent"


def find_model_ends(where: Home, room: str) -> list[str]:
    """Return a line for each model of the room's agents that its provider switches off soon."""
    if not any(one.get("ends") for one in launch.published(where).values()):
        return []
    from dotagent.store import model_end  # few providers say it

    found = ((one.provider, one.model.removesuffix(USUAL)) for one in find_present(where, room))
    told = [model_end.of_provider(where, *one) for one in dict.fromkeys(found)]
    return [f"({one})" for one in told if one]


def everybody(where: Home) -> list[str]:
    """Return a line for each agent of the home."""
    rows = []
    for one in home.lives(where):
        rooms = lives.subscribed(where.agent(one))
        last = times.format_stamp(lives.last(where, one))
        rows.append(f"{present(where, one)}; in {', '.join(rooms) or 'no room'}; last event {last}")
    return rows


def present(where: Home, self_id: str) -> Present:
    """Return the facts about this agent."""
    awake = lives.runs(where, self_id)
    provider, answered = _last(where.agent(self_id) / "LIFE.md")
    if not provider and awake:  # it has not been asked anything yet, but its provider is running
        served = [path.stem for path in where.calls.glob("*.pid") if launch.served(where, path.stem)]
        provider = served[0] if len(served) == 1 else ""
    model = answered.get("model", "") if answered.get("provider") == provider else ""
    if model in ("", "-"):
        settings = home.settings_now(where, Settings())
        chosen = {"provider": settings.provider, "model": settings.model}
        own = {**chosen, **settings.of_agent(self_id)}
        usual = launch.published(where).get(provider, {}).get("model")
        model = f"{usual}{USUAL}" if usual else model
        if own["model"] and own["provider"] in (None, provider):
            model = str(own["model"])
    return Present(self_id, awake, provider, model, display.find_label(where, short(self_id)))


def _last(path: Path) -> tuple[str, dict[str, str]]:
    """Return the agent's present provider, and the facts in its last answer."""
    provider = ""
    for line in itertools.islice(log.backwards(path), FAR):
        match events.parse(line):
            case Ask(provider=name) | Resume(provider=name):
                provider = provider or name
            case Reply(told=told):
                return provider or told.get("provider", ""), dict(told)
            case Boot():
                break
    return provider, {}


def default_room(where: Home, settings: Settings) -> str:
    """Return the default room of a person: that of the agent that settings name, otherwise `dev` if an agent is in it
    or none exists, otherwise a room of the agent that was active last."""
    key = named_agents.main(where.root, settings.agents)
    if named_agents.is_name(key):
        return named_agents.first_room(key, settings.agents[key])
    known = [key] if key else [one for one in home.lives(where) if not lives.is_made(where, one)]
    if not known or (not key and lives.find_agents(where, "dev")):
        return "dev"
    mine = lives.subscribed(where.agent(agent_search.newest(where, known)))
    exact = [room for room in named_agents.rooms(settings.agents.get(key, {})) if room in mine]
    return next(iter([*exact, *mine]), "dev")
