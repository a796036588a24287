"""A slice of the state outlives its capability's absence: it is kept, written back, and folds what it missed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from folding import folded
from hypothesis import given, settings
from hypothesis import strategies as st
from world import world

from dotagent.capabilities.scheduler.record import SLICE, Scheduled, Wake, beat
from dotagent.life import slices, snapshot
from dotagent.life.event import find_all
from dotagent.life.replay import derive, standing
from dotagent.life.slices import SLICES, Unfolded
from dotagent.life.state import State, change
from dotagent.store import home, log
from dotagent.store.home import Home

AT = "2026-01-01T00:00:00Z"


@pytest.fixture
def where(tmp_path: Path) -> Home:
    """A home whose agent sleeps."""
    with world(tmp_path, lambda messages, call: "well") as here:
        here.say("hello")
        here.run()
    return Home(tmp_path)


@contextmanager
def absent(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The scheduler has no slice here, as where its folder is deleted."""
    with monkeypatch.context() as patch:
        patch.delitem(SLICES, "scheduler")
        yield


def woken(where: Home, job: str) -> None:
    """LIFE says that a run of this job woke the agent."""
    id = where.store().put(b"words", at="2026-01-01T00:00:00.000000Z", gist=job)
    append(where, Wake.WORD, f"{job} dev {AT}", id)


def swap(where: Home, version: int = SLICE.version) -> None:
    """LIFE says that the context was swapped, for what it is now; with this version of the scheduler's slice."""
    view = derive(where, life(where), 64_000)
    now, then = (f'"scheduler": {{"version": {one}'.encode() for one in (SLICE.version, version))
    body = snapshot.encode(view.state, view.entries).replace(now, then)
    assert version == SLICE.version or then in body
    append(where, "SWAP", "limit", where.store().put(body, at="2026-01-01T00:00:00.000000Z", gist="context"))


def append(where: Home, event: str, detail: str, id: str = "") -> None:
    opened = log.Log(where.agent(life(where)) / "LIFE.md")
    opened.append(event, detail, id, "gist" if id else "")
    opened.close()


def life(where: Home) -> str:
    return home.lives(where)[0]


def runs(where: Home) -> list[str]:
    """The runs that the agent knows, as they are derived with its context, and without."""
    known = [
        SLICE.of(state).woken for state in (derive(where, life(where), 64_000).state, standing(where, life(where)))
    ]
    assert known[0] == known[1]
    return [key.partition("@")[0] for key in known[0]]


@pytest.mark.parametrize("before", [True, False], ids=["a swap knew it", "no swap knew it"])
def test_a_capability_that_returns_knows_what_happened_before_and_while_it_was_absent(
    where: Home, before: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    woken(where, "first")
    if before:
        swap(where)
    woken(where, "second")
    with absent(monkeypatch):
        swap(where)
        woken(where, "third")
        swap(where)
        swap(where)
    woken(where, "fourth")
    assert runs(where) == ["first", "second", "third", "fourth"]
    swap(where)
    assert runs(where) == ["first", "second", "third", "fourth"]


def test_an_unknown_slice_is_written_back_as_it_was() -> None:
    body = json.dumps({"turn": {}, "slices": {"weather": {"version": 3, "rain": ["today"], "deep": {"a": 1}}}}).encode()
    state = snapshot.decode(body, "2026-01-01T00:00:00.000001Z")[0]
    assert state.slices["weather"] == (
        Unfolded(3, {"rain": ["today"], "deep": {"a": 1}}, "2026-01-01T00:00:00.000001Z")
    )
    again = snapshot.decode(snapshot.encode(state, []), "2026-01-02T00:00:00.000001Z")[0]
    assert again.slices == state.slices


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.just("\ud800"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
FIELDS = ("version", "until", "woken", "alerts", "beat")
ROW = st.fixed_dictionaries({}, optional=dict.fromkeys(FIELDS, JSON | st.just(1)))


@given(slices=st.dictionaries(st.sampled_from(["scheduler", "weather"]), JSON | ROW) | JSON)
@settings(max_examples=60)
def test_whatever_a_snapshot_says_of_slices_a_life_resumes(where: Home, slices: object) -> None:
    body = json.dumps({"turn": {}, "slices": slices}).encode()
    opened = log.Log(where.agent(life(where)) / "LIFE.md")
    opened.append("SWAP", "limit", where.store().put(body, at="2026-01-01T00:00:00.000000Z", gist="context"), "gist")
    opened.close()
    state = derive(where, life(where), 64_000).state
    assert standing(where, life(where)).slices == state.slices
    swap(where)
    assert derive(where, life(where), 64_000).state.slices.keys() == state.slices.keys()


def test_a_time_in_a_snapshot_that_is_none_stops_no_resume(where: Home) -> None:
    woken(where, "tea")
    opened = log.Log(where.agent(life(where)) / "LIFE.md")
    for _ in range(200):  # so many that the line is searched for by its time
        opened.append("ERROR", "x" * 1000)
    body = json.dumps({"turn": {}, "slices": {"scheduler": {"version": 1, "until": "\ud800"}}}).encode()
    opened.append("SWAP", "limit", where.store().put(body, at="2026-01-01T00:00:00.000000Z", gist="context"), "gist")
    opened.close()
    assert runs(where) == ["tea"]


def test_a_slice_of_another_version_is_folded_anew(where: Home) -> None:
    woken(where, "tea")
    swap(where, version=7)
    assert runs(where) == ["tea"]


def test_the_flat_state_of_earlier_versions_is_read() -> None:
    """The fields of the scheduler stood among those of the rooms and of the turn."""
    heard = {"woken": [f"tea@{AT}"], "alerts": {"ab": AT}}
    body = json.dumps({"heard": heard, "turn": {"beat": AT, "judged": "ab"}}).encode()
    state = snapshot.decode(body)[0]
    assert SLICE.of(state) == Scheduled((f"tea@{AT}",), {"ab": AT}, AT, "ab")
    assert beat(state) == AT


def test_what_a_slice_says_is_in_the_state_only_if_it_says_anything() -> None:
    assert folded([("JOIN", "dev 0 -")]).slices == {}
    state = folded([("JOIN", "dev 0 -"), ("WAKE", f"tea dev {AT}")])
    assert SLICE.of(state).woken == (f"tea@{AT}",)
    assert SLICE.put(state, Scheduled()) == change(state, slices={})
    assert SLICE.of(State()) == Scheduled()


def test_a_heartbeat_is_quiet_until_somebody_speaks() -> None:
    told = [("JOIN", "dev 0 -"), ("WAKE", f"heartbeat dev {AT}")]
    assert beat(folded(told)) == AT
    assert beat(folded([*told, ("HEAR", "dev 5 0123456789ab USER:ana")])) == ""
    assert beat(folded([*told, ("WAKE", f"tea dev {AT}")])) == ""


def test_a_slice_folds_only_events_of_its_capability() -> None:
    """The first of these events imports the record. A fold of another event would not run in a new process."""
    for one in slices.find_all().values():
        for word in one.folds:
            assert find_all()[word].__module__ == f"dotagent.capabilities.{one.name}.record", (one.name, word)
