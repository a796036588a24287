"""import: an agent of Moltbot or DotAgent goes on here; nothing of where it was is changed, and nothing here lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support import run

from dotagent.life import replay
from dotagent.store import home
from dotagent.store.home import Home

FILES = {
    "SOUL.md": "# You are Aria\n", "AGENTS.md": "Write things down.\n", "IDENTITY.md": "- **Name:** Aria\n",
    "MEMORY.md": "# Notes\n" + "".join(f"## Part {number}\n{'word ' * 100}\n" for number in range(12)),
    "memory/2026-01-31.md": "We flew to Tokyo.\n", "bank/world.md": "W: the sky is blue\n", ".env": "KEY=hush\n",
}  # fmt: skip


@pytest.fixture
def there(tmp_path: Path) -> Path:
    root = tmp_path / "clawd"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def state(root: Path) -> dict[str, tuple[int, int]]:
    return {str(path): (path.lstat().st_mtime_ns, path.lstat().st_ino) for path in root.rglob("*")}


@pytest.mark.slow
def test_a_new_agent_has_what_was_there(where: Home, there: Path) -> None:
    before = state(there)
    done = run(where, "-m", "dotagent", "import", str(there))
    assert done.returncode == 0, done.stderr
    assert state(there) == before and "hush" not in done.stdout
    (self_id,) = home.lives(where)
    folder = where.agent(self_id)
    assert replay.soul(where.store(), self_id)[1] == FILES["SOUL.md"]
    for name in ("AGENTS.md", "IDENTITY.md", "memory/2026-01-31.md", "bank/world.md"):
        assert (folder / name).read_text() == FILES[name]
    notes, rest = (folder / "MEMORY.md").read_text(), (folder / "memory/MEMORY-rest.md").read_text()
    assert len(notes) <= 4000 and "Part 0" in notes and "Part 11" in rest and "memory/MEMORY-rest.md" in notes
    assert not (folder / ".env").exists() and ".env left: secrets" in done.stdout
    assert f"6 files taken, 1 left; agent {self_id[:12]}" in done.stdout
    again = run(where, "-m", "dotagent", "import", str(there), "--agent", self_id[:8], "--json")
    told = {row["path"]: row["what"] for row in map(json.loads, again.stdout.split("\n")[:-1])}
    assert home.lives(where) == [self_id] and told["AGENTS.md"] == "is AGENTS.md"
    (folder / "AGENTS.md").write_text("mine\n")
    again = run(where, "-m", "dotagent", "import", str(there), "--agent", self_id[:8])
    assert "AGENTS.md left: the agent has its own" in again.stdout and (folder / "AGENTS.md").read_text() == "mine\n"


def test_what_is_no_workspace_is_said_in_one_line(where: Home, there: Path, tmp_path: Path) -> None:
    (tmp_path / "state" / "workspace").mkdir(parents=True)
    for words, why in (
        ("nowhere", "is no directory"),
        (str(tmp_path / "state"), "do you mean"),
        (str(where.blobs), "none of"),
    ):
        done = run(where, "-m", "dotagent", "import", words)
        assert done.returncode == 2 and done.stderr.count("\n") == 1 and why in done.stderr
    assert home.lives(where) == []
