"""What bytes are by their headers, and how many tokens a picture, a PDF and a sound are by the services' own rules."""

from __future__ import annotations

import io
import struct

import pytest
from exhibited import pdf, png, wav
from hypothesis import example, given
from hypothesis import strategies as st
from PIL import Image

from dotagent import providers
from dotagent.store import options
from dotagent.text import media
from dotagent.text.media import Media
from dotagent.text.senses import Senses, make_senses

ID = "0123456789abcdef" * 2


@pytest.mark.parametrize(
    ("form", "type"),
    [
        ("PNG", "image/png"),
        ("JPEG", "image/jpeg"),
        ("GIF", "image/gif"),
        ("WEBP", "image/webp"),
        ("BMP", "image/bmp"),
    ],
)
@pytest.mark.parametrize("size", [(7, 300), (640, 2)])
def test_a_picture_that_another_program_made_has_its_type_and_size(form: str, type: str, size: tuple[int, int]) -> None:
    for more in ({}, {"lossless": True}, {"exif": b"Exif\0\0" + bytes(500)}) if form == "WEBP" else ({},):
        file = io.BytesIO()
        Image.new("RGB", size, "teal").save(file, form, **more)
        assert media.recognise(file.getvalue(), ID) == Media(ID, type, size)


def test_a_pdf_has_its_pages_and_a_sound_its_seconds() -> None:
    assert media.recognise(pdf(3)) == Media("", "application/pdf", (3,))
    assert media.recognise(b"%PDF-1.5\n" + bytes(120_000)) == Media("", "application/pdf", (3,))  # it does not tell
    assert media.recognise(wav(4)) == Media("", "audio/wav", (4,))
    assert media.recognise(b"ID3\x04\0\0\0\0\0\x05xxxxx" + b"\xff\xfb\x90\0" + bytes(16_000 * 3)) == Media(
        "", "audio/mpeg", (3,)
    )
    opus = b"OggS" + bytes(24) + b"OpusHead" + bytes(40) + b"OggS\0\4" + struct.pack("<q", 48_000 * 5) + bytes(20)
    assert media.recognise(opus) == Media("", "audio/ogg", (5,))


@given(
    st.sampled_from([b"", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF89a", b"RIFF0000WEBPVP8X", b"RIFF0000WAVE",
                     b"OggS", b"fLaC", b"ID3", b"%PDF-", b"BM", b"\xff\xfb"]),
    st.binary(max_size=80),
)  # fmt: skip
@example(b"", png(0, 5))
def test_nothing_that_anybody_sends_breaks_it(head: bytes, rest: bytes) -> None:
    found = media.recognise(head + rest)
    if found:
        assert media.parsed(str(Media(ID, found.type, found.size))) == (Media(ID, found.type, found.size),)
        assert media.words(found).startswith("a ")


def test_what_stands_in_life_is_read_back_and_what_somebody_changed_is_left_out() -> None:
    many = (Media(ID, "image/png", (3, 4)), Media(ID[::-1], "application/pdf", (5,)))
    assert media.parsed(media.format_media(many)) == many
    for wrong in ("", "x", f"{ID}:image/png:3", f"{ID}:text/html:3x3", f"{ID}:audio/wav:3x3", f"{ID}:image/png:0x3"):
        assert media.parsed(f"{wrong},{many[0]}") == ((many[0],) if wrong else media.parsed(f",{many[0]}"))


def rule(name: str, model: str) -> Senses:
    table = providers.models(name)["sight"]
    return make_senses({**options.longest(table, model), "kinds": list(media.KINDS)})


@pytest.mark.parametrize(
    ("name", "model", "size", "tokens"),
    [  # the services' own examples, and where their limits begin
        ("openai", "gpt-4o", (1024, 1024), 765),
        ("openai", "gpt-4o", (2048, 4096), 1105),
        ("openai", "gpt-6.2-sol", (1024, 1024), 1024),
        ("openai", "gpt-5-mini", (1800, 2400), 2 * 1452),
        ("anthropic", "claude-sonnet-4-5", (1000, 1000), 1296),
        ("anthropic", "claude-sonnet-4-5", (200, 200), 64),
        ("anthropic", "claude-sonnet-4-5", (4000, 4000), 1521),
        ("anthropic", "claude-sonnet-5-5", (1920, 1080), 69 * 39),
        ("gemini", "gemini-2.5-flash", (300, 200), 258),
        ("gemini", "gemini-2.5-flash", (1500, 700), 516),
        ("gemini", "gemini-3.8-flash", (4000, 300), 1120),
    ],
)
def test_a_picture_is_counted_by_the_services_rule(name: str, model: str, size: tuple[int, int], tokens: int) -> None:
    assert rule(name, model).tokens(Media(ID, "image/png", size)) == tokens


def test_pages_and_seconds_are_counted_and_what_is_not_shown_is_nothing() -> None:
    gemini = rule("gemini", "gemini-3.8-flash")
    assert gemini.tokens(Media(ID, "application/pdf", (3,))) == 3 * 560
    assert gemini.tokens(Media(ID, "audio/wav", (60,))) == 1920
    assert Senses(("image",)).tokens(Media(ID, "audio/wav", (60,))) == 0
    assert Senses().tokens(Media(ID, "image/png", (600, 600))) == 0


@given(st.tuples(st.integers(1, media.LARGE), st.integers(1, media.LARGE)), st.sampled_from([
    Senses(), Senses(edge=0, short=768, unit=512, most=0), Senses(edge=2048, unit=32, most=2500), Senses(unit=0),
]))  # fmt: skip
def test_a_picture_is_never_made_larger_and_fits(size: tuple[int, int], sight: Senses) -> None:
    wide, high = sight.fitted(size)
    assert 1 <= wide <= size[0] and 1 <= high <= size[1]
    assert not sight.edge or max(wide, high) <= sight.edge
    assert not sight.short or min(wide, high) <= sight.short
    assert sight.fitted((wide, high)) == (wide, high) or sight.most
    if sight.unit and sight.most:
        assert -(-wide // sight.unit) * -(-high // sight.unit) <= sight.most


def test_a_sight_that_is_published_is_read_and_of_anything_else_nothing_is_shown() -> None:
    for one in (Senses(("image", "pdf"), 7, 8, 9, 10, 11, 12, 13, 14), Senses(("sound",))):
        assert make_senses(one.published()) == one
    for wrong in (None, [], {}, {"kinds": "image"}, {"kinds": [1, "smell"], "edge": -1, "unit": "x", "most": True}):
        assert make_senses(wrong) == Senses()
