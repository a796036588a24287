"""An answer as it is written: its pieces handed on as they come and kept, whatever format they came in.

A server may cut a character in two; the first half waits for the second, so that what goes into files is UTF-8. What
may be the beginning of a credential that the server sends back waits, too, until it is none.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from dotagent.providers import Emit
from dotagent.providers.formats import redaction


@dataclass
class Writing:
    """The text and the reasoning of an answer as far as they have come."""

    emit: Emit
    _parts: dict[str, list[str]] = field(default_factory=lambda: {"text": [], "reasoning": []})
    _half: dict[str, str] = field(default_factory=dict)  # by channel
    _held: dict[str, str] = field(default_factory=dict)
    _last: dict[str, str] = field(default_factory=dict)  # the last characters that were told

    def add(self, channel: str, delta: object) -> None:
        """Take the next piece of `text` or `reasoning`; what is not a text, or empty, adds nothing."""
        if not isinstance(delta, str) or not delta:
            return
        text = self._half.pop(channel, "") + delta
        if "\ud800" <= text[-1] <= "\udbff":  # JSON writes 😀 as two halves, and a token's border may lie between
            text, self._half[channel] = text[:-1], text[-1]
        for other in [name for name in self._held if name != channel]:
            self._tell(other, self._held.pop(other))
        text, held = redaction.ready(self._held.pop(channel, "") + _mended(text), self._last.get(channel, ""))
        if held:
            self._held[channel] = held
        self._tell(channel, text)

    @property
    def text(self) -> str:
        """What was said so far."""
        return self._whole("text")

    @property
    def reasoning(self) -> str:
        """What was thought so far."""
        return self._whole("reasoning")

    def _tell(self, channel: str, text: str) -> None:
        if text:
            self._parts[channel].append(text)
            self._last[channel] = (self._last.get(channel, "") + text)[-redaction.KNOWN :]
            self.emit(channel, text)

    def _whole(self, channel: str) -> str:
        return "".join(self._parts[channel]) + self._held.get(channel, "")


def _mended(text: str) -> str:
    """The text with two halves of a character joined, and a lone half replaced: it must go into files as UTF-8."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") if not text.isascii() else text
