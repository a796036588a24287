"""Writing for a person what else they write with an editor: `dotagent.toml`, whose comments and order stay, and `.env`.

A change is checked by the code that reads the file, before it is made; then the file is replaced at once. Only commands
that change settings import this, and with it tomlkit. Owns the two files' next versions.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Iterator, MutableMapping, Sequence
from pathlib import Path
from typing import Any

import tomlkit

from dotagent import errors
from dotagent.errors import Misuse, Trouble
from dotagent.store import credentials, disk, home, setting
from dotagent.store.home import SETTINGS, Home, Settings

Check = Callable[[Settings], object]
"""What else has to hold of settings; it raises Misuse."""


def way_of(name: str) -> list[str]:
    """The tables and the key that a name leads through: `prices."gpt-4.1".input`. Raises Misuse for what is none."""
    try:
        found: Any = tomllib.loads(f"{name} = 0")
    except tomllib.TOMLDecodeError:
        found = {}
    way = list[str]()
    while isinstance(found, dict) and len(found) == 1:
        ((key, found),) = found.items()
        way.append(key)
    if found != 0 or not way:
        raise Misuse(f'{name[:100]!r} names no setting: say e.g. model, budget.dollars_a_day or prices."gpt-4.1".input')
    return way


def meanings(text: str) -> Iterator[object]:
    """What a word on the command line may be: a value of TOML, a text, a list of texts; the first that fits counts."""
    try:
        found = tomllib.loads(f"value = {text}")
    except tomllib.TOMLDecodeError:
        found = {}
    if list(found) == ["value"]:
        yield found["value"]
    yield text
    yield [one.strip() for one in text.split(",") if one.strip()]


def change(where: Home, name: str, values: Sequence[object], check: Check) -> object:
    """Set the setting to the first of these values that can be one, and return that; without any, unset it. Raises
    Misuse with what is wrong with the first."""
    way = way_of(name)
    if len(way) > 1 and re.search(r"(?:^|_)(?:api_?key|token|secret|passw(?:or)?d)$", way[-1], re.I) and values:
        raise Misuse(
            f"{name} would be a secret, which settings never hold: `config set NAME_OF_ITS_VARIABLE`, into .env"
        )
    wrong: Misuse | None = None
    with disk.locked_dir(where.root):
        path, raw = _now(where.root / SETTINGS)
        for value in values or (None,):
            try:
                text = _changed(raw, way, value, path)
                check(home.parsed(where, text))
            except Misuse as refused:
                wrong = wrong or refused
                continue
            disk.replace(path, text, keep=True)
            return value
    assert wrong
    raise wrong


def _now(path: Path) -> tuple[Path, bytes]:
    """The file itself, where a link leads to it, and what stands there. Raises Misuse."""
    real = Path(os.path.realpath(path))
    try:
        return real, disk.read(real, missing=b"")
    except OSError as error:
        raise Misuse(errors.line(error)) from None


def _changed(raw: bytes, way: Sequence[str], value: object, path: Path) -> bytes:
    """The file with that one setting changed, and nothing else. Raises Misuse and Trouble."""
    try:
        document = tomlkit.parse(raw)
        wanted = tomllib.loads(raw.decode())
    except (ValueError, tomlkit.exceptions.ParseError) as error:
        raise Misuse(f"{path}: {error}: mend it by hand first") from None
    if value is None:
        _unset(document, way)
        _unset(wanted, way)
    else:
        _set(document, way, value)
        setting.put(wanted, way, value)
    text = tomlkit.dumps(document)
    if tomllib.loads(text) != wanted:
        raise Trouble(f"{path} is so written that {'.'.join(way)} cannot be changed by itself: edit it by hand")
    return text.encode()


def _set(document: tomlkit.TOMLDocument, way: Sequence[str], value: object) -> None:
    table: Any = document
    for depth, name in enumerate(way[:-1]):
        if name not in table:
            table[name] = tomlkit.table(is_super_table=depth < len(way) - 2)
        table = table[name]
        if not isinstance(table, MutableMapping):
            raise Misuse(f"{'.'.join(way[: depth + 1])} is a value, not a table")
    table[way[-1]] = value


def _unset(document: MutableMapping[str, Any], way: Sequence[str]) -> None:
    table: Any = document
    for name in way[:-1]:
        table = table.get(name) if isinstance(table, MutableMapping) else None
    if not isinstance(table, MutableMapping) or way[-1] not in table:
        raise Misuse(f"{'.'.join(way)} is not set in {SETTINGS}")
    del table[way[-1]]


def secret(where: Home, name: str, value: str) -> None:
    """Keep the variable in the home's .env, which only its owner may read; "" takes it out. Raises Misuse."""
    if "\n" in value or "\r" in value or "\0" in value:
        raise Misuse(f"{name}: a value is one line")
    with disk.locked_dir(where.root):
        known = credentials.env_file(where)  # it says what is wrong with the file
        path, raw = _now(where.root / ".env")
        mine = re.compile(rf"\s*(?:export\s+)?{name}\s*=".encode())
        lines = [line for line in raw.split(b"\n") if not mine.match(line)]
        while lines and not lines[-1].strip():
            lines.pop()
        text = b"\n".join([*lines, *([f"{name}={value}".encode()] if value else []), b""])
        said = credentials.variables(path, text)
        if said != {key: one for key, one in {**known, name: value}.items() if one or key != name}:
            raise Misuse(f"{name}: this value cannot stand in .env as it is: is it a key?")
        disk.replace(path, text, mode=0o600)
