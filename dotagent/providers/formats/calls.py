"""The calls of an answer by a service's own function calling, as they come: each piece is shown as the text that it
becomes, so that a person sees what is said while it is written.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from dotagent.providers.formats.writing import Writing
from dotagent.text import native
from dotagent.text.native import Schema

MOST = 256  # calls of an answer, and pieces of a name: what is more is none


@dataclass
class _Call:
    """One call: its name and its arguments, JSON, as far as they have come, and how much of it was shown."""

    name: str = ""
    pieces: list[str] = field(default_factory=list)
    begun: bool = False
    shown: str = ""
    ended: bool = False

    @property
    def arguments(self) -> dict[str, str] | None:
        """The arguments, of which all that are no text are written as JSON; None for what is no object."""
        try:
            found = json.loads("".join(self.pieces) or "{}")
        except (ValueError, RecursionError):
            return None
        if not isinstance(found, dict):
            return None
        return {str(name): native.words(one) for name, one in found.items()}


class Calls:
    """The calls of one answer, in the order in which they began."""

    def __init__(self, schemas: Sequence[Schema], writing: Writing) -> None:
        self._tools, self._writing = native.toolset(schemas), writing
        self._calls: dict[object, _Call] = {}

    def add(self, key: object, name: object, piece: object) -> None:
        """The next piece of the call of this key: its name, where it is told, and what comes of its arguments, as the
        JSON's text or, of a service that sends them whole, as an object."""
        call = self._calls.get(key)
        if call is None:
            self._end()
            call = self._calls.setdefault(key, _Call()) if len(self._calls) < MOST else _Call()
        if isinstance(name, str) and not call.name:
            call.name = name
        text = json.dumps(piece) if isinstance(piece, dict) else piece
        if isinstance(text, str) and text:
            self._writing.grow(text)
            call.pieces.append(text)
            if call.name == self._tools.speech and not call.ended:
                self._say(call)

    def replaced(self, key: object, name: object, arguments: object) -> None:
        """The call of this key, whole: what some services say again when it has come."""
        if (call := self._calls.get(key)) is None:
            self.add(key, name, arguments)
        elif isinstance(arguments, str) and arguments and "".join(call.pieces) != arguments:
            call.pieces[:] = [arguments]

    def reply(self, text: str, cut: bool) -> tuple[str, str]:
        """The whole reply, and what of it is no call: a tool that there is not, or arguments that are no JSON. Of an
        answer that was cut off the last call stands by its name, and is not done."""
        if not self._calls and (bare := native.bare(text, self._tools)):
            return native.reply("", bare, self._tools), ""
        self._end()
        good: list[tuple[str, Mapping[str, str]]] = []
        bad: list[str] = []
        for number, call in enumerate(self._calls.values(), 1):
            arguments = call.arguments
            if call.name in self._tools.forms and (arguments is not None or (cut and number == len(self._calls))):
                good.append((call.name, arguments or {}))
            else:
                bad.append(f"{call.name or 'nothing'} {''.join(call.pieces)}")
        lost = "".join(f"\n(I called what is no tool, or in no form: {one})" for one in bad)
        return native.reply(text, good, self._tools), lost

    def _say(self, call: _Call) -> None:
        """Show what is said as far as it has come, once it is known where."""
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
        """Show the end of the last call, since another begins or the answer is over."""
        call = next(reversed(self._calls.values()), None)
        if call is None or call.ended:
            return
        call.ended = True
        if call.begun:
            self._writing.show("\nEND\n")
        elif call.name in self._tools.forms:
            self._writing.show(f"\n{native.written(call.name, call.arguments or {}, self._tools)}\n")
