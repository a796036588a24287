"""What a tool pack says of itself: `pack.toml`, and what is wrong with one.

Which of its tools have effects stands here, in its person's hands: what a server says of that itself is no proof. A
tool that is not named as one that only reads has effects. Pure but for reading the file; owns nothing on disk.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from dotagent import errors
from dotagent.errors import Misuse
from dotagent.store import disk, setting
from dotagent.text import near, schedule
from dotagent.text.near import Rule

TIMEOUT, LONGEST = "30s", 600.0  # that a call may take unless its manifest says otherwise; seconds: at most
MOST = 1 << 20  # bytes of a manifest
TOOL = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./-]{0,127}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_USED = re.compile(r"\$\{([^}]*)\}")


@dataclass(frozen=True)
class Command:
    """A tool of a pack of commands: its words, in which `{name}` stands for an argument, or a shell's line."""

    run: tuple[str, ...]
    about: str
    schema: Mapping[str, Any]


@dataclass(frozen=True)
class Manifest:
    """What a pack is, each field under its name in the file."""

    kind: str
    """`command`, `mcp` or `openapi`: the table that stands in it."""
    about: str = ""
    reads: tuple[str, ...] = ()
    """The tools that only read (`*` in a name stands for anything): all others have effects."""
    tools: tuple[str, ...] = ("*",)
    """The tools that it offers of those that it has."""
    env: tuple[str, ...] = ()
    """The variables of the home's .env that its process gets."""
    hosts: tuple[str, ...] = ()
    network: bool = False
    roots: bool = False
    """Whether its process sees the roots of the life that calls."""
    readable: tuple[str, ...] = ()
    """Folders beside its own that its process may read."""
    timeout: float = 30.0
    run: tuple[str, ...] = ()
    """Of an MCP server: its words."""
    url: str = ""
    """Of an MCP server that runs elsewhere, or of an HTTP interface: its address."""
    document: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    commands: Mapping[str, Command] = field(default_factory=dict)

    @property
    def remote(self) -> bool:
        """Whether its tools' words come from a host elsewhere."""
        return bool(self.url) or self.kind == "openapi"

    def only_reads(self, tool: str) -> bool:
        """Whether the tool has no effects."""
        return any(fnmatchcase(tool, one) for one in self.reads)

    def offers(self, tool: str) -> bool:
        """Whether the tool is one that agents may have."""
        return any(fnmatchcase(tool, one) for one in self.tools)


def _texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) and one and "\0" not in one for one in value)


def _table(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(one, str) and "\n" not in one for one in value.values())


def _text(value: object) -> bool:
    return isinstance(value, str) and "\0" not in value


_TEXTS = 'must be a list of texts, as ["…"]'
COMMON: Mapping[str, Rule] = {
    "about": (_text, "must be a text: what the pack is for"),
    "reads": (_texts, 'must be a list of its tools that only read, as ["get_*"]: all others have effects'),
    "tools": (_texts, "must be a list of the tools that it offers"),
    "env": (
        lambda value: _texts(value) and all(map(_VARIABLE.fullmatch, value)),
        'must be a list of the variables of .env that it needs, as ["WEATHER_KEY"]',
    ),
    "hosts": (
        lambda value: _texts(value) and all(map(setting.HOST.fullmatch, value)),
        'must be hosts, as ["api.example.org"]',
    ),
    "network": near.TRUTH,
    "roots": near.TRUTH,
    "readable": (
        lambda value: _texts(value) and all(one.startswith("/") for one in value),
        'must be a list of folders, as ["/opt/tool"]',
    ),
    "timeout": (lambda value: schedule.is_span(value, LONGEST), 'must be a time of at most ten minutes, as "30s"'),
}
KINDS: Mapping[str, Mapping[str, Rule]] = {
    "command": {},  # a table a tool
    "mcp": {
        "run": (lambda value: _texts(value) and bool(value), 'must be its words, as ["mcp-server-time"]'),
        "url": (lambda value: _text(value) and value.startswith(("http://", "https://")), "must be an http(s) address"),
        "headers": (_table, 'must be a table of texts, as {Authorization = "Bearer ${TOKEN}"}'),
    },
    "openapi": {
        "document": (lambda value: _text(value) and bool(value), "must be a file of the pack, .json or .yaml"),
        "url": (lambda value: _text(value) and value.startswith(("http://", "https://")), "must be an http(s) address"),
        "headers": (_table, 'must be a table of texts, as {Authorization = "Bearer ${TOKEN}"}'),
        "query": (_table, 'must be a table of texts, as {key = "${KEY}"}'),
    },
}
_COMMAND: Mapping[str, Rule] = {
    "run": (
        lambda value: (_texts(value) and bool(value)) or (_text(value) and bool(value.strip())),
        'must be its words, as ["{python}", "{pack}/tool.py", "{city}"], or a shell\'s line',
    ),
    "about": (_text, "must be a text: what the tool is for"),
    "input": (lambda value: isinstance(value, dict), "must be a JSON schema of its arguments, as a table"),
}


def read(path: Path) -> Manifest:
    """What the file says. Raises Misuse that names the place of a mistake."""
    try:
        return parsed(str(path), disk.read(path, MOST))
    except OSError as error:
        raise Misuse(errors.line(error)) from None


def parsed(place: str, raw: bytes) -> Manifest:
    """What these bytes say as a manifest. Raises Misuse."""
    try:
        given = tomllib.loads(raw.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Misuse(f"{place}: {error}") from None
    kinds = [name for name in KINDS if name in given]
    if len(kinds) != 1 or not isinstance(given[kinds[0]], dict):
        raise Misuse(f"{place}: it needs one table of {', '.join(f'[{name}]' for name in KINDS)}")
    kind = kinds[0]
    own, more = given.pop(kind), dict[str, Any]()
    _check(place, given, COMMON)
    if kind == "command":
        more["commands"] = {name: _command(place, name, table) for name, table in own.items()}
        if not more["commands"]:
            raise Misuse(f'{place}: it has no tool: [command.<name>] with run = ["…"]')
    else:
        _check(f"{place}: [{kind}]", own, KINDS[kind])
        if kind == "mcp" and ("run" in own) == ("url" in own):
            raise Misuse(f"{place}: [mcp] needs run, a server to start, or url, one that runs elsewhere")
        if kind == "openapi" and "document" not in own:
            raise Misuse(f"{place}: [openapi] needs document, a file of the pack")
    found = {name: tuple(one) if isinstance(one, list) else one for name, one in {**given, **own}.items()}
    found = {name: one for name, one in found.items() if kind != "command" or name in given}
    made = Manifest(kind, **{**found, **more, "timeout": schedule.span(str(given.get("timeout", TIMEOUT)))})
    used = {name for table in (made.headers, made.query) for one in table.values() for name in _USED.findall(one)}
    if odd := sorted(used - set(made.env)):
        raise Misuse(f"{place}: ${{{odd[0]}}} is used and not named: env = [{odd[0]!r}]")
    return made


def filled(text: str, values: Mapping[str, str]) -> str:
    """The text with `${NAME}` as what the variable holds."""
    return _USED.sub(lambda found: values.get(found[1], ""), text)


def _command(place: str, name: str, table: object) -> Command:
    here = f"{place}: [command.{name}]"
    if not TOOL.fullmatch(name) or not isinstance(table, dict):
        raise Misuse(f"{here} must be a table, and a name a-z, A-Z, 0-9, _, - and .")
    _check(here, table, _COMMAND)
    if "run" not in table:
        raise Misuse(f"{here} needs run: its words")
    run, schema = table["run"], table.get("input", {})
    words = ("sh", "-c", run) if isinstance(run, str) else tuple(run)
    return Command(words, table.get("about", ""), {"type": "object", **schema})


def _check(place: str, given: Mapping[str, Any], rules: Mapping[str, Rule]) -> None:
    if wrong := near.flaw(given, rules, "it has no"):
        raise Misuse(f"{place}: {wrong}")
