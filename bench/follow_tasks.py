"""What bench/follow.py asks of a model: small lives and what a reply to their last message must do.

Every kind of task is there in other words and with other things: twice to tune a prompt on (follow_sets.py,
follow_third.py), and held out (the other half of follow_sets.py; follow_fourth.py, whose checks stand last here and
are stricter; follow_fifth.py, with those of follow_ways.py). No name, number or file of them stands in the prompt that
is measured.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dotagent.text.grammar import Reading, ToolCall

UNDONE = frozenset("RUN PROCESS FETCH SEARCH_WEB SPAWN SESSION REMIND".split())
"""Tools whose calls are read and not done: they would run, ask the web or start a process."""

Turn = tuple[str, ...]
"""`who: words`, or `room who: words`, and the replies that follow; the one to the last turn is measured."""


@dataclass(frozen=True)
class Got:
    """A reply, what it says in each room, and what came of its calls; one of UNDONE is read and not done."""

    reply: str
    reading: Reading
    said: Mapping[str, str]
    results: Sequence[tuple[str, str, str]]
    path: Path

    def all(self, *names: str) -> list[ToolCall]:
        """The calls of these tools."""
        return [call for call in self.reading.calls if call.name in names and not call.problem]

    def file(self, name: str) -> str:
        """A file of the agent's directory as it is now; of one that is not there nothing."""
        path = self.path / name
        return path.read_text("utf-8", "replace") if path.is_file() else ""

    @property
    def runs(self) -> str:
        """The commands, one below the other."""
        return "\n".join(call.args for call in self.all("RUN"))


Check = Callable[[Got], str]
"""What is wrong with a reply; "" when nothing is."""


@dataclass(frozen=True)
class Task:
    """A life and its check. `forget`: all that came before the last message has faded."""

    name: str
    half: str
    turns: Sequence[Turn]
    check: Check
    files: Mapping[str, str] = field(default_factory=dict)
    rooms: Sequence[str] = ()
    forget: bool = False


def has(text: str, *wanted: str) -> bool:
    """Whether all of these patterns stand in the text."""
    return all(re.search(one, text, re.IGNORECASE) for one in wanted)


def holds(name: str, *wanted: str, count: int = 0, lost: str = "") -> Check:
    """The file has all of these, has `count` lines where that is given, and nothing of `lost`; by a call, or a RUN."""

    def check(got: Got) -> str:
        text = got.file(name)
        if has(got.runs, rf">+\s*['\"]?{re.escape(name)}|sed -i.*{re.escape(name)}", wanted[-1]):
            return ""
        if not has(text, *wanted) or (lost and has(text, lost)):
            return f"{name} is {text!r}"
        lines = [line for line in text.split("\n") if line.strip()]
        return f"{name} has {len(lines)} lines" if count and len(lines) != count else ""

    return check


def runs(*wanted: str, or_reads: str = "", writes: str = "") -> Check:
    """A command with all of these; or this file is read; or a file with this is written, to be run next."""

    def check(got: Got) -> str:
        if any(has(call.args, *wanted) for call in got.all("RUN")):
            return ""
        if or_reads and any(has(call.args, or_reads) for call in got.all("READ_FILE")):
            return ""
        if writes and any(has(call.body or "", writes) for call in got.all("WRITE_FILE")):
            return ""
        return f"runs {got.runs!r}"

    return check


def reads(name: str) -> Check:
    """The file is read, all of it or the lines meant."""

    def check(got: Got) -> str:
        mine = any(has(call.args, name) for call in got.all("READ_FILE"))
        return "" if mine or has(got.runs, rf"(cat|sed|head|tail|less|awk)\b.*{name}") else "it is not read"

    return check


def says(*wanted: str, room: str = "dev", never: str = "", most: int = 600) -> Check:
    """These are said in the room, nothing of `never`, and nothing else is done."""

    def check(got: Got) -> str:
        text = got.said.get(room, "")
        others = [call.name for call in got.reading.calls if call.name not in ("SAY", "WAIT")]
        if others:
            return f"calls {' '.join(others)}"
        if len(text) > most or not has(text, *wanted):
            return "says something else"
        return f"says {never}" if never and has(text, never) else ""

    return check


def elsewhere(room: str, *wanted: str) -> Check:
    """These are said in that other room, as no copy of the order."""

    def check(got: Got) -> str:
        text = got.said.get(room, "")
        if not has(text, *wanted):
            return f"says in {sorted(got.said)}"
        return "says the order itself" if has(text, rf"\b(tell|let|sag)\b.*\b{room}\b") else ""

    return check


def silent(got: Got) -> str:
    """Nothing is said or done."""
    if got.reading.calls and all(call.name == "WAIT" for call in got.reading.calls):
        return ""
    return "says something" if got.said else "does something"


def recalls(*wanted: str, tools: Sequence[str] = ("RECALL", "UNCOMPACT"), answer: str = "") -> Check:
    """It is looked for with some of these words, or brought back; or the answer is there already and is said."""

    def check(got: Got) -> str:
        if answer and not got.reading.calls and has(" ".join(got.said.values()), answer):
            return ""
        for tool, how, text in got.results:
            if tool in tools and how == "ok" and (tool == "UNCOMPACT" or "nothing was found" not in text):
                return ""
        looked = any(has(call.args, one) for call in got.all("RECALL") for one in wanted)
        return "" if "RECALL" in tools and looked else "it is not looked for"

    return check


def calls(tool: str, *wanted: str, ok: bool = True) -> Check:
    """This tool is called with these, and, if `ok`, does not fail."""

    def check(got: Got) -> str:
        mine = [call for call in got.all(tool) if has(f"{call.args}\n{call.body or ''}", *wanted)]
        if not mine:
            return f"no such {tool}"
        failed = [text for name, how, text in got.results if name == tool and how != "ok"]
        return failed[0] if ok and failed else ""

    return check


def meant(tool: str, *wanted: str) -> Check:
    """This tool is called with these; of one that is read and not done."""

    def check(got: Got) -> str:
        mine = any(has(f"{call.args}\n{call.body or ''}", *wanted) for call in got.all(tool))
        return "" if mine else f"no such {tool}"

    return check


def any_of(*checks: Check) -> Check:
    """One of these is enough."""
    return lambda got: "" if any(not check(got) for check in checks) else checks[0](got)


def becomes(name: str, *wanted: str, count: int = 0, lost: str = "", by: Sequence[str] = ()) -> Check:
    """The file comes to hold all of these, in `count` lines where that is given, and nothing of `lost`; or a RUN writes
    it with all of `by` (where that is not given, with all that is wanted)."""
    file = re.escape(name)
    into = rf"(>\s*|\btee\b.*|\s-\w*i\b.*|open\(\W*)['\"]?(\./)?{file}\b|\bpython3?\b[\s\S]*{file}[\s\S]*write"

    def check(got: Got) -> str:
        text = after(got, name)
        lines = [line for line in text.split("\n") if line.strip()]
        if has(text, *wanted) and not (lost and has(text, lost)) and count in (0, len(lines)):
            return ""
        written = any(has(call.args, into, *(by or wanted)) for call in got.all("RUN"))
        return "" if written else f"{name} is {text!r}"

    return check


def after(got: Got, name: str) -> str:
    """The file after the calls, also where none was done since one of UNDONE is among them."""
    text = got.file(name)
    for call in () if got.results else got.all("WRITE_FILE", "ADD_TO_FILE", "EDIT_FILE"):
        if call.args.removeprefix("./") != name:
            continue
        body = call.body or ""
        if call.name != "EDIT_FILE":
            text = body if call.name == "WRITE_FILE" else text + body
        for old, new in re.findall(r"<{7} SEARCH\n(.*?)={7}\n(.*?)>{7} REPLACE", body, re.DOTALL):
            text = text.replace(old, new)
    return text


def shows(name: str, *wanted: str) -> Check:
    """What is read of the file has all of these; or a RUN prints it, and changes nothing."""
    file = re.escape(name)
    printing = rf"^(?!.*(sed -\w*i|>\s*['\"]?{file})).*\b(cat|less|more|nl|head|tail|grep|sed|awk|sort)\b.*\b{file}\b"

    def check(got: Got) -> str:
        printed = any(has(call.args, printing) for call in got.all("RUN"))
        return "" if printed else brings(*wanted, tools=("READ_FILE",))(got)

    return check


def brings(*wanted: str, tools: Sequence[str] = ("RECALL", "UNCOMPACT", "READ_FILE")) -> Check:
    """What one of these tools gives has all of these."""

    def check(got: Got) -> str:
        found = any(tool in tools and how == "ok" and has(text, *wanted) for tool, how, text in got.results)
        return "" if found else "it is not brought"

    return check


def keeps(words: str) -> Check:
    """The entry with these words is kept, and no other."""

    def check(got: Got) -> str:
        there = re.findall(rf"^#(\d+) .*\bHEAR\b.*\n.*{words}", got.file("context.md"), re.MULTILINE)
        kept = [call.args.lstrip("#0").split(" ")[0] for call in got.all("KEEP")]
        return "" if kept and set(kept) <= set(there) else f"keeps {kept}"

    return check
