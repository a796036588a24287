"""merging: a backup is restored beside what is there, and what is said of it is what is there."""

from __future__ import annotations

import io
import os
import random
import shutil
from pathlib import Path

import pytest

from dotagent.capabilities.backup import archive, merging
from dotagent.capabilities.backup.merging import KEPT, REFUSE, REPLACE, Merged
from dotagent.errors import Trouble
from dotagent.store.home import Home

LIFE = "agents/" + "0123456789abcdef" * 2
FILES = {
    "SOUL.md": "a soul",
    "dotagent.toml": 'owner = "ana"\n',
    "jobs/remind-1.toml": "at = 1\n",
    "skills/greet/SKILL.md": "Greets people.",
    "skills/greet/scripts/go.sh": "#!/bin/sh\n",
    "packs/shop/pack.toml": "[openapi]\n",
    "memory/2026/note.md": "a note",
    "blobs/ab/ab12": "a blob",
    "blobs/packs/000001.pack": "a pack",
    "chats/dev.md": "[USER:ana] hello\n",
    f"{LIFE}/LIFE.md": "BOOT\n",
    f"{LIFE}/files/run.py": "print()\n",
}
RUNS = ("skills/greet/scripts/go.sh", f"{LIFE}/files/run.py")
LINK = f"{LIFE}/subs/dev.md"


def lay(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
        (root / name).chmod(0o700 if name in RUNS else 0o600)


@pytest.fixture
def packed(tmp_path: Path) -> bytes:
    """A backup of a home with something of each kind."""
    lay(tmp_path / "old", FILES)
    (tmp_path / "old" / LINK).parent.mkdir()
    (tmp_path / "old" / LINK).symlink_to("../../../chats/dev.md")
    out = io.BytesIO()
    assert archive.write(Home(tmp_path / "old"), out).files == len(FILES)
    return out.getvalue()


def restore(packed: bytes, root: Path, choice: str = REFUSE) -> Merged:
    return merging.read(io.BytesIO(packed), Home(root), choice=choice)


def same(root: Path) -> set[str]:
    """The backup's files that are in this home as they were, with their modes."""
    return {name for name, text in FILES.items() if os.path.lexists(root / name) and (root / name).is_file()
            and (root / name).read_text() == text
            and (root / name).stat().st_mode & 0o777 == (0o700 if name in RUNS else 0o600)}  # fmt: skip


@pytest.mark.parametrize("folder", ["jobs", "skills", "packs", "memory", "agents", "blobs", "chats", LIFE])
def test_a_folder_that_is_there_already_hides_nothing_of_the_backup(tmp_path: Path, packed: bytes, folder: str) -> None:
    (tmp_path / "new" / folder).mkdir(parents=True)
    found = restore(packed, tmp_path / "new")
    assert (found.files, found.kept, found.replaced, found.wrong) == (len(FILES), (), (), ())
    assert same(tmp_path / "new") == set(FILES)
    assert os.readlink(tmp_path / "new" / LINK) == "../../../chats/dev.md"


def test_a_skill_that_is_there_stays_beside_those_of_the_backup(tmp_path: Path, packed: bytes) -> None:
    lay(tmp_path / "new", {"skills/other/SKILL.md": "mine", "skills/greet/more.md": "mine"})
    assert restore(packed, tmp_path / "new").files == len(FILES)
    assert (tmp_path / "new/skills/other/SKILL.md").read_text() == "mine"
    assert (tmp_path / "new/skills/greet/more.md").read_text() == "mine"


def test_another_file_of_that_name_is_refused_by_name_and_nothing_changes(tmp_path: Path, packed: bytes) -> None:
    lay(tmp_path / "new", {"jobs/remind-1.toml": "mine"})
    with pytest.raises(Trouble, match=r"1 file with other content: jobs/remind-1\.toml; add --existing"):
        restore(packed, tmp_path / "new")
    assert sorted(os.listdir(tmp_path / "new")) == ["jobs"]


def test_what_is_there_is_kept_or_replaced_as_chosen_and_named(tmp_path: Path, packed: bytes) -> None:
    lay(tmp_path / "new", {"jobs/remind-1.toml": "mine"})
    shutil.copytree(tmp_path / "new", tmp_path / "two")
    found = restore(packed, tmp_path / "new", KEPT)
    assert (found.files, found.kept) == (len(FILES) - 1, ("jobs/remind-1.toml",))
    assert (tmp_path / "new/jobs/remind-1.toml").read_text() == "mine"
    found = restore(packed, tmp_path / "two", REPLACE)
    assert (found.files, found.replaced) == (len(FILES), ("jobs/remind-1.toml",))
    assert same(tmp_path / "two") == set(FILES)


def test_two_packs_of_one_number_are_both_there(tmp_path: Path, packed: bytes) -> None:
    lay(tmp_path / "new", {"blobs/packs/000001.pack": "mine"})
    restore(packed, tmp_path / "new")
    there = tmp_path / "new/blobs/packs"
    assert [(there / name).read_text() for name in sorted(os.listdir(there))] == ["mine", "a pack"]


@pytest.mark.parametrize("way", ["link", "file", "folder"])
def test_what_is_in_the_way_is_named(tmp_path: Path, packed: bytes, way: str) -> None:
    root, outside = tmp_path / "new", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    if way == "link":
        (root / "jobs").symlink_to(outside)
    elif way == "file":
        (root / "jobs").write_text("")
    else:
        (root / "jobs/remind-1.toml").mkdir(parents=True)
    with pytest.raises(Trouble, match=r"in the way of jobs/remind-1\.toml; move it away"):
        restore(packed, root, REPLACE)
    assert not list(outside.iterdir())


@pytest.mark.parametrize("name", ["two\nlines", "\udcff", "a\\b", " ", "💡" * 60, "x" * 250, "-", "a:b*?"])
def test_a_file_of_the_workspace_comes_back_whatever_its_name(tmp_path: Path, name: str) -> None:
    lay(tmp_path / "old", {**FILES, f"{LIFE}/files/{name}": "mine"})
    archive.write(Home(tmp_path / "old"), out := io.BytesIO())
    assert restore(out.getvalue(), tmp_path / "new").files == len(FILES) + 1
    assert (tmp_path / "new" / LIFE / "files" / name).read_text() == "mine"


def test_a_link_that_a_command_made_hinders_no_restore(tmp_path: Path) -> None:
    lay(tmp_path / "old", FILES)
    (tmp_path / "old" / LIFE / "files/link").symlink_to("../../../chats/dev.md")
    kept = archive.write(Home(tmp_path / "old"), out := io.BytesIO())
    assert kept.strange == (f"{LIFE}/files/link",)
    assert restore(out.getvalue(), tmp_path / "new").files == len(FILES)


PAIRS = [seed if seed < 20 else pytest.param(seed, marks=pytest.mark.night) for seed in range(200)]


@pytest.mark.parametrize("seed", PAIRS)
def test_what_is_said_is_what_is_there_in_any_home(tmp_path: Path, seed: int) -> None:
    """Any backup, and a home that is empty, used, half restored, or has folders lying there."""
    chance, root, told = random.Random(seed), tmp_path / "new", {"SOUL.md": "a soul"}
    for name in chance.sample(sorted(FILES), chance.randint(1, len(FILES))):
        told[name] = chance.choice([FILES[name], "", "ünd\n" * chance.randint(1, 5000)])
    lay(tmp_path / "old", told)
    archive.write(Home(tmp_path / "old"), out := io.BytesIO())
    for name in chance.sample(sorted({*FILES, *told}), chance.randint(0, len(FILES))):
        way = chance.choice(["same", "other", "folder", "mode"])
        if way == "folder":
            (root / name).parent.mkdir(parents=True, exist_ok=True)
        else:
            lay(root, {name: "mine" if way == "other" else told.get(name, "mine")})
            (root / name).chmod(0o640 if way == "mode" else (root / name).stat().st_mode)
    if chance.random() < 0.3:  # a restore that was killed
        lay(root / ".restoring", {"SOUL.md": "half", "jobs/remind-9.toml": "half"})
    choice = chance.choice(merging.CHOICES)
    mine = contents(root)
    try:
        found = merging.read(io.BytesIO(out.getvalue()), Home(root), choice=choice)
    except Trouble as refused:
        assert choice == REFUSE
        assert any(name in str(refused) for name in told if mine.get(name, told[name]) != told[name])
        assert contents(root) == mine
        return
    assert not found.wrong
    assert not (root / ".restoring").exists()
    there = contents(root)
    pack = "blobs/packs/000001.pack"
    assert pack not in told or told[pack] in {text for name, text in there.items() if name.startswith("blobs/packs/")}
    plain = {*told} - {pack}
    modes = {name: (root / name).stat().st_mode & 0o777 for name in plain - {*found.kept}}
    assert {name: there[name] for name in modes} == {name: told[name] for name in modes}
    assert modes == {name: 0o700 if name in RUNS else 0o600 for name in modes}
    assert found.files == len(told) - len(found.kept)
    assert {name: there[name] for name in found.kept} == {name: mine[name] for name in found.kept}
    assert all(mine[name] != told[name] for name in (*found.kept, *found.replaced))
    assert {name: there.get(name) for name in mine if name not in told} == {
        name: text for name, text in mine.items() if name not in told
    }


def contents(root: Path) -> dict[str, str]:
    """The files of a home, without those of a restore that was killed."""
    return {name: one.read_text() for one in root.rglob("*")
            if one.is_file() and not (name := str(one.relative_to(root))).startswith(".restoring")}  # fmt: skip
