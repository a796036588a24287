"""A team's repository, by real git: people with clones of their own, who observe, commit, push and pull."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from support import ROOT, ran

PYTHON = f"{sys.executable} -m dotagent"


@dataclass(frozen=True)
class Person:
    """Somebody with a clone."""

    name: str
    root: Path

    def git(self, *words: str, fails: bool = False) -> str:
        done = subprocess.run(
            ["git", "-C", str(self.root), *words], capture_output=True, text=True, env=self.env, check=False
        )
        assert fails or done.returncode == 0, done.stderr
        return done.stdout.strip()

    def do(self, *words: str, stdin: str = "", status: int = 0) -> str:
        done = ran(("-m", "dotagent", *words), self.env, self.root, stdin)
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout if status == 0 else done.stderr

    def commit(self, file: str, text: str, message: str) -> None:
        (self.root / file).write_text(text)
        self.git("add", "-A")
        self.git("commit", "-qm", message)

    @property
    def env(self) -> dict[str, str]:
        kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
        return {**kept, "HOME": str(self.root.parent), "PYTHONPATH": str(ROOT), "GIT_CONFIG_NOSYSTEM": "1"}


def clone(origin: Path, name: str) -> Person:
    """The clone of a person of this name."""
    one = Person(name, origin.parent / name / "app")
    one.root.parent.mkdir()
    subprocess.run(["git", "clone", "-q", str(origin), str(one.root)], check=True, env=one.env, capture_output=True)
    one.git("config", "user.email", f"{name}@example.com")
    one.git("config", "user.name", name.title())
    one.git("checkout", "-q", "-B", "main")
    return one


def team(path: Path) -> tuple[Person, Person]:
    """Alice, who began the repository with .agent/ in it, and Bob."""
    origin = path / "origin.git"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(origin)], check=True)
    alice = clone(origin, "alice")
    alice.do("observe", "install")
    alice.commit("README.md", "app\n", "begin")
    alice.git("push", "-q", "origin", "main")
    bob = clone(origin, "bob")
    bob.git("pull", "-q", "--ff-only", "origin", "main", fails=True)
    bob.do("observe", "install")
    return alice, bob
