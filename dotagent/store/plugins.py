"""A person's own tools, providers, bridges and commands: files in the home, or modules of packages that pip installed.

Each runs where ours run, with all that may, so each version is run only once its person trusts it, by its file's hash;
the rest of a package is trusted by having installed it. A start looks at the home's folders and at what is trusted;
packages are only searched for by who lists them. Owns `plugins.json` in the home, which no agent writes.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from dotagent import errors, extensions, installed
from dotagent.errors import Trouble
from dotagent.extensions import KINDS, Added
from dotagent.store import disk
from dotagent.text import escape, names, times

FILE = "plugins.json"
HOME = "home"
TRUSTED, REFUSED, CHANGED, NEW, GONE, WRONG = "trusted", "refused", "changed", "new", "gone", "cannot be used"


@dataclass(frozen=True)
class Plugin:
    """One of a person's own: of which kind, its name, where it is from (`home`, or a package and its version), its
    module in that, its file, and what is known of it: its state and why, its hash."""

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
        """What a person calls it by: `tools/shout`."""
        return f"{self.kind}/{self.name}"


@dataclass(frozen=True)
class Ruling:
    """What its person decided of a version."""

    kind: str
    name: str
    origin: str
    module: str
    path: str
    id: str
    trusted: bool
    at: str


def use(root: Path) -> list[Plugin]:
    """Let those of this home that its person trusts be there beside ours; those of which nothing was decided yet."""
    known = _read(root)
    there = {(one.kind, one.name): one for one in _judged([*_files(root), *_packaged(known)], known)}
    good = {key: one for key, one in there.items() if one.state == TRUSTED}
    extensions.add({key: Added(Path(one.path), one.module) for key, one in good.items()})
    return [one for one in there.values() if one.state in (NEW, CHANGED)]


def waits(one: Plugin) -> str:
    """What is said of one that does not run before its person decides."""
    return f"{one.called} is {one.state}, and does not run: `{installed.typed('plugins')} trust {one.called}`"


def every(root: Path) -> list[Plugin]:
    """All that are there, packages' too, and those that were trusted and are gone. Raises Trouble for a record that
    cannot be read."""
    known = _read(root, strict=True)
    found = _judged([*_files(root), *_installed()], known)
    there = {(one.kind, one.name) for one in found}
    gone = [Plugin(one.kind, one.name, one.origin, one.module, one.path, one.id, GONE)
            for key, one in known.items() if key not in there and one.trusted]  # fmt: skip
    return sorted([*found, *gone], key=lambda one: (KINDS.index(one.kind), one.name))


def decide(root: Path, one: Plugin, trusted: bool | None) -> None:
    """Trust this version, refuse it, or (None) forget what was decided. Raises OSError."""
    with disk.locked_dir(root):
        known = {key: each for key, each in _read(root).items() if key != (one.kind, one.name)}
        if trusted is not None:
            key = (one.kind, one.name)
            known[key] = Ruling(*key, one.origin, one.module, one.path, one.id, trusted, times.now())
        rows = [asdict(each) for each in known.values()]
        disk.replace(root / FILE, (json.dumps(rows, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "replace"))


def text(one: Plugin) -> bytes:
    """What its file says. Raises OSError."""
    return disk.read(one.path, follow=one.origin != HOME)


def _files(root: Path) -> Iterator[Plugin]:
    for kind in KINDS:
        for path in sorted((root / kind).glob("*.py")) if (root / kind).is_dir() else ():
            name = path.stem.replace("_", "-")
            if names.ROOM.fullmatch(name):
                yield Plugin(kind, name, HOME, "", str(path))


def _packaged(known: dict[tuple[str, str], Ruling]) -> Iterator[Plugin]:
    """Of packages those that were trusted, where they are now."""
    for one in known.values():
        if one.module and one.trusted:
            yield Plugin(one.kind, one.name, one.origin, one.module, str(_place(one.module) or one.path))


def _installed() -> Iterator[Plugin]:
    """What packages declare as entry points `dotagent.tools` and so on."""
    from importlib import metadata  # 20 ms, for who lists them

    for kind in KINDS:
        for point in metadata.entry_points(group=f"dotagent.{kind}"):
            name, package = point.name.replace("_", "-"), point.dist
            if names.ROOM.fullmatch(name) and (path := _place(point.value)):
                origin = escape.one_line(f"{package.name} {package.version}" if package else "a package", 100)
                yield Plugin(kind, name, origin, point.value, str(path))


def _place(module: str) -> Path | None:
    """The module's file, of which, and of the packages around it, nothing is run."""
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


def _judged(found: list[Plugin], known: dict[tuple[str, str], Ruling]) -> list[Plugin]:
    """Each with its state; of several of one name the first is meant."""
    seen, judged = set[tuple[str, str]](), list[Plugin]()
    for one in found:
        key = (one.kind, one.name)
        made = _of(one, known.get(key))
        if key in seen:
            made = replace(made, state=WRONG, why="another one has its name")
        seen.add(key)
        judged.append(made)
    return judged


def _of(one: Plugin, said: Ruling | None) -> Plugin:
    if extensions.is_ours(one.kind, one.name):
        return replace(one, state=WRONG, why="one of dotagent's own has its name")
    try:
        data = text(one)
        extensions.told(data.decode("utf-8"))
    except OSError as error:
        return replace(one, state=WRONG, why=errors.line(error))
    except (SyntaxError, ValueError) as wrong:
        return replace(one, state=WRONG, why=escape.one_line(f"it is no Python: {wrong}", 200))
    id = hashlib.sha256(f"{one.module}\n".encode() + data).hexdigest()[:32]
    state = NEW if said is None else CHANGED if said.id != id else TRUSTED if said.trusted else REFUSED
    return replace(one, id=id, state=state)


def _read(root: Path, *, strict: bool = False) -> dict[tuple[str, str], Ruling]:
    """What was decided; where that cannot be read nothing was, or (strict) Trouble."""
    try:
        rows = [Ruling(**row) for row in json.loads(disk.read(root / FILE, missing=b"[]"))]
        return {(one.kind, one.name): one for one in rows if one.kind in KINDS and names.ROOM.fullmatch(one.name)}
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        if strict:
            raise Trouble(f"{root / FILE} is damaged: no plug-in runs; remove it and trust them anew") from None
        return {}
