"""The grammar of a reply: which of its lines are tool calls, and what it says beside them.

A call is a line of its own, so that a model can write one without escaping anything and a person can read it.
Whatever is fenced, reasoned or inside a here-document is content and never a call. Pure, linear in the reply's length;
it owns nothing on disk.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from dotagent.text import lookalike, shell

QUIET = "HEARTBEAT_OK"  # what a heartbeat says where nobody need hear of anything
SILENCE = "NO_REPLY"  # what a reply is that says nothing to anybody
MOST = 64  # calls of one reply that are done
_MARKS = "*_`~\"'“”.!"
_TAGS = ("<think>", "<reasoning>")
_TAG = re.compile(r"(?<!`)<(think|reasoning)>")  # after a backtick it is spoken about, not used
_SAID_FENCE = re.compile(r"\S+\s+\S+\s+(?:`{3,}[^`]*\Z|~{3,})")
_MAYBE_FENCE = re.compile(r" {0,3}(?:`{1,2}|`{3,}[^`]*|~{1,2}|~{3,}.*)\Z", re.DOTALL)
_HERE = re.compile(r"(?<!<)<<[ \t]*(['\"]?)([A-Za-z_][A-Za-z0-9_]*)\1\Z")
_MAYBE_HERE = re.compile(r"<(?:<[ \t]*['\"]?[A-Za-z0-9_]*['\"]?[ \t\r]*)?\Z")


@dataclass(frozen=True, eq=False)
class Toolset:
    """What all that read replies must know of the tools; each tool says it of itself, at the top of its file.

    `forms` has every tool's name: a "line" takes the rest of its line, and a here-document if one is announced there;
    "speech" a room and the lines that follow, too; "shell" is a shell's line with the shell's own here-documents.
    `reminders` only show again what was there before. `speech`, `silence` and `original` are the tools that say
    something in a room, that say nothing, and that bring back what an id names; `note` and `lasting` those that write
    down what happens today, and what must last.
    """

    forms: Mapping[str, str]
    reminders: frozenset[str] = frozenset()
    speech: str = ""
    silence: str = ""
    original: str = ""
    note: str = ""
    lasting: str = ""

    def speaks(self, call: ToolCall) -> bool:
        """Whether the call says something in a room, or that nothing is said."""
        return call.name in (self.speech, self.silence)

    def say(self, room: str, text: str) -> ToolCall:
        """The call that says something in a room; NO_REPLY is silence."""
        silent = self.silence and is_silence(text)
        return ToolCall(self.silence, "", None) if silent else ToolCall(self.speech, room, text)


@dataclass(frozen=True)
class ToolCall:
    """One tool call. `args` is the rest of its line, stripped (speech: the room; shell: the whole command).

    `body` is the here-document's content, ended by LF unless empty, or what is said; None where there was none.
    `problem` says why the call can not be run, else it is None.
    """

    name: str
    args: str
    body: str | None
    problem: str | None = None


@dataclass(frozen=True)
class Reading:
    """A reply's calls in order, its text beside them without reasoning, and the lines that only look like calls.

    `lost` holds those that are fenced or malformed, and is empty where there is a true call.
    """

    calls: tuple[ToolCall, ...]
    text: str
    lost: tuple[str, ...]

    @property
    def due(self) -> tuple[ToolCall, ...]:
        """The calls, as far as they are done; the one after MOST says that it and the rest are not."""
        if len(self.calls) <= MOST:
            return self.calls
        why = f"a reply has at most {MOST} calls: this one and the {len(self.calls) - MOST - 1} after it were not done"
        return (*self.calls[:MOST], replace(self.calls[MOST], body=None, problem=why))


@lru_cache(maxsize=4)  # a reply of many calls is looked at once a call
def read(reply: str, tools: Toolset, cut: bool = False) -> Reading:
    """Read a reply, whatever it holds. Raises nothing; linear time.

    `cut` says that a length limit ended the reply: its last call may be a half, so it is left out.
    """
    scan, names = _Scan(reply, tools), frozenset(tools.forms)
    calls = tuple(scan.calls[:-1] if cut else scan.calls)
    calls += (
        tuple(ToolCall(name, args, None, why) for name, args, why in lookalike.unknown(scan.text, names))
        if calls
        else ()
    )
    return Reading(calls, "\n".join(scan.text).strip(), () if scan.calls else lookalike.lost(scan.text, names))


def is_silence(text: str | None) -> bool:
    """Whether the text is NO_REPLY and nothing else, however it is marked."""
    return text is not None and text.strip().strip(_MARKS) == SILENCE


def unalarming(text: str) -> str:
    """What is left of a text when QUIET is taken from its ends, however it is marked there; "" when it says no more."""
    text = text.strip()
    while True:
        begun, ended = text.lstrip(_MARKS), text.rstrip(_MARKS)
        if begun.startswith(QUIET):
            text = begun[len(QUIET) :].lstrip(_MARKS).strip()
        elif ended.endswith(QUIET):
            text = ended[: -len(QUIET)].rstrip(_MARKS).strip()
        else:
            return text


def spoken(partial: str, tools: Toolset, room: str, waking: bool) -> str:
    """What a reply that is still being written says in `room` so far, one after the other.

    `waking` says that `room` woke the agent, so that text without any call is said there. A last line that may yet
    become a call, a fence, a tag of reasoning or a closing word is held back; ends of blanks are left off.
    """
    scan = _Scan(partial, tools, growing=True)
    if not scan.calls:
        text = "\n".join(scan.text).strip() if waking else ""
        return "" if QUIET.startswith(text) or SILENCE.startswith(text) else text
    said = (call.body.rstrip() for call in scan.calls if call.name == tools.speech and call.args == room and call.body)
    return "\n".join(text for text in said if text and not SILENCE.startswith(text))


class _Scan:
    """One pass over a reply's lines. `growing`: the last line is unfinished, and shown only where it is certain."""

    def __init__(self, reply: str, tools: Toolset, growing: bool = False) -> None:
        self.lines, self.at = reply.split("\n"), 0
        self.tools, self.head, self.growing = tools, lookalike.head(frozenset(tools.forms)), growing
        self.calls, self.text, self.said, self.fence = list[ToolCall](), list[str](), list[str](), ""
        self.room: str | None = None  # of the speech whose lines are being collected
        while self.at < len(self.lines):
            self._step(self._next())
        self._end_say()

    def _next(self) -> str:
        self.at += 1
        return self.lines[self.at - 1]

    def _step(self, line: str) -> None:
        if self.fence:
            self._keep(line)
            if lookalike.closes(line, self.fence):
                self.fence = ""
            return
        if "<" in line:
            line = self._plain(line)
        if self.growing and self.at == len(self.lines):
            line = _certain(line, self.tools)
        head = self.head.match(line)
        if head is None:
            self.fence = lookalike.opens(line)
            self._keep(line)
            return
        self._end_say()
        rest = line[head.end() :].strip()
        form = self.tools.forms[head[0]]
        if form == "speech":
            self._say(head[0], rest)
        else:
            self.calls.append(self._shell(head[0], rest) if form == "shell" else self._other(head[0], rest))

    def _keep(self, line: str) -> None:
        (self.text if self.room is None else self.said).append(line.removesuffix("\r"))

    def _plain(self, line: str) -> str:
        """The line without reasoning, which may take lines that follow along; what is after it joins on."""
        at, kept = 0, list[str]()
        while (kept or not self._verbatim(line, at)) and (tag := _TAG.search(line, at)):
            if tag.start() > at:
                kept.append(line[at : tag.start()])
            at, closing = tag.end(), f"</{tag[1]}>"
            while (end := line.find(closing, at)) < 0:
                if self.at == len(self.lines):
                    return "".join(kept)
                line, at = self._next(), 0
            at = end + len(closing)
        line = line[at:]
        tag_start = line.rfind("<") if self.growing and self.at == len(self.lines) else -1
        if tag_start >= 0 and line[tag_start - 1] != "`" and any(tag.startswith(line[tag_start:]) for tag in _TAGS):
            line = line[:tag_start]
        return "".join(kept) + line

    def _verbatim(self, line: str, at: int) -> bool:
        """Whether a line's tags are only its words: a fence's opening, or a call with an argument."""
        head = self.head.match(line, at)
        if head is None:
            return bool(lookalike.FENCE.match(line, at))
        return self.tools.forms[head[0]] != "speech" or bool(_SAID_FENCE.match(line, at))

    def _say(self, name: str, rest: str) -> None:
        room, first = (*rest.split(None, 1), "", "")[:2]
        here = _HERE.match(first) or _HERE.match(rest)
        if here:
            body, problem = self._document(here[2])
            self.calls.append(ToolCall(name, room if first else "", _joined(body), problem))
            return
        self.room, self.said, self.fence, self.speech = room, [first], lookalike.opens(first), name

    def _end_say(self) -> None:
        if self.room is None:
            return
        first = next((number for number, line in enumerate(self.said) if line.strip()), len(self.said))
        text = "\n".join(self.said[first:]).rstrip()
        silent = is_silence(text) and self.tools.silence
        self.calls.append(
            ToolCall(self.tools.silence, "", None) if silent else ToolCall(self.speech, self.room, text or None)
        )
        self.room = None

    def _other(self, name: str, rest: str) -> ToolCall:
        here = _HERE.search(rest)
        if here is None:
            return ToolCall(name, rest, None)
        body, problem = self._document(here[2])
        return ToolCall(name, rest[: here.start()].rstrip(), _joined(body), problem)

    def _document(self, word: str, tabs: bool = False) -> tuple[list[str], str | None]:
        """The lines up to the closing word, which is taken too, and what is wrong if there is none."""
        start = self.at
        while self.at < len(self.lines):
            line = self._next()
            bare = (line.lstrip("\t") if tabs else line).rstrip(" \t\r")
            if bare == word:
                return self.lines[start : self.at - 1], None
            if self.growing and self.at == len(self.lines) and word.startswith(bare):
                self.lines[-1] = ""
        rest = self.lines[start:]
        return rest[:-1] if rest and not rest[-1] else rest, f"no line {word} after <<{word}"

    def _shell(self, name: str, rest: str) -> ToolCall:
        """A shell command with its here-documents; a command that is nothing but one is a script."""
        script = _HERE.match(rest)
        if script:
            body, problem = self._document(script[2])
            return ToolCall(name, "\n".join(body), None, problem)
        taken, inside = [rest], list[str]()
        words = self._shell_line(taken, inside)
        while words:
            for word, tabs in words:
                body, problem = self._document(word, tabs)
                taken += body
                if problem:
                    return ToolCall(name, "\n".join(taken), None, problem)
                taken.append(word)  # bare: the shell, unlike us, forgives no blank behind it
            words = []
            while inside and not words and self._follows():
                taken.append(self._next().removesuffix("\r"))
                words = self._shell_line(taken, inside)
        return ToolCall(name, "\n".join(taken), None)

    def _shell_line(self, taken: list[str], inside: list[str]) -> list[tuple[str, bool]]:
        """The here-documents that the last taken line announces, with the lines that a backslash at its end joins."""
        words, more = shell.documents(taken[-1], inside)
        while more and self._follows():
            taken.append(self._next().removesuffix("\r"))
            further, more = shell.documents(taken[-1], inside)
            words += further
        return words

    def _follows(self) -> bool:
        """Whether the next line can belong to a shell command that is not complete."""
        line = self.lines[self.at] if self.at < len(self.lines) else "```"
        return not (self.head.match(line) or lookalike.FENCE.match(line) or _TAG.search(line))


def _joined(lines: list[str]) -> str:
    return "".join(line + "\n" for line in lines)


def _certain(line: str, tools: Toolset) -> str:
    """As much of an unfinished line as no further letter can turn into something that is not said."""
    bare = line.removesuffix("\r")
    if _MAYBE_FENCE.match(line) or any(name.startswith(bare) for name in tools.forms):
        return ""
    words = line.split(None, 2)
    if (
        len(words) == 3
        and tools.forms.get(words[0]) == "speech"
        and line.startswith(words[0])
        and (_MAYBE_HERE.match(words[2]) or _MAYBE_FENCE.match(words[2]))
    ):
        return f"{words[0]} {words[1]} "
    return line
