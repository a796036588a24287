"""Keys stay in the process that needs them, whatever a server does with what it was sent.

A home with the keys of nine providers and of a bridge, in the environment, in `.env` and in a token's file; servers
that refuse in every way and repeat the key in each of them; a command that looks for keys; a provider that is killed.
After that every file and name of the home, all output and every process are searched for each key, in pieces too.
"""

from __future__ import annotations

import os
import re
import signal
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from alive import Alive, Ended, a_home, forked, hears, kill_provider, provider_of, say
from canaries import CANARIES, NEEDLES, clean
from repeating import AGAIN, QUICK, Repeating, environment_of
from support import PATIENCE, files, spawn, until

from dotagent import __main__ as program
from dotagent.store import launch, queue, requests
from dotagent.store.home import Home
from dotagent.store.queue import Call
from dotagent.store.requests import Part

LIFE = "b" * 32  # whose calls the test places itself


def place(where: Home, provider: str, name: str, model: str = "m") -> Call:
    """A call for the provider in this scene."""
    body = requests.encode(LIFE, model, {}, "", 0, [Part("user", f"scene-{name} {provider}")])
    call = Call(where.store().put(body, at="2026-01-01T00:00:00.000000Z", gist="request"), LIFE, provider)
    queue.place(where, call)
    return call


ASKED = [
    *(("openai", name) for name in (*QUICK, *AGAIN)),
    *(("anthropic", name) for name in QUICK[:-3]),
    *((name, one) for name in ("ollama", "gemini") for one in ("denied", "forbidden", "refused", "late")),
    ("gemini", "garbled"),
    ("openrouter", "refused"),
    ("local", "refused"),
]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="processes are searched through /proc")
def test_no_key_is_anywhere_but_where_it_is_needed() -> None:
    with a_home() as where, Repeating() as server:
        env = environment_of(where, server)
        alive = Alive(where, **env)
        rest = spawn(where, "-m", "dotagent", "provider", env=env)  # by hand, and for all others
        try:
            _lives(where, alive)
            until(lambda: "anthropic" in launch.published(where), where.calls)
            placed = _placed(where)
            _looks(where, alive)
            _processes([alive.process.pid, rest.pid, provider_of(where, "deepseek")])
            told = [one for words in COMMANDS for one in _told(where, words, env)]
            kill_provider(where, "deepseek")
            say(where, "scene-denied")
            assert "DEEPSEEK_API_KEY is not set" in hears(where, "is not set")  # the new one was given no key
            _failed(where, placed)
            told += map(str, alive.end())
        finally:
            rest.send_signal(signal.SIGTERM)
            out, err = rest.communicate(timeout=PATIENCE)
        assert "already sends the requests to the provider deepseek" in err
        assert "cannot be reached" in err
        assert not any(word in err for word in ("Traceback", "never retrieved"))
        clean("\n".join([*told, out, err]), "output")
        _files(where)
        _was_sent(server)


def _placed(where: Home) -> dict[tuple[str, str], Call]:
    """Calls of every provider, all at once."""
    placed = {(provider, name): place(where, provider, name) for provider, name in ASKED}
    placed["local", "nothing"] = place(where, "local", "nothing", model="")
    place(where, "openai-codex", "proxy")  # it is tried again for long
    place(where, "nobody", "refused")  # this one stays
    return placed


def _failed(where: Home, placed: dict[tuple[str, str], Call]) -> None:
    """All of them are answered, as the scenes want it."""
    done = where.calls / "done" / LIFE
    until(lambda: {call.id for call in placed.values()} <= set(queue.names(done)), done)
    outcomes = {ask: queue.done(where, LIFE, call.id) for ask, call in placed.items()}
    assert all(one and (one.reply or one.hint) for one in outcomes.values())
    answered = {ask for ask, one in outcomes.items() if one and one.reply}
    assert answered == {("gemini", "garbled"), *(("openai", name) for name in ("whole", "echo", *AGAIN))}
    assert "OPENROUTER_API_BASE must be" in str(outcomes["openrouter", "refused"])
    assert "has no model loaded" in str(outcomes["local", "nothing"])


def _lives(where: Home, alive: Alive) -> None:
    """A life whose model fails, and repeats the key."""
    say(where, "scene-denied")
    assert "DEEPSEEK_API_KEY" in hears(where, "(no answer: ")
    say(where, "scene-echo")
    assert hears(where, "That is it.") == "again: [key], [key]! That is it."


def _looks(where: Home, alive: Alive) -> None:
    """A command of the life's looks for keys wherever it can."""
    say(where, "scene-look")
    hears(where, "done")
    seen = where.store().get(alive.lines("TOOL")[0].id).body
    assert b"PATH=" in seen
    assert b"looked" in seen


COMMANDS = ("providers", "usage", "status", "status --json", "doctor", "calls list", "agents")


def _told(where: Home, words: str, env: dict[str, str]) -> list[str]:
    """What a command prints whose person has the keys in the environment."""

    def main() -> int:
        os.environ.update(env, DOTAGENT_HOME=str(where.root))
        sys.argv = ["dotagent", *words.split(" ")]
        sys.orig_argv = [sys.executable, "-m", *sys.argv]  # it may run itself anew
        return program.main()

    ended: Ended = forked(main)
    assert ended.status in (0, 1), (words, ended)
    assert ended.out, words
    assert "Traceback" not in ended.err, (words, ended)
    return [ended.out, ended.err]


def _processes(mine: list[int]) -> None:
    """No process but those of people's own shells shows a key; none that holds keys shows anything to its own user."""
    searched = set()
    for path in Path("/proc").glob("[0-9]*"):
        for name in ("environ", "cmdline"):
            try:
                clean((path / name).read_bytes(), path / name)
            except (FileNotFoundError, ProcessLookupError):
                continue  # it has gone
            except PermissionError:
                assert name == "environ"
                continue
            searched.add((int(path.name), name))
    assert {(pid, "cmdline") for pid in mine} <= searched
    agent, *holders = mine
    assert (agent, "environ") in searched
    capable = int(re.findall(r"CapEff:\s*(\w+)", Path("/proc/self/status").read_text())[0], 16) >> 19 & 1
    if not capable:  # who may trace every process is shown all of them
        assert not {(pid, "environ") for pid in holders} & searched


def _files(where: Home) -> None:
    """Every file and every name of the home, but for the `.env` that a person wrote."""
    for folder, _, names in os.walk(where.root.parent):
        for name in names:
            clean(os.fsencode(os.path.join(folder, name)), "a name")
        for link in (path for path in map(Path(folder).joinpath, names) if path.is_symlink()):
            with suppress(FileNotFoundError):  # the provider's process still runs
                clean(os.readlink(link), link)
    kept = {path: data for path, data in files(where.root.parent) if path.name not in (".env", "auth.json")}
    for path, data in kept.items():
        clean(data, path)
    assert len(kept) > 100


def _was_sent(server: Repeating) -> None:
    """The keys were where they are needed: the servers had them to repeat."""
    sent = {key for _, key in server.seen}
    named = ("DEEPSEEK_API_KEY", "OPENAI_OAUTH_TOKEN_FILE", "ANTHROPIC_API_KEY", "OLLAMA_API_KEY")
    assert {CANARIES[name] for name in named} <= sent
    assert any(NEEDLES.search(key.encode()) for key in sent - set(CANARIES.values()))  # the password, encoded
