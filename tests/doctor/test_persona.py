"""The bootstrap files as doctor sees them: each thing that can be wrong is broken here and named."""

from __future__ import annotations

from pathlib import Path

from a_lived_home import look
from world import world

from dotagent.store import bootstrap


def test_each_fault_is_named_and_none_is_damage(tmp_path: Path) -> None:
    with world(tmp_path / "home", lambda messages, call: "WAIT") as here:
        folder, where = here.session.path, here.where
        here.say("hello")
        here.run()
    assert look(where) == (0, [])
    (folder / "IDENTITY.md").unlink()
    (folder / "SOUL.md").write_text("\n")
    (folder / "USER.md").unlink()
    (folder / "USER.md").symlink_to(tmp_path / "vault.md")  # read, as the agent reads it
    (tmp_path / "vault.md").write_text("x" * 20_001)
    (folder / "TOOLS.md").unlink()
    (folder / "TOOLS.md").symlink_to(where.root / "SOUL.md")
    (folder / "MEMORY.md").unlink(missing_ok=True)
    (folder / "MEMORY.md").symlink_to(where.root / "SOUL.md")
    (folder / "AGENTS.md").chmod(0o644)
    (folder / "HEARTBEAT.md").write_bytes(b"- caf\xe9\n")  # Latin-1 is text
    segment = (where.root / "SEGMENT.md").read_bytes()
    for path in (folder / "BOOT.md", where.root / "SEGMENT.md"):
        path.write_bytes(b"\x81\xc3(\n")
    status, found = look(where)
    told = {one["where"].rsplit("/", 1)[-1]: one["what"] for one in found}
    assert status == 0 and told["IDENTITY.md"] == "is missing" and told["SOUL.md"] == "is empty"
    assert "20,001 characters, but only 20,000 fit" in told["USER.md"] and "a link into dotagent's" in told["TOOLS.md"]
    assert "a link into dotagent's" in told["MEMORY.md"]
    assert "not UTF-8" in told["BOOT.md"] and "not UTF-8" in told["SEGMENT.md"] and "HEARTBEAT.md" not in told
    assert any("AGENTS.md" in one["what"] and "other users" in one["what"] for one in found)
    (where.root / "SEGMENT.md").write_bytes(segment)
    for name in bootstrap.ALL:
        (folder / name).unlink(missing_ok=True)
    assert not [one for one in look(where)[1] if "bootstrap" in one["what"] or "missing" in one["what"]]


def test_what_is_missing_is_put_back_by_fix_and_nothing_else(tmp_path: Path) -> None:
    with world(tmp_path / "home", lambda messages, call: "WAIT") as here:
        folder, where = here.session.path, here.where
        (folder / "USER.md").write_text("- **Name:** Ana\n")
        (folder / "SOUL.md").write_text("You are a pirate.\n")
        here.say("hello")
        here.run()
    for name in ("SOUL.md", "IDENTITY.md", "BOOTSTRAP.md"):
        (folder / name).unlink()
    status, found = look(where, "--fix")
    mended = [one["what"].rsplit("/", 1)[-1] for one in found if one["level"] == "mended"]
    assert status == 0 and mended == ["SOUL.md restored", "IDENTITY.md restored"]
    assert (folder / "SOUL.md").read_text() == "You are a pirate.\n" and not (folder / "BOOTSTRAP.md").exists()
    assert (folder / "USER.md").read_text() == "- **Name:** Ana\n" and look(where) == (0, [])


def test_an_alternate_soul_without_words_is_named(tmp_path: Path) -> None:
    with world(tmp_path / "home", lambda messages, call: "WAIT") as here:
        where = here.where
        here.say("hello")
        here.run()
    (where.root / "dotagent.toml").write_text("[hooks.soul-evil]\nenabled = true\n")
    assert [one["what"] for one in look(where)[1]] == ["there is no SOUL_EVIL.md"]
    (where.root / "SOUL_EVIL.md").write_text("You are wicked.\n")
    (where.root / "SOUL_EVIL.md").chmod(0o600)
    assert look(where) == (0, [])
