"""`acp` in the hands of a client that nobody here wrote: npm's acpx, a headless editor, where it is installed.

`.ci/real VENV acp` installs it; `DOTAGENT_ACPX` is its program.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from alive import end_all
from edited import lived
from support import PATIENCE, ROOT, environment

from dotagent.store import home, log
from dotagent.store.home import Home

ACPX = os.environ.get("DOTAGENT_ACPX", "")
REFUSED = 5  # acpx's status where a question was answered with no
pytestmark = pytest.mark.skipif(not ACPX, reason="DOTAGENT_ACPX names no program of acpx")


class Client:
    """acpx, in a directory of its own, with an agent of this home."""

    def __init__(self, where: Home, folder: Path) -> None:
        served = [sys.executable, "-m", "dotagent", "acp", "--audience", "private", "--home", str(where.root)]
        self._words = [ACPX, "--cwd", str(folder), "--timeout", "60", "--ttl", "5", "--agent", shlex.join(served)]
        self._env = {**environment(where), "PYTHONPATH": str(ROOT), "HOME": str(folder)}
        folder.mkdir()

    def __call__(self, *words: str) -> str:
        """What it prints. Fails where acpx does."""
        done = subprocess.run([*self._words, *words], capture_output=True, text=True, env=self._env, timeout=PATIENCE)
        assert done.returncode in (0, REFUSED), done
        return done.stdout

    def updates(self, *words: str) -> Iterator[dict[str, object]]:
        """Each update of the session that came over the wire."""
        for line in self("--format", "json", *words).strip().split("\n"):
            message = json.loads(line)
            if message.get("method") == "session/update":
                yield message["params"]["update"]


def test_one_session_goes_on_from_prompt_to_prompt(tmp_path: Path) -> None:
    where = Home(tmp_path / "home")  # which acp makes
    acpx = Client(where, tmp_path / "work")
    try:
        room = acpx("sessions", "new").split()[-1]
        assert acpx("remember that the wifi is called Heron").rstrip().endswith("[done] end_turn")
        assert "Heron" in acpx("what is the wifi called?")
        told = where.room(room).read_text()
        assert told.count("[USER:ana ") == 2 and "Heron" in told.strip().split("\n")[-1]
        acpx("sessions", "close")
    finally:
        end_all(where)


@pytest.mark.parametrize(("answer", "ended"), [("--approve-all", "completed"), ("--deny-all", "failed")])
def test_what_is_asked_is_the_persons_to_answer(
    tmp_path: Path, answer: str, ended: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOTAGENT_SANDBOX", "off")  # a command in a sandbox is not asked about
    replies = [
        "RUN echo what a command prints is not the word of its person",
        "RUN echo and so this is asked",
        "That is all.",
    ]
    with lived(tmp_path, lambda number, call: replies[min(number, 2)], "") as where:
        seen = list(Client(where, tmp_path / "work").updates(answer, "exec", "look around"))
        assert [one["status"] for one in seen if one["sessionUpdate"] == "tool_call_update"] == ["completed", ended]
        (self_id,) = home.lives(where)
        told = [line.detail for line in log.lines(where.agent(self_id) / "LIFE.md") if line.event == "TOOL"]
        assert told == ["RUN ok", "RUN asked"] + ["RUN ok"] * (ended == "completed")
