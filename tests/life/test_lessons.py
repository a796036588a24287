"""What a life has learned is in its prompt: once, within a budget, again when it changes; to whom it may be told."""

from __future__ import annotations

from pathlib import Path

from support import run
from world import World, offline, world

from dotagent.capabilities.learning import entries, proposal, review
from dotagent.capabilities.learning.proposal import Proposal
from dotagent.life import lessons
from dotagent.life.context import PROFILE, RULES
from dotagent.search import note_search
from dotagent.store.home import Home

RULE = "Always answer in German"


def graduate(it: World, title: str, *, wide: bool = False, audience: str = "private ana") -> str:
    mine = proposal.Memories(it.session.path / "memory", "ana")
    one = Proposal("rule", "instructions", title, "said again", 2, "2026-11-01T10:00:00Z", ())
    return review.graduate(
        mine, one, "she wishes it", proposal.shared_memory(it.where, audience, "ana") if wide else None
    )


def papers(it: World, name: str) -> list[str]:
    it.me.documents.read()
    store = it.where.store()
    found = [one for one in it.session.entries if one.event == "PAPER" and one.line.detail == name]
    return [store.get(one.line.id).body.decode() for one in found]


def profile(it: World) -> Path:
    path = it.session.path / "memory" / "personal" / "ana" / "profile.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def test_a_copy_that_a_program_for_sync_left_makes_no_second_rule(tmp_path: Path) -> None:
    with world(tmp_path, offline, "--audience", "private ana") as it:
        graduate(it, RULE)
        rule = next((it.session.path / "memory" / "semantic" / "rules" / "instructions").glob("*.md"))
        for name in ("{}.sync-conflict-20261125-101010-ABCDEFG.md", "{} (conflict_on_2026-11-25).md",
                     "{} (Ana's conflicted copy 2026-11-25).md", "{}_conflict-20261125-101010.md",
                     "{}_nas_Nov-25-101010-2026_Conflict.md"):  # fmt: skip
            rule.with_name(name.format(rule.stem)).write_text("# Answer in French\n")
        rule.with_name("alone (conflict of interest).md").write_text("# Name each conflict\n")
        (rules,) = papers(it, RULES)
        assert RULE in rules and "Name each conflict" in rules and "French" not in rules
        listed = entries.list_entries(proposal.Memories(it.session.path / "memory", "ana"))  # by the names of the files
        assert sorted(one.title for one in listed) == sorted([RULE, "Name each conflict"])


def test_rules_and_the_profile_are_said_once_and_again_when_they_change(tmp_path: Path) -> None:
    with world(tmp_path, offline, "--audience", "private ana") as it:
        assert papers(it, RULES) == papers(it, PROFILE) == []
        graduate(it, RULE)
        profile(it).write_text(
            "# mine\neditor: vim\npreferences:\n  - short answers\n  - api_key=sk-0123456789abcdefghij\n"
        )
        it.say("Hello.")
        it.run()
        (rules,), (person,) = papers(it, RULES), papers(it, PROFILE)
        assert rules == f"{lessons.HEADS[RULES]}\n- {RULE}"
        assert "editor: vim" in person and "short answers" in person and "sk-0123456789" not in person
        asked = it.session.path / "context.md"
        before = asked.read_text() if asked.exists() else ""
        graduate(it, "Never call before nine")
        assert len(papers(it, RULES)) == 2 and papers(it, RULES)[-1].endswith("- Never call before nine")
        assert len(papers(it, PROFILE)) == 1 and (not before or before in asked.read_text())
        retired = next((it.session.path / "memory" / "semantic" / "rules" / "instructions").glob("*.md"))
        retired.unlink()
        assert len(papers(it, RULES)) == 3 and papers(it, RULES)[-1].count("\n- ") == 1
        for _ in range(4):
            it.say("word " * 4000)
            it.run()
        it.me.compactor.force()
        assert [one for one in it.session.entries if one.line.detail == RULES and not one.stripped]


def test_each_stays_within_its_budget_and_the_newest_rules_stay(tmp_path: Path) -> None:
    with world(tmp_path, offline, "--audience", "private ana") as it:
        for number in range(200):
            graduate(it, f"The kettle of house {number} is to be descaled on the first Monday of each month")
        profile(it).write_text("".join(f"key{number}: a value that says something\n" for number in range(500)))
        found = lessons.texts(it.where, it.session.id, "private ana", 64_000)
        assert "house 199" in found[RULES] and "house 0 " not in found[RULES] and "more did not fit" in found[RULES]
        assert "key0:" in found[PROFILE] and "key499:" not in found[PROFILE]
        assert len(found[RULES]) / 4 < 0.025 * 64_000 and len(found[PROFILE]) / 4 < 0.0125 * 64_000


def test_what_is_shared_reaches_lives_of_that_audience_and_never_others(tmp_path: Path) -> None:
    with world(tmp_path, offline, "--audience", "private ana") as it:
        path = graduate(it, "The spare key hangs in the shed", wide=True)
        where, first = it.where, it.session.id
        assert "private-ana-" in path and not (it.session.path / "memory" / "semantic").exists()
        assert "shed" in papers(it, RULES)[0]
        it.say("RECALL spare key shed")
        it.run()
    with world(tmp_path, offline, "--room", "two", "--audience", "private ana", fresh=True) as it:
        second = it.session.id
        assert "shed" in papers(it, RULES)[0]
    with world(tmp_path, offline, "--room", "three", "--audience", "group", fresh=True) as it:
        third = it.session.id
        assert papers(it, RULES) == []
    with world(tmp_path, offline, "--room", "four", "--audience", "private bo", fresh=True) as it:
        assert papers(it, RULES) == []
    assert found(where, second, "private ana") == found(where, first, "private ana") != []
    assert found(where, third, "group") == found(where, third, "private bo") == []
    told = run(where, "-m", "dotagent", "memory", "search", second[:12], "spare key")
    assert "The spare key hangs in the shed" in told.stdout and "memory/shared/private-ana-" in told.stdout
    assert "shed" not in run(where, "-m", "dotagent", "memory", "search", third[:12], "spare key").stdout


def found(where: Home, self_id: str, audience: str) -> list[str]:
    there = note_search.open_shared(where, self_id, audience)
    try:
        return [one.turn.text for one in there.search("spare key shed", 5)]
    finally:
        there.close()


def test_a_helper_has_none(tmp_path: Path) -> None:
    with world(tmp_path, offline, "--audience", "private ana") as it:
        graduate(it, RULE)
        assert lessons.texts(it.where, it.session.id, "helper x", 64_000) == {RULES: "", PROFILE: ""}
        assert lessons.watched(it.where, it.session.id, "helper x") == []
