"""REMEMBER writes MEMORY.md with the day and the day's note, once, within 4,000 characters."""

from __future__ import annotations

from pathlib import Path

from hands import Hands
from world import events, said, world

from dotagent import tools
from dotagent.life.events import Effect
from dotagent.text import times
from dotagent.text.grammar import ToolCall

TODAY = times.local_day(times.now())


def memory(hands: Hands) -> str:
    return (hands.path / "MEMORY.md").read_text()


def test_both_are_written_with_the_day(hands: Hands) -> None:
    (hands.path / "MEMORY.md").write_text("# Ana\n- likes tea")
    assert hands.shows("REMEMBER prefers dark mode") == f"noted in MEMORY.md and memory/{TODAY}.md"
    assert memory(hands) == f"# Ana\n- likes tea\n- prefers dark mode (added {TODAY})\n"
    assert "prefers dark mode" in (hands.path / "memory" / f"{TODAY}.md").read_text()
    assert "has it already" in hands.shows("REMEMBER prefers dark mode")
    assert memory(hands).count("dark") == 1


def test_one_that_died_over_it_writes_what_is_missing(hands: Hands) -> None:
    hands.shows("REMEMBER tea")
    (at,) = hands.effects("REMEMBER")
    (hands.path / "MEMORY.md").write_text("")
    tools.recover(hands.session, ToolCall("REMEMBER", "tea", None), Effect("REMEMBER", at))
    assert memory(hands) == f"- tea (added {TODAY})\n"
    assert (hands.path / "memory" / f"{TODAY}.md").read_text().count("tea") == 1


def test_when_it_is_full_it_says_what_could_go_and_the_note_has_it(hands: Hands) -> None:
    old = "- newer (added 2026-02-02)\n- the oldest (added 2024-01-01)\n- undated\n"
    (hands.path / "MEMORY.md").write_text(old + "- " + "x" * (3990 - len(old)) + "\n")
    before = memory(hands)
    why = hands.fails("REMEMBER that the train leaves at nine", "4,000 fit", f"It is in memory/{TODAY}.md")
    assert why.index("the oldest") < why.index("newer") and memory(hands) == before
    assert "leaves at nine" in (hands.path / "memory" / f"{TODAY}.md").read_text()


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
