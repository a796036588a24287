"""Install skills into a home: from a folder, or from a GitHub repository, which is never checked out.

Files are read into memory, checked there, and written as regular files; the hash and the commit are recorded. Owns new
folders in `skills/`, each written first under a name that begins with `.new-`. The next installation removes the
remains of a crash (store/partial_installs.py).
"""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from dotagent.errors import Misuse, Trouble
from dotagent.skills import folder, form, record
from dotagent.skills.folder import FILES, LARGE, NAME, Folder
from dotagent.skills.record import Pin
from dotagent.store import disk, partial_installs
from dotagent.store.home import Home
from dotagent.text import escape, times
from dotagent.text.lazy import dataclass, replace
from dotagent.text.sizes import amount

HOST = "https://github.com"
REPOSITORY = re.compile(
    r"([A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9._-]{1,100})(?:@([A-Za-z0-9][A-Za-z0-9._/-]{0,200}))?"
)
SECONDS = 120.0  # seconds for git
WHOLE = 8 * LARGE  # bytes of a repository that are read


@dataclass(frozen=True)
class Offer:
    """The skills of a source by name, its commit, and its folders whose names no skill can have."""

    source: str
    commit: str
    skills: Mapping[str, Folder]
    nameless: tuple[str, ...] = ()


def find_offer(source: str) -> Offer:
    """Return the installable skills of a source. Raises Misuse, Trouble."""
    path = Path(os.path.expanduser(source))
    if path.is_dir():
        return _find_local(path.absolute())
    asked = REPOSITORY.fullmatch(source)
    if not asked:
        raise Misuse(
            f"{escape.one_line(source, 200)} is neither a folder nor owner/repository on GitHub, such as "
            "anthropics/skills (for a version, add @ and its tag, branch or commit)"
        )
    with tempfile.TemporaryDirectory(prefix="dotagent-skills-") as aside:
        return _find_in_archive(aside, asked[1], asked[2] or "HEAD", source)


def install(where: Home, found: Folder, source: str, commit: str) -> bool:
    """Write the skill into the home and record its source. Return False if the same version is installed. Raises Misuse
    if a folder of this name was not installed by dotagent."""
    disk.make_dir(where.skills)
    with disk.locked_dir(where.skills):
        partial_installs.sweep(where.skills)
        return _installed(where, found, source, commit)


def _installed(where: Home, found: Folder, source: str, commit: str) -> bool:
    """Do the same; the caller must have the lock of the skills' folder."""
    place, known = where.skills / found.name, record.read(where).pins.get(found.name)
    if os.path.lexists(place):
        if not known:
            raise Misuse(f"{place} exists but was not installed by dotagent; move it away, or rename the new skill")
        if not place.is_symlink() and folder.read_folder(where.skills.resolve(), found.name).id == found.id == known.id:
            return False
    aside = Path(tempfile.mkdtemp(prefix=".new-", dir=where.skills))
    try:
        for name, data in found.files.items():
            disk.make_dir((aside / name).parent)
            disk.replace(aside / name, data, mode=0o700 if name in found.programs else 0o600)
        record.put(where, record.pinned(Pin(found.name, source, commit, found.id, times.now()), found.name))
        if os.path.lexists(place):
            away = Path(tempfile.mkdtemp(prefix=".new-", dir=where.skills))
            place.rename(away / found.name)
            aside.rename(place)
            disk.sync_dir(where.skills)  # a power cut must not restore the old name without its files
            shutil.rmtree(away)
        else:
            aside.rename(place)
        disk.sync_dir(where.skills)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return True


def remove(where: Home, name: str) -> None:
    """Remove an installed skill and its records. Raises Misuse if it was not installed."""
    if name not in record.read(where).pins:
        there = os.path.lexists(where.skills / name)
        raise Misuse(f"dotagent did not install {name}; remove {where.skills / name} by hand" if there
                     else f"no skill {escape.one_line(name, 64)} is installed; `skills list` shows names")  # fmt: skip
    with disk.locked_dir(where.skills):
        record.put(where, record.trusting(None, "", name))
        if os.path.lexists(where.skills / name):
            away = Path(tempfile.mkdtemp(prefix=".new-", dir=where.skills))
            (where.skills / name).rename(away / name)
            disk.sync_dir(where.skills)
            shutil.rmtree(away)
        record.put(where, record.pinned(None, name))


def _find_local(path: Path) -> Offer:
    """Return the skill in a folder, or the skills in its subfolders."""
    real = Path(os.path.realpath(path))
    if any(os.path.lexists(real / name) for name in FILES):
        return _some(Offer(str(path), "", {real.name: folder.read_folder(real.parent, real.name)}))
    tops = [real, real / "skills"]
    found = {one.name: folder.read_folder(top, one.name) for top in tops for one in _find_folders(top)}
    return _some(Offer(str(path), "", found))


def _find_folders(top: Path) -> Iterator[os.DirEntry[str]]:
    for entry in sorted(os.scandir(top), key=lambda one: one.name) if top.is_dir() else ():
        plain = entry.is_dir(follow_symlinks=False)
        if plain and any(os.path.lexists(Path(entry) / name) for name in FILES):
            yield entry


def _find_in_archive(aside: str, repository: str, ref: str, source: str) -> Offer:
    """Return the skills of a repository at a ref, from git's own archive."""
    url = f"{HOST}/{repository.removesuffix('.git')}.git"
    _git(aside, "init", "-q", "--bare")
    _git(aside, "fetch", "-q", "--depth", "1", "--no-tags", url, ref)
    commit = _git(aside, "rev-parse", "FETCH_HEAD").decode().strip()
    files, programs, links = dict[str, bytes](), set[str](), list[str]()
    with tarfile.open(fileobj=io.BytesIO(_git(aside, "archive", "--format=tar", "FETCH_HEAD"))) as tar:
        for one in tar:
            if one.isreg() and (held := tar.extractfile(one)):
                files[one.name] = held.read()
                programs |= {one.name} if one.mode & 0o100 else set()
            elif not one.isdir():
                links.append(one.name)
    found = dict[str, Folder]()
    for main in sorted(name for name in files if name.rpartition("/")[2] in FILES):
        top, _, _ = main.rpartition("/")
        name, start = top.rpartition("/")[2] or repository.partition("/")[2], f"{top}/" if top else ""
        if odd := next((one for one in links if one.startswith(start)), ""):
            raise Misuse(
                f"{source}: {escape.one_line(odd, 100)} is a link; a skill can contain only files and directories"
            )
        mine = {path.removeprefix(start): data for path, data in files.items() if path.startswith(start)}
        runs = frozenset(path.removeprefix(start) for path in programs)
        found.setdefault(name, folder.build_folder(name, mine, runs))
    return _some(Offer(source, commit, found))


def _some(found: Offer) -> Offer:
    """Return the offer with names that a skill can have: the folder's name, otherwise the name in its SKILL.md, and if
    neither is such a name, one made from them."""
    good, odd = dict[str, Folder](), list[str]()
    for name, one in sorted(found.skills.items(), key=lambda pair: not NAME.fullmatch(pair[0])):
        said = str(form.read(one).fields.get("name", "")).strip()
        names = (name, said, folder.make_name(name), folder.make_name(said))
        told = next((one for one in names if NAME.fullmatch(one)), "")
        if told and told not in good:
            good[told] = replace(one, name=told)
        else:
            odd.append(name)
    if not good and odd:
        raise Misuse(
            f"{escape.one_line(odd[0], 100)} cannot be a skill's name; name the folder with 1 to 64 of a-z and "
            "0-9, and single hyphens between them"
        )
    if not good:
        raise Misuse(f"{escape.one_line(found.source, 200)} contains no skill, which is a folder with a {FILES[0]}")
    return Offer(found.source, found.commit, good, tuple(odd))


def _git(aside: str, *words: str) -> bytes:
    """Run git and return its output. No code of a repository runs, and git cannot ask for a password. Raises
    Trouble."""
    env = {**os.environ, "GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": "true", "GIT_LFS_SKIP_SMUDGE": "1"}
    try:
        done = subprocess.run(["git", "--git-dir", aside, *words], env=env, capture_output=True, timeout=SECONDS,
                              stdin=subprocess.DEVNULL, check=False)  # fmt: skip
    except FileNotFoundError:
        raise Trouble(
            "dotagent needs git to download skills, but git is not installed; install git, or give the path of a folder"
        ) from None
    except subprocess.TimeoutExpired:
        raise Trouble(f"git did not finish within {SECONDS:.0f} s, so nothing was installed") from None
    if done.returncode:
        said = escape.one_line(done.stderr.decode("utf-8", "replace").strip().split("\n")[-1], 200)
        raise Trouble(f"git {words[0]}: {said or done.returncode}; nothing was installed")
    if len(done.stdout) > WHOLE:
        raise Trouble(f"the repository has more than {amount(WHOLE)}; copy it and install one of its folders instead")
    return done.stdout
