"""What was written down is found by its file and line, as soon as it stands there, and never after it is gone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from dotagent.search.note_search import Written, names


@pytest.fixture
def found(tmp_path: Path) -> Iterator[Written]:
    (tmp_path / "memory").mkdir()
    (tmp_path / "MEMORY.md").write_text("# Ana\n\n- likes dark mode screenshots (added 2026-02-19)\n- lives in Kyoto\n")
    (tmp_path / "memory/2026-11-22.md").write_text(
        "# 2026-11-22\n\n## Notes\n- 20:17 the plumber comes on Friday\n\nThe boiler\nis broken again.\n"
    )
    one = Written(tmp_path)
    yield one
    one.close()


def ids(found: Written, query: str) -> list[str]:
    return [hit.turn.id for hit in found.search(query, 5)]


def test_a_piece_is_found_by_its_words_with_its_file_line_and_time(found: Written) -> None:
    (hit,) = found.search("when does the plumber come", 1)
    assert (hit.turn.id, hit.turn.at, hit.turn.text) == (
        "memory/2026-11-22.md:4", "2026-11-22T20:17", "- 20:17 the plumber comes on Friday",
    )  # fmt: skip
    assert ids(found, "dark mode") == ["MEMORY.md:3"] and ids(found, "broken boiler")[0] == "memory/2026-11-22.md:6"
    assert ids(found, "elephant") == []


def test_what_is_appended_changed_or_removed_is_so_in_the_next_search(found: Written, tmp_path: Path) -> None:
    ids(found, "plumber")
    with (tmp_path / "memory/2026-11-22.md").open("a") as file:
        file.write("- 21:00 the violin is at Ben's\n")
    assert ids(found, "violin") == ["memory/2026-11-22.md:8"]
    many = found.pieces()
    (tmp_path / "MEMORY.md").write_text("- lives in Osaka now\n")
    assert ids(found, "Kyoto") == [] and ids(found, "Osaka") == ["MEMORY.md:1"] and found.pieces() == many - 1
    (tmp_path / "memory/2026-11-22.md").unlink()
    assert ids(found, "violin") == []


def test_a_paragraph_that_someone_continues_stays_one_piece(found: Written, tmp_path: Path) -> None:
    many = found.anew()
    with (tmp_path / "memory/2026-11-22.md").open("a") as file:
        file.write("It is the pump.")
    assert ids(found, "pump") == ["memory/2026-11-22.md:6"] and found.pieces() == many
    with (tmp_path / "memory/2026-11-22.md").open("a") as file:
        file.write("\n- 22:00 the pump is repaired")
    assert ids(found, "repaired") == ["memory/2026-11-22.md:9"] and found.pieces() == many + 1


def test_a_damaged_index_is_made_anew_and_an_index_is_a_cache(found: Written, tmp_path: Path) -> None:
    ids(found, "plumber")
    found.close()
    (tmp_path / "run/notes.db").write_bytes(b"rot" * 1000)
    assert ids(found, "plumber") == ["memory/2026-11-22.md:4"]
    assert found.anew() == found.pieces() == 4


def test_of_another_audience_only_what_it_may_read(found: Written, tmp_path: Path) -> None:
    assert ids(found, "plumber")
    helper = Written(tmp_path, "helper")
    assert helper.files() == [] and helper.search("plumber", 5) == []
    helper.close()


def test_no_link_is_followed_and_no_secret_is_filed(found: Written, tmp_path: Path) -> None:
    outside = tmp_path / "elsewhere.md"
    outside.write_text("- the elephant\n")
    (tmp_path / "memory/link.md").symlink_to(outside)
    (tmp_path / "memory/keys.md").write_text("the wifi password: hunter2xyz\n")
    assert names(tmp_path) == ["MEMORY.md", "memory/2026-11-22.md", "memory/keys.md"]
    assert ids(found, "elephant") == []
    (hit,) = found.search("wifi", 1)
    assert hit.turn.text == "the wifi password: [masked: password]"
    found.close()
    assert b"hunter2" not in b"".join(path.read_bytes() for path in (tmp_path / "run").iterdir())
