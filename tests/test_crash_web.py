"""Dying at every change to the disk of a life that searches the web and reads a page: what came of each is told once,
and whoever goes on asks at most once more.

The web's process is a shell that answers as it does and writes down what it was asked.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

import crash
import pytest
from crash import Tale
from deaths import POWER

from dotagent.store import home, log
from dotagent.store.call import Call
from dotagent.store.home import Home
from dotagent.store.log import Line

PAGE = "https://example.org/tea"
REPLIES = ["SEARCH_WEB tea", f"FETCH {PAGE}\nSAY dev I read it", "WAIT"]
WEB = """#!/bin/sh
read -r asked
printf '%s\\n' "$asked" >> {asked}
case $asked in
*'"url"'*) printf '{{"shown": "Water and leaves."}}' ;;
*) printf '{{"shown": "Tea\\\\n{page}\\\\nhow it is made"}}' ;;
esac
"""


def model(call: Call, lines: Sequence[Line]) -> str:
    """It searches, reads what was found, and says so."""
    return REPLIES[min(crash.replies(lines), 2)]


def live(where: Home) -> None:
    """Live to the end of it. What was asked before is forgotten."""
    asked(where).write_text("")
    crash.lived(where, lambda _: crash.answers(where, model), lambda _: crash.says(where, "how is tea made?"))


def asked(where: Home) -> Path:
    """Where the web's process writes what it was asked, beside the home."""
    return where.root.with_name("asked")


def fresh(path: Path) -> Home:
    """A home with a search engine, and the web's process."""
    where, web = crash.fresh(path), path.with_name("web")
    (path / "dotagent.toml").write_text('[web]\nsearch = "searxng"\nbase = "https://search.example"\n')
    web.write_text(WEB.format(asked=shlex.quote(str(asked(where))), page=PAGE))
    web.chmod(0o755)
    sys.executable = str(web)
    return where


def verdict(where: Home) -> list[str]:
    """What is wrong with a home in which all of it is done."""
    (self_id,) = home.lives(where)
    lines = [line for line in log.lines(where.agent(self_id) / "LIFE.md") if line.event == "TOOL"]
    told = [(line.detail.split(" ")[:2], where.store().get(line.id).body) for line in lines]
    wrong = []
    if [how for how, _ in told] != [["SEARCH_WEB", "ok"], ["FETCH", "ok"]]:
        wrong.append(f"what came of its calls was told by {told}")
    elif PAGE.encode() not in told[0][1] or told[1][1] != b"Water and leaves.":
        wrong.append(f"it was shown {told}")
    for word in ('"url"', '"words"'):
        if (count := asked(where).read_text().count(word)) > 1:
            wrong.append(f"{word} was asked for {count} times by one that went on")
    if (said := crash.said(where)) != ["I read it"]:
        wrong.append(f"it said {said}")
    return wrong


@pytest.mark.slow
@pytest.mark.parametrize("power", POWER[:2])
def test_what_the_web_gave_is_told_once(power: str) -> None:
    crash.survives(Tale(live, verdict, 20, 2, fresh).everywhere, "crash-web", power)
