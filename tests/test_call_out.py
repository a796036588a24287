"""A call that is out while the agent, its provider or both are killed, and the keys with which it is asked."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from alive import Alive, a_home, hears, kill_provider, provider_of, said, say
from providers.loopback import STALL, Answer, Received, Server, event, refusal, stream
from support import PATIENCE, files, until

from dotagent.store.home import Home

# A worker's own: a command of one test looks into every process, also those that another worker is just starting.
KEY, OTHER = (f"sk-{which}-0123456789abcdef-{os.getpid()}" for which in ("first", "second"))


class Slow:
    """A model that is silent when first asked, and then answers who asks."""

    def __init__(self) -> None:
        self.keys: list[str] = []
        self.server = Server(self._answer)

    def _answer(self, asked: Received) -> Answer:
        self.keys.append(asked.headers["authorization"].removeprefix("Bearer "))
        if len(self.keys) == 1:
            return Answer((event({"content": "half an ans"}), STALL))
        return stream(f"answer {len(self.keys)}")

    def asked(self, where: Home) -> None:
        """Wait until it was asked, and half an answer has come."""
        until(lambda: any(path.stat().st_size for path in (where.calls / "stream").glob("*")), where.calls / "stream")


@pytest.fixture
def slow() -> Iterator[tuple[Home, Slow, dict[str, str]]]:
    """A home whose provider's model is slow; the environment names it but holds no key, which stands in .env."""
    model = Slow()
    with a_home() as home, model.server:
        (home.calls / "stream").mkdir()
        secrets = home.root / ".env"
        secrets.touch(0o600)
        secrets.write_text(f"DEEPSEEK_API_KEY={KEY}\n")
        yield home, model, {"DEEPSEEK_API_BASE": model.server.base}


@pytest.mark.slow
def test_the_agent_ended_while_a_call_is_out_takes_the_answer_that_came_meanwhile() -> None:
    asked, go = threading.Semaphore(0), threading.Semaphore(0)

    def answer(received: Received) -> Answer:
        asked.release()
        go.acquire(timeout=PATIENCE)
        return stream(f"answer {len(server.received)}")

    with a_home() as where, Server(answer) as server:
        env = {"DEEPSEEK_API_KEY": KEY, "DEEPSEEK_API_BASE": server.base}
        alive = Alive(where, **env)
        for turn, signum in enumerate((signal.SIGKILL, signal.SIGTERM), 1):
            say(where, "hello")
            assert asked.acquire(timeout=PATIENCE)
            assert alive.end(signum) == (0 if signum == signal.SIGTERM else -signum, "", "")
            go.release()
            done = where.calls / "done" / alive.id
            until(lambda done=done: any(done.glob("*")), done)
            alive = Alive(where, alive.id, **env)
            hears(where, f"answer {turn}")
            assert len(server.received) == len(alive.lines("ASK")) == len(said(where)) == turn
        alive.end()


@pytest.mark.slow
def test_both_killed_while_a_call_is_out(
    slow: tuple[Home, Slow, dict[str, str]],
) -> None:
    where, model, env = slow
    first = Alive(where, **env)
    say(where, "hello")
    model.asked(where)
    first.end(signal.SIGKILL)
    kill_provider(where, "deepseek")
    again = Alive(where, first.id, **env)
    assert hears(where, "answer 2") == "answer 2"
    assert [len(again.lines(event)) for event in ("HEAR", "ASK", "REPLY", "FAIL")] == [1, 1, 1, 0]
    again.end()
    assert said(where) == ["answer 2"]


@pytest.mark.night
def test_the_provider_killed_while_a_call_is_out(slow: tuple[Home, Slow, dict[str, str]]) -> None:
    where, model, env = slow
    alive = Alive(where, **env)
    say(where, "hello")
    model.asked(where)
    before = provider_of(where, "deepseek")
    kill_provider(where, "deepseek")
    assert hears(where, "answer 2") == "answer 2"
    assert provider_of(where, "deepseek") != before
    assert len(alive.lines("ASK")) == 1
    alive.end()


@pytest.mark.slow
def test_another_agent_with_other_credentials(slow: tuple[Home, Slow, dict[str, str]]) -> None:
    """The provider that holds the old key is asked to leave, and the call that it held is answered with the new one."""
    where, model, env = slow
    alive = Alive(where, **env)
    say(where, "hello")
    model.asked(where)
    other = Alive(where, "--room", "other", DEEPSEEK_API_KEY=OTHER, **env)
    hears(where, "answer 2")
    assert model.keys == [KEY, OTHER]
    alive.end()
    other.end()


@pytest.mark.slow
def test_a_key_of_the_environment_reaches_the_provider_and_nothing_else() -> None:
    """Also when the provider complains, quoting the key, when a command looks for it, and when the provider dies."""
    look = "SAY dev I look\nRUN env; cat /proc/$PPID/environ /proc/$PPID/cmdline; cat $(grep -l . /proc/[0-9]*/environ)"
    script = (refusal(401, f"bad key {KEY}"), stream(look), stream("done"))
    with a_home() as where, Server(*script) as server:
        alive = Alive(where, DEEPSEEK_API_KEY=KEY, DEEPSEEK_API_BASE=server.base, GITHUB_TOKEN=OTHER)
        say(where, "hello")
        assert "DEEPSEEK_API_KEY" in hears(where, "(no answer: ")
        say(where, "hello?")
        hears(where, "done")
        assert [one.headers["authorization"] for one in server.received] == [f"Bearer {KEY}"] * 3
        assert b"PATH=" in where.store().get(alive.lines("TOOL")[0].id).body
        pids = [alive.process.pid, provider_of(where, "deepseek")]
        shown = [Path(f"/proc/{pid}/{name}") for pid in pids for name in ("environ", "cmdline")]
        for path, data in (*((path, path.read_bytes()) for path in shown), *files(where.root)):
            assert KEY.encode() not in data, path
            assert OTHER.encode() not in data, path
        kill_provider(where, "deepseek")
        say(where, "and now?")
        hint = hears(where, "(no answer: ", 2)
        assert "DEEPSEEK_API_KEY" in hint
        assert KEY not in hint
        alive.end()


@pytest.mark.night
def test_a_provider_without_credentials_says_so_to_each_message_and_answers_when_it_has_some() -> None:
    with a_home() as where, Server(stream("here I am")) as server:
        alive = Alive(where, "--provider", "deepseek")
        say(where, "hello")
        told = hears(where, "(no answer: ")
        assert "DEEPSEEK_API_KEY" in told
        assert "\n" not in told
        say(where, "hello?")
        until(lambda: said(where) == [told, told], where.chats)
        other = Alive(where, "--room", "other", DEEPSEEK_API_KEY=KEY, DEEPSEEK_API_BASE=server.base)
        hears(where, "here I am")
        assert server.received[0].headers["authorization"] == f"Bearer {KEY}"
        assert alive.end() == other.end() == (0, "", "")
