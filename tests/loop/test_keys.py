"""The keys at a start: a forked child starts the provider with them, and the agent gets only what settings name."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support import run, together

from dotagent.loop import keys
from dotagent.store import home, launch, variables
from dotagent.store.home import Home


def shed(text: bytes) -> int:
    """Let this process look as if it had shed these variables; the descriptor of the pipe."""
    read, write = os.pipe()
    os.write(write, text)
    os.close(write)
    os.environ[variables.SHED] = f"{os.getpid()} {read}"
    return read


@pytest.mark.parametrize("handed", ["", "deepseek"])
def test_only_what_the_settings_name_comes_back(where: Home, handed: str) -> None:
    (where.calls / "new" / "scripted").mkdir(parents=True)
    (where.root / home.SETTINGS).write_text('environment = ["EDITOR", "NOT_SET"]\n')
    settings = home.settings(where)

    def look() -> None:
        if handed:
            os.environ[launch.HANDED] = handed
        pipe = shed(b"ANY_KEY=sk-0123456789abcdef\0EDITOR=vi\0")
        before = dict(os.environ)
        assert keys.provider(where, settings, "scripted", "") == (handed or "scripted")
        del before[variables.SHED]
        before.pop(launch.HANDED, "")
        assert dict(os.environ) == {**before, "EDITOR": "vi"}
        with pytest.raises(OSError, match="Bad file"):
            os.fstat(pipe)

    together(look)


def test_a_wrong_variable_ends_the_start_with_one_line(where: Home) -> None:
    done = run(where, "agent.py", "--until-idle", env={"DOTAGENT_INSTANCE": "x"})
    assert done.returncode == 2
    assert done.stderr.startswith("dotagent: dotagent does not know the variable DOTAGENT_INSTANCE")
    assert done.stderr.count("\n") == 1


def test_an_env_file_is_read_by_the_child_alone(where: Home, tmp_path: Path) -> None:
    (where.root / ".env").write_text("no line of an env file\n")
    (where.root / ".env").chmod(0o600)
    done = run(where, "agent.py", "--until-idle")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1 and "line 1: write this line as NAME=VALUE" in done.stderr
