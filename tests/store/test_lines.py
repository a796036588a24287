"""Lines from either end of a file: the same as splitting it whole, at every place and across every chunk."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dotagent.store import lines

PIECES = st.lists(
    st.sampled_from(
        [b"", b"a", b"  ", b"\r", b"\0\xff", b"x" * (lines.CHUNK - 1), b"y" * (lines.CHUNK + 1), b"\x85", b" z"]
    ),
    max_size=6,
)


@pytest.mark.night
@given(PIECES, st.binary(max_size=3))
def test_every_end_agrees_with_the_whole(tmp_path: Path, pieces: list[bytes], torn: bytes) -> None:
    data = b"".join(piece + b"\n" for piece in pieces) + torn
    path = tmp_path / "file"
    path.write_bytes(data)
    places = {0, 1, len(data), len(data) - 1, len(data) // 2, lines.CHUNK, data.rfind(b"\n"), data.rfind(b"\n") + 1}
    with open(path, "rb") as file:
        fd = file.fileno()
        for at in (at for at in places if 0 <= at <= len(data)):
            assert lines.end_before(fd, at) == data.rfind(b"\n", 0, at) + 1
            assert lines.end_after(fd, at, len(data)) == data.find(b"\n", at) + 1
            assert b"".join(chunk for _, chunk in reversed(list(lines.back(fd, at)))) == data[:at]
        stop = data.rfind(b"\n") + 1
        if stop:
            line = data[:stop].split(b"\n")[-2]
            assert lines.last(fd, stop, len(data)) == line
            assert lines.last(fd, stop, 5) == line[-5:]
        assert (
            list(lines.backwards(fd, stop, 5))
            == [(end, data[:end].split(b"\n")[-2][-5:]) for end in ends(data[:stop])][::-1]
        )
        assert [lines.count_before(fd, stop, count) for count in range(7)] == [
            [stop, *[0, *ends(data[:stop])][-2::-1], *[0] * 7][count] for count in range(7)
        ]
        full = [end for end in ends(data[:stop]) if data[:end].split(b"\n")[-2].strip()]
        assert lines.text_end(fd, stop) == (full[-1] if full else 0)


def ends(data: bytes) -> list[int]:
    return [at + 1 for at in range(len(data)) if data[at : at + 1] == b"\n"]


@given(PIECES, st.integers(0, 40))
def test_chunks_overlap_by_as_much_as_was_asked(tmp_path: Path, pieces: list[bytes], overlap: int) -> None:
    data = b"\n".join(pieces)
    (tmp_path / "file").write_bytes(data)
    with open(tmp_path / "file", "rb") as file:
        found = list(lines.back(file.fileno(), len(data), overlap))
    for number, (start, chunk) in enumerate(found):
        behind = found[number - 1][0] if number else len(data)
        assert chunk == data[start : min(behind + overlap, len(data))]
    assert not data or found[-1][0] == 0


def test_a_file_that_was_cut_meanwhile_ends_there(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"no end")
    with open(tmp_path / "file", "rb") as file:
        assert lines.end_after(file.fileno(), 0, 1 << 40) == 0
        assert lines.end_before(file.fileno(), 1 << 20) == 0
