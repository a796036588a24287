"""The way out of a server's refusals: the same request without the part that an error names, or without what is new.

A remedy is tried at most once, and again only after an answer. What helped stays out from then on, by address and
model. If it was several parts, later requests contain half of them again, until it is known which one is refused. Owns
nothing on disk; `list_refusals` and `learn` exchange what was learned with a file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import takewhile

from dotagent.providers import ProviderError
from dotagent.providers.formats import parts
from dotagent.providers.formats.parts import MARK, MEDIA, TOOLS, Body, Part

LITTLE = 12_000  # characters: hardly any model refuses so short a prompt for its length
MOST, LEFT = 4000, 64  # the accepted and the refused parts that are remembered, or a few more
MARKS = SUSPECTED, DOUBTED = "suspected ", "doubted "  # begin such parts in the file; see _Server
_NAMING = (400, 404, 422, 500, 501)  # the statuses of errors that may name a refused part
_NUMBERED = re.compile(r"\S*\d\S*")  # ids and sizes, which differ each time
_AT_MOST = re.compile(r"at most (\d+) (?:image|audio|video|picture|file)", re.IGNORECASE)
_PICTURED = re.compile(r"^\w*image\w*$", re.MULTILINE)  # a code that is about a picture: no text is the reason
_CALL = re.compile(r"\bfail|\bparsing", re.IGNORECASE)  # the call that the model wrote, not the tools
_BLIND = re.compile(  # it takes no picture at all, and does not complain about this one
    r"(?is)(?!.*(?:process|decod|format|corrupt|exceed|large|small|upload|mime|dimension|pixel|restrict|identif|load"
    r"|password|pages))(?=.*(?:support|accept|only|expected|string|not a))"
    r".*(?:\b(?:model|server|endpoint|provider|deployment)s?\b|modal|variant|(?:content|item|part) type|image inputs?\b"
    r"|content\b[^.]{0,40}\bstring)"
)


@dataclass
class _Server:
    """What a server and model taught."""

    refused: tuple[str, ...] = ()
    suspected: tuple[str, ...] = ()  # left out until it is known which one is refused
    doubted: tuple[str, ...] = ()  # the server surely refuses one of these
    answered: bool = False  # since the last message that got no answer
    accepted: set[str] = field(default_factory=set)
    longest: int = 0  # characters of a conversation that was answered, or whose length is not the reason
    vain: set[str] = field(default_factory=set)  # reasons for which no remedy helped, since the last answer

    def again(self) -> tuple[str, ...]:
        """Return the suspected parts that the next request has, to learn which one is refused."""
        half = self.doubted[(len(self.doubted) + 1) // 2 :] if self.doubted else self.suspected
        return half if self.answered else ()

    def suspect(self, found: Iterable[str]) -> None:
        """Leave out these parts of a message that got no answer. If the next one gets it, a single one is refused."""
        self.suspected = tuple(dict.fromkeys((*self.suspected, *found)))
        self.doubted = self.suspected if len(self.suspected) == 1 else ()
        self.answered = False

    def blame(self, found: tuple[str, ...]) -> None:
        """Learn that one of these parts is refused, because an answer came without them."""
        if len(found) == 1:
            self.refused = tuple(dict.fromkeys((*self.refused, *found)))[-LEFT:]
            self.suspected, found = tuple(one for one in self.suspected if one not in found), ()
        self.suspected, self.doubted = tuple(dict.fromkeys((*self.suspected, *found))), found

    def accept(self, found: set[str], size: int) -> None:
        """Learn from an answer to a request with these parts, and with a conversation of `size` characters."""
        self.accepted = found | self.accepted if len(self.accepted) < MOST else found
        self.suspected = tuple(one for one in self.suspected if one not in found)
        self.doubted = tuple(one for one in self.doubted if one not in found)
        self.longest, self.answered = max(size, self.longest), True
        self.vain.clear()


_servers: dict[tuple[str, str], _Server] = {}  # by address and model


def list_refusals() -> dict[str, list[str]]:
    """Return the refusals so far for a file: "address model", and the refused, suspected and doubted parts."""
    found = dict[str, list[str]]()
    for key, server in sorted(_servers.items()):
        marks = {one: DOUBTED if one in server.doubted else SUSPECTED for one in server.suspected}
        found[" ".join(key)] = [*server.refused, *(mark + one for one, mark in marks.items())]
    return {key: told for key, told in found.items() if told}


def learn(told: object) -> None:
    """Load the result of `list_refusals` from an earlier process. Invalid entries are skipped."""
    for name, found in told.items() if isinstance(told, dict) else ():
        address, _, model = str(name).partition(" ")
        if isinstance(found, list) and all(isinstance(one, str) for one in found):
            some, doubted = (tuple(one[len(mark) :] for one in found if one.startswith(mark)) for mark in MARKS)
            new = _Server(suspected=(*some, *doubted), doubted=doubted, answered=True)
            server = _servers.setdefault((address, model), new)
            server.refused = server.refused or tuple(one for one in found if not one.startswith(MARKS))


def forget() -> None:
    """Forget all refusals and answers, as a new process does."""
    _servers.clear()


def refused(base: str) -> str:
    """Return the parts that the server at this base address refuses, for a person, or ""."""
    root = base.partition("?")[0].rstrip("/")
    known = [one for (address, _), server in [*_servers.items()] if address.startswith(root) for one in server.refused]
    return ", ".join(dict.fromkeys(one.partition(">")[0] for one in known if not one.startswith(MARK)))


class Attempts:
    """The attempts at one request: without what this server has refused, then with one remedy after the other. A remedy
    after which the server gives another reason stays."""

    def __init__(self, url: str, model: str, body: Mapping[str, object]) -> None:
        self._server = server = _servers.setdefault((url.partition("?")[0], model), _Server())
        self._body, self._again = dict(body), server.again()
        self._left = (*server.refused, *(one for one in server.suspected if one not in self._again))
        self._kept, self._remedy, self._tried = list[tuple[str, ...]](), tuple[str, ...](), set[tuple[str, ...]]()
        self._remedies: Iterator[Iterable[str]] = iter(())
        self._first, self._reason, self._once = ProviderError("bad_request", ""), "", False

    @property
    def body(self) -> Body:
        """Return the request to send now."""
        return parts.without(self._body, self._changes) if self._changes else self._body

    @property
    def _changes(self) -> tuple[str, ...]:
        return (*self._left, *(one for some in self._kept for one in some), *self._remedy)

    def next(self, error: ProviderError) -> bool:
        """Prepare the next attempt after this error. Return False if there is none."""
        unclear = 400 <= error.status < 500 and error.kind in ("bad_request", "network")  # or a firewall's page
        if error.kind in ("too_long", "auth", "credit") or not (unclear or error.status in _NAMING):
            return False
        server, self._first = self._server, self._first if self._reason else error
        if (reason := f"{error.status} {_NUMBERED.sub('', error.words)[:300]}") != self._reason:
            self._kept.append(self._remedy)
            self._reason, self._tried, self._remedy = reason, {()}, ()
            self._remedies = iter(()) if reason in server.vain else self._plan(error, unclear)
        found = (tuple(dict.fromkeys(some)) for some in self._remedies)
        self._remedy = next((some for some in found if some not in self._tried), ())
        if self._remedy:
            self._tried.add(self._remedy)
            return True
        if len(self._tried) > 1:
            server.vain.add(reason)
        if unclear and not self._is_short(error):
            server.longest = parts.size(self._body)  # older entries fade now; otherwise, the length is not the reason
        elif unclear and error.status != 413:
            server.suspect(one for _, one in _recent(self._find_parts()) if one not in server.accepted)
        return False

    def _plan(self, error: ProviderError, unclear: bool) -> Iterator[Iterable[str]]:
        """Yield what to leave out in one attempt after the other."""
        words, body, every, known = error.words, self.body, self._find_parts(), self._server.accepted
        named = parts.named(words, body, self._changes)
        self._once |= named == TOOLS and bool(_CALL.search(words))
        if named and (named != MEDIA or _BLIND.match(words)):
            yield [named]
        if not unclear:
            return
        shown = [one for kind, one in every if kind == "media"]
        if most := _AT_MOST.search(words):
            yield shown[: -int(most[1])]
        yield parts.at_place(body, words)
        yield [one for one in shown if one not in known] or (shown if error.status == 413 or named == MEDIA else ())
        if error.status == 413 or _PICTURED.search(words):
            return
        yield [one for _, one in every if one in self._again]
        if not words and error.status in (400, 422):
            yield [one for kind, one in every if kind == "option" and one not in known]
        yield [one for kind, one in _recent(every) if kind == "result" and one not in known][-1:]
        if self._is_short(error):
            talk = [one for one in every if one[0] != "option"]
            # a server accepts its own answers, unless something before them is new
            fresh = (at for at, (kind, one) in enumerate(talk) if one not in known and (kind != "own" or not at))
            asked = [one for kind, one in talk if kind == "heard"][-1:]
            new = [one for _, one in talk[next(fresh, len(talk)) :] if one not in known]
            yield [one for one in new if one not in asked]

    def _find_parts(self) -> list[Part]:
        return [one for one in parts.walk(self._body) if one[1] not in self._changes]

    def _is_short(self, error: ProviderError) -> bool:
        """Return False if the length may be the reason, so that older entries should fade."""
        return error.kind == "network" or parts.size(self._body) <= max(LITTLE, self._server.longest)

    def told(self, error: ProviderError) -> ProviderError:
        """Return the error to report for all attempts: the first, if the last only complains about a missing part."""
        if error.status == 413 and error.kind == "bad_request":  # too many bytes, without a picture to leave out
            return ProviderError("too_long", f"the prompt is too long: {error.hint}")
        return self._first if (parts.named(error.words, self._body),) in self._kept else error

    def succeeded(self) -> None:
        """Learn from the answer which parts the server accepts and which one it refuses."""
        server, helped = self._server, [one for one in (*self._kept, self._remedy) if one]
        here = {one for _, one in parts.walk(self._body)}
        server.accept(here.difference(self._changes), parts.size(self._body))
        if not helped and here.issuperset(server.doubted):
            server.blame(server.doubted)
        for found in helped:
            if not (self._once and found == (TOOLS,)):
                server.blame(found)

    def blame(self) -> None:
        """Leave out the newest message, its pictures and results from now on, because the server never answers it."""
        every = self._find_parts()
        at = max((at for at, (kind, _) in enumerate(every) if kind == "heard"), default=len(every))
        for kind, one in (*(one for one in _recent(every) if one[0] == "media"), *every[at:]):
            if kind != "own":
                self._server.blame((one,))


def _recent(every: list[Part]) -> list[Part]:
    """Return the parts since the model's last words."""
    return [*takewhile(lambda one: one[0] not in ("own", "option"), reversed(every))][::-1]
