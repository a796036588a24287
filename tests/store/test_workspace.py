"""A workspace of Moltbot or DotAgent: what of it is taken as what, and notes that are too long in two."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dotagent.capabilities.migration import workspace
from dotagent.capabilities.migration.workspace import REST
from dotagent.life import facts
from dotagent.text import source_marks


def test_what_is_taken_and_what_is_left(tmp_path: Path) -> None:
    names = "SOUL.md AGENTS.md AGENT.md memory.md notes.txt skills/x/SKILL.md memory/2026-01-31.md memory/deep/a.txt"
    for name in (*names.split(), "memory/index.sqlite", "bank/entities/ana.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"this is {name}\r\n")
    (tmp_path / "TOOLS.md").write_text(" \n")
    (tmp_path / "IDENTITY.md").write_bytes(b"\xff\xfe")
    os.symlink("/etc/passwd", tmp_path / "USER.md")
    os.mkfifo(tmp_path / "HEARTBEAT.md")
    found = workspace.read(tmp_path)
    assert [(one.path, one.target) for one in found if one.target] == [
        ("SOUL.md", "SOUL.md"), ("AGENTS.md", "AGENTS.md"), ("memory.md", "MEMORY.md"),
        ("bank/entities/ana.md", "bank/entities/ana.md"), ("memory/2026-01-31.md", "memory/2026-01-31.md"),
        ("memory/deep/a.txt", "memory/deep/a.txt"),
    ]  # fmt: skip
    left = {one.path: one.why for one in found if not one.target}
    assert set(left) == {"AGENT.md", "notes.txt", "skills", "memory/index.sqlite", "TOOLS.md", "IDENTITY.md", "USER.md",
                         "HEARTBEAT.md"}  # fmt: skip
    assert all(left.values()) and found[0].text == "this is SOUL.md\n"


def written(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def taken(root: Path) -> dict[str, tuple[str, str]]:
    return {one.path: (one.target, one.text) for one in workspace.read(root) if one.target}


def left(root: Path) -> dict[str, str]:
    return {one.path: one.why for one in workspace.read(root) if not one.target}


def test_a_home_of_hermes(tmp_path: Path) -> None:
    notes, about = "She sails.\n§\nThe boat\nis red.", "Ana, of Porto.\n§\nNo calls before nine."
    files = {
        "SOUL.md": "You are H.\n",
        "memories/MEMORY.md": notes,
        "memories/USER.md": about,
        "memories/boat.md": "b\n",
    }
    root = written(tmp_path, {**files, "cron/jobs.json": "{}", "state.db": "", "config.yaml": "a: b\n"})
    assert taken(root) == {
        "SOUL.md": ("SOUL.md", "You are H.\n"),
        "memories/USER.md": ("USER.md", "Ana, of Porto.\n\nNo calls before nine.\n"),
        "memories/MEMORY.md": ("MEMORY.md", "She sails.\n\nThe boat\nis red.\n"),
        "memories/boat.md": ("memory/boat.md", "b\n"),
    }
    why = left(root)
    assert "cron add" in why["cron"] and "conversations" in why["state.db"] and "config set" in why["config.yaml"]


def test_a_workspace_of_nanobot(tmp_path: Path) -> None:
    files = {
        "SOUL.md": "s\n",
        "memory/MEMORY.md": "always read\n",
        "memory/history.jsonl": "{}\n",
        "cron/action.jsonl": "",
    }
    root = written(tmp_path / "workspace", files)
    written(tmp_path, {"sessions/00ff/x.jsonl": "{}"})
    assert taken(root)["memory/MEMORY.md"] == ("MEMORY.md", "always read\n")
    why = left(root)
    assert "conversations" in why["memory/history.jsonl"] and "conversations" in why["../sessions"]
    assert "cron add" in why["cron"]
    written(root, {"MEMORY.md": "mine\n"})
    assert taken(root)["memory/MEMORY.md"][0] == "memory/MEMORY.md" and taken(root)["MEMORY.md"][1] == "mine\n"


def test_a_workspace_of_openclaw(tmp_path: Path) -> None:
    about = """# USER

<!-- observed: 2026-03-01 | status: superseded -->
- She lives in Lisbon.
  With her cat.

<!-- observed: 2026-08-01 | status: active -->
- She lives in Porto.
<!-- observed: 2026-08-02 | status: superseded -->
- She drinks tea.
## Work
- She sails.
"""
    root = written(tmp_path / "workspace", {"USER.md": about, "AGENTS.md": "a\n"})
    written(tmp_path, {"agents/main/agent/openclaw-agent.sqlite": "", "state/openclaw.sqlite": ""})
    (root / "vault").symlink_to("/nowhere/vault")
    found = {one.path: one for one in workspace.read(root)}
    told = found["USER.md"].text
    assert "Lisbon" not in told and "cat" not in told and "tea" not in told
    assert "- She lives in Porto.\n## Work\n- She sails.\n" in told
    assert found["USER.md"].why == "2 superseded entries left out"
    assert not any("sqlite" in path for path in found)  # those are read by talk_import
    assert found["vault"].why == "it is a link to /nowhere/vault; put a copy in its place, and import again"


@given(st.lists(st.text("ab \n#", max_size=1500), max_size=8).map("\n## a section\n".join))
def test_no_character_of_notes_is_lost(text: str) -> None:
    kept, rest = workspace.split(text)
    assert len(kept) <= facts.FULL
    if len(text) <= facts.FULL:
        assert (kept, rest) == (text, "")
    else:
        assert rest and REST in kept
        own = kept[: kept.rindex("\nThe rest of these notes is in ")]
        lines = Counter(line for line in (own + rest).split("\n") if line.strip())
        again = {line for line in lines if line.lstrip().startswith("#")}  # a heading may stand in both
        assert not Counter(line for line in text.split("\n") if line.strip() and line not in again) - lines
        assert again >= {line for line in text.split("\n") if line.lstrip().startswith("# ")}
        assert len(own + rest) >= len(text)


def test_the_beginning_of_a_section_that_is_too_long_stays_beside_the_sections_that_fit() -> None:
    kept, rest = workspace.split("# a\nfirst\n# b\n" + "x\n" * 9000 + "# c\nlast\n")
    assert kept.startswith("# a\nfirst\n# b\nx\n") and len(kept) > 3900 and rest.endswith("x\n# c\nlast\n")


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "latin-1"])
def test_a_text_in_another_encoding_is_taken(tmp_path: Path, codec: str) -> None:
    (tmp_path / "USER.md").write_bytes("Zoë likes café\r\nand tea\rtoo\r\n".encode(codec))
    assert [one.text for one in workspace.read(tmp_path)] == ["Zoë likes café\nand tea\ntoo\n"]


@pytest.mark.parametrize("text", ["x" * 9000, "line\n" * 2000, "# a\n" + "x\n" * 3000])
def test_a_section_that_is_too_long_is_cut_at_a_line(text: str) -> None:
    kept, rest = workspace.split(text)
    own = kept[: kept.rindex("\nThe rest of these notes is in ")]
    assert len(own) > 3000 and (own.endswith("\n") or "\n" not in text) and text.startswith(own)
    assert text == own + rest.removeprefix("# a\n")


def test_the_rows_of_a_table_in_two_parts_have_its_head_in_both() -> None:
    head = "| who | eats |\n|:--|---|\n"
    kept, rest = workspace.split(f"## Table\n{head}" + "| Ana | no nuts |\n" * 600 + "\n## Bo\n- all\n")
    assert kept.startswith(f"## Table\n{head}| Ana") and rest.startswith(f"## Table\n{head}| Ana")
    assert kept.count("Ana") + rest.count("Ana") == 600 and rest.endswith("\n\n## Bo\n- all\n")


def test_a_bold_line_of_marked_notes_is_a_heading() -> None:
    text = "**Ana**\n\n" + "- no nuts\n" * 120 + "\n**Bo:**\n\n" + "- eats all\n" * 120
    kept, rest = workspace.split(source_marks.mark_all(text, source_marks.IMPORT))
    assert "all" in rest and rest.lstrip().startswith("[from import] **Bo:**") and "no nuts" not in rest
    assert kept.startswith("[from import] **Ana**")


@pytest.mark.parametrize("sentence", ["She eats no nuts. ", "她不吃坚果。", "word "])
def test_a_line_that_is_too_long_is_cut_behind_a_sentence_or_word(sentence: str) -> None:
    kept, rest = workspace.split(sentence * 1500)
    own = kept[: kept.rindex("\nThe rest of these notes is in ")]
    assert own.endswith(sentence) and own + rest == sentence * 1500


def test_a_transcript_among_the_notes_is_named(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    head = "# Session: 2026-02-01 12:00 UTC\n\n## Conversation Summary\n\n"
    (tmp_path / "memory/2026-02-01-1200.md").write_text(f"{head}user: hello\nassistant: hi\n")
    (tmp_path / "memory/2026-02-02.md").write_text("# Day\n- the user: Ana\n")
    assert [(one.path, one.target == one.path, one.why) for one in workspace.read(tmp_path)] == [
        ("memory/2026-02-01-1200.md", True, workspace.TRANSCRIPT),
        ("memory/2026-02-02.md", True, ""),
    ]


def test_a_reason_says_why_a_file_or_another_agent_is_left(tmp_path: Path) -> None:
    files = {
        "workspace/SOUL.md": "s",
        "workspace/memory/heartbeat-state.json": "{}",
        "workspace/users/ana/USER.md": "Ana",
        "workspace/personas/cook/SOUL.md": "c",
        "workspace/auth.json": "{}",
        "workspace-ops/SOUL.md": "o",
        "credentials/telegram.json": "{}",
    }
    root = written(tmp_path, files) / "workspace"
    (root / "memory/old.md").write_bytes(b"\x93\x00\x94")
    why = left(root)
    assert "only .md and .txt" in why["memory/heartbeat-state.json"]
    assert why["memory/old.md"] == "it is not UTF-8, and dotagent does not know its encoding"
    assert "single people" in why["users"] and "other characters" in why["personas"] and "secrets" in why["auth.json"]
    assert "another agent" in why["../workspace-ops"] and "secrets" in why["../credentials"]
