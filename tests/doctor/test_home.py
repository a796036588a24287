"""The home itself: its prompts, settings and secrets, and who may read them."""

from __future__ import annotations

from a_lived_home import look

from dotagent.store.home import Home


def test_settings_secrets_prompts_and_modes(where: Home) -> None:
    (where.root / ".env").write_text("DEEPSEEK_API_KEY=hush\n")
    (where.root / ".env").chmod(0o644)
    (where.root / "SOUL.md").unlink()
    where.room("dev").chmod(0o644)
    status, found = look(where)
    assert status == 1 and {one["where"] for one in found} == {".env", "SOUL.md", "chats"}
    assert [one["where"] for one in found if one["level"] == "damage"] == [".env"]  # nothing starts before
    assert "hush" not in str(found)
    (where.root / ".env").chmod(0o600)
    (where.root / "dotagent.toml").write_text("nonsense = 1\n")
    status, found = look(where)
    assert status == 1 and [one["where"] for one in found if one["level"] == "damage"] == ["dotagent.toml"]


def test_a_root_that_no_sandbox_shows_is_told(where: Home) -> None:
    (where.root / "dotagent.toml").write_text(f'roots = ["{where.root.parent}", "/usr/share"]\n')
    status, found = look(where)
    assert status == 0 and [one["where"] for one in found] == [str(where.root.parent)]


def test_a_root_to_which_a_link_in_another_leads_is_told(where: Home) -> None:
    root = where.root.parent / "root"
    root.mkdir()
    (root / "inner").symlink_to("/usr/share")
    (where.root / "dotagent.toml").write_text(f'roots = ["{root}", "{root}/inner", "/usr/share"]\n')
    status, found = look(where)
    assert status == 0 and [one["where"] for one in found] == [f"{root}/inner"]
