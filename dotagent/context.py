"""The interface for adapters of coding tools: `build()` returns everything that a project remembers for one actor.

It is public, so its name, its arguments and the fields of its result do not change.
"""

from __future__ import annotations

from dotagent.project import build as builder
from dotagent.project import place
from dotagent.project.build import Built


def build(project: str | None = None, actor: str = "") -> Built:
    """Return the four memories of a project for an actor. The default project is the nearest upward from the current
    directory, and the default actor is the one here. Raise Misuse without a project, Trouble, OSError."""
    found = place.find(project)
    return builder.build(found, place.actor(found.root, actor))
