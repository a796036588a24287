"""Files that come with messages: a blob of the room, and shown only where that room is."""

from __future__ import annotations

from pathlib import Path

from exhibited import pdf, png

from dotagent.store import attachments, blob_search
from dotagent.store.blobs import Blobs
from dotagent.text.media import Media


def test_a_message_shows_the_files_that_it_names_each_once(tmp_path: Path) -> None:
    store = Blobs(tmp_path)
    cat, plan = attachments.keep(store, "dev", "a\ncat.png", png(3, 4)), attachments.keep(store, "dev", "p.pdf", pdf(2))
    text, zipped = attachments.keep(store, "dev", "a.txt", b"words"), attachments.keep(store, "dev", "a.zip", b"PK\3\4")
    assert cat.startswith("(file a cat.png, ") and "\n" not in cat
    raw = f"[USER:ana 2026-11-21T20:17:20Z] look\n  {cat}\n  {text}{zipped}\n  {cat} {plan}\n".encode()
    found = attachments.find_media(store, "dev", raw)
    assert [(one.type, one.size) for one in found] == [("image/png", (3, 4)), ("application/pdf", (2,))]
    assert store.get(found[0].id).body == png(3, 4)


def test_a_line_that_names_another_rooms_blob_or_none_shows_nothing(tmp_path: Path) -> None:
    store = Blobs(tmp_path)
    other = attachments.keep(store, "ops", "cat.png", png(3, 4))
    private = store.put(png(5, 5), at="", gist="cat.png", agent="a" * 32)
    mine = attachments.line("cat.png", 9, private)
    gone = attachments.line("cat.png", 9, "f" * 32)
    rotten = attachments.keep(store, "dev", "cat.png", png(6, 6))
    store.path(blob_search.find(store, rotten.rpartition("UNCOMPACT ")[2][:12])).write_bytes(b"x")
    raw = "\n".join((other, mine, gone, rotten)).encode()
    assert attachments.find_media(store, "dev", raw) == ()
    assert attachments.find_media(store, "ops", raw) == (
        Media(blob_search.find(store, other.split("UNCOMPACT ")[1][:12]), "image/png", (3, 4)),
    )
