"""A session of another program: when a turn is over for whoever waits for it."""

from __future__ import annotations

from pathlib import Path

import pytest
from world import Cut, said, world

from dotagent.offered import offer
from dotagent.offered.conversation import Follow


@pytest.mark.parametrize("reply", ["SAY dev whole", "whole", Cut("SAY dev whole\nRUN rm -rf half")])
def test_a_turn_is_over_once_all_is_done_that_its_reply_asks_for(tmp_path: Path, reply: str) -> None:
    with world(tmp_path / "home", lambda messages, call: reply) as here:
        here.run()
        outlook = offer.of(here.where, "private", "ana", True)
        follow, room = Follow(outlook, here.session.id, "dev"), here.where.room("dev")
        here.say("hello")
        size = room.stat().st_size
        assert not follow.heard(size)
        here.run()
        follow.look()
        assert said(here.where) == ["whole"]
        assert follow.heard(size)
