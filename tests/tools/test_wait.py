"""WAIT does nothing, and ends the turn."""

from __future__ import annotations

from hands import Hands


def test_waiting_is_a_turns_end_in_silence(hands: Hands) -> None:
    entries = len(hands.session.entries)
    assert hands.do("WAIT\nWAIT") == ["ok", "ok"]
    assert len(hands.session.entries) == entries
    assert not hands.session.state.turn.unread
