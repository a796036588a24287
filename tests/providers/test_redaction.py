"""What is never repeated: keys in errors and in answers, whole, in pieces, and cut anywhere by the stream."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dotagent.providers.formats import redaction
from dotagent.providers.formats.coming import Writing

KEY = "veiled-kiebitz-0123456789-veil"  # its end is its beginning, too
redaction.hide(KEY)
TEXTS = st.lists(st.sampled_from([KEY, KEY[:3], KEY[:9], KEY[1:], "v", "ve", "veil", " é😀", "a"]), max_size=8).map(
    "".join
)
CUTS = st.lists(st.integers(0, 200), max_size=12)


@given(TEXTS, CUTS, st.booleans())
def test_no_key_is_in_an_answer_however_it_is_cut(text: str, cuts: list[int], letters: bool) -> None:
    told = list[str]()
    writing = Writing(lambda channel, delta: told.append(delta))
    places = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))}) if not letters else range(len(text) + 1)
    for start, end in zip(places, [*places][1:], strict=False):
        writing.add("text", text[start:end])
    assert KEY not in writing.text
    assert KEY not in "".join(told)
    assert writing.text.startswith("".join(told))
    if KEY not in text:
        assert writing.text == text
    else:
        assert writing.text.count(redaction.KEY) == text.count(KEY)


def test_what_waited_is_told_when_the_other_channel_begins() -> None:
    told = list[tuple[str, str]]()
    writing = Writing(lambda channel, delta: told.append((channel, delta)))
    writing.add("reasoning", f"so {KEY[:5]}")
    writing.add("text", "it is")
    writing.add("text", f" {KEY[:3]}")
    assert told == [("reasoning", "so "), ("reasoning", KEY[:5]), ("text", "it is"), ("text", " ")]
    assert (writing.reasoning, writing.text) == (f"so {KEY[:5]}", f"it is {KEY[:3]}")


def test_an_error_repeats_no_key_no_piece_and_no_quoted_one() -> None:
    redaction.hide("kiebitz/of the+moor")
    for said in (KEY, f"({KEY[:12]}***)", "?key=kiebitz%2Fof%20the%2Bmoor&x"):
        assert "kiebitz" not in redaction.masked(f"not this: {said}")
        assert "[key]" in redaction.masked(said)


def test_the_password_of_an_address_is_hidden_in_each_form() -> None:
    redaction.hide_in("http://eva:kiebitz%40moor@127.0.0.1:1/v1", "http://127.0.0.1", "http://[bad")
    for said in ("kiebitz@moor", "kiebitz%40moor", "Basic ZXZhOmtpZWJpdHpAbW9vcg=="):
        assert redaction.masked(said).endswith(redaction.KEY), said
