#!/usr/bin/env bash
# Guess: where each piece of a stream tells the usage so far (vLLM's `continuous_usage_stats`, and other servers that
#   speak OpenAI's format), a client takes the last, which is the whole.
# Seen: LangChain and pydantic-ai add all of them up: an answer of three tokens to a prompt of 100, in five pieces, is
#   told as a prompt of 500 tokens and an answer of 12. openai-agents takes the last.
# Matters: the sum grows with the number of pieces: an answer of 1,000 pieces to a prompt of 10,000 tokens is told as
#   ten millions, and limits of tokens, costs and compaction that read the number all fail. dotagent takes the last, so
#   its bills and those of a program beside it differ at such a server.
# With: langchain-openai 1.7.4, langchain-core 1.8.3, pydantic-ai-slim 2.68.0, openai-agents 0.24.0, 28 November 2026.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -qq langchain-openai==1.7.4 langchain-core==1.8.3 'pydantic-ai-slim[openai]==2.68.0' openai-agents==0.24.0

cat >"$tmp/try.py" <<'END'
import asyncio
import json
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version

os.environ["OPENAI_AGENTS_DISABLE_TRACING"] = "1"
from agents import Agent as OpenAIAgent
from agents import OpenAIChatCompletionsModel, Runner
from langchain_openai import ChatOpenAI
from openai import AsyncOpenAI
from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

asked, answer = [], lambda body: b""


class Model(BaseHTTPRequestHandler):
    def do_POST(self):
        asked.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        told = answer(asked[-1])
        self.send_response(200)
        self.send_header("content-type", "text/event-stream" if told.startswith(b"data:") else "application/json")
        self.send_header("content-length", str(len(told)))
        self.end_headers()
        self.wfile.write(told)

    def log_message(self, *words):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=server.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{server.server_port}"

def piece(choices, answered):
    usage = {"prompt_tokens": 100, "completion_tokens": answered, "total_tokens": 100 + answered}
    told = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": choices, "usage": usage}
    return f"data: {json.dumps(told)}\n\n"


def answered(body):
    text = "".join(piece([{"index": 0, "delta": {"content": word}}], n) for n, word in enumerate("one", 1))
    text += piece([{"index": 0, "delta": {}, "finish_reason": "stop"}], 3) + piece([], 3)
    return (text + "data: [DONE]\n\n").encode()


def by_langchain():
    pieces = list(ChatOpenAI(model="m", base_url=url, api_key="k", stream_usage=True).stream("Hi"))
    used = sum(pieces[1:], pieces[0]).usage_metadata
    return used["input_tokens"], used["output_tokens"]


async def by_pydantic_ai():
    model = OpenAIChatModel("m", provider=OpenAIProvider(base_url=url, api_key="k"))
    async with Agent(model).run_stream("Hi") as answer:
        await answer.get_output()
        return answer.usage.input_tokens, answer.usage.output_tokens


async def by_openai_agents():
    model = OpenAIChatCompletionsModel("m", AsyncOpenAI(base_url=url, api_key="k"))
    run = Runner.run_streamed(OpenAIAgent("a", model=model), "Hi")
    async for _ in run.stream_events():
        pass
    return run.context_wrapper.usage.input_tokens, run.context_wrapper.usage.output_tokens


answer = answered
print("told by the server at the end: (100, 3)")
print("langchain-openai", version("langchain-openai"), by_langchain())
print("pydantic-ai-slim", version("pydantic-ai-slim"), asyncio.run(by_pydantic_ai()))
print("openai-agents", version("openai-agents"), asyncio.run(by_openai_agents()))
END
cat >"$tmp/seen" <<'END'
told by the server at the end: (100, 3)
langchain-openai 1.7.4 (500, 12)
pydantic-ai-slim 2.68.0 (500, 12)
openai-agents 0.24.0 (100, 3)
END
"$tmp/venv/bin/python" "$tmp/try.py" | tee "$tmp/now"
diff "$tmp/seen" "$tmp/now"
