"""A person's own tools and the like run once they trust them, in that version, and take no other's place."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from hands import Hands, a_life
from support import cpu_of

from dotagent import extensions, tools
from dotagent.errors import Trouble
from dotagent.store import plugins
from dotagent.store.home import Home
from dotagent.store.plugins import CHANGED, GONE, NEW, REFUSED, TRUSTED, WRONG, Plugin

HUM = '''"""HUM: a tune."""

FOR = "Hum"
USAGE = ("HUM words",)
EFFECT = ""
ORIGIN = "own"


def act(session, call):
    return f"hummed {call.args}".encode()
'''


@pytest.fixture(autouse=True)
def _nothing_added() -> Iterator[None]:
    yield
    extensions.add({})


def plant(where: Home, name: str = "hum", text: str = HUM, kind: str = "tools") -> Path:
    path = where.root / kind / f"{name}.py"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


def one(where: Home, called: str = "tools/hum") -> Plugin:
    return next(each for each in plugins.every(where.root) if each.called == called)


def trust(where: Home, called: str = "tools/hum") -> None:
    plugins.decide(where.root, one(where, called), True)
    plugins.use(where.root)


def test_a_file_runs_once_it_is_trusted_and_not_once_it_is_changed(where: Home) -> None:
    assert plugins.use(where.root) == [] and plugins.every(where.root) == []
    path = plant(where)
    assert [each.called for each in plugins.use(where.root)] == ["tools/hum"]
    assert one(where).state == NEW and "hum" not in extensions.names("tools")
    trust(where)
    assert one(where).state == TRUSTED and "HUM" in extensions.tools().forms
    path.write_text(HUM + "# more\n")
    assert plugins.use(where.root) and one(where).state == CHANGED and "hum" not in extensions.names("tools")
    plugins.decide(where.root, one(where), False)
    assert plugins.use(where.root) == [] and one(where).state == REFUSED  # it is asked about once
    plugins.decide(where.root, one(where), None)
    assert one(where).state == NEW
    trust(where)
    path.unlink()
    assert one(where).state == GONE and plugins.use(where.root) == [] and "hum" not in extensions.names("tools")


def test_none_takes_the_place_of_ours_or_of_a_role(where: Home) -> None:
    plant(where, "run", HUM)
    plant(where, "hush", HUM + '\nROLE = "silence"\n')
    plant(where, "shout", HUM.replace('FOR = "Hum"', 'FOR = "Hum"\nROLE = "speech"'))
    assert one(where, "tools/run").state == WRONG and "has the same name" in one(where, "tools/run").why
    before = extensions.tools()
    trust(where, "tools/shout")
    assert (extensions.tools().speech, extensions.tools().silence) == (before.speech, before.silence)
    assert "Hum" not in str(extensions.constants("tools", "run")["FOR"])


@pytest.mark.parametrize("text", ["def (", "\0", "\udcff", "x = '"])
def test_what_is_no_python_is_told_and_breaks_nothing(where: Home, text: str) -> None:
    plant(where).write_bytes(text.encode("utf-8", "surrogateescape"))
    assert one(where).state == WRONG and plugins.use(where.root) == []


def test_a_link_and_a_name_that_is_none_are_left_out(where: Home, tmp_path: Path) -> None:
    (tmp_path / "else.py").write_text(HUM)
    (where.root / "tools").mkdir()
    (where.root / "tools" / "hum.py").symlink_to(tmp_path / "else.py")
    plant(where, "Bad Name")
    assert [each.state for each in plugins.every(where.root)] == [WRONG]


@pytest.mark.parametrize("damage", ["", "{", "{}", "[1]", '[{"kind": "tools"}]'])
def test_a_record_that_is_damaged_trusts_nothing(where: Home, damage: str) -> None:
    plant(where)
    trust(where)
    (where.root / plugins.FILE).write_text(damage)
    plugins.use(where.root)
    assert "hum" not in extensions.names("tools")
    if damage != "{}":
        with pytest.raises(Trouble, match="damaged"):
            plugins.every(where.root)


def test_a_record_that_names_another_place_is_no_way_to_it(where: Home) -> None:
    plant(where)
    trust(where)
    (row,) = json.loads((where.root / plugins.FILE).read_text())
    row |= {"module": "os.path", "path": "/etc/passwd"}
    (where.root / plugins.FILE).write_text(json.dumps([row]))
    plugins.use(where.root)
    assert "hum" not in extensions.names("tools")


@pytest.mark.night
def test_without_any_a_start_costs_next_to_nothing(where: Home) -> None:
    assert cpu_of(partial(plugins.use, where.root), 0.01) < 0.01


# --- in a life


@pytest.fixture
def hands(tmp_path: Path, where: Home) -> Iterator[Hands]:
    plant(where)
    trust(where)
    with a_life(tmp_path) as life:
        yield life


def test_a_life_has_it_and_calls_it(hands: Hands) -> None:
    assert hands.shows("HUM a song") == "hummed a song" and "HUM words" in tools.facts(hands.session)


@pytest.mark.parametrize(("some", "given"), [("", False), ('SOME = "every"', True), ('SOME = "unmade"', True)])
def test_in_a_group_only_one_that_says_so(tmp_path: Path, where: Home, some: str, given: bool) -> None:
    plant(where, text=HUM.replace('EFFECT = ""', f'EFFECT = ""\n{some}'))
    trust(where)
    with a_life(tmp_path, "--audience", "group", "--room", "all") as life:
        assert ("hum" in tools.list_names(life.session)) is given
        if not given:
            life.fails("HUM a", "you have no tool HUM")


def test_one_that_fails_costs_an_error(tmp_path: Path, where: Home) -> None:
    plant(where, text=HUM.replace("return ", "return 1 / 0 or "))
    plant(where, "lost", HUM.replace('FOR = "Hum"', 'import no_such_package\n\nFOR = "Lost"'))
    plant(where, "odd", HUM.replace('EFFECT = ""', 'EFFECT = ""\nSOME = True'))
    for called in ("tools/hum", "tools/lost", "tools/odd"):
        trust(where, called)
    with a_life(tmp_path) as life:
        life.fails("HUM a", "HUM failed", "ZeroDivisionError: division by zero")
        life.fails("LOST a", "LOST failed", "no_such_package")
        life.fails("ODD a", "you have no tool ODD")


def test_no_tool_writes_them(hands: Hands) -> None:
    for name in ("tools/x.py", "providers/x.py", "commands/x.py", "bridges/x.py", "plugins.json"):
        hands.fails(f"WRITE_FILE {hands.where.root / name} <<E\nx\nE", "you cannot reach")
