"""Import the settings of Moltbot (OpenClaw) or DotAgent, a JSON or JSON5 file, where dotagent has an equivalent.

Each value passes the same checks as one set by a person, and existing settings stay. Owns nothing on disk;
store/settings_edit.py writes the files.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

from dotagent import errors
from dotagent.errors import Misuse, Trouble
from dotagent.store import aliases, credentials, disk, settings_edit
from dotagent.store.home import SETTINGS, Home
from dotagent.text import encoding, escape
from dotagent.text.encoding import NotText

NAMES = ("config.json", "openclaw.json", "moltbot.json", "clawdbot.json")
WORKSPACE = "workspace"  # such a file is next to this folder
LARGEST = 1 << 20  # bytes
_FILLED = re.compile(r"\$\{\w+\}")
_ESCAPE, _SAME = re.compile(r'\\(x[0-9A-Fa-f]{2}|\r\n|.)|"', re.DOTALL), '"\\/bfnrtu'
_CODES = {"\n": "", "\r": "", "\r\n": "", "\u2028": "", "\u2029": "", "0": "\\u0000", "v": "\\u000b"}
_COMMENT = r"//[^\n]*|/\*(?:[^*]|\*(?!/))*\*/"
_TOKEN = re.compile(
    r"""(?P<text>"(?:\\.|[^"\\])*") | '(?P<single>(?:\\.|[^'\\])*)'"""
    rf"""| (?P<gap>{_COMMENT}|[^\S \t\r\n]|\+(?=[IN]))"""
    rf"""| (?P<key>(?:[^\W\d]|\$|\\u[\da-fA-F]{{4}})(?:[\w$\u200c\u200d]|\\u[\da-fA-F]{{4}})*)(?=(?:\s|{_COMMENT})*:)"""
    r"""| (?<![\w.$])(?P<number>[+-]?(?:0[xX][0-9A-Fa-f]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?))(?![\w.$])"""
    rf"""| ,(?P<last>)(?=(?:\s|{_COMMENT})*[}}\]])""",
    re.VERBOSE | re.DOTALL,
)


def find_beside(root: Path) -> Path | None:
    """Return the settings file next to a folder `workspace`, or None."""
    found = (root.parent / name for name in NAMES if root.name == WORKSPACE)
    return next((path for path in found if path.is_file()), None)


def read(path: Path) -> dict[str, object]:
    """Return the settings of the file. Raises Misuse."""
    try:
        text, _ = encoding.decode(disk.read(path, LARGEST, follow=True))
        found = json.loads(_TOKEN.sub(_json, text), strict=False)
    except OSError as error:
        raise Misuse(errors.line(error)) from None
    except (NotText, ValueError, RecursionError) as error:
        raise Misuse(f"{path} is not a file of settings in JSON: {escape.one_line(str(error), 200)}") from None
    if not isinstance(found, dict):
        raise Misuse(f"{path} is not a file of settings in JSON, because it contains no table")
    return found


def _json(token: re.Match[str]) -> str:
    """Convert a JSON5 token to JSON."""
    if token["gap"]:
        return " "
    if token["key"]:
        return f'"{token["key"]}"'
    if number := token["number"]:
        digits = number.removeprefix("+").lower()
        return str(int(digits, 16)) if "x" in digits else repr(float(digits)) if "." in digits else digits
    if token["last"] is not None:  # a comma behind the last value
        return ""
    words = token["text"][1:-1] if token["single"] is None else token["single"]
    return f'"{re.sub(_ESCAPE, _escape, words)}"'


def _escape(mark: re.Match[str]) -> str:
    """Return a quote or an escape of JSON5 as JSON has it; a backslash before a line's end joins the lines."""
    if mark[1] in _CODES:
        return _CODES[mark[1]]
    if mark[1] and len(mark[1]) == 3:
        return f"\\u00{mark[1][1:]}"
    return mark[0] if mark[1] and mark[1] in _SAME else (mark[1] or '\\"')


def take(where: Home, told: Mapping[str, object], check: settings_edit.Check) -> Iterator[tuple[str, str]]:
    """Import each setting, and yield its name here and the result."""
    held, own = credentials.env_file(where), _read_own(where)
    off = tuple(f"{name}." for name, value in _leaves(told) if value is False and name.endswith(".enabled"))
    off = tuple(name.removesuffix("enabled.") for name in off)
    for name, value in _leaves(told):
        if value in ("", None, [], {}):
            continue
        here = aliases.own_name(name)
        try:
            if off and name.startswith(off):
                what = "not imported, because it is switched off in the other program"
            elif isinstance(value, str) and _FILLED.search(value):
                what = "not imported: the value is in an environment variable; set it with `config set`"
            elif secret := settings_edit.find_variable(where, here):
                what = _secret(where, secret, str(value), held)
            else:
                settings_edit.require_known(here)
                what = _setting(where, here, value, own, held, check)
        except (Misuse, Trouble) as wrong:
            why = str(wrong) if here != name else aliases.instead(name) or "dotagent has no such setting"
            what = f"not imported: {why}"
        yield name, what


def _secret(where: Home, name: str, value: str, held: Mapping[str, str]) -> str:
    if name in held or name in os.environ:
        return f"not imported: {name} is already set"
    settings_edit.secret(where, name, value.strip())
    return f"is now {name} in .env"


def _setting(
    where: Home,
    name: str,
    value: object,
    own: Mapping[str, object],
    held: Mapping[str, str],
    check: settings_edit.Check,
) -> str:
    way, there = settings_edit.way_of(name), own
    for key in way:
        found = there.get(key) if isinstance(there, Mapping) else None
        if found is None:
            break
        there = found  # type: ignore[assignment]  # a value ends the loop at its last key
    else:
        return f"not imported: {SETTINGS} has its own {name}"
    if way[0] == "providers" and way[-1] == "base" and credentials.has_credentials(way[1], {**held, **os.environ}):
        return "not imported: your API key would be sent to another address; to allow this, use `config set`"
    if way[-1] == "users" and isinstance(value, list):
        value = [f"id:{one}" if str(one).isdecimal() else str(one) for one in value]
    settings_edit.change(where, name, [value], check)
    return f"is {name} in {SETTINGS}"


def _read_own(where: Home) -> dict[str, object]:
    """Return the settings in this home's own file."""
    try:
        text, _ = encoding.decode(disk.read(where.root / SETTINGS, missing=b""))
        return tomllib.loads(text)
    except (NotText, tomllib.TOMLDecodeError) as error:
        raise Misuse(f"{where.root / SETTINGS}: {error}; correct the file or move it away") from None


def _leaves(told: Mapping[str, object], above: str = "") -> Iterator[tuple[str, object]]:
    """Yield each value with its full name."""
    for key, value in told.items():
        name = f"{above}{key if re.fullmatch('[A-Za-z0-9_-]+', key) else escape.dumps(key)}"
        if isinstance(value, dict):
            yield from _leaves(value, f"{name}.")
        else:
            yield name, value
