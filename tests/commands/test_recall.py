"""A search in all that a life ever heard, up to date when it is asked."""

from __future__ import annotations

from lives import lines
from looking import SEAT, rows, told
from world import World


def test_recall_is_up_to_date_when_asked(lived: World) -> None:
    found = rows(told(lived, "recall", "violin", "lesson", "--json"))
    heard = next(line for line in lines(lived, "HEAR") if "violin" in line.gist)
    assert set(found[0]) == {"id", "score", "room", "speaker", "at", "text"}
    assert (found[0]["id"], found[0]["text"], found[0]["room"], found[0]["speaker"]) == (heard.id, SEAT, "dev", "ana")
    assert heard.id[:12] in told(lived, "recall", "violin lesson", "-k", "1").split("\n")[0]
    assert told(lived, "recall", "-k", "2", "harbour").count("\n") == 2
    lived.say("The zeppelin leaves at noon.")
    lived.run()
    assert "zeppelin" in told(lived, "recall", "zeppelin")
    assert told(lived, "recall", "qqqqq") == ""
