"""Daily notes: a line is appended under its section once, whoever else writes, and what a person wrote stays."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from support import PATIENCE, ROOT

from dotagent.store import notes

DAY = "2026-11-22"
WRITERS = """
import os, sys
from pathlib import Path
from dotagent.store import notes
for number in range(200):
    if os.fork() == 0:
        notes.append(Path(sys.argv[1]), "2026-11-22", "Notes", f"- 10:00 line {number} " + "x" * 300)
        os._exit(0)
for _ in range(200):
    assert os.wait()[1] == 0
"""


def lines(directory: Path) -> list[str]:
    return notes.path(directory, DAY).read_text().split("\n")


def test_a_line_stands_once_under_the_heading_of_its_section(tmp_path: Path) -> None:
    for section, line in [("Notes", "- 10:00 tea"), ("Notes", "- 10:00 tea"), ("Notes", "- 10:01 ice"),
                          ("Heartbeats", "- 10:02 heartbeat: ok"), ("Notes", "- 10:03 milk")]:  # fmt: skip
        notes.append(tmp_path, DAY, section, line)
    assert lines(tmp_path) == [
        "# 2026-11-22", "", "## Notes", "- 10:00 tea", "- 10:01 ice", "", "## Heartbeats", "- 10:02 heartbeat: ok", "",
        "## Notes", "- 10:03 milk", "",
    ]  # fmt: skip


def test_what_a_person_wrote_stays_and_a_torn_line_is_ended(tmp_path: Path) -> None:
    notes.path(tmp_path, DAY).parent.mkdir()
    notes.path(tmp_path, DAY).write_text("mine, without an end")
    done = notes.append(tmp_path, DAY, "Notes", "- 10:00 tea")
    assert lines(tmp_path) == ["mine, without an end", "", "## Notes", "- 10:00 tea", ""]
    assert done.new and done.after == notes.path(tmp_path, DAY).stat().st_size


@pytest.mark.night
def test_of_two_hundred_writers_at_once_no_line_is_lost_or_torn(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", WRITERS, str(tmp_path)], check=True, cwd=ROOT, timeout=PATIENCE)
    written = lines(tmp_path)
    assert written[:3] == ["# 2026-11-22", "", "## Notes"]
    assert sorted(written[3:-1]) == sorted(f"- 10:00 line {number} {'x' * 300}" for number in range(200))


@pytest.mark.parametrize("form", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "cp1252"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_line_is_appended_in_the_form_of_the_note(tmp_path: Path, form: str, end: str) -> None:
    path = notes.path(tmp_path, DAY)
    path.parent.mkdir()
    path.write_bytes(f"## Notes{end}- 09:00 the café of Zoë{end}mine, without an end".encode(form))
    for _ in range(2):
        notes.append(tmp_path, DAY, "Notes", "- 10:00 “tea” ✓")
        notes.keep(tmp_path, DAY, ["- 10:01 crème"])
    mark = "&#10003;" if form == "cp1252" else "✓"  # what the note's encoding has no sign for
    assert path.read_bytes().decode(form).split(end) == [
        "## Notes", "- 09:00 the café of Zoë", "mine, without an end", f"- 10:00 “tea” {mark}", "- 10:01 crème", "",
    ]  # fmt: skip
