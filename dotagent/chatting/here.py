"""Who is in a room and by what they answer, as the ends of their LIFEs tell it: for a person who comes in, or asks.

Owns nothing on disk, and changes nothing.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from pathlib import Path

from dotagent.life import events
from dotagent.life.events import Ask, Boot, Reply, Resume
from dotagent.store import face, home, launch, lives, log
from dotagent.store.home import Home
from dotagent.text.reference import short

FAR = 500  # events back in which an agent's model is looked for


@dataclass(frozen=True)
class Present:
    """An agent: whether it is awake, and the provider and model by which it answers; "" where that is not known."""

    id: str
    awake: bool
    provider: str
    model: str
    name: str = ""

    def __str__(self) -> str:
        state = "awake" if self.awake else "asleep"
        return f"{self.name or short(self.id)} {state}" + (f", {self.by}" if self.by else "")

    @property
    def by(self) -> str:
        """Who answers, in words."""
        if self.provider == launch.LAST:
            return f"{self.provider}: rules alone, no model is set up"
        return ", ".join(filter(None, (self.provider, self.model)))


def of(where: Home, room: str) -> list[Present]:
    """The agents that hear the room, those that are awake first, then the eldest."""
    found = [present(where, one) for one in lives.of(where, room)]
    return sorted(found, key=lambda one: not one.awake)


def there(where: Home, room: str) -> str:
    """Who hears the room, in a line."""
    return "; ".join(map(str, of(where, room))) or "no agent"


def everybody(where: Home) -> list[str]:
    """A line for each agent of the home."""
    rows = []
    for one in home.lives(where):
        rooms = sorted(link.stem for link in (where.agent(one) / "subs").glob("*.md"))
        rows.append(f"{present(where, one)}; in {', '.join(rooms) or 'no room'}; last {lives.last(where, one)[:16]}")
    return rows


def present(where: Home, self_id: str) -> Present:
    """What is known of this agent."""
    awake = lives.runs(where, self_id)
    provider, answered = _last(where.agent(self_id) / "LIFE.md")
    if not provider and awake:  # nobody has asked it anything yet: it has seen to it that its provider is served
        served = [path.stem for path in where.calls.glob("*.pid") if launch.served(where, path.stem)]
        provider = served[0] if len(served) == 1 else ""
    model = answered.get("model", "") if answered.get("provider") == provider else ""
    if model in ("", "-") and (usual := launch.published(where).get(provider, {}).get("model")):
        model = f"{usual} by default"
    return Present(self_id, awake, provider, model, face.known(where, short(self_id)))


def _last(path: Path) -> tuple[str, dict[str, str]]:
    """The provider that the life goes by now, and what its last answer told of itself."""
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
