"""Find where a reply begins and ends: its thoughts, its text, and what no longer belongs to it. The step before the
grammar.

- Thoughts are at the beginning, in the marks of templates.py. They join the reasoning: no one reads or does them. So
  do thoughts that begin a later line, unless the line above announces an example or the prompt asks for such a tag.
- The text ends at a template's mark, or at the beginning of another speaker's turn: a head of the context, a tag of a
  room, the name of someone in the room, or a role. The rest is dropped. In a fence, in quotes, in a here-document or
  in a parameter, all of these are content. So is a list of names or fields, unless a call follows it.
- The same lines MANY times in a row end the text, and remain once.

Pure, linear in the reply's length, piece by piece; owns nothing on disk.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Collection, Generator, Iterator

from dotagent.providers.server import templates
from dotagent.store.call import REPEATED, TURN
from dotagent.text import lazy, lookalike

MANY = 48  # rounds of the same lines that end a reply
DATA = 10  # how many times as much the content of a here-document may have
WIDE = 40  # lines of a round
LONG, UNIT = 6000, 600  # characters at the end of a line that are the same piece of at most UNIT characters again
OFTEN = 500  # characters between two looks at that
BEHIND = 2000  # characters after the end before the server is left

_ALONE = lazy.compile(rf"(?<![`'\"\\ ])(?:{'|'.join(map(re.escape, templates.CLOSINGS))})")
_MARK = lazy.compile(rf"(?<![`'\"\\])(?:{templates.END}|{'|'.join(map(re.escape, templates.MARKS))})(?![`'\"])")
CLOCK = r"(?:\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?Z?)?|\d\d:\d\d(?::\d\d)?)"
_WORDS = r"(?:HEAR|REPLY|TOOL|FADED)"  # heads in other forms of the context
_HEAD = lazy.compile(
    rf"#\d{{1,9}} (?:{CLOCK} \S|{_WORDS} \S|(?P<tool>[A-Z_]+)(?: \w+)?:|\S+ (?P<label>[^\n:]{{1,100}}:))"
)
_TAG = lazy.compile(r"\[(?:USER|AGENT):[^\s\[\]:]{1,400} \d[\dTZ:.-]{4,40}\]")
_MAYBE_TURN = lazy.compile(
    r"#(?:\d{0,9}|\d{1,9} (?:[\dT:.Z-]* ?|[^\n:]{0,90}))\Z"
    r"|\[(?:[A-Z]{0,5}|(?:USER|AGENT):[^\s\[\]]{0,100}(?: [\dTZ:.-]*)?)\Z"
)
_LABEL = lazy.compile(r"(?:agent )?([^\s:：#*_\[<][^\n:：]{0,99}?) ?(?::(?: |\Z)|：)")
_FIELD = lazy.compile(r"[*_-]{0,3}\w[^\n:]{0,40}: *\S")  # a line of a list of names or fields
_NUMBER = lazy.compile(r"\d+")
_DOCUMENT = lazy.compile(r"(?<!<)<<-?[ \t]*(['\"]?)([A-Za-z_]\w*)\1")
_CALL = lazy.compile(r"[A-Z][A-Z_]{2,40}(?= |\Z)")
_RAW = {"<parameter": "</parameter>", "<arg_value>": "</arg_value>"}  # content of calls in other syntaxes


class Over(Exception):
    """The reply has ended, but its model has not."""


class Reader:
    """A reply so far. `names` returns those who speak in the prompt in lower case, `tools` the tools' names, and
    `asked` whether the prompt asks for a tag; few replies need these.

    If not `live`, no other turn ends the reply. With a `closing` mark, it begins in thoughts that it ends. `lone`
    is the mark that ended thoughts without a beginning, if any.
    """

    def __init__(
        self,
        names: Callable[[], Collection[str]] = frozenset,
        tools: Callable[[], Collection[str]] = frozenset,
        live: bool = True,
        closing: str = "",
        asked: Callable[[str], bool] = lambda tag: False,
    ) -> None:
        self._names, self._tools, self._live, self._asked = names, tools, live, asked
        self._parts: dict[str, list[str]] = {"text": [], "reasoning": []}
        self._size = 0  # characters of the text so far
        self._held, self._closing = "", re.escape(closing)  # a possible mark; the mark that ends the thoughts
        self._took, self._began = False, False  # whether marks were before the text; whether it has begun
        self._call = False  # whether it is a call in gpt-oss's marks
        self._line, self._shown, self._middle = "", 0, False  # the line so far, or only its end; how much was passed on
        self._fence, self._until = "", ""  # the open fence, or the word that ends the content
        self._above, self._before = "", ""  # the last line with words; the last line
        self._doubt = -1  # the start of names that are content, unless a call follows
        self._since, self._until_then = list[str](), ""  # the text since thoughts began below words; earlier reasoning
        self._loop, self._thinks = _Loop(), _Loop()
        self._around = ""  # the mark that ends the answer, if the template has one
        self._dropped = list[str]()
        self._end = self.lone = ""

    @property
    def text(self) -> str:
        """Return the text so far."""
        return "".join(self._parts["text"])

    @property
    def reasoning(self) -> str:
        """Return the reasoning so far."""
        return "".join(self._parts["reasoning"])

    @property
    def finish(self) -> str:
        """Return TURN or REPEATED if something was dropped, otherwise ""."""
        dropped = "".join(self._dropped).removeprefix(self._around)
        return self._end if self._end or not _MARK.sub("", dropped).strip() else TURN

    def add(self, channel: str, delta: str) -> Iterator[tuple[str, str]]:
        """Yield what the next piece of `text` or `reasoning` adds to both. Raises Over if nothing more can come."""
        if self._dropped or self._end:
            self._dropped.append(delta)
        elif channel == "reasoning":
            if not (self._parts["reasoning"] or self._held):
                self._closing = ""  # its server knows where the thoughts end
            yield from self._thought(delta)
        elif self._began:
            yield from self._body(delta)
        else:
            if self._since:
                self._since.append(delta)
            yield from self._start(delta)
        if self._dropped and not self._end and (more := templates.GOES_ON.match("".join(self._dropped))):
            rest, self._dropped, self._began = "".join(self._dropped)[more.end() :], [], False
            self._line, self._shown, self._middle = "", 0, False
            yield from self._say("\n\n" if self.text.strip() else "")
            yield from self._start(rest)
        if self._end == REPEATED or (self._dropped and sum(map(len, self._dropped)) > BEHIND):
            raise Over

    def end(self) -> Iterator[tuple[str, str]]:
        """Yield the text that was held until the end of the reply."""
        held, self._held = self._held, ""
        if self._closing and self._since:  # never closed, so these are words
            self._parts["reasoning"], self._closing, self._began = [self._until_then], "", True
            self._asked = lambda tag: True
            yield from self._body("".join(self._since))
        elif self._closing:
            yield from self._thought(held)
        elif held:
            self._began = True
            yield from self._body(held)
        if not self._dropped:
            yield from self._whole(self._line, "")
        if self._call:
            yield from self._say("}")

    def _start(self, delta: str) -> Iterator[tuple[str, str]]:
        """Read the beginning: thoughts, and marks before the answer."""
        self._held = (self._held + delta).lstrip("\ufeff\u200b\u2060")
        while True:
            if self._closing:
                close = re.search(self._closing, self._held)
                kept = close.start() if close else max(0, len(self._held) - 40)  # the end may begin a mark
                yield from self._thought(self._held[:kept])
                self._held = self._held[close.end() if close else kept :]
                if not close:
                    return
                self._closing, self._took = "", True
            bare = self._held.lstrip()
            if self._took and not self._around and (found := templates.AROUND.match(bare)):
                self._held, self._around = bare[found.end() :], f"</{found['mark'][1:]}"
                continue
            if found := templates.PASSED.match(bare):
                self._held, self._took = bare[found.end() :], True
                if found["name"]:
                    self._call = self._began = True
                    yield from self._say(f'{{"name": "{found["name"]}", "arguments": ')
                    yield from self._body(self._held)
                    self._held = ""
                    return
                continue
            for form, closing in templates.OPENS:
                if one := form.match(bare):
                    tag = one.groupdict().get("tag", "")
                    self._held, self._closing = bare[one.end() :], closing.replace("{tag}", re.escape(tag))
                    break
            else:
                aside = templates.aside(bare, self._asked)
                if aside and aside["end"]:
                    yield from self._thought(aside["thought"])
                    self._held, self._took = bare[aside.end() :], True
                    continue
                if not bare and len(self._held) > LONG:  # nothing but blanks
                    self._end = REPEATED
                if not bare or templates.MAYBE.match(bare) or any(one.startswith(bare) for one in templates.PLAIN):
                    return
                if aside and not self._thinks.add(delta):
                    return
                told, self._held, self._began = bare if self._took else self._held, "", True
                yield from self._body(told)
                return

    def _thought(self, delta: str) -> Iterator[tuple[str, str]]:
        if delta:
            self._parts["reasoning"].append(delta)
            yield "reasoning", delta
            if self._thinks.add(delta):
                self._end = REPEATED

    def _body(self, delta: str) -> Iterator[tuple[str, str]]:
        """Read the text line by line. Yield the part of an unfinished line that no later letter can turn into the
        end."""
        text = self._line + delta
        if "|>" in text and not (self._fence or self._until):
            text = templates.UNSEEN.sub("", text)
        *lines, last = text.split("\n")
        for at, line in enumerate(lines):
            if self._thinks_again(line):
                yield from self._think_again("\n".join([*lines[at:], last]))
                return
            yield from self._whole(line, "\n")
            if self._dropped or self._end:
                self._dropped.append("\n".join([*lines[at + 1 :], last]))
                return
            self._line, self._shown, self._middle = "", 0, False
        if self._thinks_again(last):
            yield from self._think_again(last)
            return
        self._line = last = yield from self._after_thoughts(last)
        if (at := self._found(last, whole=False)) >= 0:
            yield from self._cut(last, at, "")
        elif (upto := self._certain(last)) > self._shown:
            yield from self._say(last[self._shown : upto])
            self._shown = upto
            if upto > OFTEN:  # a long line is not read again
                self._line, self._shown, self._middle = last[upto - 1 :], 1, True

    def _thinks_again(self, line: str) -> bool:
        """Return whether thoughts begin with this line below words."""
        if not self._may_think(line):
            return False
        found = next(filter(None, (form.match(line) for form, _ in templates.OPENS)), None)
        return found is not None and not self._asked(found.groupdict().get("tag") or "think")

    def _may_think(self, line: str) -> bool:
        """Return whether thoughts may begin with this line."""
        content = self._fence or self._until or self._shown or self._middle
        return line[:1] in ("<", "[", "◁") and not content and self._above != "" and self._above[-1] not in ":："

    def _think_again(self, rest: str) -> Iterator[tuple[str, str]]:
        """Read the rest of the reply like its beginning."""
        self._began, self._line = False, ""
        self._since, self._until_then = [rest], self.reasoning
        yield from self._start(rest)

    def _whole(self, line: str, end: str) -> Iterator[tuple[str, str]]:
        if (at := self._found(line, whole=True)) >= 0:
            yield from self._cut(line, at, end)
            return
        line = yield from self._after_thoughts(line)
        start = self._size - self._shown
        yield from self._say(line[self._shown :] + end)
        counts = not (self._until or self._fence)
        if (since := self._loop.line(line, start, DATA if self._until else 1, counts)) >= 0:
            self._keep(since)
            self._end = REPEATED
        self._follow(line)

    def _after_thoughts(self, line: str) -> Generator[tuple[str, str], None, str]:
        """Return what follows the end of thoughts without a beginning. Yield for who has read these as text that they
        are thoughts."""
        closed = None if self._fence or self._until or _CALL.match(line) else _ALONE.search(line)
        if not closed:
            return line
        self._parts = {"text": [], "reasoning": [self.reasoning, self.text, line[self._shown : closed.start()]]}
        self._size, self._shown, self.lone = 0, 0, closed[0]
        yield "text", "</think>\n"
        return line[closed.end() :].lstrip()

    def _cut(self, line: str, at: int, end: str) -> Iterator[tuple[str, str]]:
        yield from self._say(line[self._shown : at].rstrip() if at else "")
        self._dropped.append(line[at:] + end)

    def _say(self, text: str) -> Iterator[tuple[str, str]]:
        if not text:
            return
        self._parts["text"].append(text)
        self._size += len(text)
        yield "text", text
        if back := self._loop.goes_round(text, DATA if self._until else 1):
            self._keep(self._size - back)
            self._end = REPEATED

    def _keep(self, size: int) -> None:
        self._parts["text"] = [self.text[:size]]
        self._size = size

    def _found(self, line: str, *, whole: bool) -> int:
        """Return where another speaker's turn, or a template's mark, begins in this line, or -1."""
        if self._fence or self._until:
            return at if (at := self._closed(line)) and _MARK.match(line[at:]) else -1
        if (
            ("<" in line or "[" in line or "]" in line)
            and (mark := _MARK.search(line))
            and not (
                mark[0] == "</s>" and "<s>" in line[: mark.start()]  # text that is struck out
            )
        ):
            return mark.start()
        if self._around and (at := line.find(self._around)) >= 0:
            return at
        if self._middle or not self._live:
            return -1
        call = _CALL.match(line) if self._doubt >= 0 and (whole or " " in line) else None
        if call and call[0] in self._tools():
            self._keep(self._doubt)
            self._end, self._shown = TURN, 0
            return 0
        if self._shown:  # its beginning was certainly text
            if whole and self._doubt < 0 and templates.adorned(line, self._names, whole=True) == "perhaps":
                self._doubt = self._size - self._shown
            return -1
        sure = bool(_TAG.match(line)) or self._headed(line)
        if sure and not self._above:
            return -1  # its own, imitated
        adorned = (
            None if sure or self._labelled(line, whole=whole) else templates.adorned(line, self._names, whole=whole)
        )
        if adorned == "":
            return -1
        if not sure and (self._doubt >= 0 or not self._above or self._in_list() or adorned == "perhaps"):
            self._doubt = self._size if self._doubt < 0 else self._doubt
            return -1
        self._end = TURN
        return 0

    def _headed(self, line: str) -> bool:
        """Return whether the line begins with a head of the context: of a message, or of a tool's result."""
        if not (head := _HEAD.match(line)):
            return False
        if head["tool"]:
            return head["tool"] in self._tools()
        return not head["label"] or self._labelled(head["label"], whole=True)

    def _labelled(self, line: str, *, whole: bool) -> bool:
        """Return whether the line begins with a role or the name of someone in the room."""
        label = _LABEL.match(line)
        if not label or (not whole and line.endswith(":")):
            return False
        return label[1] in templates.ROLES or label[1].casefold() in self._names()

    def _in_list(self) -> bool:
        """Return whether the line above announces a list, or belongs to one."""
        return self._above.endswith((":", "：")) or bool(_FIELD.match(self._before))

    def _certain(self, line: str) -> int:
        """Return how many characters of an unfinished line are certainly text."""
        if self._fence or self._until:
            return at if (at := self._closed(line)) and line[at : at + 1] in ("<", "[") else len(line)
        if self._live and line and not (self._shown or self._middle) and self._may_be_turn(line):
            return 0
        if self._may_think(line) and templates.MAYBE.match(line):
            return 0
        at = max(line.rfind("<"), line.rfind("["), line.rfind("]"))
        ends = (*templates.MARKS, *templates.CLOSINGS, self._around)
        maybe = at >= 0 and (any(mark.startswith(line[at:]) for mark in ends) or templates.MAYBE_END.match(line, at))
        return at if maybe else len(line)

    def _closed(self, line: str) -> int:
        """Return where the text after the end of a fence begins in this line, or 0."""
        ours = self._fence and line.lstrip()[:1] == self._fence[0]
        return len(line) - len(line.lstrip(f" {self._fence}")) if ours else 0

    def _may_be_turn(self, line: str) -> bool:
        if _MAYBE_TURN.match(line):
            return True
        bare = templates.UNADORNED.sub("", line).casefold()
        known = (*templates.KNOWN, *self._names())
        return "agent ".startswith(line) or any(
            one.startswith(bare) or (bare.startswith(one) and templates.REST.fullmatch(bare, len(one))) for one in known
        )

    def _follow(self, line: str) -> None:
        """Follow fences and content, after a whole line."""
        bare = line.strip()
        if self._until:
            ended = self._until in line if self._until[0] == "<" else bare == self._until
            self._until = "" if ended else self._until
        elif self._fence:
            self._fence = "" if lookalike.is_closed_by(line, self._fence) else self._fence
        elif not self._middle:
            document = _DOCUMENT.search(line) if _CALL.match(line) else None
            self._fence, self._until = lookalike.opened_fence(line), document[2] if document else ""
            for opening, closing in _RAW.items():
                if (at := line.rfind(opening)) >= 0 and closing not in line[at:]:
                    self._until = closing
        self._above, self._before = bare or self._above, bare


class _Rounds:
    """The last lines, and for each number of lines how many of them are the same as that many lines before."""

    def __init__(self) -> None:
        self._lines = deque[str](maxlen=WIDE)
        self._equal, self._since = [0] * (WIDE + 1), [0] * (WIDE + 1)

    def add(self, line: str, start: int, most: int) -> int:
        """Return where `most` rounds of the same lines began, after a line that began at `start`, or -1."""
        for width, other in enumerate(reversed(self._lines), 1):
            if other != line:
                self._equal[width] = 0
                continue
            self._since[width] = self._since[width] if self._equal[width] else start
            self._equal[width] += 1
        self._lines.append(line)
        over = (width for width in range(1, WIDE + 1) if self._equal[width] >= most * width)
        return next((self._since[width] for width in over), -1)


class _Loop:
    """Whether the end of a text only repeats itself."""

    def __init__(self) -> None:
        self._same, self._counted, self._blank, self._empty = _Rounds(), _Rounds(), 0, 0
        self._rest, self._fresh, self._size, self._open = "", list[str](), 0, ""

    def add(self, delta: str) -> bool:
        """Return True if the text repeats itself, after a piece of it."""
        *lines, self._open = (self._open[-LONG:] + delta).split("\n")
        return any(self.line(line, 0, 1) >= 0 for line in lines) or bool(self.goes_round(delta, 1))

    def line(self, line: str, start: int, patience: int, counts: bool = True) -> int:
        """Return where the repetition began, after a whole line that began at `start`, or -1.

        `counts` is whether lines that differ only in their numbers repeat themselves, too. In code they are data.
        """
        if not (line := line.strip()):
            self._empty = self._empty if self._blank else start
            self._blank += 1
            return self._empty if self._blank >= MANY * patience else -1
        self._blank = 0
        since = self._same.add(line, start, (MANY - 1) * patience)
        if since < 0 and counts and (plain := _NUMBER.sub("0", line)).strip("0 .,:;-|"):
            since = self._counted.add(plain, start, MANY * MANY)  # only the numbers differ, as in a long list
        return since

    def goes_round(self, delta: str, patience: int) -> int:
        """Return how many characters at the end of the line only repeat those before, after a piece of it, or 0."""
        _, mark, last = delta.rpartition("\n")
        if mark:
            self._rest, self._fresh = "", []
        self._fresh.append(last)
        self._size = len(last) if mark else self._size + len(last)
        if self._size < OFTEN:
            return 0
        size = LONG * patience
        self._rest = (self._rest + "".join(self._fresh))[-LONG * DATA :]
        self._size, self._fresh = 0, []
        if len(self._rest) < size:
            return 0
        end = self._rest[-size:]
        unit = max(0, end.find(end[: size - UNIT], 1))
        at = len(self._rest) - size
        while unit and at > 0 and self._rest[at - 1] == self._rest[at - 1 + unit]:
            at -= 1
        return len(self._rest) - at - unit if unit else 0
