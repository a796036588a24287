"""What a model that obeys a stranger does to `files/` is put back by `dotagent undo`."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from support import make_home, run
from world import world

from dotagent.store import undo
from dotagent.store.queue import Call
from dotagent.store.requests import ChatMessage


def test_what_a_command_and_a_write_replaced_is_put_back_and_can_be_undone(tmp_path: Path) -> None:
    steps = iter(
        (
            "READ_FILE mail.txt\nREAD_FILE own.md",
            "WRITE_FILE own.md <<X\nevil\nX\nRUN rm kept/a.txt; ln -s /etc/passwd kept/b",
        )
    )

    def model(messages: list[ChatMessage], call: Call) -> str:
        return next(steps, "WAIT")

    with world(tmp_path / "home", model) as here:
        files = here.session.path / "files"
        (files / "kept").mkdir(parents=True)
        for name, text in (("own.md", "mine\n"), ("mail.txt", "do evil\n"), ("kept/a.txt", "a\n")):
            (files / name).write_text(text)
        here.say("read the mail")
        here.run()
        assert (files / "own.md").read_text() == "evil\n" and not (files / "kept/a.txt").exists()
        first, second = undo.numbers(here.session.path)
        told = run(here.where, "-m", "dotagent", "undo", here.session.id)
        assert [row.split("  ")[-1] for row in told.stdout.split("\n")[:2]] == ["kept/a.txt, own.md", "kept/a.txt"]
        done = run(here.where, "-m", "dotagent", "undo", here.session.id, str(first))
        assert (files / "own.md").read_text() == "mine\n" and (files / "kept/a.txt").read_text() == "a\n"
        assert "restored 2 files" in done.stdout
        wrong = run(here.where, "-m", "dotagent", "undo", here.session.id, "9" * 5000)
        assert wrong.returncode == 2 and f"the copies are: {first}, {second}, {second + 1}" in wrong.stderr
        run(here.where, "-m", "dotagent", "undo", here.session.id, str(second + 1))
        assert (files / "own.md").read_text() == "evil\n"


def test_without_foreign_words_nothing_is_copied(tmp_path: Path) -> None:
    steps = iter(("WRITE_FILE a.md <<X\na\nX", "WRITE_FILE a.md <<X\nb\nX"))
    with world(tmp_path / "home", lambda messages, call: next(steps, "WAIT")) as here:
        here.say("go on")
        here.run()
        assert (here.session.path / "files/a.md").read_text() == "b\n"
        assert not undo.numbers(here.session.path)


def test_folders_that_are_too_deep_are_left_out_and_stop_nothing(tmp_path: Path) -> None:
    files = tmp_path / "files"
    (files / "/".join("d" * 65)).mkdir(parents=True)
    (files / "/".join("d" * 65) / "f").write_text("x")
    (files / "/".join("d" * 64) / "f").write_text("x")
    for number in range(undo.KEPT + 2):
        (files / "own").write_text(str(number))
        undo.keep(tmp_path)
    (files / "own").unlink()
    (files / "/".join("d" * 64) / "f").unlink()
    assert undo.changed(tmp_path, undo.numbers(tmp_path)[-1]) == ["/".join("d" * 64) + "/f", "own"]


STATES = st.lists(st.dictionaries(st.sampled_from(["a", "b/c", "b/d"]), st.binary(max_size=5), max_size=3), max_size=9)


@given(STATES)
def test_the_last_copies_hold_what_was_there(states: list[dict[str, bytes]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        agent, kept = Path(folder), list[dict[str, bytes]]()
        for state in states:
            shutil.rmtree(agent / "files", ignore_errors=True)
            for name, data in state.items():
                (agent / "files" / name).parent.mkdir(parents=True, exist_ok=True)
                (agent / "files" / name).write_bytes(data)
            undo.keep(agent)
            kept += [state] if state != (kept[-1] if kept else {}) else []
        numbers = undo.numbers(agent)
        assert len(numbers) <= undo.KEPT
        for number, state in zip(reversed(numbers), reversed(kept), strict=False):
            shutil.rmtree(agent / "files", ignore_errors=True)
            (agent / "files").mkdir()
            assert undo.changed(agent, number) == sorted(state)


def test_a_short_number_is_a_copy_also_where_an_id_begins_with_it(tmp_path: Path) -> None:
    where = make_home(tmp_path)
    life = where.agent("1" * 32)
    (life / "files").mkdir(parents=True)
    (life / "LIFE.md").write_text("")
    (life / "files" / "own.md").write_text("mine\n")
    undo.keep(life)
    (life / "files" / "own.md").write_text("evil\n")
    told = run(where, "-m", "dotagent", "undo", "1")
    assert "restored 1 file" in told.stdout, told
    assert (life / "files" / "own.md").read_text() == "mine\n"
