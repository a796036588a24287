"""The rooms, and the links that lead to them."""

from __future__ import annotations

import os

from a_lived_home import folder, look

from dotagent.store.home import Home


def test_rooms_and_subscriptions(where: Home) -> None:
    subs = folder(where) / "subs"
    os.symlink("../../../chats/gone.md", subs / "gone.md")
    os.symlink("../../../chats/dev.md", subs / "other.md")
    (subs / "plain.md").touch(mode=0o600)
    (where.chats / "Notes.txt").touch(mode=0o600)
    where.room("dev").write_text("# dev private\nrewritten, and torn")
    status, found = look(where)
    assert status == 0
    assert {one["where"].rpartition("/")[2] for one in found} == {
        "gone.md",
        "other.md",
        "plain.md",
        "Notes.txt",
        "dev.md",
    }
    assert sum("rewritten" in one["what"] for one in found) == 1
    where.room("dev").unlink()
    assert any(one["what"] == "the room is missing, but the agent has joined it" for one in look(where)[1])
