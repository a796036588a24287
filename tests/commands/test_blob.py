"""blob prints a blob's bytes, from its own file or from a pack file."""

from __future__ import annotations

from pathlib import Path

import pytest
from looking import printed
from support import make_home

from dotagent.store import pack_writer
from dotagent.store.blobs import BlobMissing, content_id

AT = "2026-11-21T20:17:20.000000Z"


def test_it_prints_a_blob_byte_for_byte_wherever_it_is(tmp_path: Path) -> None:
    where = make_home(tmp_path)
    id = where.store().put("Grüße\n".encode(), at=AT, gist="Grüße")
    whole = where.store().raw(id)
    assert printed(where, "blob", id[:8]).encode() == whole
    pack_writer.write(where.blobs, pack_writer.loose(where.blobs, 1e12))
    assert printed(where, "blob", id.upper()).encode() == whole
    assert content_id(whole) == id


def test_an_unknown_id_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(BlobMissing, match="no blob \\(stored text\\) has an id that begins with 0123456789"):
        printed(make_home(tmp_path), "blob", "0123456789")
