"""Past requests are asked again without any effect: both answers are shown, and nothing of it is left."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lives import chat, living, talking
from looking import printed
from support import PATIENCE, files, pause, run, served, spawn, until
from world import World, events, offline, said, world

from dotagent.capabilities.replay import past
from dotagent.errors import Misuse
from dotagent.store import queue, request_rebuilding
from dotagent.store.home import SETTINGS, Home
from dotagent.store.queue import Outcome
from dotagent.store.watch import Watcher
from dotagent.text import tokens


def left(root: Path) -> dict[str, bytes]:
    """Every file of the home, but for what a provider's process keeps and what is a cache."""
    theirs = "calls/offline.", "calls/providers.json"
    named = {str(path.relative_to(root)): data for path, data in files(root)}
    return {name: data for name, data in named.items() if not name.startswith(theirs)}


def answered(
    where: Home, child: subprocess.Popen[str], model: Callable[[str], str], used: int = 0, part: int = -1
) -> list[Any]:
    """Be the model until the command ends; the objects that it printed."""
    store, watch = where.store(), Watcher()
    watch.names(where.calls / "new" / "scripted")
    while child.poll() is None:
        if call := queue.take(where, "scripted"):
            parts = request_rebuilding.Rebuilder(store).request(call.id).parts
            queue.answer(
                where, store, call, model(parts[part].text), Outcome(finish="stop", usage={"input": used}, model="new")
            )
        pause(watch)
    watch.close()
    out, err = child.communicate(timeout=PATIENCE)
    assert child.returncode == 0, err
    return [json.loads(line) for line in out.split("\n")[:-1]]


def asked_again(lived: World, *words: str) -> subprocess.Popen[str]:
    return spawn(lived.where, "-m", "dotagent", "replay", lived.session.id, "--provider", "scripted", *words)


@pytest.mark.slow
def test_the_same_model_gives_the_same_and_nothing_of_it_is_left(where: Home) -> None:
    with world(where.root, offline, provider="offline") as lived:
        for text in ("remember that the boat is green", "which colour has the boat?", "hello"):
            lived.say(text)
            lived.run()
        self_id = lived.session.id
    with served(where):
        before = left(where.root)
        done = run(where, "-m", "dotagent", "replay", self_id, "--provider", "offline", "--json", "-n", "3")
        assert left(where.root) == before
        turns = [json.loads(line) for line in done.stdout.split("\n")[:-1]]
        assert len(turns) == 3 and not any(one["differs"] for one in turns), done.stderr
        assert [one["then"]["calls"] for one in turns] == [one["now"]["calls"] for one in turns]
        assert turns[-1]["about"].partition(": ")[2] == "hello"
        table = run(where, "-m", "dotagent", "replay", self_id, "--provider", "offline", "-n", "2").stdout
    assert "0 of 2 answers would now make other tool calls" in table
    assert "hello" in table and table.count("(the same answer)") == 2
    assert [row.split()[0] for row in table.split("\n") if " asked " in row] == [
        one["request"][:12] for one in turns[1:]
    ]


def test_what_another_model_would_do_is_told_and_not_done(tmp_path: Path) -> None:
    with living(tmp_path, talking(answer="The boat is green."), 64_000) as lived:
        chat(lived, 3)
        before = left(tmp_path)
        answers = iter(["RUN rm -rf <b>files</b>", "The boat is red.", "SAY dev one\nSAY dev two"])
        page = tmp_path / "answers.html"
        child = asked_again(lived, "--json", "--page", str(page))
        turns = answered(lived.where, child, lambda asked: next(answers), used=9)
        assert [one["differs"] for one in turns] == [True, False, True]
        assert turns[0]["now"]["calls"] == ["RUN rm -rf <b>files</b>"]
        shown = page.read_text()
        page.unlink()
        assert "<pre>RUN rm -rf &lt;b&gt;files&lt;/b&gt;</pre>" in shown and "<script" not in shown
        assert shown.count("<details open>") == 2 and shown.count("<details>") == 1
        assert "2 of 3 answers would now make other tool calls" in shown
        assert turns[1]["then"]["text"] == "The boat is green." and turns[1]["now"]["text"] == "The boat is red."
        assert (turns[0]["now"]["input"], turns[0]["now"]["model"]) == (9, "new")
        lived.run()
        assert left(tmp_path) == before
        assert said(lived.where) == ["The boat is green."] * 3


def test_an_upgrade_sends_only_the_requests_that_it_builds_in_another_way(tmp_path: Path) -> None:
    """Another time zone stands for another version: it changes the prompt's head."""
    with living(tmp_path, talking(answer="The boat is green."), 64_000) as lived:
        chat(lived, 3)
        assert answered(lived.where, asked_again(lived, "--json", "--upgrade"), str) == []
        with (tmp_path / SETTINGS).open("a") as file:
            file.write('zone = "Asia/Tokyo"\n')
        heads = list[str]()
        turns = answered(
            lived.where, asked_again(lived, "--json", "--upgrade"), lambda head: heads.append(head) or "", part=3
        )
        assert len(turns) == 3 and all("Asia/Tokyo" in head for head in heads)
        done = run(lived.where, "-m", "dotagent", "replay", "--upgrade", "--prompt", "SOUL=x")
        assert "either --upgrade or --prompt" in done.stderr


def test_a_request_after_a_tool_names_the_message_before_it(where: Home) -> None:
    with world(where.root, offline, provider="offline") as lived:
        lived.say("remember that the boat is green")
        lived.run()
        (one,) = past.last(where, lived.session.id, ("ASK",), 1)
        assert one.about == "ana: remember that the boat is green"


@pytest.mark.slow
def test_another_prompt_stands_in_the_place_of_the_old_one(tmp_path: Path) -> None:
    new = tmp_path / "new.md"
    new.write_text("Sum up in rhymes.\n")
    with living(tmp_path / "home", talking()) as lived:
        # LIFE names a background answer where it tells what the answer used
        lived.tokens = lambda messages: sum(tokens.estimate(one["content"]) for one in messages)
        chat(lived, 25)
        seen = list[str]()

        def model(asked: str) -> str:
            seen.append(asked)
            return "relevance: 3\ngist: rhymes\n\nRhymes."

        words = ("--prompt", f"SUMMARISE={new}", "--json", "-n", "2")
        turns = answered(lived.where, asked_again(lived, *words), model)
        old = (lived.where.root / "SUMMARISE.md").read_text().strip().split("\n")[0]
        assert len(turns) == 2 and all("Sum up in rhymes." in one and old not in one for one in seen)
        assert all("to #" in one for one in seen)  # what follows the prompt stays


def test_another_soul_stands_in_the_place_of_the_old_one(tmp_path: Path) -> None:
    (tmp_path / "new.md").write_text("You are a pirate.\n")
    with living(tmp_path / "home", talking(), 64_000) as lived:
        chat(lived, 2)
        seen = list[str]()

        def model(asked: str) -> str:
            seen.append(asked)
            return "Aye."

        words = ("--prompt", f"SOUL={tmp_path / 'new.md'}", "--json")
        assert len(answered(lived.where, asked_again(lived, *words), model, part=0)) == 2
        assert seen == ["You are a pirate."] * 2


def test_after_a_kill_no_agent_takes_anything_and_the_next_run_removes_it(tmp_path: Path) -> None:
    with living(tmp_path, talking(), 64_000) as lived:
        chat(lived, 2)
        where, before = lived.where, left(tmp_path)
        child = asked_again(lived)
        call = until(lambda: next(iter(queue.waiting(where, "scripted")), None), where.calls / "new" / "scripted")
        assert call.agent not in (lived.session.id, "")
        child.kill()
        child.communicate(timeout=PATIENCE)
        count = len(events(lived))
        taken = queue.take(where, "scripted")  # a provider answers what still waits
        assert taken and queue.answer(where, where.store(), taken, "RUN rm -rf files", Outcome(finish="stop"))
        lived.run()
        assert queue.finished(where, call.agent) == [call.id]
        assert len(events(lived)) == count
        turns = answered(where, asked_again(lived, "--json"), lambda asked: "Understood.")
        assert len(turns) == 2
        assert left(tmp_path) == before


@pytest.mark.night
def test_many_requests_to_a_model_that_costs_money_need_a_yes(tmp_path: Path) -> None:
    with living(tmp_path, talking(), 64_000) as lived:
        chat(lived, 11)
        with pytest.raises(Misuse, match=r"to send 11 requests to scripted, about .* tokens in total, add --yes"):
            printed(lived.where, "replay", lived.session.id, "--provider", "scripted", "-n", "50")
        turns = answered(lived.where, asked_again(lived, "-n", "11", "--yes", "--json"), lambda asked: "Understood.")
        assert len(turns) == 11
        assert len(answered(lived.where, asked_again(lived, "--json"), lambda asked: "Understood.")) == 10


def test_a_budget_ends_it(tmp_path: Path) -> None:
    with living(tmp_path, talking(), 64_000) as lived:
        chat(lived, 4)
        (tmp_path / SETTINGS).write_text("[budget]\ntokens_a_day = 1000\n")
        turns = answered(lived.where, asked_again(lived, "--json"), lambda asked: "Understood.", used=600)
        assert len(turns) == 2


def test_a_request_without_an_answer_is_told(tmp_path: Path) -> None:
    with living(tmp_path, talking(), 64_000) as lived:
        chat(lived, 1)
        child, where, watch = asked_again(lived, "--json"), lived.where, Watcher()
        watch.names(where.calls / "new" / "scripted")
        while child.poll() is None:
            if call := queue.take(where, "scripted"):
                queue.fail(where, call, "auth", "the key is wrong")
            pause(watch)
        watch.close()
        told = json.loads(child.communicate(timeout=PATIENCE)[0])
        assert told["now"]["why"] == "the key is wrong" and told["now"]["calls"] == []


@pytest.mark.parametrize(
    "words",
    [
        ("--prompt", "SUMMARISE"),
        ("--prompt", "HARNESS=x.md"),
        ("--prompt", "SOUL=/nowhere.md"),
        ("--provider", "nobody"),
        ("-n", "5000"),
        ("--page", "/nowhere/page.html"),
        ("--page", "/tmp"),
        ("--prompt", "SOUL=/tmp"),
    ],
)
def test_what_makes_no_sense_is_refused(tmp_path: Path, words: tuple[str, ...]) -> None:
    with living(tmp_path, talking(), 64_000) as lived:
        told = printed(lived.where, "replay", lived.session.id, "--provider", "scripted")
        assert told == f"no request of this kind from agent {lived.session.id[:12]} has an answer yet\n"
        chat(lived, 1)
        with pytest.raises(Misuse):
            printed(lived.where, "replay", lived.session.id, *words)
