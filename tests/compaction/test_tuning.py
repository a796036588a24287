"""The agent's own prompts for compaction: it edits them, and an edit that breaks them is told and does no harm."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from lives import ASKED, chat, good, lines, living, talking
from world import Cut

from dotagent.store import prompts
from dotagent.store.queue import Call
from dotagent.store.requests import ChatMessage


def test_the_agent_edits_its_prompts_and_the_next_compaction_uses_them(tmp_path: Path) -> None:
    turns = 0

    def model(messages: list[ChatMessage], call: Call) -> str:
        nonlocal turns
        if call.kind != "live":
            asked.append(messages[-1]["content"])
            return good(messages, call)
        turns += 1
        if turns == 3:
            return "WRITE_FILE SEGMENT.md <<END\nBy rooms only.\nEND\nWRITE_FILE SUMMARISE.md <<END\nAs a haiku.\nEND"
        return "Understood."

    asked: list[str] = []
    with living(tmp_path, model, 2500) as lived:
        home = (lived.where.root / "SEGMENT.md").read_text()
        chat(lived, 20)
        assert any("By rooms only.\n\nAs a haiku.\n\nSEGMENT the entries" in one for one in asked)
        assert any("As a haiku.\n\nSUMMARISE the entries" in one for one in asked)
        assert not any("Find the conceptual chunks" in one for one in asked)
        assert (lived.where.root / "SEGMENT.md").read_text() == home
        assert (lived.session.path / "SEGMENT.md").read_text() == "By rooms only.\n"
        assert lived.session.state.heard.shown["SEGMENT.md"] == lived.session.state.heard.documents["SEGMENT.md"]


@pytest.mark.parametrize("edited", [False, True])
def test_only_who_edited_a_prompt_is_told_that_it_may_be_the_edit(tmp_path: Path, edited: bool) -> None:
    def compact(messages: list[ChatMessage], call: Call) -> str:
        return "I cannot do that."

    with living(tmp_path, talking(compact), 2500) as lived:
        if edited:
            (lived.session.path / "SEGMENT.md").write_text("By rooms only.\n")
        while not lines(lived, "WARN"):
            chat(lived, 1)
        told = lived.session.store.get(lines(lived, "WARN")[0].id).body.decode()
        assert "answers to SEGMENT.md could not be read" in told
        assert ("If you edited SEGMENT.md, correct it." in told) == edited


def test_an_agents_copy_of_a_former_prompt_is_nobodys_edit(tmp_path: Path) -> None:
    asked: list[str] = []

    def compact(messages: list[ChatMessage], call: Call) -> str:
        asked.append(messages[-1]["content"])
        return good(messages, call)

    with living(tmp_path, talking(compact), 2500) as lived:
        former = Path(__file__).parent.parent / "homes" / "prompts-0f9e00d" / "SEGMENT.md"
        (lived.session.path / "SEGMENT.md").write_bytes(former.read_bytes())
        while not lines(lived, "SWAP"):
            chat(lived, 1)
    assert prompts.brought("SEGMENT.md").decode().strip() in asked[0]


def test_what_is_asked_for_beside_the_conversation_may_take_so_many_tokens_and_what_was_cut_is_read(
    tmp_path: Path,
) -> None:
    """SEGMENT looped for three minutes while a person waited. Of what was cut the last line may be half a number."""
    sizes: dict[str, int] = {}

    def compact(messages: list[ChatMessage], call: Call) -> str:
        told = json.loads(lived.where.store().get(call.id).body)["params"]["most"]
        what, first, last = ASKED.findall(messages[-1]["content"])[-1]
        sizes[what] = max(told, sizes.get(what, 0))
        if what == "SUMMARISE":
            return good(messages, call)
        return Cut(f"{first}-{int(first) + 9} 7 first\n{int(first) + 10}-{last} 3 second\n{first}-{last[:1]}")

    with living(tmp_path, talking(compact), 2500) as lived:
        while not lines(lived, "SWAP"):
            chat(lived, 1)
        assert lines(lived, "CHUNKS")[0].detail.endswith(" model") and not lines(lived, "WARN")
    assert 200 < sizes["SEGMENT"] <= 3 * 2200 and 200 <= sizes["SUMMARISE"] <= 2200


@pytest.mark.slow
@pytest.mark.parametrize("paper", ["SEGMENT", "SUMMARISE"])
def test_an_edit_that_breaks_compaction_is_told_and_does_no_harm(tmp_path: Path, paper: str) -> None:
    def compact(messages: list[ChatMessage], call: Call) -> str:
        told = messages[-1]["content"]
        broken = "HAIKU" in told and (paper in ASKED.findall(told)[-1])
        return "old pond / frog leaps in" if broken else good(messages, call)

    with living(tmp_path, talking(compact), 2500) as lived:
        (lived.session.path / f"{paper}.md").write_text("HAIKU, please.")
        while len(lines(lived, "SWAP")) < 1:
            chat(lived, 1)
        assert len(lines(lived, "WARN")) == 1
        warned = next(entry for entry in lived.session.entries if entry.event == "WARN")
        assert f"{paper}.md".encode() in (warned.content or b"")
        if paper == "SEGMENT":
            assert [line.detail.split(" ")[1] for line in lines(lived, "CHUNKS")] == ["extractive"]
            assert len(lines(lived, "SEGMENT")) == 2
        else:
            made = lines(lived, "SUMMARY")
            assert all(line.detail.endswith("extractive") for line in made)
            assert len(lines(lived, "SUMMARISE")) <= 2 * len(made)
        (lived.session.path / f"{paper}.md").write_text("As before.")
        while len(lines(lived, "SWAP")) < 2:
            chat(lived, 1)
        assert len(lines(lived, "WARN")) == 1
        assert not lines(lived, "CHUNKS", "SUMMARY")[-1].detail.endswith("extractive")
