"""Credentials: exactly one of a kind, what can be one, files that another program renews; and addresses."""

from __future__ import annotations

import json
import os
import tempfile
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import PATIENCE

from dotagent.providers import Config, ProviderError
from dotagent.providers.formats import place
from dotagent.providers.formats.place import Address, origin

NAMES = ("LOOP_API_KEY", "LOOP_OAUTH_ACCESS_TOKEN", "LOOP_OAUTH_TOKEN_FILE")
TOKEN = "token-0123456789abcdef"
WHERE = "run `loop login`"
PLACE = Address(
    "Loop", "LOOP_API_KEY", "LOOP_API_BASE", "https://loop/keys", "https://loop/credit", "https://loop/models"
)


def chosen(**given: object) -> tuple[str, str | None]:
    return keyed({f"LOOP_{name}": str(value) for name, value in given.items()})


def keyed(given: dict[str, str]) -> tuple[str, str | None]:
    """The variable that is taken, and the credential."""
    address = place.Address("Loop", NAMES[0], "LOOP_API_BASE", "keys", "credit", "models")
    found, named = place.keyed(Config(None, "http://127.0.0.1", given=given), address, NAMES, WHERE)
    return named.key, found.key


def wrong(**given: object) -> str:
    with pytest.raises(ProviderError) as caught:
        chosen(**given)
    assert (caught.value.kind, caught.value.retryable) == ("unconfigured", False)
    assert "\n" not in caught.value.hint
    return caught.value.hint


def test_the_one_that_is_set_is_taken() -> None:
    assert chosen(API_KEY="k", OAUTH_TOKEN_FILE="", PROJECT="p") == ("LOOP_API_KEY", "k")
    assert chosen(OAUTH_ACCESS_TOKEN="t") == ("LOOP_OAUTH_ACCESS_TOKEN", "t")
    assert TOKEN not in repr(Config(TOKEN, ""))


def test_none_and_more_than_one_are_named() -> None:
    assert wrong() == ("LOOP_API_KEY is not set (nor LOOP_OAUTH_ACCESS_TOKEN, LOOP_OAUTH_TOKEN_FILE): run `loop login`")
    both = wrong(API_KEY=TOKEN, OAUTH_TOKEN_FILE=f"/{TOKEN}")
    assert both == "LOOP_API_KEY and LOOP_OAUTH_TOKEN_FILE are set, but only one can be used; unset the others"


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (f"{TOKEN} {TOKEN}", "contains a space"),
        (f"{TOKEN}\n", "contains a space"),
        (f"<{TOKEN}>", "an example"),
        ("YOUR_TOKEN", "an example"),
        (f"{TOKEN}...", "an example"),
        (f"{TOKEN}é", "characters"),
        (f"{TOKEN}\x00", "characters"),
    ],
)
def test_what_can_not_be_a_credential_is_named_and_never_shown(value: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "token"
    path.write_text(json.dumps({"access_token": value}))
    for name, held in (("API_KEY", value), ("OAUTH_ACCESS_TOKEN", value), ("OAUTH_TOKEN_FILE", path)):
        hint = wrong(**{name: held})
        assert hint.startswith(f"LOOP_{name}")
        assert says in hint
        assert value.strip() not in hint
        assert TOKEN not in hint


@pytest.mark.parametrize(
    "text",
    [
        TOKEN,
        f"\ufeff {TOKEN}\r\n",
        json.dumps({"access_token": TOKEN, "refresh_token": "r"}),
        json.dumps({"OPENAI_API_KEY": None, "tokens": {"id_token": "i", "access_token": TOKEN}}, indent=2) + "\n",
        json.dumps({"access_token": None, "tokens": {"access_token": TOKEN}}),
    ],
)
def test_a_file_is_a_token_or_json_with_one(text: str, tmp_path: Path) -> None:
    path = tmp_path / "auth.json"
    path.write_text(text)
    assert chosen(OAUTH_TOKEN_FILE=path) == ("LOOP_OAUTH_TOKEN_FILE", TOKEN)


def test_a_file_is_read_anew_each_time_and_may_be_under_the_own_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for token in ("first", "second"):
        (tmp_path / "token").write_text(token)
        assert chosen(OAUTH_TOKEN_FILE="~/token")[1] == token


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is empty"),
        (" \n", "is empty"),
        ("{}", "JSON without access_token or tokens.access_token"),
        ('{"tokens": 3}', "JSON without"),
        ('{"access_token": 3}', "JSON without"),
        ('{"access_tok', "JSON without"),
        ('{"a":' * 20_000, "more than 65,536 bytes"),
        ('{"a":' * 10_000, "JSON without"),
        ("x" * 65_537, "more than 65,536 bytes"),
    ],
)
def test_a_file_that_holds_no_token(text: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "auth.json"
    path.write_text(text)
    hint = wrong(OAUTH_TOKEN_FILE=path)
    assert hint.startswith(f"LOOP_OAUTH_TOKEN_FILE: {path} ")
    assert says in hint
    assert WHERE in hint


def test_a_file_that_is_not_there_or_can_not_be_read(tmp_path: Path) -> None:
    pipe, loop, closed = tmp_path / "pipe", tmp_path / "loop", tmp_path / "closed"
    os.mkfifo(pipe)
    loop.symlink_to(loop)
    closed.write_text(TOKEN)
    closed.chmod(0)
    assert "No such file" in wrong(OAUTH_TOKEN_FILE=tmp_path / "none")
    assert "is not a file" in wrong(OAUTH_TOKEN_FILE=tmp_path)
    assert "is not a file" in wrong(OAUTH_TOKEN_FILE=pipe)  # and it does not wait for a writer
    assert "cannot be read" in wrong(OAUTH_TOKEN_FILE=loop)
    assert "cannot be read" in wrong(OAUTH_TOKEN_FILE="/" + "x" * 5000)
    assert "cannot be read" in wrong(OAUTH_TOKEN_FILE="~nobody-of-this-name/token")
    if os.geteuid():
        assert "Permission denied" in wrong(OAUTH_TOKEN_FILE=closed)


@pytest.mark.parametrize("path", [TOKEN, "auth.json", "./auth.json", f"/{TOKEN}\0", f"/{TOKEN}\n/x"])
def test_what_is_no_whole_path_is_not_shown_since_it_may_be_the_token(path: str) -> None:
    hint = wrong(OAUTH_TOKEN_FILE=path)
    assert hint == "LOOP_OAUTH_TOKEN_FILE must be the full path of a file, starting with / or ~"


def test_a_file_that_is_just_being_written_is_looked_at_once_more(tmp_path: Path) -> None:
    """The file is empty when it is first looked at, as one is that a program opens to write it anew."""
    path = tmp_path / "auth.json"
    path.write_text("")
    looked = threading.Event()

    class Watched(dict[str, str]):
        def __getitem__(self, name: str) -> str:
            looked.set()
            return super().__getitem__(name)

    def write() -> None:
        looked.wait(PATIENCE)
        (tmp_path / "new").write_text(TOKEN)
        (tmp_path / "new").rename(path)

    writer = threading.Thread(target=write)
    writer.start()
    _, found = keyed(Watched({NAMES[2]: str(path)}))
    writer.join()
    assert found == TOKEN


@settings(max_examples=15)
@given(st.binary(max_size=200))
def test_any_file_holds_a_token_or_is_an_error_that_does_not_show_it(data: bytes) -> None:
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        try:
            _, token = chosen(OAUTH_TOKEN_FILE=file.name)
        except ProviderError as error:
            assert error.kind == "unconfigured"
            assert len(data) < 4 or data.decode("utf-8", "replace") not in error.hint
        else:
            assert token and token.isascii() and token.isprintable() and " " not in token
            assert token.encode() in data


@pytest.mark.parametrize(
    ("key", "base", "says"),
    [
        (None, "https://x", "LOOP_API_KEY is not set"),
        ("", "https://x", "LOOP_API_KEY is not set"),
        ("sk-1 sk-2", "https://x", "contains a space"),
        ("sk-1\n", "https://x", "contains a space"),
        ("<your key>", "https://x", "contains a space"),
        ("<key>", "https://x", "an example"),
        ("YOUR_API_KEY", "https://x", "an example"),
        ("sk-...", "https://x", "an example"),
        ("ключ", "https://x", "characters"),
        ("k", "x.example", "LOOP_API_BASE must be"),
        ("k", "http://", "LOOP_API_BASE must be"),
        ("k", "http://[", "LOOP_API_BASE must be"),
        ("k", "http://x:99999", "LOOP_API_BASE must be"),
        ("k", "https://ex ample", "LOOP_API_BASE must be"),
    ],
)
def test_what_is_wrong_with_a_configuration(key: str | None, base: str, says: str) -> None:
    hint = PLACE.unset(Config(key, base))
    assert hint is not None
    assert says in hint
    assert not key or key not in hint.replace("LOOP_API_KEY", "")


def test_a_configuration_that_is_right() -> None:
    assert PLACE.unset(Config("k", "http://127.0.0.1:8080/v1")) is None


def test_where_no_key_is_needed_one_that_is_given_must_still_be_one() -> None:
    keyless = replace(PLACE, keyless=True)
    assert keyless.unset(Config(None, "http://127.0.0.1:8080/v1")) is None
    assert keyless.unset(Config("k", "http://127.0.0.1:8080/v1")) is None
    for key, says in (("a b", "contains a space"), ("<key>", "an example"), ("ключ", "characters")):
        assert says in str(keyless.unset(Config(key, "http://127.0.0.1:8080/v1")))
    assert "LOOP_API_BASE must be" in str(keyless.unset(Config(None, "localhost:8080")))


def test_an_origin_is_all_of_an_address_that_is_shown() -> None:
    assert origin("https://ana:pw@api.x.com:8443/v1?key=1#2") == "https://api.x.com:8443"
    assert origin("http://[") is None
