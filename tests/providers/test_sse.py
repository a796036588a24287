"""Server-sent events: what the standard says, and that the borders between pieces never matter."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dotagent.providers.formats.sse import events, lines


def read(*pieces: bytes) -> list[str]:
    return list(events(pieces))


def test_an_event_is_its_data_whatever_its_name() -> None:
    assert read(b"data: one\n\nevent: ping\ndata: two\n\n") == ["one", "two"]


def test_lines_of_data_are_joined_by_lf() -> None:
    assert read(b"data: a\ndata:\ndata:  b\n\n") == ["a\n\n b"]


def test_one_space_after_the_colon_is_not_data_and_none_is_needed() -> None:
    assert read(b"data:x\n\ndata:  y\n\n") == ["x", " y"]


def test_comments_ids_and_unknown_fields_are_passed_over() -> None:
    assert read(b": keep-alive\n\n:\nid: 7\nretry: 10\nfoo: bar\ndata: x\n\n") == ["x"]


def test_a_name_without_data_is_no_event_and_does_not_stick() -> None:
    assert read(b"event: ping\n\ndata: x\n\n") == ["x"]


def test_a_field_without_a_colon_has_empty_data() -> None:
    assert read(b"data\n\n") == [""]


def test_every_end_of_line_ends_a_line() -> None:
    assert read(b"data: a\r\n\r\ndata: b\r\rdata: c\n\n") == ["a", "b", "c"]


def test_a_cr_at_the_end_of_a_piece_ends_the_line_at_once() -> None:
    seen = list[str]()

    def pieces() -> object:
        yield b"data: x\r\n\r"
        assert seen == ["x"]
        yield b"\ndata: y\r\n\r\n"

    for event in events(pieces()):  # type: ignore[arg-type]
        seen.append(event)
    assert seen == ["x", "y"]


def test_a_bom_before_the_first_line_is_dropped() -> None:
    assert read(b"\xef", b"\xbb\xbfdata: x\n\n") == ["x"]


def test_an_event_that_the_end_cuts_off_is_none() -> None:
    assert read(b"data: whole\n\ndata: no empty line\n") == ["whole"]
    assert list(lines([b"a\nb"])) == [b"a"]


def test_whole_json_is_an_event_without_an_empty_line() -> None:
    assert list(events([b'data: {"a": 1}\ndata: {"b": 2}\ndata: [DONE]\n'])) == ['{"a": 1}', '{"b": 2}', "[DONE]"]
    assert list(events([b'data: {"a": 1}\n\ndata: {"b": 2}'])) == ['{"a": 1}', '{"b": 2}']
    assert list(events([b'data: {"a":\ndata: {"b": 2}}\n\n'])) == ['{"a":\n{"b": 2}}']
    assert list(events([b'data: {"a": 1}\n\ndata: {"b": '])) == ['{"a": 1}']


def test_a_character_may_lie_across_pieces() -> None:
    raw = "data: ‹é😀›\n\n".encode()
    assert read(*(raw[at : at + 1] for at in range(len(raw)))) == ["‹é😀›"]


def test_bytes_that_are_not_utf8_are_replaced() -> None:
    assert read(b"data: \xff\n\n") == ["�"]


@given(
    st.lists(st.sampled_from([b"data: x", b"data", b":c", b"event: e", b"\r", b"\n", b"\r\n", "é😀".encode()])),
    st.data(),
)
def test_borders_between_pieces_never_matter(parts: list[bytes], draw: st.DataObject) -> None:
    raw = b"".join(parts)
    cuts = sorted(draw.draw(st.lists(st.integers(0, len(raw)), max_size=8)))
    pieces = [raw[start:end] for start, end in zip([0, *cuts], [*cuts, len(raw)], strict=True)]
    assert read(*pieces) == read(raw)
    assert list(lines(pieces)) == list(lines([raw]))


@pytest.mark.night
def test_a_long_line_in_small_pieces_takes_linear_time() -> None:
    start = time.process_time()
    assert len(read(b"data: ", *[b"x" * 16] * 160_000, b"\n\n")[0]) == 16 * 160_000
    assert time.process_time() - start < 10  # a square law takes minutes here
