"""import: an agent of Moltbot or DotAgent goes on here; nothing of where it was is changed, and nothing here lost."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import pytest
from support import run

from dotagent import commands
from dotagent.capabilities.migration import settings_import, talk_import, workspace
from dotagent.errors import Misuse, Trouble
from dotagent.life import replay
from dotagent.store import display, home, zstd
from dotagent.store.home import Home
from dotagent.text import times

FILES = {
    "SOUL.md": "# You are Aria\n", "AGENTS.md": "Write things down.\n", "IDENTITY.md": "- **Name:** Aria\n",
    "MEMORY.md": "# Notes\n" + "".join(f"## Part {number}\n{'word ' * 100}\n" for number in range(12)),
    "memory/2026-01-31.md": "We flew to Tokyo.\n", "bank/world.md": "W: the sky is blue\n", ".env": "KEY=hush\n",
}  # fmt: skip


@pytest.fixture
def there(tmp_path: Path) -> Path:
    root = tmp_path / "clawd"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def state(root: Path) -> dict[str, tuple[int, int]]:
    return {str(path): (path.lstat().st_mtime_ns, path.lstat().st_ino) for path in root.rglob("*")}


@pytest.mark.slow
def test_a_new_agent_has_what_was_there(where: Home, there: Path) -> None:
    before = state(there)
    done = run(where, "-m", "dotagent", "import", str(there))
    assert done.returncode == 0, done.stderr
    assert state(there) == before and "hush" not in done.stdout
    (self_id,) = home.lives(where)
    folder = where.agent(self_id)
    assert replay.soul(where.store(), self_id)[1] == FILES["SOUL.md"]
    for name in ("AGENTS.md", "IDENTITY.md"):
        assert (folder / name).read_text() == f"{FILES[name]}\n# [from import] Another program wrote the lines above.\n"
    for name in ("memory/2026-01-31.md", "bank/world.md"):  # nobody knows who said that
        assert (folder / name).read_text() == f"[from import] {FILES[name]}"
    notes, rest = (folder / "MEMORY.md").read_text(), (folder / "memory/MEMORY-rest.md").read_text()
    assert len(notes) <= 4000 and "Part 0" in notes and "Part 11" in rest and "memory/MEMORY-rest.md" in notes
    assert not (folder / ".env").exists() and ".env is not imported: it contains secrets" in done.stdout
    assert f"6 files imported, 1 skipped; start agent {self_id[:12]}" in done.stdout
    again = run(where, "-m", "dotagent", "import", str(there), "--agent", self_id[:8], "--json")
    told = {row["path"]: row["what"] for row in map(json.loads, again.stdout.split("\n")[:-1])}
    assert home.lives(where) == [self_id] and told["AGENTS.md"] == "was imported as AGENTS.md"
    (folder / "AGENTS.md").write_text("mine\n")
    again = run(where, "-m", "dotagent", "import", str(there), "--agent", self_id[:8])
    assert (
        "AGENTS.md is not imported, because the agent already has AGENTS.md" in again.stdout
        and (folder / "AGENTS.md").read_text() == "mine\n"
    )


@pytest.mark.slow
def test_what_is_no_workspace_is_said_in_one_line(where: Home, there: Path, tmp_path: Path) -> None:
    (tmp_path / "state" / "workspace").mkdir(parents=True)
    for words, why in (
        ("nowhere", "is not a directory"),
        (str(tmp_path / "state"), "did you mean"),
        (str(where.blobs), "are all missing"),
    ):
        done = run(where, "-m", "dotagent", "import", words)
        assert done.returncode == 2 and done.stderr.count("\n") == 1 and why in done.stderr
    assert home.lives(where) == []


CONFIG = """// settings
{ agents: { defaults: { provider: "openrouter", model: 'openai/gpt-5.2', workspace: "~/x",
    userTimezone: "Asia/Tokyo" }, list: [{ id: "aria" }] },
  "providers": { "openrouter": { "api_key": "sk-or-hush", "api_base": "" }, "openai": { "api_key": "sk-hush",
    "api_base": "https://example.org/v1" }, "deepseek": { "apiKey": "${DEEPSEEK}" } }, /* keys */
  "channels": { "discord": { "enabled": true, "token": "bot-hush", "allow_from": ["123456789012345678"] },
    "telegram": { "enabled": false, "token": "tele-hush" } },
\t"ui": { "assistant": { "name": "It's // Aria", }, }, }
"""


def env(where: Home) -> str:
    return (where.root / ".env").read_text()


def test_an_option_that_would_have_no_effect_is_refused(where: Home, there: Path) -> None:
    (there / "config.json").write_text("{}")
    for words in (
        [str(there), "--agent", "18ab", "--room", "ops"],
        [str(there / "config.json"), "--agent", "18ab"],
        [str(there / "config.json"), "--room", "ops"],
    ):
        with pytest.raises(Misuse, match=r"leave it out|has no effect with `import FILE`; use it with DIR"):
            commands.run("import", [*words, "--home", str(where.root)])


@pytest.mark.slow
def test_the_settings_and_keys_beside_a_workspace_come_with_it(where: Home, tmp_path: Path, there: Path) -> None:
    old = tmp_path / "old"
    old.mkdir()
    there = there.rename(old / "workspace")
    (old / "config.json").write_text(CONFIG)
    (where.root / "dotagent.toml").write_text('model = "mine"\n')
    (where.root / ".env").write_text("OPENAI_API_KEY=own\n")
    (where.root / ".env").chmod(0o600)
    done = run(where, "-m", "dotagent", "import", str(there))
    assert done.returncode == 0 and "hush" not in done.stdout + done.stderr, done.stderr
    kept = home.settings(where)
    assert (kept.provider, kept.model, kept.zone) == ("openrouter", "mine", "Asia/Tokyo")
    assert kept.bridges == {"discord": {"users": ["id:123456789012345678"]}}
    assert kept.ui["assistant"] == {"name": "It's // Aria"} and "openai" not in kept.providers
    assert env(where) == "OPENAI_API_KEY=own\nOPENROUTER_API_KEY=sk-or-hush\nDISCORD_BOT_TOKEN=bot-hush\n"
    for line in (
        "agents.defaults.model not imported: dotagent.toml has its own model",
        "agents.defaults.workspace not imported: choose dotagent's data directory",
        "agents.list not imported: write a table such as [agents.aria] for each agent",
        "providers.openai.api_key not imported: OPENAI_API_KEY is already set",
        "providers.openai.api_base not imported: your API key would be sent",
        "providers.deepseek.apiKey not imported: the value is in an environment variable",
        "channels.telegram.token not imported, because it is switched off in the other program",
    ):
        assert f"config.json: {line}" in done.stdout
    for text, why in (("{", "is not a file of settings in JSON"), ("[1]", "contains no table")):
        (old / "config.json").write_text(text)
        done = run(where, "-m", "dotagent", "import", str(old / "config.json"))
        assert done.returncode == 2 and why in done.stderr and done.stderr.count("\n") == 1


@pytest.mark.slow
def test_a_grown_agent_is_not_greeted_and_keeps_its_face(where: Home, there: Path) -> None:
    (there / "BOOTSTRAP.md").write_text("Who are you?\n")
    (there / "IDENTITY.md").write_text("- **Name:** Aria\n- **Avatar:** assets/aria.png\n")
    for name in ("assets/aria.png", "assets/other.png", "avatars/old.webp", "avatars/run.sh"):
        (there / name).parent.mkdir(exist_ok=True)
        (there / name).write_bytes(b"\x89PNG\r\n\x00")
    done = run(where, "-m", "dotagent", "import", str(there))
    assert (
        "BOOTSTRAP.md is not imported: the agent already has notes about you, so it needs no first conversation"
        in " ".join(done.stdout.split())
    )
    (self_id,) = home.lives(where)
    folder = where.agent(self_id)
    assert not (folder / "BOOTSTRAP.md").exists()
    assert (folder / "assets/aria.png").read_bytes() == b"\x89PNG\r\n\x00" and (folder / "avatars/old.webp").exists()
    assert not (folder / "assets/other.png").exists() and not (folder / "avatars/run.sh").exists()
    assert display.find_face(where, home.settings(where), self_id).avatar == "assets/aria.png"


@pytest.mark.slow
def test_notes_that_do_not_fit_overwrite_no_other_notes(where: Home, there: Path) -> None:
    (there / "memory/MEMORY-rest.md").write_text("older notes\n")
    (there / "MEMORY.md").write_text("# Notes\n" + "a line\n" * 1000)
    run(where, "-m", "dotagent", "import", str(there))
    folder = where.agent(home.lives(where)[0])
    notes, rest = (folder / "MEMORY.md").read_text(), (folder / "memory/MEMORY-rest-2.md").read_text()
    assert (folder / "memory/MEMORY-rest.md").read_text() == "[from import] older notes\n"
    assert "memory/MEMORY-rest-2.md" in notes and (notes + rest).count("a line\n") == 1000


SCHEMA = """
CREATE TABLE session_windows (session_id TEXT PRIMARY KEY, session_key TEXT, created_at INTEGER);
CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, event_json TEXT, created_at INTEGER, event_zstd BLOB,
  PRIMARY KEY (session_id, seq)) STRICT;
"""
JOBS = """
CREATE TABLE cron_jobs (store_key TEXT, job_id TEXT, name TEXT, job_json TEXT, state_json TEXT);
"""


def event(role: str, content: object, at: str = "2026-09-01T10:00:00Z") -> str:
    return json.dumps({"type": "message", "timestamp": at, "message": {"role": role, "content": content}})


def talk(path: Path, rows: Iterable[tuple[str, int, str | None, bytes | None]]) -> None:
    path.parent.mkdir(parents=True)
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA journal_mode = wal")
        db.executescript(SCHEMA)
        windows = [("s2", "agent:main:main", 2), ("s1", "agent:main:main", 1), ("g", "agent:main:group:7", 3)]
        db.executemany("INSERT INTO session_windows VALUES (?, ?, ?)", windows)
        db.executemany("INSERT INTO transcript_events VALUES (?, ?, ?, 1788256800000, ?)", rows)
        db.commit()


def test_openclaws_talk_becomes_notes_and_nothing_there_is_changed(tmp_path: Path) -> None:
    packed = zstd.load().compress(event("assistant", [{"type": "text", "text": "Green tea."}]).encode())
    path = tmp_path / "agents/main/agent/openclaw-agent.sqlite"
    talk(path, [
        ("s2", 1, event("user", "and\n\n# now?"), None),
        ("s1", 1, event("user", [{"type": "text", "text": "I like tea"}, {"type": "image"}]), None),
        ("s1", 2, json.dumps({"type": "model_change", "model": "x"}), None),
        ("s1", 3, event("toolResult", "secret of a tool"), None),
        ("s1", 4, None, packed),
        ("s1", 5, "no json", None),
        ("s1", 6, None, b"no zstd"),
        ("g", 1, event("user", "in the group"), None),
        ("lost", 1, event("user", "of no window"), None),
    ])  # fmt: skip
    before = state(tmp_path)
    found = {one.path: one for one in talk_import.read(path)}
    assert state(tmp_path) == before
    at = times.format_stamp("2026-09-01T10:00:00Z").replace("T", " ")
    assert {name: one.messages for name, one in found.items()} == {
        "memory/talk/agent-main-main.md": 3, "memory/talk/agent-main-group-7.md": 1, "memory/talk/lost.md": 1,
    }  # fmt: skip
    assert found["memory/talk/agent-main-main.md"].text == (
        "# Conversation agent:main:main\n\n"
        f"- {at} person: I like tea\n- {at} agent: Green tea.\n- {at} person: and\n  \n  # now?\n"
    )
    with pytest.raises(Trouble, match="not a readable database"):
        (tmp_path / "odd").write_bytes(b"x" * 5000)
        list(talk_import.read(tmp_path / "odd"))


def test_what_still_waits_in_another_file_is_read_too(tmp_path: Path) -> None:
    path = tmp_path / "agents/main/agent/openclaw-agent.sqlite"
    talk(path, [])
    with closing(sqlite3.connect(path)) as db:  # as while OpenClaw runs
        db.execute("INSERT INTO transcript_events VALUES ('s1', 1, ?, 0, NULL)", (event("user", "late"),))
        db.commit()
        before = state(tmp_path)
        assert [one.messages for one in talk_import.read(path)] == [1]
        assert state(tmp_path) == before


def test_a_long_talk_is_in_several_files(tmp_path: Path) -> None:
    path = tmp_path / "agents/main/agent/openclaw-agent.sqlite"
    talk(path, ((("s1", number, event("user", "word " * 400), None)) for number in range(500)))
    found = list(talk_import.read(path))
    assert [one.path for one in found][:2] == ["memory/talk/agent-main-main.md", "memory/talk/agent-main-main-2.md"]
    assert sum(one.messages for one in found) == 500 and all(len(one.text.encode()) < 1 << 20 for one in found)


@pytest.mark.night
def test_openclaws_home_is_imported_with_its_talk(where: Home, tmp_path: Path) -> None:
    root = tmp_path / "openclaw"
    (root / "workspace").mkdir(parents=True)
    (root / "workspace/SOUL.md").write_text(FILES["SOUL.md"])
    talk(root / "agents/main/agent/openclaw-agent.sqlite", [("s1", 1, event("user", "the harbour is in Porto"), None)])
    talk(root / "agents/other/agent/openclaw-agent.sqlite", [("s1", 1, event("user", "of another"), None)])
    (root / "state").mkdir()
    schedule = {"kind": "cron", "expr": "0 9 * * *", "tz": "Europe/Berlin"}
    job = {"name": "tea", "schedule": schedule, "payload": {"text": "drink"}}
    with closing(sqlite3.connect(root / "state/openclaw.sqlite")) as db:
        db.executescript(JOBS)
        db.execute("INSERT INTO cron_jobs VALUES ('x', 'y', 'tea', ?, '{}')", (json.dumps(job),))
        db.commit()
    before = state(root)
    done = run(where, "-m", "dotagent", "import", str(root / "workspace"))
    assert done.returncode == 0, done.stderr
    assert state(root) == before
    assert "has 1 message, now in 1 file below memory/talk/" in done.stdout
    assert "agents/other/agent/openclaw-agent.sqlite is not imported: it contains conversations of an" in done.stdout
    assert "the job “tea” (0 9 * * * Europe/Berlin): drink; it is not imported" in done.stdout
    (self_id,) = home.lives(where)
    note = (where.agent(self_id) / "memory/talk/agent-main-main.md").read_text()
    assert "- [from import] " in note and "person: the harbour is in Porto" in note
    found = run(where, "-m", "dotagent", "memory", "search", "harbour Porto")
    assert "the harbour is in Porto" in found.stdout


THEIR_JOBS: dict[str, tuple[object, list[str]]] = {
    "OpenClaw": (
        {"version": 1, "jobs": [
            {"name": "a", "schedule": {"kind": "every", "everyMs": 1800000}, "payload": {"message": "look"}},
            {"name": "b", "schedule": {"kind": "cron", "expr": "0 9 * * 1", "tz": "Asia/Tokyo"},
             "payload": {"kind": "systemEvent", "text": "plan"}},
            {"name": "c", "schedule": {"kind": "at", "at": "2026-12-24T10:00:00Z"}, "payload": {"message": "call"}},
        ]},
        ["“a” (every 30m): look", "“b” (0 9 * * 1 Asia/Tokyo): plan", "“c” (2026-12-24T10:00:00Z): call"],
    ),
    "Hermes": (
        {"jobs": [
            {"name": "a", "prompt": "make tea", "schedule": {"kind": "cron", "expr": "0 9 * * *"}},
            {"name": "b", "prompt": "call", "schedule": {"kind": "once", "run_at": "2026-12-24T10:00:00+00:00"}},
            {"name": "c", "prompt": "ping", "schedule": {"kind": "interval", "minutes": 90}},
        ], "updated_at": "2026-11-30"},
        ["“a” (0 9 * * *): make tea", "“b” (2026-12-24T10:00:00+00:00): call", "“c” (every 1h30m): ping"],
    ),
    "nanobot": (
        {"jobs": [{"name": "a", "schedule": {"kind": "at", "atMs": 1798106400000}, "payload": {"message": "x"}}, 7]},
        ["“a” (2026-12-24 10:00): x"],
    ),
    "an odd list": ([{"name": 3, "schedule": "@daily", "text": "x\ny"}, {}],
                    ["“3” (@daily): x y", "“without a name” (at no time):"]),
}  # fmt: skip


@pytest.mark.parametrize("program", THEIR_JOBS)
def test_each_job_of_another_program_is_named(program: str, tmp_path: Path) -> None:
    told, lines = THEIR_JOBS[program]
    (tmp_path / "jobs.json").write_text(json.dumps(told))
    assert [one.replace("\\n", " ") for one in talk_import.listed(tmp_path / "jobs.json")] == lines


def test_changes_of_jobs_that_nanobot_has_not_made_yet_are_named(tmp_path: Path) -> None:
    path = tmp_path / "action.jsonl"
    params = {"name": "tea", "schedule": {"kind": "every", "everyMs": 60000}, "message": "drink"}
    path.write_text(f"{json.dumps({'action': 'add', 'params': params})}\n\n")
    assert talk_import.listed(path) == ["“tea” (every 1m): drink"]
    path.write_text("{")
    with pytest.raises(Trouble, match="not a readable list of jobs"):
        talk_import.listed(path)


def test_the_instructions_of_openclaws_heartbeats_are_named(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "x.sqlite")) as db:
        db.execute("CREATE TABLE cron_job_scratch (store_key TEXT, job_id TEXT, content TEXT, revision INTEGER)")
        db.execute("INSERT INTO cron_job_scratch VALUES ('x', 'heartbeat:main', '- look at the garden each day', 1)")
        db.commit()
    assert talk_import.instructions(tmp_path / "x.sqlite") == ["- look at the garden each day"]
    assert not talk_import.jobs(tmp_path / "x.sqlite")


def test_everything_beside_a_workspace_is_named(tmp_path: Path) -> None:
    root = tmp_path / "old/workspace"
    root.mkdir(parents=True)
    (root / "SOUL.md").write_text("I am old.")
    for name in ("cron/jobs.json", "cron/action.jsonl", "media/a.jpg", "agents/main/agent/auth-profiles.json", "x"):
        path = root.parent / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")
    known = {"../cron/jobs.json", "../cron/action.jsonl", "../agents/main/agent/auth-profiles.json"}
    assert {one.path for one in workspace.read(root) if one.path.startswith("../")} == known  # it may be a person's own
    (root.parent / "config.json").write_text("{}")
    found = {one.path: one.why for one in workspace.read(root) if one.path.startswith("../")}
    assert found.keys() == {*known, "../media", "../x"} and all(found.values())


def spent(words: list[str]) -> float:
    """The processor time of a program."""
    before = os.times()
    subprocess.run(words, stdout=subprocess.DEVNULL, check=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


@pytest.mark.night
@pytest.mark.skipif(shutil.which("sqlite3") is None, reason="no sqlite3 program")
def test_a_long_talk_takes_at_most_twenty_times_what_sqlite_takes(tmp_path: Path) -> None:
    path, workspace = tmp_path / "agents/main/agent/openclaw-agent.sqlite", tmp_path / "workspace"
    said = " ".join(f"word{number}" for number in range(40))
    talk(path, ((f"s{at % 40}", at, event("assistant", f"{at} {said}"), None) for at in range(100_000)))
    workspace.mkdir()
    (workspace / "SOUL.md").write_text("# Soul\n")
    dumped = spent(["sqlite3", str(path), ".dump"])
    home = str(tmp_path / "home")
    assert spent([sys.executable, "-m", "dotagent", "import", str(workspace), "--home", home]) <= 20 * dumped


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{a: "[a-z,}]"}', "[a-z,}]"),  # a comma in a text is no last comma
        ('{"a": "x,\\n]"}', "x,\n]"),
        (r"{a: 'it\'s \n, }', }", "it's \n, }"),
        ("{a: 'say \"hi\"', /* , */ // }\n}", 'say "hi"'),
        ("{a: [1, {b: 2, /* last */ }, // last\n],}", [1, {"b": 2}]),
        ('{a: "one \\\nline"}', "one line"),
        ("{'a': 'https://x//y?z: 1'}", "https://x//y?z: 1"),
        ("{a: [0x1F, -0XfF, +7, 5., .5, -.5e1, 1e3]}", [31, -255, 7, 5.0, 0.5, -5.0, 1000.0]),
        ("{a: [1, /* one */ 2, /* two **/ ], /* three */}", [1, 2]),  # a comment ends at its own mark
        ("{a /* of b */ :\xa0+Infinity}", float("inf")),
        (r"{\u0061: {b\u200c: 1}}", {"b\u200c": 1}),
        (r"{a: '1.5 0x1F \x41\0'}", "1.5 0x1F A\0"),
        ("{a: {größe: 1, $b: 2}}", {"größe": 1, "$b": 2}),
    ],
)
def test_settings_in_json5_are_read_as_they_stand(tmp_path: Path, text: str, value: object) -> None:
    path = tmp_path / "openclaw.json"
    path.write_text(text)
    assert settings_import.read(path) == {"a": value}
