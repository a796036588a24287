"""REMEMBER writes MEMORY.md with the day and the day's note, once, within 4,000 characters."""

from __future__ import annotations

from pathlib import Path

import pytest
from hands import Hands
from world import events, said, world

from dotagent import tools
from dotagent.life.events import Effect
from dotagent.search.note_search import Written
from dotagent.text import times
from dotagent.text.grammar import ToolCall


@pytest.fixture
def today() -> str:
    """The day on which the test runs, not the one on which it was collected."""
    return times.local_day(times.now())


def memory(hands: Hands) -> str:
    return (hands.path / "MEMORY.md").read_text()


def test_both_are_written_with_the_day(hands: Hands, today: str) -> None:
    (hands.path / "MEMORY.md").write_text("# Ana\n- likes tea")
    assert hands.shows("REMEMBER prefers dark mode") == f"noted in MEMORY.md and memory/{today}.md"
    assert memory(hands) == f"# Ana\n- likes tea\n- prefers dark mode (added {today})\n"
    assert "prefers dark mode" in (hands.path / "memory" / f"{today}.md").read_text()
    assert "has it already" in hands.shows("REMEMBER prefers dark mode")
    assert memory(hands).count("dark") == 1


def test_one_that_died_over_it_writes_what_is_missing(hands: Hands, today: str) -> None:
    hands.shows("REMEMBER tea")
    (at,) = hands.effects("REMEMBER")
    (hands.path / "MEMORY.md").write_text("")
    tools.recover(hands.session, ToolCall("REMEMBER", "tea", None), Effect("REMEMBER", at))
    assert memory(hands) == f"- tea (added {today})\n"
    assert (hands.path / "memory" / f"{today}.md").read_text().count("tea") == 1


FACT = "the box number {} is on the shelf with the letter {} above the blue door of the shed"


@pytest.mark.night
def test_when_it_is_full_the_oldest_make_room_and_are_found_and_its_person_is_told_once(tmp_path: Path) -> None:
    facts = [FACT.format(number, chr(97 + number % 26)) for number in range(100)]
    replies = (reply for fact in facts for reply in (f"REMEMBER {fact}", "WAIT"))
    with world(tmp_path, lambda messages, call: next(replies)) as it:
        for _ in facts:
            it.say("keep that")
            it.run()
        path = it.session.path
        now, older = ((path / name).read_text() for name in ("MEMORY.md", "memory/older.md"))
        told = [one for one in said(it.where) if "was full" in one]
        lines = len(events(it, "TELL"))
    assert len(now) <= 4000 and len(now) > 2000
    for fact in facts:
        assert (f"- {fact} (added" in now) is not (f"- {fact} (added" in older), fact
    assert now.count("- the box") + older.count("- the box") == len(facts)
    assert facts[0] in older and facts[-1] in now
    assert told == ["(MEMORY.md was full: the oldest facts are now in memory/older.md, where searching finds them)"]
    assert lines == 1
    with world(tmp_path, lambda messages, call: None, "--last") as it:
        found = Written(it.session.path).search("box number 0 shelf letter a", 2)
        assert "memory/older.md:1" in [one.turn.room for one in found]


def test_the_oldest_by_date_go_first_and_what_a_person_wrote_stays(hands: Hands, today: str) -> None:
    own = "# Ana\n\nShe writes letters.\n- by hand\n- newer (added 2026-02-02)\n- oldest (added 2024-01-01)\n"
    (hands.path / "MEMORY.md").write_text(own + "- " + "x" * (3950 - len(own)) + " (added 2025-01-01)\n")
    hands.shows("REMEMBER that the train leaves at nine")
    assert memory(hands) == (
        "# Ana\n\nShe writes letters.\n- by hand\n- newer (added 2026-02-02)\n"
        f"- that the train leaves at nine (added {today})\n"
    )
    assert (hands.path / "memory/older.md").read_text().startswith("- oldest (added 2024-01-01)\n- xxx")


@pytest.mark.parametrize("text", ["x" * 4500, "y" * 3999 + "\n", "## a\n" * 900, "- " + "z" * 3990])
def test_it_never_fails_for_lack_of_room(hands: Hands, text: str, today: str) -> None:
    (hands.path / "MEMORY.md").write_text(text)
    hands.shows("REMEMBER that the train leaves at nine")
    assert "leaves at nine" in (hands.path / "memory" / f"{today}.md").read_text()
    left = memory(hands) + "".join(one.read_text() for one in hands.path.glob("memory/older.md"))
    assert text.strip() in left and (len(text) > 4000 or len(memory(hands)) <= 4000)


@pytest.mark.parametrize("done", ["nothing", "told", "moved"])
def test_one_that_died_over_making_room_makes_it_once(hands: Hands, done: str) -> None:
    facts = [f"- {FACT.format(number, 'x')} (added 2026-01-{1 + number % 28:02})" for number in range(40)]
    (hands.path / "MEMORY.md").write_text("".join(f"{one}\n" for one in facts))
    before = memory(hands)
    hands.shows("REMEMBER tea")
    after, older = memory(hands), (hands.path / "memory/older.md").read_text()
    (at,) = hands.effects("REMEMBER")
    (hands.path / "MEMORY.md").write_text(before)
    if done == "told":
        (hands.path / "memory/older.md").unlink()
    elif done == "moved":
        (hands.path / "memory/older.md").write_text(older)
    else:
        (hands.path / "memory/older.md").write_text(older[: len(older) // 2])  # a line is torn
    tools.recover(hands.session, ToolCall("REMEMBER", "tea", None), Effect("REMEMBER", at))
    assert memory(hands) == after
    again = (hands.path / "memory/older.md").read_text().split("\n")
    assert all(again.count(one) == 1 for one in older.split("\n")[:-1])
    assert len([line for line in hands.events("TELL") if "was full" in line.detail]) <= 1


@pytest.mark.parametrize(
    "again",
    ["Ana likes green tea.", "ANA LIKES GREEN TEA", "ana  likes\tgreen tea", "- ana likes green tea",
     "“ana likes green tea”!", "ana likes ｇｒｅｅｎ tea", "Ana likes **green tea**", "ana likes green\u202ftea…"],
)  # fmt: skip
def test_a_fact_that_is_said_again_in_another_spelling_is_no_second_line(hands: Hands, again: str) -> None:
    hands.shows("REMEMBER ana likes green tea")
    assert "has it already" in hands.shows(f"REMEMBER {again}")
    hands.shows("REMEMBER ana likes green teas")
    assert memory(hands).count("\n") == 2


@pytest.mark.parametrize(
    ("first", "second"),
    [("bo codes in C", "bo codes in C++"), ("bo codes in F", "bo codes in F#"), ("-5 degrees", "5 degrees"),
     ("bo owes me 5€", "bo owes me 5$"), ("the oven ✅", "the oven ❌"), ("bo owns 5%", "bo owns 5")],
)  # fmt: skip
def test_a_fact_that_differs_in_a_sign_is_another(hands: Hands, first: str, second: str) -> None:
    hands.shows(f"REMEMBER {first}")
    assert "has it already" not in hands.shows(f"REMEMBER {second}")
    assert memory(hands).count("\n") == 2


def test_secrets_stay_out_of_memory_by_whatever_tool_but_a_person_s_own_stay(hands: Hands) -> None:
    (hands.path / "MEMORY.md").write_text("password: of-ana-7\n")
    assert "without the" in hands.shows("REMEMBER the api_key=abcd1234efgh5678")
    hands.shows("EDIT_FILE MEMORY.md <<END\n<<<<<<< SEARCH\n=======\npassword: hunter2xyz\n>>>>>>> REPLACE\nEND")
    hands.shows("WRITE_FILE memory/plan.md <<END\ncard 4111 1111 1111 1111\nEND")
    assert (hands.path / "memory/plan.md").read_text() == "card [masked: card number]\n"
    text = memory(hands)
    assert "of-ana-7" in text and "hunter2xyz" not in text and "abcd1234" not in text


def test_remember_this_is_one_turn_of_a_model_that_says_so_too(tmp_path: Path) -> None:
    def model(messages: object, call: object) -> str:
        return "REMEMBER ana prefers dark mode\nSAY dev Noted."

    with world(tmp_path, model) as here:
        here.say("remember that I prefer dark mode")
        here.run()
        assert said(here.where) == ["Noted."] and here.served == 1
        assert events(here, "DID") == ["DID REMEMBER", "DID SAY"]


@pytest.mark.parametrize("form", ["utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_notes_stay_in_the_form_in_which_a_person_saved_them(hands: Hands, today: str, form: str, end: str) -> None:
    path = hands.path / "MEMORY.md"
    path.write_bytes(f"# Ana{end}- likes the café of Zoë{end}".encode(form))
    hands.shows("REMEMBER prefers crème")
    hands.shows("REMEMBER Likes the café of Zoë.")
    assert (
        path.read_bytes().decode(form) == f"# Ana{end}- likes the café of Zoë{end}- prefers crème (added {today}){end}"
    )


def test_notes_of_an_unknown_encoding_are_left_as_they_are(hands: Hands) -> None:
    path = hands.path / "MEMORY.md"
    path.write_bytes("日本語の本".encode("shift-jis"))
    hands.fails("REMEMBER tea", "MEMORY.md is not UTF-8")
    assert path.read_bytes() == "日本語の本".encode("shift-jis")


@pytest.mark.parametrize("form", ["utf-16", "cp1252"])
def test_a_tool_that_hides_a_secret_leaves_the_form_of_the_notes(hands: Hands, form: str) -> None:
    path = hands.path / "MEMORY.md"
    path.write_bytes("- the café of Zoë\r\n".encode(form))
    hands.shows("ADD_TO_FILE MEMORY.md <<END\n- the key is sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD\nEND")
    said = path.read_bytes().decode(form)
    assert said.startswith("- the café of Zoë\r\n- the key is ") and said.endswith("\r\n") and "abcdef" not in said
