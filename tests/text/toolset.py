"""The tools whose calls the tests read."""

from dotagent.text.grammar import ToolCall, Toolset, read

LINES = ("READ_FILE", "WRITE_FILE", "EDIT_FILE", "UNCOMPACT", "RECALL", "KEEP", "JOIN", "LEAVE", "WAIT")
TOOLS = Toolset({**dict.fromkeys(LINES, "line"), "SAY": "speech", "RUN": "shell"}, speech="SAY")


def calls(reply: str) -> list[ToolCall]:
    return list(read(reply, TOOLS).calls)
