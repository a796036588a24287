"""No line of LIFE and no blob can stop a resume: what cannot be used is passed over, and said."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import Deadline, pause
from world import said, world

from dotagent.life import snapshot
from dotagent.life.event import EVENTS, FORMER
from dotagent.life.session import Patience
from dotagent.store import home
from dotagent.store.home import Home
from dotagent.text.reference import reference

HUGE = 10**400
WORDS = "dev ops ../../etc - 0 -1 7 1-9 9-1 1e999 ² x USER:ana OWNER a=b input=-5 relevance=x bridged model=".split()
WORD = st.sampled_from([f"input={HUGE}", str(HUGE), "summary=" + "0" * 32, *WORDS])
DETAIL = st.lists(WORD, max_size=7).map(" ".join) | st.text(max_size=40)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.just(HUGE),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@pytest.fixture
def slept(tmp_path: Path) -> Path:
    """A home whose life was told something and answered."""
    path = tmp_path / "slept"
    with world(path, lambda messages, call: "noted") as here:
        here.say("the seat is 14A")
        here.run()
    return path


def goes_on(path: Path) -> None:
    """The life is resumed, hears, and answers."""
    soon = Patience(look=0.0, untaken=0.02, longest=0.02, retry=0.0, retry_most=0.0)
    with world(path, lambda messages, call: "still here", patience=soon) as here:
        here.say("are you there?")
        deadline = Deadline()
        here.run()
        while "still here" not in said(here.where):
            deadline.check(lambda: said(Home(path)))
            pause(here.me.watch)  # a call of a provider that is none is given up
            here.run()


@pytest.mark.night
@settings(max_examples=40, derandomize=True)
@given(data=st.data())
def test_any_event_with_any_detail_and_any_blob(tmp_path: Path, slept: Path, data: st.DataObject) -> None:
    path = tmp_path / "home"
    shutil.rmtree(path, ignore_errors=True)
    shutil.copytree(slept, path, symlinks=True)
    where = Home(path)
    store, life = where.store(), where.agent(home.lives(where)[0]) / "LIFE.md"
    any_blob = store.put(data.draw(st.binary(max_size=60)), at="2026-01-01T00:00:00.000000Z", gist="any")
    ids = ["", any_blob, "0" * 32, home.lives(where)[0]]
    for number in range(data.draw(st.integers(1, 4))):
        event = data.draw(st.sampled_from([*EVENTS, *FORMER, "FUTURE"]))
        detail = " ".join(data.draw(DETAIL).replace("\0", " ").split())
        id = data.draw(st.sampled_from(ids))
        line = f"2199-01-01T00:00:00.{number:06}Z {event} {detail} {reference(id, 'g') if id else ''}".strip()
        with open(life, "ab") as file:
            file.write(line.encode("utf-8", "replace") + b"\n")
    goes_on(path)


@pytest.mark.night
@settings(max_examples=40, derandomize=True)
@given(table=st.dictionaries(st.sampled_from(
    "audience number heard turn model forgetting rooms wakes papers ratio most spare fading kept shown call".split()
), JSON, max_size=6))  # fmt: skip
def test_any_snapshot(tmp_path: Path, slept: Path, table: dict[str, object]) -> None:
    import json

    path = tmp_path / "home"
    shutil.rmtree(path, ignore_errors=True)
    shutil.copytree(slept, path, symlinks=True)
    where = Home(path)
    body = json.dumps(table).encode() + b"\n5 live nothing\n"
    id = where.store().put(body, at="2026-01-01T00:00:00.000000Z", gist="a swap")
    snapshot.decode(body)
    with open(where.agent(home.lives(where)[0]) / "LIFE.md", "ab") as file:
        file.write(f"2199-01-01T00:00:00.000000Z SWAP x {reference(id, 'g')}\n".encode())
    goes_on(path)
