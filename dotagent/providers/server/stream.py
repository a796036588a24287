"""An answer as it comes, in a file that chat.py and the bridges read while it grows. Owns `calls/stream/` meanwhile."""

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
    """An answer that holds as many tokens as were asked for."""


class Stream:
    """An answer as it comes, written as the reply will be: reasoning in its block, then the text, without credentials,
    wherever a piece ends. One file an attempt, so that a retry never doubles what was written before it. Of tokens it
    takes no more than `most`, where that is not 0."""

    def __init__(self, where: Home, call: Call, most: int) -> None:
        self._home, self._call, self._most = where, call, most
        self._path, self._fd = queue.opened_stream(where, call.id)  # the first attempt's

    def begin(self, number: int) -> None:
        """Write the nth attempt's text from here on."""
        if number > 1:
            self.close()
            self._path, self._fd = queue.opened_stream(self._home, self._call.id)
        self._channel = ""
        self._veils = defaultdict[str, Veil](Veil)
        self._said = defaultdict[str, str](str)  # by channel, where there is a limit

    def so_far(self, asked: Prompt) -> Completion:
        """What came, as an answer that was cut off; what it used is estimated, since no server told it."""
        used = cost.guess(asked, "".join(self._said.values()))
        return Completion(self._said["text"], self._said["reasoning"], "length", used)

    def came(self) -> str:
        """What this attempt has written."""
        with suppress(FileNotFoundError):  # an agent that heard of the end already has dropped it
            return disk.read(self._path).decode("utf-8", "replace")
        return ""

    def write(self, channel: str, delta: str) -> None:
        """Write the next piece. Raises Full where that was enough; of reasoning THOUGHT tokens are free."""
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
        """Let go of the file, which stays until the call is dropped."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
