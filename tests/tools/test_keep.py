"""KEEP holds an entry within its share of the context."""

from __future__ import annotations

import pytest
from hands import Hands

from dotagent.tools import keep


def test_keeping_an_entry(hands: Hands) -> None:
    hands.world.say("always speak French")
    hands.world.me.inbox.hear()
    number = hands.session.entries[-1].number
    assert hands.do(f"KEEP {number}\nKEEP #{number}\nKEEP {number} it is important") == ["ok"] * 3
    assert hands.session.state.forgetting.kept == (number,)


def test_the_number_of_a_turn_beside_a_message_means_the_message(hands: Hands) -> None:
    """A small model copies it: `KEEP 0903` stood in the example before what it was asked."""
    hands.world.say("keep in mind that I am allergic to nuts")
    hands.world.me.inbox.hear()
    number = hands.session.entries[-1].number
    assert hands.do("KEEP 0903") == ["ok"]
    assert hands.session.state.forgetting.kept == (number,)


@pytest.mark.parametrize("what", ["", "999", "0", "-1", "x", "1.5", "９", "1 " * 9000])
def test_what_is_no_entry_is_told(hands: Hands, what: str) -> None:
    if what.startswith("1 "):
        assert hands.one(f"KEEP {what}") == "ok"
        return
    hands.fails(f"KEEP {what}", "there is no entry")
    assert hands.session.state.forgetting.kept == ()


def test_the_budget_is_a_tenth_of_the_context(hands: Hands) -> None:
    budget = int(keep.KEPT * hands.session.limit)
    for number in range(5):
        hands.world.say(f"{number} " + "paper " * 2000)
    hands.world.me.inbox.hear()
    entries = [entry for entry in hands.session.entries if entry.event == "HEAR"]
    fits = budget // entries[0].tokens
    assert 0 < fits < len(entries)
    for entry in entries[:fits]:
        assert hands.one(f"KEEP {entry.number}") == "ok"
    hands.fails(f"KEEP {entries[fits].number}", "KEEP has room for", "MEMORY.md")
    assert hands.session.state.forgetting.kept == tuple(entry.number for entry in entries[:fits])
