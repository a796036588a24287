"""Fallback: whoever is away from a call, the next takes it; LIFE and the room know who answered; and the way back."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from world import Failure, World, events, said, world

import agent
from dotagent.errors import Misuse
from dotagent.life import prompt_size
from dotagent.life.session import Patience
from dotagent.loop import boot
from dotagent.store import home, log, queue
from dotagent.store.home import Home
from dotagent.store.queue import Call
from dotagent.store.requests import ChatMessage
from dotagent.text import times, tokens

QUICK = Patience(look=0.0)


class Models:
    """Three providers' models: each answers its name, or fails as it is told to."""

    def __init__(self, **moods: Failure | Callable[[str], str | None]) -> None:
        self.moods: dict[str, Failure | Callable[[str], str | None]] = dict(moods)
        self.calls: list[Call] = []

    def __call__(self, messages: list[ChatMessage], call: Call) -> str | None:
        self.calls.append(call)
        mood = self.moods.get(call.provider)
        if isinstance(mood, Failure):
            raise mood
        return mood(messages[-1]["content"]) if mood else f"I am {call.provider}"

    def asked(self) -> list[str]:
        """Whom it was asked by since the last look."""
        found = [call.provider for call in self.calls]
        self.calls.clear()
        return found


@contextmanager
def life(path: Path, model: Models, *words: str, settings: str = 'fallback = ["second", "third"]\n') -> Iterator[World]:
    """A life with three providers, the first of which is `scripted`."""
    where = Home(path)
    home.prepare(where)
    for name in ("second", "third"):
        (where.calls / "new" / name).mkdir(parents=True, exist_ok=True)
    (where.root / "dotagent.toml").write_text(settings)
    with world(path, model, *words, patience=QUICK) as here:
        here.others = ("second", "third")
        yield here


def ask(here: World, text: str = "hello") -> list[str]:
    """What the room hears of a message."""
    before = len(said(here.where))
    here.say(text)
    here.run()
    return said(here.where)[before:]


def well(where: Home, name: str) -> None:
    """Let the provider's process have found that it is well."""
    (where.calls / "providers.json").write_text(json.dumps({name: {"well": times.now()}}))


DOWN = Failure("network", retryable=True)


@pytest.mark.parametrize("kind", ["network", "credit", "auth", "server", "stalled", "bad_request", "unconfigured"])
def test_the_next_takes_the_call_and_the_room_is_told_once(tmp_path: Path, kind: str) -> None:
    model = Models(scripted=Failure(kind))
    with life(tmp_path / "home", model) as here:
        assert ask(here) == [f"(second answers: it said {kind})", "I am second"]
        assert model.asked() == ["scripted", "second"]
        assert ask(here) == ["I am second"]
        assert model.asked() == ["second"]  # not the one that is away
        assert [one.split(" ")[:3] for one in events(here, "AWAY")] == [["AWAY", "scripted", kind]]
        assert [one.split(" ")[3] for one in events(here, "REPLY")] == ["provider=second"] * 2
        assert not events(here, "FAIL") and here.session.state.turn.unanswered == ()
        assert queue.finished(here.where, here.session.id) == []


def test_without_the_capability_the_first_alone_is_asked(tmp_path: Path) -> None:
    model = Models(scripted=Failure("credit"))
    settings = 'capabilities = []\nfallback = ["second"]\n'
    with life(tmp_path / "home", model, settings=settings) as here:
        (told,) = ask(here)
        assert told.startswith("(no answer: it said credit") and model.asked() == ["scripted"]
        assert not events(here, "AWAY") and here.session.order == ("scripted",)


def test_it_goes_back_to_the_first_when_that_is_well_and_tells_once_it_has_answered(tmp_path: Path) -> None:
    model = Models(scripted=DOWN)
    with life(tmp_path / "home", model) as here:
        ask(here)
        well(here.where, "scripted")
        assert ask(here) == ["I am second"]  # it was only taken to be well: nobody is told of that
        assert model.asked() == ["scripted", "second", "scripted", "second"]
        model.moods.clear()
        assert ask(here) == ["I am second"]
        well(here.where, "scripted")
        assert ask(here) == ["(scripted answers again)", "I am scripted"]
        assert ask(here) == ["I am scripted"]
        assert here.session.state.model.away == {}


def test_without_a_word_of_it_the_first_is_asked_again_after_a_while(tmp_path: Path) -> None:
    model = Models(scripted=Failure("credit"))
    with life(tmp_path / "home", model) as here:
        ask(here)
        model.moods.clear()
        assert ask(here) == ["I am second"]
        here.session.patience = Patience(look=0.0, retry_most=0.0)
        assert ask(here) == ["(scripted answers again)", "I am scripted"]


def test_one_after_the_other_and_when_none_answers_all_the_reasons_are_told(tmp_path: Path) -> None:
    model = Models(scripted=DOWN, second=Failure("credit"), third=Failure("auth"))
    with life(tmp_path / "home", model) as here:
        assert ask(here) == ["(no answer: it said network; it said credit; it said auth)"]
        assert model.asked() == ["scripted", "second", "third"]
        assert here.session.state.turn.failed == "retryable" and here.session.state.turn.passed == ()
        assert ask(here) == ["(no answer: it said network; it said credit; it said auth)"]  # all were asked once more
        assert sorted(model.asked()) == ["scripted", "second", "third"]
        model.moods.clear()
        here.me.calls.retries.failed_at -= 901
        here.run()
        assert said(here.where)[-1].startswith("I am ")


def test_what_is_no_failure_of_the_provider_stays_with_it(tmp_path: Path) -> None:
    model = Models(scripted=Failure("cancelled"))
    with life(tmp_path / "home", model) as here:
        assert ask(here) == ["(no answer: it said cancelled)"]
        assert model.asked() == ["scripted"]


@pytest.mark.slow
@pytest.mark.parametrize("step", range(12))
def test_a_death_between_any_two_steps_pays_for_one_answer(tmp_path: Path, step: int) -> None:
    """However far it came: the next process goes on with whom the last one asked."""
    model = Models(scripted=DOWN)
    with life(tmp_path / "home", model) as here:
        here.say("hello")
        for _ in range(step):
            if not agent.step(here.me):
                here.serve()
    with life(tmp_path / "home", model) as here:
        here.run()
        assert said(here.where) == ["(second answers: it said network)", "I am second"]
        assert model.asked() == ["scripted", "second"]
        assert [one.split(" ")[1] for one in events(here, "ASK")] == ["scripted", "second"]
        assert ask(here) == ["I am second"] and model.asked() == ["second"]


def test_a_provider_that_never_comes_is_away_too(tmp_path: Path) -> None:
    model = Models()
    with life(tmp_path / "home", model) as here:
        here.provider = "second"  # nobody serves the first
        here.session.patience = Patience(look=0.0, untaken=0.0)
        here.say("hello")
        while not agent.step(here.me) or not events(here, "AWAY"):
            pass
        here.session.patience = QUICK
        here.run()
        assert said(here.where)[-1] == "I am second" and said(here.where)[0].startswith(
            "(second answers: the process of the provider"
        )


@pytest.mark.slow
def test_the_next_has_a_smaller_window_and_the_context_fades_in_time(tmp_path: Path) -> None:
    sizes = list[int]()

    def second(last: str) -> str:
        return "I am second"

    model = Models(scripted=lambda last: "WAIT", second=second)
    with life(tmp_path / "home", model, settings='fallback = ["second"]\n') as here:
        for number in range(30):
            ask(here, f"{number} " + "some words of no weight " * 100)
        large = here.session.tokens
        told = {"second": {"window": 12_000, "known": True}, "scripted": {"window": 200_000, "known": True}}
        (here.where.calls / "providers.json").write_text(json.dumps(told))
        model.moods["scripted"] = Failure("credit")
        here.tokens = lambda messages: sizes.append(sum(tokens.estimate(one["content"]) for one in messages)) or 0
        assert ask(here, "last word")[-1] == "I am second"
        assert large > tokens.OVERFULL * tokens.limit(12_000) >= here.session.tokens
        assert sizes[-1] < 12_000 and here.session.limit == tokens.limit(12_000)
        model.moods.clear()
        told["scripted"]["well"] = times.now()
        (here.where.calls / "providers.json").write_text(json.dumps(told))
        ask(here)
        assert prompt_size.most_tokens(64_000, here.session.state) == 64_000


@pytest.mark.slow
def test_a_prompt_too_long_for_the_next_fades_there_until_it_is_taken(tmp_path: Path) -> None:
    """Nobody knew its window."""
    model = Models(scripted=lambda last: "WAIT")
    with life(tmp_path / "home", model, settings='fallback = ["second"]\n') as here:
        for number in range(30):
            ask(here, f"{number} " + "some words of no weight " * 100)

        class Short(Models):
            def __call__(self, messages: list[ChatMessage], call: Call) -> str | None:
                self.calls.append(call)
                if call.provider == "scripted":
                    raise DOWN
                size = sum(tokens.estimate(one["content"]) for one in messages)
                if size > 9000:
                    raise Failure("too_long", size=size)
                return "short enough"

        here.model = model = Short()
        assert ask(here, "last word") == ["(second answers: it said network)", "short enough"]
        assert model.asked()[:2] == ["scripted", "second"] and events(here, "LONG")


def test_a_model_that_a_person_named_is_the_first_providers(tmp_path: Path) -> None:
    model = Models(scripted=DOWN)
    with life(tmp_path / "home", model, "--model", "huge") as here:
        ask(here)
        asked = [line.id for line in log.lines(here.session.path / "LIFE.md") if line.event == "ASK"]
        assert [here._rebuild.request(id).model for id in asked] == ["huge", ""]


def test_only_a_call_that_another_would_take_is_hurried(tmp_path: Path) -> None:
    model = Models(scripted=DOWN, second=DOWN)
    with life(tmp_path / "home", model) as here:
        ask(here)
        assert [call.hurried for call in model.calls] == [True, True, False]


def test_a_compaction_goes_to_the_next_too(tmp_path: Path) -> None:
    model = Models()
    with life(tmp_path / "home", model) as here:
        for number in range(12):
            ask(here, f"message {number} " + "of some words that say nothing in particular. " * 20)
        model.asked()
        model.moods["scripted"] = Failure("credit")
        (here.session.path / "run/fade").touch()
        here.run()
        assert [one.split(" ")[:3] for one in events(here, "AWAY")] == [["AWAY", "scripted", "credit"]]
        assert model.asked()[:2] == ["scripted", "second"] and events(here, "SWAP")
        assert here.session.state.turn.wake == "" and said(here.where)[-1] == "I am scripted"
        assert ask(here) == ["(second answers: it said credit)", "I am second"]


def test_it_stands_in_a_swap_who_is_away_and_who_answered(tmp_path: Path) -> None:
    model = Models(scripted=Failure("credit"))
    with life(tmp_path / "home", model) as here:
        for number in range(12):
            ask(here, f"message {number} " + "of some words that say nothing in particular. " * 20)
        (here.session.path / "run/fade").touch()
        here.run()
        assert events(here, "SWAP")
    model.asked()
    with life(tmp_path / "home", model) as here:
        assert ask(here) == ["I am second"] and model.asked() == ["second"]


def test_a_life_may_have_a_fallback_of_its_own(tmp_path: Path) -> None:
    model = Models(scripted=DOWN)
    with life(tmp_path / "home", model) as here:
        own = here.session.id
    table = f'fallback = ["second"]\n[agents.{own[:8]}]\nfallback = ["third"]\n'
    with life(tmp_path / "home", model, settings=table) as here:
        assert ask(here)[-1] == "I am third"
    with life(tmp_path / "home", model, settings=table.replace('["third"]', "[]")) as here:
        assert here.session.order == ("scripted",)


@pytest.mark.parametrize("table", ['fallback = "second"', "fallback = [3]", '[agents.dev]\nfallback = "second"',
                                   "[agents.0123456789]\nmood = 1", "agents = 3"])  # fmt: skip
def test_a_setting_that_is_none_is_said(tmp_path: Path, table: str) -> None:
    where = Home(tmp_path)
    (tmp_path / "dotagent.toml").write_text(table + "\n")
    with pytest.raises(Misuse, match=r"fallback must be|agents must be|has no option 'mood'"):
        home.settings(where)


def test_a_fallback_that_there_is_not_is_said_at_the_start(tmp_path: Path) -> None:
    where = Home(tmp_path / "home")
    home.prepare(where)
    (where.root / "dotagent.toml").write_text('fallback = ["nobody"]\n')
    with pytest.raises(Misuse, match="no provider 'nobody'"), boot.life_of(["--home", str(where.root)]):
        pass


def test_a_disk_that_takes_no_answer_is_not_asked_for_another_one(tmp_path: Path) -> None:
    """The answer was paid for: the next one's would be lost, too."""
    model = Models(scripted=Failure("system", retryable=True))
    with life(tmp_path / "home", model) as here:
        assert ask(here) == ["(no answer: it said system)"]
        assert model.asked() == ["scripted"] and not events(here, "AWAY")
