"""Names of the prompt's examples do not become memories; names that the person used do, whenever that was."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
from world import World, world

from dotagent.life import example_names
from dotagent.store import disk, home
from dotagent.store.home import Home
from dotagent.store.queue import Call
from dotagent.store.requests import ChatMessage

EXAMPLE = """
#01 hall kim: My sister Lou has moved to Porto.

> REMEMBER kim's sister Lou lives in Porto

#03 REMEMBER: noted in MEMORY.md and memory/2001-01-01.md

> I noted it.

#05 hall kim: What do bees make on Fridays?

> Honey.
"""


def scripted(replies: Iterable[str], seen: list[str]) -> object:
    """A model that gives these replies, and keeps the last message of each prompt."""
    left = iter(replies)

    def model(messages: list[ChatMessage], call: Call) -> str:
        seen.append(messages[-1]["content"])
        return next(left)

    return model


def lives(path: Path, said: Iterable[str], *replies: str, example: str = EXAMPLE) -> tuple[str, str, list[str]]:
    """Return MEMORY.md and the day's notes after a person said this and the model replied so, and its prompts."""
    where, seen = Home(path), list[str]()
    home.prepare(where)
    (path / "EXAMPLE.md").write_text(example)
    with world(path, scripted(replies, seen)) as here:  # type: ignore[arg-type]
        for text in said:
            here.say(text)
            here.run()
        return memory(here), notes(here), seen


def memory(here: World) -> str:
    return disk.read(here.session.path / "MEMORY.md", missing=b"").decode()


def notes(here: World) -> str:
    return "".join(path.read_text() for path in (here.session.path / "memory").glob("*.md"))


@pytest.mark.parametrize("tool", ["REMEMBER", "NOTE"])
@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ("ana's sister is called Lou", "Lou"),
        ("Lou is the sister", "Lou"),
        ("her sister moved to Porto", "Porto"),
        ("Lou's flat is in Porto", "Lou and Porto"),
        ("kim has a sister", "kim"),
    ],
)
def test_a_name_of_the_example_is_refused_once_and_the_right_one_is_kept(
    tmp_path: Path, tool: str, wrong: str, named: str
) -> None:
    right = "ana's sister Lena lives in Lyon"
    said = ["remember that my sister Lena lives in Lyon"]
    kept, noted, seen = lives(tmp_path, said, f"{tool} {wrong}", f"{tool} {right}", "SAY dev noted")
    assert right in noted and (right in kept) is (tool == "REMEMBER")
    for text in (kept, noted):
        assert not any(name in text for name in ("Lou", "Porto", "kim"))
    (told,) = [text for text in seen if example_names.ONLY in text]
    assert f"{named} " in told and f"{tool} again" in told


def test_the_model_that_insists_writes_nothing(tmp_path: Path) -> None:
    wrong = "REMEMBER ana's sister is called Lou"
    kept, noted, _ = lives(tmp_path, ["my sister is called Lena"], wrong, wrong, wrong, "SAY dev well")
    assert "Lou" not in kept + noted


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("remember that my sister is called Lou", "ana's sister is called Lou"),
        ("remember that lou is my sister, we say LOU", "Lou is the sister of ana"),
        ("we met in Porto's old town", "ana was in Porto"),
        ("remember that I like honey on friday", "ana likes Honey on Fridays, since Friday is free"),
        ("I prefer short answers", "What ana prefers: short answers. They do not want long ones."),
        ("  > kim wrote that she comes\nwho wrote?", "kim comes"),
        ("mein Hund heißt Rex", "ana hat einen Hund, Rex, und mag Bienen"),
    ],
)
def test_what_the_person_said_is_kept(tmp_path: Path, said: str, kept: str) -> None:
    has, _, seen = lives(tmp_path, [said], f"REMEMBER {kept}", "SAY dev noted")
    assert kept in has, seen


def test_a_name_in_what_the_context_shows_no_more_is_kept(tmp_path: Path) -> None:
    home.prepare(Home(tmp_path))
    (tmp_path / "dotagent.toml").write_text("context_limit = 4000\n")
    long = f"{'sea and sand ' * 3000}. My sister is called Lou. {'sand and sea ' * 3000}"
    kept, _, seen = lives(tmp_path, [long], "REMEMBER Lou is the sister", "SAY dev noted")
    assert "Lou is the sister" in kept and "sea and sand" in seen[0] and "called Lou" not in seen[0]


def test_without_an_example_every_name_is_free(tmp_path: Path) -> None:
    kept, _, _ = lives(tmp_path, ["hello"], "REMEMBER Lou lives in Porto", "SAY dev hm", example="")
    assert "Lou lives in Porto" in kept


def test_a_name_that_a_file_holds_is_kept(tmp_path: Path) -> None:
    where = Home(tmp_path)
    home.prepare(where)
    (tmp_path / "EXAMPLE.md").write_text(EXAMPLE)
    replies = ["READ_FILE family.txt", "REMEMBER the sister is Lou", "SAY dev noted"]
    with world(tmp_path, scripted(replies, [])) as here:  # type: ignore[arg-type]
        disk.make_dir(here.session.path / "files")
        (here.session.path / "files" / "family.txt").write_text("Lou, the sister\n")
        here.say("read family.txt and remember who it is")
        here.run()
        assert "the sister is Lou" in notes(here) + memory(here)
