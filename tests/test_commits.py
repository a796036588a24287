"""`.ci/commits` accepts the commits that CONTRIBUTING shows, and names what is wrong with others."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from support import ROOT

WHO = {"GIT_AUTHOR_NAME": "ana", "GIT_AUTHOR_EMAIL": "ana@example.org"}
WHO |= {"GIT_COMMITTER_NAME": "ana", "GIT_COMMITTER_EMAIL": "ana@example.org"}
WRONG = {
    "Let " + "x" * 70: "it has 74 characters, and may have 72",
    "let it be": "it begins without a capital letter",
    "Let it be.": "it ends with a full stop",
    "WIP more": "the commit is not finished",
}


def commit(where: Path, message: str) -> None:
    """Commit nothing with this message."""
    git(where, "commit", "-q", "--allow-empty", "--cleanup=verbatim", "-m", message)


def git(where: Path, *words: str) -> None:
    """Run git there."""
    subprocess.run(["git", *words], cwd=where, env={**os.environ, **WHO}, check=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository that had commits before the check was added."""
    git(tmp_path, "init", "-q")
    commit(tmp_path, "an old subject that no rule was there for yet.")
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "commits", tmp_path / ".ci" / "commits")
    git(tmp_path, "add", ".")
    commit(tmp_path, "Check the subjects of commits")
    return tmp_path


def check(where: Path) -> subprocess.CompletedProcess[str]:
    """Run the check there."""
    return subprocess.run([where / ".ci" / "commits"], capture_output=True, text=True, check=False)


def test_the_commits_that_contributing_shows_are_accepted(repository: Path) -> None:
    part = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("## Commits")[2].partition("\n## ")[0]
    shown = re.findall(r"^    (.*)$", part, re.MULTILINE)
    for subject in shown[:3]:
        commit(repository, f"{subject}\n\n{shown[3]}\n")
    done = check(repository)
    assert len(shown) == 4 and (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("message", WRONG)
def test_a_subject_of_another_form_is_named(repository: Path, message: str) -> None:
    commit(repository, message)
    commit(repository, "Let it be")
    done = check(repository)
    assert done.returncode == 1 and f"{message}: {WRONG[message]}" in done.stderr and done.stderr.count("\n") == 1
