"""Matching content that cannot be rewritten: names of files and folders, and packed or binary files.

Such a file is listed before anything is removed, and the person decides whether to delete it. A git repository made by
an agent is one unit, because its parts need each other. Owns nothing on disk.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import stat
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath

from dotagent.erasure import file_text
from dotagent.store import directories, disk
from dotagent.store.blobs import BlobCorrupt, BlobMissing, Blobs
from dotagent.text import encoded_text, passages
from dotagent.text.lazy import dataclass

MOST = 1 << 28  # bytes of a file that is searched
SURE = 8  # characters of a passage that is also found inside a longer word, as databases write it
NAME, LINK, GIT = "its name", "the path that it links to", "git repository"
OWN = re.compile(  # places with a fixed meaning, whose names are not searched
    r"[^/]+|chats/.*|agents/[0-9a-f]{32}(?:/[^/]+\.md|/(?:subs|run|processes)(?:/.*)?|/[a-z]+)?|forgotten/.*|"
    r"(?:blobs|backup\.git|\.(?:old|new)-backup\.git|calls|up|clock|bridges|history)(?:/.*)?|"
    r"(?:.*/)?memory/\d{4}-\d\d-\d\d\.md|(?:.*/)?memory/working(?:/.*)?",
    re.DOTALL,
)
REWRITTEN = re.compile(  # or rebuilt, whatever they contain
    r"chats/.*|agents/[0-9a-f]{32}/(?:LIFE\.md|subs/.*|(?:run/(?:shared/)?)?(?:recall|notes)\.db.*)|forgotten/.*",
    re.DOTALL,
)

MADE = re.compile(r"(?:agents/[0-9a-f]{32}/(?:files|undo|skills|bank|memory)|skills|set-aside)/.*", re.DOTALL)
"""Files that may contain text whatever their names end with, such as a table or a program."""


@dataclass(frozen=True)
class HiddenText:
    """A text, with its path in the home (with a final `/` for a folder) and its form. `also` are the paths of other
    hard links to the file."""

    path: str
    form: str
    text: str
    also: tuple[str, ...] = ()


def matcher(wished: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern for these passages in names and databases. Longer ones match even next to other letters."""
    found = {tuple(passages.words(one)) for one in wished} - {()}
    return re.compile("|".join(map(_pattern, sorted(found))) or r"(?!)", re.IGNORECASE)


def _pattern(words: tuple[str, ...]) -> str:
    within = r"[\W_]{0,24}".join(map(re.escape, words))
    return within if sum(map(len, words)) >= SURE else rf"(?<![^\W_]){within}(?![^\W_])"


def forms(root: Path, store: Blobs, closed: list[str]) -> Iterator[HiddenText]:
    """Yield every text of the home that cannot be rewritten: a file with several hard links once. `closed` collects the
    parts that could not be searched, with reasons."""
    same = dict[tuple[tuple[int, int], bool, bool], list[str]]()
    for place, folders, names in directories.walk(root):
        inside = str(PurePosixPath(Path(place).relative_to(root)))
        names = sorted([*names, *(name for name in folders if (root / inside / name).is_symlink())])
        folders[:] = sorted(name for name in folders if _is_looked_into(root, Path(inside, name)))
        for name, end in [*((one, "/") for one in folders), *((one, "") for one in names)]:
            path = name if inside == "." else f"{inside}/{name}"
            if not OWN.fullmatch(path):
                yield HiddenText(_unit(root, f"{path}{end}"), NAME, _spaced(name))
                if (root / path).is_symlink():
                    yield HiddenText(_unit(root, path), LINK, _spaced(os.readlink(root / path)))
            if not end and name != ".env" and not REWRITTEN.fullmatch(path) and (file := inode(root / path)):
                key = file, _unit(root, path) != path, bool(MADE.fullmatch(path))
                same.setdefault(key, []).append(path)
    for (_, in_git, made), paths in same.items():
        yield from _contents(root, paths, closed, in_git=in_git, made=made)
    shards = [store.root / name for name in directories.names(store.root) if len(name) == 2]
    for id in (name for shard in shards for name in directories.names(shard)):
        try:
            body = store.get(id).body
        except (BlobMissing, BlobCorrupt):
            continue
        if b"\0" in body[:MOST] or file_text.kind(body):
            yield from _views([f"blobs/{id[:2]}/{id}"], body, closed)


def inode(path: Path) -> tuple[int, int] | None:
    """Return the device and the number of a regular file, which all hard links to it share, or None."""
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return (found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) else None


def _is_looked_into(root: Path, folder: Path) -> bool:
    """Return True if a folder may contain such files; blobs and a checkout's code are excluded."""
    return not (root / folder).is_symlink() and str(folder) not in (
        *("blobs", "dotagent", "tests", "docs", "bench", "deploy", ".venv", ".git"),
        *("backup.git", ".new-backup.git", ".old-backup.git"),
    )


def _spaced(name: str) -> str:
    """Return a name as words, with blanks instead of signs."""
    return re.sub(r"[\W_]+", " ", name)


def _unit(root: Path, path: str) -> str:
    """Return the path to delete for this one: the whole git repository around it, or itself."""
    parts = path.rstrip("/").split("/")
    for upto in range(3, len(parts)):
        above = "/".join(parts[:upto])
        if parts[upto - 1] == ".git" or (parts[upto] in ("objects", "refs", "logs") and _is_bare(root / above)):
            return f"{above}/"
    return path


def _is_bare(folder: Path) -> bool:
    return disk.is_file(folder / "HEAD") and (folder / "objects").is_dir()


def _contents(root: Path, paths: list[str], closed: list[str], *, in_git: bool, made: bool) -> Iterator[HiddenText]:
    """Yield the texts of one file, which has these paths in the home."""
    try:
        data = disk.read(root / paths[0], MOST)
    except FileNotFoundError:
        return
    except OSError as error:
        why = "too large" if error.errno == errno.EFBIG else "this file cannot be read"
        closed += (f"{path} ({why})" for path in paths)
        return
    units = list(dict.fromkeys(_unit(root, path) for path in paths))
    if in_git:
        yield HiddenText(units[0], GIT, data.decode("utf-8", "replace"), tuple(units[1:]))
    yield from _views(units, data, closed)
    if made and not file_text.kind(data):
        told = data.decode("utf-8", "replace")
        texts = [("base85", encoded_text.base85(told)), ("its broken words", encoded_text.unbroken(told))]
        yield from (HiddenText(units[0], form, text, tuple(units[1:])) for form, found in texts for text in found)


def _views(units: Sequence[str], data: bytes, closed: list[str]) -> Iterator[HiddenText]:
    try:
        for form, text in file_text.views(data):
            yield HiddenText(units[0], GIT if units[0].endswith("/") else form, text, tuple(units[1:]))
    except file_text.Closed as why:
        closed += (f"{unit} ({why})" for unit in units)


def things(found: Iterable[HiddenText]) -> dict[str, str]:
    """Return the paths to delete with their forms. A folder includes its contents."""
    forms = dict[str, list[str]]()
    for one in found:
        for path in (one.path, *one.also):
            forms.setdefault(path, []).append(one.form)
    folders = tuple(path for path in forms if path.endswith("/"))
    outer = [path for path in forms if not any(path != one and path.startswith(one) for one in folders)]
    return {path: ", ".join(dict.fromkeys(forms[path])) for path in outer}


def delete(root: Path, path: str) -> None:
    """Delete a file or a folder with its contents, durably. A missing one is not an error. Raises OSError."""
    target = root / path
    if target.parent.resolve() != root.resolve() / Path(path).parent:
        return  # a link has replaced a folder
    if not path.endswith("/"):
        disk.remove(target)
    elif target.is_dir() and not target.is_symlink():
        shutil.rmtree(target)
    if target.parent.is_dir():  # a process that crashed may have deleted it and not synced
        disk.sync_dir(target.parent)


def contains_passage(data: bytes, told: re.Pattern[str]) -> bool:
    """Return True if a binary file contains one of these passages in any form."""
    try:
        return any(told.search(text) for _, text in file_text.views(data))
    except file_text.Closed:
        return False
