"""The window of the model that is asked: what a provider tells of it bounds the context, and a guess is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from moody import Moody, world
from world import Failure, World, events, said

from dotagent.life import prompt_size
from dotagent.life.events import Away
from dotagent.store.home import Home
from dotagent.store.queue import Call
from dotagent.store.requests import ChatMessage
from dotagent.text import tokens


def told(where: Home, **entry: object) -> None:
    """Let a provider's process have told this of itself."""
    (where.calls / "providers.json").write_text(json.dumps({"scripted": {"model": "m", "configured": True, **entry}}))


def limits(here: World) -> list[str]:
    """What was noted of windows, after one more turn."""
    here.say("hello")
    here.run()
    return list(events(here, "WINDOW"))


def test_the_limit_follows_the_window_both_ways_and_no_guess(tmp_path: Path) -> None:
    with world(tmp_path / "home", Moody("hi")) as here:
        assert limits(here) == []
        told(here.where, window=8000, known=False)
        assert limits(here) == [] and prompt_size.most_tokens(64_000, here.session.state) == 64_000
        told(here.where, window=8000, known=True)
        assert limits(here) == [f"WINDOW {tokens.limit(8000)}"] and here.session.limit == tokens.limit(8000)
        told(here.where, window=20_000)  # as a program of one's own may tell it
        assert limits(here)[1:] == [f"WINDOW {tokens.limit(20_000)}"] and here.session.limit == tokens.limit(20_000)
        told(here.where, window=1_000_000, known=True)
        assert len(limits(here)) == 3 and prompt_size.most_tokens(64_000, here.session.state) == 64_000
        assert len(limits(here)) == 3


def test_a_window_is_noted_again_once_a_failed_call_has_let_it_be_forgotten(tmp_path: Path) -> None:
    with world(tmp_path / "home", Moody("hi")) as here:
        told(here.where, window=8000, known=True)
        assert len(limits(here)) == 1
        here.session.record(Away("scripted", "network", "0" * 32))  # a call outside the conversation
        assert len(limits(here)) == 2 and here.session.limit == tokens.limit(8000)


def test_the_window_is_that_of_the_model_that_is_asked(tmp_path: Path) -> None:
    with world(tmp_path / "home", Moody("hi"), "--model", "small") as here:
        told(here.where, window=9000, known=True)
        assert limits(here) == []
        told(here.where, window=9000, known=True, windows={"small": 8000})
        assert limits(here) == [f"WINDOW {tokens.limit(8000)}"]


def test_what_a_model_was_found_not_to_take_stays_so_while_its_window_does(tmp_path: Path) -> None:
    moods: list[Failure | str | None] = ["hi", Failure("too_long", size=9000), "hi"]
    with world(tmp_path / "home", Moody(*moods)) as here:
        told(here.where, window=20_000, known=True)
        limits(here)
        here.say("more")
        here.run()
        found = here.session.limit
        assert found < tokens.limit(20_000)
        assert len(limits(here)) == 1 and here.session.limit == found


def test_a_shortening_that_did_not_help_is_taken_back(tmp_path: Path) -> None:
    moods: list[Failure | str | None] = ["hi", Failure("too_long"), Failure("bad_request"), "hi"]
    with world(tmp_path / "home", Moody(*moods)) as here:
        limits(here)
        here.say("more")
        here.run()
        assert said(here.where)[1:] == ["(no answer: it said bad_request)"]
        assert len(events(here, "LONG")) == 1 and here.session.state.model.refused == 0


WINDOW = 8000


def strict(messages: list[ChatMessage], call: Call) -> str:
    """A model whose window has so many tokens, and not one more."""
    size = sum(tokens.estimate(one["content"]) for one in messages)
    if size > WINDOW:
        raise Failure("too_long", size=size)
    return "hi"


def fill(here: World, **files: int) -> None:
    """Write files of so many characters into the agent's directory."""
    for name, size in files.items():
        line = f"- {name.lower()}: hold to this, kindly and always, in this house.\n"
        (here.session.path / f"{name}.md").write_text(f"# {name}\n\n" + line * (size // len(line)))


@pytest.mark.parametrize("published", [True, False])
def test_a_head_that_was_too_long_leaves_the_talk_its_room_once_it_is_shorter(tmp_path: Path, published: bool) -> None:
    with world(tmp_path / "home", strict) as here:
        if published:
            told(here.where, window=WINDOW, known=True)
        fill(here, AGENTS=17_000, TOOLS=17_000, USER=17_000)
        for number in range(8):
            here.say(f"note {number}: " + "the ferry leaves at seven from the quay. " * 8)
            here.run()
        assert bool(events(here, "LONG")) != published  # of a known window, the first prompt already fits
        assert said(here.where) == ["hi"] * 8
        shown = here.session.file.read_text()
        assert [number for number in range(8) if f"note {number}: " not in shown] == []
        assert here.session.limit > 1500


def talk(here: World, many: int) -> list[int]:
    """Say so many notes, and return those that the agent does not see then."""
    for number in range(many):
        here.say(f"note {number}: " + "the ferry leaves at seven from the quay. " * 8)
        here.run()
    shown = here.session.file.read_text()
    return [number for number in range(many) if f"note {number}: " not in shown]


@pytest.mark.parametrize("size", [None, 12_000])
def test_once_a_person_shortens_files_that_were_too_long_the_talk_has_its_room(
    tmp_path: Path, size: int | None
) -> None:
    """Whether or not the server says how long the prompt was."""

    def model(messages: list[ChatMessage], call: Call) -> str:
        if sum(tokens.estimate(one["content"]) for one in messages) > WINDOW:
            raise Failure("too_long", size=size)
        return "hi"

    with world(tmp_path / "home", model) as here:
        fill(here, AGENTS=19_000, TOOLS=19_000, USER=19_000, IDENTITY=19_000)
        here.say("good morning")
        here.run()
        assert events(here, "LONG")
        fill(here, AGENTS=100, TOOLS=100, USER=100, IDENTITY=100)
        assert talk(here, 8) == []
        assert here.session.limit > 2500


def test_of_files_that_are_too_long_soul_is_shown_first_and_it_is_said_once(tmp_path: Path) -> None:
    heard = list[str]()

    def model(messages: list[ChatMessage], call: Call) -> str:
        heard.append("\n".join(one["content"] for one in messages))
        return strict(messages, call)

    with world(tmp_path / "home", model) as here:
        told(here.where, window=WINDOW, known=True)
        fill(here, SOUL=3000, AGENTS=13_000, USER=9000, TOOLS=9000)
        for text in ("good morning", "and now?"):
            here.say(text)
            here.run()
        lines = (here.session.path / "SOUL.md").read_text().count("- soul")
        assert heard[-1].count("- soul") == lines
        assert heard[-1].count("- agents") * len("- agents: hold to this, kindly and always, in this house.") > 100
        told_of = [one for one in events(here, "ERROR") if "AGENTS.md has" in one]
        assert told_of and told_of[-1].endswith("or raise context_limit, if the model's window is larger")
        many = len(events(here, "ERROR"))
    with world(tmp_path / "home", model) as here:
        here.say("still there?")
        here.run()
        assert len(events(here, "ERROR")) == many
        assert said(here.where) == ["hi"] * 3


def test_a_guessed_window_is_said_in_the_room_once_a_model(tmp_path: Path) -> None:
    def publish(here: World, **told: object) -> None:
        (here.where.calls / "providers.json").write_text(json.dumps({"scripted": {"known": True, **told}}))

    with world(tmp_path / "home", Moody("well")) as here:
        publish(here, model="m", window=128_000, guess=True)
        for text in ("hello", "and now?"):
            here.say(text)
            here.run()
        word, *answers = said(here.where)
        assert word.startswith("(the context window of m is unknown; I assume 128,000 tokens; set `window = N` under")
        assert answers == ["well", "well"]
    with world(tmp_path / "home", Moody("well")) as here:  # a new process does not repeat it, another model is told of
        here.say("still?")
        here.run()
        publish(here, model="n", window=64_000, guess=True)
        here.say("and by n?")
        here.run()
        assert [one[:32] for one in said(here.where)[3:]] == ["well", "(the context window of n is unkn", "well"]
    with world(tmp_path / "home", Moody("well"), "--model", "x") as here:
        publish(here, model="n", window=64_000, windows={"x": 9_000}, guesses=["x"])
        here.say("and by x?")
        here.run()
        assert "window of x is unknown; I assume 9,000 tokens" in said(here.where)[-2]


def test_a_window_that_somebody_tells_is_not_spoken_of(tmp_path: Path) -> None:
    with world(tmp_path / "home", Moody("well")) as here:
        for told in ({"guess": False}, {"guess": True, "known": False}):
            text = json.dumps({"scripted": {"model": "m", "window": 128_000, "known": True, **told}})
            (here.where.calls / "providers.json").write_text(text)
            here.say("hello")
            here.run()
        assert said(here.where) == ["well", "well"]
