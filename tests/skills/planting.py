"""Skills as tests make them: folders in a home, or in an agent's directory, trusted or not."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from dotagent.skills import folder, record
from dotagent.skills.record import Trusted
from dotagent.store.home import Home


def main(name: str, description: str = "Fill in forms.", body: str = "Do it well.") -> str:
    """A SKILL.md."""
    return f"---\nname: {name}\ndescription: {description}\n---\n{body}\n"


def plant(parent: Path, name: str, description: str = "Fill in forms.", *, body: str = "Do it well.",
          files: Mapping[str, str] | None = None) -> Path:  # fmt: skip
    """A skill's folder."""
    path = parent / name
    for file, text in {"SKILL.md": main(name, description, body), **(files or {})}.items():
        (path / file).parent.mkdir(parents=True, exist_ok=True)
        (path / file).write_text(text)
    return path


def trust(where: Home, name: str, description: str = "Fill in forms.", *, kinds: tuple[str, ...] = ("private",),
          agent: str = "", at: str = "") -> None:  # fmt: skip
    """Trust what stands there now."""
    there = folder.read_folder(where.agent(agent) / "skills" if agent else where.skills, name)
    one = Trusted(name, there.id, description, kinds, agent, at, there.marks)
    record.change(where, record.trusting(one, agent, name))
