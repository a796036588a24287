"""Tool packs: folders with a manifest, `packs/<id>/pack.toml`, each of which gives agents tools from outside: from
commands, a server of the Model Context Protocol, or an HTTP interface that an OpenAPI document describes.

A pack is installed as it is, and gives nothing before its person has enabled it: then its tools are asked for once and
written down, with a hash of all its files, in `packs/<id>.json`. So prompts tell of tools without starting anything,
and a pack that changed afterwards is asked about again. Owns `packs/`.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import Any

from dotagent import errors
from dotagent.errors import Misuse
from dotagent.store import disk, home, leftover, manifest, setting
from dotagent.store.blobs import content_id
from dotagent.store.home import Home, Settings
from dotagent.store.manifest import Manifest
from dotagent.text import escape, times

FILE = "pack.toml"
FILES, LARGE = 500, 20_000_000  # files of a pack, and bytes in all
LEARNT = 4_000_000  # bytes of what is written down of its tools
ABOUT = 2000  # characters that are kept of what a tool says of itself
Seen = tuple[tuple[str, int, int, int, int], ...]
_ID = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?")


@dataclass(frozen=True)
class Tool:
    """A tool of a pack, as it told when its person enabled it: its name there, what it is for, the JSON schema of its
    arguments."""

    name: str
    about: str = ""
    schema: Mapping[str, Any] = field(default_factory=dict)

    @property
    def mark(self) -> str:
        """Tells it from a tool of this name that says something else of itself."""
        return content_id(json.dumps([self.name, self.about, self.schema], sort_keys=True).encode("utf-8", "replace"))


@dataclass(frozen=True)
class Pack:
    """An installed pack: its folder, its manifest, its tools, and why none of them can be called ("" when they can)."""

    path: Path
    manifest: Manifest
    tools: tuple[Tool, ...] = ()
    why: str = ""

    @property
    def id(self) -> str:
        """Its name."""
        return self.path.name

    def tool(self, name: str) -> Tool | None:
        """Its tool of this name."""
        return next((one for one in self.tools if one.name == name), None)


def listed(where: Home) -> list[str]:
    """The ids of what is installed."""
    if not where.packs.is_dir():
        return []
    return sorted(one.name for one in os.scandir(where.packs) if _ID.fullmatch(one.name) and one.is_dir())


def read(where: Home, id: str) -> Pack:
    """An installed pack. Raises Misuse for one that is not there, or whose manifest is wrong."""
    path = folder(where, id)
    if not path.is_dir():
        known = ", ".join(listed(where))
        raise Misuse(f"no tool pack {id!r} ({f'there are: {known}' if known else 'none is installed'})")
    return _pack(path, (*_seen(path), *_seen(path.with_name(f"{id}.json"))))


@lru_cache(maxsize=256)  # prompts ask at each turn; `seen` is how its files are
def _pack(path: Path, seen: Seen) -> Pack:
    said = manifest.read(path / FILE)
    try:
        kept = json.loads(disk.read(path.with_name(f"{path.name}.json"), LEARNT))
        tools = tuple(Tool(str(one["name"]), str(one["about"]), dict(one["schema"])) for one in kept["tools"])
        enabled, known = kept["enabled"] is True, str(kept["hash"])
    except FileNotFoundError:
        return Pack(path, said, (), f"it is not enabled: `toolpacks enable {path.name}`")
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return Pack(path, said, (), f"what was written down of it cannot be read: `toolpacks enable {path.name}`")
    if not enabled:
        return Pack(path, said, tools, f"it is disabled: `toolpacks enable {path.name}`")
    changed = known != fingerprint(path)
    why = f"its files changed since it was enabled: look at it, then `toolpacks enable {path.name}`" if changed else ""
    return Pack(path, said, tuple(one for one in tools if said.offers(one.name)), why)


def folder(where: Home, id: str) -> Path:
    """The folder of a pack. Raises Misuse for what cannot be its id."""
    if not _ID.fullmatch(id):
        raise Misuse(f"{id[:64]!r} cannot be a tool pack: an id is a-z, 0-9 and -, at most 32")
    return where.packs / id


def usable(where: Home) -> Iterator[Pack]:
    """The packs whose tools can be called."""
    for id in listed(where):
        try:
            found = read(where, id)
        except Misuse:
            continue  # `doctor` and `toolpacks list` say what is wrong with it
        if not found.why:
            yield found


def given(where: Home, settings: Settings, life: str, heard: tuple[str, bool]) -> list[Pack]:
    """The packs that a life has, each with those of its tools that this life may call: all for one that hears its
    person alone, and none for others, unless the setting `toolpacks` names them."""
    if not where.packs.is_dir():
        return []
    audience, bridged = heard
    patterns = setting.named(settings.toolpacks, audience, life, home.owner(settings)) if settings.toolpacks else []
    if not patterns and (not audience.startswith("private") or bridged):
        return []
    wanted = [one for some in patterns for one in some] if patterns else ["*"]
    found = []
    for pack in usable(where):
        mine = tuple(one for one in pack.tools if any(fnmatchcase(f"{pack.id}.{one.name}", name) for name in wanted))
        if mine:
            found.append(Pack(pack.path, pack.manifest, mine))
    return found


def files(path: Path) -> dict[str, bytes]:
    """The files of a pack's folder by their names within it. Raises Misuse for what cannot be one."""
    found, size = dict[str, bytes](), 0
    for one in sorted(path.rglob("*")):
        name, mode = one.relative_to(path).as_posix(), one.lstat().st_mode
        if "__pycache__" in one.parts or stat.S_ISDIR(mode):
            continue
        if not stat.S_ISREG(mode):
            raise Misuse(f"{one}: it is no plain file, and a tool pack has only such: take it out")
        if len(found) >= FILES or (size := size + one.lstat().st_size) > LARGE:
            raise Misuse(f"{path}: it has more than {FILES} files or {LARGE:,} bytes: a tool pack is small")
        try:
            found[name] = disk.read(one, LARGE)
        except OSError as error:
            raise Misuse(errors.line(error)) from None
    return found


def fingerprint(path: Path) -> str:
    """A hash of all that is in a pack's folder; "" for one with what cannot be in it."""
    try:
        told = [[name, content_id(data)] for name, data in files(path).items()]
    except Misuse:
        return ""
    return content_id(json.dumps(told).encode("utf-8", "replace"))


def _seen(path: Path) -> Seen:
    """How what is there is now, as far as the system tells without its being read."""
    found, todo = list[tuple[str, int, int, int, int]](), [str(path)]
    while todo:
        here = todo.pop()
        try:
            about = os.lstat(here)
            if stat.S_ISDIR(about.st_mode):
                todo += [one.path for one in os.scandir(here)]
        except FileNotFoundError:
            continue
        found.append((here, about.st_mode, about.st_size, about.st_mtime_ns, about.st_ino))
    return tuple(sorted(found))


def install(where: Home, id: str, given: Mapping[str, bytes]) -> Pack:
    """Put these files where a pack of this id stands, disabled; an earlier one of the id goes. Raises Misuse."""
    path = folder(where, id)
    manifest.parsed(f"{id}/{FILE}", given.get(FILE, b""))
    disk.make_dir(where.packs)
    with disk.locked_dir(where.packs):
        leftover.sweep(where.packs)
        new = where.packs / ".new-pack"
        for name, data in given.items():
            disk.make_dir((new / name).parent)
            disk.replace(new / name, data)
        _removed(where, path)
        os.rename(new, path)
        disk.sync_dir(where.packs)
    return read(where, id)


def remove(where: Home, id: str) -> bool:
    """Take a pack away; False where there was none."""
    path = folder(where, id)
    if not where.packs.is_dir():
        return False
    with disk.locked_dir(where.packs):
        leftover.sweep(where.packs)
        return _removed(where, path)


def _removed(where: Home, path: Path) -> bool:
    """The same, by who holds the lock of the packs' folder."""
    disk.remove(path.with_name(f"{path.name}.json"))
    if not path.is_dir():
        return False
    old = where.packs / ".old-pack"
    os.rename(path, old)
    shutil.rmtree(old)
    return True


def enable(where: Home, pack: Pack, learnt: list[Tool]) -> Pack:
    """Write down that its person wants it, as it is now, with these tools."""
    told = [{"name": one.name, "about": escape.printable(one.about)[:ABOUT], "schema": one.schema} for one in learnt]
    kept = {"enabled": True, "at": times.now(), "hash": fingerprint(pack.path), "tools": told}
    data = json.dumps(kept, ensure_ascii=False).encode("utf-8", "replace")
    if len(data) > LEARNT:
        raise Misuse(f"{pack.id} tells of its tools in {len(data):,} bytes, {LEARNT:,} at most are kept")
    _keep(where, pack, data)
    return read(where, pack.id)


def disable(where: Home, pack: Pack) -> None:
    """Write down that its person wants it no more; what its tools are stays known."""
    told = [{"name": one.name, "about": one.about, "schema": dict(one.schema)} for one in pack.tools]
    kept = {"enabled": False, "at": times.now(), "hash": "", "tools": told}
    _keep(where, pack, json.dumps(kept, ensure_ascii=False).encode("utf-8", "replace"))


def _keep(where: Home, pack: Pack, data: bytes) -> None:
    with disk.locked_dir(where.packs):
        disk.replace(where.packs / f"{pack.id}.json", data)
