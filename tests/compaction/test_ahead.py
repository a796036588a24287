"""Reading ahead: after a swap a server that is alone with this machine reads the new prompt, until somebody speaks."""

from __future__ import annotations

from pathlib import Path

import pytest
from lives import chat, lines, living, talking

import agent
from dotagent.store import queue, requests


@pytest.mark.parametrize("alone", [True, False])
def test_the_new_prompt_is_read_while_nobody_waits(tmp_path: Path, alone: bool) -> None:
    with living(tmp_path, talking(), 2500) as lived:
        (lived.where.calls / "providers.json").write_text(f'{{"scripted": {{"alone": {str(alone).lower()}}}}}')
        while not lines(lived, "SWAP"):
            chat(lived, 1)
        lived.run()
        reads = [lived.me.calls.ahead] if lived.me.calls.ahead else []
        assert bool(reads) == alone
        rebuild = requests.Rebuilder(lived.where.store())
        events = len(lines(lived, "SPENT"))
        lived.say("And now?")
        while not lived.session.state.turn.call:
            assert agent.step(lived.me)
        live = requests.plain(rebuild.request(lived.session.state.turn.call).parts)
        for id in reads:
            asked = rebuild.request(id)
            assert asked.params["most"] == 1
            assert live.startswith(requests.plain(asked.parts[:-1]))
            assert not queue.placed(lived.where, "scripted", id)  # it would take the place of what was just read
        lived.run()
        assert not lived.me.calls.ahead
        assert len(lines(lived, "SPENT")) == events
        assert not list((lived.where.calls / "done").glob("*/*"))
