"""The tools that a parser of replies knows, and a call of one of them. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from dotagent.text.lazy import dataclass

SILENCE = "NO_REPLY"  # a reply that sends no message
_MARKS = "*_`~\"'“”.!"


@dataclass(frozen=True, eq=False)
class Toolset:
    """The facts about the tools that a parser of replies needs. Each tool declares it at the top of its file.

    `forms` maps every tool's name to its form: a "line" has arguments on its line and perhaps a here-document; "speech"
    has a room and may continue on further lines; "shell" is a shell command with the shell's own here-documents.
    `reminders` only repeat earlier content, and the results of `receipts` only report what they did. `speech`,
    `silence` and `original` are the tools that send a message, send none, and return the original of an id. `note` and
    `lasting` write today's notes and permanent notes.
    """

    forms: Mapping[str, str]
    reminders: frozenset[str] = frozenset()
    receipts: frozenset[str] = frozenset()
    speech: str = ""
    silence: str = ""
    original: str = ""
    note: str = ""
    lasting: str = ""

    def speaks(self, call: ToolCall) -> bool:
        """Return True if the call sends a message to a room, or says that none will be sent."""
        return call.name in (self.speech, self.silence)

    def say(self, room: str, text: str) -> ToolCall:
        """Return the call that sends `text` to a room. NO_REPLY becomes silence."""
        silent = self.silence and is_silence(text)
        return ToolCall(self.silence, "", None) if silent else ToolCall(self.speech, room, text)


@dataclass(frozen=True)
class ToolCall:
    """A tool call. `args` is the rest of its line, stripped (speech: the room; shell: the whole command).

    `body` is the here-document's content, with a final LF unless empty, or the spoken text, or None. `problem` says why
    the call cannot run, or is None.
    """

    name: str
    args: str
    body: str | None
    problem: str | None = None


def is_silence(text: str | None) -> bool:
    """Return True if the text is only NO_REPLY, with or without marks."""
    return text is not None and text.strip().strip(_MARKS) == SILENCE
