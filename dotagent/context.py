"""What adapters of coding tools use: `build()` gives all that a project remembers, for one actor.

It is public: its name, its arguments and the fields of what it gives stay.
"""

from __future__ import annotations

from dotagent.project import build as builder
from dotagent.project import place
from dotagent.project.build import Built


def build(project: str | None = None, actor: str = "") -> Built:
    """The four memories of the project in this directory (or the nearest above the current one), for this actor (or
    who works here). Raises Misuse where there is none, Trouble, OSError."""
    found = place.find(project)
    return builder.build(found, place.actor(found.root, actor))
