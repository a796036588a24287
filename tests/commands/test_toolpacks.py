"""`toolpacks`: what is installed does nothing before it is enabled, and a person sees what it wants."""

from __future__ import annotations

import json
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import packed as made
import pytest
from support import make_home, run

from dotagent import commands
from dotagent.errors import Misuse, Trouble
from dotagent.store.home import Home


def do(where: Home, *words: str, status: int = 0) -> str:
    """What the command prints."""
    with redirect_stdout(StringIO()) as out:
        assert commands.run("toolpacks", [*words, "--home", str(where.root)]) == status, out.getvalue()
    return out.getvalue()


@pytest.mark.slow
def test_a_pack_goes_its_way(tmp_path: Path) -> None:
    where, there = make_home(tmp_path / "home"), made.folder(tmp_path / "weather", tool__py=made.TOOL)
    assert do(where) == "no tool packs installed\n"
    assert "is a valid tool pack (command)" in do(where, "validate", f"{there}/")
    said = do(where, "install", str(there))
    assert "but not enabled yet" in said and "reads from .env: WEATHER_KEY" in said and "only reads: forecast" in said
    with pytest.raises(Trouble, match="needs WEATHER_KEY"):
        do(where, "enable", "weather")
    assert "WEATHER_KEY" in do(where, "doctor", "weather", status=1)
    (where.root / ".env").write_text("WEATHER_KEY=hush\n")
    (where.root / ".env").chmod(0o600)
    said = do(where, "enable", "weather")
    assert (
        "weather is enabled: 7 tools" in said
        and "forecast, reads: The weather" in said
        and "send, may change something" in said
    )
    (row,) = [json.loads(line) for line in do(where, "list", "--json").split("\n")[:-1]]
    assert (row["state"], len(row["tools"])) == ("enabled", 7)
    assert "it answers, 7 tools" in do(where, "doctor")
    assert "send" in do(where, "show", "weather")
    with redirect_stdout(StringIO()) as out:
        commands.run("status", ["--home", str(where.root)])
    assert "weather" in out.getvalue()
    (where.packs / "weather" / "more.py").write_text("")
    assert "changed" in do(where)
    assert "files of the tool pack changed" in do(where, "doctor", status=1)
    assert "disabled" in do(where, "disable", "weather") and "disabled" in do(where)
    assert "is removed" in do(where, "remove", "weather") and do(where) == "no tool packs installed\n"
    assert list(where.packs.iterdir()) == []


def test_a_pack_is_made_of_a_server(tmp_path: Path) -> None:
    where = make_home(tmp_path)
    said = do(
        where, "install", "time", "--mcp", "mcp-server-time --local-timezone UTC", "--reads", "get_*,convert_time"
    )
    assert "runs: mcp-server-time --local-timezone UTC" in said
    text = (where.packs / "time" / "pack.toml").read_text()
    assert text == ('reads = ["get_*", "convert_time"]\n[mcp]\nrun = ["mcp-server-time", "--local-timezone", "UTC"]\n')
    assert "asks: https://example.org/mcp" in do(where, "install", "far", "--mcp", "https://example.org/mcp")
    assert "time is a valid tool pack (mcp)" in do(where, "validate")
    (where.packs / "time" / "pack.toml").write_text("[mcp]\n")
    assert "needs either run" in do(where, "validate", status=1) and "wrong" in do(where)


def test_where_there_is_none_each_says_so(tmp_path: Path) -> None:
    where = make_home(tmp_path)
    for do in ("list", "validate", "doctor"):
        assert run(where, "-m", "dotagent", "toolpacks", do).stdout == "no tool packs installed\n"


def test_what_cannot_be_is_told(tmp_path: Path) -> None:
    where = make_home(tmp_path)
    for words, why in (
        (("show",), "id is missing"),
        (("show", "none"), "none is installed"),
        (("install", str(tmp_path)), "is not a tool pack"),
        (("install", "A B", "--mcp", "x"), "use at most 32 of a-z"),
        (("install", "one", "--openapi", "/nowhere.json"), "No such file"),
        (("install", "one", "--openapi", "/etc"), "^--openapi /etc: Is a directory$"),
        (("install", "one", "--mcp", "npx 'a b"), "^--mcp npx 'a b: no closing quotation$"),
    ):
        with pytest.raises(Misuse, match=why):
            do(where, *words)


def test_what_is_no_pack_is_misuse(tmp_path: Path) -> None:
    where = make_home(tmp_path)
    (where.packs / "sums").mkdir(parents=True)
    (where.packs / "sums" / "pack.toml").write_text('[mcp]\nrun = ["x"]\n')
    (tmp_path / "text.txt").write_text("hello\n")
    (tmp_path / "old.json").write_text('{"swagger": "2.0"}')
    for words, why in (
        (("validate", "none"), "no tool pack 'none'"),
        (("doctor", "none"), "no tool pack 'none'"),
        (("validate", "/nowhere"), "there is no folder /nowhere"),
        (("install", "/nowhere"), "there is no folder /nowhere"),
        (("install",), "does not say what to install: name the tool pack's folder"),
        (("install", "--mcp", "x"), "does not say what to install: add the new tool pack's id"),
        (("install", "one", "--openapi", f"{tmp_path}/text.txt"), "text.txt is not an OpenAPI document"),
        (("install", "one", "--openapi", f"{tmp_path}/old.json"), "old.json: this is not an OpenAPI 3 document"),
    ):
        with pytest.raises(Misuse, match=why):
            do(where, *words)
    assert [one.name for one in where.packs.iterdir()] == ["sums"]
