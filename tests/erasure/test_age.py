"""What is older than settings keep goes from every byte of the home as on request; what is younger stays."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from clocked import look
from lives import good, living
from support import run
from unforgotten import traces
from world import World, offline, said, world

from dotagent.compaction import check
from dotagent.erasure import ledger, retention, sweep
from dotagent.erasure.ledger import Ages
from dotagent.life import replay
from dotagent.store import home, log, notes
from dotagent.store.home import Home, Settings
from dotagent.store.queue import Call
from dotagent.store.requests import ChatMessage
from dotagent.text import times

OLD, NEW = "The heron sleeps behind the third boathouse", "The otter eats below the second bridge"
LASTS = "my brother Emil likes liquorice"


def let_go(where: Home, ages: Ages) -> ledger.Done:
    sweep.announce_aged(where, ages, 7, retention.BY)
    done = sweep.finish(where)
    assert done
    return done


def tell(it: World, words: str) -> None:
    it.say(words)
    it.run()


def test_what_is_older_is_gone_from_every_form_and_what_is_younger_stays(tmp_path: Path) -> None:
    with world(tmp_path, offline) as it:
        tell(it, f"{OLD}.")
        notes.append(it.session.path, "2026-01-02", "Notes", f"- 10:00 {OLD}")
        tell(it, f"remember that {LASTS}")
        it.say(OLD.lower(), name="bo")
        it.run()
        before = times.now()
        tell(it, f"{NEW}.")
        tell(it, "RECALL heron boathouse")
        where, me = it.where, it.session.id
    (where.root / "history").mkdir()
    (where.root / "history" / "ana.txt").write_text(f"{OLD}.\n{NEW}.\n")
    size = (where.chats / "dev.md").stat().st_size, (where.agent(me) / "LIFE.md").stat().st_size
    assert len(traces(tmp_path, OLD)) > 6
    done = let_go(where, Ages(before))
    assert not traces(tmp_path, OLD), traces(tmp_path, OLD)
    assert any(path.startswith("blobs/") for path in traces(tmp_path, NEW)) and traces(tmp_path, LASTS)
    assert (where.root / "history" / "ana.txt").read_text() == f"{NEW}.\n"
    assert [one.name for one in (where.agent(me) / "memory").glob("*.md")] == [f"{before[:10]}.md"]
    assert (where.chats / "dev.md").stat().st_size == size[0] and not ledger.is_unfinished(where)
    last = next(log.backwards(where.agent(me) / "LIFE.md"))
    assert last.detail == f"{done.id} 7 retention" and last.event == "FORGOT"
    with world(tmp_path, offline) as it:
        assert not check.reach(where.store(), replay.derive(where, me, 64_000)).problems
        tell(it, "RECALL heron boathouse")
        tell(it, "What does Emil like?")
        tell(it, "What does the otter do?")
    assert "liquorice" in said(where)[-2] and "bridge" in said(where)[-1]
    assert not traces(tmp_path, OLD)
    assert run(where, "-m", "dotagent", "doctor", "--deep").returncode == 0


def model(messages: list[ChatMessage], call: Call) -> str:
    """Its summaries tell all that it knows."""
    text = good(messages, call) if call.kind != "live" else "Understood."
    asked = messages[-1]["content"]
    told = " ".join(f"{one}." for one in (OLD, NEW) if one in str(messages))
    return f"{text} {told}" if "SUMMARISE the entries #1 " in asked else text


def test_summaries_prompts_and_trees_are_without_it(tmp_path: Path) -> None:
    with living(tmp_path, model, 1500) as it:
        it.tokens = lambda messages: sum(len(one["content"]) for one in messages) // 4
        tell(it, f"{OLD}.")
        before = times.now()
        for number in range(12):
            tell(it, f"{NEW}. The ferry of {number} leaves from quay {number}. {'lighthouse kettle ' * 24}")
        where, me = it.where, it.session.id
    kinds = {line.event for line in log.lines(where.agent(me) / "LIFE.md") if line.id and OLD in body(where, line.id)}
    assert {"HEAR", "SUMMARY", "ASK"} <= kinds
    let_go(where, Ages(before))
    assert not traces(tmp_path, OLD), traces(tmp_path, OLD)
    assert traces(tmp_path, "leaves from quay 11")
    with living(tmp_path, model, 1500) as it:
        assert not check.reach(where.store(), replay.derive(where, me, 1500)).problems
        for number in range(6):
            tell(it, f"{NEW}. The train of {number} leaves. {'lighthouse kettle ' * 24}")
    assert not traces(tmp_path, OLD)


def test_a_young_answer_stays_when_its_request_was_lost(tmp_path: Path) -> None:
    with world(tmp_path, offline) as it:
        tell(it, f"{OLD}.")
        before = times.now()
        tell(it, "hello there")
        where, me = it.where, it.session.id
    lines = list(log.lines(where.agent(me) / "LIFE.md"))
    reply = [line.id for line in lines if line.event == "REPLY"][-1]
    for line in lines:
        if line.event == "ASK":
            where.store().path(line.id).unlink()
    let_go(where, Ages(before))
    assert where.store().get(reply).body and not traces(tmp_path, OLD)


def body(where: Home, id: str) -> str:
    try:
        return where.store().get(id).body.decode("utf-8", "replace")
    except Exception:  # noqa: BLE001
        return ""


def test_the_audit_has_an_age_of_its_own(tmp_path: Path) -> None:
    with world(tmp_path, offline) as it:
        tell(it, "remember that the boiler was mended by Otto")
        memory = it.session.path / "MEMORY.md"
        memory.write_text(memory.read_text().replace("Otto", "Ida"))
        tell(it, "Hello.")
        before = times.now()
        tell(it, "Hello again.")
        where = it.where
    let_go(where, Ages(before))
    assert [path for path in traces(tmp_path, "mended by Otto") if path.startswith("blobs/")]
    let_go(where, Ages(before, before))
    left = traces(tmp_path, "mended by Otto")
    assert all(path.endswith(f"memory/{before[:10]}.md") for path in left), left  # of today
    assert traces(tmp_path, "mended by Ida")
    (done,) = ledger.read(where.root)  # one line stands for all
    assert done.ages == Ages(before, before) and done.items == 14


def test_the_clock_lets_it_go_once_all_are_at_rest_and_tells(tmp_path: Path) -> None:
    with world(tmp_path, offline) as it:
        tell(it, f"{OLD}.")
        where = it.where
    now, told = datetime.now(UTC), list[str]()
    on = Settings(owner="ana", tables={"heartbeat": {"every": "off"}}, retention={"episodes": 1})
    for at, settings in ((now + timedelta(days=3), Settings(owner="ana", tables={"heartbeat": {"every": "off"}})),
                         (now + timedelta(minutes=20), on), (now + timedelta(hours=1), on)):  # fmt: skip
        look(where, at, told, settings)
    assert told == [] and traces(tmp_path, OLD)
    look(where, now + timedelta(days=3), told, on)
    assert len(told) == 1 and told[0].endswith("(retention)") and not traces(tmp_path, OLD)
    look(where, now + timedelta(days=3, hours=1), told, on)
    assert len(told) == 1 and len(ledger.read(where.root)) == 1
    day = (now + timedelta(days=2)).strftime("%Y-%m-%d")
    (where.root / "dotagent.toml").write_text("[retention]\nepisodes = 1\n")
    assert f"before {day}" in run(where, "-m", "dotagent", "doctor").stdout


def test_a_backup_from_before_does_not_bring_it_back(tmp_path: Path) -> None:
    file = tmp_path / "all.tar.zst"
    with world(tmp_path / "a", offline) as it:
        tell(it, f"{OLD}.")
        before = times.now()
        tell(it, f"{NEW}.")
        where = it.where
    assert run(where, "-m", "dotagent", "backup", str(file)).returncode == 0
    let_go(where, Ages(before))
    (tmp_path / "b" / "forgotten").mkdir(parents=True)
    other = Home(tmp_path / "b")
    (other.root / ledger.FILE).write_bytes((where.root / ledger.FILE).read_bytes())
    done = run(other, "-m", "dotagent", "restore", str(file))
    assert done.returncode == 0 and f"removed everything before {before[:10]} again" in done.stdout, done.stderr
    assert not traces(other.root, OLD) and traces(other.root, NEW)
    assert len(ledger.read(other.root)) == 1
    assert home.lives(other)
