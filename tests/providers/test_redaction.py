"""What is never repeated: keys in errors and in answers, in every form, in pieces, and cut anywhere by the stream."""

from __future__ import annotations

import pytest
from forms import FORMS, holds
from hypothesis import assume, example, given
from hypothesis import strategies as st

from dotagent.providers.formats import redaction
from dotagent.providers.formats.redaction import KEY, Veil, masked

SECRETS = (
    "veiled-kiebitz-0123456789-veil",  # its end is its beginning, too
    "sk-k1b1tz",
    "p/5w0",
    "käse & <brot>/100%41+_-!",
    "eyJ" + "Kiebitz_-" * 30,
)
AROUND = st.text(alphabet=" ab4%&\\\"'é😀\n=", max_size=12)


@pytest.fixture(autouse=True)
def _known() -> None:
    redaction.hide(*SECRETS)


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("secret", SECRETS)
def test_a_form_is_masked_wherever_a_stream_cuts_it(secret: str, form: str) -> None:
    written = f"so: {FORMS[form](secret)}!"
    for cut in range(0, len(written) + 1, 1 + len(written) // 300):
        veil = Veil()
        told = veil.add(written[:cut]) + veil.add(written[cut:]) + veil.rest()
        assert not holds(told, secret, form), (told, cut)
        assert KEY in told
        assert told.startswith("so: ")
        assert len(told) < 40
        assert told.endswith("!") or "base64" in form or form == "Basic"


@pytest.mark.slow
@given(st.data())
def test_no_form_of_a_key_is_told_however_it_is_cut(data: st.DataObject) -> None:
    secrets = data.draw(st.lists(st.sampled_from(SECRETS), min_size=1, max_size=3))
    written = [(secret, data.draw(st.sampled_from(sorted(FORMS)))) for secret in secrets]
    text = "".join(data.draw(AROUND) + FORMS[form](secret) for secret, form in written) + data.draw(AROUND)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=12)))
    if len(text) < 500 and data.draw(st.booleans()):
        cuts = [*range(len(text))]
    veil = Veil()
    pieces = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    told = "".join(map(veil.add, pieces)) + veil.rest()
    for secret, form in written:
        assert not holds(told, secret, form), (form, told)


@given(
    st.lists(st.text(max_size=9) | st.sampled_from(["sk-", "%", "&#", "&amp;", "\\u00", "736b", "\\", "veiled-kieb"]))
)
@example(["veiled-kieb"])
def test_what_is_no_key_is_told_as_it_is(pieces: list[str]) -> None:
    assume(not any(head in "".join(pieces) for head, _ in redaction._forms))  # which other tests of this process hid
    veil = Veil()
    assert "".join(map(veil.add, pieces)) + veil.rest() == "".join(pieces) or "veiled-kieb" in pieces


def test_little_waits() -> None:
    veil = Veil()
    assert veil.add("I go to bed, veiled-kie") == "I go to bed, "
    assert veil.add("n, so it is said. So it ").startswith("veiled-kien, so it is said.")
    assert len(veil.rest()) < 3


def test_half_a_key_is_masked_as_well_and_a_cut_one() -> None:
    long = SECRETS[0]
    assert masked(f"it is {long[:-4]}xyz.") == f"it is {KEY}xyz."
    assert masked(f"it is {long[:-4]}") == f"it is {KEY}"
    assert masked(f"it is {long[:12]}, say") == f"it is {long[:12]}, say"  # vendors show so much


def test_what_stands_for_no_key_is_none() -> None:
    redaction.hide("ollama", "lm-studio", "EMPTY", "abc", "", None)
    assert masked("ollama, lm-studio, empty, abc") == "ollama, lm-studio, empty, abc"


def test_an_error_repeats_no_key_no_piece_and_no_quoted_one() -> None:
    redaction.hide("kiebitz/of the+moor")
    for said in (SECRETS[0], f"({SECRETS[0][:12]}***)", "?key=kiebitz%2Fof%20the%2Bmoor&x"):
        assert "kiebitz" not in redaction.quoted(f"not this: {said}")
        assert "[key]" in redaction.quoted(said)


def test_the_password_of_an_address_is_hidden_in_each_form() -> None:
    redaction.hide_in("http://eva:kiebitz%40moor@127.0.0.1:1/v1", "http://127.0.0.1", "http://[bad")
    for said in ("kiebitz@moor", "kiebitz%40moor", "Basic ZXZhOmtpZWJpdHpAbW9vcg=="):
        assert masked(said).rstrip("=").endswith(redaction.KEY), said


def test_a_long_text_takes_linear_time() -> None:
    text = "so it goes & more, 100% of it \\ " * 60_000
    assert masked(text) == text
