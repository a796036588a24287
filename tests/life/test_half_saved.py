"""A document, a note or settings that an editor is saving at this moment: nothing torn comes into a prompt."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from lives import lines
from world import World, world

from dotagent.store import credentials, half_saved, home, notes
from dotagent.store.home import Home
from dotagent.text import times

WHOLE = b"".join(b"- fact %d of many\n" % number for number in range(300))


class Editor:
    """Saves a file step by step: the next step comes each time that the file is opened, or looked for, to be read."""

    def __init__(self) -> None:
        self.path, self.steps = "", list[Callable[[], object]]()
        sys.addaudithook(self._seen)

    def _seen(self, event: str, given: tuple[object, ...]) -> None:
        if self.path and event == "open" and os.fsdecode(str(given[0])).endswith(self.path) and self.steps:
            path, self.path = self.path, ""  # its own opening is no look
            self.steps.pop(0)()
            self.path = path


@pytest.fixture(scope="module")
def hook() -> Editor:
    return Editor()


@pytest.fixture
def editor(hook: Editor) -> Iterator[Editor]:
    yield hook
    hook.path, hook.steps = "", []


def in_place(path: Path) -> list[Callable[[], object]]:
    return [
        lambda: path.write_bytes(b""),
        lambda: path.write_bytes(WHOLE[:4096]),
        lambda: path.write_bytes(WHOLE[: WHOLE.index(b"- fact 290")]),
        lambda: path.write_bytes(WHOLE),
    ]


def by_rename(path: Path) -> list[Callable[[], object]]:
    backup = path.with_name(f"{path.name}~")
    return [
        lambda: path.rename(backup),
        lambda: path.write_bytes(b""),
        lambda: path.write_bytes(WHOLE[:4096]),
        lambda: path.write_bytes(WHOLE),
    ]


def versions(here: World, name: str) -> list[bytes]:
    """The versions of the document that the agent recorded."""
    found = (line for line in lines(here, "PAPER") if line.detail.startswith(name))
    return [here.session.store.get(line.id).body for line in found]


@pytest.mark.parametrize("save", [in_place, by_rename])
@pytest.mark.parametrize("name", ["MEMORY.md", "SOUL.md", "USER.md"])
def test_a_document_that_is_being_saved_is_recorded_whole_only(
    tmp_path: Path, editor: Editor, name: str, save: Callable[[Path], list[Callable[[], object]]]
) -> None:
    with world(tmp_path, lambda messages, call: "well") as here:
        path = here.session.path / name
        path.write_bytes(b"".join(b"- older %d of many\n" % number for number in range(295)))
        here.say("hello")
        here.run()
        before = versions(here, name)
        editor.path, editor.steps = name, save(path)
        editor.steps.pop(0)()
        here.say("and now?")
        here.run()
        assert not editor.steps
        assert versions(here, name) == [*before, WHOLE]


@pytest.mark.parametrize("half", ['owner = "ana"\ncontext_limit = 50', 'owner = "an', "roots = [\n", ""])
def test_settings_that_are_being_saved_are_used_whole(tmp_path: Path, editor: Editor, half: str) -> None:
    path = tmp_path / "dotagent.toml"
    path.write_text(half)
    editor.path = path.name
    editor.steps = [lambda: None, lambda: path.write_text('owner = "ana"\ncontext_limit = 5000\n')]
    assert home.settings(Home(tmp_path)).context_limit == 5000


SAVED = 'owner = "ana"\npolicy = "ask"\n[budget]\ndollars_a_day = 3\n'


@pytest.mark.parametrize("lines", [1, 2, 3])
@pytest.mark.parametrize("new", ["dollars_a_day = 4\n", "dollars_a_day = 3\ndollars_a_month = 40\n"])
def test_settings_that_are_half_saved_at_a_line_end_are_used_whole(
    tmp_path: Path, editor: Editor, lines: int, new: str
) -> None:
    """Every half of them is valid."""
    path, whole = tmp_path / "dotagent.toml", SAVED.replace("dollars_a_day = 3\n", new)
    path.write_text(SAVED)
    assert home.settings(Home(tmp_path)).budget == {"dollars_a_day": 3}
    half = "".join(f"{one}\n" for one in whole.split("\n")[:lines])
    editor.path, editor.steps = path.name, [lambda: None, lambda: path.write_text(whole)]
    path.write_text(half)
    found = home.settings(Home(tmp_path))
    assert (found, editor.steps) == (home.parsed(Home(tmp_path), whole.encode()), [])


def test_settings_whose_end_is_gone_for_good_are_used(tmp_path: Path) -> None:
    path = tmp_path / "dotagent.toml"
    path.write_text(SAVED)
    assert home.settings(Home(tmp_path)).budget
    path.write_text(SAVED.partition("[")[0])
    assert home.settings(Home(tmp_path)).budget == {}
    path.unlink()
    assert home.settings(Home(tmp_path)).policy == home.Settings().policy


@pytest.mark.parametrize("away", [True, False])
def test_variables_that_are_being_saved_are_used_whole(tmp_path: Path, editor: Editor, away: bool) -> None:
    path, whole = tmp_path / ".env", b"GROQ_API_KEY=gsk-1\n"
    (path.with_name(".env~") if away else path).touch(0o600)
    editor.path = path.name
    editor.steps = [lambda: None, lambda: path.write_bytes(b""), lambda: (path.write_bytes(whole), path.chmod(0o600))]
    assert credentials.env_file(Home(tmp_path)) == {"GROQ_API_KEY": "gsk-1"}


def test_settings_that_an_editor_moves_away_to_save_them_are_used_whole(tmp_path: Path, editor: Editor) -> None:
    path = tmp_path / "dotagent.toml"
    path.with_name("dotagent.toml~").write_text('owner = "ana"\npolicy = "ask"\n')
    editor.path = path.name
    editor.steps = [
        lambda: None,
        lambda: path.write_text(""),
        lambda: path.write_text('owner = "ana"\npolicy = "refuse"\n'),
    ]
    assert home.settings(Home(tmp_path)).policy == {"all": "refuse"}


def test_a_note_of_the_day_that_is_being_saved_is_shown_once(tmp_path: Path, editor: Editor) -> None:
    with world(tmp_path, lambda messages, call: "well") as here:
        path = notes.path(here.session.path, f"{times.local_now():%Y-%m-%d}")
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(WHOLE)
        here.say("hello")
        here.run()
        editor.path = path.name
        editor.steps = [
            lambda: None,
            lambda: path.write_bytes(WHOLE[:4096]),
            lambda: path.write_bytes(WHOLE + b"- new\n"),
        ]
        path.write_bytes(b"")
        here.say("and now?")
        here.run()
        shown = [here.session.store.get(one.id).body for one in lines(here, "DAILY")]
        assert len(shown) == 2 and shown[1].strip() == b"- new"


def test_a_file_that_stood_still_is_taken_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "old"
    path.write_bytes(b"no line end")
    os.utime(path, (time.time() - 1,) * 2)
    began = time.monotonic()
    assert half_saved.settled(path, path.read_bytes, lambda data: False) == b"no line end"
    assert time.monotonic() - began < half_saved.SAVING
