"""Secrets: what an agent may have of the environment, and the `.env` of a home."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dotagent.errors import Misuse
from dotagent.store import credentials, variables
from dotagent.store.home import Home

KEY = "sk-0123456789abcdef"

MAY = (  # name=value, one line each: what an agent may have of its person's environment
    "PATH=/bin",
    "HOME=/home/ana",
    "LC_ALL=C",
    "TZ=UTC",
    "DOTAGENT_MODEL=m",
    "PYTHONPATH=.",
    "DEEPSEEK_API_BASE=https://host:8080/x",
    "https_proxy=http://proxy:3128",
    "NO_PROXY=.example.org",
    "ALL_PROXY=socks5://proxy:1080",
    "REQUESTS_CA_BUNDLE=/etc/ca.pem",
    "EDITOR=vi",  # the settings name it
)
MAY_NOT = (  # as above
    "DEEPSEEK_API_KEY=sk-1",
    "openai_api_key=sk-1",
    "STRIPE_KEY_PROD=sk-1",
    "MY_KEY_OLD=sk-1",
    "GITHUB_TOKEN=ghp-1",
    "AWS_ACCESS_KEY_ID=1",
    "PGPASS=1",
    "DATABASE_URL=postgres://ana@host/db",
    "ANY_WORD=hello",
    "LS_COLORS=01",
    "DOTAGENT_SECRET=1",
    "PYTHONSTARTUP=x",
    "OPENAI_ORGANIZATION=org",
    "HTTPS_PROXY=http://ana:pw@proxy:3128",
    "DEEPSEEK_API_BASE=https://ghp_0123456789abcdef@host",
    "LOCAL_API_BASE=http://host/v1?key=sk-1",
    "DOTAGENT_NEARBY=http://ana:pw@127.0.0.1:1",
    "path=/bin",
    "XPATH=/bin",
    "PATH_=/bin",
)


@pytest.mark.parametrize("variable", [*MAY, *MAY_NOT])
def test_what_an_agent_may_have_of_the_environment(variable: str) -> None:
    name, _, value = variable.partition("=")
    clean, rest = variables.split({name: value}, ("EDITOR",))
    assert (clean if variable in MAY else rest) == {name: value}
    assert {**clean, **rest} == {name: value}


@given(st.dictionaries(st.text(min_size=1), st.text()))
def test_every_variable_is_on_one_side(environ: dict[str, str]) -> None:
    clean, secret = variables.split(environ)
    assert {**clean, **secret} == environ
    assert not clean.keys() & secret.keys()


def test_the_env_file(tmp_path: Path) -> None:
    path = tmp_path / ".env"
    assert credentials.env_file(Home(tmp_path)) == {}
    path.write_bytes(
        b"\xef\xbb\xbfA=1\r\n# comment\n\nexport B = two words \nC=\"x = 'y'\"\nD='z'\nE=\nF=\"\nG=a#b\nA=last\nH=\xff"
    )
    path.chmod(0o600)
    assert credentials.env_file(Home(tmp_path)) == {
        "A": "last", "B": "two words", "C": "x = 'y'", "D": "z", "E": "", "F": '"', "G": "a#b", "H": "\ufffd",
    }  # fmt: skip


@pytest.mark.parametrize("line", [b"just words", b"=x", b"1A=x", b"A B=x", b"A-B=x", "Ä=x".encode(), b"\0"])
def test_a_line_of_env_that_is_none_is_named_without_its_value(tmp_path: Path, line: bytes) -> None:
    (tmp_path / ".env").write_bytes(b"A=1\n" + line + KEY.encode())
    (tmp_path / ".env").chmod(0o600)
    with pytest.raises(Misuse, match="line 2: write this line as NAME=VALUE") as refused:
        credentials.env_file(Home(tmp_path))
    assert KEY not in str(refused.value)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o644, 0o620, 0o601])
def test_an_env_file_that_others_can_read_is_refused(tmp_path: Path, mode: int) -> None:
    (tmp_path / ".env").write_text(f"A={KEY}")
    (tmp_path / ".env").chmod(mode)
    with pytest.raises(Misuse, match="chmod 600") as refused:
        credentials.env_file(Home(tmp_path))
    assert KEY not in str(refused.value)


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("A=x   # from work", "x"),
        ("A=x#y", "x#y"),
        ("A='x # y'  # z", "x # y"),
        ('export\tA = "x"', "x"),
        ("A= # nothing", ""),
        ('A="x" # it\'s "mine"', "x"),
        ("A=\"x' #", "\"x'"),
    ],
)
@pytest.mark.parametrize(("codec", "end"), [("utf-8", "\n"), ("utf-8-sig", "\r\n"), ("utf-16", "\r\n")])
def test_what_editors_and_people_put_into_env(tmp_path: Path, line: str, value: str, codec: str, end: str) -> None:
    text = f"# käse{end}{line}{end}B=2{end}"
    assert credentials.variables(tmp_path, text.encode(codec)) == {"A": value, "B": "2"}
