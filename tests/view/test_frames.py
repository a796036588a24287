"""The context at any moment of a life is what `context` showed then, and what was forgotten is nowhere in it."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from lives import LEAST, chat, talking
from remembered import LIMIT, SECRET, Remembered, remembered
from world import world

from dotagent.capabilities.view import film, keyframes, picture
from dotagent.capabilities.view.frames import Frame, Scenes, block, spoken
from dotagent.capabilities.view.growth import Growth
from dotagent.compaction import receipt
from dotagent.erasure import sweep
from dotagent.life import context, fold, replay
from dotagent.life.events import Swap
from dotagent.store import disk, log_search
from dotagent.store.log import Line
from dotagent.store.watch import Watcher


@pytest.fixture(scope="module")
def life() -> Iterator[Remembered]:
    with remembered() as made:
        yield made


def seen(scenes: Scenes, self_id: str, offset: int) -> Frame:
    """The frame at an offset."""
    return scenes.at(self_id, offset).frame(offset)


def text(frame: Frame) -> bytes:
    """The frame as context.md shows it."""
    return b"".join(map(context.render, frame.entries))


@pytest.mark.night
def test_a_frame_is_what_context_showed_then(life: Remembered) -> None:
    whys = [swap.detail.split(" ")[0] for swap, _ in receipt.swaps(life.where, life.self_id)]
    assert len(whys) > 5 and "unfade" in whys, whys
    scenes, order = Scenes(life.where, LIMIT), list(life.shown)
    random.Random(1).shuffle(order)
    for offset in order:
        assert text(seen(scenes, life.self_id, offset)) == life.shown[offset], offset
    assert len(life.listed) > 2
    for offset, listed in life.listed.items():
        frame = seen(scenes, life.self_id, offset)
        blocks = zip(frame.blocks, frame.entries, strict=True)
        assert [(one.number, one.event, frame.tokens(entry)) for one, entry in blocks] == [
            (row["entry"], row["kind"], row["tokens"]) for row in listed
        ]


@pytest.mark.night
def test_the_quick_fold_knows_as_much_of_the_model_as_the_whole_one(life: Remembered) -> None:
    ends = [line.end for line, _ in receipt.swaps(life.where, life.self_id)]
    for end in [*ends, None]:
        (_, first), whole = replay.read_since_swap(life.where, life.self_id, LIMIT, end)
        (_, other), quick = replay.read_since_swap(life.where, life.self_id, LIMIT, end, fold=fold.sized)
        assert first == other
        for one, two in zip(itertools.islice(whole, 400), itertools.islice(quick, 400), strict=True):
            facts = [(step.state.model.ratio, step.state.model.most, step.state.number) for step in (one, two)]
            assert facts[0] == facts[1] and one.entry == two.entry, one.line


@pytest.mark.night
def test_a_told_scene_has_the_same_frames_and_its_cache_may_be_deleted(life: Remembered) -> None:
    scenes = Scenes(life.where, LIMIT)
    folder, kept = life.where.agent(life.self_id) / "run" / "scenes", 0
    for offset in list(life.shown)[::7]:
        first = film.scene(scenes, life.self_id, offset)
        kept += len([*folder.glob("*")])
        assert film.scene(Scenes(life.where, LIMIT), life.self_id, offset) == first
        for path in folder.glob("*"):
            path.unlink()
        assert film.scene(Scenes(life.where, LIMIT), life.self_id, offset) == first
        moment, blocks = film.frame(json.loads(first), offset)
        frame = seen(scenes, life.self_id, offset)
        assert moment[0] == frame.end <= offset and blocks == [film.row(one) for one in frame.blocks]
    assert kept


@pytest.mark.night
def test_the_kept_swaps_are_those_of_the_log(life: Remembered) -> None:
    folder = life.where.agent(life.self_id)
    first = keyframes.read(folder, keyframes.Keyframes(), 0)
    assert [line.id for line in first.lines] == [line.id for line, _ in receipt.swaps(life.where, life.self_id)]
    kept = folder / keyframes.FILE
    told = json.loads(kept.read_bytes())
    assert keyframes.read(folder, keyframes.Keyframes()) == first
    for other in ({**told, "at": "2026-01-01T00:00:00.000000Z"}, {**told, "swaps": [[1]]}, [], 7):
        kept.write_text(json.dumps(other))
        assert keyframes.read(folder, keyframes.Keyframes()) == first


@pytest.mark.slow
def test_the_picture_shows_the_tokens_of_each_kind(life: Remembered) -> None:
    scenes = Scenes(life.where, LIMIT)
    told = picture.columns(scenes, life.self_id, 40)
    end = scenes.swaps(life.self_id)[2]
    for number, one in enumerate(told, 1):
        frame = seen(scenes, life.self_id, end * number // 40)
        assert sum(one.tokens.values()) == pytest.approx(sum(map(frame.tokens, frame.entries)), abs=len(frame.entries))
    drawn = picture.draw("A <life>", told)
    assert "A &lt;life&gt;" in drawn and drawn.count("<path") == 1 + sum(
        any(one.tokens[kind] for one in told) for kind in picture.COLOURS
    )


@pytest.mark.night
def test_what_was_forgotten_is_a_hole_in_every_frame() -> None:
    with remembered() as life:
        scenes = Scenes(life.where, LIMIT)
        held = [at for at, shown in life.shown.items() if b"bank is 4711" in shown]
        assert held and b"bank is 4711" in text(seen(scenes, life.self_id, held[0]))
        assert any(b"bank is 4711" in film.scene(scenes, life.self_id, at) for at in held)
        before = {at: len(seen(scenes, life.self_id, at).entries) for at in life.shown}
        sweep.announce(life.where, [SECRET], "ana")
        assert sweep.finish(life.where)
        assert not any((life.where.agent(life.self_id) / "run" / "scenes").glob("*"))
        for offset, shown in life.shown.items():
            frame = seen(scenes, life.self_id, offset)
            assert b"bank is 4711" not in text(frame) and b"bank is 4711" not in film.scene(
                scenes, life.self_id, offset
            )
            assert len(frame.entries) == before[offset]
            assert b"bank is 4711" not in shown or any(one.gone for one in frame.blocks)


def test_the_last_frame_grows_with_the_life(tmp_path: Path) -> None:
    with world(tmp_path, talking()) as one:
        scenes, session = Scenes(one.where, 64_000), one.session
        for _ in range(3):
            chat(one, 1)
            end = log_search.end(session.path / "LIFE.md")
            frame = seen(scenes, session.id, end)
            assert list(frame.entries) == session.entries and frame.end == end
            assert frame.limit == replay.limit(64_000, session.state) >= LEAST
        assert [block(entry).kind for entry in session.entries][:1] == ["soul"]


def test_an_open_page_learns_how_a_life_goes_on(tmp_path: Path) -> None:
    with world(tmp_path, talking()) as one:
        session = one.session
        chat(one, 1)
        path, watcher = session.path / "LIFE.md", Watcher()
        end = log_search.end(path)
        growth = Growth(Scenes(one.where, 64_000), session.id, end)
        assert growth.look(watcher) == []
        chat(one, 1)
        [told] = growth.look(watcher)
        assert (told.event, told.id) == ("grown", str(log_search.end(path))) and log_search.end(path) > end
        assert isinstance(told.value, dict)
        assert told.value["end"] == log_search.end(path) and told.value["swaps"] == []
        session.swap(session.entries, Swap("asked"), session.state)
        [told] = growth.look(watcher)
        assert isinstance(told.value, dict)
        assert [swap["why"] for swap in told.value["swaps"]] == ["asked"]
        disk.replace(path, path.read_bytes())  # as a permanent deletion does
        assert [event.event for event in growth.look(watcher)] == ["reset"]
        watcher.close()


@pytest.mark.parametrize(
    ("event", "gist", "words"),
    [
        ("REPLY", "SAY dev <<END Your seat is 14A.", "Your seat is 14A."),
        ("REPLY", "SAY dev Your seat is 14A.", "Your seat is 14A."),
        ("REPLY", "SAY dev", "SAY dev"),
        ("REPLY", "I SAY dev <<END", "I SAY dev <<END"),
        ("HEAR", "SAY hello to Lena", "SAY hello to Lena"),
    ],
)
def test_the_words_of_an_answer_stand_without_its_call(event: str, gist: str, words: str) -> None:
    assert spoken(Line("", event, "", "", gist)) == words
