"""What a context shows already, kept up entry by entry, is what a walk through all of its entries finds."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from dotagent.capabilities.faint_memory.visible import InContext
from dotagent.life.context import Entry
from dotagent.search.turn import number
from dotagent.store.log import Line

START = datetime(2026, 11, 21, 20, 17, tzinfo=UTC)
EVENTS = st.sampled_from(["HEAR", "REPLY", "FADED", "FAINT", "TOOL"])
CONTENTS = st.sampled_from(
    [b"", b"see hash=0123456789ab", b"UNCOMPACT deadbeef01 and", b"cafe0123456789ab is it", b"no id"]
)
PARTS = st.lists(st.tuples(EVENTS, CONTENTS), max_size=6)


def entry(at: int, event: str, content: bytes) -> Entry:
    """Return the entry of this second."""
    stamp = f"{START + timedelta(seconds=at):%Y-%m-%dT%H:%M:%S}.000000Z"
    detail = "RECALL ok" if event == "TOOL" else ""
    return Entry(at + 1, Line(stamp, event, detail, "", ""), detail, content)


@given(st.lists(st.tuples(st.booleans(), PARTS), max_size=8))
def test_looking_again_and_again_is_looking_once(looks: list[tuple[bool, list[tuple[str, bytes]]]]) -> None:
    entries, seen, at = list[Entry](), InContext(), 0
    for swapped, added in looks:
        entries = entries[len(entries) // 2 :] if swapped else entries
        for event, content in added:
            at += 1
            entries.append(entry(at, event, content))
        seen.look(entries)
        once = InContext()
        once.look(list(entries))
        assert (seen.turns, seen.ids) == (once.turns, once.ids)
        assert seen.turns == [number(one.line) for one in entries if one.event != "FADED"]
