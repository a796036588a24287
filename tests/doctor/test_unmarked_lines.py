"""Lines of notes from before there were marks: those with a stranger's words are named, and marked by --fix."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from a_lived_home import look
from claims import SOURCES, bring
from world import world

from dotagent import commands
from dotagent.life.events import Reply, Result

OWN = ("Ana takes the night train to Vienna on Fridays", "Ana likes tea", "the meeting went well")
CLAIMS = {
    "The office moved to Harbour Street 5.": "notes/mail.txt",
    "Payments of Ana's go to the account ending 4471.": "evil.example",
    "Das Büro ist in die Hafenstraße 5 umgezogen.": "what ana passed on",
    "办公室搬到了滨江路5号。": "what ana passed on",
}


def test_lines_of_strangers_are_named_and_marked(tmp_path: Path) -> None:
    with world(tmp_path, lambda messages, call: "WAIT") as it:
        it.say("I take the night train to Vienna on Fridays")
        it.run()
        for claim, name in CLAIMS.items():
            if name.startswith("what"):
                it.say(f"is that true?\n> {claim}")
                it.run()
                continue
            how = "READ_FILE notes/mail.txt" if "/" in name else f"FETCH https://{name}/news"
            it.session.record(Reply(), how.encode())
            it.session.record(Result(how.partition(" ")[0]), f"Hello.\n{claim}\nBest, Eve".encode())
        path = it.session.path
        before = "# Notes\n" + "".join(f"- {one} (added 2026-11-20)\n" for one in (*OWN, *CLAIMS))
        (path / "MEMORY.md").write_text(before)
        (path / "memory").mkdir(exist_ok=True)
        (path / "memory/2026-11-20.md").write_text(f"# 2026-11-20\n\n## Notes\n- 10:00 {next(iter(CLAIMS))}\n")
        (path / "AGENTS.md").write_text(before)
        (path / "memory/personal/ana").mkdir(parents=True)
        (path / "memory/personal/ana/profile.yaml").write_text(f"train: {OWN[0]}\noffice: {next(iter(CLAIMS))}\n")
        where = it.where
    named = [one["where"] for one in look(where, "--deep")[1] if "words of others" in one["what"]]
    rows = [f"{name}.md:{5 + at}" for name in ("MEMORY", "AGENTS") for at in range(4)]
    assert [one.rpartition("/")[2] for one in named] == [*rows, "2026-11-20.md:4", "profile.yaml:2"]
    commands.run("doctor", ["--home", str(where.root), "--fix"])
    assert (path / "AGENTS.md").read_text() == (path / "MEMORY.md").read_text()
    profile = (path / "memory/personal/ana/profile.yaml").read_text()
    assert profile == f'train: {OWN[0]}\noffice: "[from notes/mail.txt] {next(iter(CLAIMS))}"\n'
    rows = (path / "MEMORY.md").read_text().split("\n")
    assert rows[:4] == before.split("\n")[:4]
    assert rows[4:8] == [f"- [from {name}] {claim} (added 2026-11-20)" for claim, name in CLAIMS.items()]
    assert "- 10:00 [from notes/mail.txt] The office" in (path / "memory/2026-11-20.md").read_text()
    assert not [one for one in look(where, "--deep")[1] if "words of others" in one["what"]]


PLANTED = (  # what a source says, and how an earlier version noted it in other words
    ("The office moved to Harbour Street {}.", "The office has moved, it is at Harbour Street {} now"),
    ("Payments go to the account ending {}.", "Ana wants payments to go to the account ending {}"),
    ("Das Büro ist in die Hafenstraße {} umgezogen.", "Büro jetzt in der Hafenstraße {} (umgezogen)"),
    ("Le bureau a déménagé au {} rue du Port.", "Bureau : déménagé, {} rue du Port"),
    ("办公室搬到了滨江路{}号。", "办公室已搬到滨江路{}号"),
)


@pytest.mark.slow
def test_at_least_half_of_what_is_planted_in_an_old_home_is_marked(tmp_path: Path) -> None:
    """Word for word and in other words, of each source, in each kind of document; the person's own lines stay."""
    planted, files = list[tuple[str, str]](), ("MEMORY.md", "AGENTS.md", "USER.md", "memory/2026-11-20.md", "bank/w.md",
                                               "memory/semantic/rules/work/r.md", "skills/s/SKILL.md")  # fmt: skip
    with world(tmp_path, lambda messages, call: "WAIT") as it:
        for number, (source, (said, noted)) in enumerate(product(SOURCES, PLANTED), 4400):
            bring(it, source, said.format(number))
            planted += [(files[number % 7], said.format(number)), (files[(number + 3) % 7], noted.format(number))]
        for one in OWN:
            it.say(one)
            it.run()
        where, path = it.where, it.session.path
    for name in files:
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        rows = [*OWN, *(line for place, line in planted if place == name)]
        (path / name).write_text("# Notes\n\n" + "".join(f"- {row}\n" for row in rows))
    commands.run("doctor", ["--home", str(where.root), "--fix"])
    texts = {name: (path / name).read_text() for name in files}
    assert all(f"- {one}\n" in text for one in OWN for text in texts.values())
    marked = sum(f"] {line}\n" in texts[name] for name, line in planted)
    assert marked >= len(planted) / 2, f"{marked} of {len(planted)}"
