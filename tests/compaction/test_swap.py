"""What a swap makes of entries that were kept: they yield where they must, and go back to their place."""

from __future__ import annotations

from pathlib import Path

import pytest
from lives import chat, living, talking

from dotagent.compaction import receipt, swap, tree
from dotagent.compaction.plan import Chunk
from dotagent.compaction.summary import Summary
from dotagent.life.events import Keep


@pytest.mark.night
def test_what_was_kept_when_there_was_room_yields_to_a_model_that_takes_less(tmp_path: Path) -> None:
    """And its mark is not left on the summary that takes its number."""
    with living(tmp_path, talking(), 8000) as lived:
        chat(lived, 12, 60)
        for entry in lived.session.entries[:6]:
            lived.session.record(Keep(entry.number))
    with living(tmp_path, talking(), 1500) as lived:
        chat(lived, 20)
        assert lived.session.entries[0].event == "FADED"
        assert lived.session.entries[0].number == 1
        assert 1 not in lived.session.state.forgetting.kept
        chat(lived, 20)


@pytest.mark.slow
def test_what_was_kept_goes_back_to_its_place_among_what_faded_around_it(tmp_path: Path) -> None:
    """A summary tells how far it reaches, also where the last of what it sums up stood within an older one."""
    with living(tmp_path, talking(), 2000) as lived:
        chat(lived, 3, 60)
        lived.session.record(Keep(2))
        while not any(entry.event == "FADED" for entry in lived.session.entries):
            chat(lived, 2)
        assert [entry.number for entry in lived.session.entries[:2]] == [1, 2]
        reach = receipt.span(lived.session.entries[0])[1]
        assert reach > 2
        chosen = [(Chunk(1, 2, 3, "bread"), Summary(3, "bread", "ana: bread."))]
        assert swap.fade(lived.session, chosen, lived.session.entries[:2], "asked", part=False)
        over = lived.session.entries[0]
        assert receipt.span(over) == (1, reach)
        assert [one.number for one in tree.originals(lived.session.store, over.line.id)] == list(range(1, reach + 1))
