#!/usr/bin/env bash
# Guess: what a Python tool returns reaches the model as JSON in every agent framework, and an empty list as `[]`.
# Seen: openai-agents sends Python's own spelling, which is no JSON (`{'ok': True, 'n': None}`, `None`, `(1, 2)`).
#   pydantic-ai sends an empty list as an empty text, as it does None, so "nothing was found" reads like "nothing came
#   back". LangChain sends an empty list as a list without parts, where the format wants a text or parts. llm sends a
#   date as `"datetime.date(2026, 1, 2)"`.
# Matters: one set of Python tools behaves otherwise behind each of them, so a pack that was tried with one is not
#   tried with another: return text that you made yourself. dotagent's packs give a model the text as the tool wrote
#   it.
# With: langchain 1.5.0, langchain-openai 1.7.4, langchain-core 1.8.3, openai-agents 0.24.0, pydantic-ai-slim 2.68.0,
#   llm 0.36, 28 November 2026.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -qq langchain==1.5.0 langchain-openai==1.7.4 langchain-core==1.8.3 openai-agents==0.24.0 'pydantic-ai-slim[openai]==2.68.0' llm==0.36

cat >"$tmp/try.py" <<'END'
import asyncio
import datetime
import json
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version

os.environ |= {"LANGSMITH_TRACING": "false", "OPENAI_AGENTS_DISABLE_TRACING": "1", "LLM_USER_PATH": os.getcwd()}
from agents import Agent as OpenAIAgent
from agents import OpenAIChatCompletionsModel, Runner, function_tool
from langchain.agents import create_agent
from langchain_openai import ChatOpenAI
from llm.default_plugins.openai_models import Chat
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

def answered(body):
    call = {"index": 0, "id": "call_1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    done = any(one["role"] == "tool" for one in body["messages"])
    said = {"role": "assistant", "content": "done"} if done else {"role": "assistant", "tool_calls": [call]}
    choice = {"index": 0, "finish_reason": "stop" if done else "tool_calls", "message": {"content": None, **said}}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    told = {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}
    return json.dumps(told).encode()


def look():
    """Look."""
    return value


def by_langchain():
    model = ChatOpenAI(model="m", base_url=url, api_key="k")
    create_agent(model, [look]).invoke({"messages": [{"role": "user", "content": "Look."}]})


def by_openai_agents():
    model = OpenAIChatCompletionsModel("m", AsyncOpenAI(base_url=url, api_key="k"))
    loop.run_until_complete(Runner.run(OpenAIAgent("a", model=model, tools=[function_tool(look)]), "Look."))


def by_pydantic_ai_slim():
    model = OpenAIChatModel("m", provider=OpenAIProvider(base_url=url, api_key="k"))
    loop.run_until_complete(Agent(model, tools=[look]).run("Look."))


def by_llm():
    model = Chat("m", model_name="m", api_base=url, key="k", supports_tools=True)
    model.chain("Look.", tools=[look], stream=False, key="k").text()


answer, loop = answered, asyncio.new_event_loop()
asks = (by_langchain, by_openai_agents, by_pydantic_ai_slim, by_llm)
for ask in asks:
    name = ask.__name__.removeprefix("by_").replace("_", "-")
    print(name, version(name))
    for value in ([], None, {"ok": True, "n": None}, (1, 2), datetime.date(2026, 1, 2)):
        ask()
        (read,) = [one["content"] for one in asked[-1]["messages"] if one["role"] == "tool"]
        print(f"  {value!r} -> {read!r}")
END
cat >"$tmp/seen" <<'END'
langchain 1.5.0
  [] -> []
  None -> 'null'
  {'ok': True, 'n': None} -> '{"ok": true, "n": null}'
  (1, 2) -> '[1, 2]'
  datetime.date(2026, 1, 2) -> '2026-01-02'
openai-agents 0.24.0
  [] -> '[]'
  None -> 'None'
  {'ok': True, 'n': None} -> "{'ok': True, 'n': None}"
  (1, 2) -> '(1, 2)'
  datetime.date(2026, 1, 2) -> '2026-01-02'
pydantic-ai-slim 2.68.0
  [] -> ''
  None -> ''
  {'ok': True, 'n': None} -> '{"ok":true,"n":null}'
  (1, 2) -> '[1,2]'
  datetime.date(2026, 1, 2) -> '2026-01-02'
llm 0.36
  [] -> '[]'
  None -> 'null'
  {'ok': True, 'n': None} -> '{"ok": true, "n": null}'
  (1, 2) -> '[1, 2]'
  datetime.date(2026, 1, 2) -> '"datetime.date(2026, 1, 2)"'
END
"$tmp/venv/bin/python" "$tmp/try.py" | tee "$tmp/now"
diff "$tmp/seen" "$tmp/now"
