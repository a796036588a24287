"""What settings ask for and a home cannot give: `doctor` and `status` say so, and their exit status is not 0."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import make_home, run

from dotagent.store import launch
from dotagent.store.home import Home


@pytest.fixture
def where(tmp_path: Path) -> Iterator[Home]:
    """A new home, without any agent."""
    yield make_home(tmp_path / "home")


def write(where: Home, settings: str, secrets: str | None = None) -> None:
    (where.root / "dotagent.toml").write_text(settings)
    if secrets is not None:
        fd = os.open(where.root / ".env", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.write(fd, secrets.encode())
        os.close(fd)


LACKING = {  # settings, .env, what both commands say
    "no key": ('provider = "openai"\n', None, "OPENAI_API_KEY"),
    "empty key": ('provider = "openai"\n', "OPENAI_API_KEY=\n", "OPENAI_API_KEY is set, but empty"),
    "empty key, quoted": ('provider = "mistral"\n', 'MISTRAL_API_KEY=""\n', "MISTRAL_API_KEY is set, but empty"),
    "empty key, nothing chosen": ("", "ANTHROPIC_API_KEY=  # later\n", "ANTHROPIC_API_KEY is set, but empty"),
    "server without a key": ('provider = "groq"\n', None, "GROQ_API_KEY"),
    "fallback": ('provider = "offline"\nfallback = ["gemini"]\n', None, "GEMINI_API_KEY"),
    "background": ('provider = "offline"\n[background]\nprovider = "deepseek"\n', None, "DEEPSEEK_API_KEY"),
    "one agent's": ('[agents.12345678]\nprovider = "openrouter"\n', None, "OPENROUTER_API_KEY"),
    "one agent's fallback": ('[agents.12345678]\nfallback = ["openrouter"]\n', None, "OPENROUTER_API_KEY"),
    "search": ('[memory_search]\nprovider = "gemini"\n', None, "GEMINI_API_KEY"),
    "token without a bridge": ("", "DISCORD_BOT_TOKEN=x.y.z\n", "no [bridges.discord]"),
    "the other's token": ("[bridges.discord]\n", "DISCORD_BOT_TOKEN=x\nTELEGRAM_BOT_TOKEN=1:a\n", "[bridges.telegram]"),
    "bridge without a token": ("[bridges.telegram]\n", None, "telegram has no token"),
    "empty token": ("[bridges.telegram]\n", "TELEGRAM_BOT_TOKEN=\n", "telegram has no token"),
}


@pytest.mark.wide
@pytest.mark.parametrize("case", LACKING)
def test_what_cannot_be_had_is_said_with_an_exit_status(where: Home, case: str) -> None:
    settings, secrets, words = LACKING[case]
    write(where, settings, secrets)
    for command in ("status", "doctor"):
        done = run(where, "-m", "dotagent", command)
        assert done.returncode == 1 and words in " ".join(done.stdout.split()), (command, done.stdout)
        assert not done.stderr


REFUSED = {  # .env, its mode, what is said
    "no line of a variable": ("my key is 7\n", 0o600, "write this line as NAME=VALUE"),
    "a name that means nothing": ("DOTAGENT_PROVIDERS_OPENIA_API_KEY=x\n", 0o600, "does not know the variable"),
    "a setting": ("DOTAGENT_AGENTS_DEFAULTS_PROVIDER=openai\n", 0o600, "is a setting"),
    "open to others": ("OPENAI_API_KEY=x\n", 0o640, "other users of this machine can read"),
}


@pytest.mark.parametrize("case", [*REFUSED, "a directory"])
def test_an_env_that_is_refused_is_said_with_an_exit_status(where: Home, case: str) -> None:
    if case in REFUSED:
        write(where, "", REFUSED[case][0])
        (where.root / ".env").chmod(REFUSED[case][1])
    else:
        (where.root / ".env").mkdir()
    for command, status in (("status", 2), ("doctor", 1)):
        done = run(where, "-m", "dotagent", command)
        assert done.returncode == status and ".env" in done.stdout, (command, done.stdout)
        assert REFUSED.get(case, ("", 0, "irectory"))[2] in " ".join(done.stdout.split()) and not done.stderr


WELL = {
    "nothing chosen": ("", None),
    "offline": ('provider = "offline"\n', "OPENAI_API_KEY=\n"),
    "a key": ('provider = "openai"\n', "OPENAI_API_KEY=sk-1\n"),
    "one key of two": ("", "OPENAI_API_KEY=sk-1\nANTHROPIC_API_KEY=\n"),
    "a bridge": ("[bridges.discord]\n", "DISCORD_BOT_TOKEN=x.y.z\n"),
    "search by a server of one's own": ('[memory_search]\nprovider = "openai"\nbase = "http://127.0.0.1:9/v1"\n', None),
    "no search": ('[memory_search]\nprovider = "openai"\nenabled = false\n', None),
}


@pytest.mark.parametrize("case", WELL)
def test_nothing_is_said_of_what_can_be_had(where: Home, case: str) -> None:
    write(where, *WELL[case])
    for command in ("status", "doctor"):
        done = run(where, "-m", "dotagent", command)
        assert done.returncode == 0, (command, done.stdout)


def test_an_empty_variable_of_the_environment_is_named(where: Home) -> None:
    write(where, 'provider = "openai"\n', "OPENAI_API_KEY=sk-1\n")
    done = run(where, "-m", "dotagent", "status", env={"OPENAI_API_KEY": ""})
    assert done.returncode == 1 and "OPENAI_API_KEY is set, but empty" in done.stdout


def test_up_says_why_a_bridge_with_a_token_does_not_start(where: Home) -> None:
    write(where, 'provider = "offline"\n', "DISCORD_BOT_TOKEN=x.y.z\n")
    done = run(where, "-m", "dotagent", "up", "-d")
    try:
        assert done.returncode == 0 and "keeps the agents and bridges of" in done.stdout
        assert "DISCORD_BOT_TOKEN is set, but discord does not start: add the line [bridges.discord]" in done.stderr
    finally:
        assert run(where, "-m", "dotagent", "down").returncode == 0
    assert not launch.served(where, "offline")
