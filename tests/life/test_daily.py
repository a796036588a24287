"""Daily notes in a life: in the prompt of a private one, appended, told again after a swap, within their share."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest
from world import World, events, said, world

from dotagent.life import daily
from dotagent.store import notes
from dotagent.store.requests import ChatMessage
from dotagent.text import times, tokens


@pytest.fixture
def today() -> str:
    """The day on which the test runs, not the one on which it was collected."""
    return times.local_day(times.now())


@pytest.fixture
def yesterday(today: str) -> str:
    return (date.fromisoformat(today) - timedelta(days=1)).isoformat()


class Model:
    """A model that replies what it is told to, and keeps what it saw."""

    def __init__(self, *replies: str) -> None:
        self.replies, self.seen = list(replies), list[str]()

    def __call__(self, messages: list[ChatMessage], call: object) -> str:
        self.seen.append("\n\n".join(one["content"] for one in messages if one["role"] != "system"))
        return self.replies.pop(0) if self.replies else "well"


def write(here: World, day: str, text: str) -> None:
    path = notes.path(here.session.path, day)
    path.parent.mkdir(exist_ok=True)
    with path.open("a") as file:
        file.write(text)


def test_today_and_yesterday_are_heard_before_the_next_answer_and_only_what_is_new(
    tmp_path: Path, today: str, yesterday: str
) -> None:
    with world(tmp_path, model := Model()) as here:
        write(here, yesterday, "- 09:00 the boiler broke\n")
        write(here, today, "- 10:00 the plumber comes\n")
        write(here, "2020-01-01", "- 10:00 long ago\n")
        here.say("hello")
        here.run()
        assert f"memory/{yesterday}.md: - 09:00 the boiler broke" in model.seen[0]
        assert f"memory/{today}.md: - 10:00 the plumber comes" in model.seen[0] and "long ago" not in model.seen[0]
        write(here, today, "- 11:00 he came\n")
        here.say("and?")
        here.run()
        assert model.seen[1].startswith(model.seen[0]), "what was asked before stays the same bytes"
        new = model.seen[1][len(model.seen[0]) :]
        assert "- 11:00 he came" in new and "plumber" not in new
        here.say("and now?")
        here.run()
        assert len(events(here, "DAILY")) == 3


def test_what_it_notes_itself_is_not_told_to_it_again(tmp_path: Path) -> None:
    with world(tmp_path, model := Model("NOTE we meet at six", "Noted.")) as here:
        here.say("we meet at six")
        here.run()
        here.say("and?")
        here.run()
        assert said(here.where) == ["Noted.", "well"]
        assert model.seen[-1].count("meet at six") == 2  # heard, and noted
    with world(tmp_path, model) as here:
        here.say("what else?")
        here.run()
        assert model.seen[-1].count("meet at six") == 2 and len(events(here, "DAILY")) == 1


def test_after_a_swap_the_notes_are_told_again_whole(tmp_path: Path, today: str) -> None:
    with world(tmp_path, model := Model("NOTE we meet at six", "Noted.")) as here:
        here.say("we meet at six")
        here.run()
        for number in range(6):
            here.say(f"{number} " + "so many words are said " * 40)
            here.run()
        here.me.compactor.force(here.session.tokens // 2)
        here.say("when do we meet?")
        here.run()
        assert events(here, "SWAP") and f"memory/{today}.md:\n  # {today}" in model.seen[-1]
        assert model.seen[-1].rindex("when do we meet?") > model.seen[-1].rindex(f"memory/{today}.md:")


def test_a_long_note_is_told_from_its_end_within_its_share_without_secrets(tmp_path: Path, today: str) -> None:
    with world(tmp_path, model := Model()) as here:
        write(here, today, "".join(f"- 10:00 line {number} of very many words\n" for number in range(2000)))
        write(here, today, "password: hunter2xyz\n")
        here.say("hello")
        here.run()
        told = next(part for part in model.seen[0].split("\n\n#") if f"memory/{today}.md" in part)
        assert "lines before these are in memory/" in told and "line 1999" in told and "line 3 " not in told
        assert tokens.estimate(told) < daily.SHARE * here.session.limit + 100
        assert "[masked: password]" in told and "hunter2" not in told


def test_where_others_are_heard_no_note_is_in_the_prompt(tmp_path: Path, today: str) -> None:
    with world(tmp_path, model := Model(), "--audience", "group") as here:
        write(here, today, "- 10:00 of ana alone\n")
        here.say("hello")
        here.run()
        assert "of ana alone" not in model.seen[0] and events(here, "DAILY") == []


@pytest.mark.parametrize("text", ["NO_REPLY", "**NO_REPLY**.", " NO_REPLY\n", "SAY dev NO_REPLY"])
def test_no_reply_alone_is_silence(tmp_path: Path, text: str) -> None:
    with world(tmp_path, Model(text, "I reply NO_REPLY then.")) as here:
        here.say("hello")
        here.run()
        assert said(here.where) == []
        here.say("what do you reply when nothing is to be said?")
        here.run()
        assert said(here.where) == ["I reply NO_REPLY then."]
