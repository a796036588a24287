"""What Ollama says, of a model and in an answer's lines, as it documents it: for the loopback server's scripts."""

from __future__ import annotations

import json
from collections.abc import Mapping

from loopback import Answer

NDJSON = {"content-type": "application/x-ndjson"}
SHOWN = {
    "parameters": 'temperature                    0.6\nstop                           "<|im_end|>"',
    "details": {"family": "qwen3"},
    "model_info": {"general.architecture": "qwen3", "qwen3.block_count": 36, "qwen3.context_length": 40_960},
    "capabilities": ["completion", "tools", "thinking"],
}


def line(**what: object) -> bytes:
    made = {"model": "qwen3:8b", "created_at": "2025-10-26T17:15:24.097767Z", "done": False} | what
    return json.dumps(made, ensure_ascii=False).encode() + b"\n"


def said(text: str = "", **more: str) -> bytes:
    return line(message={"role": "assistant", "content": text, **more})


def done(reason: str | None = "stop", **counts: object) -> bytes:
    told = {"prompt_eval_count": 26, "prompt_eval_cached_count": 16, "eval_count": 298, "total_duration": 10706}
    return line(message={"role": "assistant", "content": ""}, done=True, done_reason=reason, **{**told, **counts})


def stream(*texts: str, thinking: tuple[str, ...] = (), last: bytes = done()) -> Answer:
    """A whole stream as it is documented."""
    return Answer((*(said(thinking=one) for one in thinking), *(said(one) for one in texts), last), headers=NDJSON)


def pages(shown: Mapping[str, object] = SHOWN, models: object = ()) -> dict[str, object]:
    return {"/api/show": shown, "/api/tags": {"models": models}}
