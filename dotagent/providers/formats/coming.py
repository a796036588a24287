"""An answer as far as it has come: what all formats do with its pieces in the same way.

An answer counts only when the server says that it is whole: a stream that was cut is an error and never a short answer.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import ClassVar

from dotagent.providers import Completion, ProviderError, Usage
from dotagent.providers.formats import sse
from dotagent.providers.formats.calls import Calls
from dotagent.providers.formats.errors import from_event
from dotagent.providers.formats.fields import parsed
from dotagent.providers.formats.http import Answer, Post, send
from dotagent.providers.formats.writing import Writing


@dataclass
class Coming(ABC):
    """One answer, which a format reads piece by piece; `WHAT` a piece is called in hints."""

    WHAT: ClassVar[str]
    post: Post
    writing: Writing
    usage: Usage = field(default_factory=Usage)

    def __post_init__(self) -> None:
        self.calls = Calls(self.post.tools, self.writing)

    def whole(self, stop: Callable[[], bool]) -> Completion:
        """Send the request and return the whole answer, each piece emitted as it comes.

        Raises ProviderError: network for an answer that was cut off or is not in the format, and all that http.send
        raises; with what was told of its usage.
        """
        try:
            with send(self.post, stop) as answer:
                for piece in self.pieces(answer):
                    if self.take(piece):
                        break
            return self.reply()
        except ProviderError as error:
            error.usage = self.usage
            raise

    def pieces(self, answer: Answer) -> Iterator[dict[str, object]]:
        """The JSON objects of a stream up to its [DONE], for which `{"done": True}` stands.

        A server that does not stream sends one object; there may be empty lines before it.
        """
        if answer.media.endswith("json"):
            yield self.parsed(sse.whole(answer.pieces).decode("utf-8", "replace"))
            return
        for data in sse.events(answer.pieces):
            if data == "[DONE]":
                yield {"done": True}
                return
            yield self.parsed(data)

    def parsed(self, text: str) -> dict[str, object]:
        """The JSON object that a piece is. Raises ProviderError."""
        return parsed(text, self.post.place.name, self.WHAT)

    @abstractmethod
    def take(self, piece: dict[str, object]) -> bool:
        """Take the next piece; True when it is the last. Raises ProviderError for an error that it tells of."""

    @abstractmethod
    def reply(self) -> Completion:
        """The answer. Raises ProviderError where it is not whole, or withheld."""

    def failure(self, error: object) -> ProviderError:
        """What the server says went wrong after it had begun."""
        return from_event(error, self.post.place, self.post.model, self.post.secret)

    def said(self, finish: str) -> Completion:
        """The answer, by how it ended: "stop", "length", "content_filter"; empty where it did not."""
        name = self.post.place.name
        if not finish:
            raise ProviderError("network", f"the answer of {name} broke off before its end")
        if finish == "content_filter":
            raise ProviderError(
                "bad_request", f"{name} withheld the answer (its content filter): say it in other words"
            )
        text, lost = self.calls.reply(self.writing.text, finish == "length")
        return Completion(text, (self.writing.reasoning + lost).lstrip("\n"), finish, self.usage)
