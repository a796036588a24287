"""onboard: a home is set up by questions or options; what does not answer is not written; keys stay unseen."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Callable

import messaging
import pytest
from loopback import Answer, Received, Server, refusal, stream
from support import run
from terminals import Terminal

from dotagent.store import home, launch, lives
from dotagent.store.home import Home

KEY = "sk-0123456789abcdef"
PAPERS = ("USER.md", "IDENTITY.md")


def ends(where: Home, told: str) -> None:
    """The agent that was started in the background leaves, by the way that a person is told."""
    found = re.search(r"`kill\s+(\d+)`", told)
    assert found, told
    os.kill(int(found[1]), signal.SIGTERM)
    while any(lives.runs(where, one) for one in home.lives(where)):
        os.sched_yield()


def answers(screen: Terminal, *words: str) -> None:
    """Answer the questions about the person and the agent."""
    for question, answer in zip(("call you?", "agent's name?", "agent for?"), words, strict=False):
        screen.sees(question)
        screen.type(f"{answer}\n")


def files(where: Home) -> tuple[str, str]:
    found = [where.root / name for name in ("dotagent.toml", ".env")]
    return tuple(path.read_text() if path.exists() else "" for path in found)  # type: ignore[return-value]


def test_a_script_gives_options_and_the_key_by_a_pipe(where: Home) -> None:
    with Server(stream("hello")) as server:
        env = {"DEEPSEEK_API_BASE": server.base}
        words = ("onboard", "--provider", "deepseek", "--model", "deepseek-chat", "--key-from-stdin", "--no-agent")
        done = run(where, "-m", "dotagent", *words, env=env, stdin=f"{KEY}\n")
        assert done.returncode == 0, done.stderr
        assert server.received[0].headers["authorization"] == f"Bearer {KEY}"
    assert files(where) == ('provider = "deepseek"\nmodel = "deepseek-chat"\n', f"DEEPSEEK_API_KEY={KEY}\n")
    assert (where.root / ".env").stat().st_mode & 0o777 == 0o600
    assert KEY not in done.stdout + done.stderr and "answered in" in done.stdout
    assert home.lives(where) == []


CLAUDE = {"/v1/models": {"data": [{"id": "claude-sonnet"}]}}


def gateway(received: Received) -> Answer:
    """The answer of a gateway with both formats."""
    return messaging.stream("hello") if received.path == "/v1/messages" else stream("hello")


def chat_only(received: Received) -> Answer:
    """The answer of a gateway that has only the chat format."""
    return refusal(404, "Not Found") if received.path == "/v1/messages" else stream("hello")


@pytest.mark.parametrize(
    ("provider", "answer", "told"),
    [
        ("litellm", gateway, "set providers.litellm.like anthropic; "),
        ("local", gateway, "set providers.gateway.like anthropic; "),
        ("litellm", chat_only, ""),
    ],
)
def test_for_claude_behind_a_gateway_it_names_the_format_that_keeps_ends(
    where: Home, provider: str, answer: Callable[[Received], Answer], told: str
) -> None:
    with Server(answer, pages=CLAUDE) as server:
        words = ("onboard", "--provider", provider, "--base", f"{server.base}/v1", "--model", "claude-sonnet")
        done = run(where, "-m", "dotagent", *words, "--key-from-stdin", "--no-agent", stdin=f"{KEY}\n")
    assert done.returncode == 0, done.stderr
    assert told in done.stdout and ("(/v1/messages)" in done.stdout) == bool(told)
    assert 'like = "anthropic"' not in files(where)[0] and KEY not in done.stdout


@pytest.mark.slow
def test_a_gateway_without_a_key_is_set_up_and_the_format_is_named(where: Home) -> None:
    with Server(gateway, pages=CLAUDE) as server:
        words = ("onboard", "--provider", "litellm", "--base", f"{server.base}/v1", "--model", "claude-sonnet")
        done = run(where, "-m", "dotagent", *words, "--no-agent")
        assert done.returncode == 0 and "set providers.litellm.like anthropic; " in done.stdout, done.stderr
        assert not [one for one in server.received if {"authorization", "x-api-key"} & {*one.headers}]


@pytest.mark.night
@pytest.mark.parametrize(("said", "kept"), [("\n", True), ("n\n", False)])
def test_a_person_chooses_the_format_for_claude_behind_a_gateway(where: Home, said: str, kept: bool) -> None:
    with (
        Server(gateway, pages=CLAUDE) as server,
        Terminal(where, "-m", "dotagent", "onboard", "--no-agent", width=110, height=60,
                 LOCAL_API_KEY=KEY, LOCAL_API_BASE=f"{server.base}/v1") as screen,
    ):  # fmt: skip
        screen.sees("Number or name")
        screen.type("local\n")
        screen.sees("Which model?")
        screen.type("claude-sonnet\n")
        screen.sees("Use this format? [Y/n]")
        screen.type(said)
        answers(screen, "", "", "")
        screen.sees("saved ")
        assert screen.ends() == 0
        written = files(where)[0]
        assert ("[providers.gateway]" in written and 'provider = "gateway"' in written) == kept
        if kept:
            done = run(where, "-m", "dotagent", "providers", "gateway", "--check", env={"LOCAL_API_KEY": KEY})
            assert done.returncode == 0 and "answered in" in done.stdout, done.stdout
            assert server.received[-1].path == "/v1/messages"


@pytest.mark.slow
@pytest.mark.parametrize("words", [("--key-from-stdin",), ()])
def test_what_does_not_answer_is_not_written(where: Home, words: tuple[str, ...]) -> None:
    with Server(refusal(401, "bad key")) as server:
        given = ("onboard", "--provider", "deepseek", *words)
        done = run(where, "-m", "dotagent", *given, env={"DEEPSEEK_API_BASE": server.base}, stdin=f"{KEY}\n")
    assert done.returncode == (1 if words else 2) and done.stderr.count("\n") == 1
    assert ("nothing was changed" if words else "DEEPSEEK_API_KEY is not set") in done.stderr
    assert files(where) == ("", "") and KEY not in done.stdout + done.stderr


@pytest.mark.slow
def test_without_a_model_an_agent_is_born_and_answers(where: Home) -> None:
    done = run(where, "-m", "dotagent", "onboard", "--provider", "offline", "-m", "remember that my seat is 14A")
    assert done.returncode == 0 and "14A" in done.stdout, done.stderr
    assert files(where)[0] == 'provider = "offline"\n'
    (born,) = home.lives(where)
    ends(where, done.stderr)
    done = run(where, "-m", "dotagent", "onboard")  # again: nothing else is asked for, nobody else is born
    assert done.returncode == 0 and f"agent {born[:12]}" in done.stdout and home.lives(where) == [born]


@pytest.mark.slow
def test_without_a_choice_no_provider_is_saved_so_that_a_later_key_counts(where: Home) -> None:
    done = run(where, "-m", "dotagent", "onboard", "--no-agent")
    assert done.returncode == 0 and "dotagent uses offline until you set a key" in done.stdout, done
    assert files(where) == ("", "")
    done = run(where, "-m", "dotagent", "onboard", "--no-agent", "--no-check", "--model", "m1")
    assert done.returncode == 0 and "no setting was changed" not in done.stdout, done
    assert 'model = "m1"' in files(where)[0]


@pytest.mark.night
def test_at_a_terminal_it_asks_tries_and_ends_in_a_conversation(where: Home) -> None:
    with Server(refusal(401, "bad key"), stream("hello"), stream("I am here")) as server:
        with Terminal(
            where, "-m", "dotagent", "onboard", width=110, height=60, DEEPSEEK_API_BASE=server.base
        ) as screen:
            shown = screen.sees("Number or name")
            number = re.search(r"(\d+)  deepseek +needs DEEPSEEK_API_KEY", shown)
            assert number and re.search(r"offline +answers from built-in rules", shown)
            screen.type("nobody\n")
            screen.sees("No provider 'nobody'")
            screen.type(f"{number[1]}\n")
            screen.sees("Which model?")
            screen.type("\n")
            screen.sees("DEEPSEEK_API_KEY (input is hidden)")
            screen.type("sk-wrong\n")
            screen.until(lambda text: text.count("(input is hidden)") == 2)
            screen.type(f"{KEY}\n")
            answers(screen, "Ana", "Aria", "letters to the council")
            screen.sees("in room dev")
            screen.type("who are you?\r")
            screen.sees("I am here")
            screen.type("\x04")
            assert screen.ends() == 0 and screen.given_back()
            assert KEY not in screen.raw and "sk-wrong" not in screen.raw
        assert files(where) == ('provider = "deepseek"\n', f"DEEPSEEK_API_KEY={KEY}\n")
        assert launch.served(where, "deepseek")
        folder = where.agent(home.lives(where)[0])
        assert "- **What to call them:** Ana\n" in (folder / "USER.md").read_text()
        identity = (folder / "IDENTITY.md").read_text()
        assert "- **Name:** Aria\n" in identity and identity.endswith("- **Purpose:** letters to the council\n")
        assert not (folder / "BOOTSTRAP.md").exists()  # it would ask for all of that again
        ends(where, screen.screen.text())


@pytest.mark.night
def test_a_server_of_ones_own_is_asked_for_its_address(where: Home) -> None:
    with (
        Server(stream("hello")) as server,
        Terminal(where, "-m", "dotagent", "onboard", "--no-agent", width=110, height=60) as screen,
    ):
        assert "local         is your own server" in screen.sees("Number or name")
        screen.type("local\n")
        screen.sees("Address of the server? [http://127.0.0.1:8080/v1]")
        screen.type(f"{server.base}\n")
        screen.sees("Which model?")
        screen.type("small\n")
        answers(screen, "", "", "")
        screen.sees("saved ")
        assert screen.ends() == 0
    assert f'base = "{server.base}"' in files(where)[0]
    assert not any((where.root / name).exists() for name in PAPERS)


@pytest.mark.slow
@pytest.mark.parametrize("given", ["", "deepseek\n", "deepseek\n\n"])
def test_who_leaves_at_a_question_has_changed_nothing(where: Home, given: str) -> None:
    with Terminal(where, "-m", "dotagent", "onboard", width=110, height=60) as screen:
        screen.sees("Number or name")
        screen.type(given)
        screen.sees(("Number or name", "Which model?", "(input is hidden)")[given.count("\n")])
        screen.type("\x04")
        assert "no answer, so nothing was changed" in screen.sees("nothing was changed")
        assert screen.ends() == 1
    assert files(where) == ("", "")


@pytest.mark.slow
@pytest.mark.parametrize(("given", "signum"), [(("Ana",), 0), ((), signal.SIGINT), (("Ana", "Aria"), signal.SIGINT)])
def test_who_leaves_at_the_last_questions_has_written_nothing(where: Home, given: tuple[str, ...], signum: int) -> None:
    with Terminal(where, "-m", "dotagent", "onboard", width=110, height=60) as screen:
        screen.sees("Number or name")
        screen.type("offline\n")
        answers(screen, *given)
        screen.sees(("call you?", "agent's name?", "agent for?")[len(given)])
        if signum:
            screen.interrupt(signum)
        else:
            screen.type("\x04")
        assert screen.ends() != 0 and "Traceback" not in screen.screen.text()
    assert files(where) == ("", "") and not any((where.root / name).exists() for name in PAPERS)


@pytest.mark.slow
def test_a_script_names_the_person_and_the_agent_and_words_that_are_there_stay(where: Home) -> None:
    words = ("-m", "dotagent", "onboard", "--provider", "offline", "--no-agent")
    (where.root / "USER.md").write_text("I am Ana.\n")
    done = run(where, *words, "--call-me", "Bea")
    assert done.returncode == 2 and f"--call-me: {where.root / 'USER.md'} already has text" in done.stderr
    assert files(where) == ("", "")
    done = run(where, *words, "--name", "Aria", "--purpose", "letters")
    assert done.returncode == 0 and f"saved {where.root / 'IDENTITY.md'}" in done.stdout
    assert (where.root / "USER.md").read_text() == "I am Ana.\n"
    done = run(where, *words, "--name", "Bob")
    assert done.returncode == 2 and "already has text" in done.stderr
    assert "- **Name:** Aria\n" in (where.root / "IDENTITY.md").read_text()
    done = run(where, "-m", "dotagent", "onboard", "-m", "remember that my seat is 14A")
    ends(where, done.stderr)
    done = run(where, *words, "--name", "Bob")
    assert done.returncode == 2 and "is a file of an agent that exists" in done.stderr
