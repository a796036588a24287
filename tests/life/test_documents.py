"""Documents in a life: what of a new version is shown, and when all of it."""

from __future__ import annotations

from pathlib import Path

from lives import chat, lines, living, talking
from world import World

from dotagent.life import prompt
from dotagent.life.context import Entry


def papers(lived: World) -> list[Entry]:
    return [
        one
        for one in lived.session.entries
        if one.event == "PAPER" and one.detail == "MEMORY.md" and one.content != b""
    ]


def test_of_memory_that_only_grew_the_context_shows_what_is_new_and_after_a_swap_all(tmp_path: Path) -> None:
    """Ten things to remember would stand there ten times, else."""
    with living(tmp_path, talking(), 2500) as lived:
        memory = lived.session.path / "MEMORY.md"
        memory.write_text("- tea (added 2026-11-25)\n")
        chat(lived, 1)
        with memory.open("a") as file:
            file.write("- rye (added 2026-11-25)\n")
        chat(lived, 1)
        assert [one.content for one in papers(lived)] == [b"- tea (added 2026-11-25)\n", b"- rye (added 2026-11-25)\n"]
        assert (
            "MEMORY.md, added: - rye (added 2026-11-25)"
            in [part.text for part in prompt.parts(lived.session.entries)][-3]
        )
        memory.write_text("- coffee\n- rye (added 2026-11-25)\n")
        chat(lived, 1)
        assert papers(lived)[-1].content == memory.read_bytes()
        with memory.open("a") as file:
            file.write("- salt\n")
        while not lines(lived, "SWAP"):
            chat(lived, 1)
        assert [one.content for one in papers(lived) if not one.stripped] == [memory.read_bytes()]
        with memory.open("a") as file:
            file.write("- oil\n")
        chat(lived, 1)
        assert papers(lived)[-1].content == b"- oil\n"
    with living(tmp_path, talking(), 5000) as lived:  # it has room for another turn: no swap shows all of it again
        assert papers(lived)[-1].content == b"- oil\n"
        chat(lived, 1)
        assert papers(lived)[-1].content == b"- oil\n" and len(lines(lived, "SWAP")) == 1
