"""The way out of a server's refusals: the same request without the part that an error names, or without what is new.

A remedy is tried at most once, and again only after an answer. A part that a server has accepted is not left out, a
refused part stays out from then on, by address and model, and several suspected parts are sent again, half of them at a
time, until one is left. Owns nothing on disk; `list_refusals` and `learn` exchange what was learned with a file.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from dotagent.providers import ProviderError
from dotagent.providers.formats import parts
from dotagent.providers.formats.parts import MARK, MEDIA, TOOLS, Body, Part

LITTLE = 12_000  # characters: hardly any model refuses so short a prompt for its length
MOST, LEFT = 4000, 64  # the accepted parts, and the refused parts of conversations, that are remembered
PICTURES = 3  # the most pictures that are left out one after the other, before all are
ONCE = "once"  # the name of a remedy for this request alone
SUSPECTED = "suspected "  # begins a part in the file that is left out until it is known which one is refused
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
    accepted: dict[str, None] = field(default_factory=dict)
    longest: int = 0  # characters of a conversation that was answered
    vain: set[tuple[str, str]] = field(default_factory=set)  # reasons and remedies that no answer followed
    suspected: tuple[str, ...] = ()  # left out until it is known which one is refused
    doubted: tuple[str, ...] = ()  # of these, one is surely refused
    again: tuple[str, ...] = ()  # the next request has these, to learn which one is refused
    why: str = ""  # the reason of the refusal, or "" for any

    def refuse(self, found: Iterable[str]) -> None:
        known = dict.fromkeys((*self.refused, *found))
        left = [one for one in known if one.startswith(MARK)][-LEFT:]
        self.refused = (*(one for one in known if not one.startswith(MARK)), *left)

    def accept(self, sent: Body) -> None:
        self.vain.clear()
        self.longest, found = max(parts.size(sent), self.longest), list[str]()
        for kind, one in parts.walk(sent, -1):
            if kind != "own" and one in self.accepted:
                break  # what comes before was accepted, too; an answer, such as "Noted.", may come often
            found.append(one)
        found = [*self.accepted, *found][-MOST:]
        self.accepted = dict.fromkeys((*found, *parts.options(sent)))

    def suspect(self, found: Iterable[str], why: str, again: bool = False) -> None:
        """Leave out these parts until answers show which one is refused. `again`: an answer came without them."""
        self.suspected, self.why = tuple(dict.fromkeys(found)), why
        self.doubted = self.suspected if again else ()
        self.again = self.doubted[len(self.doubted) // 2 :]

    def settle(self, failed: bool) -> tuple[str, ...]:
        """Learn from an answer to a request with the suspected parts `again`, or, if that `failed`, with none. Return
        the part that is refused."""
        if failed or (not self.again and len(self.suspected) == 1):
            self.doubted = self.again or self.suspected
        else:
            self.suspected, self.doubted = (_apart(one, self.again) for one in (self.suspected, self.doubted))
        guilty = self.doubted if len(self.doubted) == 1 else ()
        self.suspected, self.doubted = _apart(self.suspected, guilty), _apart(self.doubted, guilty)
        # if no part is surely refused, the server perhaps refused everything for a while
        self.again = self.doubted[len(self.doubted) // 2 :] or self.suspected
        return guilty


def _apart(found: tuple[str, ...], gone: Collection[str]) -> tuple[str, ...]:
    return tuple(one for one in found if one not in gone)


_servers: dict[tuple[str, str], _Server] = {}  # by address and model


def list_refusals() -> dict[str, list[str]]:
    """Return the refusals so far for a file: "address model", and the refused and suspected parts."""
    found = {key: [*one.refused, *(SUSPECTED + it for it in one.suspected)] for key, one in sorted(_servers.items())}
    return {" ".join(key): told for key, told in found.items() if told}


def learn(told: object) -> None:
    """Load the result of `list_refusals` from an earlier process. Invalid entries are skipped."""
    for name, found in told.items() if isinstance(told, dict) else ():
        address, _, model = str(name).partition(" ")
        if isinstance(found, list) and all(isinstance(one, str) for one in found):
            suspected = tuple(one.removeprefix(SUSPECTED) for one in found if one.startswith(SUSPECTED))
            server = _servers.setdefault((address, model), _Server(suspected=suspected))
            server.refused = server.refused or tuple(one for one in found if not one.startswith(SUSPECTED))


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
        self._server = _servers.setdefault((url.partition("?")[0], model), _Server())
        self._body, self._known, suspected = dict(body), self._server.refused, self._server.suspected
        here = {*parts.options(self._body), *(one for _, one in parts.walk(self._body))} if suspected else set()
        self._suspects = tuple(one for one in suspected if one in here)
        self._again = self._server.again if self._suspects == suspected else ()
        self._apart = tuple(one for one in self._suspects if one not in self._again)
        self._left, self._sure, self._unsure = tuple[str, ...](), tuple[str, ...](), tuple[str, ...]()
        self._name, self._remedy, self._tried = "", tuple[str, ...](), set[tuple[str, str]]()
        self._first, self._reason, self._blamed = ProviderError("bad_request", ""), "", False

    @property
    def body(self) -> Body:
        """Return the request to send now."""
        return parts.without(self._body, self._changes) if self._changes else self._body

    @property
    def _changes(self) -> tuple[str, ...]:
        return (*self._known, *self._left, *self._apart, *self._remedy)

    def next(self, error: ProviderError) -> bool:
        """Prepare the next attempt after this error. Return False if there is none."""
        unclear = 400 <= error.status < 500 and error.kind in ("bad_request", "network")  # or a firewall's page
        if error.kind in ("too_long", "auth", "credit") or not (unclear or error.status in _NAMING):
            return False
        reason, again = _reason(error), bool(self._again) and self._server.why in ("", _reason(error))
        self._first = error if not self._reason else self._first
        if again and not self._reason:
            self._apart, self._reason = self._suspects, reason
            return True
        if again:  # the answer does not depend on these
            self._server.suspect((), "")
            self._suspects = self._again = self._apart = ()
        if reason != self._reason or not self._tried:
            self._keep()
            self._reason, self._tried, self._remedies = reason, set(), self._plan(error, unclear)
        vain = self._server.vain
        self._name, self._remedy = next((one for one in self._remedies if (reason, one[0]) not in vain), ("", ()))
        self._tried.add((reason, self._name))
        return bool(self._name)

    def _keep(self) -> None:
        """Leave out from now on what the last remedy leaves out."""
        self._left += self._remedy
        if len(self._remedy) > 1:
            self._unsure += self._remedy
        elif self._name != ONCE:
            self._sure += self._remedy
        self._remedy = ()

    def _plan(self, error: ProviderError, unclear: bool) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield the remedies to try one after the other, each with its name."""
        words, whole, known, every = error.words, self.body, self._server.accepted, self._find_parts()
        # a server accepts its own answers, unless something before them is new
        fresh = (at for at, (kind, one) in enumerate(every) if one not in known and (kind != "own" or not at))
        new = [one for one in every[next(fresh, len(every)) :] if one[1] not in known]
        media = tuple(dict.fromkeys(one for kind, one in new if kind == "media"))
        result = tuple(one for kind, one in _recent(every) if kind == "result" and one not in known)[-1:]
        heard = [one for kind, one in every if kind == "heard"][-1:]
        older = tuple(dict.fromkeys(one for _, one in new if one not in heard))
        options = tuple(one for one in parts.options(whole) if one not in known)
        named = parts.named(words, whole, self._changes)
        if named and (named != MEDIA or _BLIND.match(words)):
            yield ONCE if named == TOOLS and _CALL.search(words) else "named", (named,)
        if not unclear:
            return
        if error.status == 413 or named == MEDIA:
            for some in self._list_pictures(whole, words, [one for kind, one in every if kind == "media"]):
                yield "pictures", tuple(dict.fromkeys(some))
        elif media:
            yield "pictures", media
        if error.status == 413 or _PICTURED.search(words):
            return
        if options and not words and error.status in (400, 422):
            yield "options", options
        self._blamed = True
        if result:
            yield "result", result
        if older not in ((), media, result) and self._is_short():
            yield "older", older

    def _list_pictures(self, whole: Body, words: str, found: list[str]) -> Iterator[list[str]]:
        """Yield what to leave out because of an error about pictures: the older ones, if it says how many may be there,
        or the one that it names, each of the newest, and all. Accepted ones stay, unless there is no other."""
        if (most := _AT_MOST.search(words)) and 0 < int(most[1]) < len(found):
            yield found[: -int(most[1])]
            return
        named = parts.at_place(whole, words)
        found = [one for one in found if one not in self._server.accepted or one in named] or found
        yield from ([one] for one in dict.fromkeys([*named, *found[: -PICTURES - 1 : -1]]))
        yield from [found] if len({*found}) > 1 else []

    def _find_parts(self) -> list[Part]:
        return [one for one in parts.walk(self._body) if one[1] not in self._changes]

    def _is_short(self) -> bool:
        """Return False if the length may be the reason, so that older entries should fade."""
        return parts.size(self._body) <= max(LITTLE, self._server.longest)

    def told(self, error: ProviderError) -> ProviderError:
        """Return the error to report for all attempts: the first, if the last only complains about a missing part.
        Remember what did not help, and suspect what was new."""
        reason, server = _reason(error), self._server
        if reason == self._reason:
            long = not self._is_short() and (reason, "length") not in server.vain
            server.vain |= self._tried | ({(reason, "length")} if long else set())
            new = [one for _, one in _recent(self._find_parts()) if one not in server.accepted]
            if self._blamed and not long and new and not server.again:
                server.suspect((*server.suspected, *new), reason)
        if error.status == 413 and error.kind == "bad_request":  # too many bytes, without a picture to leave out
            return ProviderError("too_long", f"the prompt is too long: {error.hint}")
        return self._first if parts.named(error.words, self._body) in self._left else error

    def succeeded(self) -> None:
        """Learn from the answer which parts the server accepts and which one it refuses."""
        self._keep()
        self._server.accept(self.body)
        self._server.refuse(self._sure)
        if self._unsure:
            self._server.suspect(self._unsure, self._reason, again=True)
        elif not self._left and self._suspects and self._suspects == self._server.suspected:
            self._server.refuse(self._server.settle(bool(self._again) and self._apart == self._suspects))

    def blame(self) -> None:
        """Leave out the newest message, its pictures and results from now on, because the server never answers it."""
        every = self._find_parts()
        at = max((at for at, (kind, _) in enumerate(every) if kind == "heard"), default=len(every))
        last = [one for one in _recent(every) if one[0] == "media"]
        self._server.refuse(one for kind, one in (*last, *every[at:]) if kind != "own")


def _recent(every: list[Part]) -> list[Part]:
    """Return the parts since the model's last words."""
    return every[max((at + 1 for at, (kind, _) in enumerate(every) if kind == "own"), default=0) :]


def _reason(error: ProviderError) -> str:
    """Return what errors for the same reason have in common."""
    return f"{error.status} {_NUMBERED.sub('', error.words)[:300]}"
