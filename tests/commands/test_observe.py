"""`observe`: by hand, from git's hooks and Claude Code's; two people's work never meets in one file."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from planted import PLANTED, said
from support import PATIENCE
from teams import Person, team

from dotagent.project import episodes, hooks, working
from dotagent.project.place import Project


def happened(person: Person) -> list[tuple[str, str, str]]:
    found = [one for path in episodes.list_files(Project(person.root)) for _, one in episodes.read(path)]
    return [(one.actor, one.kind, one.summary) for one in sorted(found, key=lambda one: one.ts)]


@pytest.mark.night
def test_two_people_s_work_merges_without_a_conflict_and_each_line_has_its_author(tmp_path: Path) -> None:
    alice, bob = team(tmp_path)
    for person in (alice, bob):
        person.do("observe", "decision", "we", "use", "pytest", "--file", "README.md")
        person.commit(f"{person.name}.py", "x = 1\n", f"{person.name} works")
        person.git("add", "-A")
        person.git("commit", "-qm", "what was observed")
    alice.git("push", "-q", "origin", "main")
    bob.git("pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
    assert bob.git("status", "--porcelain", "--", ".agent/memory/working") == ""
    assert "working" not in bob.git("ls-files", ".agent") and "index.sqlite" not in bob.git("ls-files", ".agent")
    told = happened(bob)
    assert {("alice", "decision", "we use pytest"), ("bob", "decision", "we use pytest"),
            ("alice", "commit", "alice works"), ("bob", "commit", "bob works")} <= set(told)  # fmt: skip
    rows = [json.loads(line) for line in bob.do("who", "--json").split("\n")[:-1]]
    assert {one["actor"] for one in rows} == {"alice", "bob"}
    assert "alice works" in bob.do("feed", "--actor", "alice", "--kind", "commit")


@pytest.mark.slow
def test_what_is_observed_is_what_one_does_now(tmp_path: Path) -> None:
    alice, _ = team(tmp_path)
    alice.do("observe", "task-start", "ship JWT rotation fix")
    for number in range(25):
        working.observe(
            Project(alice.root),
            {"actor": "alice", "kind": "edit", "summary": f"edit {number}", "files": [f"{number}.py"]},
        )
    now = working.read(Project(alice.root), "alice")
    assert now["task"] == "ship JWT rotation fix" and now["branch"] == "main" and now["actor"] == "alice"
    assert len(now["recent_events"]) == len(now["recent_files"]) == working.RECENT
    assert now["recent_files"][0] == "24.py" and now["recent_events"][0]["summary"] == "edit 24"
    alice.do("observe", "task-end")
    assert working.read(Project(alice.root), "alice")["task"] == ""
    files = list(episodes.list_files(Project(alice.root)))
    assert len(files) <= 2 and all(path.name.startswith("alice__") for path in files)


def episodes_of(person: Person) -> list[episodes.Episode]:
    found = (one for path in episodes.list_files(Project(person.root)) for _, one in episodes.read(path))
    return [one for one in found if one.kind == "edit"]


@pytest.mark.slow
def test_claude_code_s_hook_tells_its_file_session_and_tool(tmp_path: Path) -> None:
    alice, _ = team(tmp_path)
    (alice.root / ".claude").mkdir()
    mine = {"model": "x", "hooks": {"PostToolUse": [{"matcher": "Bash", "hooks": []}]}}
    (alice.root / ".claude/settings.json").write_text(json.dumps(mine))
    alice.do("observe", "install", "--claude")
    told = json.loads((alice.root / ".claude/settings.json").read_text())
    assert len(told["hooks"]["PostToolUse"]) == 2 and told["model"] == "x"
    hook = {
        "session_id": "ABCDEF12-3456",
        "tool_name": "Edit",
        "tool_input": {"file_path": str(alice.root / "src/x.py")},
    }
    alice.do("observe", "edit", "--from-claude", stdin=json.dumps(hook))
    now = working.read(Project(alice.root), "alice")
    assert (now["tool"], now["session"], now["recent_files"]) == ("claude_code", "abcdef12-345", ["src/x.py"])
    assert now["recent_events"][0]["summary"] == "Edit src/x.py"
    told = alice.do("observe", "edit", "--from-claude", stdin="no", status=1)  # 2 stops its model
    assert "does not contain an event" in told
    changed = {"files": [{"filePath": str(alice.root / "a.py")}], "changedFiles": [str(alice.root / "b.py"), "/etc/c"]}
    answer = {"stdout": "x" * 5_000_000, "bashEditDiff": changed}
    shell = {**hook, "tool_name": "Bash", "tool_input": {"command": "sed"}, "tool_response": answer}
    alice.do("observe", "edit", "--from-claude", stdin=json.dumps(shell))
    before = episodes_of(alice)
    assert before[-1].files == ("b.py", "…/c", "a.py") and before[-1].summary == "Bash b.py …/c a.py"
    for more in ({}, {"tool_response": {"stdout": ""}}, {"tool_response": "text"}):
        alice.do("observe", "edit", "--from-claude", stdin=json.dumps({**shell, "tool_response": None, **more}))
    assert episodes_of(alice) == before  # a command that changed no file
    alice.do("observe", "uninstall")
    assert json.loads((alice.root / ".claude/settings.json").read_text()) == mine


PATCH = """*** Begin Patch
*** Update File: src/x.py
*** Move to: src/y.py
@@
-a
+b
*** Add File: new.md
+x
*** End Patch
"""
EDITS = [
    ("codex", "apply_patch", {"command": PATCH}, ("src/x.py", "src/y.py", "new.md")),
    ("codex", "apply_patch", PATCH, ("src/x.py", "src/y.py", "new.md")),
    ("codex", "Bash", {"command": "ls"}, ()),
    ("gemini", "write_file", {"file_path": "src/x.py", "content": "x"}, ("src/x.py",)),
    ("gemini", "replace", {"file_path": "/elsewhere/x.py", "old_string": "a", "new_string": "b"}, ("…/x.py",)),
    ("qwen", "edit", {"file_path": "src/x.py"}, ("src/x.py",)),
    ("claude", "Edit", {"file_path": "src/x.py"}, ("src/x.py",)),
]


@pytest.mark.parametrize(("name", "tool", "given", "files"), EDITS)
def test_the_event_of_a_coding_program_names_its_files(
    tmp_path: Path, name: str, tool: str, given: object, files: tuple[str, ...]
) -> None:
    told = {"tool_name": tool, "tool_input": given, "tool_response": {"ok": True}, "cwd": str(tmp_path)}
    found = [working.shared_name(tmp_path, one) for one in hooks.changed_files(name, told)]
    assert tuple(found) == files


def shell(**diff: object) -> dict[str, object]:
    return {"tool_name": "Bash", "tool_input": {"command": "sed"}, "tool_response": {"stdout": "", **diff}}


ODD: dict[str, tuple[str, dict[str, object], tuple[str, ...]]] = {
    "files in another form": ("claude", shell(bashEditDiff={"files": [{"path": "b"}], "changedFiles": ["a"]}), ("a",)),
    "only names of files": ("claude", shell(bashEditDiff={"files": ["b.py"], "changedFiles": None}), ("b.py",)),
    "a list in place of the table": ("claude", shell(bashEditDiff=["c.py"]), ("c.py",)),
    "no change": ("claude", shell(bashEditDiff=None), ()),
    "half a character in a name": ("claude", {"tool_name": "Edit", "tool_input": {"file_path": "a\ud83d"}}, ("a?",)),
    "a zero in a name": ("claude", {"tool_name": "Edit", "tool_input": {"file_path": "a\0b"}}, ("a?b",)),
    "an answer in blocks": (
        "claude",
        {"tool_name": "Edit", "tool_input": {"file_path": "a"}, "tool_response": [{"type": "text"}], "new": [{}]},
        ("a",),
    ),
    "a patch as words": (
        "codex",
        {"tool_name": "apply_patch", "tool_input": {"command": ["apply_patch", PATCH]}, "turn_id": "t"},
        ("src/x.py", "src/y.py", "new.md"),
    ),
    "a patch by shell": (
        "codex",
        {"tool_name": "Bash", "tool_input": {"command": f"apply_patch <<'X'\n{PATCH}X"}, "tool_response": "Success"},
        ("src/x.py", "src/y.py", "new.md"),
    ),
    "a failed edit": (
        "gemini",
        {"tool_name": "replace", "tool_input": {"file_path": "a"}, "tool_response": {"error": {"message": "none"}}},
        (),
    ),
    "a failed patch": (
        "codex",
        {"tool_name": "apply_patch", "tool_input": {"command": PATCH}, "tool_response": {"metadata": {"exit_code": 1}}},
        (),
    ),
    "a patch by a shell that then failed": (
        "codex",
        {
            "tool_name": "Bash",
            "tool_input": {"command": f"apply_patch <<X\n{PATCH}X"},
            "tool_response": {"exit_code": 1},
        },
        ("src/x.py", "src/y.py", "new.md"),
    ),
    "a tool that was refused": (
        "qwen",
        {"tool_name": "edit", "tool_input": {"file_path": "a"}, "tool_response": {"is_error": True}},
        (),
    ),
    "another event": (
        "qwen",
        {"hook_event_name": "PostToolUseFailure", "tool_name": "edit", "tool_input": {"file_path": "a"}},
        (),
    ),
    "an answer of several MB": (
        "gemini",
        {
            "hook_event_name": "AfterTool",
            "tool_name": "write_file",
            "tool_input": {"file_path": "a"},
            "tool_response": {"llmContent": "x" * 5_000_000, "error": None},
        },
        ("a",),
    ),
}


@pytest.mark.parametrize("case", ODD)
def test_an_event_in_an_odd_form_names_its_files_as_well(case: str, tmp_path: Path) -> None:
    name, told, files = ODD[case]
    found = hooks.changed_files(name, {"cwd": str(tmp_path), **told})
    assert tuple(working.shared_name(tmp_path, one) for one in found) == files


@pytest.mark.night
def test_each_coding_program_gets_its_hook_beside_others(tmp_path: Path) -> None:
    alice, _ = team(tmp_path)
    mine = {"model": "x", "hooks": {"AfterTool": [{"matcher": "write_file", "hooks": []}]}}
    (alice.root / ".gemini").mkdir()
    (alice.root / ".gemini/settings.json").write_text(json.dumps(mine))
    project = Project(alice.root)
    changed = [*hooks.install(project, [*hooks.PROGRAMS])]
    assert [*hooks.install(project, [*hooks.PROGRAMS])] == []
    for name, program in hooks.PROGRAMS.items():
        assert str(alice.root / program.settings) in changed
        told = json.loads((alice.root / program.settings).read_text())
        (ours,) = [one for one in told["hooks"][program.event] if one["hooks"]]
        assert ours["matcher"] == program.tools
        edit = {"tool_name": "edit", "tool_input": {"file_path": "a.py", "command": "*** Add File: a.py"}}
        done = subprocess.run(ours["hooks"][0]["command"], shell=True, cwd=alice.root, input=json.dumps(edit).encode(),
                              capture_output=True, timeout=PATIENCE, env=alice.env)  # fmt: skip
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
        assert episodes_of(alice)[-1].files == ("a.py",), name
    assert {one.tool for one in episodes_of(alice)} == {one.actor for one in hooks.PROGRAMS.values()}
    list(hooks.uninstall(project))
    assert json.loads((alice.root / ".gemini/settings.json").read_text()) == mine
    assert not (alice.root / ".codex/hooks.json").exists()


@pytest.mark.slow
def test_a_hook_of_one_s_own_stays_and_runs(tmp_path: Path) -> None:
    alice, _ = team(tmp_path)
    alice.do("observe", "uninstall")
    hook = alice.root / ".git/hooks/post-commit"
    assert not hook.exists()
    hook.write_text("#!/bin/sh\ntouch mine")
    hook.chmod(0o755)
    alice.do("observe", "install")
    assert "nothing to change" in alice.do("observe", "install")
    alice.commit("a.py", "1\n", "mine too")
    assert (alice.root / "mine").exists() and ("alice", "commit", "mine too") in happened(alice)
    alice.do("observe", "uninstall")
    assert hook.read_text() == "#!/bin/sh\ntouch mine\n"


@pytest.mark.slow
def test_no_secret_is_observed_and_what_is_no_event_is_told(tmp_path: Path) -> None:
    alice, _ = team(tmp_path)
    for kind in PLANTED:
        working.observe(Project(alice.root), {"kind": "note", "summary": said(kind), "actor": "alice"})
    texts = "".join(
        path.read_text() for path in (alice.root / ".agent").rglob("*") if path.suffix in (".jsonl", ".json")
    )
    assert [kind for kind, secret in PLANTED.items() if secret.split("\n")[-2:][0] in texts] == []
    assert "cannot be a kind of event" in alice.do("observe", "Edit!", "x", status=2)
    assert "the description is missing" in alice.do("observe", "edit", status=2)
    outside = Person("carol", tmp_path)
    assert "observe install" in outside.do("feed", status=2)


@pytest.mark.night
def test_two_hundred_at_once_lose_and_tear_nothing(tmp_path: Path) -> None:
    alice, _ = team(tmp_path)
    code = """
import os, sys
from pathlib import Path
from dotagent.project import working
from dotagent.project.place import Project
for number in range(200):
    if os.fork() == 0:
        told = {"kind": "edit", "summary": f"edit {number}", "actor": f"p{number % 7}"}
        working.observe(Project(Path(sys.argv[1])), told)
        os._exit(0)
assert not any(os.wait()[1] for _ in range(200))
"""
    subprocess.run([sys.executable, "-c", code, str(alice.root)], check=True, env=alice.env, timeout=PATIENCE)
    assert sorted(one[2] for one in happened(alice) if one[1] == "edit") == sorted(f"edit {n}" for n in range(200))
