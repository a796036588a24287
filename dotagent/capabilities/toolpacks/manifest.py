"""The manifest of a tool pack, `pack.toml`, and its validation.

The owner declares here which tools only read; a server's own claim proves nothing. All other tools have effects. Pure
except for reading the file; owns nothing on disk.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from dotagent import errors
from dotagent.errors import Misuse
from dotagent.store import disk, setting, setting_rules
from dotagent.store.setting import Rule
from dotagent.text import encoding, schedule
from dotagent.text.encoding import NotText
from dotagent.text.lazy import dataclass, field

TIMEOUT, LONGEST = "30s", 600.0  # default and longest duration of a call, the latter in seconds
MOST = 1 << 20  # bytes of a manifest
TOOL = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./-]{0,127}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_USED = re.compile(r"\$\{([^}]*)\}")


@dataclass(frozen=True)
class Command:
    """A tool in a pack of commands: its argument list, in which `{name}` is an argument, or a shell command line."""

    run: tuple[str, ...]
    about: str
    schema: Mapping[str, Any]


@dataclass(frozen=True)
class Manifest:
    """A pack's manifest. Each field has its name in the file."""

    kind: str
    """`command`, `mcp` or `openapi`, the name of the table in the file."""
    about: str = ""
    reads: tuple[str, ...] = ()
    """Tools that only read, as patterns with `*`. All others have effects."""
    tools: tuple[str, ...] = ("*",)
    """The tools that agents may use, as patterns."""
    env: tuple[str, ...] = ()
    """The variables of the home's .env that its process gets."""
    hosts: tuple[str, ...] = ()
    network: bool = False
    roots: bool = False
    """Whether its process can read the roots of the calling agent."""
    readable: tuple[str, ...] = ()
    """Other folders that its process may read."""
    timeout: float = 30.0
    run: tuple[str, ...] = ()
    """The command line of an MCP server."""
    url: str = ""
    """The address of a remote MCP server or an HTTP interface."""
    document: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    commands: Mapping[str, Command] = field(default_factory=dict)

    @property
    def remote(self) -> bool:
        """Return True if the pack's tool descriptions come from a remote host."""
        return bool(self.url) or self.kind == "openapi"

    def only_reads(self, tool: str) -> bool:
        """Return True if the tool has no effects."""
        return any(fnmatchcase(tool, one) for one in self.reads)

    def offers(self, tool: str) -> bool:
        """Return True if agents may use the tool."""
        return any(fnmatchcase(tool, one) for one in self.tools)


def _texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) and one and "\0" not in one for one in value)


def _table(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(one, str) and "\n" not in one for one in value.values())


def _text(value: object) -> bool:
    return isinstance(value, str) and "\0" not in value


COMMON: Mapping[str, Rule] = {
    "about": (_text, "must be a text: the purpose of the tool pack"),
    "reads": (
        _texts,
        'must be a list of the tools that change nothing, such as ["get_*"]; all other tools may change something',
    ),
    "tools": (_texts, "must be a list of the tools that the tool pack offers"),
    "env": (
        lambda value: _texts(value) and all(map(_VARIABLE.fullmatch, value)),
        'must be a list of the variables of .env that the tool pack needs, such as ["WEATHER_KEY"]',
    ),
    "hosts": (
        lambda value: _texts(value) and all(map(setting_rules.HOST.fullmatch, value)),
        'must be a list of hosts, such as ["api.example.org"]',
    ),
    "network": setting.TRUTH,
    "roots": setting.TRUTH,
    "readable": (
        lambda value: _texts(value) and all(one.startswith("/") for one in value),
        'must be a list of folders, such as ["/opt/tool"]',
    ),
    "timeout": (lambda value: schedule.is_span(value, LONGEST), 'must be a time of at most ten minutes, such as "30s"'),
}
KINDS: Mapping[str, Mapping[str, Rule]] = {
    "command": {},  # one table for each tool
    "mcp": {
        "run": (
            lambda value: _texts(value) and bool(value),
            'must be the command of the server, such as ["mcp-server-time"]',
        ),
        "url": (lambda value: _text(value) and value.startswith(("http://", "https://")), "must be an http(s) address"),
        "headers": (_table, 'must be a table of texts, such as {Authorization = "Bearer ${TOKEN}"}'),
    },
    "openapi": {
        "document": (lambda value: _text(value) and bool(value), "must be a file of the tool pack, .json or .yaml"),
        "url": (lambda value: _text(value) and value.startswith(("http://", "https://")), "must be an http(s) address"),
        "headers": (_table, 'must be a table of texts, such as {Authorization = "Bearer ${TOKEN}"}'),
        "query": (_table, 'must be a table of texts, such as {key = "${KEY}"}'),
    },
}
_COMMAND: Mapping[str, Rule] = {
    "run": (
        lambda value: (_texts(value) and bool(value)) or (_text(value) and bool(value.strip())),
        'must be the command of the tool, such as ["{python}", "{pack}/tool.py", "{city}"], or one shell command',
    ),
    "about": (_text, "must be a text: the purpose of the tool"),
    "input": (lambda value: isinstance(value, dict), "must be a JSON schema of the tool's arguments, as a table"),
}


def read(path: Path) -> Manifest:
    """Read a manifest. Raises Misuse with the place of the mistake."""
    try:
        return parsed(str(path), disk.read(path, MOST))
    except OSError as error:
        raise Misuse(errors.line(error)) from None


def parsed(place: str, raw: bytes) -> Manifest:
    """Parse these bytes as a manifest. Raises Misuse."""
    try:
        given = tomllib.loads(encoding.decode(raw)[0])
    except (tomllib.TOMLDecodeError, NotText, RecursionError) as error:
        raise Misuse(f"{place}: {error}") from None
    kinds = [name for name in KINDS if name in given]
    if len(kinds) != 1 or not isinstance(given[kinds[0]], dict):
        there = ", ".join(f"[{name}]" for name in KINDS)
        raise Misuse(f"{place}: this file must contain exactly one of the tables {there}")
    kind = kinds[0]
    own, more = given.pop(kind), dict[str, Any]()
    _check(place, given, COMMON)
    if kind == "command":
        more["commands"] = {name: _command(place, name, table) for name, table in own.items()}
        if not more["commands"]:
            raise Misuse(f'{place}: the tool pack has no tool; add a table [command.<name>] with run = ["…"]')
    else:
        _check(f"{place}: [{kind}]", own, KINDS[kind])
        if kind == "mcp" and ("run" in own) == ("url" in own):
            raise Misuse(
                f"{place}: [mcp] needs either run (the command of a server) or url (the address of a running server)"
            )
        if kind == "openapi" and "document" not in own:
            raise Misuse(f'{place}: [openapi] must name a file of the tool pack, such as document = "api.json"')
    found = {name: tuple(one) if isinstance(one, list) else one for name, one in {**given, **own}.items()}
    found = {name: one for name, one in found.items() if kind != "command" or name in given}
    made = Manifest(kind, **{**found, **more, "timeout": schedule.span(str(given.get("timeout", TIMEOUT)))})
    used = {name for table in (made.headers, made.query) for one in table.values() for name in _USED.findall(one)}
    if odd := sorted(used - set(made.env)):
        raise Misuse(f"{place}: the tool pack uses ${{{odd[0]}}}, but env does not list it; add env = [{odd[0]!r}]")
    return made


def fill_variables(text: str, values: Mapping[str, str]) -> str:
    """Replace each `${NAME}` by the variable's value."""
    return _USED.sub(lambda found: values.get(found[1], ""), text)


def _command(place: str, name: str, table: object) -> Command:
    here = f"{place}: [command.{name}]"
    if not TOOL.fullmatch(name) or not isinstance(table, dict):
        raise Misuse(f"{here} must be a table whose name has only a-z, A-Z, 0-9, _, - and .")
    _check(here, table, _COMMAND)
    if "run" not in table:
        raise Misuse(f'{here} has no `run`; add its command as a list of words, such as run = ["python", "tool.py"]')
    run, schema = table["run"], table.get("input", {})
    words = ("sh", "-c", run) if isinstance(run, str) else tuple(run)
    return Command(words, table.get("about", ""), {"type": "object", **schema})


def _check(place: str, given: Mapping[str, Any], rules: Mapping[str, Rule]) -> None:
    if wrong := setting.flaw(given, rules, "it has no"):
        raise Misuse(f"{place}: {wrong}")
