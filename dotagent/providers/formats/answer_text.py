"""The text and reasoning of an answer so far: each piece is passed on and kept. Owns nothing on disk."""

from __future__ import annotations

from dataclasses import dataclass, field

from dotagent.providers import Emit, ProviderError

MOST = 8_000_000  # characters of an answer: four times what 400,000 tokens are


@dataclass
class Writing:
    """The text and the reasoning of an answer so far. Each piece is passed on and kept.

    A server may split a surrogate pair; the first half waits for the second, so that files contain valid UTF-8.
    """

    emit: Emit
    _parts: dict[str, list[str]] = field(default_factory=lambda: {"text": [], "reasoning": []})
    _half: dict[str, str] = field(default_factory=dict)  # by channel
    _size: int = 0

    def add(self, channel: str, delta: object) -> None:
        """Add the next piece of `text` or `reasoning`. A value that is empty or not a text is ignored."""
        if not isinstance(delta, str) or not delta:
            return
        text = self._half.pop(channel, "") + delta
        if "\ud800" <= text[-1] <= "\udbff":  # JSON writes 😀 as two halves, which may be in different tokens
            text, self._half[channel] = text[:-1], text[-1]
        if text := _mended(text):
            self.grow(text)
            self._parts[channel].append(text)
            self.emit(channel, text)

    def grow(self, text: str) -> None:
        """Count the characters so far. Raises ProviderError if there are too many."""
        self._size += len(text)
        if self._size > MOST:
            raise ProviderError(
                "server", f"the answer has more than {MOST:,} characters, and the model did not stop", retryable=False
            )

    def show(self, text: str) -> None:
        """Pass on text that represents a part of the answer, but keep it elsewhere."""
        if text := _mended(text):
            self.emit("text", text)

    @property
    def text(self) -> str:
        """Return the text so far."""
        return "".join(self._parts["text"])

    @property
    def reasoning(self) -> str:
        """Return the reasoning so far."""
        return "".join(self._parts["reasoning"])


def _mended(text: str) -> str:
    """Join the halves of surrogate pairs and replace single halves, so that the text is valid UTF-8."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") if not text.isascii() else text
