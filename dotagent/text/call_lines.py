"""The lines of a reply as tool calls with their here-documents. Pure, linear in the text's length."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict

from dotagent.text import lazy, lookalike, reasoning
from dotagent.text.lazy import dataclass, replace
from dotagent.text.toolset import ToolCall, Toolset, is_silence

_BLANKS = " \t\r"  # allowed after a closing word
_HERE = lazy.compile(r"(?<!<)<<[ \t]*(['\"]?)([A-Za-z_][A-Za-z0-9_]*)\1\Z")
_INSTRUCTION = lazy.compile(r"[A-Z]{3,} \S.*(?<![.!?…:;,。！？])\Z")  # “FROM python”: below it, RUN is one, too


@dataclass(frozen=True)
class _Step:
    """A call and the line after it. If it has a closing `word`, its content begins there and must still be read."""

    call: ToolCall
    end: int
    word: str = ""


class CallLines:
    """The lines of a text, parsed as calls."""

    growing = False  # whether the text is unfinished (partial_reply.py)

    def __init__(self, text: str, tools: Toolset) -> None:
        self.lines, self.tools = text.split("\n"), tools
        self.head = lookalike.head(frozenset(tools.forms))
        self._ends = dict[bool, dict[str, list[int]]]()

    def all(self) -> tuple[tuple[ToolCall, ...], int]:
        """Return the calls of a text, and in how many ways it consists only of calls: 0, 1, or 2 for more.

        Content ends at the first line that is its closing word. If other text would follow there, that line belongs to
        the content. Then the content ends at a later such line, if only one choice leaves nothing but calls.
        """
        calls, whole = self.first()
        if (whole and not any(call.problem for call in calls)) or not calls:
            return calls, bool(calls)
        ways = self._ways()
        if ways[0] == 1:
            only = self._only(ways)
            return only, 2 if reasoning.split("\n".join(self.lines))[1] or self._swallows(only) else 1
        return calls, ways[0] or int(whole)

    def first(self) -> tuple[tuple[ToolCall, ...], bool]:
        """Return the calls up to the first line that is something else, and whether there is no such line.

        Content ends at the first line that is its closing word.
        """
        calls, at = list[ToolCall](), self._next(0)
        while at < len(self.lines):
            if not (step := self._step(at)):
                return tuple(calls), False
            close = self._close(step.word, step.end) if step.word else step.end - 1
            calls.append(self._filled(step, close))
            at = self._next(close + 1)
        return tuple(calls), True

    def _ways(self) -> list[int]:
        """Return for each line in how many ways the text from there on is only calls: 0, 1, or 2 for more."""
        count = len(self.lines)
        ways, after = [*[0] * count, 1], defaultdict[str, int](int)
        for at in reversed(range(count)):
            line, end = self.lines[at], self._passed(at)
            if end > at:
                ways[at] = ways[end]
            elif step := self._step(at):
                ways[at] = after[step.word] if step.word else 0 if step.call.problem else ways[step.end]
            word = line.rstrip(_BLANKS)
            after[word] = min(2, after[word] + ways[at + 1])
        return ways

    def _only(self, ways: list[int]) -> tuple[ToolCall, ...]:
        """Return the calls of a text that can be parsed in only one way."""
        calls, at = list[ToolCall](), self._next(0)
        while at < len(self.lines) and (step := self._step(at)):
            close = self._close(step.word, step.end) if step.word else step.end - 1
            while step.word and not ways[close + 1]:
                close = self._close(step.word, close + 1)
            calls.append(self._filled(step, close))
            at = self._next(close + 1)
        return tuple(calls)

    def _swallows(self, calls: tuple[ToolCall, ...]) -> bool:
        """Return whether some content may actually be several calls with other text between them.

        That is so if it opens another here-document with its own closing word after a line that is this word, or if it
        ends within one.
        """
        text = "\n".join(call.body or call.args for call in calls)
        for word in {found[2] for found in map(_HERE.search, self.lines) if found}:
            opens, depth, ended = re.compile(rf"<<-?[ \t]*['\"]?{word}\b"), 0, False
            for line in text.split("\n"):
                depth += bool(opens.search(line))
                if depth and ended:
                    return True
                if line.rstrip(_BLANKS) == word:
                    ended, depth = ended or not depth, max(0, depth - 1)
            if depth:
                return True
        return False

    def _next(self, at: int) -> int:
        """Return the first line from this one on that is neither blank nor reasoning."""
        while at < len(self.lines) and (end := self._passed(at)) > at:
            at = end
        return at

    def _passed(self, at: int) -> int:
        """Return the line after a blank line, or after reasoning that begins here; for any other line the line
        itself."""
        line = self.lines[at].strip()
        if not line:
            return at + 1
        close = reasoning.closing_tag(line)
        if not close:
            return at
        end = next((number for number in range(at, len(self.lines)) if close in self.lines[number]), len(self.lines))
        alone = end == len(self.lines) or not self.lines[end].partition(close)[2].strip()
        return min(end + 1, len(self.lines)) if alone else at

    def _step(self, at: int) -> _Step | None:
        """Return the call that begins in this line, or None."""
        line = self.line(at)
        head = self.head.match(line)
        if head is None:
            return None
        name, rest = head[0], line[head.end() :].strip()
        form = self.tools.forms[name]
        if form == "speech":
            return self._say(at, name, rest)
        if reasoning.is_closing(line) or (rest and name == self.tools.silence):
            return None
        if form == "shell" and not _HERE.match(rest):  # a command that is only a here-document is a script
            from dotagent.text.shell_documents import ShellCommand  # loaded only for such a command

            command = ShellCommand(self.lines, rest, at + 1, self.head, self._close)
            return _Step(ToolCall(name, command.text, None, command.problem or None), command.end)
        here = _HERE.search(rest)
        if here is None:
            return _Step(ToolCall(name, rest, None), at + 1)
        return _Step(ToolCall(name, rest[: here.start()].rstrip(), ""), at + 1, here[2])

    def line(self, at: int) -> str:
        """Return a line that is not content."""
        return self.lines[at]

    def _filled(self, step: _Step, close: int) -> ToolCall:
        """Return the step's call with its content, which ends before the line `close`."""
        if not step.word:
            return step.call
        body, problem = self.lines[step.end : close], None
        if close == len(self.lines):
            problem = f"the line {step.word} is missing after <<{step.word}"
            part = self.growing and body and step.word.startswith(body[-1].rstrip(_BLANKS))
            body = body[:-1] if part or (body and not body[-1]) else body
        if self.tools.forms[step.call.name] == "shell":
            return replace(step.call, args="\n".join(body), body=None, problem=problem)
        return replace(step.call, body="".join(line + "\n" for line in body), problem=problem)

    def _say(self, at: int, name: str, rest: str) -> _Step | None:
        """Return a speech call. The following lines belong to it, unless a call of another tool follows them."""
        room, first = (*rest.split(None, 1), "", "")[:2]
        here = _HERE.match(first) or _HERE.match(rest)
        if here:
            return _Step(ToolCall(name, room if first else "", ""), at + 1, here[2])
        end, fence, fenced = at + 1, lookalike.opened_fence(first), ""
        while end < len(self.lines) and (fence or not self.head.match(self.line(end))):
            line, fenced = self.lines[end], fence
            fence = lookalike.opened_fence(line) if not fence else "" if lookalike.is_closed_by(line, fence) else fence
            end += 1
        more = self.lines[at + 1 : end]
        if end < len(self.lines) and any(map(str.strip, more)) and not self.line(end).startswith(f"{name} "):
            return None
        if end < len(self.lines) and _INSTRUCTION.match(first) and self._is_shell(end):
            return None
        if more and end == len(self.lines) and not fenced:
            more[-1] = self.line(end - 1)
        text, alone = reasoning.split("\n".join([first, *more]), self.growing and end == len(self.lines))
        if alone:
            return None
        said = "\n".join(line.removesuffix("\r") for line in text.split("\n"))
        said = re.sub(r"\A(?:[^\S\n]*\n)+", "", said).rstrip()
        silent = is_silence(said) and self.tools.silence
        return _Step(ToolCall(silent, "", None) if silent else ToolCall(name, room, said or None), end)

    def _is_shell(self, at: int) -> bool:
        """Return whether a shell command begins in this line."""
        head = self.head.match(self.line(at))
        return head is not None and self.tools.forms[head[0]] == "shell"

    def _close(self, word: str, start: int, tabs: bool = False) -> int:
        """Return the first line from `start` on with only this word (after tabs if `tabs`), or the number of lines."""
        if tabs not in self._ends:
            found = defaultdict[str, list[int]](list)
            for number, line in enumerate(self.lines):
                found[(line.lstrip("\t") if tabs else line).rstrip(_BLANKS)].append(number)
            self._ends[tabs] = found
        ends = self._ends[tabs].get(word, [])
        at = bisect_left(ends, start)
        return ends[at] if at < len(ends) else len(self.lines)
