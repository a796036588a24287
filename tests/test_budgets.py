"""A budget of money as its person meets it: told, held, looked up and raised, with an agent that is killed between."""

from __future__ import annotations

import json
import signal

import pytest
from alive import Alive, a_home, hears, said, say
from providers.loopback import Server, stream
from support import PATIENCE, run

SETTINGS = """[budget]
dollars_a_day = 2.5
[prices."deepseek-v4-pro"]
input = 10000
cached = 10000
output = 0
peak = 1
"""  # a dollar for the hundred tokens that each prompt has, by what the server says


@pytest.mark.night
def test_it_is_told_held_looked_up_and_raised() -> None:
    with a_home() as where, Server(stream("here you are")) as server:
        (where.root / "dotagent.toml").write_text(SETTINGS)
        env = {"DEEPSEEK_API_KEY": "sk-0123456789", "DEEPSEEK_API_BASE": server.base}
        alive = Alive(where, **env)
        for turn in (1, 2):
            say(where, "hello")
            hears(where, "here you are", turn)
        done = run(where, "chat.py", "-m", "hello?", "--wait", f"{PATIENCE:g}")
        assert (done.returncode, done.stdout) == (0, "here you are\n")  # the notice before it is no answer
        assert said(where)[-2] == "(budget: 80% of $2.50 a day for all agents is used, $2.00)"
        assert len(server.received) == 3
        alive.end(signal.SIGKILL)

        alive = Alive(where, alive.id, **env)
        done = run(where, "chat.py", "-m", "and now?", "--wait", f"{PATIENCE:g}")
        assert (
            done.returncode == 1
            and "$2.50 a day for all agents is used up ($3.00). I continue after midnight" in done.stdout
        )
        alive.end(signal.SIGKILL)
        alive = Alive(where, alive.id, **env)
        assert "no answer from the model since" in run(where, "-m", "dotagent", "status").stdout
        rows = map(json.loads, run(where, "-m", "dotagent", "usage", "--json").stdout.split("\n")[:-1])
        (left,) = [row for row in rows if row["by"] == "budget"]
        assert (left["used"], left["limit"], left["left"]) == (3.0, 2.5, 0.0)
        assert len(server.received) == 3  # no restart asks for what was held

        (where.root / "dotagent.toml").write_text(SETTINGS.replace("2.5", "25"))
        done = run(where, "chat.py", "-m", "I raised it", "--wait", f"{PATIENCE:g}")
        assert (done.returncode, done.stdout) == (0, "here you are\n")
        alive.end()
