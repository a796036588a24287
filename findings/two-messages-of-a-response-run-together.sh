#!/usr/bin/env bash
# Guess: a response of OpenAI's newer format that has two messages (a word before the work, then the answer) is read as
#   two paragraphs, by each client in the same way.
# Seen: the openai SDK's `output_text` and LangChain's `.text` put them together without a blank or a line end ("I will
#   look it up.It is Friday."). openai-agents drops the first message and gives the second alone.
# Matters: models that speak between their tools send such responses. The words run together in a chat, and a reader
#   that looks for a line at the left edge, as dotagent's calls are, would miss the first line of the second message.
#   dotagent puts an empty line between (`formats/responses.py`).
# With: openai 3.57.0, langchain-openai 1.7.4, langchain-core 1.8.3, openai-agents 0.24.0, 28 November 2026.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -qq openai==3.57.0 langchain-openai==1.7.4 langchain-core==1.8.3 openai-agents==0.24.0

cat >"$tmp/try.py" <<'END'
import asyncio
import json
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version

os.environ["OPENAI_AGENTS_DISABLE_TRACING"] = "1"
import openai
from agents import Agent, OpenAIResponsesModel, Runner
from langchain_openai import ChatOpenAI

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

def message(id, text):
    part = {"type": "output_text", "text": text, "annotations": []}
    return {"type": "message", "id": id, "role": "assistant", "status": "completed", "content": [part]}


def answered(body):
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2, "input_tokens_details": {"cached_tokens": 0},
             "output_tokens_details": {"reasoning_tokens": 0}}
    told = {"id": "r", "object": "response", "created_at": 1, "model": "m", "status": "completed", "tools": [],
            "output": [message("m1", "I will look it up."), message("m2", "It is Friday.")], "usage": usage,
            "parallel_tool_calls": True, "tool_choice": "auto"}
    return json.dumps(told).encode()


answer = answered
said = openai.OpenAI(base_url=url, api_key="k").responses.create(model="m", input="Hi").output_text
print("openai", version("openai"), repr(said))
said = ChatOpenAI(model="m", base_url=url, api_key="k", use_responses_api=True).invoke("Hi").text
print("langchain-openai", version("langchain-openai"), repr(str(said)))
model = OpenAIResponsesModel("m", openai.AsyncOpenAI(base_url=url, api_key="k"))
said = asyncio.run(Runner.run(Agent("a", model=model), "Hi")).final_output
print("openai-agents", version("openai-agents"), repr(said))
END
cat >"$tmp/seen" <<'END'
openai 3.57.0 'I will look it up.It is Friday.'
langchain-openai 1.7.4 'I will look it up.It is Friday.'
openai-agents 0.24.0 'It is Friday.'
END
"$tmp/venv/bin/python" "$tmp/try.py" | tee "$tmp/now"
diff "$tmp/seen" "$tmp/now"
