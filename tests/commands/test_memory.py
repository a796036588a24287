"""`memory`: what was written and said is found in one list, shown by file and line, looked after and made anew."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from world import World, world

from dotagent import commands, embedding, tools
from dotagent.erasure import matches
from dotagent.errors import Misuse
from dotagent.life.compaction_events import Summed
from dotagent.life.events import Reply, Result
from dotagent.store import home
from dotagent.text.grammar import ToolCall


@pytest.fixture
def here(tmp_path: Path) -> Iterator[World]:
    with world(tmp_path, lambda messages, call: "All right.") as one:
        one.say("the plumber is called Mario")
        one.run()
        (one.session.path / "MEMORY.md").write_text("- the plumber comes on Friday (added 2026-11-22)\n- tea\n")
        yield one


def asked(here: World, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    capsys.readouterr()
    return commands.run("memory", ["--home", str(here.where.root), *words]), capsys.readouterr().out


def test_a_search_finds_what_was_written_and_what_was_said(here: World, capsys: pytest.CaptureFixture[str]) -> None:
    status, told = asked(here, capsys, "search", "--json", "which", "plumber")
    rows = [json.loads(line) for line in told.split("\n")[:-1]]
    assert status == 0 and [(one["file"], one["line"], one["who"]) for one in rows] == [
        ("", 0, "ana"),
        ("MEMORY.md", 1, "note"),
    ]
    assert all(one["score"] > 0 and one["provider"] == "words" and "plumber" in one["gist"] for one in rows)
    assert rows[0]["id"] and "MEMORY.md:1" in asked(here, capsys, "search", "plumber")[1]
    assert "no match" in asked(here, capsys, "search", "elephants")[1]


def test_a_file_is_shown_whole_or_by_lines(here: World, capsys: pytest.CaptureFixture[str]) -> None:
    assert asked(here, capsys, "get", "MEMORY.md:2") == (0, "- tea\n")
    assert asked(here, capsys, "get", "MEMORY.md")[1].count("\n") == 2
    for name, why in [("LIFE.md", "no memory file"), ("../../dotagent.toml", "no memory file"),
                      ("MEMORY.md:3", "2 lines"), ("MEMORY.md:2-1", "2 lines")]:  # fmt: skip
        with pytest.raises(Misuse, match=why):
            asked(here, capsys, "get", name)


def test_the_agent_that_it_chose_is_named_above_the_output_and_not_above_an_error(
    here: World, capsys: pytest.CaptureFixture[str]
) -> None:
    named = f"dotagent: agent {here.session.id[:12]}\n"
    for words, out in ((["get", "MEMORY.md:2"], "- tea\n"), (["search", "aeroplane"], "no match")):
        assert commands.run("memory", ["--home", str(here.where.root), *words]) == 0
        told = capsys.readouterr()
        assert told.err == named and told.out.startswith(out)
    for words in (["get", "none.md"], ["get", "MEMORY.md:9"]):
        with pytest.raises(Misuse):
            commands.run("memory", ["--home", str(here.where.root), *words])
        assert capsys.readouterr() == ("", "")


def test_status_says_what_there_is_and_deep_whether_it_is_sound(
    here: World, capsys: pytest.CaptureFixture[str]
) -> None:
    status, told = asked(here, capsys, "status")
    assert status == 0 and "MEMORY.md: " in told and "run/notes.db" in told and "run/recall.db" in told
    (here.session.path / "MEMORY.md").write_text("password: hunter2xyz\n" + "x" * 4000)
    status, told = asked(here, capsys, "status", "--deep")
    assert status == 0 and "seems to contain a password" in told and "the file has 4,021 characters" in told


def test_reindex_makes_both_anew(here: World, capsys: pytest.CaptureFixture[str]) -> None:
    for verb in ("reindex", "rebuild"):
        assert asked(here, capsys, verb)[1].startswith("rebuilt the index: 2 pieces of 1 file")
    assert "Mario" in asked(here, capsys, "search", "plumber")[1]


@pytest.mark.night
def test_reindex_also_makes_what_meaning_goes_by(here: World, capsys: pytest.CaptureFixture[str]) -> None:
    where = here.session.home
    with (where.root / "dotagent.toml").open("a") as file:
        file.write('\n[memory_search]\nprovider = "auto"\n')
    if lacks := embedding.missing(where, home.settings(where)):
        pytest.skip(lacks)
    with (here.session.path / "MEMORY.md").open("a") as file:
        file.write("- milk, butter\n")
    told = asked(here, capsys, "reindex")[1]
    assert "\nsearch by meaning: local, " in told and "not indexed yet" not in told
    assert "MEMORY.md:3" not in asked(here, capsys, "search", "violin")[1]
    assert "MEMORY.md:3" in asked(here, capsys, "search", "dairy products")[1]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["search"], "memory search WORDS"),
        (["get"], "memory get FILE"),
        (["status", "deadbeef", "x"], "does not take words"),
    ],
)
def test_what_it_cannot_mean_is_misuse(
    here: World, capsys: pytest.CaptureFixture[str], words: list[str], why: str
) -> None:
    with pytest.raises(Misuse, match=why):
        asked(here, capsys, *words)


def test_a_project_s_memory_is_searched_and_looked_after_without_a_home(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/clock.md").write_text("# The clock\n\nIt wakes agents.\n")
    for name, text in {"rules/tests/0123abcd-x": "# Tests are sealed\n\n## Rationale\n\nNo network.\n",
                       "retired/rules/tests/0123abcd-y": "# Tests have a network\n"}.items():  # fmt: skip
        (tmp_path / f".agent/memory/semantic/{name}.md").parent.mkdir(parents=True)
        (tmp_path / f".agent/memory/semantic/{name}.md").write_text(text)

    monkeypatch.chdir(tmp_path / "docs")

    def told(*words: str) -> str:
        assert commands.run("memory", [*words, "--project"]) == 0
        return capsys.readouterr().out

    assert told("reindex").startswith("indexed docs/clock.md\nread 1 page of docs/ (1 changed)") and "network" in told(
        "search", "network"
    )
    rows = [json.loads(line) for line in told("search", "--json", "network tests wakes").split("\n")[:-1]]
    assert {one["file"].split("/")[2] for one in rows} == {"rules", "sources"}
    name = "memory/semantic/rules/tests/0123abcd-x.md"
    assert name in told("status", "--deep") and told("get", f"{name}:1") == "# Tests are sealed\n"
    assert "no match" in told("search", "elephants") and not (tmp_path / ".agent/run").exists()


def test_what_rests_on_one_source_is_listed_and_forgotten(here: World, capsys: pytest.CaptureFixture[str]) -> None:
    """Both sentences of a line, and the same words in the file that they came from; the person's own words stay."""
    note = here.session.path / "memory" / "2026-11-28.md"
    note.parent.mkdir(exist_ok=True)
    note.write_text("# 2026-11-28\n\n## Notes\n- 10:00 [from notes/mail.txt] The office moved. Bring the blue keys.\n")
    (here.where.root / "jobs").mkdir(exist_ok=True)
    (here.session.path / "files").mkdir(exist_ok=True)
    (here.session.path / "files/mail.txt").write_text("Hello!\nBring the blue keys.\n")
    here.say("the mail is in notes/mail.txt")
    here.run()
    assert "the mail is in" not in asked(here, capsys, "from", "mail.txt", "--json")[1]
    for name in ("notes/mail.txt", "mail.txt"):
        told = asked(here, capsys, "from", name, "--json")[1]
        assert "[from notes/mail.txt] The office moved." in told and "Bring the blue keys." in told
        assert "memory/2026-11-28.md" in told and "files/mail.txt" in told
    assert "no line of the agent's notes comes from mail" in asked(here, capsys, "from", "mailbox")[1]
    with pytest.raises(Misuse, match="from NAME"):
        asked(here, capsys, "from")
    found = matches.find(here.where, "forget everything from notes/mail.txt")
    assert [one.words for one in found] == ["[from notes/mail.txt] The office moved.", "Bring the blue keys."]
    assert matches.find(here.where, "alles von mail.txt") == found


def test_answers_of_the_agent_that_rest_on_a_source_are_listed_and_forgotten(
    here: World, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also those of a later turn; what the person said and what the agent said else stay."""
    mail = "The office moved to Harbour Street 5.\nBring the blue keys to reception."
    said = iter(("READ_FILE mail.txt", "The mail says that the office moved to Harbour Street. Shall I note that?",
                 "Please bring the blue keys to reception.", "You like tea."))  # fmt: skip
    here.model = lambda messages, call: next(said)
    (here.session.path / "files").mkdir(exist_ok=True)
    (here.session.path / "files/mail.txt").write_text(mail)
    for words in ("what does the mail say?", "what shall I bring?", "what do I like?"):
        here.say(words)
        here.run()
    rows = [json.loads(one) for one in asked(here, capsys, "from", "mail.txt", "--json")[1].split("\n")[:-1]]
    told = ["The mail says that the office moved to Harbour Street.", "Please bring the blue keys to reception."]
    assert sorted(one["sentence"] for one in rows) == sorted(told)
    assert all({f"REPLY of {here.session.id[:12]}"} <= {*one["places"]} for one in rows)
    found = matches.find(here.where, "forget everything from mail.txt")
    assert {one.words for one in found} == {*told} and all("chats/dev.md" in one.places for one in found)
    assert "no line of the agent's notes comes from" in asked(here, capsys, "from", "else.txt")[1]


def test_what_a_search_showed_of_a_source_is_listed_and_forgotten(
    here: World, capsys: pytest.CaptureFixture[str]
) -> None:
    """Though the agent wrote nothing of it down; what the search found else stays."""
    said = iter(("I see.", "RECALL office Harbour", "WAIT"))
    here.model = lambda messages, call: next(said)
    for words in (
        "(forwarded) Hello! The office moved to Harbour Street 5.",
        "I walk to the office by the harbour promenade. What do you know?",
    ):
        here.say(words)
        here.run()
    rows = [json.loads(one) for one in asked(here, capsys, "from", "what ana passed on", "--json")[1].split("\n")[:-1]]
    assert [one["sentence"] for one in rows] == ["The office moved to Harbour Street 5."]
    assert f"TOOL RECALL of {here.session.id[:12]}" in rows[0]["places"]
    found = matches.find(here.where, "forget everything from what ana passed on")
    assert [one.words for one in found] == [one["sentence"] for one in rows]


@pytest.mark.parametrize("head", ["(forwarded from Eve) ", "Eve wrote:\n", "From: Eve <eve@evil.example>\nTo: Ana\n\n"])
def test_what_a_person_passed_on_is_found_by_its_sender(
    here: World, capsys: pytest.CaptureFixture[str], head: str
) -> None:
    """What they passed on from somebody else is found only by `everything I forwarded`."""
    claims = ("The office moved to Harbour Street 5.", "Payments for Eve go to account 4471.")
    here.model = lambda messages, call: "WAIT"
    for begin, claim in zip((head, "Bo wrote:\n"), claims, strict=True):
        here.say(f"{begin}{claim}")
        here.run()
        tools.act(here.session, ToolCall("REMEMBER", f"{claim[:-1]} now.", None))
    for names, told in ((("eve", "everything Eve said"), claims[:1]), (("everything I forwarded",), claims)):
        for name in names:
            rows = [json.loads(one) for one in asked(here, capsys, "from", name, "--json")[1].split("\n")[:-1]]
            found = {one["sentence"] for one in rows if "MEMORY.md" in str(one["places"])}
            assert found == {f"[from what ana passed on] {one[:-1]} now." for one in told}
    assert not [one for one in matches.find(here.where, "forget everything Eve said") if "4471" in one.words]
    assert "their marks name what ana passed on" in asked(here, capsys, "from", "that website")[1]


def test_what_a_summary_tells_from_a_source_is_listed_and_forgotten(
    here: World, capsys: pytest.CaptureFixture[str]
) -> None:
    """Though the summary words it in another way than its source."""
    told = "ana: I take the night train.\n[from notes/mail.txt] Payments now go to Eve's account in Linz."
    here.session.record(Summed("1-2", "0" * 32, 5), told.encode())
    here.session.record(Reply(), b"READ_FILE notes/mail.txt")
    here.session.record(Result("READ_FILE"), b"Eve's bank is in Linz, pay there.")
    rows = [json.loads(one) for one in asked(here, capsys, "from", "mail.txt", "--json")[1].split("\n")[:-1]]
    assert [one["sentence"] for one in rows] == ["[from notes/mail.txt] Payments now go to Eve's account in Linz."]
    assert rows[0]["places"] == [f"FADED SUMMARY of {here.session.id[:12]}"]
    found = matches.find(here.where, "forget everything from mail.txt")
    assert [one.words for one in found] == [one["sentence"] for one in rows]
