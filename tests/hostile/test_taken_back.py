"""Everything from one source is found by the source's name: each source against each place, in four languages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from claims import CLAIMS, SKILL, bring
from world import World, world

from dotagent import tools
from dotagent.compaction import swap
from dotagent.compaction.summary import Summary
from dotagent.erasure import matches, sweep
from dotagent.life.compaction_events import Summed
from dotagent.life.events import Reply
from dotagent.text import source_marks
from dotagent.text.grammar import ToolCall

SOURCES = {  # by what a request names it
    "import": "import",
    "mail": "what ana passed on",
    "page": "evil.example",
    "file": "notes/mail.txt",
    "member": "eve",
}
PLACES = {  # what the model does with a claim, and where the claim is found; {0} is a number
    "NOTE {1}": r"memory/\d",
    "REMEMBER {1}": "MEMORY.md",
    "ADD_TO_FILE USER.md\n- **Office {0}:** {1}\n": "CANDIDATE|USER.md",
    "ADD_TO_FILE AGENTS.md\n- {1}\n": "AGENTS.md",
    "REMIND in 10 minutes: {1}": "jobs/",
    f"WRITE_FILE skills/s{{0}}/SKILL.md\n{SKILL}": "skills/",
    "WRITE_FILE memory/semantic/rules/work/{0}.md\n# {1}\n": "rules/",
    "WRITE_FILE memory/personal/p{0}/profile.yaml\noffice: {1}\n": "profile.yaml",
    "a summary": "SUMMARY",
    "an answer": "REPLY",
}
LANGUAGES = ("en", "de", "fr", "zh")
REFUSED = {"ADD_TO_FILE USER.md", "ADD_TO_FILE AGENTS.md", "WRITE_FILE memory/personal/p{0}/profile.yaml"}  # in a group
CASES = [(place, language) for place in PLACES for language in LANGUAGES]
EDIT = "Ana likes rye bread and tea."


def claim(place: str, language: str) -> str:
    return CLAIMS[language].format(100 + CASES.index((place, language)))


@pytest.fixture(scope="module", params=SOURCES)
def life(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[World, str]]:
    """A life that heard each claim from its source, and wrote it down in its place."""
    source, home = request.param, tmp_path_factory.mktemp(request.param)
    (home / "dotagent.toml").write_text('owner = "ana"\ncontext_limit = 400000\n[policy]\nall = "allow"\n')
    words = ("--audience", "group", "--room", "dev") if source == "member" else ()
    with world(home, lambda messages, call: "WAIT", *words) as here:
        if source == "import":
            rows = "".join(f"- {claim(*case)}\n" for case in CASES)
            (here.session.path / "USER.md").write_text(f"# USER\n\n{rows}\n{source_marks.BELOW}\n")
        for case in CASES if source != "import" else ():
            if source == "member":
                here.say(claim(*case), "eve")
                here.run()
            else:
                bring(here, source, claim(*case))
        here.say("please note all of that")
        here.run()
        for number, (place, language) in enumerate(CASES):
            _write(here, place, number, claim(place, language))
        if source == "import":
            text = (here.session.path / "USER.md").read_text()
            (here.session.path / "USER.md").write_text(text.replace("# USER\n", f"# USER\n\n- {EDIT}\n"))
        here.say("hello again")
        here.run()
        yield here, source


def _write(here: World, place: str, number: int, said: str) -> None:
    if place == "a summary":
        made = swap.marked(here.session, here.session.entries, Summary(5, said, f"ana: {said}"))
        here.session.record(Summed("1-2", "0" * 32, 5), made.text.encode())
    elif place == "an answer":
        here.session.record(Reply(), said.encode())
    else:
        call, _, body = place.format(number, said).partition("\n")
        tool, _, rest = call.partition(" ")
        try:
            tools.act(here.session, ToolCall(tool, rest, body or None))
        except tools.ToolError:
            assert (
                place.startswith("ADD_TO_FILE") or place.partition("\n")[0] in REFUSED
            )  # it is a proposal, or refused


@pytest.mark.slow
def test_what_rests_on_a_source_is_taken_back_by_its_name(life: tuple[World, str]) -> None:
    here, source = life
    found = matches.find_choices(here.where, f"everything from {SOURCES[source]}")
    missed = [
        (place, language)
        for place, language in CASES
        if not (source == "member" and place.partition("\n")[0] in REFUSED)
        and not any(
            claim(place, language).rstrip(".。") in one.words and re.search(PLACES[place], " ".join(one.places))
            for one in found.tellings
        )
    ]
    assert not missed
    assert not any(EDIT in one.words for one in found.tellings)
    assert [one.words for one in found.doubtful] == ([EDIT] if source == "import" else [])  # shown before the yes


def test_a_reminder_that_rests_on_a_source_goes_with_it(tmp_path: Path) -> None:
    (tmp_path / "dotagent.toml").write_text('[policy]\nall = "allow"\n')
    with world(tmp_path, lambda messages, call: "WAIT") as here:
        bring(here, "file", claim(*CASES[0]))
        here.say("please remind me of that")
        here.run()
        tools.act(here.session, ToolCall("REMIND", f"in 10 minutes: {claim(*CASES[0])}", None))
        found = matches.find_choices(here.where, "everything from notes/mail.txt")
        where = here.where
    sweep.announce(where, [one.words for one in found.listed() if not one.doubt], "ana", [])
    sweep.finish(where, 60)
    assert found.tellings and not list((where.root / "jobs").glob("*.toml"))
    assert not [
        one for one in matches.find_choices(where, "everything from notes/mail.txt").listed() if "Harbour" in one.words
    ]
