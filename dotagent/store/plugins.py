"""Plug-ins: a person's own tools, providers, bridges and commands, in the home or in installed Python packages.

A plug-in runs unrestricted inside dotagent's processes. So each version runs only after the owner trusts it, by its
file's hash; the rest of its package is trusted with it. A start reads the home's folders and the trusted list. Only
commands that list plug-ins search all packages. Owns `plugins.json` in the home, which no agent can write.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from dotagent import errors, extensions, installed
from dotagent.errors import Trouble
from dotagent.extensions import KINDS, Added
from dotagent.store import disk
from dotagent.text import escape, names, times
from dotagent.text.lazy import asdict, dataclass, replace

FILE = "plugins.json"
HOME = "home"
_DECLARED = re.compile(rb"(?m)^\s*\[\s*dotagent\.")
TRUSTED, REFUSED, CHANGED, NEW, GONE, WRONG = "trusted", "refused", "changed", "new", "gone", "cannot be used"


@dataclass(frozen=True)
class Plugin:
    """A plug-in: its kind, name, origin (`home`, or a package and its version), module, file and hash, and its state
    with the reason."""

    kind: str
    name: str
    origin: str
    module: str
    path: str
    id: str = ""
    state: str = NEW
    why: str = ""

    @property
    def called(self) -> str:
        """Return how a person writes it, e.g. `tools/shout`."""
        return f"{self.kind}/{self.name}"


@dataclass(frozen=True)
class Ruling:
    """The owner's decision about a version."""

    kind: str
    name: str
    origin: str
    module: str
    path: str
    id: str
    trusted: bool
    at: str


def use(root: Path) -> list[Plugin]:
    """Make the trusted plug-ins of this home available. Return the plug-ins that need a decision."""
    known = _read(root)
    there = {(one.kind, one.name): one for one in _add_states([*_files(root), *_packaged(known)], known)}
    good = {key: one for key, one in there.items() if one.state == TRUSTED}
    extensions.add({key: Added(Path(one.path), one.module) for key, one in good.items()})
    return [one for one in there.values() if one.state in (NEW, CHANGED)]


def waiting_message(one: Plugin) -> str:
    """Return the message about a plug-in that waits for a decision."""
    return (
        f"the plug-in {one.called} is {one.state}, so it does not run; to trust it, run "
        f"`{installed.program('plugins')} trust {one.called}`"
    )


def every(root: Path) -> list[Plugin]:
    """Return all plug-ins, including plug-ins of packages, and trusted plug-ins whose files are missing. Raises Trouble
    if the record is unreadable."""
    known = _read(root, strict=True)
    found = _add_states([*_files(root), *_installed()], known)
    there = {(one.kind, one.name) for one in found}
    gone = [Plugin(one.kind, one.name, one.origin, one.module, one.path, one.id, GONE)
            for key, one in known.items() if key not in there and one.trusted]  # fmt: skip
    return sorted([*found, *gone], key=lambda one: (KINDS.index(one.kind), one.name))


def decide(root: Path, one: Plugin, trusted: bool | None) -> None:
    """Trust this version, refuse it, or, with None, delete the decision. Raises OSError."""
    with disk.locked_dir(root):
        known = {key: each for key, each in _read(root).items() if key != (one.kind, one.name)}
        if trusted is not None:
            key = (one.kind, one.name)
            known[key] = Ruling(*key, one.origin, one.module, one.path, one.id, trusted, times.now())
        rows = [asdict(each) for each in known.values()]
        disk.replace(root / FILE, (json.dumps(rows, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "replace"))


def text(one: Plugin) -> bytes:
    """Return the content of its file. Raises OSError."""
    return disk.read(one.path, follow=one.origin != HOME)


def _files(root: Path) -> Iterator[Plugin]:
    for kind in KINDS:
        for path in sorted((root / kind).glob("*.py")) if (root / kind).is_dir() else ():
            name = path.stem.replace("_", "-")
            if names.ROOM.fullmatch(name):
                yield Plugin(kind, name, HOME, "", str(path))


def _packaged(known: dict[tuple[str, str], Ruling]) -> Iterator[Plugin]:
    """Yield the trusted plug-ins of packages, at their current place."""
    for one in known.values():
        if one.module and one.trusted:
            yield Plugin(one.kind, one.name, one.origin, one.module, str(_place(one.module) or one.path))


def _installed() -> Iterator[Plugin]:
    """Yield the plug-ins that packages declare as entry points `dotagent.tools` and so on."""
    if not _is_any_declared():
        return
    from importlib import metadata  # it and its look at all packages take 50 ms

    points = metadata.entry_points()  # for every installed package
    for kind in KINDS:
        for point in points.select(group=f"dotagent.{kind}"):
            name, package = point.name.replace("_", "-"), point.dist
            if names.ROOM.fullmatch(name) and (path := _place(point.value)):
                origin = escape.one_line(f"{package.name} {package.version}" if package else "a package", 100)
                yield Plugin(kind, name, origin, point.value, str(path))


def _is_any_declared() -> bool:
    """Return False if no installed package declares a plug-in."""
    for folder in sys.path:
        with suppress(OSError):  # if it belongs to another user
            told = (disk.read(file, follow=True) for file in Path(folder).glob("*.*-info/entry_points.txt"))
            if os.path.isfile(folder) or any(map(_DECLARED.search, told)):  # a file: an archive of packages
                return True
    return False


def _place(module: str) -> Path | None:
    """Return a module's file without importing it or the packages around it."""
    import importlib.util

    top, *rest = module.split(".")
    try:
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError):
        return None
    if spec is None or not rest:
        return Path(spec.origin) if spec and spec.origin else None
    for folder in spec.submodule_search_locations or ():
        path = Path(folder, *rest)
        found = next((one for one in (path.with_suffix(".py"), path / "__init__.py") if one.is_file()), None)
        if found:
            return found
    return None


def _add_states(found: list[Plugin], known: dict[tuple[str, str], Ruling]) -> list[Plugin]:
    """Return each plug-in with its state; if several have one name, the first is valid."""
    seen, judged = set[tuple[str, str]](), list[Plugin]()
    for one in found:
        key = (one.kind, one.name)
        made = _add_state(one, known.get(key))
        if key in seen:
            made = replace(made, state=WRONG, why="another plug-in has the same name")
        seen.add(key)
        judged.append(made)
    return judged


def _add_state(one: Plugin, said: Ruling | None) -> Plugin:
    if extensions.is_ours(one.kind, one.name):
        return replace(one, state=WRONG, why="a built-in part of dotagent has the same name")
    try:
        data = text(one)
        extensions.read_constants(data.decode("utf-8"))
    except OSError as error:
        return replace(one, state=WRONG, why=errors.line(error))
    except (SyntaxError, ValueError) as wrong:
        return replace(one, state=WRONG, why=escape.one_line(f"the file is not valid Python: {wrong}", 200))
    import hashlib

    id = hashlib.sha256(f"{one.module}\n".encode() + data).hexdigest()[:32]
    state = NEW if said is None else CHANGED if said.id != id else TRUSTED if said.trusted else REFUSED
    return replace(one, id=id, state=state)


def _read(root: Path, *, strict: bool = False) -> dict[tuple[str, str], Ruling]:
    """Return the recorded decisions. If they are unreadable, return none, or raise Trouble if `strict`."""
    try:
        rows = [Ruling(**row) for row in json.loads(disk.read(root / FILE, missing=b"[]"))]
        return {(one.kind, one.name): one for one in rows if one.kind in KINDS and names.ROOM.fullmatch(one.name)}
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        if strict:
            raise Trouble(
                f"{root / FILE} is damaged, so no plug-in runs; remove the file and trust the plug-ins again"
            ) from None
        return {}
