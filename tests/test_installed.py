"""The program as pip installs it, and what is said where it cannot run: a Python too old, a package that is missing."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import venv
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import ROOT, end, environment

import dotagent
from dotagent.store.home import PROMPTS

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
STARTS = (("agent.py",), ("chat.py",), ("clean.py",), ("-m", "dotagent", "status"))


def parts() -> dict[str, list[str]]:
    """The parts of requirements.txt, by the extra that their comment names; the first is ""."""
    found: dict[str, list[str]] = {}
    for part in (ROOT / "requirements.txt").read_text("utf-8").strip().split("\n\n"):
        comment, *lines = part.split("\n")
        extra = re.match(r"# \[(\w+)\]", comment)
        found[extra[1] if extra else ""] = [line.replace('"', "'") for line in lines]
    return found


# --- what is needed


def test_requirements_and_pyproject_say_the_same() -> None:
    """But for what not every machine can install: `.ci/real` tries that."""
    project = PROJECT["project"]
    extras = {name: lines for name, lines in project["optional-dependencies"].items() if name != "meaning"}
    assert parts() == {"": project["dependencies"], **extras}


def test_each_package_that_is_needed_is_looked_for() -> None:
    names = [re.split(r"[\[><=;]", line)[0].replace("-", "_") for line in parts()[""]]
    assert list(dotagent.NEEDS) == names


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


@pytest.mark.slow
@pytest.mark.parametrize("words", STARTS, ids=" ".join)
def test_a_python_that_is_too_old_is_one_line(words: tuple[str, ...]) -> None:
    if not (pythons := too_old()):
        pytest.skip("there is no Python older than 3.11 here")
    for python in pythons:
        done = subprocess.run([python, *words], cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 2 and done.stdout == ""
        assert re.fullmatch(r"dotagent: Python 3\.11 or newer is needed, and \S+ is 3\.\d+: [^\n]+\n", done.stderr)


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


@pytest.mark.slow
def test_the_wheel_is_installed_without_the_checkout_and_talks(installed: Path, tmp_path: Path) -> None:
    here = tmp_path / "elsewhere"
    here.mkdir()

    def dotagent_(*words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(installed / "dotagent"), *words],
            cwd=here, env=clean(tmp_path), input=stdin, capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip

    done = dotagent_("--version")
    assert done.stdout == f"dotagent {dotagent.__version__}\n"
    done = dotagent_("status")
    assert done.stderr == f"dotagent: no home at {tmp_path}/.dotagent yet: `dotagent agent` makes one\n"
    done = dotagent_(stdin="remember that my seat is 14A")  # alone it talks
    said = re.search(r"([0-9a-f]{12}) is born in dev .*`kill (\d+)` ends it.* goes to (\S+)\n", done.stderr)
    assert done.returncode == 0 and said, done
    try:
        assert Path(said[3]).is_file() and "talk   dotagent chat" in Path(said[3]).read_text()
        assert said[3].startswith(f"{tmp_path}/.dotagent/agents/{said[1]}")
        done = dotagent_("--home", "~/.dotagent", "chat", "-m", "which seat is mine?", "--wait", "20")
        assert done.returncode == 0 and "14A" in done.stdout, done
        assert f"{said[1]}  Assistant  runs" in dotagent_("agents").stdout
        assert dotagent_("clean", "--yes").returncode == 2
        done = dotagent_("agent", "--help")
        assert done.stdout.startswith("usage: dotagent agent ") and "readme" not in dotagent_("help").stdout
    finally:
        end(int(said[2]))
    assert dotagent_("agent", said[1][:8], "--until-idle").returncode == 0
    assert dotagent_("chat", "-m", "hello").stderr.startswith(
        "dotagent: nobody is in dev: start one with dotagent agent"
    )
    assert os.listdir(here) == []
