"""The bootstrap files on disk: seeded whole, never overwritten, and the templates are what they say."""

from __future__ import annotations

from pathlib import Path

import pytest

from dotagent.store import bootstrap


def test_what_is_there_is_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "USER.md").write_text("mine")
    (tmp_path / "TOOLS.md").symlink_to("nowhere")
    made = set(bootstrap.seed(tmp_path, "private ana", "I am.", born=True))
    assert made == set(bootstrap.ALL) - {"USER.md", "TOOLS.md"}
    assert (tmp_path / "USER.md").read_text() == "mine" and (tmp_path / "TOOLS.md").is_symlink()
    assert (tmp_path / "SOUL.md").read_text() == "I am."
    assert not list(bootstrap.seed(tmp_path, "private ana", "I am another."))
    (tmp_path / "BOOTSTRAP.md").unlink()
    assert bootstrap.lacks(tmp_path, "private ana") == [] and not list(bootstrap.seed(tmp_path, "private ana", "x"))


@pytest.mark.parametrize(
    ("audience", "kept"),
    [("group", {"USER.md", "BOOTSTRAP.md"}), ("helper", {*bootstrap.ALL} - {"SOUL.md", "AGENTS.md", "TOOLS.md"})],
)
def test_an_audience_gets_only_what_it_may_see(tmp_path: Path, audience: str, kept: set[str]) -> None:
    list(bootstrap.seed(tmp_path, audience, "I am.", born=True))
    assert {path.name for path in tmp_path.iterdir()} == set(bootstrap.ALL) - kept


def test_the_templates() -> None:
    for name in bootstrap.ALL[1:]:
        data = bootstrap.template(name)
        assert data.startswith(f"# {name[:-3]}\n".encode()) and data.endswith(b"\n")
        assert bootstrap.is_untouched(name, data.rstrip()) and not bootstrap.is_untouched(name, data + b"x")
    for name in bootstrap.CLOCK:  # they hold no task, so they cost no call
        assert all(line.startswith("#") for line in bootstrap.template(name).decode().rstrip().split("\n"))
    for field in ("Name", "Creature", "Vibe", "Emoji", "Avatar"):
        assert f"- **{field}:**\n".encode() in bootstrap.template("IDENTITY.md")
