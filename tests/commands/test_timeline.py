"""`timeline`: the last events, in order."""

from __future__ import annotations

from pathlib import Path

import pytest
from happened import asked, printed, project

from dotagent.errors import Misuse
from dotagent.project import place


def test_the_last_events_in_order(tmp_path: Path) -> None:
    here = project(tmp_path)
    assert [one["summary"] for one in asked(here, "timeline")] == ["first", "second", "third"]
    assert [one["summary"] for one in asked(here, "timeline", "-n", "2")] == ["second", "third"]
    assert printed(here, "timeline", "--kind", "commit").split()[-1] == "first"


def test_a_directory_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(Misuse, match=f"^--project {tmp_path}/none: there is no such directory$"):
        place.find(str(tmp_path / "none"))
