"""Turns shown beside a message: which ones, where they stand, and that the next request goes on without them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import calling
from alive import Alive, a_home, hears, say
from hypothesis import given
from hypothesis import strategies as st
from loopback import Answer, Received, Server
from support import ROOT, run

from dotagent import extensions, tools
from dotagent.life import turns
from dotagent.life.context import Entry
from dotagent.life.events import Recent
from dotagent.store import log
from dotagent.store.log import Line
from dotagent.text import grammar

USAGE = tools.usage()
AT = "2026-11-21T20:17:20.123456Z"
TURNS = (ROOT / "dotagent" / "life" / "TURNS.md").read_text().strip().split("\n\n")

ANSWERS = (  # of the test's server, by what the last message has
    ("ADD_TO_FILE:", "It is in pot.txt."), ("Add blue", "ADD_TO_FILE pot.txt <<END\nblue\nEND"),
    ("are you", "I am well."), ("were you", "Well, too."),
)  # fmt: skip


def entry(number: int, event: str, detail: str, content: str | None = None) -> Entry:
    shown = detail.split(" ")[0]
    body = None if content is None else f"[USER:ana {AT[:19]}Z] {content}".encode()
    return Entry(number, Line(AT, event, detail, "a" * 32 if content else "", ""), shown, body)


def heard(text: str, number: int = 1, who: str = "USER:ana") -> Entry:
    return entry(number, "HEAR", f"dev 5 0123456789ab {who}", text)


def shown(text: str, most: int = 1, usage: str = USAGE) -> list[str]:
    _, parts = turns.beside([heard(text)], 0, most, usage)
    return [part.text for part in parts]


def test_every_turn_is_in_the_form_and_each_is_another() -> None:
    known = extensions.tools()
    for said, *reply in (turn.split("\n") for turn in TURNS):
        assert said and not said.startswith((">", "#")) and reply and all(line.startswith("> ") for line in reply)
        text = "\n".join(line.removeprefix("> ") for line in reply)
        reading = grammar.read(text, known)
        assert not reading.lost and not any(call.problem for call in reading.calls), text
        assert reading.calls or not re.match(r"[A-Z_]{3,}", text), text
    assert len({turn.split("\n")[0] for turn in TURNS}) == len(TURNS)


def test_what_is_most_like_the_message_stands_before_it_in_its_room_and_by_its_person() -> None:
    assert shown("Please join the room chess.")[1] == "JOIN attic"
    assert shown("How full is the disk?") == ["#0901 dev ana: How full is the disk?", "RUN df -h"]
    assert shown("Keep that I am fond of rain in mind: I go out then.")[1].startswith("REMEMBER ana")
    assert shown("Lies mir bitte brief.md vor.")[1] == "READ_FILE pot.txt"
    assert shown("This message must never fade, it is important.")[1] == "KEEP 0901"
    two = shown("Count the lines of trip.txt, please.", 2)
    assert [one[:6] for one in two[::2]] == ["#0901 ", "#0903 "] and two[3] == "RUN wc -l pot.txt"
    faded = entry(7, "FADED", "7-9", "the summary")
    said = heard("Give me the exact words, not your summary.", 9)
    assert turns.beside([faded, said], 0, 1, USAGE)[1][1].text == "UNCOMPACT 7", "the one that it can see"


def test_nothing_stands_there_for_what_is_like_none_or_by_an_agent_or_where_none_is_wanted() -> None:
    assert shown("Xylophone quartz bivouac.") == [] and shown("") == []
    assert shown("Please join the room chess.", 0) == []
    assert turns.beside([heard("Please join chess.", who="AGENT:0123456789ab")], 0, 2, USAGE) == (1, [])


def test_a_turn_whose_tool_is_not_there_is_not_shown() -> None:
    assert not any("JOIN" in text for text in shown("Please join the room chess.", 9, USAGE.replace("JOIN", "ENTER")))


def test_only_a_message_that_is_not_replied_to_has_them() -> None:
    first = heard("Please join the room chess.")
    reply, result = entry(2, "REPLY", "dev"), entry(3, "TOOL", "JOIN ok", "you hear chess now")
    assert turns.beside([first], 0, 1, USAGE)[0] == 0
    assert turns.beside([first, result], 0, 1, USAGE)[0] == 0
    assert turns.beside([first, reply, result], 0, 1, USAGE) == (3, [])
    assert turns.beside([first, reply, result], 1, 1, USAGE) == (3, [])
    assert turns.beside([first, reply, heard("Leave the room chess.", 4)], 1, 1, USAGE)[0] == 2
    recent = entry(2, Recent.WORD, "", "LIFE's last lines")
    assert turns.beside([recent, heard("Leave the room chess.", 3)], 0, 1, USAGE)[0] == 1
    assert turns.beside([recent, first], 0, 1, USAGE) == (2, []), "said again by a swap while the message waited"


@given(st.text(), st.integers(0, 9))
def test_whatever_is_said(said: str, most: int) -> None:
    at, parts = turns.beside([heard(said)], 0, most, USAGE)
    assert len(parts) <= 2 * most and at == (0 if parts else 1)
    assert [part.role for part in parts] == ["user", "assistant"] * (len(parts) // 2)


def test_a_small_models_server_is_sent_them_and_each_prompt_shows_what_was_sent(tmp_path: Path) -> None:
    def answer(received: Received) -> Answer:
        last = str(received.body["messages"][-1]["content"])  # type: ignore[index]
        said = next(words for mark, words in ANSWERS if mark in last)
        return calling.chat(said, [], "stop")

    with a_home() as where, Server(answer) as server:
        told = f'base = "{server.base}"\nmodel = "m"\nwindow = 64000\n'
        (where.root / "dotagent.toml").write_text(f'provider = "local"\n[providers.local]\n{told}')
        alive = Alive(where)
        say(where, "Add blue to the end of pot.txt, please.")
        hears(where, "It is in pot.txt.")
        say(where, "How are you today?")
        hears(where, "I am well.")
        (where.root / "dotagent.toml").write_text(f'provider = "local"\n[providers.local]\n{told}examples = 0\n')
        say(where, "And how were you yesterday?")
        hears(where, "Well, too.")
        alive.end()
        asked = [line.id for line in log.lines(where.agent(alive.id) / "LIFE.md") if line.event == "ASK"]
        prompts = [json.loads(run(where, "-m", "dotagent", "prompt", "--call", id, "--json").stdout) for id in asked]
        sent = [one.body["messages"] for one in server.received]
        assert [one["messages"] for one in prompts] == sent
        texts = ["\n".join(one["content"] for one in messages) for messages in sent]  # type: ignore[attr-defined]
        assert [bool(re.search(r"\n#09\d\d ", text)) for text in texts] == [True, False, True, False]
        assert "Add blue" in texts[1] and "How are you today" in texts[3]
