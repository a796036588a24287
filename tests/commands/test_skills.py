"""`dotagent skills`: what is installed is shown, and trusted by a person alone, in one version."""

from __future__ import annotations

import json
import os
import pty
import sys
from pathlib import Path

import pytest
from alive import Ended, forked
from planting import plant
from support import environment, run

from dotagent import commands, errors
from dotagent.processes.background import MARK
from dotagent.skills import record
from dotagent.store.home import Home


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return plant(tmp_path / "mine", "pdf", "Fill in PDFs.", body="Step \x1b[2Jone.", files={"scripts/a.sh": "true\n"})


def skills(where: Home, *words: str) -> Ended:
    def main() -> int:
        sys.argv = ["dotagent"]
        return errors.edge(lambda: commands.run("skills", ["--home", str(where.root), *words]))

    return forked(main)


def version(where: Home, name: str) -> str:
    rows = [json.loads(line) for line in skills(where, "list", "--json").out.split("\n")[:-1]]
    return next(str(row["version"]) for row in rows if row["name"] == name)


@pytest.mark.night
def test_install_show_trust_change_remove(where: Home, source: Path) -> None:
    done = skills(where, "install", str(source))
    assert done.status == 0 and "then `skills trust pdf`" in done.out
    shown = skills(where, "show", "pdf").out
    assert "not trusted" in shown and "scripts/a.sh" in shown and "␛[2Jone." in shown and str(source) in shown
    assert "installed  not trusted" in skills(where).out and "Fill in" not in skills(where).out
    done = skills(where, "trust", "pdf", "--id", version(where, "pdf")[:12], "--for", "private,group")
    assert done.status == 0 and "may use it: private, group" in done.out
    assert "Fill in PDFs." in skills(where).out
    (where.skills / "pdf" / "scripts" / "a.sh").write_text("false\n")
    shown = skills(where, "show", "pdf").out
    assert "changed for private, group" in shown and "scripts/a.sh, 6 B, changed" in shown
    assert "changed since it was installed" in shown
    assert "brings" not in skills(where, "install", str(source)).err and "changed" not in skills(where, "list").out
    assert skills(where, "distrust", "pdf").status == 0 and record.read(where).trusted == {}
    assert skills(where, "remove", "pdf").out == "skill pdf is removed\n"
    assert skills(where).out == "no skills yet\n"


@pytest.mark.parametrize(("words", "why"), [
    (("trust", "pdf"), "there is no terminal on which to ask you"),
    (("trust", "pdf", "--id", "0" * 12), "is now version"),
    (("trust", "pdf", "--id", ""), "--id is empty"),
    (("trust", "pdf", "--for", "everybody"), "the kinds are private, group, helper"),
    (("trust", "x"), "there is no skill x"),
    (("trust", "../pdf"), "there is no skill ../pdf"),
    (("distrust", "pdf"), "you trust no version of pdf"),
    (("remove", "x"), "no skill x is installed"),
    (("show",), "name is missing"),
    (("install", "no where"), "neither a folder nor owner/repository"),
])  # fmt: skip
def test_a_mistake_is_one_line(where: Home, source: Path, words: tuple[str, ...], why: str) -> None:
    skills(where, "install", str(source))
    done = skills(where, *words)
    assert done.status == 2 and why in done.err and done.err.count("\n") == 1, done


@pytest.mark.slow
def test_an_agent_decides_nothing(where: Home, source: Path) -> None:
    skills(where, "install", str(source))
    id = version(where, "pdf")
    for words in (("trust", "pdf", "--id", id), ("remove", "pdf"), ("install", str(source)), ("distrust", "pdf")):
        assert "only the owner" in run(where, "-m", "dotagent", "skills", *words, env={MARK: "x"}).stderr
    assert record.read(where).trusted == {} and version(where, "pdf") == id


def test_of_several_some_are_named_or_all(where: Home, tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        plant(tmp_path / "some", name)
    assert "the source has 3 skills: a, b, c" in skills(where, "install", str(tmp_path / "some")).err
    assert "no such skill" in skills(where, "install", str(tmp_path / "some"), "a", "z").err
    assert skills(where, "install", str(tmp_path / "some"), "a", "b").out.count("is installed") == 2
    assert skills(where, "install", str(tmp_path / "some"), "--all").out.count("is installed") == 1


def test_of_all_those_without_a_description_are_left_out(where: Home, tmp_path: Path) -> None:
    plant(tmp_path / "some", "a", "d" * 1025)  # a flaw, which `validate` names
    plant(tmp_path / "some", "b", " ")
    done = skills(where, "install", str(tmp_path / "some"), "--all")
    assert done.status == 1 and "a, version" in done.out and "b is not installed: the description" in done.err
    assert skills(where, "install", str(tmp_path / "some"), "b").status == 2


def test_of_all_those_of_which_no_name_can_be_made_are_named(where: Home, tmp_path: Path) -> None:
    for one in ("c", "C#"):
        plant(tmp_path / "some", one)
    done = skills(where, "install", str(tmp_path / "some"), "--all")
    assert done.status == 1 and "c, version" in done.out and "C# is not installed: rename this folder" in done.err


def test_validate_tells_every_flaw(where: Home, tmp_path: Path, source: Path) -> None:
    assert skills(where, "validate", str(source)).out == "pdf is a valid skill\n"
    bad = plant(tmp_path / "mine", "Bad")
    done = skills(where, "validate", str(bad))
    assert done.status == 1 and "cannot be a skill's name" in done.out
    (source / "out").symlink_to("/etc")
    assert "is a link" in skills(where, "validate", str(source)).out
    assert skills(where, "install", str(bad)).status == 0 and (where.skills / "bad").exists()


def test_a_folder_is_validated_without_a_home(tmp_path: Path, source: Path) -> None:
    nowhere = Home(tmp_path / "none")
    assert skills(nowhere, "validate", str(source)).out == "pdf is a valid skill\n"
    assert skills(nowhere, "validate", "pdf").status == 1 and not nowhere.root.exists()


def test_a_skill_without_a_description_is_not_trusted(where: Home) -> None:
    plant(where.skills, "x", " ")
    assert "cannot be used as a skill: the description of the skill is empty" in skills(where, "trust", "x").err


def test_the_list_says_why_a_skill_cannot_be_used(where: Home, capsys: pytest.CaptureFixture[str]) -> None:
    """It was called `not trusted`, as if trust could help."""
    plant(where.skills, "good")
    for name, data in {"odd": b"\x93\xff\x00", "bare": b"no fields", "My_Skill": b"---\nname: x\n"}.items():
        (where.skills / name).mkdir(parents=True)
        (where.skills / name / "SKILL.md").write_bytes(data)
    commands.run("skills", ["list", "--json", "--home", str(where.root)])
    told = {one["name"]: one for one in map(json.loads, capsys.readouterr().out.split("\n")[:-1])}
    assert [told[name]["state"] for name in ("odd", "bare", "good")] == ["refused", "refused", "not trusted"]
    assert told["My_Skill"]["state"] == "refused" and told["My_Skill"]["about"].startswith("rename this folder")
    commands.run("skills", ["--home", str(where.root)])
    assert "must begin with a frontmatter" in capsys.readouterr().out.replace("\n", " ")


def test_a_published_skill_is_used_and_its_flaws_are_shown(where: Home, tmp_path: Path) -> None:
    path = plant(tmp_path / "mine", "x")
    text = (path / "SKILL.md").read_text().replace("---\n", "---\nhomepage: https://example.org\nmetadata: {a: b}\n", 1)
    (path / "SKILL.md").write_text(text)
    assert skills(where, "install", str(path)).status == 0
    shown = skills(where, "show", "x").out
    assert "flaw: the frontmatter has an unknown field homepage" in shown and "without braces" in shown
    assert skills(where, "trust", "x", "--id", version(where, "x")).status == 0
    assert skills(where, "validate", "x").status == 1


@pytest.mark.parametrize(("answer", "trusted"), [("y", True), ("n", False), ("", False)])
def test_at_a_terminal_it_shows_and_asks(where: Home, answer: str, trusted: bool) -> None:
    plant(where.skills, "x", body="What it says.")
    pid, handle = pty.fork()
    if pid == 0:
        words = (sys.executable, "-m", "dotagent", "skills", "trust", "x", "--home", str(where.root))
        os.execvpe(sys.executable, words, environment(where))
    seen = b""
    while b"[y/N]" not in seen:
        seen += os.read(handle, 4096)
    os.write(handle, answer.encode() + b"\n")
    assert b"What it says." in seen and (os.waitpid(pid, 0)[1] == 0) is trusted
    os.close(handle)
    assert (record.read(where).trust("", "x") is not None) is trusted


def test_status_shows_them_as_far_as_they_are_trusted(where: Home, source: Path) -> None:
    skills(where, "install", str(source))

    def main() -> int:
        return commands.run("status", ["--home", str(where.root)])

    assert "pdf    installed  not trusted" in forked(main).out
