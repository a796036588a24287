"""A life whose commands run in each kind of sandbox that this machine has; else a test is skipped and says why."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from hands import Hands, a_life, cleared

from dotagent import sandbox

OTHER = "0" * 31 + "1"


@contextmanager
def caged(path: Path, kind: str, *words: str, **settings: object) -> Iterator[Hands]:
    """A life with this kind of sandbox. Another agent, secrets and a call are in its home."""
    if why := sandbox.lacking(kind):
        pytest.skip(f"no {kind} here: {why}")
    with a_life(path, *words) as life, cleared(life):
        for name in (f"agents/{OTHER}/LIFE.md", "calls/new/x/call", ".env", "blobs/ab/blob"):
            (life.where.root / name).parent.mkdir(parents=True, exist_ok=True)
            (life.where.root / name).write_text("SECRET=sesame\n")
            (life.where.root / name).chmod(0o600)
        life.session.settings = replace(life.session.settings, sandbox=kind, **settings)  # type: ignore[arg-type]
        yield life


def run(hands: Hands, command: str) -> str:
    """What the command showed, whatever its status."""
    return hands.shows(f"RUN {command}")


def a_root(hands: Hands, tmp_path: Path) -> Path:
    """A directory that settings let the life change."""
    root = tmp_path / "root"
    root.mkdir(exist_ok=True)
    hands.session.settings = replace(hands.session.settings, roots={"private": (str(root),)})
    return root
