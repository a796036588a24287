"""`render`: CLAUDE.md and AGENTS.md between two marks, the same bytes for the same files, each actor's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from dotagent import context
from dotagent.errors import Trouble
from dotagent.project import render, working
from dotagent.project.place import Project

HEADS = [
    "## Working memory — what's happening now", "## Recent activity (episodic memory)",
    "## Patterns (graduated knowledge)", "## Personal preferences for `alice`",
    "## Bug registry — known bugs to avoid", "## Anti-patterns — do not introduce these", "## Rules",
]  # fmt: skip
ALICE = (
    "editor: vim\nfavorite_lang: python\npreferences:\n  - prefer pytest over unittest\n  - avoid emoji in commits\n"
)


@pytest.fixture
def here(tmp_path: Path) -> Project:
    one = Project(tmp_path)
    for path, text in {
        ".agent/rules.md": "# Rules\n\n- tests first\n", ".agent/memory/personal/alice/profile.yaml": ALICE,
        ".agent/memory/personal/bob/profile.yaml": "editor: emacs\n",
        "docs/bug-registry.md": "# Bugs\n\n- #12 the clock\n",
        "docs/anti-patterns.md": "- no globals\n", ".agent/patterns.md": "1. retry twice\n",
        ".agent/memory/semantic/rules/tests/0123abcd-sealed.md": "# Tests are sealed\n\n## Rationale\nx\n",
    }.items():  # fmt: skip
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    (one.episodic).mkdir(parents=True)
    working.observe(one, {"actor": "alice", "kind": "task-start", "summary": "ship the fix"})
    working.observe(one, {"actor": "alice", "kind": "edit", "summary": "refactored handler", "files": ["src/x.py"]})
    working.observe(one, {"actor": "bob", "kind": "edit", "summary": "elsewhere", "files": ["src/y.py"]})
    return one


def written(here: Project, actor: str = "alice") -> str:
    list(render.write(here.root, context.build(str(here.root), actor)))
    return (here.root / "CLAUDE.md").read_text()


def test_its_sections_tell_what_the_files_say(here: Project) -> None:
    text = written(here)
    assert [line for line in text.split("\n") if line.startswith("## ")] == HEADS
    for words in ("- task: ship the fix", "- recent files: src/x.py", "alice edit: refactored handler (src/x.py)",
                  "- preferences: prefer pytest over unittest, avoid emoji in commits", "- #12 the clock",
                  "- (all of it: docs/bug-registry.md)", "- no globals", "- tests first", "1. retry twice",
                  "- Tests are sealed (.agent/memory/semantic/rules/tests/0123abcd-sealed.md)"):  # fmt: skip
        assert words in text, words
    assert "elsewhere" not in text and (here.root / "AGENTS.md").read_text() == text


def test_every_page_that_a_person_writes_in_the_folder_is_told(here: Project) -> None:
    for name in ("goals", "Decisions", "goals.sync-conflict-20261122-101010-ABCDEFG"):
        (here.root / f".agent/{name}.md").write_text(f"# {name}\n\n- keep {name}\n")
    assert (
        written(here).count(
            "\n\n## `.agent/Decisions.md`\n\n- keep Decisions\n\n## `.agent/goals.md`\n\n- keep goals\n"
        )
        == 1
    )
    assert "conflict" not in written(here)


def test_another_actor_s_preferences_and_work_are_not_told(here: Project) -> None:
    text = written(here, "bob")
    assert "## Personal preferences for `bob`\n\n- editor: emacs" in text and "vim" not in text
    assert "ship the fix" not in text.partition("## Recent")[0]


def test_a_second_run_changes_no_byte_and_what_people_wrote_stays(here: Project) -> None:
    (here.root / "CLAUDE.md").write_text("# Mine\n\nKeep this.")
    first = written(here)
    assert first.startswith("# Mine\n\nKeep this.\n\n" + render.BEGIN)
    assert list(render.write(here.root, context.build(str(here.root), "alice"))) == []
    (here.root / "CLAUDE.md").write_text(first + "\nAnd this.\n")
    working.observe(here, {"actor": "alice", "kind": "edit", "summary": "more", "files": ["src/x.py"]})
    again = written(here)
    assert (
        again.startswith("# Mine\n\nKeep this.\n\n") and again.endswith("\nAnd this.\n") and "alice edit: more" in again
    )
    assert again.count(render.BEGIN) == 1


def test_nothing_that_is_told_breaks_out_of_its_line_or_tells_a_secret(here: Project) -> None:
    (here.root / ".agent/rules.md").write_text(
        f"- {render.END}\n- password: hunter2xyz\n- a\x1b[31mb ◱hash=0123 gist=x◲\n"
    )
    text = written(here)
    assert text.count(render.END) == 1 and "hunter2" not in text and not set("\x1b◱◲") & set(text)
    assert list(render.write(here.root, context.build(str(here.root), "alice"))) == []


PAGE = """---
trigger: always_on
---
# Rules

## Never do

- edit a generated file
  - but the lock file

Always do
---------

```bash
# the quick half first
make quick  # a --> b
```

| layer | folder |
|-------|--------|
| pages | src/ui |

<!-- for those who
edit this -->
last words
"""
TOLD = """### Never do

- edit a generated file
  - but the lock file

### Always do

```bash
# the quick half first
make quick  # a --> b
```

| layer | folder |
|-------|--------|
| pages | src/ui |

last words

- Tests are sealed (.agent/memory/semantic/rules/tests/0123abcd-sealed.md)
"""


@pytest.mark.parametrize("page", [".agent/rules.md", ".agent/patterns.md", "docs/bug-registry.md"])
@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_a_page_of_people_s_keeps_its_structure(here: Project, page: str, ends: str) -> None:
    (here.root / page).write_bytes(PAGE.replace("\n", ends).encode())
    expected = TOLD if "rules" in page else TOLD.partition("- Tests are")[0]
    assert expected in written(here)


@pytest.mark.parametrize(
    ("page", "kept"),
    [
        ("---\n\nNever push.\n\n---\n\nAlways test.\n", ["Never push.", "Always test."]),
        ("---\n# Never\n\n- Mind: push nothing\n\n---\n\nAlways test.\n", ["Mind: push nothing", "Always test."]),
        ("---\n- push nothing\n---\nAlways test.\n", ["push nothing", "Always test."]),
        ("---\n# by Ana\ntrigger: always_on\n---\nAlways test.\n", ["Always test."]),
        ("\n---\ntrigger: always_on\n---\nAlways test.\n", ["Always test."]),
        ("Begin with `<!-- a -->`. <!-- `b` -->\n", ["Begin with `— a -->`."]),
        ("---\ntrigger:\n  - edit\n\nglobs: src\n---\nAlways test.\n", ["Always test."]),
    ],
)
def test_only_fields_are_frontmatter_and_what_stands_between_two_rules_is_kept(
    here: Project, page: str, kept: list[str]
) -> None:
    (here.root / ".agent/rules.md").write_text(page)
    text = written(here)
    assert all(part in text for part in kept)
    assert not any(part in text for part in ("by Ana", "always_on", "trigger", "globs"))


def test_sections_of_the_first_level_stay_sections_and_a_long_page_is_cut_whole(here: Project) -> None:
    rows = "\n".join(f"line {number}" for number in range(400))
    (here.root / ".agent/rules.md").write_text(f"# Never\n- push\n# Always\n- test\n## Here\n```\n{rows}\n```\n")
    text = written(here)
    assert "### Never\n- push\n### Always\n- test\n#### Here\n```\nline 0\n" in text
    assert "```\n\n(108 more lines)\n" in text and "line 399" not in text


def test_two_names_of_one_file_get_one_block(here: Project) -> None:
    (here.root / "AGENTS.md").write_text("# For agents\n")
    (here.root / "CLAUDE.md").symlink_to("AGENTS.md")
    assert written(here).count(render.BEGIN) == 1 and (here.root / "CLAUDE.md").is_symlink()
    (here.root / "CLAUDE.md").unlink()
    (here.root / "docs" / "all.md").write_text("")
    (here.root / "CLAUDE.md").symlink_to("docs/all.md")
    assert written(here).count(render.BEGIN) == 1 and (here.root / "AGENTS.md").read_text().count(render.BEGIN) == 1


def test_the_file_that_one_is_a_link_to_may_be_missing(here: Project) -> None:
    (here.root / "CLAUDE.md").symlink_to("AGENTS.md")
    assert written(here).count(render.BEGIN) == 1 and (here.root / "CLAUDE.md").is_symlink()


def test_a_link_out_of_the_project_is_not_written_through(
    here: Project, tmp_path_factory: pytest.TempPathFactory
) -> None:
    away = tmp_path_factory.mktemp("away") / "notes.md"
    away.write_text("mine\n")
    (here.root / "CLAUDE.md").symlink_to(away)
    with pytest.raises(OSError, match="CLAUDE"):
        written(here)
    assert away.read_text() == "mine\n"
    assert render.BEGIN in (here.root / "AGENTS.md").read_text()  # the other file is written


@pytest.mark.parametrize(
    ("mine", "blocks"),
    [
        ("@AGENTS.md\n", 0),
        ("See @./AGENTS.md for all.\n", 0),
        ("Write `@AGENTS.md` to include it.\n", 1),
        ("```\n@AGENTS.md\n```\n", 1),
        ("@docs/AGENTS.md\n", 1),
        ("<!-- later:\n@AGENTS.md -->\n", 1),  # comments do not reach a model
        ("Write ``@AGENTS.md`` or `a` to include it.\n", 1),
        ("`a` and <!-- b --> and @AGENTS.md and `c`\n", 0),
    ],
)
def test_who_includes_the_other_file_needs_no_block(here: Project, mine: str, blocks: int) -> None:
    old = written(here)  # a block from before the file included the other
    (here.root / "CLAUDE.md").write_text(mine + old)
    assert written(here).count(render.BEGIN) == blocks
    assert list(render.write(here.root, context.build(str(here.root), "alice"))) == []
    assert (here.root / "AGENTS.md").read_text().count(render.BEGIN) == 1


def test_the_block_has_the_line_ends_of_its_file(here: Project) -> None:
    (here.root / "CLAUDE.md").write_bytes(b"# Mine\r\n")
    for _ in range(2):
        list(render.write(here.root, context.build(str(here.root), "alice")))
        data = (here.root / "CLAUDE.md").read_bytes()
        assert data.count(b"\n") == data.count(b"\r\n") and data.count(b"dotagent: begin") == 1


@pytest.mark.parametrize("codec", ["utf-16", "utf-8-sig", "cp1252"])
def test_the_block_has_the_encoding_of_its_file(here: Project, codec: str) -> None:
    path = here.root / "CLAUDE.md"
    path.write_bytes("# Käse\r\n".encode(codec))
    for _ in range(2):
        list(render.write(here.root, context.build(str(here.root), "alice")))
        text = path.read_bytes().decode(codec)
        assert text.startswith("# Käse\r\n") and text.count(render.BEGIN) == 1 and "- tests first" in text
        assert render.is_in(path)


def test_a_file_of_an_unknown_encoding_is_left_as_it_is_and_named(here: Project) -> None:
    path = here.root / "CLAUDE.md"
    path.write_bytes(before := "Привет, мир\n".encode("koi8-r"))
    with pytest.raises(
        Trouble, match=r"CLAUDE.md is not UTF-8, .* so dotagent wrote nothing there; save the file as UTF-8"
    ):
        list(render.write(here.root, context.build(str(here.root), "alice")))
    assert path.read_bytes() == before and render.is_in(here.root / "AGENTS.md")


@pytest.mark.parametrize("codec", ["utf-16", "utf-8-sig", "cp1252"])
def test_a_page_is_read_in_its_encoding(here: Project, codec: str) -> None:
    (here.root / ".agent/rules.md").write_bytes("- Käse first\n".encode(codec))
    (here.root / "docs/bug-registry.md").write_bytes("- #13 Öl\n".encode(codec))
    assert "\n- Käse first\n" in written(here) and "\n- #13 Öl\n" in written(here)


@pytest.mark.parametrize("text", ["- a list\n", "{", "a: !!python/object/apply:os.system [ls]\n"])
def test_a_profile_that_is_none_is_told(here: Project, text: str) -> None:
    here.profile("alice").write_text(text)
    with pytest.raises(Trouble, match=r"profile\.yaml"):
        written(here)
