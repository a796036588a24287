"""Tool packs: what they give is called in a process of its own, and nothing that one does costs more than an error."""

from __future__ import annotations

import os
import re
import signal
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import packed as made
import pytest
from exhibited import png
from hands import Hands, a_life
from support import make_home

import agent
from dotagent import sandbox, tools
from dotagent.capabilities.toolpacks import pack_calls, packs, serve
from dotagent.capabilities.toolpacks.pack_calls import Fate
from dotagent.capabilities.toolpacks.tools import use_tool
from dotagent.errors import Misuse
from dotagent.life import tool_results
from dotagent.life.events import Result
from dotagent.life.session import Patience, Session
from dotagent.store import disk, log
from dotagent.text.grammar import ToolCall

BOXES = ["off", *(one for one in sandbox.KINDS if not sandbox.lacking(one))]


@contextmanager
def lived(path: Path, box: str = "off", manifest: str = made.WEATHER) -> Iterator[Hands]:
    """A life with the pack `weather`; what the pack's process started ends with the block."""
    where = make_home(path / "home")
    made.enabled(where, made.folder(path / "weather", manifest, tool__py=made.TOOL))
    with a_life(path) as hands:
        hands.session.settings = replace(hands.session.settings, sandbox=box)
        (where.root / "dotagent.toml").write_text(f'sandbox = "{box}"\n')
        try:
            yield hands
        finally:
            pack_calls.end(hands.path, "weather")


@pytest.fixture(autouse=True)
def _asked_of_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DOTAGENT_SANDBOX", raising=False)


@pytest.mark.night
@pytest.mark.parametrize("box", BOXES)
def test_a_command_is_called_with_arguments_that_fit(tmp_path: Path, box: str) -> None:
    with lived(tmp_path, box) as hands:
        assert (
            hands.shows('USE_TOOL weather.forecast {"city": "Porto", "days": 3}') == "sunny in Porto, 3 days, by hush\n"
        )
        assert (
            hands.shows('USE_TOOL weather.forecast <<END\n{"city": "Faro"}\nEND') == "sunny in Faro, 1 days, by hush\n"
        )
        hands.fails('USE_TOOL weather.forecast {"city": "--help"}', "not called", "city", "does not match")
        hands.fails(
            'USE_TOOL weather.forecast {"days": 9}', "'city' is a required property", "greater than the maximum"
        )
        hands.fails('USE_TOOL weather.forecast {"city": ', "not a JSON object")
        hands.fails("USE_TOOL weather.rain {}", "no tool 'rain'; it has", "forecast")
        hands.fails("USE_TOOL mail.send {}", "the tool packs are weather")
        assert '"pattern"' in hands.shows("USE_TOOL weather.forecast")
        assert "weather.send {to} Send word" in hands.shows("USE_TOOL weather")
        assert hands.effects("USE_TOOL") == []
        assert hands.shows('USE_TOOL weather.send {"to": "ana"}') == "sent\n"
        assert (pack_calls.folder(hands.path, "weather") / "data" / "files" / "sent").read_text() == '{"to": "ana"}\n'
        (told,) = hands.effects("USE_TOOL")
        assert told.startswith("weather.send 20")


@pytest.mark.slow
@pytest.mark.parametrize("box", BOXES[1:])
def test_its_sandbox_shows_it_nothing_of_the_home_but_its_own(tmp_path: Path, box: str) -> None:
    with lived(tmp_path, box) as hands:
        said = hands.shows("USE_TOOL weather.look {}")
        assert "OTHER_KEY" not in said and "never" not in said and "WEATHER_KEY=hush" in said
        assert "root:" not in said


@pytest.mark.night
@pytest.mark.parametrize("box", BOXES[1:])
def test_it_is_held_by_the_limits_of_settings(tmp_path: Path, box: str) -> None:
    large = "[command.large]\nrun = 'head -c 30000000 /dev/zero > big; stat -c %s big'\n"
    with lived(tmp_path, box, made.WEATHER + large) as hands:
        (hands.where.root / "dotagent.toml").write_text(f'sandbox = "{box}"\nlimits = {{ disk = 20 }}\n')
        assert hands.shows("USE_TOOL weather.large {}") == f"{20 << 20}\n"


@pytest.mark.night
def test_what_hangs_dies_or_floods_costs_one_error(tmp_path: Path) -> None:
    with lived(tmp_path / "brief", manifest=made.WEATHER.replace('"60s"', '"1s"')) as hands:
        for _ in range(2):
            hands.fails("USE_TOOL weather.hang {}", "longer than 1 s", "may or may not have happened")
    with lived(tmp_path / "long") as hands:
        hands.fails("USE_TOOL weather.flood {}", "printed more than", "may or may not have happened")
        hands.fails("USE_TOOL weather.die {}", "crashed during this call", "may or may not have happened")
        assert hands.fails("USE_TOOL weather.fail {}") == "weather: exit status 3\nhalf\nwhy"
        assert hands.shows('USE_TOOL weather.forecast {"city": "Porto"}').startswith("sunny")


@pytest.mark.night
def test_a_process_that_was_stopped_in_its_midst_is_ended(tmp_path: Path) -> None:
    with lived(tmp_path) as hands:
        assert hands.shows('USE_TOOL weather.forecast {"city": "Porto"}')
        pid = int((pack_calls.folder(hands.path, "weather") / "pid").read_text().split()[0])
        assert re.search(rf"Max address space +{serve.MEMORY} ", Path(f"/proc/{pid}/limits").read_text())
        os.kill(pid, signal.SIGSTOP)
        hands.session.patience = Patience(pack=0.2)
        hands.fails('USE_TOOL weather.send {"to": "ana"}', "did not answer in time", "may or may not have happened")
        hands.session.patience = Patience()
        assert hands.shows('USE_TOOL weather.forecast {"city": "Porto"}')


def test_pictures_of_a_result_come_to_the_model_below_its_text(tmp_path: Path) -> None:
    with a_life(tmp_path) as hands:
        there = pack_calls.folder(hands.path, "weather")
        disk.make_dir(there)
        pictures = tuple(b64encode(png(*size)).decode() for size in ((30, 40), (50, 60)))
        pack_calls.answer(there, "k1", Fate("two maps", media=pictures))
        call = ToolCall("USE_TOOL", 'weather.map {"city": "Porto"}', None)
        tool_results.record(hands.session, "USE_TOOL", use_tool.recover(hands.session, call, "weather.map k1"))
        entry = hands.session.entries[-1]
    assert [one.size for one in entry.media] == [(30, 40), (50, 60)]
    text = (entry.content or b"").decode()
    assert text.startswith("two maps\nweather.map: a picture (PNG, 30×40), ") and text.count("shows it again") == 2


def test_a_call_that_a_dead_process_left_is_never_made_again(tmp_path: Path) -> None:
    with lived(tmp_path) as hands:
        call = ToolCall("USE_TOOL", 'weather.send {"to": "ana"}', None)
        data = pack_calls.folder(hands.path, "weather") / "data" / "files" / "sent"

        def left(answered: bool) -> str:
            """A process dies after it announced the call, before its answer is known or after."""
            key = hands.session.next().replace(":", "")
            hands.session.announce(call, f"weather.send {key}")
            disk.make_dir(pack_calls.folder(hands.path, "weather"))
            if answered:
                pack_calls.answer(pack_calls.folder(hands.path, "weather"), key, pack_calls.Fate("sent"))
            else:
                one = pack_calls.Use(key, "send", {"to": "ana"}, "", "private ana", False)
                pack_calls.put(pack_calls.folder(hands.path, "weather"), one)
            return recovered(hands.session, call)

        assert left(answered=True) == "ok sent"
        assert left(answered=False) == f"error {tools.UNKNOWN}"
        assert pack_calls.waiting(pack_calls.folder(hands.path, "weather")) == [] and not data.exists()


def recovered(session: Session, call: ToolCall) -> str:
    """What the next process tells of an announced call."""
    effect = session.state.turn.effect
    assert effect and agent.act(session, call)
    line = list(log.lines(session.path / "LIFE.md"))[-1]
    assert line.event == Result.WORD
    return f"{line.detail.split(' ')[1]} {session.store.get(line.id).body.decode()}"


def test_nothing_starts_and_no_prompt_tells_before_a_pack_is_enabled(tmp_path: Path) -> None:
    where = make_home(tmp_path / "home")
    one = packs.install(where, "weather", packs.files(made.folder(tmp_path / "weather", tool__py=made.TOOL)))
    assert "not enabled" in one.why
    with a_life(tmp_path) as hands:
        assert "use-tool" not in tools.list_names(hands.session) and "USE_TOOL" not in tools.facts(hands.session)
        hands.fails("USE_TOOL weather.forecast {}", "you have no tool USE_TOOL")
        made.enabled(where, tmp_path / "weather")
        facts = tools.facts(hands.session)
        assert "    weather.forecast {city, days?} The weather of a city" in facts
        assert not pack_calls.folder(hands.path, "weather").exists()  # told of, and not started
        (where.packs / "weather" / "tool.py").write_text("print('another')")
        assert "changed after it was enabled" in packs.read(where, "weather").why
        assert "USE_TOOL" not in tools.facts(hands.session)


@pytest.mark.slow
def test_settings_narrow_a_life_and_open_a_group(tmp_path: Path) -> None:
    where = make_home(tmp_path / "home")
    made.enabled(where, made.folder(tmp_path / "weather", tool__py=made.TOOL))
    settings = tmp_path / "home" / "dotagent.toml"
    with a_life(tmp_path) as hands:
        settings.write_text(f'[toolpacks]\n{hands.session.id[:8]} = ["weather.fore*"]\n')
        assert "weather.forecast" in tools.facts(hands.session) and "weather.send" not in tools.facts(hands.session)
        hands.fails('USE_TOOL weather.send {"to": "ana"}', "no tool 'send'; it has forecast")
        settings.write_text("[toolpacks]\nprivate = []\n")
        assert "USE_TOOL" not in tools.facts(hands.session)
    (tmp_path / "other").mkdir()
    where = make_home(tmp_path / "other" / "home")
    made.enabled(where, tmp_path / "weather")
    with a_life(tmp_path / "other", "--room", "hall", "--audience", "group") as hands:
        settings = where.root / "dotagent.toml"
        assert "use-tool" not in tools.list_names(hands.session)
        settings.write_text('[toolpacks]\ngroup = ["weather.forecast"]\n')
        assert "weather.forecast" in tools.facts(hands.session)


def test_a_stranger_cannot_have_it_called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DOTAGENT_POLICY", raising=False)
    with lived(tmp_path) as hands:
        hands.shows('USE_TOOL weather.forecast {"city": "Porto"}')  # whose words are a stranger's
        assert hands.session.state.heard.origins[-1] == "command"
        how, _, words = hands.one('USE_TOOL weather.send {"to": "mallory"}').partition("\n")
        assert (how, words[:9]) == ("asked", "Not done:") or "needs my owner's permission" in words
        assert not (pack_calls.folder(hands.path, "weather") / "data" / "files" / "sent").exists()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "this file must contain exactly one of the tables"),
        ("[command]\n", "the tool pack has no tool"),
        ("[mcp]\n", "needs either run"),
        ('[mcp]\nrun = ["x"]\nurl = "http://x"\n', "needs either run"),
        ('[mcp]\nurl = "http://x"\nheaders = {a = "${KEY}"}\n', "but env does not list it; add env"),
        ("[openapi]\n", "must name a file of the tool pack"),
        ('read = ["x"]\n[mcp]\nrun = ["x"]\n', "did you mean reads?"),
        ('timeout = "11m"\n[mcp]\nrun = ["x"]\n', "at most ten minutes"),
        ('env = ["A B"]\n[mcp]\nrun = ["x"]\n', "variables of .env"),
        ('[command."a b"]\nrun = ["x"]\n', "whose name has only a-z"),
        ("[command.x]\n", "has no `run`"),
        ("x = \xff", "pack.toml:"),
    ],
)
def test_a_manifest_that_is_wrong_is_told_where(tmp_path: Path, text: str, why: str) -> None:
    where = make_home(tmp_path)
    with pytest.raises(Misuse, match=r"pack\.toml") as told:
        packs.install(where, "one", {"pack.toml": text.encode("latin-1")})
    assert why in str(told.value) and packs.list_ids(where) == []


def test_what_is_no_plain_file_is_not_installed(tmp_path: Path) -> None:
    there = made.folder(tmp_path / "weather")
    (there / "out").symlink_to("/etc/passwd")
    with pytest.raises(Misuse, match="not a regular file"):
        packs.files(there)
