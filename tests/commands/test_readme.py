"""README's generated parts: written where they stand, and checked."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import ROOT

from dotagent.commands import readme

STALE = {
    "README.md": ("| [chat.py](chat.py) |", "| [talk.py](talk.py) |"),
    "docs/commands.md": ("  agents      List", "  agents"),
    "docs/man/dotagent-chat.1": ("Talk in a room", "Sing in a room"),
}


@pytest.mark.parametrize("page", STALE)
def test_stale_parts_are_told_and_written_anew(tmp_path: Path, page: str, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("agent.py", "chat.py", "clean.py", "dotagent"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "docs" / "man").mkdir(parents=True)
    manual = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs" / "man").iterdir())
    texts = {name: (ROOT / name).read_text("utf-8") for name in (*readme.PAGES, *manual)}
    stale = {**texts, page: texts[page].replace(*STALE[page])}
    for name, text in stale.items():
        (tmp_path / name).write_text(text)
    assert readme.refresh(tmp_path, check=True) == 1
    assert capsys.readouterr().err == f"{page} is stale: run `python -m dotagent readme`\n"
    assert {name: (tmp_path / name).read_text("utf-8") for name in texts} == stale
    assert readme.refresh(tmp_path, check=False) == 0
    assert {name: (tmp_path / name).read_text("utf-8") for name in texts} == texts
    assert readme.refresh(tmp_path, check=True) == 0


def test_the_map_is_a_line_a_folder() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    for path in (ROOT / "dotagent").glob("*/__init__.py"):
        assert f"\n| [dotagent/{path.parent.name}](dotagent/{path.parent.name}) | " in text
