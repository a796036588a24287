"""Native function calls in an answer. Each piece is shown as text when it arrives, so that a person can read an answer
while it is written."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from dotagent.providers.formats.answer_text import Writing
from dotagent.text import native, reasoning, syntaxes
from dotagent.text.native import Schema

MOST = 256  # the most calls of an answer, and the most pieces of a name
_STRAY = re.compile(r"[\s}\]]*(?:<\|?\w+\|?>\s*)*")  # what some models and servers add behind a JSON object
_NAME = re.compile(r"\s*(?:\w+\.)?(\w+)\s*(?:<\|.*)?", re.DOTALL)  # `functions.RUN`, `RUN<|channel|>commentary`


@dataclass
class _Call:
    """A call: its id, name and arguments (JSON) so far, and how much of it was shown."""

    id: str = ""
    name: str = ""
    pieces: list[str] = field(default_factory=list)
    begun: bool = False
    shown: str = ""
    ended: bool = False
    whole: bool = False  # the service has repeated its arguments at its end

    @property
    def arguments(self) -> dict[str, str] | None:
        """Return the arguments, or None if they are not one object."""
        found = self.objects()
        return found[0] if len(found) == 1 else None

    def objects(self) -> list[dict[str, str]]:
        """Return the arguments, with JSON for arguments that are not text: several objects if the server has put
        several calls into one place, and none if there is anything else.

        A line end inside a string is accepted, because many models forget to escape it. An empty object or null
        before the arguments does not count, and neither does a repeated object.
        """
        rest, found = "".join(self.pieces).strip() or "{}", list[dict[str, str]]()
        for _ in range(MOST):
            if found and _STRAY.fullmatch(rest):
                return [one for one in found if one] or found
            try:
                one, end = json.JSONDecoder(strict=False).raw_decode(rest)
                one = json.loads(one, strict=False) if isinstance(one, str) else one  # it was encoded twice
            except (ValueError, RecursionError):
                return []
            if not isinstance(one, dict | None):
                return []
            told = {str(name): native.words(it) for name, it in (one or {}).items()}
            rest, found = rest[end:].strip(), found if told in found else [*found, told]
        return []


def _place(key: object) -> int | str | None:
    return key if isinstance(key, int | str) else None


class Calls:
    """The calls of one answer, in the order in which they began."""

    def __init__(self, schemas: Sequence[Schema], writing: Writing) -> None:
        self._tools, self._writing = native.toolset(schemas), writing
        self._calls = list[_Call]()
        self._at: dict[object, _Call] = {}  # by place, and by id
        self._last: _Call | None = None

    def __bool__(self) -> bool:
        return bool(self._calls)

    def add(self, key: object, name: object, piece: object, id: object = "") -> None:
        """Add the next piece of a call: its name, if given, and more of its arguments, as JSON or as an object.

        `key` is the call's place, or None if the server does not say. A name begins another call at any place if its id
        differs, the name differs, or the arguments are complete.
        """
        key, id = _place(key), (id if isinstance(id, str) else "")
        name = self._named(name) if isinstance(name, str) else ""
        call = self._find(key, id) if not name else self._at.get(f"id {id}" if key is None else key)
        if call is None and not (name or id or piece):
            return  # no part of a call
        if call is None or (name and call.name and self._another(call, name, id)):
            self._end()
            call = _Call(id)
            if not self._calls and self._writing.text.strip():
                self._writing.show(reasoning.CLOSE)  # as in the reply
            if len(self._calls) < MOST:
                self._calls.append(call)
        self._last = call
        self._at |= {one: call for one in (key, id and f"id {id}") if one not in (None, "")}
        call.name = call.name or name
        text = json.dumps(piece) if isinstance(piece, dict) else piece
        if isinstance(text, str) and text:
            self._writing.grow(text)
            call.pieces.append(text)
            if call.name == self._tools.speech and not call.ended:
                self._say(call)

    def _named(self, name: str) -> str:
        """Return the tool that a name with a prefix, or with marks of the model's template, means, or the name."""
        found = _NAME.fullmatch(name)
        return found[1] if found and found[1] in self._tools.forms else name

    def replaced(self, key: object, name: object, arguments: object, id: object = "") -> None:
        """Replace the arguments of a call that some services repeat in full at its end."""
        id = id if isinstance(id, str) else ""
        call = self._find(_place(key), id)
        if call is None or (name and call.name != name) or (call.whole and not (id and id == call.id)):
            self.add(key, name, arguments, id)
            call = self._last
        elif isinstance(arguments, str) and arguments:
            call.pieces[:] = [arguments]
        if call:
            call.whole = True

    def replace_all(self, calls: Sequence[tuple[object, object, object]]) -> None:
        """Take the calls (name, arguments and id) that a service repeats at the end of its answer, unless all of them
        have already come."""
        whole = self._calls and all(one.pieces and one.arguments is not None for one in self._calls)
        if calls and not whole:
            self._calls.clear()
            self._at.clear()
            for number, (name, arguments, id) in enumerate(calls):
                self.add(number, name, arguments, id)

    def _find(self, key: int | str | None, id: str) -> _Call | None:
        """Return the call to which a piece without a name belongs: by its place, unless another call has its id. A
        piece with neither belongs to the last call."""
        named, placed = self._at.get(f"id {id}"), self._at.get(key)
        if named and (placed is None or placed.id != id):
            return named
        return placed if key is not None else self._last

    def reply(self, text: str, cut: bool) -> tuple[str, str]:
        """Return the whole reply, and the invalid calls in it: unknown tools, or arguments that are not JSON or not
        the tool's. If the answer was cut off, its last call keeps only its name, and does not run."""
        if not self._calls and (written := syntaxes.calls(reasoning.text_after(text), self._tools.forms)[0]):
            return native.reply("", written, self._tools), ""
        self._end()
        if self._calls and not self._tools.forms:  # unasked: as text, which the agent reads
            told = [{"name": one.name, "arguments": one.arguments} for one in self._calls if one.arguments is not None]
            if len(told) == len(self._calls):
                lines = [f"<tool_call>\n{json.dumps(one, ensure_ascii=False)}\n</tool_call>" for one in told]
                return reasoning.wrap(text.strip(), "\n".join(lines)), ""
        good: list[tuple[str, Mapping[str, str]]] = []
        bad: list[str] = []
        for number, call in enumerate(self._calls, 1):
            found = call.objects()
            if cut and number == len(self._calls) and call.name in self._tools.forms:
                good.append((call.name, call.arguments or {}))
            elif found and all(syntaxes.has_places((call.name, one), self._tools.forms) for one in found):
                good += [(call.name, one) for one in found]
            else:
                bad.append(f"{call.name or 'nothing'} {''.join(call.pieces)}")
        lost = "".join(f"\n{native.LOST}{one})" for one in bad)
        return native.reply(text, good, self._tools), lost

    def _another(self, call: _Call, name: str, id: str) -> bool:
        """Return True if a piece with this name and id belongs to another call than `call`, which already has a
        name."""
        whole = bool(call.pieces) and call.arguments is not None
        return (
            name != call.name or (bool(call.id) and id not in ("", call.id)) or (whole and not (id and id == call.id))
        )

    def _say(self, call: _Call) -> None:
        """Show the spoken text so far, once its room is known."""
        known = native.so_far("".join(call.pieces))
        if "room" not in known or next(reversed(known)) != "text":
            return
        if not call.begun:
            call.begun = True
            self._writing.show(f"\n{call.name} {' '.join(known['room'].split())} <<END\n")
        if known["text"].startswith(call.shown):
            self._writing.show(known["text"][len(call.shown) :])
            call.shown = known["text"]

    def _end(self) -> None:
        """Show the end of the last call, because another begins or the answer is over."""
        call = self._calls[-1] if self._calls else None
        if call is None or call.ended:
            return
        call.ended = True
        if call.begun:
            self._writing.show("\nEND\n")
        elif call.name in self._tools.forms:
            self._writing.show(f"\n{native.write_call(call.name, call.arguments or {}, self._tools)}\n")
