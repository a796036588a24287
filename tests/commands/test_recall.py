"""A search in all that a life ever heard, up to date when it is asked."""

from __future__ import annotations

import re

import pytest
from lives import lines
from looking import SEAT, rows, told
from world import World

from dotagent.errors import Misuse


@pytest.mark.slow
def test_recall_is_up_to_date_when_asked(lived: World) -> None:
    found = rows(told(lived, "recall", "violin", "lesson", "--json"))
    heard = next(line for line in lines(lived, "HEAR") if "violin" in line.gist)
    assert set(found[0]) == {"id", "score", "room", "speaker", "at", "text", "part", "parts"}
    assert (found[0]["id"], found[0]["text"], found[0]["room"], found[0]["speaker"]) == (heard.id, SEAT, "dev", "ana")
    assert heard.id[:12] in told(lived, "recall", "violin lesson", "-k", "1").split("\n")[1]
    assert len(re.findall(r"^ *\d+\.\d\d  ", told(lived, "recall", "-k", "2", "harbour"), re.MULTILINE)) == 2
    lived.say("The zeppelin leaves at noon.")
    lived.run()
    assert "zeppelin" in told(lived, "recall", "zeppelin")
    assert told(lived, "recall", "qqqqq") == "no match for 'qqqqq'\n"
    assert told(lived, "recall", "qqqqq", "--json") == ""


@pytest.mark.slow
def test_recall_shows_what_was_said_around_one(lived: World) -> None:
    heard = next(line for line in lines(lived, "HEAR") if "violin" in line.gist)
    around = rows(told(lived, "recall", "--near", heard.id[:12], "--json"))
    assert heard.id in [one["id"] for one in around] and len(around) > 1
    assert [one["at"] for one in around] == sorted(one["at"] for one in around)
    assert told(lived, "recall", "near", heard.id[:12]) == told(lived, "recall", "--near", heard.id[:12])
    nobody = "no message has the id"
    assert nobody in told(lived, "recall", "--near", "0123456789ab")


@pytest.mark.slow
def test_the_next_page_goes_on(lived: World) -> None:
    assert told(lived, "recall", "--page", "9", "harbour").endswith("no more matches for 'harbour'\n")
    both = [one["id"] for one in rows(told(lived, "recall", "-k", "4", "harbour", "--json"))]
    first = [one["id"] for one in rows(told(lived, "recall", "-k", "2", "harbour", "--json"))]
    second = [one["id"] for one in rows(told(lived, "recall", "-k", "2", "--page", "2", "harbour", "--json"))]
    assert set(first + second) == set(both)


@pytest.mark.slow
def test_near_what_is_no_id(lived: World) -> None:
    with pytest.raises(Misuse, match="--near needs"):
        told(lived, "recall", "--near", "zzz")
