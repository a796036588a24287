"""Checks for the fifth set of bench/follow.py: the ways there are to look, to write, to note and to be reminded.

A first look is right as long as nothing else is done. A command is judged by how it writes a file: one that writes it
anew must hold all of it, one that changes or prolongs it what is new. A reminder is right by the time it would come.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta

from follow_tasks import Check, Got, after, any_of, brings, calls, has, keeps, meant, runs, says

from dotagent.text import schedule, when
from dotagent.text.schedule import Schedule

ROWS = r"\\n|\n|(echo|printf)[\s\S]*(echo|printf)|\bfor\b|\btr\b|\bsed\b"  # what puts words on lines of their own
_ARGS = r"(?:[^|;&'\"\n]|'[^']*'|\"(?:[^\"\\]|\\.)*\")*"  # of one command, as the shell divides them
_PRINTING = (
    r"\b(cat|tac|less|more|most|bat|nl|head|tail|[ef]?grep|rg|sed|g?awk|sort|uniq|cut|tr|paste|column|strings|fold"
    r"|xargs|read|perl|python3?)\b"
)
_COUNTING = r"\|\s*wc\b|\bgrep\s+-\w*[cq]"
_SEARCHING = r"\b(grep\s+(-\S+\s+)*(-\w*r\w*|--recursive)|rg|ag)\b"
_WRITING = r"\.write|write_text|writelines|\bfile ?=|fileinput|os\.replace|shutil|to_csv|,\s*['\"][wax]\+?['\"]"
_KEEPING = r"\.read|read_text|readlines|\bin open|\bin f\b|['\"]a\+?['\"]|['\"]r\+['\"]|fileinput|read_csv"
_FILES = ("WRITE_FILE", "ADD_TO_FILE", "EDIT_FILE")
_SLACK = timedelta(minutes=2)


def _file(name: str) -> str:
    """A pattern for the file in a command."""
    return rf"['\"]?(?<![\w./-])(?:\./|\"?\$PWD\"?/)?{re.escape(name)}(?![\w/-]|\.\w)"


def _inside(command: str, name: str) -> str:
    """The command as if it were not in the file's folder but above it."""
    folder, _, base = name.rpartition("/")
    gone = re.search(rf"\bcd\s+['\"]?(\./)?{re.escape(folder)}/?['\"]?\s*(&&|;|\n)", command) if folder else None
    rest = command[gone.end() :] if gone else ""
    return f"{command[: gone.start()]}{re.sub(_file(base), name, rest)}" if gone else command


def _way(command: str, name: str) -> str:
    """How a command writes the file: `in` it, `below` what it holds, `over` that; "" where it does not."""
    file, command = _file(name), _inside(command, name)
    python = has(command, r"\bpython3?\b") and has(command, file, _WRITING)
    changing = (
        rf"\b(sed|perl|ruby)\b{_ARGS}\s(-\w*i|--in-place){_ARGS}{file}",
        rf"\bawk\b{_ARGS}-i\s*inplace{_ARGS}{file}",
        rf">\s*(?P<other>['\"]?[\w./$-]+['\"]?)[\s\S]*\b(mv|cp)\s+(-\w+\s+)?(?P=other)\s+{file}",
        rf"\bsponge\s+{file}|\b(ed|ex|vim?)\b{_ARGS}{file}",
    )
    if any(has(command, one) for one in changing) or (python and has(command, _KEEPING)):
        return "in"
    if python or has(command, rf"(?<!>)>\|?\s*{file}|\btee\s+{file}|\bof={file}"):
        return "over"
    return "below" if has(command, rf">>\s*{file}|\btee\s+(-a|--append)\s+{file}") else ""


def turns(
    name: str,
    *wanted: str,
    lost: str = "",
    count: int = 0,
    by: Sequence[str] = (),
    whole: Sequence[str] = (),
) -> Check:
    """The file comes to hold all of these and nothing of `lost`; or a command changes or prolongs it with all of `by`,
    or writes it anew with all of `whole`."""

    def check(got: Got) -> str:
        text = after(got, name)
        lines = [line for line in text.split("\n") if line.strip()]
        if has(text, *wanted) and not (lost and has(text, lost)) and count in (0, len(lines)):
            return ""
        for call in got.all("RUN"):
            way = _way(call.args, name)
            if not way or (lost and (way == "below" or (way == "over" and has(call.args, lost)))):
                continue
            if has(call.args, *((whole or wanted) if way == "over" else by or whole or wanted)):
                return ""
        return f"{name} is {text!r}"

    return check


def prints(name: str, *wanted: str) -> Check:
    """The file is read so that all of these are seen, and nothing else is done."""

    def check(got: Got) -> str:
        if why := _does_more(got, name):
            return why
        for call in got.all("RUN"):
            command = _inside(call.args, name)
            if has(command, _PRINTING, _file(name)) or has(command, _SEARCHING):
                return "" if not has(command, _COUNTING) else "it is only counted"
        read = [call for call in got.all("READ_FILE") if re.fullmatch(rf"{_file(name)}['\"]?(\s.*)?", call.args)]
        if not read:
            return "it is not read"
        return brings(*wanted, tools=("READ_FILE",))(got) if got.results else ""

    return check


def lists(name: str) -> Check:
    """The file's directory is listed, or where it stands is looked for, and nothing else is done."""
    folder = name.rpartition("/")[0] or name
    here = r"-[\w-]+|\./?|\"?\$PWD\"?|['\"]?[\w./]*\*\S*"
    mine = rf"['\"]?(?:\./)?(?:{re.escape(name)}|{re.escape(folder)}/?)['\"]?"
    listing = rf"(?:^|[;&|(]\s*)(?:ls|ll|dir)(?:\s+(?:{here}|{mine}))*\s*(?:$|[|;&\n)]|2>)"
    finding = rf"(?:^|[;&|(]\s*)(?:find|tree|fd|du)\b(?!{_ARGS}\s(?:/|~|\.\.)(?!{_ARGS}-i?name))"

    def check(got: Got) -> str:
        if why := _does_more(got, name):
            return why
        shown = r"\./?" if got.file(folder) else rf"\./?|(\./)?{re.escape(folder)}/?"
        read = any(re.fullmatch(shown, call.args) for call in got.all("READ_FILE"))
        return "" if read or any(has(call.args, f"{listing}|{finding}") for call in got.all("RUN")) else "lists nothing"

    return check


def _does_more(got: Got, name: str) -> str:
    """What a reply does beside looking; "" where it does nothing else."""
    others = [call.name for call in got.reading.calls if call.name not in ("READ_FILE", "RUN", "RECALL")]
    if others or not got.reading.calls:
        return f"calls {' '.join(others)}" if others else "looks at nothing"
    changed = [call.args for call in got.all("RUN") if _way(call.args, name) or has(call.args, r"\b(rm|mv|truncate)\b")]
    return f"runs {changed[0]!r}" if changed else ""


def sees(name: str, *wanted: str) -> Check:
    """A right first step: the file is read, or looked for."""
    return any_of(prints(name, *wanted), lists(name))


def remembers(*wanted: str, before: str = "", words: str = "") -> Check:
    """All of these are noted, where notes are, and what was `before` in MEMORY.md stays; or it is looked at first; or
    the message with these words is kept."""

    def check(got: Got) -> str:
        memory = after(got, "MEMORY.md")
        if before and not has(memory, before):
            return f"MEMORY.md is {memory!r}"
        if any(tool in ("REMEMBER", "NOTE") and how != "ok" for tool, how, _ in got.results):
            return "it is not noted"
        noted = "\n".join(f"{call.args} {call.body or ''}" for call in got.all("REMEMBER", "NOTE"))
        waits = any(has(text, r"USER\.md.* waits as candidate") for *_, text in got.results)  # for its person's words
        where = r"^(\./)?(memory/|USER\.md)" if waits else r"^(\./)?memory/"
        files = [call.body or "" for call in got.all(*_FILES) if has(call.args, where)]
        if any(has(text, *wanted) for text in (memory, after(got, "USER.md"), noted, *files)):
            return ""
        day = [call.args for call in got.all("RUN") if has(call.args, r"(>|\btee -a)\s*['\"]?(\./)?memory/")]
        anew = (*wanted, before) if before else wanted
        ways = [turns("MEMORY.md", *wanted, by=wanted, whole=anew), turns("USER.md", *wanted)]
        if any(has(one, *wanted) for one in day) or not any_of(*ways)(got):
            return ""
        return any_of(prints("MEMORY.md", before), prints("USER.md", "USER"), keeps(words or wanted[0]))(got)

    return check


def finds(*wanted: str, answer: str = "", words: str = "") -> Check:
    """What was said is brought back with one of these; or it is looked for with some of these words, or in the room as
    a whole; or the answer is there already and is said."""

    room = r"\b(cat|less|head|tail|sed|nl)\b.*\b(subs|chats)/"
    ways = [brings(*wanted), meant("SESSION", r"^read dev\b"), runs(room)]
    if answer:
        ways.append(says(answer))
    if words:
        ways += [calls("RECALL", words, ok=False), runs(r"\b(grep|rg|ag)\b", words)]
    return any_of(*ways)


def reminds(words: str, *due: str, minutes: int = 0) -> Check:
    """A reminder with these words comes in so many minutes, or at those times: one, or all, of which it goes on."""

    def check(got: Got) -> str:
        heard = re.findall(r"\[USER:\S+ (\S+)\]", got.file("context.md"))[-1]
        now = datetime.fromisoformat(heard).astimezone(UTC)
        wanted = [datetime.fromisoformat(f"{one}Z") for one in due] or [now + timedelta(minutes=minutes)]
        comes = list[datetime]()
        for call in got.all("REMIND"):
            said = when.said(f"{call.args} {(call.body or '').strip()}".strip(), now)
            if said is None or not has(said.text, words):
                return f"reminds of {call.args!r}"
            comes += _coming(Schedule(said.kind, said.words, "UTC"), now, len(wanted))
        found = sorted(set(comes))[: len(wanted) if len(wanted) > 1 else None]
        near = [abs(one - other) <= _SLACK for one, other in zip(found, wanted, strict=False)]
        right = len(found) == len(wanted) and all(near)
        return "" if right else f"reminds at {[f'{one:%c}' for one in found]}"

    return check


def _coming(one: Schedule, now: datetime, count: int) -> list[datetime]:
    """The next times at which it is due, one more than there should be."""
    found = list[datetime]()
    with suppress(ValueError):  # of a cron that is none
        while len(found) <= count and (following := schedule.after(one, found[-1] if found else now)):
            found.append(following)
    return found


def quiet(got: Got) -> str:
    """Nothing is said, and nothing done but perhaps a note for itself."""
    others = [call.name for call in got.reading.calls if call.name not in ("WAIT", "NOTE", "REMEMBER")]
    if got.said or others:
        return f"calls {' '.join(others)}" if others else "says something"
    waits = got.all("WAIT") or re.fullmatch(r"\W*NO_REPLY\W*", got.reply)
    return "" if waits else "does not wait"
