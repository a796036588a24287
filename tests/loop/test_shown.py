"""What is shown beside the words that are heard: notes that a person edits, and what came with a message."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from exhibited import png
from support import make_home
from world import World, world

from dotagent.store import attachments, log, request_rebuilding, requests, rooms
from dotagent.store.requests import ChatMessage
from dotagent.text import times


def silent(messages: list[ChatMessage], call: object) -> str:
    return "WAIT"


@pytest.fixture
def here(tmp_path: Path) -> Iterator[World]:
    with world(tmp_path / "home", silent) as there:
        yield there


def notes(here: World) -> list[bytes]:
    return [one.content or b"" for one in here.session.entries if one.event == "PAPER"]


def test_notes_that_a_person_edits_are_shown_at_the_next_turn(here: World) -> None:
    path = here.session.path / "MEMORY.md"
    for text in ("first\n", "first\n", "second\n"):
        path.write_text(text)
        here.say("hello")
        here.run()
    path.unlink()
    here.say("hello")
    here.run()
    assert notes(here) == [b"", b"first\n", b"second\n", b""]


def test_a_version_that_is_lost_is_kept_anew(tmp_path: Path) -> None:
    with world(tmp_path / "home", silent) as here:
        (here.session.path / "MEMORY.md").write_text("precious\n")
        here.say("hello")
        here.run()
        documents = dict(here.session.state.heard.documents)
    for name, id in documents.items():
        here.where.store().path(id).unlink()
        with world(tmp_path / "home", silent) as here:
            here.say(f"after {name}")
            here.run()
            again = here.session.state.heard.documents[name]
            assert again != id
            assert here.session.store.get(again).body
            assert here.served == 1


def test_a_message_shows_what_came_with_it_if_that_belongs_to_its_room(here: World) -> None:
    store = here.where.store()
    cat, other = (attachments.keep(store, room, "cat.png", png(3, 4)) for room in ("dev", "elsewhere"))
    here.say(f"look\n{cat}\n{other}")
    here.run()
    (line,) = [one for one in log.lines(here.session.path / "LIFE.md") if one.event == "HEAR"]
    (seen,) = here.session.entries[-2].media
    assert store.get(seen.id).body == png(3, 4) and store.get(seen.id).agent == "room:dev"
    assert f" media={seen.id}:image/png:3x4 by=file USER:ana" in f" {line.detail}"
    asked = [one for one in log.lines(here.session.path / "LIFE.md") if one.event == "ASK"][-1]
    request = request_rebuilding.Rebuilder(store).request(asked.id)
    ((at, named),) = request_rebuilding.media_by_message(request.parts)[len(requests.messages(request.parts)) - 1]
    assert (at, named) == (len(requests.messages(request.parts)[-1]["content"]), seen)
    assert png(3, 4) not in store.get(asked.id).body
    before = [(one, one.media) for one in here.session.entries]
    here.session.renew()
    assert [(one, one.media) for one in here.session.entries] == before


def test_what_came_with_messages_before_it_joined_is_shown_as_their_words_are(tmp_path: Path) -> None:
    where = make_home(tmp_path / "home")
    rooms.create(where.room("dev"), "private")
    cats = [attachments.keep(where.store(), "dev", f"{n}.png", png(3, n)) for n in range(1, 4)]
    other = attachments.keep(where.store(), "elsewhere", "x.png", png(9, 9))
    for words in (*cats, other, cats[0], "and so it was"):
        rooms.append(where.room("dev"), rooms.line_of("USER", "ana", times.now(), f"look\n{words}"))
    with world(where.root, silent, fresh=True) as here:
        (line,) = [one for one in log.lines(here.session.path / "LIFE.md") if one.event == "JOIN"]
        (entry,) = [one for one in here.session.entries if one.event == "JOIN"]
        assert [one.size for one in entry.media] == [(3, 2), (3, 3), (3, 1)]  # where each was named last
        assert line.detail.split(" ")[3].startswith("media=") and "file" in here.session.state.heard.origins
        here.say("which of them?")
        here.run()
        asked = [one for one in log.lines(here.session.path / "LIFE.md") if one.event == "ASK"][-1]
        request = request_rebuilding.Rebuilder(here.where.store()).request(asked.id)
        assert [media for _, media in sum(request_rebuilding.media_by_message(request.parts).values(), ())] == list(
            entry.media
        )
