"""Packs that tests install: folders with a manifest, and what is in them."""

from __future__ import annotations

from pathlib import Path

from dotagent.capabilities.toolpacks import packs
from dotagent.capabilities.toolpacks.commands import toolpacks
from dotagent.capabilities.toolpacks.packs import Pack
from dotagent.store.home import Home

WEATHER = """
about = "Weather, for tests"
reads = ["forecast"]
env = ["WEATHER_KEY"]
timeout = "60s"

[command.forecast]
about = "The weather of a city"
run = ["{python}", "{pack}/tool.py", "{city}"]
[command.forecast.input]
required = ["city"]
additionalProperties = false
properties.city = {type = "string", pattern = "^[A-Z][a-z]+$"}
properties.days = {type = "integer", maximum = 7}

[command.send]
about = "Send word of it to somebody"
run = "cat >> sent; echo sent"
input = {properties = {to = {type = "string"}}, required = ["to"]}

[command.hang]
run = "sleep 600 & sleep 600"

[command.die]
run = 'kill -9 $PPID; sleep 600'

[command.flood]
run = "yes"

[command.fail]
run = "echo half; echo why >&2; exit 3"

[command.look]
run = 'cat "$HOME"/../../../../../*/.env /etc/shadow 2>&1; ls / > /dev/null; env; touch "$PWD/mine" && echo written'
"""
TOOL = """
import json, os, sys
asked = json.load(sys.stdin)
print(f"sunny in {sys.argv[1]}, {asked.get('days', 1)} days, by {os.environ['WEATHER_KEY']}")
"""


def folder(at: Path, manifest: str = WEATHER, **more: str) -> Path:
    """A pack's folder with this manifest and these files."""
    at.mkdir(parents=True)
    (at / "pack.toml").write_text(manifest)
    for name, text in more.items():
        (at / name.replace("__", ".")).write_text(text)
    return at


def enabled(where: Home, at: Path) -> Pack:
    """The pack of this folder, installed and enabled."""
    (where.root / ".env").write_text("WEATHER_KEY=hush\nOTHER_KEY=never\n")
    (where.root / ".env").chmod(0o600)
    one = packs.install(where, at.name, packs.files(at))
    return packs.enable(where, one, toolpacks.learnt(where, one.id)[0])
