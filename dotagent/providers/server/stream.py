"""The file of an answer in progress, which chat.py and the bridges read while it grows. Owns `calls/stream/`
meanwhile."""

from __future__ import annotations

import os
from collections import defaultdict
from contextlib import suppress

from dotagent.providers import THOUGHT, Completion, Prompt
from dotagent.providers.formats.redaction import Veil
from dotagent.providers.server import cost
from dotagent.store import disk, queue
from dotagent.store.home import Home
from dotagent.store.queue import Call
from dotagent.text import reasoning, tokens


class Full(Exception):
    """The answer has reached the requested number of tokens."""


class Stream:
    """An answer in progress, in the form of the reply: reasoning in its block, then the text, without credentials even
    across pieces.

    Each attempt has its own file, so a retry never repeats text. If `most` is not 0, the answer ends after that many
    tokens.
    """

    def __init__(self, where: Home, call: Call, most: int) -> None:
        self._home, self._call, self._most = where, call, most
        self._path, self._fd = queue.create_stream(where, call.id)  # for the first attempt
        self._reads = False  # whether a file says how much of the prompt is read

    def begin(self, number: int) -> None:
        """Write the nth attempt's text from now on."""
        if number > 1:
            self.close()
            self._path, self._fd = queue.create_stream(self._home, self._call.id)
        self._channel = ""
        self._veils = defaultdict[str, Veil](Veil)
        self._said = defaultdict[str, str](str)  # by channel, if there is a limit

    def so_far(self, asked: Prompt) -> Completion:
        """Return the text so far as an answer that was cut off, with an estimated usage, because no server reported
        it."""
        used = cost.guess(asked, "".join(self._said.values()))
        return Completion(self._said["text"], self._said["reasoning"], "length", used)

    def came(self) -> str:
        """Return the text of this attempt so far."""
        with suppress(FileNotFoundError):  # an agent that saw the end has already removed it
            return disk.read(self._path).decode("utf-8", "replace")
        return ""

    def write(self, channel: str, delta: str) -> None:
        """Write the next piece. Raises Full if it reaches the limit; reasoning has THOUGHT extra tokens. The channel
        `read` says how much of the prompt is read, until the answer begins."""
        if channel == "read":
            self._reads = True
            disk.replace(queue.reading(self._home, self._call.id), delta.encode(), durable=False)
            return
        if self._reads:
            self._reads = False
            disk.remove(queue.reading(self._home, self._call.id))
        self._append(channel, delta)
        if self._most:
            self._said[channel] += delta
            if tokens.estimate(self._said[channel]) > self._most + (THOUGHT if channel == "reasoning" else 0):
                raise Full

    def _append(self, channel: str, delta: str) -> None:
        delta = self._veils[channel].add(delta)
        if not delta:
            return
        if channel != self._channel:
            mark = reasoning.OPEN if channel == "reasoning" else reasoning.CLOSE if self._channel else ""
            self._channel, delta = channel, mark + delta
        disk.append(self._fd, delta.encode("utf-8", "replace"), self._path)

    def close(self) -> None:
        """Close the file, which stays until the call is dropped."""
        if self._reads:
            self._reads = False
            disk.remove(queue.reading(self._home, self._call.id))
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
