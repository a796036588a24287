"""gateway: the name that other systems have for `up`."""

from __future__ import annotations

import pytest
from support import run

from dotagent.capabilities.supervisor import report
from dotagent.store.home import Home


@pytest.mark.slow
def test_gateway_runs_and_ends_what_up_runs(where: Home) -> None:
    settings = (where.root / "dotagent.toml").read_text() if (where.root / "dotagent.toml").exists() else ""
    (where.root / "dotagent.toml").write_text(f'provider = "offline"\n{settings}')
    for words in (["gateway", "-d"], ["gateway", "run", "--detach"]):
        done = run(where, "-m", "dotagent", *words)
        assert done.returncode == 0 and "keeps the agents and bridges of" in done.stdout, done
        try:
            assert report.runs(where)
            assert run(where, "-m", "dotagent", "up", "-d").returncode == 1  # the same lock
        finally:
            assert run(where, "-m", "dotagent", "gateway", "stop").returncode == 0
        assert not report.runs(where)
    wrong = run(where, "-m", "dotagent", "gateway", "walk")
    assert wrong.returncode == 2 and wrong.stderr.count("\n") == 1 and "'run'" in wrong.stderr
