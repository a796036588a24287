"""What one message passes, from Enter in chat.py to the request in the queue, is short, and the page on it names it."""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path
from types import CodeType, FrameType

from support import ROOT
from world import world

import agent
from dotagent.store.home import SETTINGS
from dotagent.terminal import talk

MOST_LINES, MOST_FILES = 2_350, 66  # of the functions that run, if none ran before; the aim is 700 lines in 14 files
LONG = 90  # lines of a file that run: the page names each such file


def lines_of(code: CodeType) -> int:
    """The lines from the function's name to its end."""
    return max((line for _, _, line in code.co_lines() if line), default=code.co_firstlineno) - code.co_firstlineno + 1


def passed(path: Path) -> Counter[str]:
    """The lines of the functions that run for a message of an agent without capabilities, by file."""
    seen = set[CodeType]()

    def look(frame: FrameType, event: str, what: object) -> None:
        name = frame.f_code.co_filename
        ours = name.startswith((f"{ROOT}/dotagent/", f"{ROOT}/agent.py")) and not frame.f_code.co_name.startswith("<")
        if event == "call" and ours:
            seen.add(frame.f_code)

    (path / SETTINGS).write_text('owner = "ana"\ncapabilities = []\n')
    with world(path, lambda messages, call: "well") as here:
        here.say("hello")
        here.run()
        typed = talk.Talk(here.where, "dev", "ana")
        before = sys.getprofile()
        sys.setprofile(look)
        try:
            typed.say("and now?")
            for _ in range(2):  # hear it, and ask the model
                assert agent.step(here.me)
        finally:
            sys.setprofile(before)
        assert here.session.state.turn.call
    found = Counter[str]()
    for code in seen:
        found[Path(code.co_filename).relative_to(ROOT).as_posix()] += lines_of(code)
    return found


def test_a_message_passes_few_lines_and_the_page_names_the_long_ones(tmp_path: Path) -> None:
    found = passed(tmp_path)
    assert len(found) <= MOST_FILES, sorted(found)
    assert sum(found.values()) <= MOST_LINES, found.most_common()
    page = (ROOT / "docs/architecture.md").read_text("utf-8")
    named = set(re.findall(r"`((?:\w+/)*\w+\.py)`", page.partition("\n## One message\n")[2].partition("\n## ")[0]))
    table = page.partition("<!-- passed -->\n")[2].partition("<!-- end -->")[0]
    listed = set(re.findall(r"^\| `((?:\w+/)*\w+\.py)` \|", table, re.MULTILINE))
    assert listed and listed <= named
    assert [name for name in sorted(listed) if name not in found] == []
    assert [name for name, lines in found.most_common() if lines >= LONG and name not in listed] == []
