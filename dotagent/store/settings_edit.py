"""Edit `dotagent.toml`, with its comments and order, and `.env` for a person.

The code that reads a file checks each change before it is saved; then the file is replaced atomically. Only commands
that change settings import this module and tomlkit. Owns no other file.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Iterator, MutableMapping, Sequence
from pathlib import Path
from typing import Any

import tomlkit

from dotagent import errors, extensions
from dotagent.errors import Misuse, Trouble
from dotagent.store import aliases, credentials, disk, home, options, setting_rules
from dotagent.store.home import SETTINGS, Home, Settings
from dotagent.text import encoding, suggestions
from dotagent.text.encoding import NotText

KINDS = ("API_KEY", "API_BASE", "OAUTH_ACCESS_TOKEN", "OAUTH_TOKEN_FILE", "ORGANIZATION", "PROJECT", "PROXY")

Check = Callable[[Settings], object]
"""An extra check of the new settings, which raises Misuse."""


def way_of(name: str) -> list[str]:
    """Return the tables and the key in a name such as `prices."gpt-4.1".input`. Raises Misuse if it is invalid."""
    try:
        found: Any = tomllib.loads(f"{name} = 0")
    except tomllib.TOMLDecodeError:
        found = {}
    way = list[str]()
    while isinstance(found, dict) and len(found) == 1:
        ((key, found),) = found.items()
        way.append(key)
    if found != 0 or not way:
        raise Misuse(
            f'{name[:100]!r} is not a setting; write e.g. model, budget.dollars_a_day or prices."gpt-4.1".input'
        )
    return way


def require_known(name: str) -> None:
    """Raise Misuse for an unknown setting. Only the first part of the name is checked here."""
    if why := aliases.instead(name):
        raise Misuse(f"{name} is not a setting of dotagent: {why}")
    if (first := way_of(name)[0]) not in (there := setting_rules.rules()):
        raise Misuse(f"no setting {first!r}{suggestions.suggest_all(first, there)}")


def find_variable(where: Home, name: str) -> str:
    """Return the variable of .env that a name means, or "" for a setting. Raise Misuse for a variable without
    effect."""
    if not name.isupper():
        return ""
    if name in aliases.HARMLESS:
        raise Misuse(f"{name} has no effect here: {aliases.INSTEAD[name]}")
    if name.startswith("DOTAGENT_"):
        credentials.variables(where.root / ".env", f"{name}=".encode())  # raises with an explanation
        raise Misuse(f"{name} is an environment variable; in {SETTINGS}, use the setting's name without DOTAGENT_")
    try:
        tables = home.settings(where).providers
    except Misuse:
        tables = {}
    servers = {*options.presets(), *tables}
    keys = {str(Settings(providers=tables).table(one).get("key") or "") for one in servers}
    models = {credentials.variable(one, kind) for one in {*extensions.names("providers"), *servers} for kind in KINDS}
    talk = {
        credentials.variable(one, kind) for one in extensions.names("bridges") for kind in ("BOT_TOKEN", "API_BASE")
    }
    known = {*keys, *models, *talk, *credentials.SEARCH_KEYS}
    if name not in known:
        raise Misuse(f"dotagent does not use the variable {name}{suggestions.hint(name, sorted(known))}")
    return name


def meanings(text: str) -> Iterator[object]:
    """Yield the possible meanings of a command line word: a TOML value, a text, a list of texts. The first valid one is
    used."""
    try:
        found = tomllib.loads(f"value = {text}")
    except tomllib.TOMLDecodeError:
        found = {}
    if list(found) == ["value"]:
        yield found["value"]
    yield text
    yield [one.strip() for one in text.split(",") if one.strip()]


def change(where: Home, name: str, values: Sequence[object], check: Check) -> object:
    """Set the setting to the first valid value and return it, or unset it if `values` is empty. Raises Misuse with the
    problem of the first value."""
    way = way_of(name)
    if len(way) > 1 and re.search(r"(?:^|_)(?:api_?key|token|secret|passw(?:or)?d)$", way[-1], re.I) and values:
        raise Misuse(
            f"{name} looks like a secret, which settings cannot contain; save it in .env with `config set VARIABLE`"
        )
    wrong: Misuse | None = None
    with disk.locked_dir(where.root):
        path, raw = _read_now(where.root / SETTINGS)
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


def _read_now(path: Path) -> tuple[Path, bytes]:
    """Return the real file behind a link, and its content. Raises Misuse."""
    real = Path(os.path.realpath(path))
    try:
        return real, disk.read(real, missing=b"")
    except OSError as error:
        raise Misuse(errors.line(error)) from None


def _changed(raw: bytes, way: Sequence[str], value: object, path: Path) -> bytes:
    """Return the file's content with only this setting changed. Raises Misuse and Trouble."""
    try:
        said, form = encoding.decode(raw)
        document = tomlkit.parse(said)
        wanted = tomllib.loads(said)
    except (ValueError, tomlkit.exceptions.ParseError) as error:
        raise Misuse(f"{path}: {error}; correct the file by hand first") from None
    if value is None:
        _unset(document, way)
        _unset(wanted, way)
    else:
        _set(document, way, value)
        setting_rules.put(wanted, way, value)
    text = tomlkit.dumps(document)
    for one in (_with_comments(said, text), text):
        if _means(one, wanted):
            return encoding.encode(form.ended(one), form)
    raise Trouble(
        f"cannot change {'.'.join(way)} in {path} automatically, because of the file's form; edit the file by hand"
    )


def _means(text: str, wanted: dict[str, Any]) -> bool:
    try:
        return tomllib.loads(text) == wanted
    except tomllib.TOMLDecodeError:
        return False


def _with_comments(before: str, after: str) -> str:
    """Return the changed text with the comment above a table still there: tomlkit takes it for the end of the table
    before, so a new key would come below it, and a removed table would take it along."""
    old, new = before.split("\n"), after.split("\n")
    start = _equal(old, new)
    end = min(_equal(old[::-1], new[::-1]), min(len(old), len(new)) - start)
    gone, came, rest = old[start : len(old) - end], new[start : len(new) - end], new[len(new) - end :]
    lines, moved = new[:start], gone if gone else new[:start]
    comments = moved[_last(moved, "#") :]
    if (gone and came) or not comments or not rest or not rest[0].startswith("["):
        return after
    if came:
        lines = lines[: len(lines) - len(comments)]
        gap = lines[_last(lines, "") :]
        block = "\n".join(came).strip("\n").split("\n")
        table = [""] if block[0].startswith("[") and len(gap) < len(lines) else []
        lines = [*lines[: len(lines) - len(gap)], *table, *block, *(gap or [""])]
    elif lines and lines[-1].strip():
        lines.append("")
    return "\n".join([*lines, *comments, *rest])


def _equal(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many lines are equal at the beginning."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _last(lines: Sequence[str], mark: str) -> int:
    """Return where the comments (mark `#`) or blank lines (no mark) at the end begin."""
    at = len(lines)
    while at and lines[at - 1].strip()[:1] == mark:
        at -= 1
    return at


def _set(document: tomlkit.TOMLDocument, way: Sequence[str], value: object) -> None:
    table: Any = document
    for depth, name in enumerate(way[:-1]):
        if name not in table:
            inside = isinstance(table, tomlkit.items.InlineTable)
            table[name] = tomlkit.inline_table() if inside else tomlkit.table(is_super_table=depth < len(way) - 2)
        table = table[name]
        if not isinstance(table, MutableMapping):
            raise Misuse(f"{'.'.join(way[: depth + 1])} has a single value, so it cannot contain {way[depth + 1]}")
    table[way[-1]] = value


def _unset(document: MutableMapping[str, Any], way: Sequence[str]) -> None:
    table: Any = document
    for name in way[:-1]:
        table = table.get(name) if isinstance(table, MutableMapping) else None
    if not isinstance(table, MutableMapping) or way[-1] not in table:
        raise Misuse(f"{'.'.join(way)} is not set in {SETTINGS}")
    del table[way[-1]]


def secret(where: Home, name: str, value: str) -> None:
    """Save the variable in the home's .env (0600), or remove it if the value is "". Raises Misuse."""
    if "\n" in value or "\r" in value or "\0" in value:
        raise Misuse(f"{name}: the value must be one line")
    with disk.locked_dir(where.root):
        known = credentials.env_file(where)  # raises Misuse for an invalid file
        path, raw = _read_now(where.root / ".env")
        try:
            said, form = encoding.decode(raw)
        except NotText as why:
            raise Misuse(f"{path} {why}; save the file as UTF-8") from None
        mine = re.compile(rf"\s*(?:export\s+)?{name}\s*=")
        lines = [line for line in encoding.lines(said) if not mine.match(line)]
        while lines and not lines[-1].strip():
            lines.pop()
        wanted = {key: one for key, one in {**known, name: value}.items() if one or key != name}
        for quote in ("", "'", '"'):
            more = [f"{name}={quote}{value}{quote}"] if value else []
            text = encoding.encode("".join(f"{line}{form.end}" for line in [*lines, *more]), form)
            if credentials.variables(path, text) == wanted:
                disk.replace(path, text, mode=0o600)
                return
        raise Misuse(f"{name}: this value cannot be written to .env; check that it is a key")
