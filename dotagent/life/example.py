"""The example conversation: turns that show a model the form of a reply, between the fixed part of a prompt and the
context.

A person may replace `EXAMPLE.md`. Its entries have numbers that begin with 0, unlike real entries, and a closing line
follows, so that no one takes it for real events. Pure.
"""

from __future__ import annotations

from dotagent.errors import Trouble
from dotagent.store.requests import Part
from dotagent.text import escape, grammar, lazy
from dotagent.text.grammar import Toolset
from dotagent.text.lazy import dataclass, field

END = "(Here the example ends. Nothing in it happened. Your own life begins now.)"

_HEAD = lazy.compile(r"#(0\d{1,8}) \S")
_HEARD = lazy.compile(r"#\d+ (?:\S* ?\d{4}-\d\d-\d\d )?(?:\d\d:\d\d )?[a-z0-9][a-z0-9_-]* [^:\n]+:")
_CALL = lazy.compile(r"[A-Z][A-Z_]{2,}(?= |\Z)")


@dataclass
class Block:
    """An entry in the form of a prompt, or a reply."""

    role: str
    line: int
    lines: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """Return the text that the model sees."""
        return "\n".join(self.lines)


def parts(text: str, tools: Toolset) -> list[Part]:
    """Return the example's parts and the closing line, without turns that call a tool not in `tools`. Without any turn,
    return nothing. Raises Trouble that names the line of a mistake."""
    blocks = read(text)
    turns = list[list[Block]]()
    for block in blocks:
        begins = block.role == "user" and (not turns or _HEARD.match(block.text))
        if begins and (not turns or turns[-1][-1].role == "assistant"):
            turns.append([])
        turns[-1].append(block)
    kept = [block for turn in turns if all(_has(block, tools) for block in turn) for block in turn]
    made = [Part(block.role, escape.outside(block.text.encode("utf-8", "replace"))) for block in kept]
    return [*made, Part("user", END)] if made else []


def check(text: str, tools: Toolset) -> None:
    """Raise Trouble with the line number if the text is not a valid example."""
    for block in read(text):
        if block.role == "user":
            continue
        reading = grammar.read(block.text, tools)
        if wrong := next((call.problem for call in reading.calls if call.problem), "") or "".join(reading.lost[:1]):
            raise Trouble(f"line {block.line}: the reply in this line is not valid: {wrong}")


def read(text: str) -> list[Block]:
    """Return the entries and replies, in order; text before the first is for people. Raises Trouble."""
    blocks, open_, number = list[Block](), False, -1
    for at, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        head, bare = _HEAD.match(line), line.rstrip()
        if head:
            if int(head[1]) <= number:
                raise Trouble(f"line {at}: the entry number #{head[1]} must be higher than the one before it")
            number = int(head[1])
            blocks.append(Block("user", at, [bare]))
        elif line.startswith(">"):
            if not blocks:
                raise Trouble(f"line {at}: the example must begin with a message, not with a reply")
            if not open_ or blocks[-1].role == "user":
                blocks.append(Block("assistant", at))
            blocks[-1].lines.append(bare[1:].removeprefix(" "))
        elif line.startswith(escape.INDENT) and bare and open_ and blocks[-1].role == "user":
            blocks[-1].lines.append(bare)
        elif bare and (blocks or line.startswith("#0")):
            raise Trouble(
                f"line {at}: neither a message (`#01 dev ana: …`), nor an indented part of one, nor a reply (`> …`)"
            )
        open_ = bool(bare and blocks)
    if blocks and blocks[-1].role == "user":
        raise Trouble(f"line {blocks[-1].line}: this message has no reply")
    return blocks


def _has(block: Block, tools: Toolset) -> bool:
    """Return True if the agent has all tools that a block calls."""
    if block.role == "user":
        return True
    told = grammar.read(block.text, tools).text.split("\n")
    return not any(_CALL.match(line) for line in told)
