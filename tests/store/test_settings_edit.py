"""Settings and secrets as commands write them: comments stay, what cannot be is never written, secrets are 0600."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import ANY_TEXT, make_home, together

from dotagent.bridges.pattern import rules
from dotagent.errors import Misuse
from dotagent.store import credentials, home, setting_rules, settings_edit
from dotagent.store.home import Home

FILE = """# mine
provider = "deepseek"  # cheap

[budget]
# a day
dollars_a_day = 2

[prices."gpt-4.1"]
input = 3
output = 12

[[bridges.discord.route]]
channel = "id:7"
answer = "always"
"""


@pytest.fixture
def where(tmp_path: Path) -> Home:
    made = make_home(tmp_path / "home")
    (made.root / "dotagent.toml").write_text(FILE)
    return made


def changed(where: Home, name: str, *values: object) -> str:
    settings_edit.change(where, name, values, rules.check)
    return (where.root / "dotagent.toml").read_text()


@pytest.mark.parametrize("empty", ["agents = {}", 'agents = {b0b0b0b0 = {model = "n"}}'])
def test_a_table_in_one_line_gets_a_table_in_one_line(where: Home, empty: str) -> None:
    (where.root / "dotagent.toml").write_text(f"{empty}  # mine\n")
    found = changed(where, "agents.9f8e7d6c.model", "m")
    assert tomllib.loads(found)["agents"]["9f8e7d6c"] == {"model": "m"} and found.count("\n") == 1 and "# mine" in found


def test_a_change_keeps_all_else_as_it_is(where: Home) -> None:
    assert changed(where, "provider", "openai") == FILE.replace('"deepseek"', '"openai"')
    assert changed(where, "budget.tokens_a_day", 5) == FILE.replace('"deepseek"', '"openai"').replace(
        "dollars_a_day = 2\n", "dollars_a_day = 2\ntokens_a_day = 5\n"
    )
    changed(where, 'prices."gpt-4.1".input', 4)
    changed(where, "agents.9f8e7d6c.budget.dollars_a_day", 1)
    changed(where, "model", "m")
    text = changed(where, "budget.dollars_a_day")
    found = tomllib.loads(text)
    assert "# mine" in text and "# cheap" in text and found["budget"] == {"tokens_a_day": 5}
    assert found["prices"]["gpt-4.1"]["input"] == 4 and found["model"] == "m"
    assert found["agents"] == {"9f8e7d6c": {"budget": {"dollars_a_day": 1}}}
    assert home.settings(where).model == "m"


HEADED = """# mine
model = "small"

# what a day may cost
[budget]
dollars_a_day = 2

# ask Ana first
# before you change these
[prices.small]
input = 3
output = 12
"""


@pytest.mark.parametrize(
    ("name", "values", "before", "after"),
    [
        ("budget.tokens_a_day", [5], "dollars_a_day = 2\n", "dollars_a_day = 2\ntokens_a_day = 5\n"),
        ("provider", ["openai"], '"small"\n', '"small"\nprovider = "openai"\n'),
        ("budget", [], "[budget]\ndollars_a_day = 2\n", ""),
        ("prices.small.cached", [1], "output = 12\n", "output = 12\ncached = 1\n"),
        ("model", [], 'model = "small"\n', ""),
    ],
)
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_a_comment_stays_above_its_table(
    where: Home, name: str, values: list[object], before: str, after: str, ends: str
) -> None:
    path = where.root / "dotagent.toml"
    path.write_bytes(HEADED.replace("\n", ends).encode())
    changed(where, name, *values)
    assert path.read_bytes() == HEADED.replace(before, after).replace("\n", ends).encode()


@pytest.mark.parametrize("text", ["# only this", "# only this\n", 'provider = "openai"\n# the end', ""])
def test_a_key_comes_below_a_comment_that_no_table_follows(where: Home, text: str) -> None:
    (where.root / "dotagent.toml").write_text(text)
    found = changed(where, "model", "m")
    assert found.rstrip().endswith('model = "m"') and found.startswith(text.rstrip())
    assert changed(where, "model", "m") == found


def test_a_new_table_comes_above_the_next_one_s_comment(where: Home) -> None:
    agent = '# one\n[agents.9f8e7d6c]\nmodel = "a"\n'
    (where.root / "dotagent.toml").write_text(f"{agent}# two\n[budget]\ntokens_a_day = 2\n")
    text = changed(where, "agents.9f8e7d6c.budget.dollars_a_day", 1)
    assert text.endswith("\n\n[agents.9f8e7d6c.budget]\ndollars_a_day = 1\n\n# two\n[budget]\ntokens_a_day = 2\n")


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("context_limit", "big", "whole number"), ("nonsense", 1, "unknown setting"),
        ("bridges.discord.answer", "sometimes", "must be one of"), ("budget.dollars", 1, "budget"),
        ("providers.nobody.model", "m", "no such"), ("provider.x", 1, "has a single value"),
        ("a b", 1, "is not a setting"), ("x = 1\ny", 1, "is not a setting"), ("", 1, "is not a setting"),
        ("x.y = {}", 1, "is not a setting"),
        ("providers.own.api_key", "k", "looks like a secret"), ("bridges.discord.token", "t", "looks like a secret"),
        ("providers.ollama.base", "http://ana:hush@host", "must not contain secrets"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_not_written(where: Home, name: str, value: object, why: str) -> None:
    with pytest.raises(Misuse, match=why):
        changed(where, name, value)
    assert (where.root / "dotagent.toml").read_text() == FILE


def test_of_several_meanings_the_first_that_fits_counts(where: Home) -> None:
    for name, word, value in (("model", "4", "4"), ("context_limit", "5000", 5000), ("fallback", "openai,local", None)):
        changed(where, name, *settings_edit.meanings(word))
        assert getattr(home.settings(where), name) == (value or ("openai", "local"))
    with pytest.raises(Misuse, match="whole number of tokens"):
        changed(where, "context_limit", *settings_edit.meanings("much"))


def test_what_is_not_set_cannot_be_unset(where: Home) -> None:
    with pytest.raises(Misuse, match="is not set"):
        changed(where, "model")
    with pytest.raises(Misuse, match="needs input and output"):
        changed(where, 'prices."gpt-4.1".input')  # nor what the rest needs


def test_a_link_is_followed_and_modes_stay(where: Home, tmp_path: Path) -> None:
    real = tmp_path / "elsewhere.toml"
    (where.root / "dotagent.toml").rename(real)
    real.chmod(0o644)
    (where.root / "dotagent.toml").symlink_to(real)
    changed(where, "model", "m")
    assert (where.root / "dotagent.toml").is_symlink() and 'model = "m"' in real.read_text()
    assert real.stat().st_mode & 0o777 == 0o644


def test_two_who_change_at_once_both_do(where: Home) -> None:
    together(
        *(lambda n=n: changed(where, f"agents.{n:08x}.budget.dollars_a_day", n) for n in range(8)),  # type: ignore[misc]
    )
    assert len(home.settings(where).agents) == 8


def test_secrets_are_for_the_owner_alone_and_the_rest_stays(where: Home) -> None:
    path = where.root / ".env"
    settings_edit.secret(where, "DEEPSEEK_API_KEY", "one")
    assert path.stat().st_mode & 0o777 == 0o600
    path.write_text(f"# keys\nexport {path.read_text()}OTHER='a b'\n")
    settings_edit.secret(where, "DEEPSEEK_API_KEY", "two")
    assert path.read_text() == "# keys\nOTHER='a b'\nDEEPSEEK_API_KEY=two\n"
    settings_edit.secret(where, "DEEPSEEK_API_KEY", "")
    assert credentials.env_file(where) == {"OTHER": "a b"}
    path.chmod(0o640)
    with pytest.raises(Misuse, match="chmod 600"):
        settings_edit.secret(where, "DEEPSEEK_API_KEY", "three")


@given(ANY_TEXT)
def test_any_secret_is_kept_as_it_is_or_refused(tmp_path_factory: pytest.TempPathFactory, value: str) -> None:
    where = Home(tmp_path_factory.getbasetemp() / "secrets")
    where.root.mkdir(exist_ok=True)
    before = credentials.env_file(where)
    try:
        settings_edit.secret(where, "A_KEY", value)
    except (Misuse, UnicodeEncodeError):
        assert credentials.env_file(where) == before
    else:
        assert credentials.env_file(where) == ({"A_KEY": value} if value else {})


@given(st.dictionaries(st.sampled_from(["a", "b.c", "b.d", '"x.y".z']), st.integers() | st.text(max_size=5)))
def test_a_table_is_what_was_put_there(given: dict[str, object]) -> None:
    expected: dict[str, object] = {}
    text = b"# top\n"
    for name, value in given.items():
        way = settings_edit.way_of(name)
        try:
            text = settings_edit._changed(text, way, value, Path("x"))
        except UnicodeEncodeError:
            return
        setting_rules.put(expected, way, value)
    assert tomllib.loads(text.decode()) == expected and text.startswith(b"# top\n")


@pytest.mark.parametrize(("codec", "end"), [("utf-8", "\n"), ("utf-8-sig", "\r\n"), ("utf-8", "\r\n")])
def test_a_changed_file_keeps_its_encoding_and_line_ends(tmp_path: Path, codec: str, end: str) -> None:
    where = Home(tmp_path)
    (tmp_path / "dotagent.toml").write_bytes(f'# käse{end}owner = "ana"{end}'.encode(codec))
    settings_edit.change(where, "owner", ("bea",), lambda _: None)
    assert (tmp_path / "dotagent.toml").read_bytes() == f'# käse{end}owner = "bea"{end}'.encode(codec)
    (tmp_path / ".env").write_bytes(f"A=1{end}B=2 # two{end}".encode(codec))
    (tmp_path / ".env").chmod(0o600)
    settings_edit.secret(where, "A", "3 # 4")
    assert (tmp_path / ".env").read_bytes() == f"B=2 # two{end}A='3 # 4'{end}".encode(codec)
