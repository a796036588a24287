"""What is never repeated: keys in errors and in answers, in every form, in pieces, and cut anywhere by the stream."""

from __future__ import annotations

import hashlib
import json
import re
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable
from html import unescape
from urllib.parse import quote, unquote

import pytest
from forms import FORMS, holds, spelt
from hypothesis import assume, example, given
from hypothesis import strategies as st

from dotagent.providers.formats import redaction
from dotagent.providers.formats.errors import clean
from dotagent.providers.formats.redaction import KEY, Veil, masked

SECRETS = (
    "veiled-kiebitz-0123456789-veil",  # its end is its beginning, too
    "sk-k1b1tz",
    "p/5w0",
    "käse & <brot>/100%41+_-!",
    "eyJ" + urlsafe_b64encode(b"".join(hashlib.sha512(bytes([at])).digest() for at in range(3))).decode(),
)
AROUND = st.text(alphabet=" ab4%&\\\"'é😀\n=", max_size=12)


@pytest.fixture(autouse=True)
def _known() -> None:
    redaction.hide(*SECRETS)


@pytest.mark.wide
@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("secret", SECRETS)
def test_a_form_is_masked_wherever_a_stream_cuts_it(secret: str, form: str) -> None:
    written = f"so: {FORMS[form](secret)}!"
    for cut in range(0, len(written) + 1, 1 + len(written) // 100):
        veil = Veil()
        told = veil.add(written[:cut]) + veil.add(written[cut:]) + veil.rest()
        assert not holds(told, secret, form), (told, cut)
        assert KEY in told
        assert told.startswith("so: ")
        assert len(told) < 40
        assert told.endswith("!") or "base64" in form or form == "Basic"


@pytest.mark.night
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
    known = [*redaction._pieces, *(form.folded for form in redaction._short)]  # also those of other tests
    assume(not any(one in "".join(pieces).lower() for one in known) or "veiled-kieb" in pieces)
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
        assert "kiebitz" not in redaction.redact(f"not this: {said}")
        assert "[key]" in redaction.redact(said)


def test_the_password_of_an_address_is_hidden_in_each_form() -> None:
    redaction.hide_in("http://eva:kiebitz%40moor@127.0.0.1:1/v1", "http://127.0.0.1", "http://[bad")
    for said in ("kiebitz@moor", "kiebitz%40moor", "Basic ZXZhOmtpZWJpdHpAbW9vcg=="):
        assert masked(said).rstrip("=").endswith(redaction.KEY), said


@pytest.mark.slow
def test_a_long_text_takes_linear_time() -> None:
    text = "so it goes & more, 100% of it \\ " * 60_000
    assert masked(text) == text


@pytest.mark.parametrize(
    "key", ["sk-kiebitz/of+the=moor/77", "sk-kiebitz~moor:8_x!", "sk-kiebitz.moor(9)&z", "eyJkiebitz/moor+x=7"]
)
def test_no_end_of_a_key_with_odd_signs_stays_in_an_error(key: str) -> None:
    for said in (f"no such key: {key}.", f'{{"key":"{key}"}}', f"Bearer {key}", f"token={key}&x=1"):
        told = clean(said, key)
        assert KEY in told and not any(key[-size:] in told for size in range(3, len(key))), told


SHOWN_IN_PART = ("{0}****{1}", "{0}...{1}", "{0}…{1}", "{0}xxxxxxxx{1}", "{0}••••{1}", "***{1}", "{0}***")


@pytest.mark.parametrize("form", SHOWN_IN_PART)
@pytest.mark.parametrize("size", [2, 4, 6])
def test_the_ends_of_a_key_beside_stars_are_masked_in_an_error(form: str, size: int) -> None:
    key = "kiebitz-0815-of-the-qrstuvw"
    part = form.format(key[:size], key[-size:])
    told = clean(f"Incorrect API key provided: {part}. See the page.", key)
    assert KEY in told and key[-size:] not in told and told.endswith("See the page."), told
    assert clean("wait ... and so on**", key) == "wait ... and so on**"


def test_the_rest_of_a_key_without_its_beginning_is_masked() -> None:
    key = "sk-proj-Xk29fLq8ZmVb7Rt4"
    redaction.hide(key)
    for at in range(len(key) - redaction.TAIL):
        veil = Veil()
        told = "".join(veil.add(letter) for letter in f"it is {key[at:]}, say") + veil.rest()
        assert (
            told.removeprefix(f"it is {key[at : at + redaction.KNOWN]}") == f"{KEY}, say" or told == f"it is {KEY}, say"
        )


@pytest.mark.parametrize("before", ["", "a", "ab"])
@pytest.mark.parametrize("behind", ["", "c", "cd"])
@pytest.mark.parametrize("size", [20, 21, 22])
def test_of_base64_the_last_bits_are_masked_too(before: str, behind: str, size: int) -> None:
    key = "Xk29fLq8ZmVb7Rt4Yp6Ns1"[:size]
    redaction.hide(key)
    packed = b64encode(f"{before}{key}".encode()).decode()
    told = masked(f"so {packed}!")
    assert told.endswith(f"{KEY}!"), told
    assert masked(f"so {b64encode((before + key + behind).encode()).decode()} ").count(KEY) == 1


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("first", ["base64", "base64 after one", "base64 between", "plain"])
def test_a_key_directly_after_another_is_masked_in_a_stream(first: str, form: str) -> None:
    for key in SECRETS[1:3]:
        veil = Veil()
        told = "".join(map(veil.add, f"{FORMS[first](SECRETS[0])}{FORMS[form](key)} ")) + veil.rest()
        assert not holds(told, key, form) and not holds(told, key[1:], form), told


@pytest.mark.parametrize("size", [20, 24, 35, 51, 100])
def test_of_a_key_that_is_split_over_two_fields_little_stays(size: int) -> None:
    made = urlsafe_b64encode(hashlib.sha512(f"{size}".encode()).digest() * 2).decode()
    key = f"sk-{made}"[:size]  # of each size another, since this process keeps them all
    redaction.hide(key)
    for at in range(1, size):
        before, behind = key[:at], key[at:]
        told = masked(f"so {before}"), masked(f"{behind} yes")
        stay = max(n for n in range(at + 1) if before[:n] in told[0])
        assert stay + max(n for n in range(size - at + 1) if behind[size - at - n :] in told[1]) <= 12, (at, told)


RANDOM, WORDS = "sk-proj-Xk29fLq8ZmVb7Rt4Yp6Ns1/q+WuD3", "kiebitz-0815-of-the-qrstuvw"
ECHOES: dict[str, Callable[[str], str]] = {
    "plain": str,
    "in an address": lambda key: f"https://api.example/v1?key={key}&a=1",
    "percent": lambda key: quote(key, safe=""),
    "percent twice": lambda key: quote(quote(key, safe=""), safe=""),
    "an address in an address": lambda key: f"/?next={quote(f'https://b/?key={quote(key, safe=str())}', safe='')}",
    "JSON": lambda key: json.dumps({"key": key}),
    "JSON with slashes": lambda key: json.dumps(key).replace("/", "\\/"),
    "JSON, odd signs": lambda key: json.dumps(key).replace("+", "\\u002B").replace("/", "\\u002f"),
    "JSON three times": lambda key: json.dumps(json.dumps({"a": json.dumps({"key": f"x/{key}"})})).replace("/", "\\/"),
    "large": str.upper,
    "other case": str.swapcase,
    "base64 of Bearer": lambda key: b64encode(f"Bearer {key}".encode()).decode(),
    "base64 of user": lambda key: b64encode(f"user:{key}".encode()).decode(),
    "base64 of user in an address": lambda key: quote(b64encode(f"user:{key}".encode()).decode(), safe=""),
    "base64 in lines": lambda key: re.sub("(.{20})", r"\1\n", b64encode(f"Bearer {key}".encode()).decode()),
    "first": lambda key: key[:20],
    "first, quoted": lambda key: f"'{key[:20]}'",
    "last": lambda key: key[-20:],
    "middle": lambda key: key[9:25],
    "dots": lambda key: f"{key[:8]}...{key[-4:]}",
    "two dots": lambda key: f"{key[:8]}..{key[-5:]}",
    "stars": lambda key: f"{key[:8]}{'*' * 12}{key[-6:]}",
    "stars in an address": lambda key: f"?key={key[:6]}***{key[-4:]}&x=1",
    "brackets": lambda key: f"{key[:8]}[...]{key[-5:]}",
    "lines": lambda key: f"{key[:15]}\n{key[15:]}",
    "folded header": lambda key: f"X-Key: {key[:13]}\r\n {key[13:]}\r\n",
    "lines in JSON": lambda key: json.dumps(f"{key[:13]}\n{key[13:]}"),
    "header": lambda key: f"Authorization: Bearer {key}; q=1",
    "HTML": lambda key: key.replace("/", "&sol;").replace("+", "&plus;").replace("-", "&#45;"),
    "HTML, all": spelt("&#x{:X};"),
}


@pytest.mark.parametrize("key", [RANDOM, WORDS])
@pytest.mark.parametrize("echo", ECHOES)
def test_of_a_key_that_a_server_echoes_nothing_is_told(echo: str, key: str) -> None:
    redaction.hide(key)
    text = f"The key {ECHOES[echo](key)} is wrong."
    veil = Veil()
    streamed = "".join(veil.add(text[at : at + 3]) for at in range(0, len(text), 3)) + veil.rest()
    for told, most in (clean(text, key), 3), (masked(text), 8), (streamed, 8):
        assert told.startswith("The key ") and told.endswith("is wrong.")
        assert _longest_part(told, key) <= most, told


def _longest_part(told: str, key: str) -> int:
    """The length of the longest part of a key, without its public beginning, that a text has in any form."""
    for _ in range(3):
        told = re.sub(r"\\u(....)", lambda it: chr(int(it[1], 16)), unescape(unquote(told)))
    told = re.sub(r"\\[rn]|[\s\\]", "", told).casefold()
    whole = {key.removeprefix("sk-proj-")} | {b64encode(bytes(at) + key.encode()).decode()[12:-4] for at in range(3)}
    parts = ((one[at : at + size], size) for one in whole for size in range(4, 20) for at in range(len(one) - size + 1))
    return max((size for part, size in parts if part.casefold() in told), default=0)


def test_each_part_of_a_random_key_is_masked_from_eight_characters_on() -> None:
    redaction.hide(RANDOM)
    for at in range(len("sk-proj-"), len(RANDOM) - redaction.PIECE + 1):
        part = RANDOM[at : at + redaction.PIECE]
        assert masked(f"so {part}, yes") == f"so {KEY}, yes"
        assert masked(f"so {part[:-1]}, yes") == f"so {part[:-1]}, yes"


@pytest.mark.parametrize(
    ("key", "said"),
    [
        (RANDOM, "Keys of OpenAI begin with sk-proj-, of others with sk-ant-api03-."),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI0MiIsIm4iOiJraWViaXR6In0.5mXq", "A token begins: eyJhbGciOiJIUzI1NiJ9."),
        ("my-local-ollama-server", "Is the local-ollama running? My-local-server is a name."),
        ("lm-studio-password-2026", "lm-studio asks for a password since 2026."),
        (WORDS, "A kiebitz is a bird of the moor; kiebitz-08 is none."),
    ],
)
def test_what_others_may_say_is_no_part_of_a_key(key: str, said: str) -> None:
    redaction.hide(key)
    assert masked(said) == said
