"""What starts `up` on a machine: the systemd unit is valid, and the container's files name what there is."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from support import ROOT

from dotagent import commands

DEPLOY = ROOT / "deploy"


def verify(unit: Path) -> subprocess.CompletedProcess[str]:
    words = ["systemd-analyze", "--user", "--man=no", "verify", str(unit)]
    env = {**os.environ, "XDG_RUNTIME_DIR": str(unit.parent)}  # else it looks for a session
    return subprocess.run(words, env=env, capture_output=True, text=True, check=False)


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd-analyze is not installed")
def test_systemd_finds_no_fault_with_the_unit(tmp_path: Path) -> None:
    text = (DEPLOY / "dotagent.service").read_text("utf-8")
    assert "ExecStart=%h/.local/bin/dotagent up\n" in text and "Restart=always\n" in text
    there = tmp_path / "dotagent.service"
    there.write_text(text.replace("%h/.local/bin/dotagent", sys.executable).replace("man:dotagent(1)", "man:true(1)"))
    done = verify(there)
    told = [line for line in done.stderr.split("\n") if "dotagent.service" in line]
    assert (done.returncode, told) == (0, []), done.stderr
    there.write_text(
        text.replace("%h/.local/bin/dotagent", sys.executable).replace("Restart=always", "Restart=perhaps")
    )
    done = verify(there)
    assert "perhaps" in done.stderr  # it does look


def test_the_image_is_debian_slim_nobodys_root_with_one_volume() -> None:
    text = (DEPLOY / "Dockerfile").read_text("utf-8")
    assert re.search(r"^FROM python:3\.\d+-slim-\w+$", text, re.MULTILINE)
    assert text.index("\nUSER agent\n") < text.index("\nENTRYPOINT") and text.count("\nVOLUME ") == 1
    volume = re.search(r"^VOLUME (\S+)$", text, re.MULTILINE)
    assert volume and service()["volumes"] == [f"home:{volume[1]}"]
    left = (ROOT / ".dockerignore").read_text("utf-8").split("\n")
    assert {".env", "dotagent.toml", "agents", "blobs", "chats"} <= set(left)  # no home comes into an image


COMPOSE = """
docker compose --profile gateway up -d dotagent-gateway
docker compose ps dotagent-gateway
docker compose logs -f dotagent-gateway
docker compose restart dotagent-gateway
docker compose stop dotagent-gateway
docker compose start dotagent-gateway
"""
"""What people of DotAgent type in the root of the checkout."""


def composed(path: Path) -> dict[str, Any]:
    """Return the services and volumes of a file that `docker compose` reads, and of the files that it includes."""
    made: dict[str, Any] = yaml.safe_load(path.read_text("utf-8"))
    found: dict[str, Any] = {"services": {}, "volumes": made.get("volumes", {})}
    for one in made.get("services", {}).values():
        one["build"] = {**one["build"], "context": str((path.parent / one["build"]["context"]).resolve())}
    for other in made.get("include", []):
        for kind, things in composed(path.parent / other).items():
            found[kind] |= things
    found["services"] |= made.get("services", {})
    return found


def service() -> dict[str, Any]:
    """The one service."""
    (one,) = composed(ROOT / "compose.yaml")["services"].values()
    assert isinstance(one, dict)
    return one


def test_the_compose_file_knows_what_people_of_dotagent_type() -> None:
    made = composed(ROOT / "compose.yaml")
    for line in COMPOSE.strip().split("\n"):
        words = line.split()[2:]
        profiles = {words[at + 1] for at, word in enumerate(words) if word == "--profile"}
        assert words[-1] in made["services"], line
        assert profiles <= set(made["services"][words[-1]]["profiles"]), line
    one = service()
    assert one["build"] == {"context": str(ROOT), "dockerfile": "deploy/Dockerfile"}
    assert (ROOT / one["build"]["dockerfile"]).is_file()
    assert [name.partition(":")[0] for name in one["volumes"]] == list(made["volumes"])
    page = (ROOT / "docs" / "host.md").read_text("utf-8")
    assert COMPOSE.strip().split("\n")[0] in page


def test_the_image_runs_commands_that_there_are_and_has_every_extra() -> None:
    text = (DEPLOY / "Dockerfile").read_text("utf-8")
    entry, usual = (yaml.safe_load(words) for words in re.findall(r"^(?:ENTRYPOINT|CMD) (.*)$", text, re.MULTILINE))
    assert entry == ["dotagent"]
    for first, *words in (usual, service()["command"]):
        commands.parser(first).parse_args(words)
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    installed = re.search(r"pip install .*'/src\[([\w,]+)\]'", text)
    assert installed and installed[1] == "all"
    every = re.fullmatch(r"[\w-]+\[([\w,]+)\]", extras["all"][0])
    assert every and set(every[1].split(",")) == set(extras) - {"all", "dev"}
