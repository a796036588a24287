"""`activity`: counts by day, actor and kind."""

from __future__ import annotations

from pathlib import Path

import pytest
from happened import asked, project

from dotagent.errors import Misuse


def test_counts_by_day_actor_and_kind_the_newest_day_first(tmp_path: Path) -> None:
    here = project(tmp_path)
    found = [tuple(one.values()) for one in asked(here, "activity")]
    assert found == [("2026-11-21", "alice", "edit", 1), ("2026-11-21", "bob", "edit", 1),
                     ("2026-11-20", "alice", "commit", 1)]  # fmt: skip
    assert len(asked(here, "activity", "--since", "2026-11-21")) == 2
    with pytest.raises(Misuse, match="is not a date"):
        asked(here, "activity", "--since", "yesterday")
