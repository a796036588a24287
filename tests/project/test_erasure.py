"""What is forgotten in a project: gone from every file of its memory and what was rendered, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from unforgotten import traces

from dotagent.capabilities.learning import dream, review
from dotagent.erasure import matches
from dotagent.project import build, episodes, erasure, index, place, render, working
from dotagent.project.index import Wanted
from dotagent.project.place import Project

SECRET, TWIN = "staging answers to the password blue heron", "staging answers on port 8443"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = place.make(str(tmp_path))
    for session in ("one", "two"):
        for words in (SECRET, TWIN):
            working.observe(made, {"kind": "decision", "summary": words, "actor": "ana", "session": session})
    where = dream.memories(made, "ana")
    for one in dream.dream_of_project(made, "ana").new:
        review.graduate(where, one, "so it is")
    list(render.write(made.root, build.build(made, "ana")))
    return made


def test_it_is_gone_from_every_file_and_twins_stay(project: Project) -> None:
    assert len(traces(project.root, SECRET)) > 4
    found = matches.match_sentences(erasure.texts(project), "forget that staging answers to the password blue heron")
    assert [one.words for one in found if TWIN in one.words] == []
    sizes = {path: path.stat().st_size for path in episodes.list_files(project)}
    erasure.announce(project, [one.words for one in found])
    changed = erasure.finish(project)
    assert not traces(project.root, SECRET), traces(project.root, SECRET)
    assert any(path.startswith(".agent/memory/semantic") for path in traces(project.root, TWIN))
    assert "CLAUDE.md" in changed and not erasure.is_unfinished(project)
    assert {path: path.stat().st_size for path in episodes.list_files(project)} == sizes
    with index.open_index(project) as db:
        assert len(index.events(db, Wanted(), 100)) == 4
    assert not list((project.memory / "semantic").rglob("*heron*"))
    list(render.write(project.root, build.build(project, "ana")))
    assert not traces(project.root, SECRET) and traces(project.root, TWIN)
    assert not dream.dream_of_project(project, "ana").new


def test_it_is_gone_from_a_file_in_another_encoding_which_stays(project: Project) -> None:
    path = project.root / "CLAUDE.md"
    path.write_bytes(path.read_text().encode("utf-16"))
    erasure.announce(project, [SECRET])
    erasure.finish(project)
    text = path.read_bytes().decode("utf-16")
    assert SECRET not in text and TWIN in text


def test_what_a_death_left_is_done_by_the_next(project: Project) -> None:
    erasure.announce(project, [SECRET])
    path = project.memory / erasure.PROMISE
    kept = path.read_bytes()
    erasure.finish(project)
    path.write_bytes(kept)
    assert erasure.is_unfinished(project) and erasure.finish(project) == [] and not erasure.is_unfinished(project)
    assert json.loads(kept) == [SECRET]
