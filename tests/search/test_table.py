"""The index's file: what it keeps, and what no text, no other process and no damage can break."""

import sqlite3
import stat
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from talk import FILLER, life, numbers, remembered, turn

from dotagent.search.index import Index
from dotagent.search.table import VERSION
from dotagent.search.turn import Passage


def test_catching_up_twice_changes_nothing(tmp_path: Path) -> None:
    turns = [turn(n, f"{FILLER[n % 8]} {n}") for n in range(1, 40)]
    index = Index(tmp_path / "recall.db")
    index.add(turns, mark="900")
    before = index.search("red tractor", 40)
    index.add(turns)
    index.add(turns[20:])
    assert index.search("red tractor", 40) == before
    assert index.mark() == "900"


def test_what_was_fed_is_there_when_opened_again(tmp_path: Path) -> None:
    index = life(tmp_path, turn(5, "The lighthouse."))
    index.add([], "77 ◱")
    index.close()
    again = Index(tmp_path / "recall.db")
    assert again.mark() == "77 ◱" and numbers(again.search("lighthouse"))[0] == 5
    assert stat.S_IMODE((tmp_path / "recall.db").stat().st_mode) == 0o600


def test_two_processes_see_each_others_turns(tmp_path: Path) -> None:
    one, other = Index(tmp_path / "recall.db"), Index(tmp_path / "recall.db")
    one.add([turn(1, "a lighthouse")], mark="1")
    other.add([turn(1, "a lighthouse"), turn(2, "a harbour")], mark="2")
    assert one.mark() == "2" and set(numbers(one.search("harbour lighthouse"))) == {1, 2}


@pytest.mark.slow
def test_a_held_file_takes_neither_turn_nor_mark(tmp_path: Path) -> None:
    index = life(tmp_path, turn(5, "The lighthouse."))
    holder = sqlite3.connect(tmp_path / "recall.db", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    index.add([turn(99, "late")], mark="99")
    assert numbers(index.search("lighthouse"))[0] == 5
    holder.execute("ROLLBACK")
    holder.close()
    assert index.mark() == ""


def foreign(path: Path) -> None:
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE turn (a)")
    db.close()


def other_version(path: Path) -> None:
    life(path.parent, turn(5, "Of another version.")).close()
    db = sqlite3.connect(path)
    db.execute(f"PRAGMA user_version={VERSION - 1}")
    db.close()


def torn(path: Path) -> None:
    life(path.parent, *(turn(n, f"{FILLER[n % 8]} {n}") for n in range(1, 300))).close()
    path.write_bytes(path.read_bytes()[:20_000])


def no_table(path: Path) -> None:
    life(path.parent, turn(5, "Of another version.")).close()
    db = sqlite3.connect(path)
    db.execute("DROP TABLE said")
    db.close()


@pytest.mark.parametrize(
    "spoil",
    [foreign, other_version, torn, no_table, lambda path: path.write_bytes(b"# dev private\n" * 999), Path.touch],
    ids=["foreign", "version", "torn", "table", "text", "empty"],
)
def test_a_spoilt_file_is_made_anew(tmp_path: Path, spoil) -> None:  # type: ignore[no-untyped-def]
    spoil(tmp_path / "recall.db")
    index = Index(tmp_path / "recall.db")
    assert index.search("violin tractor version") == []
    assert index.mark() == ""
    index.add([turn(5, "The lighthouse.")])
    index.close()
    assert numbers(Index(tmp_path / "recall.db").search("lighthouse")) == [5]


def test_a_file_that_rots_is_made_anew_and_never_half_full(tmp_path: Path) -> None:
    index = life(tmp_path, *(turn(n, f"{FILLER[n % 8]} {n}") for n in range(1, 300)))
    index.add([], "300")
    index.close()
    whole = (tmp_path / "recall.db").read_bytes()
    (tmp_path / "recall.db").write_bytes(whole[:8192] + b"\xff" * (len(whole) - 8192))
    index = Index(tmp_path / "recall.db")
    index.add([turn(301, "the last")], mark="301")
    assert (index.search("last"), index.mark()) == ([], "")
    index.add([turn(1, "the first")], mark="1")
    assert (numbers(index.search("first")), index.mark()) == ([1], "1")


@pytest.mark.parametrize("place", ["", "missing/recall.db"])
def test_an_index_that_cannot_be_a_file_lives_in_memory(tmp_path: Path, place: str) -> None:
    index = Index(tmp_path / place)
    index.add([turn(5, "The lighthouse.")], mark="5")
    assert numbers(index.search("lighthouse")) == [5] and index.mark() == "5"
    assert list(tmp_path.iterdir()) == []


SYNTAX = st.sampled_from(
    [
        '"',
        "'",
        "*",
        "(",
        ")",
        " AND ",
        " OR ",
        " NOT ",
        " NEAR(",
        "{text}:",
        "^",
        "-",
        "--",
        ";",
        "@2023 ",
        "\0",
        "%",
        "alpha",
    ]
)
ANY = st.text(st.characters(exclude_categories=()), max_size=60)  # lone surrogates too
HOSTILE = st.one_of(ANY, st.lists(st.one_of(SYNTAX, ANY), max_size=12).map("".join))


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Index:
    return remembered(tmp_path_factory.mktemp("shared"))


@pytest.mark.night
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(query=HOSTILE)
def test_no_text_is_syntax(shared: Index, query: str) -> None:
    found = numbers(shared.search(query + " alpacas"))
    assert 40 in found
    shared.remind(query, exclude=())
    assert 6 in numbers(shared.search("seat tokyo window")), "the index is still there"


@pytest.mark.slow
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(st.tuples(HOSTILE, HOSTILE, HOSTILE, HOSTILE), max_size=5), query=HOSTILE)
def test_any_turn_can_be_kept(texts: list[tuple[str, str, str, str]], query: str) -> None:
    index = Index(Path("/nowhere/recall.db"))
    turns = [Passage(n, str(n), room, who, at, text) for n, (room, who, at, text) in enumerate(texts, 1)]
    index.add([*turns, turn(99, "zeppelin")])
    assert 99 in numbers(index.search(query[:40] + " zeppelin"))
    for hit in index.search(query):
        assert hit.turn.number in (99, *range(1, len(texts) + 1))
    index.close()
