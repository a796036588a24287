"""A life with a fallback, as real processes meet it: servers that refuse, are overloaded, out of credit, recover."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator

import pytest
from alive import Alive, a_home, hears, kill_provider, said, say
from providers.loopback import STALL, Answer, Server, closed_port, event, refusal, stream
from support import PATIENCE, run, until

from dotagent.store import launch
from dotagent.store.home import Home

KEY, OTHER = "sk-first-0123456789", "sk-second-0123456789"


@pytest.fixture
def where() -> Iterator[Home]:
    with a_home() as made:
        (made.root / "dotagent.toml").write_text('fallback = ["openai"]\n[providers.openai]\nmodel = "gpt-4o"\n')
        yield made


def keys(first: str, second: str) -> dict[str, str]:
    """The environment of an agent whose providers are at these addresses."""
    own = {"DEEPSEEK_API_KEY": KEY, "DEEPSEEK_API_BASE": first}
    return {**own, "OPENAI_API_KEY": OTHER, "OPENAI_API_BASE": second}


@pytest.mark.night
def test_a_refused_connection_is_decided_within_a_second_and_the_way_back_is_found(where: Home) -> None:
    port = closed_port()
    with Server(stream("from the second")) as second:
        with Server(stream("from the first"), port=port):
            alive = Alive(where, **keys(f"http://127.0.0.1:{port}", second.base))
            say(where, "hello")
            hears(where, "from the first")
            until(lambda: launch.published(where).get("openai"), where.calls)
        say(where, "and now?")
        hears(where, "(openai answers: DeepSeek")
        hears(where, "from the second")
        assert len(alive.lines("ASK")) == 3  # the first was asked once more, and not again after a while
        assert [line.detail.split(" ")[:2] for line in alive.lines("AWAY")] == [["deepseek", "network"]]
        assert second.received[0].headers["authorization"] == f"Bearer {OTHER}"
        say(where, "and again?")
        hears(where, "from the second", 2)
        assert len(alive.lines("ASK")) == 4  # nobody asks who is away
        before = launch.published(where)["deepseek"]["well"]
        with Server(stream("from the first"), port=port):
            until(lambda: launch.published(where)["deepseek"]["well"] != before, where.calls)
            done = run(where, "chat.py", "-m", "are you back?", "--wait", f"{PATIENCE:g}")
            assert (done.returncode, done.stdout) == (0, "from the first\n")
            assert said(where)[-2:] == ["(deepseek answers again)", "from the first"]
        _, _, err = alive.end()
        assert "(openai answers: DeepSeek" in err and "(deepseek answers again)" in err
        assert "while it is unavailable: openai" in alive.screen
        assert len(said(where)) == 6 and len(second.received) == 2


@pytest.mark.slow
@pytest.mark.parametrize("status", [401, 402])
def test_a_refusal_that_will_not_pass_is_decided_at_once(where: Home, status: int) -> None:
    with Server(refusal(status, "no")) as first, Server(stream("from the second")) as second:
        alive = Alive(where, **keys(first.base, second.base))
        say(where, "hello")
        hears(where, "from the second")
        assert f"HTTP {status}" in said(where)[0] and len(alive.lines("ASK")) == 2
        for turn in (2, 3):
            say(where, "again")
            hears(where, "from the second", turn)
        assert (len(first.received), len(second.received)) == (1, 3)
        shown = run(where, "-m", "dotagent", "status").stdout
        (away,) = alive.lines("AWAY")
        assert f"openai answers since {away.at[:16]}" in shown and "no answer from" not in shown
        assert "the account at DeepSeek is out of credit (HTTP 402)" in " ".join(shown.split()) or status == 401
        alive.end()


@pytest.mark.night
def test_a_storm_of_503_is_asked_twice_and_left_until_it_is_over(where: Home) -> None:
    storm = refusal(503, "overloaded")
    with Server(storm, storm, stream("from the first")) as first, Server(stream("from the second")) as second:
        alive = Alive(where, **keys(first.base, second.base))
        say(where, "hello")
        hears(where, "from the second")
        assert len(first.received) == 2 and "has a problem or is overloaded (HTTP 503)" in said(where)[0]
        before = alive.lines("AWAY")[-1].at
        until(lambda: str(launch.published(where)["deepseek"]["well"]) > before, where.calls)
        say(where, "and now?")
        hears(where, "from the first")
        assert said(where)[-2] == "(deepseek answers again)"
        assert (len(first.received), len(second.received)) == (3, 1)
        alive.end()


@pytest.mark.slow
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM])
def test_a_call_that_is_out_by_the_second_is_answered_once_over_a_death(where: Home, end: int) -> None:
    with Server(refusal(402, "no money")) as first, Server(Answer((event({"content": "from "}), STALL))) as second:
        alive = Alive(where, **keys(first.base, second.base))
        say(where, "hello")
        call = alive.waits_for("ASK", 2).id
        until(lambda: second.received, where.calls)
        alive.end(end)
        taken = json.loads((where.calls / "taken" / call).read_text())
        again = Alive(where, alive.id, **keys(first.base, second.base))
        assert again.waits_for("RESUME").detail == "openai"
        assert len(second.received) == 1 and json.loads((where.calls / "taken" / call).read_text()) == taken
        again.end()
        assert len(again.lines("ASK")) == 2 and len(first.received) == 1


@pytest.mark.night
def test_a_provider_that_dies_over_a_call_again_and_again_hands_it_on(where: Home) -> None:
    (where.root / ".env").touch(0o600)  # a provider that is started again has its key from there
    with Server(Answer((STALL,))) as first, Server(stream("from the second")) as second:
        (where.root / ".env").write_text(f"DEEPSEEK_API_KEY={KEY}\nDEEPSEEK_API_BASE={first.base}\n")
        alive = Alive(where, OPENAI_API_KEY=OTHER, OPENAI_API_BASE=second.base)
        say(where, "hello")
        for number in (1, 2, 3):
            until(lambda count=number: len(first.received) >= count, where.calls)
            kill_provider(where, "deepseek")
        hears(where, "from the second")
        assert "3 provider processes crashed during this request" in said(where)[0]
        alive.end()


@pytest.mark.slow
def test_a_new_key_is_tried_at_once(where: Home) -> None:
    """The one with the old key was away: a provider that has just begun is taken to be well."""
    with Server(refusal(401, "no"), stream("from the first")) as first, Server(stream("from the second")) as second:
        alive = Alive(where, **keys(first.base, second.base))
        say(where, "hello")
        hears(where, "from the second")
        alive.end()
        again = Alive(where, alive.id, **{**keys(first.base, second.base), "DEEPSEEK_API_KEY": f"{KEY}x"})
        until(lambda: launch.published(where)["deepseek"]["well"] > alive.lines("AWAY")[-1].at, where.calls)  # type: ignore[operator]
        say(where, "hello?")
        hears(where, "from the first")
        assert first.received[-1].headers["authorization"] == f"Bearer {KEY}x"
        again.end()


@pytest.mark.slow
def test_offline_may_be_the_last_of_them(where: Home) -> None:
    (where.root / "dotagent.toml").write_text('fallback = ["local", "offline"]\n')
    nobody = f"http://127.0.0.1:{closed_port()}"
    alive = Alive(where, DEEPSEEK_API_KEY=KEY, DEEPSEEK_API_BASE=nobody, LOCAL_API_BASE=f"{nobody}/v1")
    say(where, "are you there?")
    hears(where, "I hear you, ana")
    assert len(alive.lines("ASK")) == 3 and said(where)[0].startswith("(offline answers: DeepSeek at ")
    alive.end()
    assert os.path.exists(where.calls / "local.pid")
