"""`capabilities` in settings says which are on. One that is off does nothing, and goes on once it is on again."""

from __future__ import annotations

import re
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from clocked import START, hours, look, write
from code_read import length
from support import ROOT, environment
from world import events, said, world

from dotagent import capabilities, contract, tools
from dotagent.capabilities.supervisor import stopped
from dotagent.capabilities.supervisor.todo import Sleeper
from dotagent.store import home, rooms
from dotagent.store.home import SETTINGS, Home

JOB = 'at = "2026-11-23T09:00"\nzone = "UTC"\nroom = "dev"\ntext = "tea"\n'
OFF = ("dotagent.erasure", "dotagent.search", "dotagent.sandbox", "dotagent.compaction.compactor", "dotagent.doctor")

MOST_MODULES, MOST_LINES = 73, 9_980  # that an agent loads without capabilities; the aim is 60 and 7,500
MOST_MODULES_TO_ANSWER, MOST_LINES_TO_ANSWER = 86, 11_310  # the same, once it has answered, also if that took long
LONG = [ROOT / "dotagent" / one for one in ("life/overdue_calls.py", "store/taken_calls.py")]  # loaded if it takes long


def test_all_are_on_unless_settings_say_which(where: Home) -> None:
    assert home.settings(where).capabilities == capabilities.names()
    assert {*contract.list_chosen(home.settings(where))} == {*contract.find_all().values()}
    (where.root / SETTINGS).write_text('capabilities = ["learning"]\n')
    assert contract.list_chosen(home.settings(where)) == (contract.find_all()["learning"],)


def test_an_agent_without_any_talks_and_has_no_tool_of_one(tmp_path: Path) -> None:
    home.prepare(where := Home(tmp_path))
    (tmp_path / SETTINGS).write_text("capabilities = []\n")
    seen = list[str]()

    def model(messages: list[object], call: object) -> str:
        seen.append(str(messages))
        return "well"

    with world(tmp_path, model) as here:
        here.say("hello")
        here.run()
        assert said(where) == ["well"]
        assert "remind" not in tools.list_names(here.session)
        assert stopped.processes(here.session.settings) == ()
    assert "REMIND" not in seen[0]


def test_a_run_waits_while_the_scheduler_is_off(tmp_path: Path) -> None:
    with world(tmp_path, lambda messages, call: "it is time") as here:
        here.say("hello")
        here.run()
        write(here.where, "tea", JOB, START - timedelta(hours=1))
        look(here.where, hours(1))
        self_id = here.session.id
    (tmp_path / SETTINGS).write_text("capabilities = []\n")
    assert Sleeper(Home(tmp_path), self_id).why(home.settings(Home(tmp_path))) == ""
    with world(tmp_path, lambda messages, call: "it is time") as here:
        here.run()
        assert events(here, "WAKE") == []
    (tmp_path / SETTINGS).unlink()
    assert Sleeper(Home(tmp_path), self_id).why(home.settings(Home(tmp_path))) == "a job"
    with world(tmp_path, lambda messages, call: "it is time") as here:
        here.run()
        assert len(events(here, "WAKE")) == 1


def test_a_setting_of_one_that_is_off_is_reported(where: Home) -> None:
    """Else a person would believe that old events go."""
    (where.root / SETTINGS).write_text('capabilities = ["learning"]\n[retention]\nepisodes = 30\n')
    assert home.settings(where).idle == ("retention has no effect: erasure is off",)
    (where.root / SETTINGS).write_text('capabilities = ["learning", "erasure"]\n[retention]\nepisodes = 30\n')
    assert home.settings(where).idle == ("retention has no effect: scheduler is off",)
    (where.root / SETTINGS).write_text("dream = false\n[retention]\nepisodes = 30\n")
    assert home.settings(where).idle == ()
    (where.root / SETTINGS).write_text('capabilities = ["web"]\n[hooks.mine]\non = "turn"\nrun = "true"\n[web]\n')
    assert home.settings(where).idle == ("hooks has no effect: hooks is off",)
    (where.root / SETTINGS).write_text(
        'capabilities = ["hooks"]\n[hooks.soul-evil]\nenabled = true\n[web]\nhosts = ["example.org"]\n'
    )
    assert home.settings(where).idle == ("web has no effect: web is off",)
    (where.root / SETTINGS).write_text(
        'capabilities = []\nfallback = ["offline"]\nsystem_prompt_extra = "Be kind."\n'
        "[agents.0123456789abcdef]\nbudget = { tokens_a_day = 1 }\n"
    )
    assert home.settings(where).idle == (
        "budget has no effect: budget is off",
        "fallback has no effect: fallback is off",
        "system_prompt_extra has no effect: persona is off",
    )


def test_a_misspelt_one_is_reported_and_stops_nothing(where: Home, capsys: pytest.CaptureFixture[str]) -> None:
    (where.root / SETTINGS).write_text('capabilities = ["schedular", "learning"]\n')
    with world(where.root, lambda messages, call: "well") as here:
        here.say("hello")
        here.run()
    told = capsys.readouterr().err
    assert told.count("'schedular' is not installed here: did you mean scheduler?") == 1


LOADS = """
import runpy, sys
sys.argv = ["agent.py", "--home", sys.argv[1], "--provider", "offline", "--until-idle"]
try:
    runpy.run_path(AGENT, run_name="__main__")
finally:
    print("loaded:", *sorted(name for name in sys.modules if name.startswith("dotagent.")))
"""


def loaded_files(where: Home) -> list[Path]:
    """Run an agent without capabilities in this home until it is idle, and return the files of dotagent that it loaded.
    It may load a capability's records, without which events could not be folded, and what must not wait."""
    (where.root / SETTINGS).write_text("capabilities = []\n")
    words = [sys.executable, "-c", LOADS.replace("AGENT", repr(str(ROOT / "agent.py"))), str(where.root)]
    env = {name: value for name, value in environment().items() if not name.startswith("DOTAGENT_")}  # no settings
    done = subprocess.run(words, cwd=ROOT, env=env, capture_output=True, text=True, check=True)
    loaded = done.stdout.partition("loaded: ")[2].split()
    assert "dotagent.loop.inbox" in loaded
    assert not [name for name in loaded if name.startswith(OFF)]
    parts = {name.split(".")[3] for name in loaded if name.startswith("dotagent.capabilities.") and name.count(".") > 2}
    assert parts <= {"record", "opening"}
    files = {Path(name.replace(".", "/")) for name in loaded}
    return [one for path in files for one in (ROOT / f"{path}.py", ROOT / path / "__init__.py") if one.exists()]


def test_an_agent_loads_no_code_of_capabilities_that_are_off(where: Home) -> None:
    there = loaded_files(where)
    assert len(there) <= MOST_MODULES
    assert sum(map(length, there)) <= MOST_LINES


def test_the_architecture_page_lists_files_that_every_agent_loads(where: Home) -> None:
    page = (ROOT / "docs/architecture.md").read_text("utf-8")
    core = page.partition("<!-- core -->\n")[2].partition("<!-- end -->")[0]
    listed = {ROOT / name for name in re.findall(r"^\| `([\w/]+\.py)` \|", core, re.MULTILINE)}
    assert len(listed) > 9
    assert listed <= {ROOT / "agent.py", *loaded_files(where)}
    files, lines = re.findall(r"loads about (\d+) files with ([\d,]+) lines", page)[0]
    assert abs(int(files) - MOST_MODULES) <= 5 and abs(int(lines.replace(",", "")) - MOST_LINES) <= 500


def test_an_answer_loads_no_code_of_capabilities_that_are_off(where: Home) -> None:
    """Nor of tools that the model did not call, although its prompt describes them."""
    home.prepare(where)
    rooms.create(where.room("dev"), "private")
    rooms.append(where.room("dev"), rooms.line_of("USER", "ana", "2026-11-23T09:00:00.000000Z", "hello"))
    rooms.want(where.room("dev"), 0)
    there = [*{*loaded_files(where), *LONG}]
    assert said(where)
    assert {path.stem for path in there if path.parent.name == "tools"} == {"__init__", "say"}
    assert len(there) <= MOST_MODULES_TO_ANSWER
    assert sum(map(length, there)) <= MOST_LINES_TO_ANSWER


FOLDS = """
from dotagent.life import event, replay, slices
first = {kind.WORD: len(known) for kind, known in slices._FOLDS.items()}
event.find_all()  # with the first rare event, and the first of a capability
before = {kind.WORD: len(known) for kind, known in slices._FOLDS.items()}
assert first.items() <= before.items()
from dotagent import contract, extensions
contract.find_all()
for name in extensions.names("tools"):
    extensions.load("tools", name)
assert before == {kind.WORD: len(known) for kind, known in slices._FOLDS.items()}
"""


def test_every_fold_is_known_before_the_first_event_is_read() -> None:
    """Else an agent that starts again would forget what it had learned from those events."""
    subprocess.run([sys.executable, "-c", FOLDS], cwd=ROOT, env=environment(), check=True)
