"""Text files come back byte for byte, and what is not text is refused."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dotagent.text import encoding
from dotagent.text.encoding import NotText, TextForm, decode, encode, lines


@given(st.binary(max_size=60) | st.text(max_size=40).map(lambda text: text.encode("utf-8")))
def test_what_is_decoded_is_encoded_to_the_same_bytes(data: bytes) -> None:
    try:
        text, form = decode(data)
    except NotText:
        return
    assert encode(text, form) == data


MARKS = {
    "utf-8": codecs.BOM_UTF8,
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
    "utf-32-le": codecs.BOM_UTF32_LE,
}


@pytest.mark.parametrize("codec", MARKS)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_byte_order_mark_says_the_encoding(codec: str, end: str) -> None:
    text = f"Käse{end}日本{end}"
    assert decode(MARKS[codec] + text.encode(codec)) == (text, TextForm(codec, MARKS[codec], end))
    assert lines(text) == ["Käse", "日本"]


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_utf_16_is_known_without_a_mark(codec: str) -> None:
    assert decode("milk\neggs\n".encode(codec)) == ("milk\neggs\n", TextForm(codec))


@pytest.mark.parametrize("data", [b"\0one", b"one\0", b"a\0b\0\0c", b"abcdef\0\0"])
def test_a_few_zeros_are_not_utf_16(data: bytes) -> None:
    assert decode(data)[1].codec == "utf-8"


def test_western_text_is_known() -> None:
    assert decode("Käse, “Brot” und Öl".encode("cp1252")) == ("Käse, “Brot” und Öl", TextForm("cp1252"))
    assert decode(b"\x81 K\xe4se")[1].codec == "latin-1"


@pytest.mark.parametrize(
    "data", ["Привет, мир".encode("koi8-r"), "日本語の本".encode("shift-jis"), b"\x00\xff\xfe\x80\x01"]
)
def test_what_is_not_known_is_refused(data: bytes) -> None:
    with pytest.raises(NotText):
        decode(data)


def test_what_an_encoding_cannot_hold_is_refused() -> None:
    with pytest.raises(NotText, match="cp1252"):
        encode("日本", TextForm("cp1252"))


def test_mixed_ends() -> None:
    assert decode(b"a\r\nb\nc\r\n")[1].end == "\r\n"
    assert decode(b"a\r\nb\nc\n")[1].end == "\n"
    assert lines("a\rb\nc\r\n") == ["a\rb", "c"]


FORMS = ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_form_has_the_same_plain_text(form: str, end: str) -> None:
    said = "Zoë, “tea” at the café and more plain words\nline two\n"
    data = said.replace("\n", end).encode(form)
    assert encoding.to_utf8(data) == said.encode()
    assert encoding.utf8(data) == (data if form == "utf-8" else said.encode())


@pytest.mark.parametrize("data", [b"", b"plain\r\n", "日本語の本".encode("shift-jis"), b"\x00\xff\xfe\x80\x01"])
def test_bytes_that_are_utf_8_or_not_known_stay(data: bytes) -> None:
    assert encoding.utf8(data) == data
