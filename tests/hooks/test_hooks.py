"""Hooks: a person's commands at events of a life, once each, with the event on stdin, and never in its way."""

from __future__ import annotations

import fcntl
import json
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from alive import processes
from support import make_home, until
from world import World, events, said, world

from dotagent import sandbox
from dotagent.capabilities.hooks import event_queue
from dotagent.capabilities.hooks import runner as running
from dotagent.errors import Misuse
from dotagent.store import disk, home
from dotagent.store.hooks import Hook
from dotagent.store.requests import ChatMessage

BOXES = [one for one in sandbox.KINDS if not sandbox.lacking(one)]


@contextmanager
def lived(path: Path, settings: str, *words: str) -> Iterator[World]:
    make_home(path / "home").root.joinpath("dotagent.toml").write_text(settings)

    def model(messages: list[ChatMessage], call: object) -> str:
        return "Hello there."

    with world(path / "home", model, *words) as here:
        yield here


def hook(name: str = "mine", on: str = '"message"', run: str = "cat >> seen", more: str = "") -> str:
    return f"[hooks.{name}]\non = {on}\nrun = '''{run}'''\n{more}\n"


def test_every_event_is_told_once_with_what_it_is_about(tmp_path: Path) -> None:
    every = '["boot", "message", "turn", "fade", "error"]'
    with lived(tmp_path, hook(on=every, run="cat >> seen")) as here:
        here.say("the harbour is loud")
        here.run()
        (here.session.path / "SOUL.md").write_text("\n")
        here.say("and now?")
        here.run()
        seen = here.session.path / "files/seen"
        until(lambda: seen.exists() and seen.read_text().count("\n") >= 6, seen.parent)
        found = [json.loads(line) for line in seen.read_text().split("\n")[:-1]]
    told = [one["event"] for one in found]
    assert told[0] == "boot" and found[0]["resumed"] is False
    assert told.count("message") == 2 == told.count("turn") and told.count("error") == 1
    assert (found[1]["text"], found[1]["who"], found[1]["room"]) == ("the harbour is loud", "USER:ana", "dev")
    assert {one["hook"] for one in found} == {"mine"} and all("heard" not in one for one in found)
    assert "SOUL.md is empty" in next(one["text"] for one in found if one["event"] == "error")


def test_without_hooks_nothing_waits_and_nothing_starts(tmp_path: Path) -> None:
    with lived(tmp_path, hook(more="enabled = false")) as here:
        here.say("hello")
        here.run()
        assert not event_queue.folder(here.session.path).exists()


@pytest.mark.slow
def test_a_hook_that_hangs_is_stopped_and_the_life_goes_on_meanwhile(tmp_path: Path) -> None:
    with lived(tmp_path, hook(run="sleep 600 & sleep 600", more='timeout = "1s"')) as here:
        begun = time.monotonic()
        here.say("hello")
        here.run()
        assert said(here.where) == ["Hello there."]
        log = event_queue.folder(here.session.path) / "log"
        until(lambda: list(event_queue.read_log(here.session.path)), log.parent)
        (one,) = event_queue.read_log(here.session.path)
        assert one["how"] == "stopped: the hook took longer than 1 s" and time.monotonic() - begun > 1


def run(
    here: World, command: str, box: str = "off", audience: str = "private ana", seconds: float = 20.0
) -> tuple[str, bytes]:
    event = {"event": "message", "text": "secret of the sea", "heard": [audience, ""]}
    settings = replace(home.settings(here.where), sandbox=box)
    return running.run(here.where, settings, here.session.path, Hook("mine", ("message",), command, seconds), event)


@pytest.mark.parametrize("box", BOXES)
def test_it_runs_in_the_sandbox_and_floods_nothing(tmp_path: Path, box: str) -> None:
    with lived(tmp_path, "") as here:
        assert run(here, "cat", box)[1].startswith(b'{"event": "message", "text": "secret of the sea"')
        how, printed = run(
            here, "cat ../../../dotagent.toml; cat ../SOUL.md; echo x > ../SOUL.md; echo y > y; exit 3", box
        )
        assert how == "exit status 3" and b"personal assistant" not in printed
        assert (here.session.path / "SOUL.md").read_text() != "x\n"
        assert (here.session.path / "files" / "y").read_text() == "y\n"
        how, printed = run(here, "yes", box)
        assert how.startswith("stopped: the hook printed more than") and len(printed) <= running.MOST
        assert run(here, "exec < /dev/null; true", box)[0] == "exit status 0"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells of orphans")
@pytest.mark.parametrize("box", ["off", *BOXES])
def test_nothing_that_it_started_outlives_it(tmp_path: Path, box: str) -> None:
    words = f"7{os.getpid()}.5"
    with lived(tmp_path, "") as here:
        assert run(
            here, f"(env -i setsid sleep {words} &); (setsid sleep {words} >/dev/null 2>&1 &)", box, seconds=2.0
        )[0]
    assert not processes(f"\0{words}\0".encode())


def test_where_others_are_heard_nothing_runs_without_a_sandbox(tmp_path: Path) -> None:
    with lived(tmp_path, "") as here:
        assert run(here, "echo hi") == ("exit status 0", b"hi\n")
        assert run(here, "echo hi", audience="group")[0].startswith(
            "the hook did not run: the agent has read text from others"
        )


def test_secrets_are_not_in_its_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEEPSEEK_API_KEY", "sesame")
    with lived(tmp_path, "") as here:
        how, printed = run(here, "env")
        assert how == "exit status 0" and b"sesame" not in printed and b"PATH=" in printed


def test_too_many_events_are_dropped_and_that_is_said_once(tmp_path: Path) -> None:
    with lived(tmp_path, hook()) as here:
        folder = event_queue.folder(here.session.path)
        folder.mkdir(parents=True, exist_ok=True)
        fd = disk.open_append(folder / "pid")
        with disk.locked(fd):  # somebody serves, and takes nothing
            for number in range(event_queue.MOST):
                (folder / f"2026-{number:03}.json").write_text("{}")
            for _ in range(3):
                here.say("hello")
                here.run()
        os.close(fd)
        assert len(event_queue.waiting(here.session.path)) == event_queue.MOST
        assert len([one for one in events(here, "ERROR") if "events are waiting" in one]) == 1


def test_who_only_looks_whether_it_runs_keeps_it_from_nothing(tmp_path: Path) -> None:
    where = make_home(tmp_path / "home")
    assert event_queue.put(where.agent("1" * 32), {"event": "boot"})
    with open(event_queue.folder(where.agent("1" * 32)) / "pid", "wb") as look:
        fcntl.flock(look, fcntl.LOCK_SH)  # as disk.is_locked does, for a moment
        threading.Timer(0.05, look.close).start()
        running.serve(where, "1" * 32, 0.1)
    assert not event_queue.waiting(where.agent("1" * 32))


def test_an_event_is_taken_before_it_is_done(tmp_path: Path) -> None:
    assert event_queue.put(tmp_path, {"event": "boot"})
    (path,) = event_queue.waiting(tmp_path)
    assert event_queue.take(path) == {"event": "boot"} and not event_queue.waiting(tmp_path)
    path.write_bytes(b"\xff nonsense")
    assert event_queue.take(path) is None and not os.path.lexists(path)


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ('on = "noon"\nrun = "x"', "on must be"), ('run = "x"', "on must be"), ('on = []\nrun = "x"', "on must be"),
        ('on = "turn"', "run must be"), ('on = "turn"\nrun = " "', "run must be"),
        ('on = "turn"\nrun = "x"\ntimeout = "11m"', "ten minutes"),
        ('on = "turn"\nrun = "x"\ntimeout = 3', "ten minutes"),
        ('on = "turn"\nrum = "x"', "did you mean"), ('on = "turn"\nrun = "x"\nenabled = 1', "true or false"),
    ],
)  # fmt: skip
def test_what_is_no_hook_is_told(tmp_path: Path, table: str, why: str) -> None:
    where = make_home(tmp_path)
    where.root.joinpath("dotagent.toml").write_text(f"[hooks.mine]\n{table}\n")
    with pytest.raises(Misuse, match=r"\[hooks.mine\].*" + why):
        home.settings(where)
