"""The state: a fold of events that says what is under way, and survives being packed and unpacked."""

from __future__ import annotations

import pytest
from folding import MARK, folded

from dotagent.life import fold
from dotagent.life.events import Effect
from dotagent.life.fold import apply
from dotagent.store.log import Line
from dotagent.store.rooms import Position

JOINED = [("BOOT", "private ana"), ("JOIN", f"dev 14 {MARK}")]
HEARD = [*JOINED, ("HEAR", f"dev 60 {MARK} USER:ana")]
ASKED = [*HEARD, ("ASK", "offline dev 900 rest=0")]
REPLIED = [*ASKED, ("REPLY", "dev finish=stop model=m input=1800 output=7")]


def test_a_turn_from_word_to_word() -> None:
    assert folded(JOINED).heard.rooms == {"dev": Position(14, MARK)}
    heard = folded(HEARD)
    assert (heard.turn.wake, heard.heard.rooms["dev"].offset) == ("dev", 60)
    asked = folded(ASKED)
    assert (asked.turn.call, asked.turn.provider, asked.turn.room, asked.turn.wake, asked.turn.steps) == (
        f"{3:032x}",
        "offline",
        "dev",
        "",
        1,
    )
    replied = folded(REPLIED)
    assert (replied.turn.call, replied.turn.reply, replied.turn.cut, replied.model.ratio) == (
        "",
        f"{4:032x}",
        False,
        2.0,
    )
    announced = folded([*REPLIED, ("SAY", "dev 99 2026-01-01T00:00:00.000000Z")])
    assert announced.turn.effect
    assert announced.turn.effect == Effect("SAY", "dev 99 2026-01-01T00:00:00.000000Z")
    done = folded([*REPLIED, ("SAY", "dev 99 t"), ("DID", "SAY")])
    assert (done.turn.effect, done.turn.done, done.turn.unread) == (None, 1, False)
    assert folded([*REPLIED, ("TOOL", "RUN ok")]).turn.unread
    assert not folded([*REPLIED, ("TOOL", "RUN ok"), ("ASK", "offline dev 900")]).turn.unread
    assert folded([*ASKED, ("REPLY", "dev finish=length model=m")]).turn.cut


def test_two_factors_are_learned_from_the_counts_of_the_server() -> None:
    def told(rest: int, count: int, size: int = 900) -> list[tuple[str, str]]:
        return [("ASK", f"offline dev {size} rest={rest}"), ("REPLY", f"dev finish=stop model=m input={count}")]

    english = folded([*HEARD, *told(30, 1074)]).model
    assert (english.ratio, english.other) == (pytest.approx(1074 / 900), 1.0)
    tamil = folded([*HEARD, *told(0, 900), *told(600, 432)]).model
    assert (tamil.ratio, tamil.other) == (1.0, pytest.approx(0.22))
    # afterwards sizes have this factor, and a prompt like the one before changes nothing
    size = 300 + round(600 * tamil.other)
    same = folded([*HEARD, *told(0, 900), *told(600, 432), *told(size - 300, 433, size)]).model
    assert (same.ratio, same.other) == (1.0, tamil.other)


def test_a_request_of_an_earlier_version_teaches_no_factor() -> None:
    earlier = [*HEARD, ("ASK", "offline dev 900"), ("REPLY", "dev finish=stop model=m input=360")]
    assert (folded(earlier).model.ratio, folded(earlier).model.other) == (1.0, 1.0)


def test_a_model_with_a_strange_name_is_heard_all_the_same() -> None:
    now = folded([*ASKED, ("REPLY", "dev finish=stop model=a input=b finish=stop")])
    assert (now.turn.call, now.turn.reply, now.model.ratio) == ("", f"{4:032x}", 1.0)


def test_other_agents_wake_it_three_times_since_a_person_spoke() -> None:
    def turn(who: str) -> list[tuple[str, str]]:
        return [
            ("HEAR", f"dev 60 {MARK} {who}"),
            ("ASK", "offline dev 9"),
            ("REPLY", "dev finish=stop"),
            ("DID", "SAY"),
        ]

    now = folded(JOINED)
    for _ in range(fold.WAKES):
        woken = apply(now, Line("2026-01-01T00:00:01.000000Z", "HEAR", f"dev 60 {MARK} AGENT:9f8e7d6c5b4a", "", ""))
        assert woken.turn.wake == "dev"
        now = folded(turn("AGENT:9f8e7d6c5b4a"), now)
    for who in ("AGENT:9f8e7d6c5b4a", "AGENT:0123456789ab"):
        now = folded([("HEAR", f"dev 70 {MARK} {who}")], now)
        assert now.turn.wake == ""
        assert now.heard.rooms["dev"].offset == 70
    for person in ("USER:ana", "OWNER", "USER:discord/eve"):
        again = folded([("HEAR", f"dev 80 {MARK} {person}")], now)
        assert again.turn.wake == "dev"
        assert (
            folded([("ASK", "offline dev 9"), ("HEAR", f"dev 90 {MARK} AGENT:9f8e7d6c5b4a")], again).turn.wake == "dev"
        )
    other = folded([("JOIN", "ops 0 -"), ("HEAR", f"ops 5 {MARK} AGENT:9f8e7d6c5b4a")], now)
    assert other.turn.wake == "ops"


def test_who_is_behind_a_bridge_is_remembered() -> None:
    assert not folded(HEARD).heard.bridged
    assert folded([*HEARD, ("HEAR", f"dev 60 {MARK} USER:discord/eve"), ("LEAVE", "dev")]).heard.bridged
    assert folded([*JOINED, ("JOIN", f"ops 5 {MARK} bridged")]).heard.bridged


def test_names_with_blanks_do_not_stop_hearing() -> None:
    now = folded([*JOINED, ("HEAR", f"dev 61 {MARK} USER:two words")])
    assert (now.turn.wake, now.heard.rooms["dev"].offset) == ("dev", 61)


def test_a_failure_is_told_once_and_the_room_is_owed() -> None:
    failed = folded([*ASKED, ("FAIL", "server retryable")])
    assert (failed.turn.untold, failed.turn.unanswered, failed.turn.failed, failed.turn.call, failed.turn.wake) == (
        "why",
        ("dev",),
        "retryable",
        "",
        "",
    )
    told = folded([("SAY", "dev 99 t"), ("DID", "SAY")], failed)
    assert (told.turn.untold, told.turn.unanswered, told.turn.done) == ("", ("dev",), 0)
    again = folded([("NOTE", "dev owed")], told)
    assert (again.turn.wake, again.turn.corrected) == ("dev", False)
    twice = folded([("ASK", "offline dev 900"), ("FAIL", "server final")], again)
    assert (twice.turn.untold, twice.turn.unanswered, twice.turn.failed) == ("", ("dev",), "final")
    answered = folded([("NOTE", "dev owed"), ("ASK", "offline dev 900"), ("REPLY", "dev finish=stop")], twice)
    assert (answered.turn.unanswered, answered.turn.failed) == ((), "")


def test_what_a_person_stopped_is_told_and_waits_no_more() -> None:
    stopped = folded([*ASKED, ("FAIL", "cancelled stopped")])
    assert (stopped.turn.untold, stopped.turn.unanswered, stopped.turn.call) == ("why", (), "")
    before = folded([*ASKED, ("FAIL", "server retryable"), ("SAY", "dev 99 t"), ("DID", "SAY"), ("NOTE", "dev owed")])
    again = folded([("ASK", "offline dev 900"), ("FAIL", "cancelled stopped")], before)
    assert (before.turn.unanswered, again.turn.unanswered) == (("dev",), ())
    older = folded([*ASKED, ("FAIL", "cancelled final")])  # as it was written before
    assert older.turn.unanswered == ("dev",)


def test_a_failure_without_a_hint_is_told_by_its_kind() -> None:
    now = apply(folded(ASKED), Line("2026-01-01T00:00:01.000000Z", "FAIL", "server final", "", ""))
    assert now.turn.untold == "server final"


def test_a_failure_that_cannot_be_told_asks_no_model() -> None:
    now = folded([*ASKED, ("FAIL", "server final"), ("TOOL", "SAY error")])
    assert (now.turn.untold, now.turn.unread) == ("", False)


def test_a_room_that_was_left_waits_for_nothing() -> None:
    assert folded([*HEARD, ("LEAVE", "dev")]).turn.wake == ""
    assert folded([*HEARD, ("LEAVE", "ops")]).turn.wake == "dev"
    gone = folded([*ASKED, ("LEAVE", "dev"), ("FAIL", "server retryable")])
    assert (gone.turn.untold, gone.turn.unanswered) == ("", ())
    assert folded([*ASKED, ("FAIL", "server retryable"), ("LEAVE", "dev")]).turn.unanswered == ()


def test_the_head_keeps_the_first_papers_until_a_swap() -> None:
    now = folded([("PAPER", "SEGMENT.md"), ("PAPER", "MEMORY.md"), ("PAPER", "SEGMENT.md")])
    assert now.heard.shown == {"SEGMENT.md": f"{0:032x}"}
    assert now.heard.documents == {"SEGMENT.md": f"{2:032x}", "MEMORY.md": f"{1:032x}"}
