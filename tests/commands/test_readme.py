"""README's generated parts: written where they stand, and checked."""

from __future__ import annotations

from pathlib import Path

from support import ROOT

from dotagent.commands import readme


def test_stale_parts_are_told_and_written_anew(tmp_path: Path) -> None:
    for name in ("agent.py", "chat.py", "clean.py", "dotagent"):
        (tmp_path / name).symlink_to(ROOT / name)
    text = (ROOT / "README.md").read_text("utf-8")
    stale = text.replace("| [chat.py](chat.py) |", "| [talk.py](talk.py) |").replace("  agents      List", "  agents")
    (tmp_path / "README.md").write_text(stale)
    assert readme.refresh(tmp_path, check=True) == 1
    assert (tmp_path / "README.md").read_text("utf-8") == stale
    assert readme.refresh(tmp_path, check=False) == 0
    assert (tmp_path / "README.md").read_text("utf-8") == text
    assert readme.refresh(tmp_path, check=True) == 0


def test_the_map_is_a_line_a_folder() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    for path in (ROOT / "dotagent").glob("*/__init__.py"):
        assert f"\n| [dotagent/{path.parent.name}](dotagent/{path.parent.name}) | " in text
