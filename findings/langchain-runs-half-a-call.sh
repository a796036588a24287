#!/usr/bin/env bash
# Guess: when the limit of tokens cuts a tool call in its midst, an agent of LangChain does not run it: the finish
#   reason is `length`, and the arguments are no JSON. The model hears of it, with or without streaming.
# Seen: with streaming the call is run. LangChain closes the open text and the open object, so the arguments pass, and
#   what is missing takes its default; here `/home/ana/old` became `/home/ana`, a number that was cut after `12` is 12,
#   and `invalid_tool_calls` is empty. Without streaming the same call is not run, but the agent ends at once with an
#   empty answer: the model is never told, and no error is raised. So streaming decides whether a half command is run.
# Matters: a tool call is an act. Half a path is a valid path of a larger folder. dotagent gives a cut call no
#   arguments, so that it fails (tests/providers/test_native.py).
# With: langchain 1.5.0, langchain-openai 1.7.4, langchain-core 1.8.3, 28 November 2026.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -qq langchain==1.5.0 langchain-openai==1.7.4 langchain-core==1.8.3

cat >"$tmp/try.py" <<'END'
import json
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version

os.environ["LANGSMITH_TRACING"] = "false"
from langchain.agents import create_agent
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

def answered(body):
    """Return the cut call, or after a tool's result the word done."""
    done = any(one["role"] == "tool" for one in body["messages"])
    call = {"index": 0, "id": "call_1", "type": "function", "function": {"name": "wipe", "arguments": cut}}
    told = {"role": "assistant", "content": "done"} if done else {"role": "assistant", "tool_calls": [call]}
    part = {"delta": told} if body.get("stream") else {"message": {"content": None, **told}}
    choice = {"index": 0, "finish_reason": "stop" if done else "length", **part}
    whole = {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    text = json.dumps(whole)
    return f"data: {text}\n\ndata: [DONE]\n\n".encode() if body.get("stream") else text.encode()


def wipe(path: str, keep: int = 1) -> str:
    """Wipe a folder, but keep so many files."""
    ran.append((path, keep))
    return "wiped"


answer = answered
for package in ("langchain", "langchain-openai", "langchain-core"):
    print(package, version(package))
for cut in ('{"path": "/home/ana', '{"path": "/home/ana/old", "keep": 12'):
    print("the model said", cut)
    for streaming in (True, False):
        ran = []
        asked.clear()
        agent = create_agent(ChatOpenAI(model="m", base_url=url, api_key="k", streaming=streaming), [wipe])
        said = agent.invoke({"messages": [{"role": "user", "content": "Tidy up."}]})["messages"][-1]
        print(f"  streaming {streaming}: ran {ran}, {len(asked)} requests, last answer {said.content!r}")
END
cat >"$tmp/seen" <<'END'
langchain 1.5.0
langchain-openai 1.7.4
langchain-core 1.8.3
the model said {"path": "/home/ana
  streaming True: ran [('/home/ana', 1)], 2 requests, last answer 'done'
  streaming False: ran [], 1 requests, last answer ''
the model said {"path": "/home/ana/old", "keep": 12
  streaming True: ran [('/home/ana/old', 12)], 2 requests, last answer 'done'
  streaming False: ran [], 1 requests, last answer ''
END
"$tmp/venv/bin/python" "$tmp/try.py" | tee "$tmp/now"
diff "$tmp/seen" "$tmp/now"
