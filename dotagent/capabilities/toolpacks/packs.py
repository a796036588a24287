"""Tool packs: folders with a manifest, `packs/<id>/pack.toml`, that give agents tools from commands, an MCP server, or
an HTTP interface with an OpenAPI document.

An installed pack does nothing until the owner enables it. Then its tools are listed once and stored with a hash of all
its files in `packs/<id>.json`. So a prompt can describe the tools without starting anything, and a changed pack needs
approval again. Owns `packs/`.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import Any

from dotagent import errors
from dotagent.capabilities.toolpacks import manifest
from dotagent.capabilities.toolpacks.manifest import Manifest
from dotagent.errors import Misuse
from dotagent.store import disk, home, partial_installs, setting
from dotagent.store.blobs import content_id
from dotagent.store.home import Home, Settings
from dotagent.text import escape, times
from dotagent.text.lazy import dataclass, field

FILE = "pack.toml"
FILES, LARGE = 500, 20_000_000  # limits: files in a pack, and bytes in total
LEARNT = 4_000_000  # bytes: the largest stored description of a pack's tools
ABOUT = 2000  # characters kept of a tool's description
Seen = tuple[tuple[str, int, int, int, int], ...]
_ID = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?")


@dataclass(frozen=True)
class Tool:
    """A tool of a pack as described when it was enabled: its name, purpose, and the JSON schema of its arguments."""

    name: str
    about: str = ""
    schema: Mapping[str, Any] = field(default_factory=dict)

    @property
    def mark(self) -> str:
        """Return a hash that changes with the tool's description."""
        return content_id(json.dumps([self.name, self.about, self.schema], sort_keys=True).encode("utf-8", "replace"))


@dataclass(frozen=True)
class Pack:
    """An installed pack: its folder, manifest and tools. `why` says why its tools cannot be called, or is ""."""

    path: Path
    manifest: Manifest
    tools: tuple[Tool, ...] = ()
    why: str = ""

    @property
    def id(self) -> str:
        """Return the pack's id, the name of its folder."""
        return self.path.name

    def tool(self, name: str) -> Tool | None:
        """Return its tool of this name, or None."""
        return next((one for one in self.tools if one.name == name), None)


def list_ids(where: Home) -> list[str]:
    """Return the ids of the installed packs."""
    if not where.packs.is_dir():
        return []
    return sorted(one.name for one in os.scandir(where.packs) if _ID.fullmatch(one.name) and one.is_dir())


def read(where: Home, id: str) -> Pack:
    """Read an installed pack. Raises Misuse if it is missing or its manifest is invalid."""
    path = require(where, id)
    return _pack(path, (*_read_metadata(path), *_read_metadata(path.with_name(f"{id}.json"))))


def require(where: Home, id: str) -> Path:
    """Return the folder of an installed pack. Raises Misuse if it is missing."""
    path = folder(where, id)
    if not path.is_dir():
        known = ", ".join(list_ids(where))
        raise Misuse(f"no tool pack {id!r} ({f'there are: {known}' if known else 'none is installed'})")
    return path


@lru_cache(maxsize=256)  # prompts ask at each turn; `seen` is the state of its files
def _pack(path: Path, seen: Seen) -> Pack:
    said = manifest.read(path / FILE)
    try:
        kept = json.loads(disk.read(path.with_name(f"{path.name}.json"), LEARNT))
        tools = tuple(Tool(str(one["name"]), str(one["about"]), dict(one["schema"])) for one in kept["tools"])
        enabled, known = kept["enabled"] is True, str(kept["hash"])
    except FileNotFoundError:
        return Pack(path, said, (), f"the tool pack is not enabled; run `toolpacks enable {path.name}`")
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        why = f"the tool pack's list of tools is unreadable; rebuild it with `toolpacks enable {path.name}`"
        return Pack(path, said, (), why)
    if not enabled:
        return Pack(path, said, tools, f"the tool pack is disabled; run `toolpacks enable {path.name}`")
    changed = known != fingerprint(path)
    new = f"files of the tool pack changed after it was enabled; review them, then run `toolpacks enable {path.name}`"
    return Pack(path, said, tuple(one for one in tools if said.offers(one.name)), new if changed else "")


def folder(where: Home, id: str) -> Path:
    """Return the folder of a pack. Raises Misuse for an invalid id."""
    if not _ID.fullmatch(id):
        raise Misuse(f"{id[:64]!r} cannot be the id of a tool pack; use at most 32 of a-z, 0-9 and -")
    return where.packs / id


def usable(where: Home) -> Iterator[Pack]:
    """Yield the packs whose tools can be called."""
    for id in list_ids(where):
        try:
            found = read(where, id)
        except Misuse:
            continue  # `doctor` and `toolpacks list` report the problem
        if not found.why:
            yield found


def find_packs(where: Home, settings: Settings, life: str, heard: tuple[str, bool]) -> list[Pack]:
    """Return the packs of an agent, each with the tools that the agent may call.

    By default these are all tools for a private agent without a bridge, and none for others; the setting `toolpacks`
    changes this.
    """
    if not where.packs.is_dir():
        return []
    audience, bridged = heard
    patterns = (
        setting.find_for_agent(settings.toolpacks, audience, life, home.owner(settings)) if settings.toolpacks else []
    )
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
    """Return the files in a pack's folder by their relative names. Raises Misuse for a special file or too much
    data."""
    found, size = dict[str, bytes](), 0
    for one in sorted(path.rglob("*")):
        name, mode = one.relative_to(path).as_posix(), one.lstat().st_mode
        if "__pycache__" in one.parts or stat.S_ISDIR(mode):
            continue
        if not stat.S_ISREG(mode):
            raise Misuse(f"{one} is not a regular file; remove it, because a tool pack can contain only regular files")
        if len(found) >= FILES or (size := size + one.lstat().st_size) > LARGE:
            raise Misuse(f"{path}: the tool pack is too large; it may have at most {FILES} files and {LARGE:,} bytes")
        try:
            found[name] = disk.read(one, LARGE)
        except OSError as error:
            raise Misuse(errors.line(error)) from None
    return found


def fingerprint(path: Path) -> str:
    """Return a hash of all files in a pack's folder, or "" if one of them is not allowed."""
    try:
        told = [[name, content_id(data)] for name, data in files(path).items()]
    except Misuse:
        return ""
    return content_id(json.dumps(told).encode("utf-8", "replace"))


def _read_metadata(path: Path) -> Seen:
    """Return the metadata of all files below the path, which change when the files change."""
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
    """Install these files as a disabled pack, replacing an earlier one of this id. Raises Misuse."""
    path = folder(where, id)
    manifest.parsed(f"{id}/{FILE}", given.get(FILE, b""))
    disk.make_dir(where.packs)
    with disk.locked_dir(where.packs):
        partial_installs.sweep(where.packs)
        new = where.packs / ".new-pack"
        for name, data in given.items():
            disk.make_dir((new / name).parent)
            disk.replace(new / name, data)
        _removed(where, path)
        os.rename(new, path)
        disk.sync_dir(where.packs)
    return read(where, id)


def remove(where: Home, id: str) -> bool:
    """Remove a pack. Return False if it did not exist."""
    path = folder(where, id)
    if not where.packs.is_dir():
        return False
    with disk.locked_dir(where.packs):
        partial_installs.sweep(where.packs)
        return _removed(where, path)


def _removed(where: Home, path: Path) -> bool:
    """Remove a pack; the caller must have the lock of the packs' folder."""
    disk.remove(path.with_name(f"{path.name}.json"))
    if not path.is_dir():
        return False
    old = where.packs / ".old-pack"
    os.rename(path, old)
    shutil.rmtree(old)
    return True


def enable(where: Home, pack: Pack, learnt: list[Tool]) -> Pack:
    """Record that the owner enables the pack in its current version, with these tools."""
    told = [{"name": one.name, "about": escape.printable(one.about)[:ABOUT], "schema": one.schema} for one in learnt]
    kept = {"enabled": True, "at": times.now(), "hash": fingerprint(pack.path), "tools": told}
    data = json.dumps(kept, ensure_ascii=False).encode("utf-8", "replace")
    if len(data) > LEARNT:
        raise Misuse(
            f"the tool pack {pack.id} describes its tools in {len(data):,} bytes, but at most {LEARNT:,} are allowed"
        )
    _keep(where, pack, data)
    return read(where, pack.id)


def disable(where: Home, pack: Pack) -> None:
    """Record that the pack is disabled; the descriptions of its tools are kept."""
    told = [{"name": one.name, "about": one.about, "schema": dict(one.schema)} for one in pack.tools]
    kept = {"enabled": False, "at": times.now(), "hash": "", "tools": told}
    _keep(where, pack, json.dumps(kept, ensure_ascii=False).encode("utf-8", "replace"))


def _keep(where: Home, pack: Pack, data: bytes) -> None:
    with disk.locked_dir(where.packs):
        disk.replace(where.packs / f"{pack.id}.json", data)
