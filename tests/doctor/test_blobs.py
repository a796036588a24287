"""The blobs: those that LIFE names are looked at always, all others only with --deep."""

from __future__ import annotations

import pytest
from a_lived_home import blob, look

from dotagent.store.home import Home


@pytest.mark.wide
@pytest.mark.slow
@pytest.mark.parametrize("event", ["HEAR", "REPLY", "TOOL", "PAPER"])
@pytest.mark.parametrize("harm", ["missing", "corrupt"])
def test_a_lost_or_corrupt_blob_is_damage(where: Home, event: str, harm: str) -> None:
    path = blob(where, event)
    if harm == "missing":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes().replace(b"---\n", b"--- \n", 1))
    status, found = look(where)
    damage = [one for one in found if one["level"] == "damage"]
    assert status == 1 and len(damage) == 1
    assert path.name[:12] in damage[0]["what"] and harm in damage[0]["what"] and event in damage[0]["where"]


def test_only_deep_reads_what_no_recent_event_names(where: Home) -> None:
    stray = where.store().put(b"nobody names this", at="2026-11-21T20:17:20Z", gist="")
    path = where.store().path(stray)
    path.write_bytes(b"rot")
    (where.blobs / ".new-1-2").touch(mode=0o600)
    assert look(where) == (0, [])
    status, found = look(where, "--deep")
    assert status == 0 and {one["where"] for one in found} == {f"blobs/{stray[:2]}/{stray}", "blobs/.new-1-2"}
