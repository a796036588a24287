"""Who serves a provider: chosen by what there is, one process a home and provider, and no secret in sight."""

from __future__ import annotations

import fcntl
import json
import os
import signal
from pathlib import Path

import pytest
from support import ROOT, environment, files, together, until

from dotagent import extensions, providers
from dotagent.errors import Misuse
from dotagent.store import credentials, disk, launch, process, queue, requests, variables
from dotagent.store.home import Home
from dotagent.store.queue import Call
from dotagent.store.requests import Part

KEY = "sk-0123456789abcdef"


# --- which


def test_every_provider_is_a_file() -> None:
    there = {path.stem.replace("_", "-") for path in (ROOT / "dotagent" / "providers").glob("*.py")} - {"--init--"}
    assert set(extensions.names("providers")) == there
    assert "offline" in there


def test_the_first_with_a_key_is_chosen_and_else_offline(where: Home) -> None:
    assert launch.choose(where, None, {}) == "offline"
    assert launch.choose(where, None, {"DEEPSEEK_API_KEY": KEY}) == "deepseek"
    assert launch.choose(where, "", {"DEEPSEEK_API_KEY": KEY}) == "deepseek"
    assert launch.choose(where, "offline", {"DEEPSEEK_API_KEY": KEY}) == "offline"
    for without in ("DEEPSEEK_API_BASE", "DEEPSEEK_KEY", "DEEPSEEK_X_API_KEY", "MY_DEEPSEEK_API_KEY", "GITHUB_TOKEN"):
        assert launch.choose(where, None, {without: KEY}) == "offline"
    assert launch.choose(where, None, {"DEEPSEEK_API_KEY": ""}) == "offline"


@pytest.mark.parametrize("name", [name for name in launch.ORDER if name in extensions.names("providers")])
def test_every_variable_that_may_hold_a_credential_makes_its_provider_the_choice(where: Home, name: str) -> None:
    for key in providers.load(name).KEYS:
        assert credentials.has_credentials(name, {key: KEY}), key
        assert launch.choose(where, None, {key: KEY}) == name
        assert credentials.credentials(name, {key: KEY}) == {key: KEY}
        assert variables.split({key: KEY}) == ({}, {key: KEY})
        assert not credentials.has_credentials(name, {key: ""})


def test_credentials_of_another_kind_choose_nobody(where: Home) -> None:
    for name in ("OPENAI_CODEX_API_KEY", "DEEPSEEK_OAUTH_ACCESS_TOKEN", "OPENAI_CODEX_PROXY", "OPENAI_PROJECT"):
        assert launch.choose(where, None, {name: KEY}) == "offline"
    two = {"OPENAI_CODEX_OAUTH_TOKEN_FILE": "/a", "OPENAI_OAUTH_TOKEN_FILE": "/b"}
    assert launch.choose(where, None, two) == "openai"
    assert credentials.credentials("openai", {**two, "OPENAI_ORGANIZATION": "o", "OPENAI_CODEX_PROXY": "p"}) == {
        "OPENAI_OAUTH_TOKEN_FILE": "/b",
        "OPENAI_ORGANIZATION": "o",
    }


def test_a_server_of_ones_own_is_chosen_by_its_address_or_key_after_all_that_have_credentials(where: Home) -> None:
    for name in launch.OWN:
        for what in ("API_BASE", "API_KEY"):
            own = {credentials.variable(name, what): "http://127.0.0.1:9"}
            assert launch.choose(where, None, own) == name
            assert launch.choose(where, None, {**own, "GEMINI_API_KEY": KEY}) == "gemini"
    both = {"LOCAL_API_BASE": "http://127.0.0.1:9", "OLLAMA_API_BASE": "http://127.0.0.1:9"}
    assert launch.choose(where, None, both) == "ollama"
    assert launch.choose(where, None, dict.fromkeys(both, "")) == "offline"


def test_a_provider_of_ones_own_is_known_by_its_place_in_the_spool(where: Home) -> None:
    with pytest.raises(Misuse, match=r"no provider 'mine': did you mean gemini\? Possible names: .*, groq, xai, "):
        launch.choose(where, "mine", {})
    (where.calls / "new" / "mine").mkdir(parents=True)
    assert launch.choose(where, "mine", {}) == "mine"


@pytest.mark.parametrize("wanted", ["..", ".", "../new", "a b", "A", "wire", "__init__", "\0", "x" * 300, "-"])
def test_what_cannot_be_a_provider(where: Home, wanted: str) -> None:
    (where.calls / "new" / "a b").mkdir(parents=True)
    with pytest.raises(Misuse, match="no provider"):
        launch.choose(where, wanted, {})


def test_credentials_are_a_providers_own() -> None:
    secrets = {
        "OPENAI_CODEX_API_KEY": "1",
        "OPENAI_API_BASE": "https://u:p@host",
        "DEEPSEEK_API_KEY": "2",
        "GITHUB_TOKEN": "3",
    }
    assert credentials.credentials("openai-codex", secrets) == {"OPENAI_CODEX_API_KEY": "1"}
    assert credentials.credentials("openai", secrets) == {"OPENAI_API_BASE": "https://u:p@host"}
    assert credentials.credentials("gemini", secrets) == {}
    assert credentials.variable("openai-codex", "API_KEY") == "OPENAI_CODEX_API_KEY"


def test_a_fingerprint_tells_apart_and_tells_nothing() -> None:
    one, two = ({"DEEPSEEK_API_KEY": KEY + end} for end in "ab")
    assert credentials.fingerprint("deepseek", {}) == ""
    assert (
        credentials.fingerprint("deepseek", one)
        == credentials.fingerprint("deepseek", {**one, "GITHUB_TOKEN": "x"})
        != ""
    )
    assert credentials.fingerprint("deepseek", one) != credentials.fingerprint("deepseek", two)
    assert KEY not in credentials.fingerprint("deepseek", one)


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"\xff", b"[" * 99_999, b'{"deepseek": 3}', b"null"])
def test_what_cannot_be_read_of_a_cache_is_nothing(where: Home, data: bytes) -> None:
    (where.calls / "providers.json").write_bytes(data)
    assert launch.published(where) == {}


@pytest.mark.parametrize("data", ["", "abc def\n", "12\n", "1 2 3\n", "999999999 1\n"])
def test_stopping_what_is_not_there(where: Home, data: str) -> None:
    launch.stop(where, "offline")
    (where.calls / "offline.pid").write_text(data)
    launch.stop(where, "offline")


def test_stopping_leaves_a_process_alone_that_only_has_its_pid(where: Home) -> None:
    pid, started = process.own_mark()
    (where.calls / "offline.pid").write_text(f"{pid} {int(started) - 1}\n")
    launch.stop(where, "offline")  # it would end this test


# --- one process


def placed(where: Home, text: str) -> Call:
    data = requests.encode("a" * 32, "", {}, "", 0, [Part("user", text)])
    id = where.store().put(data, at="2026-01-01T00:00:00.000000Z", gist="request")
    call = Call(id, "a" * 32, "offline")
    queue.place(where, call)
    return call


def pid_of(where: Home) -> int | None:
    path = where.calls / "offline.pid"
    words = path.read_text().split() if path.exists() else []
    return int(words[0]) if len(words) == 2 and process.lives(int(words[0]), words[1]) else None


def outcome(where: Home, call: Call) -> queue.Outcome:
    directory = where.calls / "done" / call.agent
    disk.make_dir(directory)
    return until(lambda: queue.done(where, call.agent, call.id), directory)


def test_many_that_want_it_served_start_one_that_serves_all(where: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """Started by eight processes at once, with a secret; killed, it is started again and its call is answered."""
    for name, value in environment(where).items():
        monkeypatch.setenv(name, value)

    def ensure() -> None:
        launch.ensure(where, "offline", {"DEEPSEEK_API_KEY": KEY})

    together(*[ensure] * 3)
    pid = until(lambda: pid_of(where), where.calls)
    assert launch.served(where, "offline")
    assert outcome(where, placed(where, "hello")).reply
    assert pid_of(where) == pid
    shown = Path(f"/proc/{pid}/environ")
    if shown.exists() and os.access(shown, os.R_OK):
        assert KEY.encode() not in shown.read_bytes() + Path(f"/proc/{pid}/cmdline").read_bytes()
    os.kill(pid, signal.SIGKILL)
    until(lambda: not launch.served(where, "offline"), where.calls)
    call = placed(where, "and again")
    together(ensure)
    assert outcome(where, call).reply
    for path, data in files(where.root):
        assert KEY.encode() not in data, path
    launch.stop(where, "offline")
    until(lambda: not launch.served(where, "offline"), where.calls)
    assert json.loads((where.calls / "providers.json").read_bytes())["offline"]["configured"] is True


def test_one_that_another_starts_meanwhile_with_the_old_key_is_replaced_too(
    where: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An agent whose provider was asked to leave may start it again before the agent that asked does."""
    for name, value in environment(where).items():
        monkeypatch.setenv(name, value)
    lock = disk.open_file(where.calls / "deepseek.pid", os.O_RDWR | os.O_CREAT)
    assert disk.try_lock(lock)
    first = os.fork()
    if first == 0:
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
        _hold(where, lock)
        if os.fork() == 0:  # the lock is never free in between
            _hold(where, lock)
        os._exit(0)
    os.close(lock)
    until(lambda: launch.published(where).get("deepseek"), where.calls)
    secrets = {"DEEPSEEK_API_KEY": KEY}
    together(lambda: launch.ensure(where, "deepseek", secrets))
    mine = credentials.fingerprint("deepseek", secrets)
    try:
        until(lambda: launch.published(where)["deepseek"]["credentials"] == mine, where.calls)
    finally:
        launch.stop(where, "deepseek")
    until(lambda: not launch.served(where, "deepseek"), where.calls)
    os.waitpid(first, 0)


def _hold(where: Home, lock: int) -> None:
    """Hold the lock as a provider with an old key does, until SIGTERM."""
    launch.sign(lock, os.getpid())
    told = {"deepseek": {"pid": os.getpid(), "credentials": "old"}}
    disk.replace(where.calls / "providers.json", json.dumps(told).encode())
    signal.sigwait([signal.SIGTERM])


def test_a_lock_is_seen_and_let_go(where: Home) -> None:
    assert not launch.served(where, "offline")
    with open(where.calls / "offline.pid", "w") as file:
        assert not launch.served(where, "offline")
        fcntl.flock(file, fcntl.LOCK_EX)
        assert launch.served(where, "offline")
    assert not launch.served(where, "offline")


def test_a_provider_that_is_no_file_of_ours_is_not_started(where: Home) -> None:
    launch.ensure(where, "mine")
    assert os.listdir(where.calls) == []
