"""What starts `up` on a machine: the systemd unit is one, and the container's files name what there is."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support import ROOT

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
    compose = (DEPLOY / "compose.yaml").read_text("utf-8")
    volume = re.search(r"^VOLUME (\S+)$", text, re.MULTILINE)
    assert volume and f"home:{volume[1]}\n" in compose and "dockerfile: deploy/Dockerfile\n" in compose
    left = (ROOT / ".dockerignore").read_text("utf-8").split("\n")
    assert {".env", "dotagent.toml", "agents", "blobs", "chats"} <= set(left)  # no home comes into an image
