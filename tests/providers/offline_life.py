"""A life that talks with the offline provider: prompts as the agent builds them, replies read as it reads them."""

from __future__ import annotations

import re

from dotagent import extensions
from dotagent.life import heads
from dotagent.life.context import Entry
from dotagent.providers import Config, Prompt, offline
from dotagent.store.log import Line
from dotagent.store.requests import ChatMessage
from dotagent.text.grammar import ToolCall, read
from dotagent.text.tag import TEXT as TAG

AT = "2026-11-21T20:17:20Z"
ANA, BEN, BOT = "USER:ana", "USER:ben", "AGENT:0123456789ab"


class Life:
    """A context that grows as an agent's does; `memory` is its MEMORY.md, changed by the calls that are answered."""

    def __init__(self, memory: str | None = "", audience: str = "private ana") -> None:
        self.parts: list[ChatMessage] = [{"role": "system", "content": "SOUL\n\nYou are agent 0123456789ab; your …"}]
        self.number = 0
        self.memory = memory
        self.add(f"BOOT {audience}")
        self.add("JOIN dev")
        if memory is not None:
            self.add("PAPER MEMORY.md", memory)

    def add(self, event: str, content: str | None = None) -> Life:
        """One more entry, as an agent's prompt has it."""
        self.number += 1
        word, _, detail = event.partition(" ")
        found = TAG.match(content or "")
        who = f"{found['kind']}:{found['name']}" if found else "OWNER"
        told = {"HEAR": f"{detail} 5 x {who}", "JOIN": f"{detail} 5 x"}.get(word, detail)
        body = None if content is None else content.encode("utf-8", "replace")
        entry = Entry(self.number, Line(AT, word, told, "0123456789ab" * 2 + "0" * 8, ""), detail, body)
        self.parts.append({"role": "user", "content": heads.text(entry)})
        return self

    def hear(self, text: str, who: str = ANA, room: str = "dev") -> Life:
        tagged = f"[{who} {AT}] {text}" if who else text
        return self.add(f"HEAR {room}", tagged.replace("\n", "\n  "))

    def prompt(self) -> list[ChatMessage]:
        found: list[ChatMessage] = []
        for part in self.parts:
            if found and found[-1]["role"] == part["role"]:
                found[-1] = {"role": part["role"], "content": found[-1]["content"] + "\n\n" + part["content"]}
            else:
                found.append(part)
        return found

    def step(self) -> tuple[ToolCall, ...]:
        """One reply, its calls done: MEMORY.md is edited, nothing else is there to be read."""
        reply = ask(self.prompt())
        calls = calls_of(reply)
        self.parts.append({"role": "assistant", "content": reply})
        self.number += 1
        for call in calls:
            if call.name == "REMEMBER":
                self.memory = f"{self.memory or ''}- {' '.join((call.body or '').split())} (added 2026-11-21)\n"
                self.add("TOOL REMEMBER ok", "noted in MEMORY.md").add("PAPER MEMORY.md", self.memory)
            elif call.name in ("EDIT_FILE", "WRITE_FILE"):
                self.memory = applied(self.memory or "", call)
                self.add(f"TOOL {call.name} ok", f"edited {call.args}").add("PAPER MEMORY.md", self.memory)
        return calls

    def said(self) -> str:
        """What is said until nothing is left to do, in any room."""
        words = ""
        for _ in range(4):
            calls = self.step()
            words += "\n".join(call.body or "" for call in calls if call.name == "SAY")
            if all(call.name in ("SAY", "WAIT") for call in calls):
                return words
        raise AssertionError("the agent does not come to rest")


def ask(messages: list[ChatMessage]) -> str:
    pieces = list[str]()
    reply = offline.answer(
        Prompt("offline", tuple(messages)), Config(None, ""), lambda _, delta: pieces.append(delta), lambda: False
    )
    assert "".join(pieces) == reply.text
    return reply.text


def calls_of(reply: str) -> tuple[ToolCall, ...]:
    reading = read(reply, extensions.tools())
    assert not [call.problem for call in reading.calls if call.problem]
    assert (reading.text, reading.lost) == ("", ())
    assert reading.calls
    return reading.calls


def applied(before: str, call: ToolCall) -> str:
    assert call.args == "MEMORY.md"
    assert call.body is not None
    if call.name == "WRITE_FILE":
        return call.body
    block = re.fullmatch(r"<<<<<<< SEARCH\n(.*?)=======\n(.*?)>>>>>>> REPLACE\n", call.body, re.DOTALL)
    assert block
    assert before.count(block[1]) == 1
    return before.replace(block[1], block[2])
