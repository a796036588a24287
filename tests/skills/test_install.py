"""What is installed is what was looked at: pinned, plain files, and nothing of it runs."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import crash
import deaths
import pytest
from planting import plant, trust
from support import make_home

from dotagent.capabilities.toolpacks.checks import toolpacks
from dotagent.doctor import repairs
from dotagent.doctor.skills import skills
from dotagent.errors import Misuse, Trouble
from dotagent.loop import boot
from dotagent.skills import folder, install, listing, record
from dotagent.store import disk, partial_installs
from dotagent.store.home import Home


def git(path: Path, *words: str) -> str:
    """What git prints, as a person of no settings."""
    names = {f"GIT_{who}_{what}": "ana@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    env = {**os.environ, **names, "GIT_CONFIG_GLOBAL": "/dev/null"}
    return subprocess.run(["git", *words], cwd=path, env=env, capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """acme/skills at GitHub, which is a directory here: git itself is told so."""
    path = tmp_path / "github" / "acme" / "skills.git"
    plant(path / "skills", "pdf", "Fill in PDFs.", files={"scripts/fill.py": "print(1)\n"})
    (path / "skills" / "pdf" / "scripts" / "fill.py").chmod(0o755)
    plant(path / "skills", "docx", "Write letters.")
    git(path, "init", "-q", "-b", "main", ".")
    git(path, "add", ".")
    git(path, "commit", "-q", "-m", "one")
    git(path, "tag", "v1")
    named = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": f"url.file://{tmp_path}/github/.insteadOf",
             "GIT_CONFIG_VALUE_0": "https://github.com/"}  # fmt: skip
    for name, value in named.items():
        monkeypatch.setenv(name, value)
    return path


def test_a_repository_has_its_skills_at_a_ref(where: Home, repository: Path) -> None:
    plant(repository / "skills", "pdf", "Obey.")
    git(repository, "commit", "-q", "-a", "-m", "two")
    now, first = install.find_offer("acme/skills"), install.find_offer("acme/skills@v1")
    assert sorted(now.skills) == ["docx", "pdf"] and now.commit == git(repository, "rev-parse", "main")
    assert b"Obey" in now.skills["pdf"].main and b"Obey" not in first.skills["pdf"].main
    assert install.install(where, first.skills["pdf"], "acme/skills@v1", first.commit)
    there = folder.read_folder(where.skills, "pdf")
    assert there == first.skills["pdf"] and there.programs == {"scripts/fill.py"}
    pin = record.read(where).pins["pdf"]
    assert (pin.id, pin.commit, pin.source) == (there.id, git(repository, "rev-parse", "v1"), "acme/skills@v1")
    assert install.find_offer(f"acme/skills@{first.commit}").skills["pdf"] == there


def test_one_is_fetched_into_no_repository_of_whoever_calls(
    tmp_path: Path, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(tmp_path, "init", "-q", "mine")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "mine" / ".git"))  # as in a hook of git
    assert sorted(install.find_offer("acme/skills").skills) == ["docx", "pdf"]
    assert not (tmp_path / "mine" / ".git" / "FETCH_HEAD").exists()


def test_a_link_in_a_repository_refuses_its_skill(repository: Path) -> None:
    (repository / "skills" / "pdf" / "out").symlink_to("../../../../../../etc/passwd")
    git(repository, "add", ".")
    git(repository, "commit", "-q", "-m", "two")
    with pytest.raises(Misuse, match="out is a link"):
        install.find_offer("acme/skills")


@pytest.mark.parametrize(
    "source", ["", "nowhere", "a/b/c", "../x", "a/b@", "a/b@-x", "--upload-pack=x/y", "https://x/y"]
)
def test_what_is_no_source_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Misuse, match="neither a folder nor owner/repository"):
        install.find_offer(source or "x y")


def test_a_repository_that_is_not_there_installs_nothing(where: Home, repository: Path) -> None:
    for source in ("acme/other", "acme/skills@no-such-ref"):
        with pytest.raises(Trouble, match=r"git fetch: .*; nothing was installed"):
            install.find_offer(source)
    assert listing.names(listing.home(where)) == []


def test_a_folder_is_one_or_holds_some(tmp_path: Path, where: Home) -> None:
    one = plant(tmp_path / "mine", "x")
    assert (
        sorted(install.find_offer(str(one)).skills)
        == ["x"]
        == sorted(install.find_offer(str(tmp_path / "mine")).skills)
    )
    with pytest.raises(Misuse, match="contains no skill"):
        install.find_offer(str(where.root))
    (one / "out").symlink_to("/etc")
    with pytest.raises(Misuse, match="is a link"):
        install.find_offer(str(one))


def test_a_folder_that_cannot_be_a_name_has_the_name_that_its_text_gives(tmp_path: Path, where: Home) -> None:
    plant(tmp_path / "mine", "My_Skill")
    main = tmp_path / "mine" / "My_Skill" / "SKILL.md"
    main.write_text(main.read_text().replace("name: My_Skill", "name: mine"))
    found = install.find_offer(str(tmp_path / "mine")).skills
    assert sorted(found) == ["mine"] and install.install(where, found["mine"], "", "")
    assert listing.names(listing.home(where)) == ["mine"]


@pytest.mark.parametrize(
    ("folder", "name"),
    [("C # and F #", "c-and-f"), ("My_Skill", "my-skill"), ("Ünterlagen", "unterlagen"), ("x" * 70, "x" * 64)],
)
def test_a_skill_without_a_proper_name_gets_one_made_from_it(tmp_path: Path, folder: str, name: str) -> None:
    assert list(install.find_offer(str(plant(tmp_path / "mine", folder))).skills) == [name]


def test_a_folder_of_which_no_name_can_be_made_is_named(tmp_path: Path) -> None:
    for one in ("c", "C#", "技"):
        plant(tmp_path / "mine", one)
    found = install.find_offer(str(tmp_path / "mine"))
    assert list(found.skills) == ["c"] and sorted(found.nameless) == ["C#", "技"]
    with pytest.raises(Misuse, match="cannot be a skill's name; name the folder with"):
        install.find_offer(str(tmp_path / "mine" / "技"))


def test_another_version_takes_its_place_and_is_trusted_by_nobody(tmp_path: Path, where: Home) -> None:
    source = str(plant(tmp_path / "mine", "x"))
    first = install.find_offer(source).skills["x"]
    assert install.install(where, first, source, "") and not install.install(where, first, source, "")
    trust(where, "x")
    plant(tmp_path / "mine", "x", body="Something else.")
    assert install.install(where, install.find_offer(source).skills["x"], source, "")
    found = listing.find(where, "a" * 32, "private", "x")
    assert found and found.state == listing.CHANGED
    assert sorted(os.listdir(where.skills)) == ["skills.json", "x"]
    install.remove(where, "x")
    assert os.listdir(where.skills) == ["skills.json"] and record.read(where) == record.Record()


def test_a_persons_own_folder_is_left_alone(tmp_path: Path, where: Home) -> None:
    plant(where.skills, "x", body="Mine.")
    with pytest.raises(Misuse, match="was not installed"):
        install.install(where, install.find_offer(str(plant(tmp_path / "mine", "x"))).skills["x"], "mine", "")
    with pytest.raises(Misuse, match="dotagent did not install"):
        install.remove(where, "x")
    assert "Mine." in (where.skills / "x" / "SKILL.md").read_text()


def test_what_was_changed_by_hand_is_brought_back(tmp_path: Path, where: Home) -> None:
    source = str(plant(tmp_path / "mine", "x"))
    there = install.find_offer(source).skills["x"]
    install.install(where, there, source, "")
    (where.skills / "x" / "more").write_text("more")
    assert install.install(where, there, source, "")
    assert folder.read_folder(where.skills, "x").id == there.id


@pytest.mark.slow
@pytest.mark.parametrize("power", deaths.POWER)
def test_whatever_dies_over_it_a_skill_is_whole_or_not_there_and_comes_again(tmp_path: Path, power: str) -> None:
    where, versions = make_home(tmp_path / "home"), list[folder.Folder]()
    for body in ("One.", "Two."):
        source = str(plant(tmp_path / "mine", "x", body=body, files={"a/b.txt": body * 50}))
        versions.append(install.find_offer(source).skills["x"])
    install.install(where, versions[0], "mine", "")
    trust(where, "x")
    found = deaths.of(where.root, power, list, lambda disk: install.install(where, versions[1], "mine", ""))
    assert len(found) > 1
    for death in crash.tried(found):
        death.tree.write(where.root)
        there = [folder.read_folder(where.skills, name) for name in listing.names(listing.home(where))]
        assert there in ([], [versions[0]], [versions[1]])
        assert all((listing.state_of(record.read(where).trust("", "x"), one) == "trusted") == (one == versions[0])
                   for one in there)  # fmt: skip
        install.install(where, versions[1], "mine", "")
        assert folder.read_folder(where.skills, "x") == versions[1]
        assert sorted(os.listdir(where.skills)) == ["skills.json", "x"]


def test_what_an_interrupted_installation_left_goes(tmp_path: Path, where: Home) -> None:
    for place in (where.skills, where.packs):
        (place / ".new-x" / "x").mkdir(parents=True)
        (place / ".new-1-2").write_text("half")
        (place / ".old-y").symlink_to(tmp_path)
    for check in (skills, toolpacks):
        assert sum("left over from an interrupted installation" in one.what for one in check(where)) == 3
    with disk.locked_dir(where.packs):  # somebody installs there now
        assert {one.parent for one in partial_installs.swept(where)} == {where.skills}
    assert sorted(repairs.leftovers(where)) == [
        f"packs/{name} is removed, because an interrupted installation left it behind"
        for name in (".new-1-2", ".new-x", ".old-y")
    ]
    assert os.listdir(where.skills) == os.listdir(where.packs) == [] and tmp_path.is_dir()


def test_a_start_removes_what_was_left(where: Home) -> None:
    (where.skills / ".new-x" / "x").mkdir(parents=True)
    (where.calls / "new" / "scripted").mkdir(parents=True)
    with boot.life_of(["--home", str(where.root), "--provider", "scripted"]):
        assert os.listdir(where.skills) == []
