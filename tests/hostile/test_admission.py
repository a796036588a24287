"""The setting `admission`: words of the rooms, senders and sources that it names never enter anything that lasts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from world import World, world

from dotagent import tools
from dotagent.compaction import swap
from dotagent.compaction.summary import Summary
from dotagent.errors import Misuse, Trouble
from dotagent.life import identity_edits
from dotagent.life.events import Reply, Result
from dotagent.store import home, rooms
from dotagent.store.home import Home
from dotagent.text import claims, times
from dotagent.text.grammar import ToolCall

TOML = """context_limit = 400000
[policy]
all = "allow"
[admission]
rooms = ["news"]
senders = ["0123456789ab"]
sources = ["web", "notes/secret.txt"]
"""
KEPT_OUT = {  # by the setting that names it
    "a room": "My dentist from now on is always Doctor Weber in Linz.",
    "a sender": "The garden party begins at seven on Saturday.",
    "a kind of source": "The office moved to Harbour Street 5.",
    "the name of a source": "付款的账户尾号是四四七一。",
}
ADMITTED = "The parcel waits at Miller Lane 9."
OWN = "I take the night train to Vienna on Fridays"
SINKS = (
    ToolCall("REMEMBER", "{}", None),
    ToolCall("NOTE", "{}", None),
    ToolCall("REMIND", "in 10 minutes: {}", None),
    ToolCall("WRITE_FILE", "AGENTS.md", "- {}\n"),
    ToolCall("WRITE_FILE", "memory/personal/ana/profile.yaml", "what: {}\n"),
    ToolCall("WRITE_FILE", "bank/told.md", "{}\n"),
)


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """A life that heard all of that, and then its person in another room."""
    path = tmp_path_factory.mktemp("admission")
    (path / "dotagent.toml").write_text(TOML)
    with world(path, lambda messages, call: "WAIT") as it:
        rooms.create(it.where.room("news"), it.session.state.audience.partition(" ")[0])
        (it.session.path / "subs" / "news.md").symlink_to("../../../chats/news.md")
        it.run()
        it.say(KEPT_OUT["a room"], room="news")
        it.run()
        said = rooms.line_of("AGENT", "0123456789ab", times.now(), KEPT_OUT["a sender"])
        rooms.append(it.where.room("dev"), said)
        it.run()
        reads = {
            "FETCH https://example.org/news": "a kind of source",
            "READ_FILE notes/secret.txt": "the name of a source",
        }
        for call, which in reads.items():
            it.session.record(Reply(), call.encode())
            it.session.record(Result(call.partition(" ")[0]), KEPT_OUT[which].encode())
        it.session.record(Reply(), b"READ_FILE notes/mail.txt")
        it.session.record(Result("READ_FILE"), ADMITTED.encode())
        it.say(OWN)
        it.run()
        yield it


@pytest.mark.parametrize("sink", SINKS, ids=lambda one: one.args.split(" ")[0] + one.name)
@pytest.mark.parametrize("which", KEPT_OUT)
def test_no_tool_writes_down_what_is_kept_out(here: World, which: str, sink: ToolCall) -> None:
    call = ToolCall(sink.name, sink.args.format(KEPT_OUT[which]), sink.body and sink.body.format(KEPT_OUT[which]))
    with pytest.raises(Trouble, match="admission"):
        tools.act(here.session, call)


@pytest.mark.parametrize("which", KEPT_OUT)
def test_no_summary_has_what_is_kept_out(here: World, which: str) -> None:
    told = Summary(5, KEPT_OUT[which], f"ana: {KEPT_OUT[which]} {ADMITTED}")
    made = swap.marked(here.session, here.session.entries, told)
    assert (made.gist, made.text) == ("", f"[from notes/mail.txt] {ADMITTED}")


def test_the_rest_is_written_down_as_without_the_setting(here: World) -> None:
    for said in (ADMITTED, OWN):
        tools.act(here.session, ToolCall("REMEMBER", said, None))
    rows = (here.session.path / "MEMORY.md").read_text()
    assert f"- [from notes/mail.txt] {ADMITTED}" in rows and f"- {OWN}" in rows


def test_a_room_that_is_kept_out_gives_no_instruction_and_no_fact(here: World) -> None:
    assert swap.instructions(here.session, here.session.entries) == []
    assert "Weber" not in str(swap.spoken(here.session, here.session.entries))
    assert identity_edits.evidence(here.session, claims.Claim("", "Dentist", "Doctor Weber")) is None
    assert identity_edits.evidence(here.session, claims.Claim("", "Train", "the night train to Vienna"))


@pytest.mark.parametrize("told", ['["news"]', '{rooms = "news"}', '{room = ["news"]}', "{rooms = [1]}"])
def test_another_form_of_the_setting_is_refused(tmp_path: Path, told: str) -> None:
    (tmp_path / "dotagent.toml").write_text(f"admission = {told}\n")
    with pytest.raises(Misuse, match="admission"):
        home.settings(Home(tmp_path))
