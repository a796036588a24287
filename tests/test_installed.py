"""The program as pip installs it, and what is said where it cannot run: a Python too old, a package that is missing."""

from __future__ import annotations

import ast
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import venv
from collections.abc import Iterator
from importlib import metadata
from itertools import chain
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from support import PATIENCE, ROOT, end, environment

import dotagent
from dotagent import commands
from dotagent.installed import DISTRIBUTION
from dotagent.store.home import PROMPTS

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
STARTS = (("agent.py",), ("chat.py",), ("clean.py",), ("-m", "dotagent", "status"))


def parts(name: str) -> list[list[str]]:
    """Return the requirements of this file, one list for each of its paragraphs."""
    text = (ROOT / name).read_text("utf-8").replace('"', "'").strip()
    return [[line for line in part.split("\n") if line[0] not in "#-"] for part in text.split("\n\n")]


def extras() -> dict[str, list[str]]:
    """Return the requirements of requirements-dev.txt by the extra that each paragraph's comment names."""
    names = re.findall(r"^# \[(\w+)\]", (ROOT / "requirements-dev.txt").read_text("utf-8"), re.MULTILINE)
    return dict(zip(names, parts("requirements-dev.txt")[1:], strict=True))


def module(requirement: str) -> str:
    """Return the name of the module that a requirement brings."""
    name = re.split(r"[\[><=;]", requirement)[0]
    return {"pillow": "PIL", "pyyaml": "yaml"}.get(name, name).replace("-", "_")


# --- what is needed


def test_requirements_and_pyproject_say_the_same() -> None:
    """`meaning` is left out, since not every machine can install it: `.ci/real` tries it."""
    project = PROJECT["project"]
    listed = {name: lines for name, lines in project["optional-dependencies"].items() if name not in ("all", "meaning")}
    assert [*chain(*parts("requirements.txt"))] == project["dependencies"]
    assert extras() == listed
    assert "-r requirements.txt" in (ROOT / "requirements-dev.txt").read_text("utf-8").split("\n")


def test_all_brings_every_extra() -> None:
    optional = PROJECT["project"]["optional-dependencies"]
    named = re.fullmatch(r"dotagent-assistant\[(.*)\]", optional["all"][0])
    assert named and named[1].split(",") == [name for name in optional if name not in ("all", "dev")]
    assert PROJECT["project"]["name"] == DISTRIBUTION


def test_each_package_that_is_always_needed_is_looked_for() -> None:
    assert list(dotagent.NEEDS) == [module(line) for line in parts("requirements.txt")[0]]


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment in which only the packages of requirements.txt's first part can be imported."""
    folder, seen = tmp_path_factory.mktemp("site"), set[str]()
    todo = list(parts("requirements.txt")[0])
    while todo:
        wanted = Requirement(todo.pop())
        if wanted.name in seen or (wanted.marker and not wanted.marker.evaluate({"extra": "socks"})):
            continue
        seen.add(wanted.name)
        found = metadata.distribution(wanted.name)
        todo += found.requires or ()
        for top in {Path(str(file)).parts[0] for file in found.files or () if ".." not in file.parts}:
            if not (folder / top).exists():
                (folder / top).symlink_to(str(found.locate_file(top)))
    return environment(PYTHONPATH=f"{folder}:{ROOT}")


def alone(bare: dict[str, str], *words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Run this Python with those packages only."""
    return subprocess.run([sys.executable, "-S", *words], cwd=ROOT, env=bare, input=stdin, capture_output=True,
                          text=True, timeout=PATIENCE, check=False)  # fmt: skip


EACH = """
import json, os, runpy, sys
import dotagent.commands  # which none of them is without
for words in map(json.loads, sys.argv[1:]):
    if not (child := os.fork()):
        sys.argv = ["dotagent", *words]
        runpy.run_module("dotagent", run_name="__main__")
    assert os.waitpid(child, 0)[1] == 0, words
    os.write(1, b"\\0")
"""
"""A program that is `dotagent` with each of the words that it is given, one after another."""


@pytest.mark.night
def test_help_needs_no_extra(bare: dict[str, str]) -> None:
    asked = [["help"], *([name, "--help"] for name in commands.names())]
    done = alone(bare, "-c", EACH, *(json.dumps(words) for words in asked))
    assert done.returncode == 0 and not done.stderr, done
    assert [told.startswith("usage: ") for told in done.stdout.split("\0")[:-1]] == [True] * len(asked)


@pytest.mark.wide
@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "brings"),
    [
        ("backup {home}/x.tar.zst", "requirements.txt"),
        ("restore --home {home}/empty {home}/x", "requirements.txt"),
        ("skills install {home}/skill", "requirements.txt"),
        ("discord", "discord.py"),
        ("mcp --audience private", "mcp>=2.3,<3"),
        ("acp --audience private", "agent-client-protocol"),
        ("view", "starlette"),
    ],
    ids=lambda one: one.split(" ")[0],
)
def test_a_missing_extra_is_one_line_with_the_command_that_adds_it(
    words: str, brings: str, bare: dict[str, str], tmp_path: Path
) -> None:
    made = alone(bare, "agent.py", "--home", str(tmp_path), "--until-idle")
    assert made.returncode == 0, made
    (tmp_path / "x").write_bytes(b"x")
    (tmp_path / "skill").mkdir()
    (tmp_path / "skill/SKILL.md").write_text("---\nname: skill\ndescription: Shows how.\n---\nDo.\n")
    asked = words.format(home=tmp_path).split(" ")
    where = [] if "--home" in asked else ["--home", str(tmp_path)]
    done = alone(bare | {"DISCORD_BOT_TOKEN": "x"}, "-m", "dotagent", *asked, *where)
    assert done.returncode == 2, done
    assert re.search(r"^dotagent: .*Python module \S+ is not installed: run `[^`\n]+`", done.stderr, re.MULTILINE)
    assert brings in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize("name", ["agent.py", "chat.py", "clean.py", "dotagent/__init__.py", "dotagent/__main__.py"])
def test_an_older_python_can_read_what_says_that_it_is_too_old(name: str) -> None:
    ast.parse((ROOT / name).read_text("utf-8"), feature_version=(3, 8))


def too_old() -> list[str]:
    """The Pythons of this machine that are too old, by their names or beside this one."""
    named = map(shutil.which, ("python3.8", "python3.9", "python3.10", "pypy3"))
    beside = (str(path) for path in Path(sys.base_prefix).parent.glob("3.*/bin/python"))
    asks = ("-c", "import sys; print((3, 8) <= sys.version_info < (3, 11))")
    told = {path: subprocess.run([path, *asks], capture_output=True, check=False) for path in (*named, *beside) if path}
    return sorted(path for path, done in told.items() if done.stdout == b"True\n")  # a name may stand for nothing


@pytest.mark.night
@pytest.mark.parametrize("words", STARTS, ids=" ".join)
def test_a_python_that_is_too_old_is_one_line(words: tuple[str, ...]) -> None:
    if not (pythons := too_old()):
        pytest.skip("there is no Python older than 3.11 here")
    for python in pythons:
        done = subprocess.run([python, *words], cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 2 and done.stdout == ""
        assert re.fullmatch(r"dotagent: Python 3\.11 or newer is needed, but \S+ is 3\.\d+; [^\n]+\n", done.stderr)


@pytest.mark.parametrize("words", STARTS, ids=" ".join)
def test_missing_packages_are_one_line(words: tuple[str, ...]) -> None:
    """`-S`: this Python, without the packages of its venv."""
    done = subprocess.run([sys.executable, "-S", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and done.stdout == ""
    needs = ", ".join(name for name in dotagent.NEEDS if name != "inotify_simple" or sys.platform == "linux")
    assert re.fullmatch(rf"dotagent: \S+ lacks {needs}: [^\n]+\n", done.stderr)
    assert "requirements.txt" in done.stderr or "/bin/activate" in done.stderr


# --- installed


def test_the_wheel_holds_the_programs_and_every_prompt() -> None:
    inside = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    for name in ("agent.py", "chat.py", "clean.py", *PROMPTS):
        assert inside[name] == f"dotagent/programs/{name}" and (ROOT / name).is_file()


@pytest.fixture
def installed(tmp_path: Path) -> Iterator[Path]:
    """The bin/ of a fresh venv in which the wheel is installed, and the packages it needs are this one's.

    It takes hatchling and no network: the packages themselves come by a .pth file, and without the checkout.
    """
    if not shutil.which("pip"):
        pytest.skip("pip is not installed")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
    build = [*pip, "wheel", "--no-build-isolation", "--no-deps", "-w", str(tmp_path / "wheel"), str(ROOT)]
    subprocess.run(build, check=True, env=clean(tmp_path))
    venv.create(tmp_path / "venv", with_pip=False, symlinks=True)
    python = tmp_path / "venv" / "bin" / "python"
    site = Path(sysconfig.get_path("purelib", "venv", {"base": str(tmp_path / "venv")}))
    wheel = next((tmp_path / "wheel").glob("*.whl"))
    subprocess.run(
        [*pip, "--python", str(python), "install", "--no-deps", "--no-index", str(wheel)],
        check=True, env=clean(tmp_path),
    )  # fmt: skip
    (site / "packages.pth").write_text(sysconfig.get_path("purelib") + "\n")
    yield tmp_path / "venv" / "bin"


def clean(home: Path) -> dict[str, str]:
    """An environment that does not lead to the checkout."""
    given = environment(HOME=str(home))
    del given["PYTHONPATH"]
    return given


@pytest.mark.night
def test_the_wheel_is_installed_without_the_checkout_and_talks(installed: Path, tmp_path: Path) -> None:
    here = tmp_path / "elsewhere"
    here.mkdir()

    def dotagent_(*words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(installed / "dotagent"), *words],
            cwd=here, env=clean(tmp_path), input=stdin, capture_output=True, text=True, timeout=PATIENCE, check=False,
        )  # fmt: skip

    done = dotagent_("--version")
    assert done.stdout == f"dotagent {dotagent.__version__}\n"
    done = dotagent_("status")
    made = "create it with `dotagent agent`"
    assert done.stderr == f"dotagent: there is no dotagent data in {tmp_path}/.dotagent yet; {made}\n"
    done = dotagent_(stdin="remember that my seat is 14A")  # alone it talks
    said = re.search(r"created agent ([0-9a-f]{12}) in room dev; .*`kill (\d+)` stops it.* is in (\S+)\n", done.stderr)
    assert done.returncode == 0 and said, done
    try:
        assert Path(said[3]).is_file() and "talk   dotagent chat" in Path(said[3]).read_text()
        assert said[3].startswith(f"{tmp_path}/.dotagent/agents/{said[1]}")
        done = dotagent_("--home", "~/.dotagent", "chat", "-m", "which seat is mine?", "--wait", f"{PATIENCE:g}")
        assert done.returncode == 0 and "14A" in done.stdout, done
        assert f"{said[1]}  Assistant  running" in dotagent_("agents").stdout
        assert dotagent_("clean", "--yes").returncode == 2
        done = dotagent_("agent", "--help")
        assert done.stdout.startswith("usage: dotagent agent ") and "readme" not in dotagent_("help").stdout
    finally:
        end(int(said[2]))
    assert dotagent_("agent", said[1][:8], "--until-idle").returncode == 0
    assert dotagent_("chat", "-m", "hello").stderr.startswith(
        "dotagent: no agent is running in dev; start a new one: dotagent agent"
    )
    assert os.listdir(here) == []


@pytest.mark.night
def test_the_hint_for_a_missing_extra_fits_how_it_was_installed(installed: Path, tmp_path: Path) -> None:
    """Files of pipx and uv in the venv say which of them made it."""
    venv_, receipt = (
        installed.parent,
        "[tool]\nrequirements = [{ name = 'dotagent-assistant', directory = '/src/a b' }]",
    )
    asks = [str(installed / "python"), "-c", "from dotagent import packages; print(packages.bring('acp'))"]

    def hint() -> list[str]:
        done = subprocess.run(asks, env=clean(tmp_path), cwd=tmp_path, capture_output=True, text=True, check=True)
        return shlex.split(done.stdout)

    acp, *none = hint()[-1:]
    assert Requirement(acp).name == "agent-client-protocol" and not none
    assert hint() == [str(installed / "python"), "-m", "pip", "install", acp]
    (venv_ / "uv-receipt.toml").write_text(receipt)
    assert hint() == ["uv", "tool", "install", "--with", acp, "/src/a b"]
    (venv_ / "uv-receipt.toml").write_text(receipt[:-1] + ", { name = 'x', specifier = '>=1' }]")
    assert hint() == ["uv", "tool", "install", "--with", "x>=1", "--with", acp, "/src/a b"]
    (venv_ / "pipx_metadata.json").write_text("{}")
    assert hint() == ["pipx", "inject", venv_.name, acp]
