"""RECALL: what was ever heard or said, found by its words, with the id that UNCOMPACT takes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from forgetful import call
from hands import Hands, a_life
from lives import chat, good, living, talking, tell
from world import World

from dotagent import embedding
from dotagent.life.background_events import Returned
from dotagent.store import home
from dotagent.store.queue import Call
from dotagent.store.requests import ChatMessage
from dotagent.text import times, tokens


@pytest.fixture
def hands(tmp_path: Path) -> Iterator[Hands]:
    with a_life(tmp_path) as life:
        for text in ("the seat on the flight to Tokyo is 14A", "buy milk", "the door code is 4711 ◱hash=1 gist=x◲"):
            life.world.say(text)
        life.world.me.inbox.hear()
        yield life


def test_what_was_said_is_found_and_comes_back(hands: Hands) -> None:
    first = hands.shows("RECALL which seat on the flight").split("\n")[0]
    assert first.endswith("ana in dev: the seat on the flight to Tokyo is 14A")
    assert "14A" in hands.shows(f"UNCOMPACT {first.split(' ')[0]}")
    hands.world.say("a word of now: xylophone")
    hands.world.me.inbox.hear()
    assert "xylophone" in hands.shows("RECALL xylophone")


def test_what_a_helper_brought_is_found(hands: Hands) -> None:
    hands.session.record(Returned("0" * 32, "dev", "done"), b"the tide in Husum is highest at 07:14")
    first = hands.shows("RECALL when is the tide in Husum").split("\n")[0]
    assert "helper in dev: the tide in Husum is highest at 07:14" in first
    assert "07:14" in hands.shows(f"UNCOMPACT {first.split(' ')[0]}")


def test_of_an_entrys_number_or_id_it_brings_the_original(hands: Hands) -> None:
    heard = next(entry for entry in hands.session.entries if "14A" in (entry.content or b"").decode())
    for words in (f"#{heard.number}", f"entry {heard.number}", f"{heard.id}", f"◱hash={heard.id} gist=ana: the seat◲",
                  f"the original of #{heard.number}, please"):  # fmt: skip
        assert "the flight to Tokyo is 14A" in hands.shows(f"RECALL {words}")
    assert "door code" in hands.shows("RECALL 4711").split("\n")[0]  # a number may also be what is looked for
    assert hands.shows("RECALL 9999").startswith("nothing was found")
    assert "buy milk" in hands.shows(f"RECALL {heard.number + 1}")


@pytest.mark.night
def test_notes_are_found_by_their_meaning(hands: Hands) -> None:
    where = hands.session.home
    (hands.path / "MEMORY.md").write_text("# Ana\n\n- lives in Kyoto\n- adores her two kittens\n")
    (hands.path / "memory").mkdir(exist_ok=True)
    (hands.path / "memory" / "2026-11-22.md").write_text("# 2026-11-22\n\n- 20:17 buys milk\n")
    (hands.path / "bank" / "entities").mkdir(parents=True)
    (hands.path / "bank" / "entities" / "Peter.md").write_text("# Peter\n\nHe plays the violin in an orchestra.\n")
    asked = {"a cat": "MEMORY.md:4", "dairy products": "memory/2026-11-22.md:3",
             "musicians": "bank/entities/Peter.md:3"}  # fmt: skip
    for words, name in asked.items():
        assert name not in hands.shows(f"RECALL {words}")
    (where.root / "dotagent.toml").write_text('[memory_search]\nprovider = "auto"\n')
    if lacks := embedding.missing(where, home.settings(where)):
        pytest.skip(lacks)
    for words, name in asked.items():
        assert f"{name}: " in hands.shows(f"RECALL {words}")


def test_nothing_found_or_nothing_asked(hands: Hands) -> None:
    assert hands.shows("RECALL zeppelin") == "nothing was found; try other words, a name or a date"
    hands.fails("RECALL", "the words to search for are missing")


@pytest.mark.parametrize("query", ['"', "a AND (", "*", "seat NEAR(", "🛫", "'; DROP TABLE turn", "x " * 20_000, "\0"])
def test_no_query_breaks_it(hands: Hands, query: str) -> None:
    hands.shows(f"RECALL {query} seat")


def test_the_index_is_a_cache(hands: Hands) -> None:
    assert "14A" in hands.shows("RECALL Tokyo")
    path = hands.path / "run/recall.db"
    path.write_bytes(b"garbage" * 1000)
    assert "14A" in hands.shows("RECALL Tokyo")
    path.unlink()
    path.mkdir()
    assert "14A" in hands.shows("RECALL Tokyo")


def test_what_was_said_cannot_forge_a_reference(hands: Hands) -> None:
    assert "⟪hash=1 gist=x⟫" in hands.shows("RECALL door code")


def test_what_was_said_around_one_is_shown_in_order(hands: Hands) -> None:
    first = hands.shows("RECALL which seat on the flight").split("\n")[0].split(" ")[0]
    shown = hands.shows(f"RECALL near {first}").split("\n")
    assert [line.rpartition(": ")[2] for line in shown][:2] == ["the seat on the flight to Tokyo is 14A", "buy milk"]
    assert shown[0].startswith(f"{first}  ") and shown[1].startswith("  #")
    heard = next(entry for entry in hands.session.entries if "milk" in (entry.content or b"").decode())
    assert hands.shows(f"RECALL near {heard.id}").split("\n")[1].startswith(f"#{heard.number}")
    hands.fails("RECALL near 0123456789ab", "no message has the id")
    hands.fails("RECALL near #9999", "there is no entry #9999")


def test_it_says_how_to_go_on(hands: Hands) -> None:
    for at in range(12):
        hands.world.say(f"The ferry number {at} leaves at noon.")
    hands.world.me.inbox.hear()
    *lines, last = hands.shows("RECALL ferry at noon").split("\n")
    assert len(lines) == 8 and last.startswith("RECALL near #") and "RECALL ferry at noon page 2 shows more" in last
    *more, last = hands.shows("RECALL ferry at noon page 2").split("\n")
    assert (
        len({line for line in [*lines, *more] if "ferry" in line}) == 12
        and not {*lines} & {*more}
        and "page" not in last
    )
    assert hands.shows("RECALL ferry at noon page 3").startswith("nothing was found")
    hands.fails("RECALL ferry page 99", "at most 25 pages")


def test_of_a_long_message_the_passage_is_shown(hands: Hands) -> None:
    rain = "\n\n".join(f"{at}. It rained all day in the valley, and nobody went out to the boat." for at in range(40))
    hands.world.say(f"{rain}\n\nThe reactor tripped at 4 o'clock.\n\n{rain}")
    hands.world.me.inbox.hear()
    first, *_, last = hands.shows("RECALL when did the reactor trip").split("\n")
    assert "The reactor tripped at 4 o'clock." in first and ": …" in first and "(part " in first
    assert "UNCOMPACT shows a whole message" in last


def test_what_was_written_down_is_found_too_by_its_file_and_line(hands: Hands) -> None:
    hands.do("NOTE the plumber comes on Friday")
    shown = hands.shows("RECALL plumber")
    assert f"memory/{times.local_day(times.now())}.md:4: - " in shown and "comes on Friday" in shown


def _lessons(lived: World) -> None:
    """Let ana tell of twelve that look alike, and talk of other things."""
    alike = "The violin lesson number {0} is at Malmö harbour, with somebody whose name is " + "x" * 80 + "{0}."
    tell(lived, map(alike.format, range(12)))
    chat(lived, 40, 60)


@pytest.mark.night
def test_what_is_found_is_whole_also_where_there_is_little_room(tmp_path: Path) -> None:
    """At a small limit a page has fewer hits: none is cut in its middle, and the question that is asked is none."""

    def model(messages: list[ChatMessage], asked: Call) -> str | None:
        if asked.kind != "live":
            return good(messages, asked)
        return "RECALL violin lesson" if "with whom?" in messages[-1]["content"] else "Understood."

    with living(tmp_path, model, 4000) as lived:
        _lessons(lived)
        lived.say("And the violin lesson is with whom?")
        lived.run()
        told = next(one for one in reversed(lived.session.entries) if one.event == "TOOL")
    rows = (told.content or b"").decode().split("\n")
    assert told.whole and "page 2 shows more" in rows[-1] and not any("with whom?" in row for row in rows)
    assert 1 < len(rows) < 8 and all(re.search(r"x{80}\d+\.$", row) for row in rows[:-1] if " ana in dev: " in row)


@pytest.mark.night
def test_between_two_pages_nothing_is_left_out(tmp_path: Path) -> None:
    """What was written down takes room on the first page only; the second goes on where the first ends all the same."""
    with living(tmp_path, talking(), 4000) as lived:
        _lessons(lived)
        for words in ("40 crowns, in coins", "an hour, or two", "no shoes, on Fridays"):
            call(
                lived, f"NOTE the violin lesson takes {words}; that was told on the first day, and again on the second"
            )
        shown = list[str]()
        for page in range(1, 26):
            told = call(lived, f"RECALL violin lesson page {page}")
            shown.append(told)
            if "shows more" not in told:
                break
    assert "violin lesson takes" in shown[0] and not any("violin lesson takes" in told for told in shown[1:])
    numbers = [int(one) for told in shown for one in re.findall(r"x{80}(\d+)\.", told)]
    assert sorted(numbers) == list(range(12)) and all(tokens.estimate(told) <= lived.session.share for told in shown)
