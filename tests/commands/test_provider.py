"""provider: one process a home and provider, which serves what is placed and leaves when nobody is left."""

from __future__ import annotations

import json
import signal

import pytest
from providers.loopback import Server, stream
from support import PATIENCE, run, served, spawn, until

from dotagent.store import launch, queue, requests
from dotagent.store.home import Home
from dotagent.store.queue import Call, Outcome
from dotagent.store.requests import Part

AGENT, KEY = "a" * 32, "sk-0123456789abcdef"
LEAVE = """
import sys
from dotagent.providers.server import serve
from dotagent.store.home import Home
from pathlib import Path
where = Home(Path(sys.argv[1]))
serve.serve(where, serve.hold(where, ["offline"]), {}, alone=0.05)
"""


def place(where: Home, provider: str) -> str:
    data = requests.encode(AGENT, "", {}, "", 0, [Part("system", "be"), Part("user", "hi")])
    id = where.store().put(data, at="2026-11-21T20:17:20Z", gist="request")
    queue.place(where, Call(id, AGENT, provider, room="dev"))
    return id


def outcome(where: Home, id: str) -> Outcome:
    return until(lambda: queue.done(where, AGENT, id), where.calls)


@pytest.mark.slow
def test_it_serves_what_is_placed_and_a_second_one_leaves(where: Home) -> None:
    id = place(where, "offline")
    with served(where):
        assert where.store().get(outcome(where, id).reply).parent == id
        second = run(where, "-m", "dotagent", "provider", "offline")
        assert (second.returncode, second.stdout) == (0, "")
        pid = (where.calls / "offline.pid").read_text().split(" ")[0]
        assert second.stderr == f"dotagent: process {pid} already sends the requests to the provider offline\n"
    assert not launch.served(where, "offline")


def test_keys_come_from_the_environment_and_settings_from_the_home(where: Home) -> None:
    with Server(stream("hello")) as server:
        (where.root / "dotagent.toml").write_text(f'[providers.deepseek]\nbase = "{server.base}"\n')
        child = spawn(where, "-m", "dotagent", "provider", "deepseek", env={"DEEPSEEK_API_KEY": KEY})
        try:
            found = outcome(where, place(where, "deepseek"))
        finally:
            child.terminate()
            said = child.communicate(timeout=PATIENCE)
        assert where.store().get(found.reply).body == b"hello"
        assert server.received[0].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in (where.calls / "providers.json").read_text() + "".join(said)


def test_without_a_name_it_serves_all(where: Home) -> None:
    child = spawn(where, "-m", "dotagent", "provider")
    try:
        until(lambda: launch.served(where, "offline") and launch.served(where, "deepseek"), where.calls)
        until(lambda: "openrouter" in launch.published(where), where.calls)
        child.send_signal(signal.SIGINT)
        assert child.communicate(timeout=PATIENCE) == ("", "")
        assert child.returncode == 0
    finally:
        child.kill()


def test_it_leaves_when_nobody_is_left(where: Home) -> None:
    """A call that is out keeps it; once that is answered, and no agent lives, it goes by itself."""
    id = place(where, "offline")
    assert run(where, "-c", LEAVE, str(where.root)).returncode == 0
    assert queue.done(where, AGENT, id)
    assert not launch.served(where, "offline")


@pytest.mark.slow
def test_what_is_no_provider_and_what_are_no_keys(where: Home) -> None:
    done = run(where, "-m", "dotagent", "provider", "nobody")
    assert done.returncode == 2 and "no provider 'nobody'; the providers are anthropic" in done.stderr
    for given in (json.dumps([KEY]), ""):  # nothing at all: who started it died before it had handed them over
        done = run(where, "-m", "dotagent", "provider", "offline", "--keys-on-stdin", stdin=given)
        assert done.returncode == 2 and "a JSON object of names and values" in done.stderr and KEY not in done.stderr
