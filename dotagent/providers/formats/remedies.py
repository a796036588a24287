"""What each server and model taught by its answers and refusals: which parts of requests it accepts, which parts are
suspected, and which remedies did not help.

A permanent refusal must cost one request, and one refused part must not end a conversation. So a part that a server has
accepted is never left out, a remedy that did not help is not tried again until the next answer, and what was new in a
refused request stays out of the next one. Several suspected parts are sent again, all or half of them, until one is
left. Owns nothing on disk; `optional.list_refusals` and `learn` exchange the suspected parts with a file.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from dotagent.providers import ProviderError

Key = tuple[str, str]
"""A server's address and a model."""
MOST = 4000  # parts of a server and model that are remembered as accepted
READ = 300  # characters of an error by which it is recognized
_NUMBERED = re.compile(r"\S*\d\S*")  # ids and sizes, which differ each time


def reason(error: ProviderError) -> str:
    """Return what errors for the same reason have in common."""
    return f"{error.status} {_NUMBERED.sub('', error.words)[:READ]}"


@dataclass
class Experience:
    """What a server and model taught. The parts are changes as in left_out.py."""

    longest: int = 0
    """The characters of the longest prompt that was answered."""
    accepted: dict[str, None] = field(default_factory=dict)
    options: set[str] = field(default_factory=set)
    """The optional parts of requests that were answered."""
    bare: bool = False
    """A request was refused without a reason, and answered without its options."""
    vain: dict[str, set[str]] = field(default_factory=dict)
    """The remedies that did not help since the last answer, by the reason of the refusal."""
    suspected: tuple[str, ...] = ()
    again: tuple[str, ...] = ()
    """Those of the suspected parts that the next request has nevertheless, to learn which one is refused."""
    proven: bool = False
    """One of the parts that were suspected together is known to be refused."""
    why: str = ""
    """The reason of the refusal, or "" for any."""

    def accept(self, backwards: Iterable[Collection[tuple[str, str]]]) -> None:
        """Record an answer to these turns, the last one first. What comes before a known turn was recorded earlier."""
        self.vain.clear()
        for turn in backwards:
            if any(kind != "own" for kind, _ in turn) and all(one in self.accepted for _, one in turn):
                break  # an answer, such as "Noted.", may come often, and other texts have a number
            for _, one in turn:
                self.accepted.pop(one, None)
                self.accepted[one] = None
        while len(self.accepted) > MOST:
            del self.accepted[next(iter(self.accepted))]

    def find_new(self, turns: Iterable[Collection[tuple[str, str]]]) -> list[tuple[str, str]]:
        """Return the parts that this server has not accepted. It accepts its own answer to what it has accepted."""
        new, known = list[tuple[str, str]](), False
        for turn in turns:
            of_turn = [one for one in turn if one[1] not in self.accepted and not (known and one[0] == "own")]
            new += of_turn
            known = not new if turn else known  # rules have no parts
        return new

    def suspect(self, parts: Iterable[str], why: str, again: bool = False) -> None:
        """Leave out these parts from now on, until an answer shows which one is refused. `again` says that an answer
        came without all of them."""
        self.suspected, self.why = tuple(dict.fromkeys(parts)), why
        self.again, self.proven = _newer(self.suspected) if again else (), False

    def settle(self, failed: bool) -> str:
        """Record an answer to a request that contained the suspected parts `again`, or, if that `failed`, contained
        none. Return a part to leave out from now on, or ""."""
        guilty = ""
        if failed and len(self.again) > 1:
            self.again = _newer(self.again)
            return ""
        if failed:
            guilty, self.proven = self.again[0], True
        elif not self.again and len(self.suspected) > 1:  # perhaps the server refused everything for a while
            self.again = self.suspected
            return ""
        self.suspected = tuple(one for one in self.suspected if one not in self.again)
        if len(self.suspected) == 1 and not self.proven:  # no other is left
            guilty, self.suspected = self.suspected[0], ()
        self.again = _newer(self.suspected)
        return guilty


def _newer(parts: tuple[str, ...]) -> tuple[str, ...]:
    """Return the newer half."""
    return parts[len(parts) // 2 :]


_servers: dict[Key, Experience] = {}


def of(key: Key) -> Experience:
    """Return what this server and model taught."""
    return _servers.setdefault(key, Experience())


def suspected() -> dict[Key, tuple[str, ...]]:
    """Return the suspected parts of all servers and models."""
    return {key: one.suspected for key, one in [*_servers.items()] if one.suspected}


def learn(key: Key, parts: tuple[str, ...]) -> None:
    """Load the suspected parts from an earlier process, unless this one has already asked this server."""
    if key not in _servers:
        of(key).suspect(parts, "")


def forget() -> None:
    """Forget all, as a new process does."""
    _servers.clear()
