"""An answer so far: the common handling of its pieces in all formats.

An answer is valid only if the server says that it is complete. An interrupted stream is an error, never a short answer.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import ClassVar

from dotagent.providers import Completion, ProviderError, Usage
from dotagent.providers.formats import attempts, fields, place, reasons, sse
from dotagent.providers.formats.answer_text import Writing
from dotagent.providers.formats.calls import Calls
from dotagent.providers.formats.errors import clean, from_event
from dotagent.providers.formats.fields import parsed
from dotagent.providers.formats.http import Answer, Post, send

_NOWHERE = (404, 405)  # statuses of a path that a server does not have
_NO_PATH = re.compile(
    r"not found|cannot post|no (?:such )?route|(?:unknown|invalid) (?:request )?(?:url|path|endpoint)", re.IGNORECASE
)
_VERSIONED: dict[str, str] = {}  # addresses without a version, and the ones with it that answered
FIRST = 6  # bytes that show whether this is an event stream
_EVENT = re.compile(rb"\xef?\xbb?\xbf?(?:data|event|id|retry)?:")  # the first line of an event stream


def _is_of_path(words: str) -> bool:
    """Return True if the words of a refusal are about the address, and not about a model."""
    return not words or bool(_NO_PATH.search(words) and "model" not in words.lower())


@dataclass
class Coming(ABC):
    """An answer that a format reads piece by piece. `WHAT` is the name of a piece in hints, and `FORM` that of the
    format's table in reasons.toml."""

    WHAT: ClassVar[str]
    FORM: ClassVar[str]
    post: Post
    writing: Writing
    usage: Usage = field(default_factory=Usage)
    complaint: dict[str, object] = field(default_factory=dict)
    """A piece without a part of the answer, but with words, which count if the answer stays incomplete."""

    def __post_init__(self) -> None:
        self.calls = Calls(self.post.tools, self.writing)

    def whole(self, stop: Callable[[], bool]) -> Completion:
        """Send the request and return the whole answer, emitting each piece as it arrives.

        If the server refuses an optional part, the request is sent again without that part. Raises ProviderError:
        network for an answer that is incomplete or in a wrong format, and all errors of http.send, with the usage
        reported so far.
        """
        given = self.post.url
        self.post = replace(self.post, url=_VERSIONED.get(given, given))
        try:
            return self._whole(stop)
        except ProviderError as error:
            other = place.versioned(given)
            if error.status not in _NOWHERE or not _is_of_path(error.words) or other == self.post.url:
                raise
            missing = error
        self.post = replace(self.post, url=other)
        try:
            reply = self._whole(stop)
        except ProviderError as error:
            raise (missing if error.status in _NOWHERE else error) from None
        _VERSIONED[given] = other
        return reply

    def _whole(self, stop: Callable[[], bool]) -> Completion:
        trying = attempts.Attempts(self.post.url, self.post.model, self.post.body or {})
        while True:
            try:
                with send(replace(self.post, body=trying.body), stop) as answer:
                    for piece in self.pieces(answer):
                        self.complaint = fields.complaint(piece) or self.complaint
                        if self.take(piece):
                            break
                reply = self.reply()
            except ProviderError as failed:
                error = self.failure(self.complaint) if failed.kind == "network" and self.complaint else failed
                error.usage = self.usage
                if error.withheld:
                    trying.blame()
                if self.writing.text or self.writing.reasoning or self.calls or not trying.next(error):
                    raise trying.told(error) from None
                continue
            trying.succeeded()
            return reply

    def pieces(self, answer: Answer) -> Iterator[dict[str, object]]:
        """The JSON objects of a stream. A server that does not stream sends one; there may be empty lines before it.
        How the answer begins decides, because servers give either a wrong name."""
        coming, begun = iter(answer.pieces), b""
        while (
            len(begun.strip()) < FIRST
            and begun.lstrip()[:1] not in (b"{", b"[")
            and (piece := next(coming, None)) is not None
        ):
            begun += piece
        whole = begun.lstrip().removeprefix(b"\xef\xbb\xbf").startswith((b"{", b"[", b"<"))
        if whole or (answer.media.endswith("json") and not _EVENT.match(begun.lstrip())):
            body = sse.join_pieces(chain([begun], coming))
            first, _, more = body.decode("utf-8", "replace").strip().partition("\n")
            if more and sse.is_whole(first):  # one object a line
                yield from self.objects(sse.events([body]))
            else:
                yield from self.listed(body.decode("utf-8", "replace").strip())
            return
        yield from self.objects(sse.events(chain([begun], coming)))

    def objects(self, texts: Iterable[str]) -> Iterator[dict[str, object]]:
        """Yield the JSON objects among these up to a [DONE], which becomes `{"done": True}`.

        A text that does not begin like an object, such as a ping, contains no part of the answer and is skipped. Raises
        ProviderError for an object that is cut off, and if there is no object at all.
        """
        begun, odd = False, ""
        for text in texts:
            if text.strip() == "[DONE]" and (begun or not odd):
                yield {"done": True}
                return
            if re.match(r"\s*(?:\[\s*)?\{", text):
                begun = True
                yield from self.listed(text.strip())
            elif " " in text.strip() and not text.startswith("data:"):  # otherwise a ping, or an event of another form
                self.complaint = {"message": text.strip()}
            odd = odd or text
        if odd and not begun:
            self.parsed(odd)

    def listed(self, text: str) -> Iterator[dict[str, object]]:
        """Yield the JSON object, or the objects of a list, which some servers put around an answer. Raises
        ProviderError."""
        each = fields.tables(self.parsed(f'{{"all":{text}}}'), "all") if text.startswith("[") else []
        yield from each or [self.parsed(text)]

    def parsed(self, text: str) -> dict[str, object]:
        """Parse a piece as a JSON object. Raises ProviderError."""
        return parsed(text, self.post.place.name, self.WHAT)

    @abstractmethod
    def take(self, piece: dict[str, object]) -> bool:
        """Process the next piece. Return True if it is the last. Raises ProviderError if it reports an error."""

    @abstractmethod
    def reply(self) -> Completion:
        """Return the answer. Raises ProviderError if it is incomplete or withheld."""

    def failure(self, error: object) -> ProviderError:
        """Return the error that the server reports during an answer."""
        return from_event(error, self.post.place, self.post.model, self.post.secret)

    def ended(self, reason: str, told: str = "") -> Completion:
        """Return the answer, given the reason of its end, or "" if it did not end. `told` is what the server says about
        it. Raises ProviderError if it is withheld, or ended early without any text."""
        name, why = self.post.place.name, clean(": ".join(filter(None, (reason, told))), self.post.secret)
        if not reason:
            raise ProviderError("network", f"the connection to {name} ended before the answer was complete")
        meaning = reasons.end(self.FORM, reason)
        if meaning == "again":
            raise ProviderError("server", f"{name} ended the answer early ({why}); ask again in some minutes")
        if meaning == "withheld":
            hint = f"{name} withheld the answer ({why}); use other words, or another model"
            raise ProviderError("bad_request", hint, withheld=True)
        if meaning == "spoilt" and not (self.writing.text.strip() or self.calls):
            raise ProviderError(
                "bad_request", f"{name} ended its answer without any text ({why}); ask again, or use another model"
            )
        cut = meaning != "whole"
        text, lost = self.calls.reply(self.writing.text, cut)
        return Completion(text, (self.writing.reasoning + lost).lstrip("\n"), "length" if cut else "stop", self.usage)
