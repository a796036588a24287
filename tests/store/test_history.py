"""The lines typed before, on disk."""

from __future__ import annotations

import stat
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from dotagent.store import history
from dotagent.store.home import Home


@given(st.lists(st.text(st.characters(codec="utf-8"), min_size=1, max_size=20), max_size=5))
def test_history_comes_back_as_it_was_typed(tmp_path: Path, entries: list[str]) -> None:
    path = tmp_path / "history"
    path.unlink(missing_ok=True)
    for entry in entries:
        history.add(path, entry)
    assert history.read(path) == entries


def test_history_is_private_and_holds_a_thousand_lines(tmp_path: Path) -> None:
    path = history.place(Home(tmp_path), "ana")
    path.parent.mkdir()
    path.write_text("".join(f"{number}\n" for number in range(5000)))
    path.chmod(0o644)
    assert len(history.read(path)) == 1000
    history.add(path, "newest")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_text().count("\n") <= 1000 and history.read(path)[-2:] == ["4999", "newest"]


def test_a_history_is_a_homes_and_a_names(tmp_path: Path) -> None:
    mine, theirs, elsewhere = (
        history.place(Home(tmp_path / home), name) for home, name in (("a", "ana"), ("a", "bob"), ("b", "ana"))
    )
    history.add(mine, "my secret")
    assert history.read(mine) == ["my secret"] and not history.read(theirs) and not history.read(elsewhere)
    assert stat.S_IMODE(mine.parent.stat().st_mode) == 0o700
    assert history.place(Home(tmp_path), "..").parent == tmp_path / "history"
