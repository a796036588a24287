"""The home: made and seeded once, its settings said or refused in one line, its secrets kept apart."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import ROOT, make_home, noted, run

from dotagent import errors
from dotagent.errors import Misuse, Trouble
from dotagent.store import credentials, home
from dotagent.store.home import Home, Settings

KEY = "sk-0123456789abcdef"


# --- the directory


def test_which_home_is_meant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert home.find(None).root == ROOT
    monkeypatch.setenv("DOTAGENT_HOME", str(tmp_path))
    assert home.find(None).root == tmp_path
    assert home.find(str(tmp_path / "other")).root == tmp_path / "other"
    monkeypatch.chdir(tmp_path)
    assert home.find("relative").root == tmp_path / "relative"
    monkeypatch.setenv("HOME", str(tmp_path))
    assert home.find("~/mine").root == tmp_path / "mine"
    assert home.find("~nobody-of-this-name/x").root == tmp_path / "~nobody-of-this-name" / "x"


def test_a_home_is_made_and_seeded_for_its_owner_only(tmp_path: Path) -> None:
    where = make_home(tmp_path / "deep" / "er")
    for path in (where.root.parent, where.root, where.blobs, where.chats, where.calls, where.agents):
        assert path.stat().st_mode & 0o777 == 0o700
    for name in home.PROMPTS:
        assert (where.root / name).read_bytes() == (ROOT / name).read_bytes()
        assert (where.root / name).stat().st_mode & 0o777 == 0o600
    assert sorted(os.listdir(where.root)) == sorted([*home.PROMPTS, "blobs", "chats", "calls", "agents"])


def test_what_is_there_stays(tmp_path: Path) -> None:
    make_home(tmp_path)
    (tmp_path / "SOUL.md").write_text("mine")
    (tmp_path / "SEGMENT.md").write_text("")
    (tmp_path / "SUMMARISE.md").unlink()
    with noted("os.mkdir", "os.rename") as done:
        home.prepare(Home(tmp_path))
    assert len(done) == 1
    assert (tmp_path / "SOUL.md").read_text() == "mine"
    assert (tmp_path / "SEGMENT.md").read_text() == ""  # a person's own
    assert (tmp_path / "SUMMARISE.md").read_bytes() == (ROOT / "SUMMARISE.md").read_bytes()


@pytest.mark.parametrize("name", ["", "blobs", "chats", "calls", "agents"])
def test_a_file_where_a_directory_should_be_is_said_in_one_line(tmp_path: Path, name: str) -> None:
    path = tmp_path / "home" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("a file")
    with pytest.raises(OSError) as refused:
        home.prepare(Home(tmp_path / "home"))
    assert errors.line(refused.value).startswith(f"{path}: ")
    assert "move it away" in errors.line(refused.value)
    assert path.read_text() == "a file"


@pytest.mark.parametrize("name", ["dev", "0", "a" * 64, "a-b_c"])
def test_rooms_of_every_name(tmp_path: Path, name: str) -> None:
    assert Home(tmp_path).room(name) == tmp_path / "chats" / f"{name}.md"


@pytest.mark.parametrize(
    "name", ["", "A", "a b", "../x", "a/b", ".a", "-a", "_a", "a" * 65, "é", "a\n", "a.md", "\0", "٣"]
)
def test_what_cannot_be_a_room(tmp_path: Path, name: str) -> None:
    with pytest.raises(Misuse, match="cannot be a room"):
        Home(tmp_path).room(name)


# --- lives


def test_a_life_is_found_by_a_prefix_of_its_id(tmp_path: Path) -> None:
    where = make_home(tmp_path)
    ids = ["0123456789abcdef" * 2, "01234567" + "f" * 24, "f" * 32]
    assert home.lives(where) == []
    with pytest.raises(Misuse, match="none was born here yet"):
        home.find_life(where, "01234567")
    for id in ids:
        where.agent(id).mkdir()
        (where.agent(id) / "LIFE.md").touch()
    (where.agents / ("e" * 32)).mkdir()
    for stray in ("notes", "ffffffff", "F" * 32):
        (where.agents / stray).mkdir()
        (where.agents / stray / "LIFE.md").touch()
    assert home.lives(where) == sorted(ids)
    assert home.find_life(where, "f" * 8) == "f" * 32
    assert home.find_life(where, ids[0]) == ids[0]
    assert home.find_life(where, "0123456789") == ids[0]
    for prefix, told in {
        "01234567": f"{ids[0]}, {ids[1]}", "e" * 8: "LIFE.md", "abcdef01": "there are: 0123456789ab",
        "0123456": "8 to 32 hex digits", "F" * 8: "8 to 32 hex digits", "": "8 to 32", "x\n" * 30: "8 to 32",
    }.items():  # fmt: skip
        with pytest.raises(Misuse, match=told):
            home.find_life(where, prefix)


def test_a_home_that_was_never_made(tmp_path: Path) -> None:
    with pytest.raises(Trouble, match=f"no home at {tmp_path}"):
        home.require(Home(tmp_path))
    assert home.lives(Home(tmp_path / "nowhere")) == []
    home.require(make_home(tmp_path))


def test_a_file_is_no_home(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(Misuse, match=r"/file is a file, and a home is a directory"):
        home.find(str(tmp_path / "file"))


@pytest.mark.slow
def test_a_checkouts_prompts_are_templates_and_a_persons_own_stand_beside_them(tmp_path: Path) -> None:
    """Under version control: `git status` tells of none of them."""
    code = tmp_path / "code"
    for name in ("dotagent", "agent.py", *home.PROMPTS):
        (shutil.copytree if (ROOT / name).is_dir() else shutil.copy)(ROOT / name, code / name)
    (code / "own").mkdir()
    (code / "own" / "SOUL.md").write_text("You are Bea's.\n")
    told = run(
        Home(code), str(code / "agent.py"), "--until-idle", "--provider", "offline", env={"PYTHONPATH": str(code)}
    )
    assert told.returncode == 0, told
    born = Home(code).store().get(told.stdout.split("\n")[0])
    assert b"You are Bea's." in born.body
    assert (code / "SOUL.md").read_bytes() == (ROOT / "SOUL.md").read_bytes()
    ignored = subprocess.run(["git", "check-ignore", "-q", "own/SOUL.md"], cwd=ROOT, check=False)
    assert ignored.returncode == 0 or not (ROOT / ".git").exists()


# --- settings


def test_settings_of_a_new_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DOTAGENT_NEARBY")
    monkeypatch.delenv("DOTAGENT_SANDBOX", raising=False)
    monkeypatch.delenv("DOTAGENT_POLICY", raising=False)
    assert home.settings(Home(tmp_path)) == Settings()
    assert Settings().context_limit == 64_000


def test_every_setting_and_the_environment_over_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "dotagent.toml").write_text(
        'provider = "deepseek"\nmodel = "m"\ncontext_limit = 5000\n'
        'owner = "ana"\nroots = ["notes", "~/x"]\nrun = ["ab"]\nenvironment = ["EDITOR"]\n'
        'nearby = ["http://127.0.0.1:9"]\n'
        '[providers.deepseek]\nstall = 3\n[prices."deepseek-v4"]\ninput = 1\noutput = 2.5\n'
    )
    monkeypatch.delenv("DOTAGENT_NEARBY")
    monkeypatch.delenv("DOTAGENT_SANDBOX", raising=False)
    monkeypatch.delenv("DOTAGENT_POLICY", raising=False)
    found = home.settings(Home(tmp_path))
    assert found == Settings(
        "deepseek", "m", 5000, "ana", {"private": ("notes", "~/x")}, ("ab",), ("EDITOR",), {"deepseek": {"stall": 3}},
        prices={"deepseek-v4": {"input": 1, "output": 2.5}}, nearby=("http://127.0.0.1:9",),
    )  # fmt: skip
    monkeypatch.setenv("DOTAGENT_PROVIDER", "offline")
    monkeypatch.setenv("DOTAGENT_MODEL", "n")
    monkeypatch.setenv("DOTAGENT_CONTEXT_LIMIT", "7000")
    found = home.settings(Home(tmp_path))
    assert (found.provider, found.model, found.context_limit) == ("offline", "n", 7000)
    monkeypatch.setenv("DOTAGENT_MODEL", "")
    assert home.settings(Home(tmp_path)).model == "m"
    monkeypatch.setenv("DOTAGENT_NEARBY", " http://a:1  http://b:2 ")
    assert home.settings(Home(tmp_path)).nearby == ("http://a:1", "http://b:2")
    monkeypatch.setenv("DOTAGENT_NEARBY", "")
    assert home.settings(Home(tmp_path)).nearby == ()
    monkeypatch.delenv("DOTAGENT_NEARBY")
    monkeypatch.delenv("DOTAGENT_SANDBOX", raising=False)
    monkeypatch.delenv("DOTAGENT_POLICY", raising=False)
    (tmp_path / "dotagent.toml").write_text("nearby = 3")
    with pytest.raises(Misuse, match="list of texts"):
        home.settings(Home(tmp_path))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b"provider = ", "Invalid value"), (b"\xff\xfe", "utf-8"), (b"a = \0", "dotagent.toml"),
        (b"a = " + b"[" * 9999, "mend"), (b"colour = 3", "unknown setting 'colour'"),
        (b"provider = 3", "provider must be a text"), (b"context_limit = 999", "1000 or more"),
        (b"context_limit = true", "whole number"), (b"context_limit = 1.5e4", "whole number"),
        (b'context_limit = "many"', "whole number"), (b"roots = 'notes'", "lists of texts"),
        (b"run = [1]", "list of texts"), (b"providers = 3", "must be tables"), (b"owner = 3\n", "owner"),
        (b"[providers]\ndeepseek = 3", "must be tables"), (b'owner = "ana b"', "one name"),
        (b"prices = 3", "must be tables"), (b"[prices.m]\ninput = 1", "input and output"),
        (b"[prices.m]\ninput = true\noutput = 1", "a million tokens"),
        (b"[prices.m]\ninput = 1\noutput = 1\nhours = 'night'", "hours = \"1-4 6-10\""),
        (b"[prices.m]\ninput = 1\noutput = -1", "US dollars"), (b"[prices]\nm = 3", "input and output"),
        (b"[prices.m]\ninput = 1\noutput = 1\nin = 1", "input and output"),
        (b"[prices.m]\ninput = 1\noutput = nan", "input and output"),
        (b"[prices.m]\ninput = 1\noutput = 1\nabove = {input = 2, output = 2}", "above = { tokens = 200_000"),
        (b"[prices.m]\ninput = 1\noutput = 1\nabove = 3", "those of long prompts"),
        (b"[roots]\nfriends = ['x']", "lists of texts"), (b"[roots]\nprivate = 'x'", "lists of texts"),
        (b"[roots]\nprivate = ['.']\ngroup = ['ours']", "`private` and `group` both reach it"),
        (b"[roots]\nprivate = ['a/b']\n'private bea' = ['a/../a']", "both reach it"),
        (b"[providers.ollama]\nbase = 'http://ana:word@127.0.0.1/v1'", "providers.ollama.base has a password"),
        (b"[providers.ollama]\nbase = 'http://h/v1?api_key=word'", "belongs in .env"),
        (b"[providers.openai]\nwindw = 9", "no setting 'windw': did you mean window. There are at_once, base, calls, "),
        (b"[providers.deepseek]\nwire = 'chat'", "has no setting 'wire'. There are at_once, base, calls, "),
        (b"[providers.antropic]\n", "antropic. is no one's: did you mean anthropic. There are anthropic, "),
        (b"[providers.mine]\nbase = 'x'", "own becomes one by `python -m dotagent calls take --provider mine`"),
        (b"[bridges.discrod]\n", "discrod. is no one's: did you mean discord. There are discord, telegram$"),
        (b"[providers.openai]\nwindow = '64000'", "window must be a whole number"),
        (b"[providers.openai-codex]\nwindow = 0", "window must be a whole number"),
        (b"[providers.local]\nwindow = true", "window must be a whole number"),
        (b"[providers.local]\nstall = nan", "stall must be a number from 0.001 to"),
        (b"[providers.openai]\ntemperature = 3", "temperature must be a number from 0 to 2"),
        (b"[providers.anthropic]\nthinking = 2.5", "must be true or false or a text or a whole number"),
        (b"[providers.openrouter]\nrouting = 'price'", "routing must be a table"),
        (b"[providers.openai.models.'gpt-6']\nwindow = 9", "of the model \"gpt-6\" has no option 'window'. There are"),
        (b"[providers.openai]\nmodels = {a = 1}", "of the model \"a\" is no table"),
        (b"[providers.offline]\ntemperature = 1", "has no setting 'temperature'"),
        (b"[agents.'An A']\ntemperature = 1", "or names, which may have options"),
        (b"[agents.9f8e7d6c]\ntemprature = 1", "no option 'temprature': did you mean temperature. There are"),
        (b"[agents.9f8e7d6c]\ntemperature = 'hot'", "temperature must be a number from 0 to 2"),
        (b"agents = 1", "agents must be tables"), (b"background = 1", "background must be a table"),
        (b"[background]\nprovider = 1", "provider must be a text"),
        (b"[background]\nprovider = 'anthropic'\ntemperature = 1.5", "There are calls, effort, max_tokens, thinking"),
        (b"[background]\nthink_hard = 1", "has no option 'think_hard'"),
        (b"[providers.work]\nlike = 'opnai'", "like must be one of anthropic, deepseek"),
        (b"[providers.work]\nlike = 'openai'\nkey = 'sk-123'", "key must be the name of a variable"),
        (b"[providers.work]\nlike = 'openai'\nwindw = 1", "has no setting 'windw'"),
        (b"[providers.groq]\nwindw = 1", "did you mean window. There are at_once, base, calls, "),
        (b"[providers.openai]\nlike = 'local'", "has no setting 'like'"),
        (b"[providers.'Big Co']\nlike = 'openai'", "cannot be its name"),
        (b"[providers.ollama]\nthink = 3", "think must be true or false or a text"),
        (b"[bridges.telegram]\nfriends = ['https://ana:word@h']", "bridges.telegram.friends.1"),
        (b'owner = "a:b"', "one name"), (b'owner = "a]"', "one name"),
    ],
)  # fmt: skip
def test_a_mistake_in_the_settings_is_named_by_its_place(tmp_path: Path, text: bytes, told: str) -> None:
    (tmp_path / "dotagent.toml").write_bytes(text)
    with pytest.raises(Misuse, match=told) as refused:
        home.settings(Home(tmp_path))
    assert str(tmp_path / "dotagent.toml") in str(refused.value)


@pytest.mark.parametrize("limit", ["many", "0", "999", "-5000", "1e5", "²", "٣٣٣٣٣", "9" * 5000, " 5000 x"])
def test_a_limit_that_is_none_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    monkeypatch.setenv("DOTAGENT_CONTEXT_LIMIT", limit)
    with pytest.raises(Misuse, match="DOTAGENT_CONTEXT_LIMIT"):
        home.settings(Home(tmp_path))


# --- secrets


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
    clean, rest = credentials.split({name: value}, ("EDITOR",))
    assert (clean if variable in MAY else rest) == {name: value}
    assert {**clean, **rest} == {name: value}


@given(st.dictionaries(st.text(min_size=1), st.text()))
def test_every_variable_is_on_one_side(environ: dict[str, str]) -> None:
    clean, secret = credentials.split(environ)
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
    with pytest.raises(Misuse, match="line 2: a line is NAME=VALUE") as refused:
        credentials.env_file(Home(tmp_path))
    assert KEY not in str(refused.value)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o644, 0o620, 0o601])
def test_an_env_file_that_others_can_read_is_refused(tmp_path: Path, mode: int) -> None:
    (tmp_path / ".env").write_text(f"A={KEY}")
    (tmp_path / ".env").chmod(mode)
    with pytest.raises(Misuse, match="chmod 600") as refused:
        credentials.env_file(Home(tmp_path))
    assert KEY not in str(refused.value)


def test_directories_where_files_should_be(tmp_path: Path) -> None:
    for name in ("dotagent.toml", ".env"):
        (tmp_path / name).mkdir()
    for ask in (home.settings, credentials.env_file):
        with pytest.raises(Misuse, match=r"Is a directory \(a directory stands where a file should be"):
            ask(Home(tmp_path))
    shutil.rmtree(tmp_path / ".env")
