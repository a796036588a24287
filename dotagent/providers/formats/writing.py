"""What an answer says and thinks, as far as it has come: each piece is handed on and kept. It owns nothing on disk."""

from __future__ import annotations

from dataclasses import dataclass, field

from dotagent.providers import Emit, ProviderError

MOST = 8_000_000  # characters of an answer: what 400,000 tokens are four times over


@dataclass
class Writing:
    """The text and the reasoning of an answer as far as they have come: each piece is handed on and kept.

    A server may cut a character in two; the first half waits for the second, so that what goes into files is UTF-8.
    """

    emit: Emit
    _parts: dict[str, list[str]] = field(default_factory=lambda: {"text": [], "reasoning": []})
    _half: dict[str, str] = field(default_factory=dict)  # by channel
    _size: int = 0

    def add(self, channel: str, delta: object) -> None:
        """Take the next piece of `text` or `reasoning`; what is not a text, or empty, adds nothing."""
        if not isinstance(delta, str) or not delta:
            return
        text = self._half.pop(channel, "") + delta
        if "\ud800" <= text[-1] <= "\udbff":  # JSON writes 😀 as two halves, and a token's border may lie between
            text, self._half[channel] = text[:-1], text[-1]
        if text := _mended(text):
            self.grow(text)
            self._parts[channel].append(text)
            self.emit(channel, text)

    def grow(self, text: str) -> None:
        """Count what has come. Raises ProviderError where it has no end."""
        self._size += len(text)
        if self._size > MOST:
            raise ProviderError("server", f"the answer has more than {MOST:,} characters and no end", retryable=False)

    def show(self, text: str) -> None:
        """Hand on what stands for a part of the answer, which is kept otherwise."""
        if text := _mended(text):
            self.emit("text", text)

    @property
    def text(self) -> str:
        """What was said so far."""
        return "".join(self._parts["text"])

    @property
    def reasoning(self) -> str:
        """What was thought so far."""
        return "".join(self._parts["reasoning"])


def _mended(text: str) -> str:
    """The text with two halves of a character joined, and a lone half replaced: it must go into files as UTF-8."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") if not text.isascii() else text
