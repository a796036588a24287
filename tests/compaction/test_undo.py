"""A swap's receipt, and a swap undone: what left is told to the byte, and comes back as if it had never left."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

import pytest
from lives import chat, good, lines, living, prose, talking
from world import World, said

from dotagent.compaction import receipt, undo
from dotagent.errors import Trouble
from dotagent.life import persona, prompt
from dotagent.life.replay import derive
from dotagent.store import requests


def sent(lived: World, until: int | None = None) -> bytes:
    """The next prompt, byte for byte, now or when LIFE was so long."""
    here = lived.session
    view = derive(lived.where, here.id, here.settings.context_limit, until=until)
    parts = [*persona.head(lived.where, here.id, view.state, "", here.settings), *prompt.parts(list(view.entries))]
    return requests.as_text(parts)


def newest(lived: World) -> list[str]:
    """The last two parts of the prompt, without the time, which is shown where another hour begins."""
    return [re.sub(r"^(#\d+) \d\d:\d\d", r"\1", part.text) for part in prompt.parts(lived.session.entries)[-2:]]


def last_swap(lived: World) -> tuple[str, int]:
    """The id of the last swap, and where its line begins."""
    line, offset = list(receipt.swaps(lived.where, lived.session.id))[-1]
    return line.id, offset


def wish(lived: World, id: str) -> None:
    lived.me.compactor.whole.regret.write_text(id)
    lived.run()
    assert not lived.me.compactor.whole.regret.exists()


def forgetful(lived: World) -> None:
    """Let it talk until it has forgotten something."""
    while not lines(lived, "SWAP"):
        chat(lived, 1, seed=len(lived.session.entries))


def test_the_prompt_is_what_it_would_have_been(tmp_path: Path) -> None:
    with living(tmp_path, talking()) as lived:
        forgetful(lived)
        id, offset = last_swap(lived)
        before = sent(lived, offset)
        assert sent(lived) != before
        wish(lived, id)
        assert sent(lived) == before
        undone = lines(lived, "SWAP")[-1]
        assert undone.detail.startswith("unfade tokens=")
        assert undone.detail.endswith(f" undoes={id}")
        assert lived.session.state.forgetting.back
        wish(lived, id)  # a process that died between the swap and the wish's end: nothing happens twice
        assert len(lines(lived, "SWAP")) == 2


@pytest.mark.slow
def test_what_was_heard_since_stays_and_the_next_cut_is_another(tmp_path: Path) -> None:
    with living(tmp_path, talking(), 3000) as lived:
        forgetful(lived)
        cut = {line.detail.split(" ")[0] for line in lines(lived, "FADE")}
        id, offset = last_swap(lived)
        chat(lived, 1, words=10, seed=99)
        told = newest(lived)
        wish(lived, id)
        assert sent(lived).startswith(sent(lived, offset))
        assert newest(lived) == told
        faded = len(lines(lived, "FADE"))
        while lines(lived, "SWAP")[-1].detail.startswith("unfade"):
            chat(lived, 1, seed=len(lived.session.entries))
        assert cut != {line.detail.split(" ")[0] for line in lines(lived, "FADE")[faded:]}
        assert not lived.session.state.forgetting.back


@pytest.mark.night
def test_an_older_swap_comes_back_as_far_as_there_is_room(tmp_path: Path) -> None:
    with living(tmp_path, talking(), 4000) as lived:
        while len(lines(lived, "SWAP")) < 4:
            chat(lived, 1, seed=len(lived.session.entries))
        first = lines(lived, "SWAP")[0].id
        before = lived.session.tokens
        wish(lived, first)
        assert before < lived.session.tokens <= undo.ROOM * lived.session.limit
        assert any(entry.event == "FADED" for entry in lived.session.entries)


def test_an_undo_that_is_undone_leaves_no_entry_out(tmp_path: Path) -> None:
    """What the undone undo had brought back is in a later summary, whose borders are others."""
    with living(tmp_path, talking(), 3000) as lived:
        while len(lines(lived, "SWAP")) < 3:
            chat(lived, 1, seed=len(lived.session.entries))
        wish(lived, last_swap(lived)[0])
        undid, swaps = last_swap(lived)[0], len(lines(lived, "SWAP"))
        lived.model = talking(partial(good, each=4))
        while len(lines(lived, "SWAP")) < swaps + 3:
            chat(lived, 1, seed=len(lived.session.entries))
        wish(lived, undid)
        assert lines(lived, "SWAP")[-1].detail.endswith(f" undoes={undid}")


def test_a_wish_that_names_nothing_is_told(tmp_path: Path) -> None:
    with living(tmp_path, talking()) as lived:
        chat(lived, 1)
        wish(lived, "0" * 32)
        assert lines(lived, "ERROR")[-1].detail.endswith("have the id 000000000000; `forgotten --swaps` lists the ids")
        with pytest.raises(Trouble, match="no summaries of agent"):
            undo.undo(lived.session, "0" * 32)


def test_what_a_compaction_asked_for_is_called_back(tmp_path: Path) -> None:
    """A wish that comes while the next compaction is under way ends that."""
    with living(tmp_path, talking()) as lived:
        forgetful(lived)
        id, _ = last_swap(lived)
        lived.model = talking(lambda messages, call: None)
        lived.me.compactor.whole.wish.write_bytes(b"")
        lived.run()
        assert lived.session.state.forgetting.compaction
        wish(lived, id)
        assert lived.session.state.forgetting.compaction is None
        lived.model = talking(good)
        chat(lived, 1)


@pytest.mark.slow
def test_the_last_that_stands_is_meant(tmp_path: Path) -> None:
    with living(tmp_path, talking()) as lived:
        assert receipt.last(lived.where, lived.session.id) is None
        while len(lines(lived, "SWAP")) < 3:
            chat(lived, 1, seed=len(lived.session.entries))
        ids = [line.id for line in lines(lived, "SWAP")]
        for id in reversed(ids):
            last = receipt.last(lived.where, lived.session.id)
            assert last
            assert last.id == id
            wish(lived, id)
            if len(lines(lived, "SWAP")) > len(ids):
                break


def test_a_receipt_tells_of_what_was_stripped(tmp_path: Path) -> None:
    thinks = f"<reasoning>\n{prose(__import__('random').Random(1), 60)}\n</reasoning>\n\nYes."
    with living(tmp_path, talking(answer=thinks), 3000) as lived:
        forgetful(lived)
        where, id = lived.where, lived.session.id
        made = [receipt.receipt(where, id, 3000, *one) for one in receipt.swaps(where, id)]
        assert any(one.left("stripped").bytes > 0 for one in made)
        assert all(one.left() == one.was - one.now for one in made)
        assert all(one.left("stripped").entries == 0 for one in made)


def test_a_room_is_told_if_its_person_wants_it(tmp_path: Path) -> None:
    (tmp_path / "dotagent.toml").write_text('notify = "fade"\n')
    with living(tmp_path, talking()) as lived:
        forgetful(lived)
        lived.run()
        notices = [words for words in said(lived.where) if words.startswith("(summarised: ")]
        assert len(notices) == 1
        assert "messages" in notices[0]
        assert "unfade" in notices[0]
        faded = [
            one
            for one in receipt.receipt(
                lived.where, lived.session.id, 1500, *list(receipt.swaps(lived.where, lived.session.id))[-1]
            ).items
            if one.how == "summed"
        ]
        assert f"(summarised: {sum(one.was.entries for one in faded)} messages, " in notices[0]
        assert lived.session.state.forgetting.unsaid == ""


def test_nobody_is_told_who_does_not_want_it(tmp_path: Path) -> None:
    with living(tmp_path, talking()) as lived:
        forgetful(lived)
        lived.run()
        assert not [words for words in said(lived.where) if words.startswith("(")]
